"""torchmetrics: a Metric whose state is the counts of its documents, one row for each.

    from coreflens.integrations.torchmetrics import CorefMetric

    metric = CorefMetric(metrics="conll")                       # beside options of torchmetrics.Metric
    metric.update([predicted, ...], [gold, ...])                # predictions first; clusters, one document each
    metric.compute()["conll"]; metric.result().bootstrap()

torchmetrics synchronises the processes: it concatenates their rows, so the score is the same as with one process.
This module needs `pip install 'coreflens[torchmetrics]'`. `coreflens.integrations.CorefMetric` needs no package and has
the same methods.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..corpus.model import Document
from ..errors import Issue, UsageError
from ..extras import extra
from ..formats import Input
from ..scoring.counts import Counts, needed
from ..scoring.result import Result
from ..scoring.scorer import Accumulator, merge_issues
from .batches import Batch, Order
from .samples import flat

_HERE = "coreflens.integrations.torchmetrics"
_torch: Any = extra("torch", _HERE, "torchmetrics")
_torchmetrics: Any = extra("torchmetrics", _HERE)

_OWN = (  # the arguments of torchmetrics.Metric
    "compute_on_cpu", "dist_sync_on_step", "process_group", "dist_sync_fn", "distributed_available_fn",
    "sync_on_compute", "compute_with_cache",
)  # fmt: skip


class CorefMetric(_torchmetrics.Metric):  # type: ignore[misc]
    """Predictions come before targets, a batch of documents at a time. The settings are those of
    `coreflens.Accumulator`."""

    is_differentiable = False
    higher_is_better = True
    full_state_update = False

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{name: settings.pop(name) for name in _OWN if name in settings})
        blank = Accumulator(**settings)
        if blank.exact:
            raise UsageError("the state of torchmetrics is floats, so exact=True can't be used")
        self._settings = settings
        self._found: list[Issue] = []
        self._order = Order()
        self._columns = tuple(
            f"{m.name}.{column}" for m in needed(blank.metrics, blank.options) for column in m.columns
        )
        # one dimension, so that the empty rows of a process without documents can be concatenated with the others
        self.add_state("rows", default=[], dist_reduce_fx="cat")
        self.set_dtype(_torch.float64)  # also for a process without documents

    def update(
        self,
        preds: Iterable[Input] | None = None,
        target: Iterable[Input] | None = None,
        *,
        response: Iterable[Input] | None = None,
        key: Iterable[Input] | None = None,
    ) -> None:
        """Add a batch of documents. `response` and `key` are other names of `preds` and `target`."""
        given = Batch.of(preds, target, response, key)
        self._order.see(given)
        batch = Accumulator(**self._settings)
        for predicted, gold in given.pairs():
            batch.update(gold, predicted)
        if given.preds:
            values = batch.compute().counts.values.astype(np.float64).ravel()
            self.rows.append(_torch.tensor(values, dtype=_torch.float64, device=self.device))
            self._found += batch.issues

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch and return its values."""
        before, self._found = self._found, []  # torchmetrics resets and restores the state meanwhile
        values = super().forward(*args, **kwargs)
        self._found = before + self._found
        return values

    def compute(self) -> dict[str, Any]:
        """Recall, precision and F1 by name (`muc_f1`), and averages by theirs (`conll`), as tensors between 0 and 1."""
        return {name: _torch.tensor(x, dtype=_torch.float64) for name, x in flat(self.result()).items()}

    def result(self) -> Result:
        """The result of the documents of this process; within `compute`, of all processes."""
        parts = self.rows if isinstance(self.rows, list) else [self.rows]
        if not parts or not sum(part.numel() for part in parts):
            raise UsageError("nothing to compute: update was never called")
        values = _torch.cat(list(parts)).cpu().numpy().reshape(-1, len(self._columns))
        labels = [str(number) for number in range(1, len(values) + 1)]
        counts = Counts(labels, self._columns, values, [Document(label) for label in labels])
        made = Accumulator(**self._settings)
        return Result(counts, made.metrics, made.options, made.protocol, self.issues)

    @property
    def issues(self) -> list[Issue]:
        """Messages about the documents of this process, for instance about repeated mentions."""
        return [*self._order.issues(), *merge_issues(self._found)]

    def reset(self) -> None:
        super().reset()
        self._found = []
        self._order.start_again()
