"""The best one-to-one alignment of key and response entities, which CEAF scores (Luo 2005, "On Coreference Resolution
Performance Metrics").

The graph of a whole corpus has very many small components and sometimes a very large one. `assign` first settles the
undisputed pairs, in a few passes over arrays. `_optimum` solves the rest: an auction (Bertsekas 1988) finds prices and
most of the alignment, and shortest augmenting paths (Jonker and Volgenant 1987) complete it and make it optimal.
Everything is computed in integers, so there are no rounding errors: see `_integers`.
"""

from __future__ import annotations

import math
from collections import deque
from heapq import heappop, heappush
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..integers import bincount

BoolArray: TypeAlias = npt.NDArray[np.bool_]
Array: TypeAlias = npt.NDArray[Any]

# The cells of each entity of one side: their weights in falling order, and the entities of the other side.
Side: TypeAlias = list[tuple[list[int], list[int]]]

FEW_CELLS = 40  # with fewer cells, a pass over arrays costs more than solving them
FEW_SEARCHES = 8  # up to this number of searches cost less than a round of bids; both may visit the whole graph
BIDS = 4  # bids per entity in a round


def assign(i: IntArray, j: IntArray, weight: Array, keys: int, responses: int) -> BoolArray:
    """The cells that belong to an optimal one-to-one alignment.

    Cell `c` pairs the key entity `i[c] < keys` with the response entity `j[c] < responses`. No pair occurs twice, and
    the cells may be in any order. Weights are positive: integers, floats, or an object array of `Fraction`s. With
    integers or fractions the alignment is exactly optimal; with floats, to within 2**-60 of the largest weight per
    cell.
    """
    chosen = np.zeros(len(i), np.bool_)
    if not len(i):
        return chosen
    weight = _integers(weight)
    cell = settled = np.arange(len(i))
    while len(cell) > FEW_CELLS and 32 * len(settled) >= len(cell):
        settled = _undisputed(i, j, weight, keys, responses)
        chosen[cell[settled]] = True
        gone_i, gone_j = np.zeros(keys, np.bool_), np.zeros(responses, np.bool_)
        gone_i[i[settled]] = gone_j[j[settled]] = True
        rest = (~(gone_i[i] | gone_j[j])).nonzero()[0]
        i, j, weight, cell = i[rest], j[rest], weight[rest], cell[rest]
    if len(cell):
        chosen[cell[_optimum(i, j, weight)]] = True
    return chosen


