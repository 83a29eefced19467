"""Correlations of metrics, on paper."""

from __future__ import annotations

import numpy as np

from ..errors import UsageError
from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..paper.table import Table
from ..paper.writers import written
from ..scoring.scores import fixed, is_number
from ..stats.coefficients import COEFFICIENTS, Coefficient
from ..studies.correlation import Correlations


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


def correlated(found: Correlations, digits: int = 3) -> Table:
    """One row per pair of metrics and part: the three coefficients, each with its p."""
    header = [
        "",
        "",
        "",
        "systems",
        *(cell for name in ("Pearson r", "Spearman ρ", "Kendall τ") for cell in (name, "p")),
    ]
    rows = []
    for pair in found:
        cells = [cell for name in COEFFICIENTS for cell in _coefficient(getattr(pair, name), digits)]
        part = {"recall": "R", "precision": "P", "f1": "F1"}[pair.part]
        rows.append([METRICS[pair.x].title, METRICS[pair.y].title, part, str(pair.n), *cells])
    return Table(header, rows, left=frozenset({0, 1, 2}), name="Correlation of metrics over systems")


def _coefficient(c: Coefficient, digits: int) -> tuple[str, str]:
    if not is_number(c.value):
        return "n/a", ""
    return fixed(c.value, digits), f"{c.p:.3f}" if c.p >= 0.001 else "< 0.001"


def records(found: Correlations) -> Table:
    """One row per pair of metrics and part, numbers at full precision."""
    header = [
        "x",
        "y",
        "part",
        "systems",
        *(f"{name}{what}" for name in COEFFICIENTS for what in ("", "_p", "_method")),
    ]
    rows = []
    for pair in found:
        plain = [c.to_dict() for c in (pair.pearson, pair.spearman, pair.kendall)]
        cells = ["" if x is None else str(x) for c in plain for x in c.values()]
        rows.append([pair.x, pair.y, pair.part, str(pair.n), *cells])
    return Table(header, rows)
