"""The counts of many corrected responses at once.

Their alignments are stacked, one part per response, and every metric counts the whole stack in one pass. All sums of a
part are made as in a table of its own, so that its counts are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..corpus.model import IntArray
from ..matching.alignment import Alignment
from ..metrics.assignment import assign
from ..metrics.contingency import Array, Contingency, add_up
from ..metrics.repetitions import Overlap
from ..options import Options
from ..scoring.counts import count, needed
from .evidence import Evidence
from .repairs import Correction, realigned

AT_ONCE = 1 << 15  # mentions of alignments that are stacked; larger ones gain nothing


class Groups(NamedTuple):
    """Things in the order of their parts: `order`, where each part begins there, and the place of each in its part."""

    order: IntArray
    bounds: list[int]
    place: IntArray

    @classmethod
    def of(cls, part: IntArray, parts: int) -> Groups:
        order = np.argsort(part, kind="stable")
        bounds = np.searchsorted(part[order], np.arange(parts + 1))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order)) - bounds[part[order]]
        return cls(order, bounds.tolist(), place)

    def slices(self) -> list[slice]:
        return [slice(start, stop) for start, stop in pairwise(self.bounds)]

    def sums(self, values: Array) -> Array:
        """The sum of each part, added up as if it were alone."""
        values = values[self.order]
        return np.array([np.add.reduce(values[part]) for part in self.slices()], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Stack(Contingency):
    """The tables of several responses in one. Every part has the same number of blocks."""

    parts: int = 1

    @classmethod
    def of_parts(cls, parts: int, alignment: Alignment, exact: bool, repeated: Overlap, split: bool) -> Stack:
        """The table of an alignment that consists of so many parts."""
        return replace(cls.of(alignment, exact, repeated, split), parts=parts)

    def cells(self, values: Array) -> Array:
        return self._summed(self._cells, self.block, values)

    def keys(self, values: Array) -> Array:
        return self._summed(self._keys, self.key_block, values)

    def responses(self, values: Array) -> Array:
        return self._summed(self._responses, self.response_block, values)

    def best_alignment(self, similarity: Array) -> Array:
        i, j = self._keys.place[self.i], self._responses.place[self.j]
        keys, responses = np.diff(self._keys.bounds).tolist(), np.diff(self._responses.bounds).tolist()
        chosen = np.zeros(len(similarity), dtype=bool)
        for part, cells in enumerate(self._cells.slices()):
            here = self._cells.order[cells]
            chosen[here] = assign(i[here], j[here], similarity[here], keys[part], responses[part])
        return self.cells(np.where(chosen, similarity, 0))

    def _summed(self, groups: Groups, block: IntArray, values: Array) -> Array:
        """One number per block. A part of one block is added up as a table of one block is: see `add_up`."""
        if self.blocks == self.parts:
            return groups.sums(values)
        return add_up(block, values, self.blocks)

    @cached_property
    def _cells(self) -> Groups:
        return self._groups(self.block)

    @cached_property
    def _keys(self) -> Groups:
        return self._groups(self.key_block)

    @cached_property
    def _responses(self) -> Groups:
        return self._groups(self.response_block)

    def _groups(self, block: IntArray) -> Groups:
        blocks_of_a_part = self.blocks // self.parts
        return Groups.of(block // blocks_of_a_part, self.parts)


def recounted(evidence: Evidence, metrics: Sequence[str], corrections: Sequence[Correction]) -> list[Array]:
    """The counts of each corrected response: one row per block, or only the row of the block in which it differs."""
    options = evidence.matched.options
    alignments = (_alignment(evidence, correction) for correction in corrections)
    found: dict[int, Array] = {}
    for numbers, stack in _stacks(alignments, can_be_stacked(metrics, options)):
        matched = evidence.matched.rearranged(stack)
        labels = [""] * stack.blocks
        table = partial(Stack.of_parts, len(numbers)) if len(numbers) > 1 else Contingency.of
        counts, _ = count(matched, metrics, labels=labels, table=table)
        found |= zip(numbers, np.split(counts.values, len(numbers)), strict=True)
    return [found[number] for number in range(len(corrections))]


def can_be_stacked(metrics: Sequence[str], options: Options) -> bool:
    """Not if something is looked up by a mention, which several parts have: repetitions, and what is annotated beside
    the entities."""
    return options.duplicates != "perl" and not any(metric.other_anaphora for metric in needed(metrics, options))


def _alignment(evidence: Evidence, correction: Correction) -> Alignment:
    """The alignment with a corrected response, or only its block."""
    if correction.block is None:
        return realigned(evidence, correction.column)
    alignment = realigned(evidence, correction.column, evidence.members[correction.block])
    key, keys = _renumbered(alignment.key)
    response, responses = _renumbered(alignment.response)
    return replace(
        alignment,
        key=key,
        response=response,
        key_block=np.zeros(keys, dtype=np.int64),
        response_block=np.zeros(responses, dtype=np.int64),
        blocks=1,
        other_anaphora=alignment.other_anaphora.only(correction.block),
    )


def _renumbered(entity: IntArray) -> tuple[IntArray, int]:
    """The entities numbered without gaps, in the same order, and how many they are."""
    used = np.zeros(int(entity.max(initial=-1)) + 2, dtype=bool)  # the last place is for −1, which stays
    used[entity] = True
    used[-1] = False
    number = np.cumsum(used) - 1
    number[-1] = -1
    return number[entity], int(np.count_nonzero(used))


def _stacks(alignments: Iterator[Alignment], possible: bool) -> Iterator[tuple[list[int], Alignment]]:
    """The alignments in stacks, with their numbers. Those of a stack have equally many blocks."""
    waiting: dict[int, dict[int, Alignment]] = {}
    for number, alignment in enumerate(alignments):
        stack = waiting.setdefault(alignment.blocks, {})
        if stack and (not possible or sum(len(x.key) for x in stack.values()) + len(alignment.key) > AT_ONCE):
            yield [*stack], stacked([*stack.values()])
            stack.clear()
        stack[number] = alignment
    for stack in waiting.values():
        yield [*stack], stacked([*stack.values()])


def stacked(parts: Sequence[Alignment]) -> Alignment:
    """Several alignments of the same mentions as one, with entities and blocks of their own."""
    first = parts[0]
    if len(parts) == 1:
        return first
    blocks = [number * first.blocks for number in range(len(parts))]
    return replace(
        first,
        key=_shifted([part.key for part in parts], [len(part.key_block) for part in parts]),
        response=_shifted([part.response for part in parts], [len(part.response_block) for part in parts]),
        key_block=np.concatenate([part.key_block + block for part, block in zip(parts, blocks, strict=True)]),
        response_block=np.concatenate([part.response_block + block for part, block in zip(parts, blocks, strict=True)]),
        blocks=first.blocks * len(parts),
        key_rows=np.concatenate([part.key_rows for part in parts]),
        response_rows=np.concatenate([part.response_rows for part in parts]),
    )


def _shifted(columns: Sequence[IntArray], entities: Sequence[int]) -> IntArray:
    """Columns of entities one after the other, with different numbers for the entities of each; −1 stays."""
    before = np.cumsum([0, *entities[:-1]]).tolist()
    return np.concatenate([np.where(x >= 0, x + shift, -1) for x, shift in zip(columns, before, strict=True)])
