"""The best alignment of CEAFe after changes of a few response entities, found from the alignment before the changes.

Key entities have prices u_i ≥ 0 and response entities v_j ≥ 0, with u_i + v_j ≥ φ_ij. Then the sum of all prices is an
upper bound for every alignment. The best alignment reaches this bound: it only pairs entities with u_i + v_j = φ_ij,
and only entities with the price 0 are left without a partner.

Entities that change are removed, and their new versions are added at the lowest possible price. If one of the key
entities that decide this price is free, it becomes the partner. This is done for all changes at once, and usually it
is enough. Otherwise some entities with a price above 0 are free, and a search settles them (augmenting_paths.py).

Similarities are whole multiples of 2⁻⁵², so prices are exact and can be compared for equality.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..integers import repeat
from ..metrics.assignment import assign
from ..metrics.contingency import Array
from .augmenting_paths import Change, Made, Near, Ways

UNIT = 2.0**52


def ranges(first: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
    """All numbers from each `first` up to its `stop`: the place of the range, and the number."""
    size = stop - first
    ends = np.cumsum(size)
    which = repeat(np.arange(len(size)), size)
    return which, np.arange(len(which)) - (ends - size - first)[which]


def similarity(n: Array, a: Array, b: Array) -> IntArray:
    """φ4 = 2n / (a + b) in units."""
    found: IntArray = np.rint(2 * UNIT * n / (a + b)).astype(np.int64)
    return found


def _among(values: IntArray, known: IntArray) -> npt.NDArray[np.bool_]:
    """Which values are in a sorted array."""
    place = np.searchsorted(known, values)
    found: npt.NDArray[np.bool_] = np.append(known, -1)[place] == values
    return found


class Offers(NamedTuple):
    """New response entities, sorted by the change that makes them, and their cells, sorted by new entity.

    `change` has the change of each new entity. A cell has the new entity, the key entity `i`, and the similarity.
    """

    change: IntArray
    new: IntArray
    i: IntArray
    weight: IntArray


class _Near(dict[int, Near]):
    """The cells of an entity, when they are needed for the first time."""

    def __init__(self, i: IntArray, j: IntArray, weight: IntArray, entities: int) -> None:
        here, there = np.concatenate((i, j)), np.concatenate((j, i))
        order = np.argsort(here, kind="stable")
        self.there, self.weight = there[order].tolist(), np.concatenate((weight, weight))[order].tolist()
        self.first = np.searchsorted(here[order], np.arange(entities + 1)).tolist()

    def __missing__(self, x: int) -> Near:
        cells = slice(self.first[x], self.first[x + 1])
        self[x] = near = list(zip(self.there[cells], self.weight[cells], strict=True))
        return near


class Matching:
    """The best alignment of key entities (numbered from 0) and response entities (numbered after them).

    `i`, `j`, `n` are the cells K_i ∩ R_j, sorted by (j, i). `a` and `b` are the sizes of the entities.
    """

    def __init__(self, i: IntArray, j: IntArray, n: IntArray, a: IntArray, b: IntArray) -> None:
        self.keys = len(a)
        weight = similarity(n, a[i], b[j])
        chosen = assign(i, j, weight, len(a), len(b))
        j = j + len(a)
        self.mates = np.full(len(a) + len(b), -1, dtype=np.int64)
        self.mates[i[chosen]], self.mates[j[chosen]] = j[chosen], i[chosen]
        self.mate: list[int] = self.mates.tolist()
        self.near = _Near(i, j, weight, len(self.mate))
        price = np.zeros(len(self.mate), dtype=np.int64)
        price[j[chosen]] = weight[chosen]
        self.price = self._least(price.tolist(), np.unique(j[weight > price[j]]).tolist())
        self.prices = np.array(self.price, dtype=np.int64)

    def _least(self, price: list[int], lacking: list[int]) -> list[int]:
        """The lowest prices of the key's entities. The search starts from prices at which the response's have the
        maximum, and from the response's entities whose prices are too low."""
        waiting = deque(lacking)
        while waiting:
            y = waiting.popleft()
            for x, weight in self.near[y]:
                lack = weight - price[x] - price[y]
                if lack > 0:
                    price[x] += lack
                    price[self.mate[x]] -= lack  # it has a mate, because otherwise the alignment could be better
                    waiting.append(self.mate[x])
        return price

    @cached_property
    def ways(self) -> tuple[Ways, Ways]:
        """The ways of the key's entities and of the response's."""
        return Ways.of(self, range(self.keys)), Ways.of(self, range(self.keys, len(self.mate)))

    def changes(self, count: int, gone_by: IntArray, gone: IntArray, offers: Offers) -> Array:
        """How much the sum of similarities changes by each of `count` changes.

        Change `gone_by` removes the response entity `gone`; the changes are in order. The new entities have `offers`.
        """
        start = _Start.of(self, count, gone_by, gone + self.keys, offers)
        found = start.sum
        found[start.open] = [Change(self, *pieces).settled() for pieces in start.pieces()]
        return found / UNIT


