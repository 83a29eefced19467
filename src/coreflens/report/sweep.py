"""A sweep of damage, on paper."""

from __future__ import annotations

import numpy as np

from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..paper.table import Table, points
from ..paper.writers import written
from ..studies.damage import DAMAGES
from ..studies.sweeps import Sweep


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


def swept(sweep: Sweep, digits: int = 2) -> Table:
    """One row per step: the mean F1 of every metric over the repetitions."""
    means = {m: sweep[m].mean(axis=0) for m in sweep.metrics}
    rows = [
        [f"{100 * share:g} %", *(points(means[m][k], digits) for m in sweep.metrics)]
        for k, share in enumerate(sweep.shares)
    ]
    name = f"F1 by share of damage ({sweep.damage})"
    return Table([sweep.damage, *(METRICS[m].title for m in sweep.metrics)], rows, name=name)


def records(sweep: Sweep) -> Table:
    """One row per metric, repetition and step, numbers at full precision."""
    rows = []
    for metric in sweep.metrics:
        parts = [sweep.values(metric, part) for part in ("recall", "precision", "main")]
        for repeat in range(len(sweep.results)):
            for k, share in enumerate(sweep.shares):
                numbers = ["" if part[repeat, k] != part[repeat, k] else repr(float(part[repeat, k])) for part in parts]
                rows.append([sweep.damage, f"{share:g}", str(repeat), metric, *numbers])
    return Table(["damage", "share", "repeat", "metric", "recall", "precision", "f1"], rows)
