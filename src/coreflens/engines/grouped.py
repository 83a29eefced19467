"""A contingency table as an engine sends it: equal cells and equal entities as one row, with their number.

Metrics are sums over cells and over entities, and each term depends only on sizes. So the engine groups the table by
block and sizes, and only counts and adds whole numbers. The same metrics as for the table in memory compute the sums
here. Ratios are therefore the same in every run and on every engine.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from ..corpus.model import IntArray
from ..errors import UsageError
from ..integers import bincount
from ..metrics.contingency import Array, Contingency

Rows: TypeAlias = dict[str, IntArray]

CELLS = ("block", "n", "a", "b", "common", "weight")
ENTITIES = ("block", "size", "common", "largest", "weight")
EXACT = 94_906_265  # up to so many mentions in a block, their square, and so every sum, is below 2⁵³


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows of equal cells (`CELLS`), of equal key entities and of equal response entities (`ENTITIES`).

    `common` of a cell is the number of mentions of its response entity that have a twin. `Twins` of
    matching/twinless.py explains the four changes.
    """

    cells: Rows
    keys: Rows
    responses: Rows
    blocks: int

    def without_spurious(self) -> Groups:
        kept = _take(self.responses, self.responses["common"] > 0)
        responses = {**kept, "size": kept["common"]}
        return replace(self, cells={**self.cells, "b": self.cells["common"]}, responses=responses)

    def without_spurious_singletons(self) -> Groups:
        spurious = (self.responses["size"] == 1) & (self.responses["common"] == 0)
        return replace(self, responses=_take(self.responses, ~spurious))

    def with_missing(self) -> Groups:
        keys, added = _completed(self.keys)
        one = np.ones_like(added["block"])
        cells = {**added, "n": one, "a": added["size"], "b": one, "common": one}
        return replace(self, cells=_both(self.cells, cells), keys=keys, responses=_both(self.responses, _single(added)))

    def with_spurious(self) -> Groups:
        responses, added = _completed(self.responses)
        one = np.ones_like(added["block"])
        cells = {**added, "n": one, "a": one, "b": added["size"], "common": added["size"]}
        cells = _both({**self.cells, "common": self.cells["b"]}, cells)
        return replace(self, cells=cells, keys=_both(self.keys, _single(added)), responses=responses)

    def table(self, exact: bool = False) -> Grouped:
        """The table for the metrics. Sums that floats can't represent exactly are computed with fractions."""
        return Grouped.of_groups(self, exact or self.largest_block > EXACT)

    @cached_property
    def largest_block(self) -> int:
        """The number of mentions in the largest block."""
        found = 0
        for rows in (self.keys, self.responses):
            weights = (rows["size"] * rows["weight"]).astype(np.float64)
            found = max(found, int(bincount(rows["block"], weights, minlength=1).max()))
        return found


def _take(rows: Rows, which: Any) -> Rows:
    return {name: column[which] for name, column in rows.items()}


def _both(rows: Rows, more: Rows) -> Rows:
    return {name: np.concatenate((column, more[name])) for name, column in rows.items()}


def _completed(entities: Rows) -> tuple[Rows, Rows]:
    """Entities in which every mention has a twin, and a row for the twins that were added for that."""
    lacking = entities["size"] - entities["common"]
    largest = np.where(lacking > 0, np.maximum(entities["largest"], 1), entities["largest"])
    added = _take({**entities, "weight": entities["weight"] * lacking}, lacking > 0)
    return {**entities, "common": entities["size"], "largest": largest}, added


def _single(added: Rows) -> Rows:
    one = np.ones_like(added["block"])
    return {"block": added["block"], "size": one, "common": one, "largest": one, "weight": added["weight"]}


@dataclass(frozen=True, eq=False)
class Grouped(Contingency):
    """The table for the metrics, in which the weight of a row says how many cells or entities it stands for."""

    groups: Groups = field(repr=False, kw_only=True)

    @classmethod
    def of_groups(cls, groups: Groups, exact: bool) -> Grouped:
        def column(rows: Rows, name: str) -> Array:
            values = rows[name]
            return np.array([Fraction(x) for x in values.tolist()] or [], dtype=object) if exact else values

        cells, keys, responses = groups.cells, groups.keys, groups.responses
        number = np.arange(len(cells["block"]))
        n = column(cells, "n")
        return cls(
            i=number,
            j=number,
            n=n,
            overlap=n,
            a=column(keys, "size"),
            b=column(responses, "size"),
            key_block=keys["block"],
            response_block=responses["block"],
            blocks=groups.blocks,
            ranks=_no_ranks,
            mentions=None,  # type: ignore[arg-type]  # metrics that look at mentions are refused before
            groups=groups,
        )

    def _values(self, rows: Rows, name: str) -> Array:
        exact = self.n.dtype == object or self.a.dtype == object
        return np.array([Fraction(x) for x in rows[name].tolist()] or [], dtype=object) if exact else rows[name]

    @cached_property
    def ai(self) -> Array:
        return self._values(self.groups.cells, "a")

    @cached_property
    def bj(self) -> Array:
        return self._values(self.groups.cells, "b")

    @cached_property
    def block(self) -> IntArray:
        return self.groups.cells["block"]

    @cached_property
    def key_common(self) -> Array:
        return self._values(self.groups.keys, "common")

    @cached_property
    def response_common(self) -> Array:
        return self._values(self.groups.responses, "common")

    @cached_property
    def key_largest(self) -> Array:
        return self._values(self.groups.keys, "largest")

    @cached_property
    def response_largest(self) -> Array:
        return self._values(self.groups.responses, "largest")

    def cells(self, values: Array) -> Array:
        return super().cells(values * self.groups.cells["weight"])

    def keys(self, values: Array) -> Array:
        return super().keys(values * self.groups.keys["weight"])

    def responses(self, values: Array) -> Array:
        return super().responses(values * self.groups.responses["weight"])

    def best_alignment(self, similarity: Array) -> Array:
        """The cells are already those of the best assignment: see ceaf.py."""
        return self.cells(similarity)


def _no_ranks() -> tuple[IntArray, IntArray]:
    raise UsageError("a metric that uses the order of mentions needs --engine memory")