class _Start(NamedTuple):
    """The first step of all changes at once. Most changes need no other: all entities with a price above 0 have mates.

    `sum` is the change of the sum of all prices. `open` are the changes that need a search.
    """

    sum: IntArray
    open: IntArray
    gone: IntArray  # sorted by change, as are the new entities
    first_gone: IntArray  # by change
    first_new: IntArray
    price: IntArray  # of each new entity
    mate: IntArray
    offers: Offers
    first_cell: IntArray  # of each new entity

    @classmethod
    def of(cls, base: Matching, count: int, gone_by: IntArray, gone: IntArray, offers: Offers) -> _Start:
        news, width, by = len(offers.change), base.keys, offers.change[offers.new]
        surplus = offers.weight - base.prices[offers.i]
        price = np.zeros(news, dtype=np.int64)
        np.maximum.at(price, offers.new, surplus)
        total = np.zeros(count, dtype=np.int64)
        np.add.at(total, offers.change, price)
        np.subtract.at(total, gone_by, base.prices[gone])
        # A free key entity becomes the mate of a new entity if this costs nothing, first of all one that lost its mate.
        mated = base.mates[gone] >= 0
        left_by, left = gone_by[mated], base.mates[gone[mated]]
        lost = left_by * width + left
        free = (base.mates[offers.i] < 0) | _among(by * width + offers.i, np.sort(lost))
        cell = np.flatnonzero(free & (surplus > 0) & (surplus == price[offers.new]))
        cell = cell[np.lexsort((-base.prices[offers.i[cell]], offers.new[cell]))]
        cell = cell[np.diff(offers.new[cell], prepend=-1) != 0]  # one cell for each new entity
        taken, first = np.unique(by[cell] * width + offers.i[cell], return_index=True)
        cell = cell[first]  # one for each key entity
        mate = np.full(news, -1, dtype=np.int64)
        mate[offers.new[cell]] = offers.i[cell]
        lone = (base.prices[left] > 0) & ~_among(lost, taken)
        open_ = np.union1d(left_by[lone], offers.change[(price > 0) & (mate < 0)])
        every = np.arange(count + 1)
        first_gone, first_new = np.searchsorted(gone_by, every), np.searchsorted(offers.change, every)
        first_cell = np.searchsorted(offers.new, np.arange(news + 1))
        return cls(total, open_, gone, first_gone, first_new, price, mate, offers, first_cell)

    def pieces(self) -> Iterator[tuple[set[int], list[Made]]]:
        """The entities that each open change removes, and those that it makes."""
        gone, price, mate, i, weight = (
            x.tolist() for x in (self.gone, self.price, self.mate, self.offers.i, self.offers.weight)
        )
        first_gone, first_new, cell = (x.tolist() for x in (self.first_gone, self.first_new, self.first_cell))
        for change in self.open.tolist():
            made = [
                Made(
                    dict(zip(i[(a := cell[new]) : (b := cell[new + 1])], weight[a:b], strict=True)),
                    price[new],
                    mate[new],
                )
                for new in range(first_new[change], first_new[change + 1])
            ]
            yield set(gone[first_gone[change] : first_gone[change + 1]]), made
