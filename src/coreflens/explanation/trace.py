"""A contingency table that records what was summed.

A metric's columns are sums of values per cell, per key entity or per response entity. When the metric's own code runs
on a `Trace`, these values are recorded. They are the terms of the explanation, and add up to the counts by
construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..corpus.model import IntArray
from ..integers import bincount, repeat
from ..matching.alignment import Alignment
from ..metrics.contingency import Array, Contingency

_FEW = 1000  # the parts of this number of entities are kept; for more, the parts of all are found at once


class Sum(NamedTuple):
    """Values by cell, key entity or response entity (`per`), and their sums by block.

    A best alignment has two such records: the values of the cells, with 0 for cells that are not aligned, and all
    similarities.
    """

    per: str
    values: Array
    total: Array


@dataclass(frozen=True, eq=False)
class Trace(Contingency):
    """A contingency table that records every sum it computes."""

    sums: list[Sum] = field(default_factory=list, repr=False)

    def cells(self, values: Array) -> Array:
        return self._noted("cell", values, super().cells(values))

    def keys(self, values: Array) -> Array:
        return self._noted("key", values, super().keys(values))

    def responses(self, values: Array) -> Array:
        return self._noted("response", values, super().responses(values))

    def best_alignment(self, similarity: Array) -> Array:
        return self._noted("similarity", similarity, super().best_alignment(similarity))

    def of_block(self, block: int) -> IntArray:
        """The cells of a block."""
        return self._by_block.of(block)

    @cached_property
    def _by_block(self) -> Grouped:
        return Grouped.by(self.block, self.blocks)

    def _noted(self, per: str, values: Array, total: Array) -> Array:
        self.sums.append(Sum(per, values, total))
        return total

    def terms(self, column: Array) -> Sum | None:
        """The values from which a column of the metric was summed; None if it was computed in another way."""
        return next((s for s in self.sums if s.total is column), None)


class Grouped(NamedTuple):
    """Places in a column, grouped by its values, which are small whole numbers."""

    order: IntArray
    bounds: list[int]

    @classmethod
    def by(cls, column: IntArray, values: int) -> Grouped:
        order = np.argsort(column, kind="stable")
        return cls(order, np.searchsorted(column[order], np.arange(values + 1)).tolist())

    def of(self, value: int) -> IntArray:
        """The places that have a value, in their order."""
        return self.order[self.bounds[value] : self.bounds[value + 1]]


class Part(NamedTuple):
    """The mentions (rows of the alignment) that an entity shares with an entity of the other side. −1: twinless
    ones."""

    other: int
    rows: IntArray


@dataclass(eq=False)
class Cuts:
    """Parts of the entities of one side: those that were asked for last, and of all if `many` are asked for."""

    many: bool
    known: dict[int, list[Part]] = field(default_factory=dict)
    every: tuple[IntArray, list[int], list[int], list[int]] | None = None


@dataclass(frozen=True, eq=False)
class Half:
    """One half of a score, recall or precision: the entities of its side, and the table from which it is computed."""

    which: str
    table: Trace
    alignment: Alignment
    columns: Mapping[str, Array]
    cuts: dict[tuple[Alignment, str], Cuts] = field(default_factory=dict, repr=False)
    # a cache of the parts of entities, for all metrics that use the same alignment

    @cached_property
    def side(self) -> str:
        return "key" if self.which == "recall" else "response"

    @cached_property
    def letter(self) -> str:
        return "K" if self.which == "recall" else "R"

    @cached_property
    def other_side(self) -> str:
        return "response" if self.which == "recall" else "key"

    @cached_property
    def size(self) -> Array:
        return self.table.a if self.which == "recall" else self.table.b

    @cached_property
    def block(self) -> IntArray:
        return self.table.key_block if self.which == "recall" else self.table.response_block

    @cached_property
    def of_cell(self) -> IntArray:
        """For each cell, its entity of this side."""
        return self.table.i if self.which == "recall" else self.table.j

    @cached_property
    def entity_of_mention(self) -> IntArray:
        return self.alignment.key if self.which == "recall" else self.alignment.response

    @cached_property
    def opposite(self) -> Half:
        """The entities of the other side in the same table."""
        which = "precision" if self.which == "recall" else "recall"
        return Half(which, self.table, self.alignment, self.columns, self.cuts)

    @cached_property
    def numbers(self) -> IntArray:
        """The number in the alignment of each entity of the table. The table has no empty entities."""
        entity = self.entity_of_mention
        used: IntArray = np.unique(entity[entity >= 0])
        return used

    @cached_property
    def called(self) -> list[int]:
        """The same as a list."""
        called: list[int] = self.numbers.tolist()
        return called

    @cached_property
    def sizes(self) -> list[Any]:
        """The sizes as a list."""
        sizes: list[Any] = self.size.tolist()
        return sizes

    @cached_property
    def _members(self) -> tuple[IntArray, IntArray]:
        order = np.argsort(self.entity_of_mention, kind="stable")
        return order, np.searchsorted(self.entity_of_mention[order], np.append(self.numbers, np.iinfo(np.int64).max))

    def members(self, entity: int) -> IntArray:
        """The mentions of an entity of the table, as rows of the alignment."""
        order, bounds = self._members
        return order[bounds[entity] : bounds[entity + 1]]

    def of_block(self, block: int) -> IntArray:
        """The entities of the table that belong to a block."""
        return self._blocks.of(block)

    def entities_of(self, block: int) -> int:
        """The number of these."""
        return self._blocks.bounds[block + 1] - self._blocks.bounds[block]

    @cached_property
    def _blocks(self) -> Grouped:
        return Grouped.by(self.block, self.table.blocks)

    def parts(self, entity: int) -> list[Part]:
        """How the other side divides an entity, in the order of the mentions. Each twinless mention is a separate
        part."""
        known, found = self._cuts.known, self._cuts.known.get(entity)
        if found is None:
            if len(known) >= _FEW:
                known.clear()
                self._cuts.many = True
            found = known[entity] = self._parts_of(entity)
        return found

    def parts_of(self, entities: Iterable[int]) -> list[list[Part]]:
        """The parts of each of several entities."""
        return [self.parts(entity) for entity in entities]

    def overlaps_of(self, entities: Iterable[int], parts: Iterable[Iterable[Part]]) -> list[list[int]]:
        """The overlap with each of some parts, for several entities."""
        return [[self.overlap(e, part) for part in own] for e, own in zip(entities, parts, strict=True)]

    @cached_property
    def _cuts(self) -> Cuts:
        return self.cuts.setdefault((self.alignment, self.which), Cuts(many=len(self.numbers) <= _FEW))

    def _parts_of(self, entity: int) -> list[Part]:
        """Cut out of the parts of all entities if many are asked for."""
        if not self._cuts.many:
            members = self.members(entity)
            rows, others, starts = self._cut(members, np.zeros(len(members), dtype=np.int64))[:3]
            return [Part(other, rows[a:b]) for other, a, b in zip(others, starts, starts[1:], strict=False)]
        if self._cuts.every is None:
            order, bounds = self._members
            members = order[bounds[0] :]
            entities = np.searchsorted(self.numbers, self.entity_of_mention[members])
            rows, others, starts, of = self._cut(members, entities)
            self._cuts.every = rows, others, starts, np.searchsorted(of, np.arange(len(self.numbers) + 1)).tolist()
        rows, others, starts, firsts = self._cuts.every
        return [Part(others[p], rows[starts[p] : starts[p + 1]]) for p in range(firsts[entity], firsts[entity + 1])]

    def _cut(self, rows: IntArray, entity: IntArray) -> tuple[IntArray, list[int], list[int], IntArray]:
        """The parts of some entities, of which the mentions are given, in the order of their first mentions.

        The mentions, part after part; the other entity of each part; where each begins, and the last one ends; and the
        entity that it is a part of.
        """
        other = (self.alignment.response if self.which == "recall" else self.alignment.key)[rows]
        own = np.where(other < 0, -1 - np.arange(len(rows)), other)  # twinless mentions get different numbers
        together = np.lexsort((own, entity))
        new = np.ones(len(rows), dtype=bool)
        new[1:] = (np.diff(entity[together]) != 0) | (np.diff(own[together]) != 0)
        starts = np.flatnonzero(new)
        sizes = np.diff(starts, append=len(rows))
        by_first = np.argsort(together[starts], kind="stable")
        starts, sizes = starts[by_first], sizes[by_first]
        begins = np.cumsum(sizes) - sizes
        places = np.arange(len(rows)) + repeat(starts - begins, sizes)
        others = np.maximum(own[together[starts]], -1).tolist()
        return rows[together[places]], others, [*begins.tolist(), len(rows)], entity[together[starts]]

    def overlap(self, entity: int, part: Part) -> int:
        """|K ∩ R| of an entity and one of its parts. If repetitions count as in scorer.pl, it can be larger than the
        part."""
        return self._overlaps.get((entity, part.other), len(part.rows))

    @cached_property
    def _overlaps(self) -> dict[tuple[int, int], int]:
        """The overlap by entity of the table and number of the other entity in the alignment, if repetitions count."""
        if self.table.overlap is self.table.n:
            return {}
        other = self.opposite.numbers[self.opposite.of_cell]
        pairs = zip(self.of_cell.tolist(), other.tolist(), strict=True)
        return dict(zip(pairs, map(int, self.table.overlap.tolist()), strict=True))

    def share(self, column: str) -> Array | None:
        """What each entity of this side adds to a column; None if that is not known."""
        if column not in self._shares:
            found = self.table.terms(self.columns[column])
            if found is None or found.per not in ("cell", self.side):
                self._shares[column] = None
            else:
                self._shares[column] = self.summed(found.values) if found.per == "cell" else found.values
        return self._shares[column]

    @cached_property
    def _shares(self) -> dict[str, Array | None]:
        return {}

    def summed(self, values: Array) -> Array:
        """Values of the cells, summed by entity of this side."""
        if values.dtype == object:
            total = np.full(len(self.size), Fraction(0), dtype=object)
            np.add.at(total, self.of_cell, values)
            return total
        return bincount(self.of_cell, weights=values, minlength=len(self.size))
