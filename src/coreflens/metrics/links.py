"""Metrics that count links between mentions of one entity: MUC, and pairs, also those within and across documents."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..corpus.model import IntArray
from ..integers import bincount
from .contingency import Array, Contingency
from .registry import metric
from .weights import earns


def links(x: Array) -> Array:
    """Pairs among x mentions: x(x−1)/2."""
    pairs: Array = (x * x - x) / 2  # x * (x - 1) of 0.0 is -0.0
    return pairs


@metric("muc", title="MUC", cite="vilain1995", split=True)
@earns(lambda at, share: ((at.n > 0) * share.recall, (at.n > 0) * share.precision))
def muc(t: Contingency) -> tuple[Array, ...]:
    """Links of one side that the other preserves.

        R = Σ_i (a_i − |p(K_i)|) / Σ_i (a_i − 1)      p(K_i): the parts the response cuts K_i into,
        P = the same, key and response exchanged       a twinless mention being a part of its own

    A cell keeps n_ij − 1 links, so both numerators are Σ_ij (n_ij − 1). Singletons have no link: 0/0 if there is
    nothing else. A split antecedent keeps r (or p) of its link if a mention links the same two entities.
    """
    if t.single:  # inside a split antecedent a singleton is one link, right if it is a singleton on both sides
        kept = t.cells(np.where((t.ai == 1) & (t.bj == 1), 1, t.n - 1))
        return kept, t.keys(np.where(t.a == 1, 1, t.a - 1)), kept, t.responses(np.where(t.b == 1, 1, t.b - 1))
    if t.antecedents is None:
        kept = t.cells(t.n - 1)
        return kept, t.keys(t.a - 1), kept, t.responses(t.b - 1)
    s = t.split(muc)
    linked = t.n > 0
    return (
        t.cells(np.where(linked, t.n - 1 + s.recall, 0)),
        t.keys(t.a - 1),
        t.cells(np.where(linked, t.n - 1 + s.precision, 0)),
        t.responses(t.b - 1),
    )


@metric("pairs", title="pairs", cite="recasens2011", aliases=("pairwise",), split=True, quadratic=True)
def pairs(t: Contingency) -> tuple[Array, ...]:
    """Pairs of mentions that both sides put in one entity: only the coreference links of BLANC.

    R = |C_k ∩ C_r| / |C_k|      P = |C_k ∩ C_r| / |C_r|      C: pairs inside an entity, a(a−1)/2 each

    A pair with a split antecedent counts by what it shares with that of the other side (f).
    """
    both = t.cells(links(t.n) + t.n * t.split(pairs).f1)
    return both, t.keys(links(t.a)), both, t.responses(links(t.b))


@metric("pairs-within", title="pairs within documents", cite="recasens2011", aliases=("links within",))
def pairs_within(t: Contingency) -> tuple[Array, ...]:
    """Pairs of mentions of one document that both sides put in one entity, for any `--scope`.

    R = |W_k ∩ W_r| / |W_k|      P = |W_k ∩ W_r| / |W_r|      W: pairs inside an entity and a document

    With `--scope document` these are all pairs. Split antecedents do not count.
    """
    cells, keys, responses = _within(t)
    both = t.cells(cells)
    return both, t.keys(keys), both, t.responses(responses)


@metric("pairs-cross", title="pairs across documents", cite="recasens2011", aliases=("links across", "pairs-across"))
def pairs_cross(t: Contingency) -> tuple[Array, ...]:
    """Pairs of mentions of two documents that both sides put in one entity.

    R = |X_k ∩ X_r| / |X_k|      P = |X_k ∩ X_r| / |X_r|      X: pairs inside an entity, not inside a document

    These are all pairs except those within documents. 0/0 with `--scope document`. Split antecedents do not count.
    """
    cells, keys, responses = _within(t)
    both = t.cells(links(t.n) - cells)
    return both, t.keys(links(t.a) - keys), both, t.responses(links(t.b) - responses)


def _within(t: Contingency) -> tuple[Array, Array, Array]:
    """The pairs of mentions of one document in each cell, key entity and response entity."""
    m, width = t.mentions, max(len(t.b), 1)
    both, ours, theirs = ((m.key >= 0) & (m.response >= 0), m.key >= 0, m.response >= 0)
    cell = np.searchsorted(t.i * width + t.j, m.key[both] * width + m.response[both])
    return (
        _pairs(cell, m.document[both], len(t.n), m.exact),
        _pairs(m.key[ours], m.document[ours], len(t.a), m.exact),
        _pairs(m.response[theirs], m.document[theirs], len(t.b), m.exact),
    )


def _pairs(thing: IntArray, document: IntArray, things: int, exact: bool) -> Array:
    """For each thing, the pairs of its mentions within one document."""
    width = int(document.max(initial=0)) + 1
    code, size = np.unique(thing * width + document, return_counts=True)
    found = bincount(code // width, weights=size * (size - 1) // 2, minlength=things)
    return np.array([Fraction(int(x)) for x in found.tolist()] or [], dtype=object) if exact else found
