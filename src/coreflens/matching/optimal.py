"""One-to-one matches with the largest total weight. Ties are broken in the same way for any order of the input.

`definition`: the largest Σ of the first weights, then of the second weights. Then the key mentions, in their order,
each take the earliest response mention that keeps both sums. Everything is computed in whole numbers, for each
connected component of the graph of candidates. A pair without competitors is a component of its own, and most pairs
are. `scipy`: what scipy's `linear_sum_assignment` picks from the matrix of a whole document, as corefud-scorer uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from math import lcm
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..integers import bincount

Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]


class Weight(NamedTuple):
    """Fractions as two columns of whole numbers."""

    numerator: IntArray
    denominator: IntArray

    def take(self, rows: IntArray) -> Weight:
        return Weight(self.numerator[rows], self.denominator[rows])


class Candidates(NamedTuple):
    """Pairs of mentions that may be matched: the ranks of both mentions, and two positive weights.

    No pair occurs twice. The second weights break ties of the first. They may be 0.
    """

    key: IntArray
    response: IntArray
    weight: Weight
    second: Weight


def best(c: Candidates) -> Bools:
    """Which candidates are matched, by the definition."""
    chosen = np.zeros(len(c.key), dtype=bool)
    if not len(c.key):
        return chosen
    alone = (bincount(c.key)[c.key] == 1) & (bincount(c.response)[c.response] == 1)
    chosen[alone] = True
    rest = np.flatnonzero(~alone)
    component = components(c.key[rest], c.response[rest])
    rest = rest[np.lexsort((c.response[rest], c.key[rest], component))]
    component = np.sort(component)
    begin = 0
    for stop in [*(np.flatnonzero(component[1:] != component[:-1]) + 1).tolist(), len(rest)] if len(rest) else ():
        some = rest[begin:stop]
        values = _in_one(c.weight.take(some), c.second.take(some), c.key[some], c.response[some])
        chosen[some[_largest(c.key[some].tolist(), c.response[some].tolist(), values)]] = True
        begin = stop
    return chosen


def components(key: IntArray, response: IntArray) -> IntArray:
    """A number for each pair, equal for pairs of one component."""
    if not len(key):
        return key
    width = int(key.max()) + 1
    label = np.arange(width + int(response.max()) + 1)
    other = response + width
    while True:
        low = np.minimum(label[key], label[other])
        new = label.copy()
        np.minimum.at(new, key, low)
        np.minimum.at(new, other, low)
        new = new[new]  # a lower number comes from a pair that may have an even lower one by now
        if (new == label).all():
            return label[key]
        label = new


def _in_one(weight: Weight, second: Weight, key: IntArray, response: IntArray) -> list[int]:
    """One whole number per pair. Their sums compare in the same way as the two sums and the order of the mentions."""
    first, then = _whole(weight), _whole(second)
    keys, responses = (np.unique(side, return_inverse=True)[1].tolist() for side in (key, response))
    n, m = max(keys) + 1, max(responses) + 1
    # the earliest key mention has the highest digit; in this digit the earliest response mention has the highest number
    order = [(m - r) * (m + 1) ** (n - 1 - k) for k, r in zip(keys, responses, strict=True)]
    room, least = sum(sorted(then)[-min(n, m) :]) + 1, (m + 1) ** n
    return [(a * room + b) * least + c for a, b, c in zip(first, then, order, strict=True)]


def _whole(weight: Weight) -> list[int]:
    """Fractions over their common denominator."""
    denominators = weight.denominator.tolist()
    common = lcm(*set(denominators))
    return [a * (common // b) for a, b in zip(weight.numerator.tolist(), denominators, strict=True)]


def _largest(keys: Sequence[int], responses: Sequence[int], values: Sequence[int]) -> list[int]:
    """The pairs of the match with the largest sum, by shortest augmenting paths.

    There are prices u of key mentions and v of response mentions, with u + v ≥ value for every pair, u + v = value for
    matched pairs, and 0 for unmatched mentions. Then no match can have a larger sum (Kuhn 1955). A new key mention gets
    the price of its best pair. The path is the shortest one, where the length of a pair is u + v − value: along this
    path all prices stay valid.
    """
    pairs: dict[int, list[tuple[int, int, int]]] = {}
    for place, (k, r, value) in enumerate(zip(keys, responses, values, strict=True)):
        pairs.setdefault(k, []).append((r, value, place))
    if len(pairs) == 1 or len(set(responses)) == 1:
        return [max(range(len(values)), key=values.__getitem__)]
    u: dict[int, int] = {}
    v = dict.fromkeys(responses, 0)
    owner: dict[int, tuple[int, int]] = {}  # response → key and pair
    mate: dict[int, int] = {}  # key → response
    for root, own in pairs.items():
        u[root] = max(value - v[r] for r, value, _ in own)
        if u[root] <= 0:
            u[root] = 0
            continue
        _augment(root, pairs, u, v, owner, mate)
    return [place for _, place in owner.values()]


def _augment(
    root: int,
    pairs: dict[int, list[tuple[int, int, int]]],
    u: dict[int, int],
    v: dict[int, int],
    owner: dict[int, tuple[int, int]],
    mate: dict[int, int],
) -> None:
    """Match one more key mention, or leave that one unmatched which costs least."""
    bound, end, loser = u[root], -1, root  # an unmatched mention costs its own price
    distance: dict[int, int] = {}
    parent: dict[int, tuple[int, int]] = {}
    tree: list[tuple[int, int | None, int]] = [(0, None, root)]
    heap: list[tuple[int, int]] = []
    at, k = 0, root
    while True:
        for r, value, place in pairs[k]:
            cost = at + u[k] + v[r] - value
            if cost >= bound or cost >= distance.get(r, bound):
                continue
            distance[r], parent[r] = cost, (k, place)
            if r not in owner:
                bound, end, loser = cost, r, -1
                continue
            heappush(heap, (cost, r))
            other = owner[r][0]
            if cost + u[other] < bound:
                bound, end, loser = cost + u[other], r, other
        while heap and heap[0][0] > distance[heap[0][1]]:
            heappop(heap)
        if not heap or heap[0][0] >= bound:
            break
        at, r = heappop(heap)
        distance[r] = -1  # final: there is no shorter path
        k = owner[r][0]
        tree.append((at, r, k))
    for d, settled, k in tree:
        u[k] -= bound - d
        if settled is not None:
            v[settled] += bound - d
    mate.pop(loser, None)
    while end >= 0:
        k, place = parent[end]
        owner[end] = k, place
        mate[k], end = end, mate.get(k, -1)


def as_scipy(weight: Floats) -> IntArray:
    """The column of each row, −1 for none, that scipy's `linear_sum_assignment(−weight)` returns, ties included.

    It uses shortest augmenting paths, row by row. Columns are tried from the last to the first, and a free column at
    equal distance replaces the one found before. A matrix with more rows than columns is transposed.
    """
    turned = weight.shape[0] > weight.shape[1]
    cost = -(weight.T if turned else weight)
    cost = np.ascontiguousarray(cost)
    rows, columns = cost.shape
    u, v = np.zeros(rows), np.zeros(columns)
    path = np.full(columns, -1)
    mate, owner = np.full(rows, -1), np.full(columns, -1)
    for row in range(rows):
        shortest = np.full(columns, np.inf)
        remaining = np.arange(columns)[::-1].copy()
        left, least, i, sink = columns, 0.0, row, -1
        seen_rows, seen_columns = [row], list[int]()
        while sink < 0:
            open_ = remaining[:left]
            reach = least + cost[i, open_] - u[i] - v[open_]
            nearer = reach < shortest[open_]
            shortest[open_[nearer]] = reach[nearer]
            path[open_[nearer]] = i
            here = shortest[open_]
            least = float(here.min())
            lowest = np.flatnonzero(here == least)
            free = lowest[owner[open_[lowest]] < 0]
            index = int(free[-1]) if len(free) else int(lowest[0])
            j = int(open_[index])
            if owner[j] < 0:
                sink = j
            else:
                i = int(owner[j])
                seen_rows.append(i)
            seen_columns.append(j)
            left -= 1
            remaining[index] = remaining[left]
        u[row] += least
        for i in seen_rows[1:]:
            u[i] += least - shortest[mate[i]]
        v[seen_columns] -= least - shortest[seen_columns]
        j = sink
        while True:
            i = int(path[j])
            owner[j] = i
            mate[i], j = j, int(mate[i])
            if i == row:
                break
    found: IntArray = np.full(weight.shape[0], -1, dtype=np.int64)
    if turned:
        found[mate] = np.arange(rows)
    else:
        found[:] = mate
    return found
