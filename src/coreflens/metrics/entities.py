"""Entities that are found exactly."""

from __future__ import annotations

import numpy as np

from .contingency import Array, Contingency
from .registry import metric


@metric(
    "entities",
    title="entities",
    cite="menestrina2010",
    aliases=("cluster", "clusters", "exact entities", "exact clusters"),
)
def entities(t: Contingency) -> tuple[Array, ...]:
    """Entities that both sides have with the same mentions and no other.

        R = |E_K ∩ E_R| / |E_K|        P = |E_K ∩ E_R| / |E_R|        E: entities as sets of mentions

    Every entity counts the same, whatever its size. One wrong mention makes an entity wrong as a whole.
    """
    share_of_entity = t.n / t.ai
    exact = (t.n == t.ai) & (t.n == t.bj)
    same = t.cells(np.where(exact, share_of_entity, 0))
    return same, t.keys(t.a / t.a), same, t.responses(t.b / t.b)
