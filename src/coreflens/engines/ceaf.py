"""The best one-to-one assignment of entities, which CEAF scores, where the cells are in an engine.

Most pairs of entities have no competitor: a pair that is more similar than the next best choices of both together
is in an optimal assignment (see `_undisputed` of metrics/assignment.py). SQL settles these pairs, round after round.
The rest is split into connected components, which are solved exactly, by the same solver as in memory, where the engine
has them: DuckDB in this process, in portions, and Spark on its workers. A giant component is solved here, and its size
and the memory that it needs are printed first. The engine compares similarities as
floats, with a margin far above their rounding. Pairs that are too close are left to the exact solver, so no pair is
settled that an exact comparison would not settle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..corpus.model import IntArray
from ..files.limits import size
from ..integers import places
from .components import divided, solved_here
from .grouped import CELLS, Groups, Rows
from .relational import Engine
from .solving import chosen_cells

HERE = 500_000  # a component with more cells is a giant; up to this many are solved at once, without a round
ROUNDS = 8
BYTES = 500  # bytes that the solver takes per cell, measured


@dataclass(frozen=True)
class CellQuery:
    """A table of cells in the engine, and how a policy for twinless mentions changes it, as `Twins` names it."""

    name: str
    dropped: bool = False
    singles: bool = True
    missing: bool = False
    spurious: bool = False

    def without_spurious(self) -> CellQuery:
        return replace(self, dropped=True)

    def without_spurious_singletons(self) -> CellQuery:
        return replace(self, singles=False)  # they share no mention, so they have no cell, and none is added

    def with_missing(self) -> CellQuery:
        return replace(self, missing=True)

    def with_spurious(self) -> CellQuery:
        return replace(self, spurious=True)

    @property
    def query(self) -> str:
        """block, i, j, n, a, b of all cells. One added singleton per entity is enough for an assignment."""
        marked = self.missing or self.spurious

        def of(name: str, mark: str = "=") -> str:
            return f"CONCAT('{mark}', CAST({name} AS STRING))" if marked else name

        b = "r.common" if self.dropped else "r.size"
        parts = [
            f"""SELECT c.block AS block, {of("c.i")} AS i, {of("c.j")} AS j, c.n AS n, k.size AS a, {b} AS b
            FROM {self.name} c JOIN {self.name}_keys k ON c.block = k.block AND c.i = k.i
            JOIN {self.name}_responses r ON c.block = r.block AND c.j = r.j"""
        ]
        one = "CAST(1 AS BIGINT)"
        if self.missing:
            unmatched_key = f"block, {of('i')}, {of('i', '+')}, {one}, size, {one}"
            parts.append(f"SELECT {unmatched_key} FROM {self.name}_keys WHERE size > common")
        if self.spurious:
            unmatched_response = f"block, {of('j', '+')}, {of('j')}, {one}, {one}, size"
            some = "size > common" if self.singles else "size > common AND size > 1"
            parts.append(f"SELECT {unmatched_response} FROM {self.name}_responses WHERE {some}")
        return " UNION ALL ".join(parts)


class Sql(str):
    """Arithmetic that is recorded instead of computed: the similarity of a metric as an SQL expression."""

    def __add__(self, other: object) -> Sql:
        return Sql(f"({self} + {other})")

    def __mul__(self, other: object) -> Sql:
        return Sql(f"({self} * {other})")

    def __rmul__(self, other: object) -> Sql:
        return Sql(f"({other} * {self})")

    def __truediv__(self, other: object) -> Sql:
        return Sql(f"({self} / {other})")


def best(
    engine: Engine,
    cells: CellQuery,
    similarity: Callable[[Any], Any],
    exact: bool,
    say: Callable[[str], None],
) -> Rows:
    """The cells of the best alignment, grouped as in `Groups`."""
    weight = similarity(SimpleNamespace(overlap=Sql("n"), ai=Sql("a"), bj=Sql("b")))
    engine.define("open_0", f"SELECT block, i, j, n, a, b, CAST({weight} AS DOUBLE) AS w FROM ({cells.query}) cells")
    total = left = _count(engine, "open_0")
    chosen_parts: list[Rows] = []
    step = 0
    few = min(HERE, engine.portion) if total > HERE else HERE  # rounds cost more than a small table
    while left > few and step < ROUNDS:
        chosen_parts.append(_settle(engine, f"open_{step}", f"settled_{step}"))
        engine.define(
            f"open_{step + 1}",
            f"""SELECT c.block AS block, c.i AS i, c.j AS j, c.n AS n, c.a AS a, c.b AS b, c.w AS w FROM open_{step} c
            LEFT JOIN settled_{step} x ON c.block = x.block AND c.i = x.i
            LEFT JOIN settled_{step} y ON c.block = y.block AND c.j = y.j WHERE x.i IS NULL AND y.j IS NULL""",
        )
        step += 1
        left = _count(engine, f"open_{step}")
        if 32 * chosen_parts[-1]["weight"].sum() < left:
            break
    if left <= few:
        chosen_parts.append(_single(chosen_cells(engine.fetch(f"SELECT * FROM open_{step}"), similarity, exact)))
    else:
        small, giants = divided(engine, f"open_{step}", few, HERE)
        if small:
            chosen_parts.append(_single(engine.solve(small, similarity, exact, say)))
        for giant, largest in giants.items():
            memory = size(max(largest * BYTES >> 20, 1) << 20)
            part = f"{largest:,} of {total:,} pairs of entities are connected"
            say(f"CEAF: {part} and must be solved together, which takes about {memory}")
            chosen_parts.append(_single(solved_here(engine, [giant], similarity, exact)))
    return _grouped(chosen_parts)


def _count(engine: Engine, name: str) -> int:
    return int(engine.fetch(f"SELECT COUNT(*) AS cells FROM {name}")["cells"][0])


def _settle(engine: Engine, cells: str, settled: str) -> Rows:
    """One round: the cells without a competitor, as a table of the engine; they are returned grouped.

    Such a cell weighs at least as much as the largest other cell of its key entity and the largest other cell of its
    response entity together. If several cells of an entity are the largest, this holds if the entity at the other end
    has no other cell. Then one of them is taken, if their sizes are equal, since they certainly have the same weight.
    """
    for side, other in (("i", "b"), ("j", "a")):
        near = "c.w >= t.top * (1 - 1e-12)"
        engine.view(
            f"{cells}_{side}",
            f"""SELECT c.block AS block, c.{side} AS {side}, t.top AS top, COUNT(*) AS cells,
            COUNT(CASE WHEN c.w = t.top THEN 1 END) AS ties,
            MAX(CASE WHEN c.w = t.top THEN CAST(0 AS DOUBLE) ELSE c.w END) AS runner_up,
            MIN(CASE WHEN {near} THEN c.n END) = MAX(CASE WHEN {near} THEN c.n END)
            AND MIN(CASE WHEN {near} THEN c.{other} END) = MAX(CASE WHEN {near} THEN c.{other} END) AS alike
            FROM {cells} c JOIN (SELECT block, {side}, MAX(w) AS top FROM {cells} GROUP BY block, {side}) t
            ON c.block = t.block AND c.{side} = t.{side} GROUP BY c.block, c.{side}, t.top""",
        )
    joined = f"""FROM {cells} c JOIN {cells}_i x ON c.block = x.block AND c.i = x.i
        JOIN {cells}_j y ON c.block = y.block AND c.j = y.j WHERE"""
    sizes = "MAX(c.n) AS n, MAX(c.a) AS a, MAX(c.b) AS b"
    engine.define(
        settled,
        f"""SELECT c.block AS block, c.i AS i, c.j AS j, c.n AS n, c.a AS a, c.b AS b {joined}
        c.w = x.top AND x.ties = 1 AND c.w = y.top AND y.ties = 1
        AND c.w * (1 - 1e-12) >= x.runner_up + y.runner_up
        UNION ALL SELECT c.block AS block, c.i AS i, MIN(c.j) AS j, {sizes} {joined}
        c.w = x.top AND x.ties > 1 AND x.alike AND y.cells = 1 GROUP BY c.block, c.i
        UNION ALL SELECT c.block AS block, MIN(c.i) AS i, c.j AS j, {sizes} {joined}
        c.w = y.top AND y.ties > 1 AND y.alike AND x.cells = 1 GROUP BY c.block, c.j""",
    )
    rows = engine.fetch(f"SELECT block, n, a, b, COUNT(*) AS weight FROM {settled} GROUP BY block, n, a, b")
    return {name: np.asarray(rows[name if name != "common" else "b"], dtype=np.int64) for name in CELLS}


def _single(cells: dict[str, IntArray]) -> Rows:
    """Chosen cells as rows of `CELLS`, each for itself."""
    return {**cells, "common": cells["b"], "weight": cells.get("weight", np.ones(len(cells["n"]), dtype=np.int64))}


def _grouped(parts: list[Rows]) -> Rows:
    """Equal cells as one row, in the order of their sizes."""
    names = [name for name in CELLS if name != "weight"]
    rows = {name: np.concatenate([part[name] for part in parts] or [np.zeros(0, np.int64)]) for name in CELLS}
    order = np.lexsort(tuple(rows[name] for name in reversed(names)))
    ordered = np.stack([rows[name][order] for name in names], axis=1)
    first = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(ordered)])
    weight = np.add.reduceat(rows["weight"][order], places(first)) if len(first) else rows["weight"]
    return {**{name: ordered[first, place] for place, name in enumerate(names)}, "weight": weight}


def aligned(groups: Groups, chosen: Rows) -> Groups:
    """The groups, with only the cells of the best assignment."""
    return replace(groups, cells=chosen)
