"""Scores from the most lenient to the strictest way, on paper."""

from __future__ import annotations

from ..metrics import METRICS
from ..paper.table import Table, score_points
from ..studies.leniency import Leniency


def table(found: Leniency, digits: int = 2) -> Table:
    """One row per way, with the F1 of every metric."""
    first = next(iter(found.results.values()))
    shown = [m for m in first if "f1" in METRICS[m].values]
    rows = [[*way, *(score_points(r[m], "f1", digits) for m in shown)] for way, r in found.results.items()]
    return Table(["scope", "singletons", "spans", *(METRICS[m].title for m in shown)], rows, frozenset({0, 1, 2}))
