"""Scores in windows of several sizes, on paper."""

from __future__ import annotations

import json
from math import nan

from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..paper.table import Table, exact_points, points
from ..paper.writers import written
from ..scoring.scores import is_number
from ..scoring.windows import Links
from ..studies.ranges import Ranges


def text(ranges: Ranges) -> str:
    """The tables, for a terminal."""
    return render(ranges)


def tables(ranges: Ranges, digits: int = 2, rpf: bool = False) -> list[Table]:
    """One row per size: F1 of each metric (`rpf`: R and P as well), and the links."""
    shown = [m for m in ranges.rows[0].result if "f1" in METRICS[m].values]
    values = {m: METRICS[m].values if rpf and len(METRICS[m].values) > 1 else ("f1",) for m in shown}
    short = {"recall": "R", "precision": "P", "f1": "F1"}
    header, spans = ["window" if rpf else "F1 by window", "windows"], [("", 2)]
    for metric, names in values.items():
        header += [short[n] for n in names] if rpf else [METRICS[metric].title]
        spans.append((METRICS[metric].title, len(names)))
    rows = [
        [
            _named(row.window),
            str(row.windows),
            *(exact_points(row.result[m], n, digits) for m in shown for n in values[m]),
        ]
        for row in ranges.rows
    ]
    scores = Table(header, rows, spans=tuple(spans) if rpf else (), name="Scores by window")
    between = Table(
        ["links by window", *("R", "P", "F1", "R counts", "P counts") * 2],
        [[_named(row.window), *_cells(row.inside, digits), *_cells(row.across, digits)] for row in ranges.rows],
        spans=(("", 1), ("inside windows", 5), ("across windows", 5)),
        name="Links inside and across windows",
    )
    return [scores, between]


def render(ranges: Ranges, format: str = "table", digits: int = 2, rpf: bool = False) -> str:
    """The tables in one of the output formats, or everything as JSON."""
    if format == "json":
        return json.dumps(ranges.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
    return written(tables(ranges, digits, rpf), format, ranges.signature)


def plot(ranges: Ranges) -> Plot:
    """F1 in points, in the order of the sizes asked for: one line per metric, and the links inside and across."""
    names = [_named(row.window) for row in ranges.rows]
    places = range(1, len(ranges.rows) + 1)
    numbers = {
        METRICS[m].title: [row.result[m].main for row in ranges.rows]
        for m in ranges.rows[0].result
        if "f1" in METRICS[m].values
    }
    numbers |= {f"links {where}": [getattr(row, where).f1 for row in ranges.rows] for where in ("inside", "across")}
    lines = [
        Series(name, places, [100 * float(x) if is_number(x) else nan for x in found], labels=names)
        for name, found in numbers.items()
    ]
    return Plot("stages", "F1 in windows of the text", "", "F1", lines)


def _named(window: str) -> str:
    return "all" if window == "all" else f"{int(window)} words"


def _cells(found: Links, digits: int) -> list[str]:
    numbers = [points(x, digits) for x in (found.recall, found.precision, found.f1)]
    return [*numbers, f"{found.common}/{found.key}", f"{found.common}/{found.response}"]
