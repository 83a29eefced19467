"""A table whose sums are divided among groups of mentions, to count a metric by parts of a document.

The value of a cell or an entity is shared evenly among its mentions, and every mention belongs to one group. If 2 of
the 3 mentions of a cell are in one group and 1 in another, two thirds go to the first. So the groups of a document add
up to the document for every metric, and entities keep their sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np

from ..corpus.model import IntArray
from ..matching.alignment import Alignment
from .contingency import Array, Contingency, add_up


@dataclass(frozen=True, eq=False)
class Shares:
    """How things are divided among groups: the thing, the group, and the group's share of the thing."""

    thing: IntArray
    group: IntArray
    share: Array

    @classmethod
    def of(cls, thing: IntArray, group: IntArray, sizes: Array, groups: int, exact: bool) -> Self:
        """Shares from rows, one row per mention of a thing. `sizes` are the numbers of mentions of each thing."""
        code, times = np.unique(thing * max(groups, 1) + group, return_counts=True)
        things, group = np.divmod(code, max(groups, 1))
        if exact:
            shares = [Fraction(n, int(sizes[t])) for n, t in zip(times.tolist(), things.tolist(), strict=True)]
            return cls(things, group, np.array(shares or [], dtype=object))
        return cls(things, group, times / sizes[things].astype(np.float64))

    def sum(self, values: Array, groups: int) -> Array:
        """The values of the things, summed by group."""
        return add_up(self.group, values[self.thing] * self.share, groups)


@dataclass(frozen=True, eq=False)
class Divided(Contingency):
    """A contingency table that sums by group of mentions instead of by block."""

    groups: int = 0
    of_cells: Shares | None = None
    of_keys: Shares | None = None
    of_responses: Shares | None = None

    @classmethod
    def by(cls, alignment: Alignment, ours: IntArray, theirs: IntArray, groups: int, exact: bool, recall: bool) -> Self:
        """The table of an alignment whose mentions are in these groups on the key's and on the response's side.

        With `recall`, a mention that both sides have counts in the key's group, otherwise in the response's.
        """
        table = cls.of(alignment, exact)
        key, response = table.mentions.key, table.mentions.response
        width = max(len(table.b), 1)
        has, found = np.flatnonzero(key >= 0), np.flatnonzero(response >= 0)
        both = np.flatnonzero((key >= 0) & (response >= 0))
        cell = np.searchsorted(table.i * width + table.j, key[both] * width + response[both])
        return replace(
            table,
            groups=groups,
            of_cells=Shares.of(cell, (ours if recall else theirs)[both], table.n, groups, exact),
            of_keys=Shares.of(key[has], ours[has], table.a, groups, exact),
            of_responses=Shares.of(response[found], theirs[found], table.b, groups, exact),
        )

    def cells(self, values: Array) -> Array:
        assert self.of_cells is not None
        return self.of_cells.sum(values, self.groups)

    def keys(self, values: Array) -> Array:
        assert self.of_keys is not None
        return self.of_keys.sum(values, self.groups)

    def responses(self, values: Array) -> Array:
        assert self.of_responses is not None
        return self.of_responses.sum(values, self.groups)

    def items(self, block: IntArray, values: Array) -> Array:
        """Items that are neither mentions nor entities, such as questions, are in no group: n/a."""
        return np.full(self.groups, np.nan)

    def links_among(self, sums: Callable[[Array], Array], values: Array) -> Array:
        """The links among all mentions of a block, each link shared by its two mentions."""
        whole = Contingency.keys, Contingency.responses, Contingency.cells
        name = getattr(sums, "__name__", "")
        of_block = next(method for method in whole if method.__name__ == name)
        block = {"keys": self.key_block, "responses": self.response_block, "cells": self.block}[name]
        mentions = of_block(self, values)
        return sums(values * ((mentions - 1) / 2)[block])
