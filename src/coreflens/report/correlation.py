"""Correlations of metrics, on paper."""

from __future__ import annotations

import numpy as np

from ..errors import UsageError
from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..paper.writers import written
from ..studies.correlation import Correlations
from .study_tables import correlated
from .study_tables import correlated_records as records

__all__ = ["records"]


def text(found: Correlations) -> str:
    """One row per pair of metrics and part, for a terminal."""
    return written([correlated(found)], "table", found.about)


def plot(found: Correlations, part: str = "f1") -> Plot:
    """Scores of every metric (y) by those of `against` (x), one point per system."""
    board, against = found.board, found.against
    metrics = [m for pair in found.pairs for m in (pair.x, pair.y) if against in (pair.x, pair.y)]
    others = [m for m in dict.fromkeys(metrics) if m != against and (m, part) in board.columns]
    if not others or (against, part) not in board.columns:
        raise UsageError(f"nothing to plot: no {part} of {against} and another metric")
    columns = [board.columns[m, part] for m in (against, *others)]
    are_shares = all(np.nanmax(np.abs(column), initial=0) <= 1 for column in columns)
    x, *ys = ((100 * column if are_shares else column).tolist() for column in columns)
    series = [Series(METRICS[m].title, x, y, labels=board.systems) for m, y in zip(others, ys, strict=True)]
    name = {"f1": "F1"}.get(part, part)
    title = METRICS[against].title
    return Plot(
        "scatter", f"{title} and other metrics, {name}", f"{title} {name}", f"{name} of the other metric", series
    )
