"""The major entities, on paper."""

from __future__ import annotations

import json

from ..paper.table import Table, points
from ..paper.writers import WRITERS
from ..studies.major import Major


def text(major: Major) -> str:
    """One row per entity, for a terminal."""
    return render(major)


def table(major: Major, digits: int = 2) -> Table:
    """One row per entity, and the averages below."""
    several = len({row.document for row in major.rows}) > 1
    header = ["document"] * several + ["entity", "name", "assigned", "R", "P", "F1", "mentions", "found", "common"]
    rows = [
        [
            *([row.document] if several else []),
            row.entity,
            row.name,
            "–" if row.response is None else row.response,
            *(points(x, digits) for x in (row.recall, row.precision, row.f1)),
            *map(str, (row.mentions, row.found, row.common)),
        ]
        for row in major.rows
    ]
    sums = [str(sum(getattr(row, n) for row in major.rows)) for n in ("mentions", "found", "common")]
    blank = [""] * (2 + several)
    rows.append(["micro", *blank, *(points(x, digits) for x in major.micro), *sums])
    rows.append(["macro", *blank, *(points(x, digits) for x in major.macro), "", "", ""])
    return Table(header, rows, frozenset(range(3 + several)), strong=2)


def render(major: Major, format: str = "table", digits: int = 2) -> str:
    """The table in one of the output formats, or everything as JSON."""
    if format == "json":
        return json.dumps(major.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
    return WRITERS[format](table(major, digits), "" if format == "csv" else major.signature).rstrip("\n")
