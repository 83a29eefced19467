"""The best alignment of CEAFe after a change of a few response entities, found from the one before it.

Prices u of key entities and v of response entities, u_i, v_j ≥ 0 and u_i + v_j ≥ φ_ij, bound every alignment by their
sum; the best one attains it: it pairs only where equality holds, and leaves out only what has the price 0. Entities
that change are taken out and their new versions put in at the least price that is possible. What is then free and has a
price is settled one after the other by a shortest augmenting path (Jonker & Volgenant 1987): to a free entity of the
other side, or to one of its own side that becomes free instead. The sum of the prices falls by the length of the path.
Searches see only the neighbourhood and change nothing of the alignment they start from.

Similarities are whole numbers of 2⁻⁵², so that prices are exact and equal ones are seen to be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np

from ..corpus.model import IntArray
from ..metrics.assignment import assign
from ..metrics.contingency import Array

UNIT = 2.0**52

Near: TypeAlias = list[tuple[int, int]]  # entities of the other side and the similarities to them


def similarity(n: Array, a: Array, b: Array | int) -> IntArray:
    """φ4 = 2n / (a + b) in units."""
    found: IntArray = np.rint(2 * UNIT * n / (a + b)).astype(np.int64)
    return found


class Matching:
    """The best alignment of key entities (numbered from 0) and response entities (numbered behind them).

    `i`, `j`, `n` are the cells K_i ∩ R_j, sorted by (j, i); `a` and `b` the sizes of the entities.
    """

    def __init__(self, i: IntArray, j: IntArray, n: IntArray, a: IntArray, b: IntArray) -> None:
        self.keys = len(a)
        self.i, self.n, self.a = i, n, a
        self.first = np.searchsorted(j, np.arange(len(b) + 1))
        weight = similarity(n, a[i], b[j])
        chosen = assign(i, j, weight, len(a), len(b))
        mate = np.full(len(a) + len(b), -1, dtype=np.int64)
        mate[i[chosen]], mate[j[chosen] + len(a)] = j[chosen] + len(a), i[chosen]
        self.mate: list[int] = mate.tolist()
        self.near: list[Near] = [[] for _ in self.mate]
        for x, y, w in zip(i.tolist(), (j + len(a)).tolist(), weight.tolist(), strict=True):
            self.near[x].append((y, w))
            self.near[y].append((x, w))
        price = np.zeros(len(mate), dtype=np.int64)
        price[j[chosen] + len(a)] = weight[chosen]
        self.price: list[int] = self._least(price.tolist())
        self.u = np.array(self.price[: len(a)], dtype=np.int64)

    def _least(self, price: list[int]) -> list[int]:
        """The least prices of the key's entities, from those at which the response's have everything."""
        waiting = deque(range(self.keys, len(price)))
        while waiting:
            y = waiting.popleft()
            for x, weight in self.near[y]:
                lack = weight - price[x] - price[y]
                if lack > 0:
                    price[x] += lack
                    price[self.mate[x]] -= lack  # it has a mate: otherwise the alignment could be better
                    waiting.append(self.mate[x])
        return price

    def offers(self, j: int | None, size: int, differences: Mapping[int, int]) -> tuple[IntArray, IntArray]:
        """Key entities and similarities to them of response entity `j` (None: a new one), changed.

        It has `size` mentions then; `differences`: key entity → mentions it has more, of those that are in the key.
        """
        cells = slice(0, 0) if j is None else slice(self.first[j], self.first[j + 1])
        i, n = self.i[cells], self.n[cells]
        if differences:
            more = np.array(list(differences.items()), dtype=np.int64).T
            place = np.searchsorted(i, more[0])
            known = np.append(i, -1)[place] == more[0]
            n = n.copy()
            n[place[known]] += more[1, known]
            i, n = np.concatenate((i, more[0, ~known])), np.concatenate((n, more[1, ~known]))
            i, n = i[n > 0], n[n > 0]
        return i, similarity(n, self.a[i], size)

    def change(self, gone: Iterable[int], made: Iterable[tuple[IntArray, IntArray]]) -> float:
        """How much the sum of similarities changes when response entities go and others, by their offers, come."""
        return _Change(self, {j + self.keys for j in gone}, made).settled() / UNIT


class _Change:
    """A change laid over a matching: prices and mates that differ from it, and the new entities behind all others."""

    def __init__(self, base: Matching, gone: set[int], made: Iterable[tuple[IntArray, IntArray]]) -> None:
        self.base, self.gone = base, gone
        self.prices: dict[int, int] = {}
        self.mates: dict[int, int] = {base.mate[j]: -1 for j in gone if base.mate[j] >= 0}
        self.made = dict(enumerate(made, start=len(base.mate)))
        self.cells: dict[int, dict[int, int]] = {}  # the offers of `made`, once they are needed
        for new, (i, weight) in self.made.items():
            self.prices[new], self.mates[new] = 0, -1
            surplus = weight - base.u[i]
            price = int(surplus.max(initial=0))
            if price:
                self.prices[new] = price
                tight = i[surplus == price].tolist()
                if (free := next((x for x in tight if self.mate(x) < 0), -1)) >= 0:  # as a rule there is: no search
                    self.mates[new], self.mates[free] = free, new

    def mate(self, x: int) -> int:
        return self.mates[x] if x in self.mates else self.base.mate[x]

    def price(self, x: int) -> int:
        return self.prices[x] if x in self.prices else self.base.price[x]

    def near(self, x: int) -> Near:
        """The other side as an entity sees it now."""
        if not self.cells:
            self.cells = {new: dict(zip(*(c.tolist() for c in cells), strict=True)) for new, cells in self.made.items()}
        if x in self.cells:
            return list(self.cells[x].items())
        if x >= self.base.keys:
            return self.base.near[x]
        here = [(new, cells[x]) for new, cells in self.cells.items() if x in cells]
        return here + [cell for cell in self.base.near[x] if cell[0] not in self.gone]

    def settled(self) -> int:
        """The change of the sum of all prices, once nothing is free that has one."""
        change = sum(self.prices.values()) - sum(self.base.price[j] for j in self.gone)
        for x in list(self.mates):
            if self.mate(x) < 0 and self.price(x):
                change -= self._search(x)
        return change

    def _search(self, start: int) -> int:
        """Settle a free entity by the shortest path that does; its length."""
        prices, base_prices, mates, base_mates = self.prices, self.base.price, self.mates, self.base.mate
        best, end = self.price(start), start
        distance, before = {start: 0}, {}
        heap = [(0, start)]
        while heap and heap[0][0] < best:
            d, x = heappop(heap)
            if d > distance[x]:
                continue
            d += prices[x] if x in prices else base_prices[x]  # written out: with many ties most of the time is here
            own = mates[x] if x in mates else base_mates[x]
            for y, weight in self.near(x):
                if weight <= d - best or y == own:
                    continue  # whatever the price of y
                far = d + (prices[y] if y in prices else base_prices[y]) - weight
                if far >= best or far >= distance.get(y, best):
                    continue
                distance[y], before[y] = far, x
                next_ = mates[y] if y in mates else base_mates[y]
                if next_ < 0:
                    best, end = far, y
                else:
                    distance[next_] = far
                    heappush(heap, (far, next_))
                    left = far + (prices[next_] if next_ in prices else base_prices[next_])
                    if left < best:
                        best, end = left, next_
        ours = {start, *(self.mate(y) for y in before)}
        for x, d in distance.items():
            if d < best:
                self.prices[x] = self.price(x) + (d - best if x in ours else best - d)
        y = end
        if end in ours and end != start:
            y, self.mates[end] = self.mate(end), -1
        while y in before:
            x = before[y]
            self.mates[y], self.mates[x], y = x, y, self.mate(x)
        return best
