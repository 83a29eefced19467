"""Metrics of annotations beside the entities: expressions that refer to nothing, and bridging anaphors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..corpus.model import IntArray
from ..matching.other_anaphora import Bridges
from .contingency import Array, Contingency
from .registry import metric

if TYPE_CHECKING:
    from ..matching.optimal import Bools


@metric(
    "nonreferring",
    title="non-referring",
    cite="yu2023",
    aliases=("non-referring",),
    mention_detection=True,
    other_anaphora=True,
)
def nonreferring(t: Contingency) -> tuple[Array, ...]:
    """Expressions that refer to nothing, such as the "it" of "it rains", that are marked as such on both sides.

        R = |N_K ∩ N_R| / |N_K|        P = |N_K ∩ N_R| / |N_R|

    N: the expressions marked as non-referring, compared by their exact spans for any `--match`. Several mentions with
    one id count once, by the first. 0/0 if neither side marks any.
    """
    ours, theirs = t.other_anaphora.nonreferring
    return (
        t.items(ours.block, ours.right),
        t.items(ours.block, np.ones(len(ours.block), dtype=np.int64)),
        t.items(theirs.block, theirs.right),
        t.items(theirs.block, np.ones(len(theirs.block), dtype=np.int64)),
    )


def _bridging(t: Contingency, level: str) -> tuple[Array, ...]:
    """Counts of the anaphors that are right: the anaphor alone, the anaphor with the mention that is its anchor, or
    with the anchor's entity."""
    ours, theirs = t.other_anaphora.bridges
    (i, j), mention, entity = anchored(t)
    right = {"recognition": np.ones(len(i), dtype=bool), "mention": mention, "entity": entity}[level]
    return (
        t.items(ours.block[i], right),
        t.items(ours.block, np.ones(len(ours.block), dtype=np.int64)),
        t.items(theirs.block[j], right),
        t.items(theirs.block, np.ones(len(theirs.block), dtype=np.int64)),
    )


def anchored(t: Contingency) -> tuple[tuple[IntArray, IntArray], Bools, Bools]:
    """The anaphors that both sides have, as positions on each side; whether their anchors are the same mention; and
    whether the anchors belong to the same entity of the key."""
    ours, theirs = t.other_anaphora.bridges
    _, i, j = np.intersect1d(ours.anaphor, theirs.anaphor, assume_unique=True, return_indices=True)
    same = ours.anchor[i] == theirs.anchor[j]
    one, other = (_key_entity(t, side, rows) for side, rows in ((ours, i), (theirs, j)))
    return (i, j), same, same | ((one >= 0) & (one == other))


def _key_entity(t: Contingency, side: Bridges, rows: IntArray) -> IntArray:
    """The key entity of the anchor of some anaphors, −1 if the anchor is not in a key entity."""
    alignment = t.mentions.alignment
    origin, _ = alignment.origins
    size = 1 + max(int(origin.max(initial=-1)), int(side.key_row.max(initial=-1)))
    entity = np.full(size + 1, -1, dtype=np.int64)  # the last one belongs to no entity
    has = origin >= 0
    entity[origin[has]] = alignment.key[has]
    found: IntArray = entity[side.key_row[rows]]
    return found


@metric("bridging-recognition", title="bridging (recognition)", cite="yu2023", other_anaphora=True)
def bridging_recognition(t: Contingency) -> tuple[Array, ...]:
    """Bridging anaphors that both sides have, regardless of their anchors.

        R = |A_K ∩ A_R| / |A_K|        P = |A_K ∩ A_R| / |A_R|

    A: the spans of the anaphors, compared exactly for any `--match`. An anaphor has one anchor. If there are several,
    the last one counts. 0/0 if neither side has any.
    """
    return _bridging(t, "recognition")


@metric("bridging-mention", title="bridging (mention)", cite="yu2023", other_anaphora=True)
def bridging_mention(t: Contingency) -> tuple[Array, ...]:
    """Bridging anaphors found with the same mention as their anchor.

        R = right / |A_K|        P = right / |A_R|        right: the same anaphor, and the same span as its anchor

    If a format anchors an anaphor in an entity (CorefUD), the anchor is the last mention of that entity before the
    anaphor, or else its first.
    """
    return _bridging(t, "mention")


@metric("bridging-entity", title="bridging (entity)", cite="yu2023", symmetric=False, other_anaphora=True)
def bridging_entity(t: Contingency) -> tuple[Array, ...]:
    """Bridging anaphors found with an anchor that is the same mention, or a mention of the same key entity.

        R = right / |A_K|        P = right / |A_R|

    The response's own entities do not matter. An anchor that is not a key mention, or that refers to nothing, counts by
    its span alone.
    """
    return _bridging(t, "entity")
