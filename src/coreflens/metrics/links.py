"""Metrics that count links between mentions of one entity: MUC and pairs."""

from __future__ import annotations

import numpy as np

from .contingency import Array, Contingency
from .registry import metric


def links(x: Array) -> Array:
    """Pairs among x mentions: x(x−1)/2."""
    pairs: Array = x * (x - 1) / 2
    return pairs


@metric("muc", title="MUC", cite="vilain1995", split=True)
def muc(t: Contingency) -> tuple[Array, ...]:
    """Links of one side that the other preserves.

        R = Σ_i (a_i − |p(K_i)|) / Σ_i (a_i − 1)      p(K_i): the parts the response cuts K_i into,
        P = the same, key and response exchanged       a twinless mention being a part of its own

    A cell keeps n_ij − 1 links, so both numerators are Σ_ij (n_ij − 1). Singletons have no link: 0/0 if there is
    nothing else. A split antecedent keeps r (or p) of its link where a mention links the same two entities.
    """
    if t.single:  # inside a split antecedent a singleton is one link, right if both sides have it alone
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
    """Pairs of mentions put in one entity by both sides: the coreference links of BLANC alone.

    R = |C_k ∩ C_r| / |C_k|      P = |C_k ∩ C_r| / |C_r|      C: pairs inside an entity, a(a−1)/2 each

    A pair with a split antecedent counts as much as this shares with the other side's (f).
    """
    both = t.cells(links(t.n) + t.n * t.split(pairs).f1)
    return both, t.keys(links(t.a)), both, t.responses(links(t.b))
