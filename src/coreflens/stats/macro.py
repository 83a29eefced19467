"""Samples of several datasets whose scores are means over the datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise

import numpy as np

from ..errors import UsageError
from ..integers import repeat
from ..metrics.contingency import Array
from ..scoring.counts import Counts
from .sample import Sample


@dataclass(frozen=True, eq=False)
class MacroSample(Sample):
    """The units of several datasets, one dataset after the other; each dataset is a stratum with its own columns.

    A unit has 0 in the columns of other datasets, so sums over units keep the datasets apart in every draw and swap.
    Thus every test and interval of a `Sample` becomes one of the mean over datasets.
    """

    parts: tuple[Sample, ...] = ()

    @property
    def pieces(self) -> list[tuple[int, int, Array]]:
        """The units and counts of each dataset."""
        borders = pairwise([0, *accumulate(len(part) for part in self.parts)])
        return [(*border, part.counts.values) for border, part in zip(borders, self.parts, strict=True)]

    def compared(self, columns: Sequence[Array]) -> list[Array]:
        """The mean over datasets of the number to compare, by each metric."""
        rest = iter(columns)
        found = [part.compared([*islice(rest, len(part.counts.columns))]) for part in self.parts]
        return [np.mean(np.broadcast_arrays(*of), axis=0) for of in zip(*found, strict=True)]

    def scores(self, sums: Array) -> Array:
        """The plain mean over datasets of each score, for each row of sums; undefined if one of them is."""
        borders = np.cumsum([len(part.counts.columns) for part in self.parts])[:-1]
        pieces = np.split(sums, borders, axis=1)
        found: Array = np.mean([part.scores(piece) for part, piece in zip(self.parts, pieces, strict=True)], axis=0)
        return found

    def of_units(self) -> tuple[Array, Array]:
        """The number by which units are compared, for every unit, as in its own dataset."""
        values, undefined = zip(*(part.of_units() for part in self.parts), strict=True)
        return np.concatenate(values), np.concatenate(undefined)

    def sizes(self) -> Array | None:
        """None: all datasets have the same weight, so no document counts more because it has more mentions."""
        return None


def macro_sample(parts: Mapping[str, Sample]) -> MacroSample:
    """Samples of datasets as one whose scores are the means over datasets."""
    first = next(iter(parts.values()))
    for part in parts.values():
        if (part.metrics, part.options) != (first.metrics, first.options):
            raise UsageError("datasets that were scored with different metrics or options have no mean")
    labels = [f"{name}: {label}" for name, part in parts.items() for label in part.labels]
    columns = tuple(f"{column} of {name}" for name, part in parts.items() for column in part.counts.columns)
    values = np.zeros((len(labels), len(columns)))
    row = column = 0
    for part in parts.values():
        height, width = part.counts.values.shape
        values[row : row + height, column : column + width] = part.counts.values
        row, column = row + height, column + width
    stratum = repeat(np.arange(len(parts)), [len(part) for part in parts.values()])
    counts = Counts(labels, columns, values)
    return MacroSample(labels, counts, first.metrics, first.options, stratum, tuple(parts.values()), word=first.word)
