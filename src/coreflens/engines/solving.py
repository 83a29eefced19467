"""The exact solver for the cells that SQL could not settle: in this process, or where the cells are.

Workers of a cluster do not have coreflens. They receive this module, the solver and the similarity as code, and need
only Python with numpy and pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..corpus.model import IntArray
from ..metrics.assignment import assign
from ..metrics.contingency import Array

Similarity = Callable[[Any], Any]

CHOSEN = ("block", "n", "a", "b")


def chosen_cells(cells: dict[str, Array], similarity: Similarity, exact: bool) -> dict[str, IntArray]:
    """block, n, a and b of the cells of the best assignment."""
    rows = {name: np.asarray(cells[name], dtype=np.int64) for name in CHOSEN}
    i, j = (_numbers(rows["block"], cells[side]) for side in ("i", "j"))
    order = np.lexsort((j, i))  # the same on every engine, even if several optima exist
    i, j, rows = i[order], j[order], {name: column[order] for name, column in rows.items()}

    def values(name: str) -> Array:
        if exact:
            return np.array([Fraction(x) for x in rows[name].tolist()] or [], dtype=object)
        return rows[name]

    weight = similarity(SimpleNamespace(overlap=values("n"), ai=values("a"), bj=values("b")))
    chosen = assign(i, j, weight, int(i.max(initial=-1)) + 1, int(j.max(initial=-1)) + 1)
    return {name: column[chosen] for name, column in rows.items()}


def _numbers(block: IntArray, entity: Array) -> IntArray:
    """Entities, pairs (block, label), as numbers in the order of their labels."""
    _, label = np.unique(np.asarray(entity), return_inverse=True)
    width = int(block.max(initial=0)) + 1
    numbers: IntArray = np.unique(label.reshape(-1) * width + block, return_inverse=True)[1].reshape(-1)
    return numbers


def solver(similarity: Similarity, exact: bool) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """A function for a worker: Arrow's batches of cells, ordered by their portion, become batches of chosen cells.

    Only one portion is in memory at a time.
    """

    def solve(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        def solved(portion: list[Any]) -> Any:
            table = pa.Table.from_batches(portion)
            cells = {name: table.column(name).to_numpy() for name in (*CHOSEN, "i", "j")}
            return pa.RecordBatch.from_pydict(
                {name: pa.array(column) for name, column in chosen_cells(cells, similarity, exact).items()}
            )

        waiting: list[Any] = []
        for batch in batches:
            portions = batch.column(batch.schema.get_field_index("portion")).to_numpy()
            cuts = [0, *(np.flatnonzero(np.diff(portions)) + 1).tolist(), len(portions)]
            for first, past in pairwise(cuts):
                piece = batch.slice(first, past - first)
                if waiting and waiting[-1].column("portion")[0] != piece.column("portion")[0]:
                    yield solved(waiting)
                    waiting = []
                waiting.append(piece)
        if waiting:
            yield solved(waiting)

    return solve
