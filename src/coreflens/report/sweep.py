"""A sweep of damage, on paper."""

from __future__ import annotations

import numpy as np

from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..paper.writers import written
from ..studies.damage import DAMAGES
from ..studies.sweeps import Sweep
from .study_tables import swept
from .study_tables import swept_records as records

__all__ = ["records"]


def text(sweep: Sweep) -> str:
    """One row per step, for a terminal."""
    return written([swept(sweep)], "table", sweep.signature)


def plots(sweep: Sweep) -> dict[str, Plot]:
    """One plot per figure: mean F1 in points over the repetitions against the share damaged, lowest to highest."""
    title, axis = "Responses in order", "steps taken (%)"
    if sweep.damage in DAMAGES:
        title, axis = DAMAGES[sweep.damage].title, DAMAGES[sweep.damage].axis
    if sweep.retrain:
        title += f", {sweep.retrain} retrained"
    drawn = {}
    for name, metrics in sweep.figures.items():
        heading = f"{title}: {name}" if name else title
        drawn[name] = Plot("line", heading, axis, "F1", [_line(sweep, metric) for metric in metrics])
    return drawn


def _line(sweep: Sweep, metric: str) -> Series:
    y = 100 * sweep[metric]
    across = [100 * share for share in sweep.shares]
    mean, low, high = (summary(y, axis=0).tolist() for summary in (np.mean, np.min, np.max))
    return Series(METRICS[metric].title, across, mean, low, high)
