"""A metric of the words of mentions, for any `--match`: MOR."""

from __future__ import annotations

import numpy as np

from ..corpus.model import IntArray
from ..integers import repeat
from .assignment import assign
from .contingency import Array, Contingency, Mentions
from .registry import metric


@metric("mor", title="MOR", cite="zabokrtsky2022", aliases=("mention overlap ratio",), mention_detection=True)
def mor(t: Contingency) -> tuple[Array, ...]:
    """Mention overlap ratio: the words that key and response mentions share in the best one-to-one pairing.

        R = Σ |k ∩ s| / Σ |k|        P = Σ |k ∩ s| / Σ |s|

    The pairs (k, s) are those of one document with the largest Σ |k ∩ s|, for any `--match`. All mentions count in the
    denominators. A discontinuous mention has only the words of its pieces, and an empty node is a word. A mention that
    has a name but no span is one word.
    """
    m = t.mentions
    ours, theirs = m.sizes
    shared_key, shared_response = shared_words(m)
    return (
        t.keys(m.by_key(shared_key)),
        t.keys(m.by_key(ours)),
        t.responses(m.by_response(shared_response)),
        t.responses(m.by_response(theirs)),
    )


def shared_words(m: Mentions) -> tuple[IntArray, IntArray]:
    """How many words the key mention and the response mention of each row share with their partners in the pairing.

    Mentions with the same words are paired first, which keeps the optimum: |k ∩ s′| + |k′ ∩ k| ≤ |k| + |k′ ∩ s′|.
    """
    on_key, on_response = np.flatnonzero(m.key >= 0), np.flatnonzero(m.response >= 0)
    ours, theirs = np.zeros(len(m.key), dtype=np.int64), np.zeros(len(m.key), dtype=np.int64)
    sizes = m.sizes
    borrowed = m.borrowed
    ours[borrowed], theirs[borrowed] = sizes[0][borrowed], sizes[1][borrowed]
    on_key, on_response = (rows[~borrowed[rows]] for rows in (on_key, on_response))
    codes = m.codes
    same_k, same_r = _equal(codes[0][on_key], codes[1][on_response])
    ours[on_key[same_k]] = sizes[0][on_key[same_k]]
    theirs[on_response[same_r]] = sizes[1][on_response[same_r]]
    on_key, on_response = np.delete(on_key, same_k), np.delete(on_response, same_r)
    k, r, common = m.overlaps(on_key, on_response)
    if len(k):
        chosen = assign(k, r, common, len(on_key), len(on_response))
        ours[on_key[k[chosen]]] = common[chosen]
        theirs[on_response[r[chosen]]] = common[chosen]
    return ours, theirs


def _equal(a: IntArray, b: IntArray) -> tuple[IntArray, IntArray]:
    """Positions of equal numbers. Each position has at most one partner."""
    dense = np.unique(np.concatenate((a, b)), return_inverse=True)[1].reshape(-1)
    places = []
    for x in (dense[: len(a)], dense[len(a) :]):
        order = np.argsort(x, kind="stable")
        ordered = x[order]
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(x) else order
        nth = np.arange(len(x)) - repeat(starts, np.diff(np.append(starts, len(x))))
        places.append((order, ordered, nth))
    (order_a, in_a, nth_a), (order_b, in_b, nth_b) = places
    width = 1 + max(len(a), len(b))
    _, i, j = np.intersect1d(in_a * width + nth_a, in_b * width + nth_b, return_indices=True)
    return order_a[i], order_b[j]
