"""The derivations of the core and exclusive-core scores: projections and cores."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics import cores
from ..scores import Number
from .scene import Scene, derives, f1_step, half_step, largest, part_sets, quotient, scalar, total
from .structure import Cell, Sheet, Step, figure
from .trace import Half


@derives(cores.core)
def core(scene: Scene) -> list[Step]:
    """Projections π(K), π*(K), σ(R), σ*(R) and the cores (Popescu-Belis & Robba 1998)."""

    def cells(half: Half, e: int) -> list[Cell]:
        return [*projections(scene, half, e), scene.names.set(half.alignment, core_of(half, e))]

    def core_of(half: Half, e: int) -> Any:
        return max((part.rows for part in half.parts(e)), key=len)

    def step(half: Half) -> Step:
        p = "π" if half.letter == "K" else "σ"
        return half_step(scene, half, "|c(X)| − 1", "|X| − 1", ([f"{p}(X)", f"{p}*(X)", "c(X)"], cells))

    return [step(scene.recall), step(scene.precision), f1_step(scene)]


def projections(scene: Scene, half: Half, e: int) -> list[Cell]:
    """π(K) and π*(K), or σ(R) and σ*(R): the parts of an entity, and the entities they are parts of."""
    shown, more = largest(half.parts(e))
    others = [*(scene.names.other(half, part.other) for part in shown), *([f"… {more} more"] if more else [])]
    return [part_sets(scene, half, e), " ".join(others)]


@derives(cores.xcore)
def xcore(scene: Scene) -> list[Step]:
    """Exclusive cores in the order in which they are fixed (Popescu-Belis & Robba 1998)."""
    half, table = scene.recall, scene.table
    found = table.terms(half.columns["recall_num"])
    assert found is not None
    key_rank, response_rank = table.ranks()
    cells = scene.cells(half)
    fixed = cells[found.values[cells] != 0]
    fixed = fixed[np.lexsort((response_rank[table.j[fixed]], key_rank[table.i[fixed]], -table.n[fixed].astype(int)))]
    lead = [*(["document"] if len(scene.shown) > 1 else []), "K"]
    header = (*lead, "π(K)", "π*(K)", "xc*(K)", "xc(K)", "|xc(K)|", "|xc*(K) − K|")
    rows: list[tuple[Cell, ...]] = []
    for c in fixed[: scene.limit].tolist():
        e = int(table.i[c])
        number = int(scene.precision.numbers[table.j[c]])
        rows_of = next(part.rows for part in half.parts(e) if part.other == number)
        rows.append(
            (
                *([scene.labels[table.block[c]]] if len(lead) > 1 else []),
                scene.names.entity(half, e),
                *projections(scene, half, e),
                scene.names.other(half, number),
                scene.names.set(half.alignment, rows_of),
                scalar(table.n[c]),
                scalar(table.bj[c] - table.n[c]),
            )
        )
    blank = [""] * (len(header) - 3)
    if len(rest := fixed[scene.limit :]):
        rows.append((f"and {len(rest)} more", *blank, total(table.n[rest]), total((table.bj - table.n)[rest])))
    without = np.setdiff1d(scene.entities(half), table.i[fixed])
    for e in without[: max(scene.limit - len(rows), 0)].tolist():
        document = [scene.labels[half.block[e]]] if len(lead) > 1 else []
        rows.append((*document, scene.names.entity(half, e), *projections(scene, half, e), "∅", "∅", 0, 0))
    wrong: Number = total((table.bj - table.n)[fixed])
    sheet = Sheet(
        header,
        tuple(rows),
        ("total", *blank, scene.counts["recall_num"], wrong),
        {len(header) - 2: "recall_num"},
    )
    precision = [
        line.replace("P =", f"P = 1 − {figure(wrong)}/{figure(scene.counts['precision_den'])} =", 1)
        for line in quotient(scene, "precision")
    ]
    how = (
        "The K with the largest part in some R comes first; both are then taken.",
        "Ties: the K, then the R, that is mentioned first.",
    )
    return [
        Step("Exclusive cores", how, sheet, (*quotient(scene, "recall"), *precision)),
        f1_step(scene),
    ]
