"""The one table: how many mentions each key entity shares with each response entity.

Notation, here and in every metric: K_i key entities, R_j response entities, n_ij = |K_i ∩ R_j|, a_i = |K_i|,
b_j = |R_j|; sizes include twinless mentions. Only the cells with n_ij > 0 are kept, for the whole corpus at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..matching.alignment import Alignment
from .assignment import assign

# int64 or float64 for speed, or Fractions in an object array: metrics are written once for both.
Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Contingency:
    """Cells (i, j, n) sorted by (i, j), entity sizes a and b, and the block each entity belongs to.

    `cells`, `keys` and `responses` sum a value per cell, per key entity or per response entity into one number a block.
    """

    i: IntArray
    j: IntArray
    n: Array
    a: Array
    b: Array
    key_block: IntArray
    response_block: IntArray
    blocks: int
    ranks: Callable[[], tuple[IntArray, IntArray]] = field(repr=False)

    @classmethod
    def of(cls, alignment: Alignment, exact: bool = False) -> Self:
        """The table of an alignment; entities that a policy emptied are gone."""
        key, key_block = _without_empty(alignment.key, alignment.key_block)
        response, response_block = _without_empty(alignment.response, alignment.response_block)
        a = np.bincount(key[key >= 0], minlength=len(key_block))
        b = np.bincount(response[response >= 0], minlength=len(response_block))
        twins = (key >= 0) & (response >= 0)
        width = max(len(response_block), 1)
        packed = np.sort(key[twins] * width + response[twins])
        first = np.flatnonzero(np.concatenate(([True], packed[1:] != packed[:-1]))[: len(packed)])
        n = np.diff(np.append(first, len(packed)))
        i, j = np.divmod(packed[first], width)

        def ranks() -> tuple[IntArray, IntArray]:
            return _earliest(key, alignment.rank, len(a)), _earliest(response, alignment.rank, len(b))

        if exact:
            n, a, b = (np.array([Fraction(x) for x in v.tolist()] or [], dtype=object) for v in (n, a, b))
        return cls(i, j, n, a, b, key_block, response_block, alignment.blocks, ranks)

    # Per cell: the sizes of the entities that meet in it, and the block.

    @cached_property
    def ai(self) -> Array:
        return self.a[self.i]

    @cached_property
    def bj(self) -> Array:
        return self.b[self.j]

    @cached_property
    def block(self) -> IntArray:
        return self.key_block[self.i]

    # Per entity: mentions that the other side has too, and the largest part that one entity of the other side holds.

    @cached_property
    def key_common(self) -> Array:
        return _sum(self.i, self.n, len(self.a))

    @cached_property
    def response_common(self) -> Array:
        return _sum(self.j, self.n, len(self.b))

    @cached_property
    def key_largest(self) -> Array:
        return _largest(self.i, self.n, len(self.a))

    @cached_property
    def response_largest(self) -> Array:
        return _largest(self.j, self.n, len(self.b))

    def cells(self, values: Array) -> Array:
        return _sum(self.block, values, self.blocks)

    def keys(self, values: Array) -> Array:
        return _sum(self.key_block, values, self.blocks)

    def responses(self, values: Array) -> Array:
        return _sum(self.response_block, values, self.blocks)

    def best_alignment(self, similarity: Array) -> Array:
        """Σ of the similarities of the best one-to-one alignment of key and response entities, a number a block."""
        chosen = assign(self.i, self.j, similarity, len(self.a), len(self.b))
        return self.cells(np.where(chosen, similarity, 0))


def _sum(group: IntArray, values: Array, groups: int) -> Array:
    """Sum of the values of each group; exact for Fractions, and for integers below 2⁵³."""
    if values.dtype == object:
        total = np.full(groups, Fraction(0), dtype=object)
        np.add.at(total, group, values)
        return total
    if groups == 1:
        return np.array([values.sum()], dtype=np.float64)
    return np.bincount(group, weights=values, minlength=groups)


def _largest(group: IntArray, values: Array, groups: int) -> Array:
    largest = np.full(groups, Fraction(0), dtype=object) if values.dtype == object else np.zeros(groups, values.dtype)
    np.maximum.at(largest, group, values)
    return largest


def _earliest(entity: IntArray, rank: IntArray, entities: int) -> IntArray:
    """Rank of the first mention of each entity."""
    first = np.full(entities, len(entity), dtype=np.int64)
    has = entity >= 0
    np.minimum.at(first, entity[has], rank[has])
    return first


def _without_empty(entity: IntArray, block: IntArray) -> tuple[IntArray, IntArray]:
    """Renumber densely if some entities have no mention left."""
    used = np.zeros(len(block), dtype=bool)
    used[entity[entity >= 0]] = True
    if used.all():
        return entity, block
    number = np.append(np.cumsum(used) - 1, -1)  # the last one serves entity −1
    return number[entity], block[used]
