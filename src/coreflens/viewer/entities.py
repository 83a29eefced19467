"""What the page shows about mentions and entities, as columns for the whole corpus: overlaps, alignments, cores,
credit.

What a mention with a twin earns depends only on its cell K_i ∩ R_j, except in MUC, which counts links. Each mention of
the cell earns:

    B³     n/a of recall, n/b of precision          LEA    (n − 1)/(a − 1), (n − 1)/(b − 1)
    CEAFm  1 if K_i and R_j are aligned, else 0     CEAFe  2/(a + b) if they are aligned: φ4 in equal shares

If repetitions count as in scorer.pl, n is the overlap that B³ or CEAF counts: see `Contingency`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..diagnosis.account import ACCOUNTED, Account, account
from ..diagnosis.evidence import Evidence
from ..integers import bincount, repeat
from ..metrics import METRICS, Metric
from ..metrics.assignment import assign
from ..metrics.contingency import Contingency
from ..metrics.cores import exclusive
from .columns import Columns, ObjectArray, distinct, rounded

CEAFM, CEAFE, KEY_CORE, RESPONSE_CORE, EXCLUSIVE = 1, 2, 4, 8, 16  # marks of a cell
CREDIT = ("bcub", "lea")
EARNED = ("muc", "bcub", "ceafm", "ceafe", "lea")  # metrics that are sums over entities
FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cells:
    """K_i ∩ R_j, sorted by (i, j): sizes, marks, and what each mention in it earns."""

    i: IntArray
    j: IntArray
    n: IntArray
    marks: IntArray
    recall: dict[str, FloatArray]
    precision: dict[str, FloatArray]
    ceafe: FloatArray


@dataclass(frozen=True, eq=False)
class Overlaps:
    """The cells of each document, with the numbers that their entities have there."""

    bounds: list[int]
    columns: list[npt.NDArray[Any]]

    @classmethod
    def of(cls, cells: Cells, key: Columns, response: Columns) -> Overlaps:
        """A cell is in every document that has both of its entities."""
        documents = len(key.bounds) - 1
        i, j, of, place = _met(cells, key, response)
        order = np.lexsort((place, of))
        i, j, of, place = i[order], j[order], of[order], place[order]
        credit = [side[name] for name in CREDIT for side in (cells.recall, cells.precision)]
        figures = [rounded(x)[place] for x in (*credit, cells.ceafe)]
        bounds = np.searchsorted(of, np.arange(documents + 1)).tolist()
        return cls(bounds, [i, j, cells.n[place], cells.marks[place], *figures])

    def to_list(self, d: int) -> list[list[Any]]:
        here = slice(self.bounds[d], self.bounds[d + 1])
        return [list(cell) for cell in zip(*(column[here].tolist() for column in self.columns), strict=True)]

    def shape(self, d: int) -> bytes:
        """The entities, size and marks of each cell of a document."""
        here = slice(self.bounds[d], self.bounds[d + 1])
        return b"".join(column[here].tobytes() for column in self.columns[:4])


def _met(cells: Cells, key: Columns, response: Columns) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """For each document and each cell of it: the numbers of both entities there, the document, and the cell."""
    sides = []
    for side in (key, response):
        bounds = np.array(side.entity_bounds)
        of = repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        sides.append((of, np.arange(len(of)) - bounds[of], side.entities))
    (k_of, k_at, k), (r_of, r_at, r) = sides
    order = np.argsort(k, kind="stable")  # each cell is repeated for every document that has its key entity
    first, stop = (np.searchsorted(k[order], cells.i, side) for side in ("left", "right"))
    size = stop - first
    cell = repeat(np.arange(len(cells.i)), size)
    at = order[np.arange(size.sum()) + repeat(first - np.cumsum(size) + size, size)]
    width = max(int(cells.j.max(initial=0)), int(r.max(initial=0))) + 1
    codes = r_of * width + r  # ascending
    wanted = k_of[at] * width + cells.j[cell]
    found = np.searchsorted(codes, wanted)
    there = np.append(codes, -1)[found] == wanted
    return k_at[at][there], r_at[found[there]], k_of[at][there], cell[there]


@dataclass(frozen=True, eq=False)
class Earned:
    """For each entity of each document: the share of MUC, B³ and LEA together that it loses; and metric → what it
    earns, and its own recall or precision, in which 0/0 is None."""

    loss: ObjectArray
    parts: dict[str, tuple[ObjectArray, ObjectArray]]

    def to_dict(self, here: slice) -> dict[str, Any]:
        """Columns of some entities."""
        plain: dict[str, Any] = {"loss": self.loss[here].tolist()}
        for metric, (earned, score) in self.parts.items():
            plain[metric] = {"earned": earned[here].tolist(), "score": score[here].tolist()}
        return plain


@dataclass(frozen=True, eq=False)
class Sides:
    """Accounts and sizes of the entities of both sides, and the cells between them."""

    key: Account
    response: Account
    sizes: tuple[IntArray, IntArray]
    cells: Cells

    @classmethod
    def of(cls, evidence: Evidence) -> Sides:
        key, response = account(evidence, "key"), account(evidence, "response")
        sizes = evidence.alignment.sizes
        return cls(key, response, sizes, _cells(evidence, key, response, sizes))

    def earned(self, side: str, entities: IntArray) -> Earned:
        """What some entities of a side earn and could earn: counts of recall for the key, of precision for the
        response."""
        ours, size, of_cell = (
            (self.key, self.sizes[0], self.cells.i) if side == "key" else (self.response, self.sizes[1], self.cells.j)
        )
        there = ours.entity >= 0

        def summed(values: FloatArray) -> FloatArray:
            return bincount(ours.entity[there], weights=values[there], minlength=len(size)).astype(float)

        n, aligned = self.cells.n, self.cells.marks & CEAFM > 0
        parts = {metric: (summed(ours.gained[metric]), summed(ours.possible[metric])) for metric in ACCOUNTED[1:]}
        of = {"ceafm": (n * aligned, size), "ceafe": (n * self.cells.ceafe, size > 0)}
        for metric, (weights, possible) in of.items():
            gained = bincount(of_cell, weights=weights, minlength=len(size)).astype(float)
            parts[metric] = gained, possible.astype(float)
        loss = np.sum([ours.by_entity(metric, len(size)) for metric in ACCOUNTED[1:]], axis=0)
        shown = {metric: [values[entities] for values in parts[metric]] for metric in EARNED}
        return Earned(
            rounded(loss[entities], 6),
            {metric: (rounded(gained), shares(gained, possible)) for metric, (gained, possible) in shown.items()},
        )


def _cells(evidence: Evidence, key: Account, response: Account, sizes: tuple[IntArray, IntArray]) -> Cells:
    m = evidence.alignment
    width = max(len(m.response_block), 1)
    codes, n = np.unique(evidence.meetings("times"), return_counts=True)
    i, j = np.divmod(codes, width)
    a, b = sizes[0][i], sizes[1][j]
    twins = np.flatnonzero((m.key >= 0) & (m.response >= 0))
    home = np.searchsorted(codes, m.key[twins] * width + m.response[twins])
    matched = bincount(home, minlength=len(codes))
    aligned = [assign(i, j, weight, len(m.key_block), width) for weight in (n, 2 * n / (a + b))]
    largest = [np.ones(len(size), dtype=np.int64) for size in sizes]
    np.maximum.at(largest[0], i, matched)
    np.maximum.at(largest[1], j, matched)
    marks = CEAFM * aligned[0] + CEAFE * aligned[1] + EXCLUSIVE * _exclusive(evidence, codes, width)
    marks += KEY_CORE * (matched == largest[0][i]) + RESPONSE_CORE * (matched == largest[1][j])
    credit: list[dict[str, FloatArray]] = [{name: np.zeros(len(codes)) for name in CREDIT} for _ in sizes]
    for earned, side in zip(credit, (key, response), strict=True):
        for name in CREDIT:
            earned[name][home] = side.gained[name][twins]  # all mentions of a cell earn the same
    return Cells(i, j, n, marks, credit[0], credit[1], np.where(aligned[1], 2 / (a + b), 0.0))


def _exclusive(evidence: Evidence, codes: IntArray, width: int) -> npt.NDArray[np.bool_]:
    """Which cells are exclusive cores. As in the metric, twinless mentions are first added as singletons."""
    metric = METRICS["xcore"]
    assert isinstance(metric, Metric)
    numbers = [np.flatnonzero(size) for size in evidence.alignment.sizes]  # the table has only entities with mentions
    t = Contingency.of(evidence.matched.halves(metric)[0])
    i, j = t.i[exclusive(t)], t.j[exclusive(t)]
    real = (i < len(numbers[0])) & (j < len(numbers[1]))  # added singletons come after all others
    return np.isin(codes, numbers[0][i[real]] * width + numbers[1][j[real]])


def numbers(evidence: Evidence, cells: Cells) -> dict[str, IntArray]:
    """The number in the name of each entity in its block: K1, K2, ... in the order of the input.

    A response entity has the number of the key entity with which CEAFe aligns it. Entities that are not aligned get
    numbers after those of the key, and entities that are not scored get the last numbers.
    """
    m = evidence.alignment
    key, response = numbered(m.key_block), np.zeros(len(m.response_block), dtype=np.int64)
    aligned = (cells.marks & CEAFE) > 0
    response[cells.j[aligned]] = key[cells.i[aligned]]
    used = bincount(m.key_block, minlength=m.blocks)
    for rest in ((response == 0) & (m.sizes[1] > 0), (response == 0) & (m.sizes[1] == 0)):
        block = m.response_block[rest]
        response[rest] = used[block] + numbered(block)
        used = used + bincount(block, minlength=m.blocks)
    return {"key": key, "response": response}


def numbered(block: IntArray) -> IntArray:
    """The number of each entity in its block, from 1: K1, K2, ... in the order of the input."""
    first = np.searchsorted(block, block)
    found: IntArray = np.arange(len(block)) - first + 1
    return found


def shares(gained: FloatArray, possible: FloatArray) -> ObjectArray:
    """The quotients; None for 0/0."""
    found = distinct(np.divide(gained, possible, out=np.zeros(len(gained)), where=possible != 0), float)
    found[possible == 0] = None
    return found