def _integers(weight: Array) -> Array:
    """The weights times a constant, as integers: fractions over their common denominator, floats shifted to 60 bits.

    A positive factor changes no comparison of totals, and integers have no rounding errors that could change a
    comparison or make a false tie.
    """
    if weight.dtype.kind == "f":
        return np.ldexp(weight, 60 - math.frexp(np.maximum.reduce(weight))[1]).astype(np.int64)
    if weight.dtype.kind != "O":
        return weight.astype(np.int64, copy=False)
    common = math.lcm(*{w.denominator for w in weight})
    scaled = [w.numerator * (common // w.denominator) for w in weight]
    return np.array(scaled, np.int64 if max(scaled) < 2**62 else object)


def _undisputed(i: IntArray, j: IntArray, weight: Array, keys: int, responses: int) -> IntArray:
    """Cells that weigh at least as much as the largest other cell of their row plus the largest other one of their
    column. No two of them are in one row or column.

    There is an optimum that has all of them. Take an optimum without such a cell: it has at most one cell in that row
    and one in that column, and replacing these by the cell loses nothing. If its row and column are removed, the other
    cells are still undisputed.
    """
    others = _largest_other(np.concatenate((i, j + keys)), np.concatenate((weight, weight)), keys + responses)
    cells = (weight - others[: len(i)] >= others[len(i) :]).nonzero()[0][::-1]
    for side, count in (i, keys), (j, responses):
        of = side[cells]
        first = np.empty(count, np.int64)
        first[of] = cells  # of equal cells in a row or column, the first wins, because it is written last
        cells = cells[first[of] == cells]
    return cells


def _largest_other(side: IntArray, weight: Array, count: int) -> Array:
    """For each cell the largest weight of the other cells of its row or column, 0 if there are none."""
    top = np.zeros(count, weight.dtype)
    np.maximum.at(top, side, weight)
    best = top[side]
    is_best = weight == best
    cells = is_best.nonzero()[0]
    of = side[cells]
    holder = np.empty(count, np.int64)
    holder[of] = cells
    others = weight.copy()
    others[holder[of]] = 0
    second = np.zeros(count, weight.dtype)
    np.maximum.at(second, side, others)
    return np.where(is_best, second[side], best)


def _optimum(i: IntArray, j: IntArray, weight: Array) -> BoolArray:
    """The cells of an optimal alignment, by duality.

    If prices `u`, `v` >= 0 have u_i + v_j >= w_ij, their sum is an upper bound for every alignment. An alignment
    reaches the bound if it uses only cells where equality holds, and leaves out only entities whose price is 0.

    Weights are shifted by `bits`, so the auction can distinguish equal offers by steps of 1, far below one unit.
    Therefore a round in steps of 1 is exact after prices are rounded to units. But if many entities compete for few,
    such a round changes prices too slowly. Then rounds with coarse steps, which become finer, come first.
    """
    _, i = np.unique(i, return_inverse=True)
    _, j = np.unique(j, return_inverse=True)
    n, m = int(i.max()) + 1, int(j.max()) + 1
    limit = BIDS * max(n, m)
    bits = limit.bit_length() + 2
    unit, half = -1 << bits, 1 << bits - 1
    falling = np.argsort(-weight, kind="stable")
    shifted, numbers = weight.astype(object) << bits, np.arange(max(n, m)).astype(object)
    rows = _side(i[falling], shifted[falling], numbers[j[falling]])
    columns = _side(j[falling], shifted[falling], numbers[i[falling]])
    mate, owner = [-1] * n, [-1] * m

    largest = int(shifted[falling[0]])
    v = [weights[0] >> 2 & unit for weights, _ in columns]  # not 0, so that both sides can make bids
    for step in chain([1], *((largest >> s, 1) for s in range(4, min(64, largest.bit_length()), 4))):
        _bid(rows, v, mate, owner, step, limit)
        u = _worth(rows, v, mate)
        _bid(columns, u, owner, mate, step, limit)
        v = [price + half & unit for price in _worth(columns, u, owner)]
        u = _release(rows, v, mate, owner)
        if step == 1 and _open(u, mate) + _open(v, owner) <= FEW_SEARCHES:
            break
    _complete(rows, u, v, mate, owner)
    _complete(columns, v, u, owner, mate)
    chosen: BoolArray = np.array(mate)[i] == j
    return chosen


def _side(entity: IntArray, weight: Array, partner: Array) -> Side:
    """Group cells, given in falling order of weight, by entity."""
    order = np.argsort(entity, kind="stable")
    weights, partners = weight[order].tolist(), partner[order].tolist()
    return [(weights[a:b], partners[a:b]) for a, b in pairwise([0, *np.cumsum(bincount(entity)).tolist()])]


def _gains(side: Side, price: list[int]) -> list[int]:
    """The most each entity can gain: max(0, w_k - price_k)."""
    floor = min(price)
    gains = []
    for cells in side:
        best = 0
        for weight, k in zip(*cells, strict=True):
            if weight - floor <= best:
                break  # weights fall, so no later cell can gain more
            if weight - price[k] > best:
                best = weight - price[k]
        gains.append(best)
    return gains


def _bid(side: Side, price: list[int], mate: list[int], owner: list[int], step: int, limit: int) -> None:
    """A round of the auction. Each free entity takes the partner from which it gains most, even if another entity has
    it. It raises that partner's price until its second choice is equally good, plus a step."""
    floor = min(price)
    queue = deque(r for r, k in enumerate(mate) if k < 0)
    while queue and limit:
        limit -= 1
        r = queue.popleft()
        best = second = 0  # without a partner the gain is 0
        choice = -1
        for weight, k in zip(*side[r], strict=True):
            if weight - floor <= second:
                break  # as in `_gains`; prices only rise
            gain = weight - price[k]
            if gain > best:
                best, second, choice = gain, best, k
            elif gain > second:
                second = gain
        if choice >= 0:
            price[choice] += best - second + step
            if (previous := owner[choice]) >= 0:
                mate[previous] = -1
                queue.append(previous)
            owner[choice], mate[r] = r, choice


def _worth(side: Side, price: list[int], mate: list[int]) -> list[int]:
    """What each entity gains at these prices: the gain from its partner, or the maximum if it is free."""
    return [
        gain if k < 0 else max(0, weights[partners.index(k)] - price[k])
        for gain, k, (weights, partners) in zip(_gains(side, price), mate, side, strict=True)
    ]


def _release(side: Side, price: list[int], mate: list[int], owner: list[int]) -> list[int]:
    """The maximum gain of each entity. Pairs that gain less are separated."""
    gains = _gains(side, price)
    for r, (gain, (weights, partners)) in enumerate(zip(gains, side, strict=True)):
        k = mate[r]
        if k >= 0 and weights[partners.index(k)] - price[k] < gain:
            mate[r] = owner[k] = -1
    return gains


def _open(price: list[int], mate: list[int]) -> int:
    return sum(k < 0 < p for p, k in zip(price, mate, strict=True))


def _complete(side: Side, u: list[int], v: list[int], mate: list[int], owner: list[int]) -> None:
    """Find a partner for each free entity of positive price, or lower its price to 0.

    This is Dijkstra's algorithm over the reduced costs u_r + v_k - w_rk >= 0; it goes back along pairs. It ends at the
    nearest free partner, or at the nearest entity that can stay without a partner, whose distance includes its price.
    Prices of nearer entities change by the difference. This keeps every cost >= 0 and makes it 0 along the path.
    """
    floor = min(v)
    for root in range(len(side)):
        if mate[root] >= 0 or not u[root]:
            continue
        path = _shortest_path(root, side, u, v, owner, floor)
        for distance, k, r in path.tree:
            u[r] -= path.length - distance
            if k >= 0:
                v[k] += path.length - distance
        if path.loser >= 0:
            mate[path.loser] = -1
        end = path.end
        while end >= 0:
            r = owner[end] = path.parent[end]
            mate[r], end = end, mate[r]


class _Path(NamedTuple):
    """The shortest path: its end, the entity that loses its partner, and all entities that are nearer than the end."""

    length: int
    end: int
    loser: int
    parent: dict[int, int]
    tree: list[tuple[int, int, int]]  # distance, partner (−1 for the root), entity


def _shortest_path(root: int, side: Side, u: list[int], v: list[int], owner: list[int], floor: int) -> _Path:
    """The shortest path from a free entity. No partner costs less than `floor`."""
    bound, end, loser = u[root], -1, -1
    distance: dict[int, int] = {-1: 0}
    parent: dict[int, int] = {}
    heap = [(0, -1)]
    tree = []
    while heap:
        d, k = heappop(heap)
        if d >= bound:
            break
        if d > distance[k]:
            continue
        r = owner[k] if k >= 0 else root
        tree.append((d, k, r))
        offset = d + u[r]
        for weight, k in zip(*side[r], strict=True):
            if offset - weight + floor >= bound:
                break  # as in `_gains`
            cost = offset - weight + v[k]
            if cost >= bound or cost >= distance.get(k, bound):
                continue
            distance[k], parent[k] = cost, r
            other = owner[k]
            if other < 0:
                bound, end, loser = cost, k, -1
                continue
            heappush(heap, (cost, k))
            if cost + u[other] < bound:
                bound, end, loser = cost + u[other], k, other
    return _Path(bound, end, loser, parent, tree)
