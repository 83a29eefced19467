"""Tables of the studies: sweeps, correlations, agreement."""

from __future__ import annotations

from ..metrics import METRICS
from ..sweeps import Sweep
from .tables import Table, points


def swept(sweep: Sweep, digits: int) -> Table:
    """A row a step: the mean F1 of every metric over the repetitions."""
    means = {m: sweep[m].mean(axis=0) for m in sweep.metrics}
    rows = [
        [f"{100 * share:g} %", *(points(means[m][k], False, digits) for m in sweep.metrics)]
        for k, share in enumerate(sweep.shares)
    ]
    return Table([sweep.damage, *(METRICS[m].title for m in sweep.metrics)], rows)


def swept_records(sweep: Sweep) -> Table:
    """A row a metric, repetition and step, numbers at full precision."""
    rows = []
    for metric in sweep.metrics:
        parts = [sweep.values(metric, part) for part in ("recall", "precision", "main")]
        for repeat in range(len(sweep.results)):
            for k, share in enumerate(sweep.shares):
                numbers = ["" if part[repeat, k] != part[repeat, k] else repr(float(part[repeat, k])) for part in parts]
                rows.append([sweep.damage, f"{share:g}", str(repeat), metric, *numbers])
    return Table(["damage", "share", "repeat", "metric", "recall", "precision", "f1"], rows)
