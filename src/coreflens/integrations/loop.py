"""A metric for a loop with any framework or none. It has the methods of every torchmetrics metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import Issue, UsageError
from ..scoring.result import Result
from ..scoring.scorer import Accumulator
from .samples import flat


class CorefMetric:
    """A metric with update, compute and reset. Predictions come before targets, a batch of documents at a time.

        metric = CorefMetric(metrics="conll")
        metric.update([predicted, ...], [gold, ...])            # clusters, one document each
        metric.compute()["conll"]; metric.compute()["muc_recall"]
        metric.reset()

    If it is called like a function, it adds a batch and returns the values of the batch. `merge_state` adds what
    another process has collected. The settings are those of `coreflens.Accumulator`. All values are between 0 and 1.
    """

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self._accumulator = Accumulator(**settings)

    def update(self, preds: Sequence[Iterable[Any]], target: Sequence[Iterable[Any]]) -> None:
        if len(preds) != len(target):
            raise UsageError(f"{len(preds)} predicted documents, but {len(target)} targets")
        for predicted, gold in zip(preds, target, strict=True):
            self._accumulator.update(gold, predicted)

    def compute(self) -> dict[str, float]:
        """Recall, precision and F1 by name (`muc_f1`), and averages by theirs (`conll`)."""
        return flat(self.result())

    def result(self) -> Result:
        """The result so far, with its signature, and for intervals and tests."""
        return self._accumulator.compute()

    @property
    def issues(self) -> list[Issue]:
        """Messages about the documents, for instance about repeated mentions."""
        return self._accumulator.issues

    def reset(self) -> None:
        self._accumulator.reset()

    def __call__(self, preds: Sequence[Iterable[Any]], target: Sequence[Iterable[Any]]) -> dict[str, float]:
        batch = CorefMetric(**self._settings)
        batch.update(preds, target)
        self.merge_state(batch)
        return batch.compute()

    forward = __call__

    def merge_state(self, other: CorefMetric) -> None:
        self._accumulator.merge(other._accumulator)
