"""Detection of mentions, and of entities with one mention."""

from __future__ import annotations

import numpy as np

from .contingency import Array, Contingency
from .registry import metric


@metric(
    "mentions",
    title="mentions",
    cite="pradhan2014",
    aliases=("md", "mention", "mention detection"),
    mention_detection=True,
)
def mentions(t: Contingency) -> tuple[Array, ...]:
    """Mentions of one side that the other side also has.

        R = |M_K ∩ M_R| / |M_K|        P = |M_K ∩ M_R| / |M_R|

    It is counted before any singleton is dropped, so it is always the upper limit for coreference.
    """
    both = t.cells(t.n)
    return both, t.keys(t.a), both, t.responses(t.b)


@metric("singletons", title="singletons", cite="recasens2013", aliases=("singleton detection",), mention_detection=True)
def singletons(t: Contingency) -> tuple[Array, ...]:
    """Entities with one mention that the other side also has, with the same mention and no other.

        R = |S_K ∩ S_R| / |S_K|        P = |S_K ∩ S_R| / |S_R|        S: the mentions of the singleton entities

    It is counted before any singleton is dropped, for any value of `--singletons`. Recall falls if a singleton of the
    key is not found, or if its mention is in a larger entity of the response. 0/0 if a side has no singletons.
    """
    both = t.cells(np.where((t.ai == 1) & (t.bj == 1), t.n, 0))
    return both, t.keys(np.where(t.a == 1, t.a, 0)), both, t.responses(np.where(t.b == 1, t.b, 0))
