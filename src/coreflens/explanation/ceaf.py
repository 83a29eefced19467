"""The derivation of CEAF: the alignment of entities and its similarities."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics import ceaf
from .scene import Scene, derives, ratios, scalar, total
from .structure import Cell, Sheet, Step
from .trace import Half


@derives(ceaf.ceafm)
def ceafm(scene: Scene) -> list[Step]:
    """Aligned mentions."""
    return _derived(scene, "φ3 = |K ∩ R|", "|X|")


@derives(ceaf.ceafe)
def ceafe(scene: Scene) -> list[Step]:
    """Similarities of aligned entities."""
    return _derived(scene, "φ4 = 2|K ∩ R| / (|K| + |R|)", "entities")


def _derived(scene: Scene, similarity: str, den: str) -> list[Step]:
    """The best one-to-one alignment with its similarities, chosen or not (Luo 2005)."""
    steps = [_similarities(scene, scene.recall, similarity)]
    if scene.precision.table is not scene.recall.table:
        steps.append(_similarities(scene, scene.precision, similarity))

    def cells(half: Half, e: int) -> list[Cell]:
        chosen = [c for c in np.flatnonzero(half.of_cell == e).tolist() if _counted(half)[c] != 0]
        return [scene.names.entity(half.opposite, int(half.opposite.of_cell[chosen[0]])) if chosen else "–"]

    return [*steps, *ratios(scene, similarity.partition(" = ")[0], den, (["aligned with"], cells))]


def _counted(half: Half) -> Any:
    """The similarity of each cell where it is aligned, else 0."""
    found = half.table.terms(half.columns[f"{half.which}_num"])
    assert found is not None
    return found.values


def _similarities(scene: Scene, half: Half, similarity: str) -> Step:
    table, counted, cells = half.table, _counted(half), scene.cells(half)
    entity = similarity.startswith("φ4")
    every = 2 * table.n / (table.ai + table.bj) if entity else table.n
    order = cells if len(cells) <= scene.limit else cells[np.argsort(-every[cells].astype(float), kind="stable")]
    key, response = (half, half.opposite) if half.side == "key" else (half.opposite, half)
    rows: list[tuple[Cell, ...]] = [
        (
            *([scene.labels[table.block[c]]] if len(scene.shown) > 1 else []),
            scene.names.entity(key, int(table.i[c])),
            scene.names.entity(response, int(table.j[c])),
            *(scalar(x[c]) for x in (table.n, table.ai, table.bj, every)),
            scalar(counted[c]) if counted[c] != 0 else "",
        )
        for c in order[: scene.limit].tolist()
    ]
    lead = 1 if len(scene.shown) > 1 else 0
    if len(order) > scene.limit:
        rest = order[scene.limit :]
        rows.append((f"and {len(rest)} more pairs", *[""] * (5 + lead), total(counted[rest])))
    count = f"{half.which}_num"
    name = similarity.partition(" = ")[0]
    header = (*["document"] * lead, "K", "R", "|K ∩ R|", "|K|", "|R|", name, "aligned")
    bottom = ("total", *[""] * (5 + lead), scene.counts[count])
    which = "" if scene.precision.table is scene.recall.table else f" for {half.which}"
    sheet = Sheet(header, tuple(rows), bottom, {6 + lead: count})
    return Step(f"Best alignment{which}", (f"{similarity}; pairs without a common mention have 0.",), sheet)
