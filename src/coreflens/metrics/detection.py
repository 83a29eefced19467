"""Mention detection."""

from __future__ import annotations

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
    """Mentions of one side that the other has too.

        R = |M_K ∩ M_R| / |M_K|        P = |M_K ∩ M_R| / |M_R|

    Counted before any singleton is dropped, so that it stays the ceiling of what coreference can reach.
    """
    both = t.cells(t.n)
    return both, t.keys(t.a), both, t.responses(t.b)
