"""The derivations of the core and exclusive-core scores: projections and cores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..corpus.model import IntArray
from ..metrics import cores
from ..metrics.contingency import Array
from .scene import Details, Scene, derives, f1_step, half_step, quotient, scalar, total
from .structure import Cell, Sheet, Step, figure
from .trace import Half


@derives(cores.core)
def core(scene: Scene) -> list[Step]:
    """Projections π(K), π*(K), σ(R), σ*(R) and the cores (Popescu-Belis & Robba 1998)."""

    def cells(half: Half, entities: Sequence[int]) -> list[list[Cell]]:
        projections = _projections(scene, half, entities)
        if not scene.in_full:
            return projections
        cores = [max((part.rows for part in parts), key=len) for parts in half.parts_of(entities)]
        return [[*p, scene.names.set(half.alignment, core)] for p, core in zip(projections, cores, strict=True)]

    def step(half: Half) -> Step:
        headers = [*_headers(scene, half.letter), *(["c(X)"] if scene.in_full else [])]
        return half_step(scene, half, "|c(X)| − 1", "|X| − 1", Details(headers, cells))

    return [step(scene.recall), step(scene.precision), f1_step(scene)]


def _headers(scene: Scene, letter: str) -> list[str]:
    name = {"K": "π", "R": "σ"}[letter]
    return [f"{name}({letter})", *([f"{name}*({letter})"] if scene.in_full else [])]


def _projections(scene: Scene, half: Half, entities: Sequence[int]) -> list[list[Cell]]:
    """π(K) and π*(K), or σ(R) and σ*(R): the parts of each entity, and the entities they are parts of."""
    parts = half.parts_of(entities)
    sets = scene.names.part_sets(half, entities, parts, scene.in_full)
    if not scene.in_full:
        return [[of_one] for of_one in sets]
    others = [" ".join(scene.names.other(half, part.other) for part in own) for own in parts]
    return [[*row] for row in zip(sets, others, strict=True)]


@derives(cores.xcore)
def xcore(scene: Scene) -> list[Step]:
    """Exclusive cores, in the order in which they are fixed, or only those that lose most (Popescu-Belis & Robba
    1998)."""
    half, table = scene.recall, scene.table
    core_of, right, wrong, rank = scene.once((scene.metric.name, "cores"), lambda: _cores(half))
    entities = scene.entities(half)
    if scene.in_full:
        order = entities[np.lexsort((rank[entities], -right[entities].astype(np.int64)))]
    else:
        lost = table.a[entities] - right[entities] + wrong[entities]
        order = entities[np.argsort(-lost.astype(np.float64), kind="stable")]
    several = len(scene.shown) > 1
    rows: list[tuple[Cell, ...]] = []
    shown = order[: 2 * scene.limit if scene.in_full else scene.limit].tolist()
    names = scene.names.entities(half, shown, scene.in_full)
    for e, name, projections in zip(shown, names, _projections(scene, half, shown), strict=True):
        other = int(scene.precision.numbers[table.j[core_of[e]]]) if core_of[e] >= 0 else None
        part = next((part for part in half.parts(e) if part.other == other), None)
        core = [] if not scene.in_full else ["∅" if part is None else scene.names.set(half.alignment, part.rows)]
        rows.append(
            (
                *([scene.labels[half.block[e]]] if several else []),
                name,
                *projections,
                "∅" if part is None else scene.names.other(half, part.other),
                *core,
                *(scalar(x[e]) for x in (right, wrong)),
            )
        )
    header = [*(["document"] if several else []), "K", *_headers(scene, "K"), "xc*(K)", *(["xc(K)"] * scene.in_full)]
    blank = [""] * (len(header) - 1)
    if len(rest := order[len(rows) :]):
        rows.append((f"and {len(rest)} more", *blank, total(right[rest]), total(wrong[rest])))
    spoilt = total(wrong[entities])
    sheet = Sheet(
        (*header, "|xc(K)|", "|xc*(K) − K|"),
        tuple(rows),
        ("total", *blank, scene.counts["recall_num"], spoilt),
        {len(header): "recall_num"},
    )
    how = "The K with the largest part in some R comes first; ties go to the first in the text. Both are then used."
    complement = f"P = 1 − {figure(spoilt)}/{figure(scene.counts['precision_den'])} ="
    precision = [line.replace("P =", complement, 1) for line in quotient(scene, "precision")]
    return [Step("Exclusive cores", (how,), sheet, (*quotient(scene, "recall"), *precision)), f1_step(scene)]


def _cores(half: Half) -> tuple[IntArray, Array, Array, IntArray]:
    """Of each key entity: the cell that is its exclusive core, −1 for none; what is right and wrong in it; its rank."""
    table = half.table
    found = table.terms(half.columns["recall_num"])
    assert found is not None
    fixed = np.flatnonzero(found.values != 0)
    core_of = np.full(len(table.a), -1)
    core_of[table.i[fixed]] = fixed
    right, wrong = (_by_key(core_of, x) for x in (table.n, table.bj - table.n))
    return core_of, right, wrong, table.ranks()[0]


def _by_key(core_of: IntArray, of_cell: Array) -> Array:
    """Values of the cells that are exclusive cores, by key entity; 0 for those that have none."""
    values: Array = np.zeros(len(core_of), dtype=of_cell.dtype)
    values[core_of >= 0] = of_cell[core_of[core_of >= 0]]
    return values
