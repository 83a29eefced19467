"""What errors cost: the exact change of every metric when they are corrected.

Counts add over blocks (documents, or wider scopes), so a repair within one block recounts only that block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ..metrics import METRICS
from ..metrics.contingency import Array
from ..scoring.counts import Counts, needed
from ..scoring.finalize import finalize, finalize_values
from ..scoring.scores import Scores
from .evidence import Evidence
from .findings import Change
from .recount import recounted
from .repairs import Correction

Numbers: TypeAlias = Mapping[str, float]  # metric → its F1 or value, nan if it is n/a


class Prices:
    """Scores of corrected responses, found for many corrections at once."""

    def __init__(self, evidence: Evidence, metrics: Sequence[str]) -> None:
        self.evidence, self.metrics = evidence, list(metrics)
        self.options = evidence.matched.options

    @cached_property
    def start(self) -> Counts:
        """The counts of the response as it is."""
        [values] = recounted(self.evidence, self.metrics, [Correction(self.evidence.alignment.response)])
        return Counts(self.evidence.pairing.labels, self._columns, values)

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        return tuple(name for metric in needed(self.metrics, self.options) for name in metric.headings)

    @cached_property
    def now(self) -> Scores:
        """The scores of the response as it is."""
        return self._scores(self.start.values)

    @cached_property
    def numbers_now(self) -> Numbers:
        return self._numbers([self.start.values])[0]

    def scores(self, correction: Correction) -> Scores:
        """The scores of a corrected response."""
        return self._scores(self._values([correction])[0])

    def numbers(self, corrections: Sequence[Correction]) -> list[Numbers]:
        """The F1 (or value) of every metric after each of several corrections."""
        return self._numbers(self._values(corrections))

    def numbers_in_turn(self, corrections: Sequence[Correction]) -> list[Numbers]:
        """The same, if the block of each correction is the only one that differs from the correction before it."""
        values = self.start.values
        found = []
        for correction, counted in zip(corrections, self._counted(corrections), strict=True):
            values = _with_block(values, correction.block, counted)
            found.append(values)
        return self._numbers(found)

    def changes(self, corrections: Sequence[Correction]) -> list[Change]:
        """What each of several corrections changes."""
        return [self.change(numbers) for numbers in self.numbers(corrections)]

    def change(self, after: Numbers, before: Numbers | None = None) -> Change:
        """Metric → change of its F1 (or value). n/a counts as 0, as in averages."""
        before = before or self.numbers_now
        return {name: _or_zero(after[name]) - _or_zero(before[name]) for name in self.metrics}

    def _counted(self, corrections: Sequence[Correction]) -> list[Array]:
        return recounted(self.evidence, self.metrics, corrections)

    def _values(self, corrections: Sequence[Correction]) -> list[Array]:
        """The counts of all blocks after each correction."""
        return [
            _with_block(self.start.values, correction.block, counted)
            for correction, counted in zip(corrections, self._counted(corrections), strict=True)
        ]

    def _scores(self, values: Array) -> Scores:
        return Scores(finalize(replace(self.start, values=values), self.metrics, self.options))

    def _numbers(self, responses: Sequence[Array]) -> list[Numbers]:
        """The numbers of each response, of which the counts of all blocks are given."""
        if not responses:
            return []
        if self._is_mean:
            return [{name: float(score.main) for name, score in self._scores(values).items()} for values in responses]
        sums = np.concatenate([replace(self.start, values=values).total for values in responses])
        found = finalize_values(self.start, sums, self.metrics, self.options)
        columns = [found[name][0][_main(name)].astype(np.float64).tolist() for name in self.metrics]
        return [dict(zip(self.metrics, row, strict=True)) for row in zip(*columns, strict=True)]

    @cached_property
    def _is_mean(self) -> bool:
        """Whether a score is a mean over blocks."""
        metrics = needed(self.metrics, self.options)
        return self.options.average == "macro" or any(metric.aggregation == "macro" for metric in metrics)


def _with_block(values: Array, block: int | None, counted: Array) -> Array:
    """The counts of all blocks, of which one has other counts; or all of them, if no block is named."""
    if block is None:
        return counted
    values = values.copy()
    values[block] = counted[0]
    return values


def _main(name: str) -> str:
    """The number by which responses are compared."""
    return "value" if "value" in METRICS[name].values else "f1"


def _or_zero(number: float) -> float:
    return number if number == number else 0.0
