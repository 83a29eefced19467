"""Results as text, Markdown, LaTeX, CSV, JSON and HTML: `render(result, "latex")`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..errors import choose
from ..scoring.result import Result
from .results import answered, breakdown, legend, overview, records
from .tables import WRITERS

__all__ = ["FORMATS", "drawing", "latex", "panels", "plots", "render", "tables", "web"]

if TYPE_CHECKING:
    from ..matching.labels import By
    from ..stats import Intervals

FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


def render(
    result: Result,
    format: str = "table",
    *,
    by: By | None = None,
    digits: int = 2,
    intervals: Intervals | None = None,
    rpf: bool = False,
) -> str:
    """A result in one of `FORMATS`, with its groups where `by` names some; percentages have `digits` decimals.

    `rpf` shows R and P of the groups as well as F1.
    `intervals` are what `result.bootstrap()` or `result.jackknife()` gave.
    """
    choose(format, FORMATS, "format")
    if format == "json":
        plain = result.to_dict(by) | ({} if intervals is None else {"bootstrap": intervals.to_dict()})
        return json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)
    groups = None if by is None else result.group_by(by)
    write = WRITERS[format]
    if format == "csv":  # for machines: full precision, one row per metric
        return write(records(result, groups, intervals), "")
    tables = [overview(result, digits, intervals)]
    if (covered := answered(result, digits)) is not None:
        tables.append(covered)
    if groups is not None:
        tables.append(breakdown(result, groups, digits, intervals, rpf))
    signature = str(result.signature) if intervals is None else intervals.signature
    notes = [""] * (len(tables) - 1) + ["\n".join(filter(None, (legend(result, tables), signature)))]
    return "\n\n".join(write(table, note).rstrip("\n") for table, note in zip(tables, notes, strict=True))
