"""A metric for a loop with any framework or none. It has the methods of every torchmetrics metric."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import Issue
from ..formats import Input
from ..scoring.result import Result
from ..scoring.scorer import Accumulator
from .batches import Batch, Order
from .samples import flat


class CorefMetric:
    """A metric with update, compute and reset. Predictions come before targets, a batch of documents at a time.

    `coreflens.Accumulator` has the other order, as all functions of coreflens: the key comes first. With their names,
    `response=` and `key=`, both take the sides in any order.

        metric = CorefMetric(metrics="conll")
        metric.update([predicted, ...], [gold, ...])            # predictions first; clusters, one document each
        metric.compute()["conll"]; metric.compute()["muc_recall"]
        metric.reset()

    If it is called like a function, it adds a batch and returns the values of the batch. `merge_state` adds what
    another process has collected. The settings are those of `coreflens.Accumulator`. All values are between 0 and 1.
    """

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self._accumulator = Accumulator(**settings)
        self._order = Order()

    def update(
        self,
        preds: Iterable[Input] | None = None,
        target: Iterable[Input] | None = None,
        *,
        response: Iterable[Input] | None = None,
        key: Iterable[Input] | None = None,
    ) -> None:
        """Add a batch of documents. `response` and `key` are other names of `preds` and `target`."""
        batch = Batch.of(preds, target, response, key)
        self._order.see(batch)
        for predicted, gold in batch.pairs():
            self._accumulator.update(gold, predicted)

    def compute(self) -> dict[str, float]:
        """Recall, precision and F1 by name (`muc_f1`), and averages by theirs (`conll`)."""
        return flat(self.result())

    def result(self) -> Result:
        """The result so far, with its signature, and for intervals and tests."""
        return self._order.noted(self._accumulator.compute())

    @property
    def issues(self) -> list[Issue]:
        """Messages about the documents, for instance about repeated mentions."""
        return [*self._order.issues(), *self._accumulator.issues]

    def reset(self) -> None:
        self._accumulator.reset()
        self._order.start_again()

    def __call__(
        self,
        preds: Iterable[Input] | None = None,
        target: Iterable[Input] | None = None,
        *,
        response: Iterable[Input] | None = None,
        key: Iterable[Input] | None = None,
    ) -> dict[str, float]:
        """Add a batch and return its values."""
        batch = Batch.of(preds, target, response, key)
        self._order.see(batch)
        alone = CorefMetric(**self._settings)
        alone.update(batch.preds, batch.target)
        self.merge_state(alone)
        return alone.compute()

    forward = __call__

    def merge_state(self, other: CorefMetric) -> None:
        self._accumulator.merge(other._accumulator)
