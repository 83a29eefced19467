"""What split antecedents earn: which set of the key is scored against which set of the response, with what result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..metrics import blanc
from ..metrics.contingency import Array, Contingency
from .scene import Scene, scalar
from .structure import Cell, Sheet, Step
from .trace import Half

_SHOWN = ("The set of antecedents is one more member of its entity, and counts in |K| and |R|.",)


def antecedents(scene: Scene) -> list[Step]:
    """A step with the pairs of sets that a metric assigns to each other, and the sets that have no partner."""
    table = scene.table
    split = table.antecedents
    if split is None or not scene.metric.split or scene.metric.name.startswith("split-"):
        return []
    if scene.metric.count is blanc.blanc:
        kinds = {"C": blanc.coreference, "N": blanc.non_coreference}
        return [_step(scene, f"Split antecedents, links {kind}", count) for kind, count in kinds.items()]
    return [_step(scene, "Split antecedents", scene.metric.count)]


def _step(scene: Scene, title: str, count: Callable[[Contingency], Sequence[Array]]) -> Step:
    table = scene.table
    split = table.antecedents
    assert split is not None
    found = scene.once(("assigned", table.mentions.alignment, count), lambda: split.assigned(count))
    keys, responses = split.entities
    rows: list[tuple[Cell, ...]] = []
    for p, *numbers in zip(found.pairs.tolist(), *found.weights, strict=True):
        k, r = int(split.key[p]), int(split.response[p])
        if int(split.blocks[0][k]) in scene.shown:
            names = (
                scene.names.entity(scene.recall, int(keys[k])),
                scene.names.entity(scene.precision, int(responses[r])),
            )
            rows.append((*names, *numbers))
    for half, entities, blocks, taken in (
        (scene.recall, keys, split.blocks[0], split.key[found.pairs]),
        (scene.precision, responses, split.blocks[1], split.response[found.pairs]),
    ):
        lonely = np.setdiff1d(np.arange(len(entities)), taken)
        for s in lonely[np.isin(blocks[lonely], scene.shown)].tolist():
            name = scene.names.entity(half, int(entities[s]))
            rows.append((name, "", 0, "", 0) if half is scene.recall else ("", name, "", 0, 0))
    shown, rest = rows[: 2 * scene.limit], rows[2 * scene.limit :]
    more = [(f"and {len(rest)} more", "", "", "", "")] if rest else []
    return Step(title, _SHOWN, Sheet(("K", "R", "r", "p", "f"), (*shown, *more)))


def split_shares(scene: Scene, half: Half) -> dict[int, dict[int, Any]]:
    """Entity → other entity (by its number in the alignment) → how much their common split antecedent counts."""
    if half.table.antecedents is None:
        return {}
    return scene.once((scene.metric.name, half.which, "shares"), lambda: _shares(scene, half))


def _shares(scene: Scene, half: Half) -> dict[int, dict[int, Any]]:
    weights = half.table.split(scene.metric.count)
    values = weights.recall if half.which == "recall" else weights.precision
    found: dict[int, dict[int, Any]] = {}
    for c in np.flatnonzero(values != 0).tolist():
        i, j = int(half.table.i[c]), int(half.table.j[c])
        entity, other = (i, j) if half.which == "recall" else (j, i)
        value = scalar(values[c])
        shown = value if isinstance(value, Fraction) else float(value)
        found.setdefault(entity, {})[int(half.opposite.numbers[other])] = shown
    return found
