"""A contingency table that remembers what was summed.

A metric's columns are sums of values per cell, per key entity or per response entity. Run on a `Trace`, the metric's
own code leaves these values behind: they are the terms of the explanation, and add up to the counts by construction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..corpus.model import IntArray
from ..matching.alignment import Alignment
from ..metrics.contingency import Array, Contingency

_FEW = 1000  # entities whose parts are all found at once


class Sum(NamedTuple):
    """Values by cell, key entity or response entity (`per`), and their sums by block.

    Of a best alignment there are two: the values of the cells, 0 where they are not aligned, and all similarities.
    """

    per: str
    values: Array
    total: Array


@dataclass(frozen=True, eq=False)
class Trace(Contingency):
    """A contingency table that notes every sum it is asked for."""

    sums: list[Sum] = field(default_factory=list, repr=False)

    def cells(self, values: Array) -> Array:
        return self._noted("cell", values, super().cells(values))

    def keys(self, values: Array) -> Array:
        return self._noted("key", values, super().keys(values))

    def responses(self, values: Array) -> Array:
        return self._noted("response", values, super().responses(values))

    def best_alignment(self, similarity: Array) -> Array:
        return self._noted("similarity", similarity, super().best_alignment(similarity))

    def _noted(self, per: str, values: Array, total: Array) -> Array:
        self.sums.append(Sum(per, values, total))
        return total

    def terms(self, column: Array) -> Sum | None:
        """What a column that the metric returned was summed from; None if it was computed otherwise."""
        return next((s for s in self.sums if s.total is column), None)


class Part(NamedTuple):
    """The mentions (rows of the alignment) that an entity shares with one of the other side; −1: twinless ones."""

    other: int
    rows: IntArray


@dataclass(frozen=True, eq=False)
class Half:
    """One half of a score, recall or precision: the entities of its side, and the table it is computed from."""

    which: str
    table: Trace
    alignment: Alignment
    columns: Mapping[str, Array]
    cuts: dict[tuple[Alignment, str], dict[int, list[Part]]] = field(default_factory=dict, repr=False)
    # what is known of the parts of entities, for all metrics that see the same alignment

    @property
    def side(self) -> str:
        return "key" if self.which == "recall" else "response"

    @property
    def letter(self) -> str:
        return "K" if self.which == "recall" else "R"

    @property
    def other_side(self) -> str:
        return "response" if self.which == "recall" else "key"

    @property
    def size(self) -> Array:
        return self.table.a if self.which == "recall" else self.table.b

    @property
    def block(self) -> IntArray:
        return self.table.key_block if self.which == "recall" else self.table.response_block

    @property
    def of_cell(self) -> IntArray:
        """The entity of this side, of each cell."""
        return self.table.i if self.which == "recall" else self.table.j

    @property
    def entity_of_mention(self) -> IntArray:
        return self.alignment.key if self.which == "recall" else self.alignment.response

    @cached_property
    def opposite(self) -> Half:
        """The entities of the other side, as they are in the same table."""
        which = "precision" if self.which == "recall" else "recall"
        return Half(which, self.table, self.alignment, self.columns, self.cuts)

    @cached_property
    def numbers(self) -> IntArray:
        """The number in the alignment of each entity of the table, which has no empty ones."""
        entity = self.entity_of_mention
        used: IntArray = np.unique(entity[entity >= 0])
        return used

    @cached_property
    def _members(self) -> tuple[IntArray, IntArray]:
        order = np.argsort(self.entity_of_mention, kind="stable")
        return order, np.searchsorted(self.entity_of_mention[order], np.append(self.numbers, np.iinfo(np.int64).max))

    def members(self, entity: int) -> IntArray:
        """The mentions of an entity of the table, as rows of the alignment."""
        order, bounds = self._members
        return order[bounds[entity] : bounds[entity + 1]]

    @cached_property
    def _parts(self) -> dict[int, list[Part]]:
        """The parts of all entities where these are few enough to be shown; else of those that were asked for."""
        place = self.alignment, self.which
        if place not in self.cuts:
            self.cuts[place] = self._all_parts() if len(self.numbers) <= _FEW else {}
        return self.cuts[place]

    def _all_parts(self) -> dict[int, list[Part]]:
        """`parts` of every entity at once."""
        order, bounds = self._members
        rows = order[bounds[0] :]
        entity = self.entity_of_mention[rows]
        other = (self.alignment.response if self.which == "recall" else self.alignment.key)[rows]
        own = np.where(other < 0, -1 - np.arange(len(rows)), other)
        together = np.lexsort((own, entity))
        entity, own, rows = entity[together], own[together], rows[together]
        new = np.ones(len(rows), dtype=bool)
        new[1:] = (entity[1:] != entity[:-1]) | (own[1:] != own[:-1])
        starts = np.flatnonzero(new)
        stops = np.append(starts[1:], len(rows))
        by_first = np.argsort(together[starts], kind="stable")
        places = np.searchsorted(self.numbers, entity[starts])
        columns = (x[by_first].tolist() for x in (places, np.maximum(own[starts], -1), starts, stops))
        found: dict[int, list[Part]] = {}
        for e, number, start, stop in zip(*columns, strict=True):
            found.setdefault(e, []).append(Part(number, rows[start:stop]))
        return found

    def parts(self, entity: int) -> list[Part]:
        """How the other side cuts an entity, in order of the mentions; each twinless mention is a part of its own."""
        if entity not in self._parts:
            rows = self.members(entity)
            other = (self.alignment.response if self.which == "recall" else self.alignment.key)[rows]
            own = np.where(other < 0, -1 - np.arange(len(rows)), other)  # tells twinless mentions apart
            order = np.argsort(own, kind="stable")
            starts = np.flatnonzero(np.diff(own[order], prepend=own[order[:1]] - 1))
            groups = np.split(rows[order], starts[1:])
            by_first = np.argsort(order[starts], kind="stable").tolist()
            numbers = np.maximum(own[order[starts]], -1).tolist()
            self._parts[entity] = [Part(numbers[p], groups[p]) for p in by_first]
        return self._parts[entity]

    def overlap(self, entity: int, part: Part) -> int:
        """|K ∩ R| of an entity and one of its parts; with repetitions as in scorer.pl more than the part has."""
        return self._overlaps.get((entity, part.other), len(part.rows))

    @cached_property
    def _overlaps(self) -> dict[tuple[int, int], int]:
        """By entity of the table and number of the other one in the alignment, where repetitions count."""
        if self.table.overlap is self.table.n:
            return {}
        other = self.opposite.numbers[self.opposite.of_cell]
        pairs = zip(self.of_cell.tolist(), other.tolist(), strict=True)
        return dict(zip(pairs, map(int, self.table.overlap.tolist()), strict=True))

    def share(self, column: str) -> Array | None:
        """What each entity of this side adds to a column; None where that can't be said."""
        found = self.table.terms(self.columns[column])
        if found is None or found.per not in ("cell", self.side):
            return None
        return self.summed(found.values) if found.per == "cell" else found.values

    def summed(self, values: Array) -> Array:
        """Values of the cells, summed by entity of this side."""
        if values.dtype == object:
            total = np.full(len(self.size), Fraction(0), dtype=object)
            np.add.at(total, self.of_cell, values)
            return total
        return np.bincount(self.of_cell, weights=values, minlength=len(self.size))
