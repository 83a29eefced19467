"""The exact best one-to-one alignment of key and response entities: the assignment behind CEAF (Luo 2005).

The graph of a corpus falls into a great many small pieces and, at worst, a few large ones. So: settle what is not
disputed, for the whole corpus at once; then solve the rest exactly, along shortest augmenting paths with potentials
(Jonker & Volgenant 1987), on the sparse graph. No time-out, no approximation, memory in proportion to the cells.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .model import IntArray

Weights: TypeAlias = npt.NDArray[Any]  # int64, float64, or Fractions in an object array
_Row: TypeAlias = list[tuple[Any, int]]  # (weight, column), heaviest first

_BIDS = 12  # bids a row may make on average before the exact search takes over
_DENSE = 6  # cells a row, on average, from which rough prices pay
_STEPS = (64, 1024, 16384)  # shares of the greatest weight by which prices rise at least
_WORTHWHILE = 40  # a round of settling goes over all open cells, so it should settle one in so many


def align(i: IntArray, j: IntArray, weight: Weights, keys: int, responses: int) -> npt.NDArray[np.bool_]:
    """Which cells (i, j) belong to a best alignment: no two in a row or column, and the greatest sum of weights.

    Cells are distinct and their weights positive; an entity may stay alone. Exact for integers and Fractions, and for
    floats up to the rounding of sums.
    """
    chosen = np.zeros(len(i), dtype=bool)
    cell = np.arange(len(i))
    while len(cell):
        settled = _undisputed(i, j, weight, keys, responses)
        chosen[cell[settled]] = True
        taken_i, taken_j = np.zeros(keys, dtype=bool), np.zeros(responses, dtype=bool)
        taken_i[i[settled]] = taken_j[j[settled]] = True
        left = np.flatnonzero(~(taken_i[i] | taken_j[j]))
        i, j, weight, cell = i[left], j[left], weight[left], cell[left]
        if _WORTHWHILE * len(settled) < len(cell):
            break
    if len(cell):
        chosen[cell[_solve(i, j, weight)]] = True
    return chosen


def _undisputed(i: IntArray, j: IntArray, weight: Weights, keys: int, responses: int) -> IntArray:
    """Cells that weigh at least as much as the heaviest other cell of their row and of their column together.

    Some best alignment has such a cell: one without it has at most two cells in its row and column, and putting the
    cell in their place loses nothing. Of several in a row or column, which are equal then, the first is taken.
    """
    found = np.flatnonzero(weight >= _heaviest_other(i, weight, keys) + _heaviest_other(j, weight, responses))
    for line, lines in ((i, keys), (j, responses)):
        first = np.empty(lines, dtype=np.int64)
        first[line[found[::-1]]] = found[::-1]
        found = found[first[line[found]] == found]
    return found


def _heaviest_other(line: IntArray, weight: Weights, lines: int) -> Weights:
    """For each cell, the weight of the heaviest other cell of its row (or column), 0 if there is none."""
    heaviest, second = np.zeros((2, lines), dtype=weight.dtype)
    np.maximum.at(heaviest, line, weight)
    is_heaviest = weight == heaviest[line]
    np.maximum.at(second, line[~is_heaviest], weight[~is_heaviest])
    shared = np.bincount(line[is_heaviest], minlength=lines) > 1
    return np.where(is_heaviest & ~shared[line], second[line], heaviest[line])


def _solve(i: IntArray, j: IntArray, weight: Weights) -> npt.NDArray[np.bool_]:
    """A matching of greatest weight, as a mask over the cells.

    Potentials u of rows and v of columns prove it: u_i, v_j ≥ 0 and u_i + v_j ≥ w_ij everywhere, with equality in
    the cells chosen, and u_i = 0, v_j = 0 for what stays alone. Then no alignment weighs more than Σu + Σv.
    """
    _, i = np.unique(i, return_inverse=True)
    _, j = np.unique(j, return_inverse=True)
    rows = _rows(i, j, weight)
    v: list[Any] = [0] * (int(j.max()) + 1)
    if len(i) > _DENSE * len(rows):  # many choices: rough prices first, in steps that are fractions of the weights
        for step in _STEPS:
            _bid(rows, v, max(row[0][0] for row in rows) / step)
    u, mate, owner = _bid(rows, v, 0)
    for root in range(len(rows)):
        if mate[root] < 0:
            _augment(root, rows, u, v, mate, owner)
    overpriced = [column for column in range(len(v)) if owner[column] < 0 and v[column]]
    columns = _rows(j, i, weight) if overpriced else []
    for root in overpriced:
        if owner[root] < 0 and v[root]:
            _augment(root, columns, v, u, owner, mate)
    chosen: npt.NDArray[np.bool_] = np.array(mate)[i] == j
    return chosen


def _rows(i: IntArray, j: IntArray, weight: Weights) -> list[_Row]:
    order = np.argsort(-weight, kind="stable")
    order = order[np.argsort(i[order], kind="stable")]
    cells = list(zip(weight[order].tolist(), j[order].tolist(), strict=True))
    starts = np.flatnonzero(np.diff(i[order], prepend=-1, append=int(i.max()) + 1)).tolist()
    return [cells[a:b] for a, b in pairwise(starts)]


def _bid(rows: list[_Row], v: list[Any], step: Any) -> tuple[list[Any], list[int], list[int]]:
    """A cheap start, an auction (Bertsekas 1988): rows take the column worth most to them, at a price that makes
    it no better than their second choice, and put out whoever has it. Returns u, and who has whom.

    It only sets prices v. With step 0 the pairs it makes are exact, u_i + v_j = w_ij; a step > 0, added to every price,
    ends wars over columns of equal worth, and leaves prices that are good, pairs that are not, and columns that nobody
    wants at their price: all for the exact search to finish.
    """
    u: list[Any] = [0] * len(rows)
    mate, owner = [-1] * len(rows), [-1] * len(v)
    queue = deque(range(len(rows)))
    for _ in range(_BIDS * len(rows)):
        if not queue:
            break
        row = queue.popleft()
        best: Any = 0
        second: Any = 0
        column = -1
        for weight, c in rows[row]:
            if weight <= second:
                break  # lighter ones can't be worth more
            worth = weight - v[c]
            if worth > best:
                best, second, column = worth, best, c
            elif worth > second:
                second = worth
                if worth == best and owner[c] < 0:  # equally good, and free
                    column = c
        if column < 0:
            continue  # worth nothing: it stays alone, and u = 0 says so
        out = owner[column]
        u[row] = second
        v[column] += best - second + step
        mate[row], owner[column] = column, row
        if out >= 0:
            mate[out] = -1
            if best > second and not step:
                queue.appendleft(out)
            else:
                queue.append(out)
    return u, mate, owner


def _augment(root: int, rows: list[_Row], u: list[Any], v: list[Any], mate: list[int], owner: list[int]) -> None:
    """Find a place for `root` along the cheapest path of exchanges, which may leave `root` or another row alone.

    Dijkstra's search over the columns, at distances u_i + v_j − w_ij ≥ 0; a row r may be left alone at cost u_r. It
    stops at the first end that nothing can undercut, and changes only the potentials it has passed.
    """
    bound = u[root] = max(0, max(weight - v[c] for weight, c in rows[root]))
    end, alone = -1, root  # a free column, or else the row to leave alone
    distance: dict[int, Any] = {}
    before: dict[int, int] = {}
    heap: list[tuple[Any, int]] = []
    near: list[int] = []  # columns at the present distance: most of them, where weights are often equal
    passed: list[tuple[int, int, Any]] = []
    row, d = root, 0
    while d < bound:
        base = d + u[row]
        for weight, c in rows[row]:
            if base - weight >= bound:
                break
            x = max(base - weight + v[c], d)  # never below d, whatever the rounding
            if x < bound and (c not in distance or x < distance[c]):
                distance[c], before[c] = x, row
                if (o := owner[c]) < 0:
                    bound, end = x, c
                else:
                    if x + u[o] < bound:
                        bound, end, alone = x + u[o], -1, o
                    if x == d:
                        near.append(c)
                    else:
                        heappush(heap, (x, c))
        if near:
            column = near.pop()
        else:
            while heap:
                d, column = heappop(heap)
                if d == distance[column]:
                    break
            else:
                break
        row = owner[column]
        passed.append((column, row, d))
    u[root] -= bound
    for column, row, d in passed:
        if d < bound:
            u[row] -= bound - d
            v[column] += bound - d
    if end < 0:
        if alone == root:
            return
        end, mate[alone] = mate[alone], -1
    while end >= 0:  # exchange along the path, back to the root
        row = before[end]
        owner[end] = row
        mate[row], end = end, mate[row]
        if row == root:
            return
