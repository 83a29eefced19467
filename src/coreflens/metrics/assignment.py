"""The best one-to-one alignment of key and response entities, which CEAF scores (Luo 2005, "On Coreference Resolution
Performance Metrics").

The graph of a whole corpus is a great many small components and, now and then, a giant one. `assign` first settles the
pairs that nobody disputes, in a few passes over arrays; `_optimum` solves the rest: an auction (Bertsekas 1988) finds
prices and most of the alignment, shortest augmenting paths (Jonker and Volgenant 1987) complete it and make it optimal.
Everything is computed in integers, so nothing is lost to rounding: see `_integers`.
"""

from __future__ import annotations

import math
from collections import deque
from heapq import heappop, heappush
from itertools import chain, pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray

BoolArray: TypeAlias = npt.NDArray[np.bool_]
Array: TypeAlias = npt.NDArray[Any]

# The cells of each entity of one side: their weights, falling, and the entities of the other side.
Side: TypeAlias = list[tuple[list[int], list[int]]]

FEW_CELLS = 40  # below this a pass over arrays costs more than solving the cells
FEW_SEARCHES = 8  # a search may walk the whole graph, as a round of bids does: up to this many are cheaper than a round
BIDS = 4  # per entity in a round


def assign(i: IntArray, j: IntArray, weight: Array, keys: int, responses: int) -> BoolArray:
    """The cells that belong to an optimal one-to-one alignment.

    Cell `c` pairs the key entity `i[c] < keys` with the response entity `j[c] < responses`; no pair occurs twice, and
    the order of the cells is free. Weights are positive: integers, floats, or an object array of `Fraction`s. An
    alignment of integers or fractions is exactly optimal; of floats, to within 2**-60 of the largest weight per cell.
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

    A positive factor changes no comparison of totals, and integers neither drift nor tie by accident.
    """
    if weight.dtype.kind == "f":
        return np.ldexp(weight, 60 - math.frexp(weight.max())[1]).astype(np.int64)
    if weight.dtype.kind != "O":
        return weight.astype(np.int64, copy=False)
    common = math.lcm(*{w.denominator for w in weight})
    scaled = [w.numerator * (common // w.denominator) for w in weight]
    return np.array(scaled, np.int64 if max(scaled) < 2**62 else object)


def _undisputed(i: IntArray, j: IntArray, weight: Array, keys: int, responses: int) -> IntArray:
    """Cells, no two of one row or column, that weigh at least the largest other in the row plus that in the column.

    They are all in one optimum. Take an optimum without such a cell: it has at most one cell in that row and one in
    that column, and to swap these for it loses nothing. Without its row and column the others stay undisputed.
    """
    other = _largest_other(i, weight, keys)
    cells = (weight - other >= _largest_other(j, weight, responses)).nonzero()[0]
    for side, count in (i, keys), (j, responses):
        first = np.empty(count, np.int64)
        first[side[cells[::-1]]] = cells[
            ::-1
        ]  # among equals in a row or column, the first wins, because it is written last
        cells = cells[first[side[cells]] == cells]
    return cells


def _largest_other(side: IntArray, weight: Array, count: int) -> Array:
    """For each cell the largest weight among the other cells of its row (or column), 0 if it has none."""
    top = np.zeros(count, weight.dtype)
    np.maximum.at(top, side, weight)
    best = top[side]
    is_best = weight == best
    cells = is_best.nonzero()[0]
    holder = np.empty(count, np.int64)
    holder[side[cells]] = cells
    others = weight.copy()
    others[holder[side[cells]]] = 0
    second = np.zeros(count, weight.dtype)
    np.maximum.at(second, side, others)
    return np.where(is_best, second[side], best)


def _optimum(i: IntArray, j: IntArray, weight: Array) -> BoolArray:
    """The cells of an optimal alignment, by duality.

    Prices `u`, `v` >= 0 with u_i + v_j >= w_ij bound every alignment by their sum. One that uses only cells where
    equality holds, and leaves out only entities whose price is 0, attains the bound.

    Weights are shifted by `bits`, so that the auction can tell equal offers apart by steps of 1, far below one unit.
    A round in steps of 1 is therefore exact once prices are rounded to units, but when many entities compete for few,
    it moves prices too slowly; then rounds in coarse steps, ever finer, bring the prices near first.
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
    v = [weights[0] >> 2 & unit for weights, _ in columns]  # not 0, so that both sides have something to bid for
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
    return [(weights[a:b], partners[a:b]) for a, b in pairwise([0, *np.cumsum(np.bincount(entity)).tolist()])]


def _gains(side: Side, price: list[int]) -> list[int]:
    """The most each entity can gain: max(0, w_k - price_k)."""
    floor = min(price)
    gains = []
    for cells in side:
        best = 0
        for weight, k in zip(*cells, strict=True):
            if weight - floor <= best:
                break  # weights fall, so nothing further on can gain more
            if weight - price[k] > best:
                best = weight - price[k]
        gains.append(best)
    return gains


def _bid(side: Side, price: list[int], mate: list[int], owner: list[int], step: int, limit: int) -> None:
    """A round of the auction: each free entity takes the partner from which it gains most, even from another entity,
    and raises that partner's price until its second choice is as good, plus a step."""
    floor = min(price)
    queue = deque(r for r, k in enumerate(mate) if k < 0)
    while queue and limit:
        limit -= 1
        r = queue.popleft()
        best = second = 0  # 0 is the gain of staying alone
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
    """What each entity gains at these prices: from its partner, or at most if it is free."""
    return [
        gain if k < 0 else max(0, weights[partners.index(k)] - price[k])
        for gain, k, (weights, partners) in zip(_gains(side, price), mate, side, strict=True)
    ]


def _release(side: Side, price: list[int], mate: list[int], owner: list[int]) -> list[int]:
    """The most that each entity can gain. Pairs that gain less are separated."""
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

    Dijkstra's algorithm over the reduced costs u_r + v_k - w_rk >= 0, along pairs on the way back, to the nearest
    free partner or the nearest entity that can as well stay alone, at the distance of its price. Prices of what lies
    nearer move by the difference, which keeps every cost >= 0 and makes it 0 along the path.
    """
    floor = min(v)
    for root in range(len(side)):
        if mate[root] >= 0 or not u[root]:
            continue
        bound, end, loser = u[root], -1, -1
        distance, parent = {-1: 0}, {}
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
                if cost < bound and cost < distance.get(k, bound):
                    distance[k], parent[k] = cost, r
                    other = owner[k]
                    if other < 0:
                        bound, end, loser = cost, k, -1
                    else:
                        heappush(heap, (cost, k))
                        if cost + u[other] < bound:
                            bound, end, loser = cost + u[other], k, other
        for d, k, r in tree:
            u[r] -= bound - d
            if k >= 0:
                v[k] += bound - d
        if loser >= 0:
            mate[loser] = -1
        while end >= 0:
            r = owner[end] = parent[end]
            mate[r], end = end, mate[r]
