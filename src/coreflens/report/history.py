"""The stages of a system, on paper."""

from __future__ import annotations

from collections.abc import Sequence

from ..experiments.history import Stage, shown_metrics
from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..paper.table import Table
from ..scoring.settings import Metrics
from .intervals import bounded


def staged(stages: Sequence[Stage], metrics: Sequence[str], seed: int, digits: int, *, exact: bool) -> Table:
    """One row for each stage: date, documents, and every metric with its interval."""
    if exact:  # for machines: one row for each stage and metric, at full precision
        rows = []
        for stage in stages:
            for metric in metrics:
                found = stage.interval(metric, seed)
                numbers = ["" if x != x else repr(x) for x in (found.score, found.low, found.high)]
                rows.append([stage.label, stage.date, metric, *numbers])
        return Table(["stage", "date", "metric", "score", "low", "high"], rows)
    rows = [
        [s.label, s.date, str(len(s.result.counts)), *(bounded(s.interval(m, seed), digits) for m in metrics)]
        for s in stages
    ]
    header = ["stage", "date", "documents", *(METRICS[m].title for m in metrics)]
    return Table(header, rows, left=frozenset({0, 1}), name="Scores by stage, with 95 % intervals")


def history_plot(stages: Sequence[Stage], metrics: Metrics | None = None, seed: int = 0) -> Plot:
    """The score of every stage, by metric, with its interval as a band; stages are in order."""
    names = shown_metrics(stages, metrics)
    across = list(map(float, range(1, len(stages) + 1)))
    series = []
    for metric in names:
        intervals = [stage.interval(metric, seed) for stage in stages]
        scores = [100 * interval.score for interval in intervals]
        low = [100 * (i.low if i.low == i.low else i.score) for i in intervals]
        high = [100 * (i.high if i.high == i.high else i.score) for i in intervals]
        series.append(Series(METRICS[metric].title, across, scores, low, high, labels=[s.label for s in stages]))
    return Plot("stages", "Progress over stages", "", "F1", series)
