"""Tables of experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..metrics import METRICS
from ..report.tables import Table, points
from ..stats import Interval

if TYPE_CHECKING:
    from .history import Stage
    from .tuning import Tuning


def bounded(found: Interval | None, digits: int) -> str:
    """A score with its interval: `71.20 [69.02, 73.11]`."""
    if found is None:
        return "n/a"
    if found.low != found.low:
        return points(found.score, digits)
    return f"{points(found.score, digits)} [{points(found.low, digits)}, {points(found.high, digits)}]"


def tuned(tuning: Tuning, digits: int = 2) -> list[Table]:
    """The best settings where they were tuned, and what the settings of each fold score where they were not."""
    from .tuning import interval, title

    names, what = [axis.name for axis in tuning.space.axes], title(tuning.objective)
    rows = [
        [*(setting[name] for name in names), bounded(interval(result, tuning.objective, tuning.seed), digits)]
        for setting, result in tuning.ranked
    ]
    tables = [Table([*names, f"{what}, tuned on these texts"], rows, left=frozenset())]
    if tuning.folds:
        rows = [
            [
                str(number),
                str(len(fold.documents)),
                *(fold.setting[name] for name in names),
                points(fold.tuned, digits),
                points(fold.held_out, digits),
            ]
            for number, fold in enumerate(tuning.folds, start=1)
        ]
        size = sum(len(fold.documents) for fold in tuning.folds)
        rows.append(["all", str(size), *("" for _ in names), "", bounded(tuning.interval, digits)])
        tables.append(Table(["held out", "documents", *names, "tuned", what], rows, strong=1))
    return tables


def tried(tuning: Tuning) -> Table:
    """One row for each trial, numbers at full precision."""
    names = [axis.name for axis in tuning.space.axes]
    rows = [
        [*(trial.setting[name] for name in names), "" if trial.failed else repr(score), trial.failed]
        for trial, score in zip(tuning.trials, tuning.scores, strict=True)
    ]
    return Table([*names, tuning.objective, "failed"], rows)


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
    return Table(["stage", "date", "documents", *(METRICS[m].title for m in metrics)], rows, left=frozenset({0, 1}))
