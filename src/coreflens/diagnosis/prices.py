"""What errors cost: the exact change of every metric when they are corrected.

Counts add over blocks (documents, or wider scopes), so a repair within one block recounts only that block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..corpus.model import IntArray
from ..metrics import METRICS
from ..scoring.counts import Counts, count
from ..scoring.finalize import finalize
from ..scoring.scores import Scores, or_none
from .evidence import Evidence
from .repairs import realigned


class Prices:
    """Scores of corrected responses."""

    def __init__(self, evidence: Evidence, metrics: Sequence[str]) -> None:
        self.evidence, self.metrics = evidence, list(metrics)
        self.options = evidence.matched.options

    def counts(self, column: IntArray, block: int | None = None) -> Counts:
        rows = None if block is None else self._members[block]
        alignment = realigned(self.evidence, column, rows)
        if block is not None:
            zero = np.zeros_like
            alignment = replace(
                alignment,
                key_block=zero(alignment.key_block),
                response_block=zero(alignment.response_block),
                blocks=1,
                other_anaphora=alignment.other_anaphora.only(block),
            )
        labels = None if block is None else [self.evidence.pairing.labels[block]]
        return count(self.evidence.matched.rearranged(alignment), self.metrics, labels=labels)[0]

    @cached_property
    def _members(self) -> list[IntArray]:
        block = self.evidence.whole.block
        order = np.argsort(block, kind="stable")
        stops = np.searchsorted(block[order], np.arange(1, self.evidence.pairing.blocks))
        return np.split(order, stops)

    @cached_property
    def start(self) -> Counts:
        """The counts of the response as it is."""
        return self.counts(self.evidence.alignment.response)

    @cached_property
    def now(self) -> Scores:
        return self._scores(self.start)

    def _scores(self, counts: Counts) -> Scores:
        return Scores(finalize(counts, self.metrics, self.options))

    def scores(self, column: IntArray, block: int | None = None) -> Scores:
        """Scores of a corrected response. `block`: the only block in which it differs."""
        return self._scores(self.after(column, block, self.start))

    def after(self, column: IntArray, block: int | None, before: Counts) -> Counts:
        """The counts of a corrected response. `block`: the only block in which it differs from the one of `before`."""
        counts = self.counts(column, block)
        if block is None:
            return counts
        values = before.values.copy()
        values[block] = counts.values[0]
        return replace(before, values=values)

    def in_turn(self, steps: Iterable[tuple[IntArray, int | None]]) -> Iterator[Scores]:
        """The scores after each of several corrections: the column, and the only block that differs from before."""
        counts = self.start
        for column, block in steps:
            counts = self.after(column, block, counts)
            yield self._scores(counts)

    def block(self, rows: IntArray) -> int | None:
        """The block of these mentions, if all are in one block."""
        blocks = self.evidence.whole.block[rows]
        return int(blocks[0]) if len(blocks) and (blocks == blocks[0]).all() else None

    def change(self, after: Scores, before: Scores | None = None) -> dict[str, float]:
        """Metric → change of its F1 (or value). n/a counts as 0, as in averages."""
        before = before or self.now
        return {name: _main(after, name) - _main(before, name) for name in self.metrics}


def _main(scores: Scores, name: str) -> float:
    return or_none(scores[name].main) or 0.0


def titles(metrics: Sequence[str]) -> list[str]:
    return [METRICS[name].title for name in metrics]
