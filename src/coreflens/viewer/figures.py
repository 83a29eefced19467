"""Scores and their differences as the page has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import TypeAlias

import numpy as np

from ..metrics import METRICS, Average
from ..metrics.registry import Values
from ..options import Options
from ..scoring.counts import Counts
from ..scoring.finalize import finalize_values
from ..scoring.scores import Score

# metric → recall, precision, F1 or value: None for what it lacks, "n/a" for what is not defined
Figure: TypeAlias = float | str | None
Figures: TypeAlias = dict[str, tuple[Figure, ...]]
_PARTS = ("recall", "precision", "main")


def figures_of(scores: Mapping[str, Score]) -> Figures:
    """The figures of a corpus."""

    def of(score: Score, part: str) -> Figure:
        number = getattr(score, part)
        return None if number is None else float(number) if score.defined(part) else "n/a"

    return {name: tuple(of(score, part) for part in _PARTS) for name, score in scores.items()}


def figures_of_rows(counts: Counts, metrics: Sequence[str], options: Options) -> list[Figures]:
    """The figures of each row of the counts, such as each document."""
    found = finalize_values(counts, counts.values, metrics, options)
    size = len(counts)
    columns = [zip(*(_column(*found[name], part, size) for part in _PARTS), strict=True) for name in metrics]
    return [dict(zip(metrics, row, strict=True)) for row in zip(*columns, strict=True)]


def _column(values: Values, undefined: Values, part: str, size: int) -> Iterable[Figure]:
    name = part if part != "main" else "value" if "value" in values else "f1"
    if name not in values:
        return repeat(None, size)
    numbers = values[name].astype(np.float64)
    unknown = undefined[name].astype(bool) | np.isnan(numbers)
    column: list[Figure] = numbers.tolist()
    for row in np.flatnonzero(unknown).tolist():
        column[row] = "n/a"
    return column


def best(name: str) -> float:
    """The score of a response that is the same as the key. For distances it is 0."""
    metric = METRICS[name]
    return 1 if isinstance(metric, Average) else float(metric.identity)


def parts(name: str) -> list[str]:
    """The metrics of which an average is the mean. Empty for other metrics."""
    metric = METRICS[name]
    return [*metric.of] if isinstance(metric, Average) else []


def partly_undefined(figures: Figures, name: str) -> bool:
    """Whether an average has a number although the F1 of a part is 0/0."""
    return main_of(figures, name) is not None and any(
        part in figures and figures[part][-1] == "n/a" for part in parts(name)
    )


def main_of(figures: Figures, name: str) -> float | None:
    """F1 or the value; None if it is missing or not defined."""
    number = figures[name][-1] if name in figures else None
    return number if isinstance(number, float) else None


def difference(ours: Figures, theirs: Figures, name: str) -> float | None:
    """How much more F1 (or value) we have in a metric."""
    more, less = main_of(ours, name), main_of(theirs, name)
    return None if more is None or less is None else more - less


def differences(figures: Sequence[Figures], n: int) -> list[dict[str, float | None]]:
    """The differences between a system and each system before it: metric → difference."""
    return [{name: difference(figures[n], theirs, name) for name in figures[n]} for theirs in figures[:n]]
