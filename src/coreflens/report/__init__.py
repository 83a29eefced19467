"""Results as text, Markdown, LaTeX, CSV, JSON and HTML: `render(result, "latex")`."""

from __future__ import annotations

from ..errors import choose
from ..grouping import By
from ..results import Result
from .tables import WRITERS, breakdown, overview, records

FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


def render(result: Result, format: str = "table", *, by: By | None = None, digits: int = 2) -> str:
    """A result in one of `FORMATS`, with its groups where `by` names some; percentages have `digits` decimals."""
    choose(format, FORMATS, "format")
    if format == "json":
        return result.to_json(by)
    groups = None if by is None else result.group_by(by)
    write = WRITERS[format]
    if format == "csv":  # for machines: full precision, a row a metric
        return write(records(result, groups), "")
    tables = [overview(result, digits)]
    if groups is not None:
        tables.append(breakdown(result, groups, digits))
    notes = [""] * (len(tables) - 1) + [str(result.signature)]
    return "\n\n".join(write(table, note).rstrip("\n") for table, note in zip(tables, notes, strict=True))
