"""Intervals in points."""

from __future__ import annotations

from ..paper.table import points
from ..scoring.scores import is_number
from ..stats import Interval


def between(interval: Interval, digits: int) -> str:
    """An interval in points."""
    if not is_number(interval.low):
        return "n/a"
    return f"{points(interval.low, digits)}–{points(interval.high, digits)}"


def bounded(found: Interval | None, digits: int) -> str:
    """A score with its interval: `71.20 [69.02, 73.11]`."""
    if found is None:
        return "n/a"
    if found.low != found.low:
        return points(found.score, digits)
    return f"{points(found.score, digits)} [{points(found.low, digits)}, {points(found.high, digits)}]"
