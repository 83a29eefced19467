"""What can be drawn: the units of a response, in an order that does not depend on the order of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import path as file_path
from typing import Any

import numpy as np

from ..corpus.columns import Column, numbered
from ..corpus.model import IntArray
from ..errors import InputError, UsageError
from ..files.finding import find
from ..formats.reading import opened
from ..formats.shared.cells import columns as spelled
from ..formats.shared.cells import load
from ..formats.table import SPELLINGS
from .clustering import Clustering
from .designs import UNITS, By
from .ratios import Numbers

SIZES = ((1, "1"), (2, "2"), (5, "3-5"), (20, "6-20"))  # strata by the size of the cluster, up to so many records
LARGER = "21+"


@dataclass(frozen=True, eq=False)
class Frame:
    """The units of a response.

    unit    the number of each record's unit
    units   how many there are; they are numbered in the order of their first records' names
    """

    response: Clustering
    by: By
    unit: IntArray
    units: int

    @classmethod
    def of(cls, response: Clustering, by: By) -> Frame:
        """Records, or clusters; an input with entities has these as its clusters."""
        rank = _ranks(response)
        if by == "record":
            return cls(response, by, rank, len(response))
        first = np.full(len(response.labels), len(response), dtype=np.int64)
        np.minimum.at(first, response.cluster, rank)
        present = np.flatnonzero(first < len(response))
        number = np.full(len(first), -1, dtype=np.int64)
        number[present[np.argsort(first[present])]] = np.arange(len(present))
        return cls(response, by, number[response.cluster], len(present))

    @cached_property
    def records(self) -> IntArray:
        """The records by unit: those of unit u are records[bounds[u]:bounds[u + 1]]."""
        return np.lexsort((_ranks(self.response), self.unit))

    @cached_property
    def bounds(self) -> IntArray:
        """Where the records of each unit begin, and the end."""
        return np.searchsorted(self.unit[self.records], np.arange(self.units + 1))

    def members(self, unit: int) -> IntArray:
        """The records of a unit, by name."""
        return self.records[self.bounds[unit] : self.bounds[unit + 1]]

    @property
    def first(self) -> IntArray:
        """The first record of each unit."""
        return self.records[self.bounds[:-1]]

    def column(self, name: str) -> Sequence[str]:
        """A column of the input, one cell for each record."""
        attributes = self.response.corpus.attributes
        if name not in attributes:
            known = ", ".join(attributes) or "none"
            raise UsageError(f"the response has no column {name} (its other columns: {known[:200]})")
        cells = attributes[name]
        return [cells[row] for row in self.response.rows.tolist()]

    def sizes(self, what: str) -> Numbers:
        """The size of each unit: its records, or the sum of a column of numbers."""
        if what == "records":
            if self.by == "record":
                raise UsageError("--size records: every record is one record; --by cluster draws clusters by size")
            return np.bincount(self.unit, minlength=self.units).astype(np.float64)
        cells = self.column(what)
        try:
            numbers = np.array([float(cell) for cell in cells])
        except ValueError:
            wrong = next(row for row, cell in enumerate(cells) if not _is_number(cell))
            message = f"the size of the record {self.response.names[wrong]} is not a number: '{cells[wrong][:40]}'"
            raise InputError(message, file=self.response.corpus.source or None) from None
        wrong_rows = np.flatnonzero(~(np.isfinite(numbers) & (numbers > 0)))
        if len(wrong_rows):
            row = int(wrong_rows[0])
            message = f"the size of the record {self.response.names[row]} must be above 0, not {cells[row]}"
            raise InputError(message, file=self.response.corpus.source or None)
        return np.bincount(self.unit, numbers, minlength=self.units).astype(np.float64)

    def strata(self, what: str) -> tuple[IntArray, list[str]]:
        """The stratum of each unit, and the names of the strata."""
        if what == "size":
            size = self.response.sizes[self.response.cluster[self.first]]
            names = [name for _, name in SIZES] + [LARGER]
            number = np.searchsorted([most for most, _ in SIZES], size)
            present = np.unique(number)
            return np.searchsorted(present, number), [names[k] for k in present.tolist()]
        cells = self._labels(what) if file_path.exists(what) else self.column(what)
        codes, _ = numbered(list(cells))
        first = codes[self.first]
        apart = np.flatnonzero(codes != first[self.unit])
        if len(apart):
            name = self.response.names[int(apart[0])]
            raise InputError(f"{what} differs inside the {self.by} of the record {name}", hint="strata are of units")
        names = sorted({cells[row] for row in self.first.tolist()})
        place = {name: k for k, name in enumerate(names)}
        return np.array([place[cells[row]] for row in self.first.tolist()], dtype=np.int64), names

    def _labels(self, path: str) -> Sequence[str]:
        """The labels that a file gives to records."""
        source = opened(find(path).files[0])

        def needed(header: Sequence[str]) -> set[int]:
            places = spelled(header, {"record": ("record", *SPELLINGS["mention"])})
            return set(places.values()) if len(header) > 1 else set()

        header, _, cells = load(source, needed, "the columns are record and stratum")
        (record,) = needed(header)
        label = next(place for place in range(len(header)) if place != record)
        labels: Mapping[str, str] = dict(zip(cells[record], cells[label], strict=True))
        lacking = [name for name in self.response.names if str(name) not in labels]
        if lacking:
            raise InputError(f"the record {lacking[0]} has no label ({len(lacking)} have none)", file=path)
        return [labels[str(name)] for name in self.response.names]

    def pairs(self, stratum: IntArray, strata: int) -> Numbers:
        """Σ (b_j − 1) over the records of each stratum."""
        size = self.response.sizes[self.response.cluster]
        return np.bincount(stratum[self.unit], size - 1, minlength=strata).astype(np.float64)

    @property
    def word(self) -> str:
        """`records`, `clusters` or `entities`."""
        return UNITS[self.by]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _ranks(response: Clustering) -> IntArray:
    """The place of each record among all in the order of their names."""
    names: Any = response.named(response.docs is not None)
    if isinstance(names, Column):
        import pyarrow as pa
        from pyarrow import compute

        order = compute.sort_indices(pa.chunked_array(names.texts)).to_numpy().astype(np.int64)
    else:
        order = np.array(sorted(range(len(names)), key=lambda row: str(names[row])), dtype=np.int64)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank
