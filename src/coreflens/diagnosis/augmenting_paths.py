"""Shortest augmenting paths in the alignment of CEAFe, after a change of a few response entities (ceafe_rematching.py).

Each free entity with a price above 0 is settled by a shortest augmenting path (Jonker & Volgenant 1987). The path ends
at a free entity of the other side, or at an entity of the same side that becomes free instead. The sum of the prices
falls by the length of the path. A search visits only the neighbourhood of the entity and does not modify the alignment
that it starts from.

If there are many ties, the neighbourhood is large. Then the shortest ways of the alignment before the change are used,
which are computed once for all changes. They are lower bounds for the length of a path. If the change does not cut a
way, its length is exact.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from .ceafe_rematching import Matching

FEW = 64  # entities that a search may visit before the ways are computed
FEWER = 4  # and before they are used, when they are known

Near: TypeAlias = Iterable[tuple[int, int]]  # entities of the other side and the similarities to them


class Made(NamedTuple):
    """A new response entity: its similarities to key entities, its price, and its mate (−1: none)."""

    offers: dict[int, int]
    price: int
    mate: int


@dataclass(frozen=True, eq=False)
class Ways:
    """For each entity of a side: the shortest path that would settle it if it were free, in the current alignment.

    Such a path goes from entity to entity of one side. It ends at an entity that becomes free instead or, if `end` has
    one, at a free entity of the other side. All paths together form trees. `opens` and `closes` are the steps at which
    a walk through these trees enters an entity and leaves it for the last time.
    """

    length: dict[int, int]
    end: Mapping[int, int]
    opens: Mapping[int, int]
    closes: Mapping[int, int]

    @classmethod
    def of(cls, base: Matching, side: range) -> Ways:
        price, mate, near = base.price, base.mate, base.near
        heap = [(price[x], x, -1, -1) for x in side]
        for y in range(len(mate)):
            if y not in side and mate[y] < 0:
                heap += [(price[x] + price[y] - weight, x, -1, y) for x, weight in near[y]]
        heapify(heap)
        length: dict[int, int] = {}
        end: dict[int, int] = {}
        after: dict[int, list[int]] = {-1: []}
        while heap:
            d, x, way, last = heappop(heap)
            if x in length:
                continue
            length[x], end[x] = d, last
            after.setdefault(way, []).append(x)
            after[x] = []
            if (y := mate[x]) >= 0:
                for z, weight in near[y]:
                    if z not in length:
                        heappush(heap, (d + price[z] + price[y] - weight, z, x, last))
        return cls(length, end, *_walked(after))

    def passes(self, x: int, other: int) -> bool:
        """Whether the path of an entity goes through another entity, or begins there."""
        return self.opens[other] <= self.opens[x] < self.closes[other]


def _walked(after: Mapping[int, list[int]]) -> tuple[dict[int, int], dict[int, int]]:
    """The steps at which a walk through trees enters and leaves each node. −1 is above all roots."""
    opens: dict[int, int] = {}
    closes: dict[int, int] = {}
    stack = [-1]
    while stack:
        x = stack.pop()
        if x in opens:
            closes[x] = len(opens)
        else:
            opens[x] = len(opens)
            stack += [x, *after[x]]
    return opens, closes


class Change:
    """A change on top of a matching: the prices and mates that differ, and the new entities, numbered after all
    others."""

    def __init__(self, base: Matching, gone: set[int], made: Iterable[Made]) -> None:
        self.base, self.gone = base, gone
        self.prices: dict[int, int] = {}
        self.mates: dict[int, int] = {base.mate[j]: -1 for j in gone if base.mate[j] >= 0}
        self.made: dict[int, dict[int, int]] = {}
        for new, (offers, price, mate) in enumerate(made, start=len(base.mate)):
            self.made[new], self.prices[new], self.mates[new] = offers, price, mate
            if mate >= 0:
                self.mates[mate] = new

    def mate(self, x: int) -> int:
        return self.mates[x] if x in self.mates else self.base.mate[x]

    def price(self, x: int) -> int:
        return self.prices[x] if x in self.prices else self.base.price[x]

    def near(self, x: int) -> Near:
        """The entities of the other side and the similarities to them, after the change."""
        if x in self.made:
            return self.made[x].items()
        if x >= self.base.keys:
            return self.base.near[x]
        here = [(new, cells[x]) for new, cells in self.made.items() if x in cells]
        return here + [cell for cell in self.base.near[x] if cell[0] not in self.gone]

    def settled(self) -> int:
        """The change of the sum of all prices, after every free entity with a price above 0 is settled."""
        change = sum(self.prices.values()) - sum(self.base.price[j] for j in self.gone)
        waiting = [x for x in self.mates if self._unsettled(x)]
        if len(waiting) == 1:  # usual case: the prices and mates are not needed afterwards
            return change - self._length(waiting[0])
        for x in waiting:
            if self._unsettled(x):
                change -= self._search(x)
        return change

    def _unsettled(self, x: int) -> bool:
        return self.mate(x) < 0 and self.price(x) > 0

    def _length(self, start: int) -> int:
        """The length of the shortest path that settles the only unsettled entity."""
        found = self._walk(start, {}, 0, most=min(FEW, FEWER) if "ways" in vars(self.base) else FEW)
        if found is not None:
            return found
        on_key = start < self.base.keys
        ways = self.base.ways[0 if on_key else 1]
        least, floor = self._bounds(ways, on_key)
        reached = self._reached(start, ways, least, on_key)
        if reached is not None and reached <= floor:
            return reached
        found = self._walk(start, ChainMap(least, ways.length), floor)
        assert found is not None
        return found

    def _bounds(self, ways: Ways, on_key: bool) -> tuple[dict[int, int], int]:
        """Lower bounds for the paths of new entities, and one for a path that is shorter than the ways say.

        Such a path goes through an entity that the change affects, and from there on it is shorter than the old way.
        """
        floors = [self.price(x) for x in self.mates if self._unsettled(x)]  # no path is longer
        least: dict[int, int] = {}
        if on_key:  # a new entity of the other side is a shortcut from one key entity to another
            for new in self.made:
                rest = 0 if self.mate(new) < 0 else ways.length[self.mate(new)]
                steps = ((x, self.price(x) + self.price(new) - w) for x, w in self.near(new) if x != self.mate(new))
                if any(far + rest < ways.length[x] for x, far in steps):
                    floors.append(rest)
            return least, min(floors)
        least = {new: self.price(new) for new in self.made}
        for _ in self.made:
            least = {new: min([least[new], *(far for far, _ in self._steps(new, ways, least))]) for new in self.made}
        for k, mate in self.mates.items():
            if k < self.base.keys:
                before, rest = self.base.mate[k], 0 if mate < 0 else least[mate]
                if before >= 0 and rest < ways.length[before]:
                    floors.append(rest)
        return least, min(floors)

    def _steps(self, new: int, ways: Ways, least: Mapping[int, int]) -> Iterator[tuple[int, int]]:
        """Lower bounds for the paths of a new entity, by the key entity that they reach first."""
        for k, weight in self.near(new):
            mate = self.mate(k)
            if mate != new:
                rest = 0 if mate < 0 else least[mate] if mate in self.made else ways.length[mate]
                yield self.price(new) + self.price(k) - weight + rest, k

    def _reached(self, start: int, ways: Ways, least: Mapping[int, int], on_key: bool) -> int | None:
        """The lower bound for the path of an entity, if a path of this length exists that is not cut; else None."""
        if start not in self.made:
            return ways.length[start] if self._whole(start, ways, on_key) else None
        if least[start] == self.price(start):
            return least[start]
        for far, k in self._steps(start, ways, least):
            mate = self.mate(k)
            if far == least[start] and (mate < 0 or (mate not in self.made and self._whole(mate, ways, on_key))):
                return far
        return None

    def _whole(self, x: int, ways: Ways, on_key: bool) -> bool:
        """Whether the path of an entity is as it was before the change."""
        if (end := ways.end[x]) >= 0 and (end in self.gone or self.mate(end) >= 0):
            return False
        if on_key:  # it reaches a key entity through its mate, which may be gone
            left = (self.base.mate[j] for j in self.gone)
            return not any(k >= 0 and k != x and ways.passes(x, k) for k in left)
        return not any(ways.passes(x, j) for j in self.gone)

    def _walk(self, start: int, least: Mapping[int, int], floor: int, most: int | None = None) -> int | None:
        """The length of the shortest path that settles a free entity; None if it sees more than `most` entities.

        The rest of a path has at least the length in `least`, or `floor` if that is less.
        """
        prices, base_prices, mates, base_mates = self.prices, self.base.price, self.mates, self.base.mate
        best, seen = self.price(start), 0
        distance = {start: 0}
        heap = [(min(least.get(start, 0), floor), start)]
        while heap and heap[0][0] < best:
            _, x = heappop(heap)
            if (seen := seen + 1) == most:
                return None
            d = distance[x] + (prices[x] if x in prices else base_prices[x])  # inlined, as in `_search`
            own = mates[x] if x in mates else base_mates[x]
            for y, weight in self.near(x):
                if weight <= d - best or y == own:
                    continue  # for any price of y
                far = d + (prices[y] if y in prices else base_prices[y]) - weight
                if far >= best:
                    continue
                next_ = mates[y] if y in mates else base_mates[y]
                if next_ < 0:
                    best = far
                elif far < distance.get(next_, best):
                    distance[next_] = far
                    best = min(best, far + (prices[next_] if next_ in prices else base_prices[next_]))
                    heappush(heap, (far + min(least.get(next_, 0), floor), next_))
        return best

    def _search(self, start: int) -> int:
        """Settle a free entity by a shortest path. Returns the length of the path."""
        prices, base_prices, mates, base_mates = self.prices, self.base.price, self.mates, self.base.mate
        best, end = self.price(start), start
        distance, before = {start: 0}, {}
        heap = [(0, start)]
        while heap and heap[0][0] < best:
            d, x = heappop(heap)
            if d > distance[x]:
                continue
            d += prices[x] if x in prices else base_prices[x]  # inlined: with many ties, most of the time is spent here
            own = mates[x] if x in mates else base_mates[x]
            for y, weight in self.near(x):
                if weight <= d - best or y == own:
                    continue  # for any price of y
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
        self._augment(start, end, best, distance, before)
        return best

    def _augment(self, start: int, end: int, best: int, distance: dict[int, int], before: dict[int, int]) -> None:
        """Change prices and mates along the shortest path, which has the length `best` and ends at `end`."""
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
