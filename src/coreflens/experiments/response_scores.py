"""Scores of many small responses to one key, computed all at once.

Each distinct response to a document is a document of one large corpus. So it is scored only once, whatever the other
documents of its responses are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import Issue, UsageError
from ..metrics import METRICS, Average
from ..options import Policies
from ..scoring.counts import Counts, count
from ..scoring.finalize import finalize_values
from ..scoring.scorer import Scorer
from ..scoring.settings import Metrics
from .lattice import Labels, Response, entities

Floats: TypeAlias = npt.NDArray[np.float64]


class ResponseScores:
    """The scores of responses to a key, each of which is added once.

    key        the entities of the key
    names      of its mentions, by document
    policies   as for `score`
    """

    def __init__(
        self,
        key: Response,
        names: Sequence[Sequence[object]],
        metrics: Metrics | None,
        policies: Policies,
    ) -> None:
        self.key, self._names, self._policies = key, names, policies
        small = {str(d): entities(labels, names[d]) for d, labels in enumerate(key)}
        scorer = Scorer(small, metrics=metrics, **policies)
        if scorer.options.scope != "document":
            raise UsageError("responses are made document by document: use --scope document")
        self.metrics, self.signature = list(scorer.metrics), str(scorer(small).signature)
        self.issues: list[Issue] = []
        self._known: dict[Response, dict[str, float]] = {}

    def of(self, metric: str, responses: Sequence[Response]) -> Floats:
        """The scores of responses that were added."""
        return np.array([self._known[response][metric] for response in responses])

    def add(self, responses: Sequence[Response]) -> None:
        """Score responses."""
        new = [response for response in dict.fromkeys(responses) if response not in self._known]
        numbers: dict[tuple[int, Labels], int] = {}
        for response in new:
            for d, labels in enumerate(response):
                numbers.setdefault((d, labels), len(numbers))
        key, answer = {}, {}
        for (d, labels), number in numbers.items():
            key[str(number)] = entities(self.key[d], self._names[d])
            answer[str(number)] = entities(labels, self._names[d])
        policies: Policies = {**self._policies, "no_common": "score"}
        scorer = Scorer(key, metrics=self.metrics, **policies)
        counts, _ = count(scorer.match(answer), scorer.metrics)  # n/a for metrics that need equal mentions
        row_of = {label: row for row, label in enumerate(counts.labels)}
        rows = [[row_of[str(numbers[d, labels])] for d, labels in enumerate(response)] for response in new]
        values = _values(counts, np.array(rows, dtype=np.int64), scorer)
        for place, response in enumerate(new):
            self._known[response] = {metric: float(numbers_[place]) for metric, numbers_ in values.items()}


def _values(counts: Counts, rows: npt.NDArray[np.int64], scorer: Scorer) -> dict[str, Floats]:
    """F1 or the value of every response, from the sums over its documents or as the mean of their scores."""
    sums = counts.values[rows].sum(axis=1)
    of_sums = finalize_values(counts, sums, scorer.metrics, scorer.options)
    values = {metric: _main(of_sums[metric][0]) for metric in scorer.metrics}
    means = [metric for metric in scorer.metrics if _is_mean_of_documents(metric, scorer)]
    if means and rows.shape[1] > 1:
        of_documents = finalize_values(counts, counts.values, scorer.metrics, scorer.options)
        values |= {metric: defined_mean(_main(of_documents[metric][0])[rows]) for metric in means}
    return values


def _is_mean_of_documents(metric: str, scorer: Scorer) -> bool:
    if isinstance(METRICS[metric], Average):
        return False
    return scorer.options.average == "macro" or getattr(METRICS[metric], "aggregation", "") == "macro"


def defined_mean(x: Floats) -> Floats:
    """The mean along the last axis without undefined numbers; nan if all are undefined."""
    there = x == x
    number = there.sum(axis=-1)
    return np.where(number, np.where(there, x, 0).sum(axis=-1) / np.maximum(number, 1), np.nan)


def _main(values: Any) -> Floats:
    return np.asarray(values["f1"] if "f1" in values else values["value"], dtype=np.float64)
