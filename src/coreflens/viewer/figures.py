"""Scores and their differences as the page has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ..metrics import METRICS, Average
from ..scoring.scores import Score, or_none

Scored: TypeAlias = Mapping[str, Score]


def scores_of(scores: Scored) -> dict[str, list[float | str | None]]:
    """Metric → recall, precision, F1 or value: None for what it lacks, "n/a" for what is not defined."""
    return {name: _numbers(score) for name, score in scores.items()}


def _numbers(score: Score) -> list[float | str | None]:
    numbers = score.recall, score.precision, score.main
    if not score.undefined and None not in numbers and all(x == x for x in numbers):
        return [*map(float, numbers)]  # type: ignore[arg-type]
    parts = zip(("recall", "precision", "main"), numbers, strict=True)
    return [None if x is None else float(x) if score.defined(part) else "n/a" for part, x in parts]


def best(name: str) -> float:
    """The score of a response that is the same as the key. For distances it is 0."""
    metric = METRICS[name]
    return 1 if isinstance(metric, Average) else float(metric.identity)


def main_of(scores: Scored, name: str) -> float | None:
    """F1 or the value; None if it is missing or not defined."""
    return or_none(scores[name].main) if name in scores and scores[name].defined() else None


def differences(scores: Sequence[Scored], n: int) -> list[dict[str, float | None]]:
    """The differences between a system and each system before it: metric → difference of F1 (or of the value)."""

    def more(name: str, theirs: Scored) -> float | None:
        ours, other = main_of(scores[n], name), main_of(theirs, name)
        return None if ours is None or other is None else ours - other

    return [{name: more(name, theirs) for name in scores[n]} for theirs in scores[:n]]
