"""Scores by threshold, on paper."""

from __future__ import annotations

from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..studies.curve import Curve


def plot(curve: Curve) -> Plot:
    """F1 in points by threshold, one line per metric."""
    axis = f"threshold: links of at {'most this distance' if curve.distances else 'least this score'}"
    lines = [Series(METRICS[m].title, curve.thresholds, (100 * curve[m]).tolist()) for m in curve.metrics]
    return Plot("line", "Scores by threshold", axis, "F1", lines)
