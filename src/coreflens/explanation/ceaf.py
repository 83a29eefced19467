"""The derivation of CEAF: the alignment of entities and its similarities."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from ..metrics import ceaf
from ..metrics.contingency import Array
from .scene import Details, Scene, derives, ratios, written
from .structure import Cell, Folded, Sheet, Step, figure
from .trace import Half


@derives(ceaf.ceafm, folds=True)
def ceafm(scene: Scene) -> list[Step]:
    """Aligned mentions."""
    return _derived(scene, "φ3", "φ3(K, R) = |K ∩ R|", "|X|")


@derives(ceaf.ceafe, folds=True)
def ceafe(scene: Scene) -> list[Step]:
    """Similarities of aligned entities."""
    return _derived(scene, "φ4", "φ4(K, R) = 2|K ∩ R| / (|K| + |R|)", "entities")


def _derived(scene: Scene, phi: str, formula: str, den: str) -> list[Step]:
    """The best one-to-one alignment with its similarities, chosen or not (Luo 2005)."""
    steps = []
    if scene.in_full:
        tables = [scene.recall] if scene.precision.table is scene.recall.table else [scene.recall, scene.precision]
        steps = [_similarities(scene, half, phi, formula, split=len(tables) > 1) for half in tables]

    partner = {
        half.which: scene.once((scene.metric.name, half.which, "partners"), partial(_partners, half))
        for half in (scene.recall, scene.precision)
    }

    def cells(half: Half, entities: Sequence[int]) -> list[list[Cell]]:
        other = half.opposite
        chosen = {e: partner[half.which][e] for e in entities if e in partner[half.which]}
        others = [int(other.of_cell[cell]) for cell in chosen.values()]
        names = dict(zip(chosen, scene.names.entities(other, others, scene.in_full), strict=True))
        if scene.in_full:
            return [[names.get(e, "–")] for e in entities]
        sizes = dict(zip(chosen, (int(other.size[e]) for e in others), strict=True))
        overlaps = {e: int(half.table.overlap[cell]) for e, cell in chosen.items()}
        return [[int(half.size[e]), names.get(e, "–"), sizes.get(e, ""), overlaps.get(e, "")] for e in entities]

    headers = ["aligned with"] if scene.in_full else ["size", "aligned with", "its size", "|K ∩ R|"]
    name = scene.metric.count.__name__
    columns = [name] if scene.in_full else ["size", name, f"{name} size", f"{name} overlap"]
    return [*steps, *ratios(scene, phi, den, Details(headers, cells, columns))]


def _aligned(half: Half) -> Array:
    """The similarity of each cell if it is aligned, else 0."""
    found = half.table.terms(half.columns[f"{half.which}_num"])
    assert found is not None
    return found.values


def _partners(half: Half) -> dict[int, int]:
    """Entity → the cell by which it is aligned."""
    cells = np.flatnonzero(_aligned(half) != 0)[::-1]
    return dict(zip(half.of_cell[cells].tolist(), cells.tolist(), strict=True))


def _similarities(scene: Scene, half: Half, phi: str, formula: str, split: bool) -> Step:
    """All pairs of entities with a mention in common, and which of them are aligned."""
    table, aligned, cells = half.table, _aligned(half), scene.cells(half)
    similarity = next(s.values for s in table.sums if s.per == "similarity")
    title = f"Best alignment for {half.which}" if split else "Best alignment"
    how = f"{formula}; pairs without a common mention have 0."
    count = f"{half.which}_num"
    header = ("K", "R", "|K ∩ R|", "|K|", "|R|", phi, "aligned")
    if scene.folded:
        texts = scene.once((scene.metric.name, half.which, "similarity"), lambda: written(similarity))
        names, sums = ("K", "R", "n", "a", "b", "", scene.metric.count.__name__), ["total", figure(scene.counts[count])]
        folded = Folded(header, of="cells", columns=names, figures=[texts[cells].tolist()], sums=[sums])
        return Step(title, (how,), folded)
    key, response = (half, half.opposite) if half.side == "key" else (half.opposite, half)
    columns = (table.i, table.j, table.overlap, table.ai, table.bj, similarity, aligned)
    i, j, *numbers, chosen = (column[cells].tolist() for column in columns)
    rows: list[tuple[Cell, ...]] = [
        (*row, similar if similar != 0 else "")
        for *row, similar in zip(
            scene.names.entities(key, i, in_full=True),
            scene.names.entities(response, j, in_full=True),
            *numbers,
            chosen,
            strict=True,
        )
    ]
    sheet = Sheet(header, tuple(rows), ("total", *[""] * 5, scene.counts[count]), {6: count})
    return Step(title, (how,), sheet)
