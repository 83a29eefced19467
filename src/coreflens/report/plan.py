"""A plan on paper: draws that are needed for each score, and designs side by side."""

from __future__ import annotations

from ..estimates.designs import UNITS
from ..estimates.planning import DesignPlan, Plan
from ..estimates.results import PARTS
from ..metrics import METRICS
from ..paper.table import NOT_AVAILABLE, Table
from ..paper.writers import written


def text(found: Plan) -> str:
    """Everything, for a terminal."""
    return render(found, "table")


def render(found: Plan, format: str) -> str:
    """One table, in any format."""
    return written([scores(found)], format, "")


def scores(found: Plan) -> Table:
    """One row per metric (and design): draws for R, P and F1."""
    several = len(found.designs) > 1
    rows = []
    for metric in found.first.scores:
        for name, design in found.designs.items():
            cells = [_cell(design, metric, place) for place in range(len(PARTS))]
            rows.append([METRICS[metric].title, *([name] if several else []), *cells])
    for name, design in found.designs.items():
        records = f"{design.to_label:,}"
        rows.append(["records to label for all", *([name] if several else []), "", "", records])
    header = ["metric", *(["design"] if several else []), "R", "P", "F1"]
    left = frozenset({0, 1} if several else {0})
    return Table(header, rows, left, below=len(found.designs), caption=_caption(found), name="Draws needed")


def _caption(found: Plan) -> str:
    width = f"± {100 * found.half_width:g} points with {100 * found.confidence:g} % confidence"
    what = "an interval" if found.difference is None else f"an interval of {' − '.join(found.difference)}"
    if len(found.designs) > 1:
        return f"Draws that {what} of {width} needs, by design."
    first = found.first
    unit = UNITS[first.design.by]
    if not first.drawn:
        return f"Draws ({unit}) that {what} of {width} needs."
    return f"Draws ({unit}) that {what} of {width} needs; there are {first.drawn:,}, and + says how many more."


def _cell(design: DesignPlan, metric: str, place: int) -> str:
    needed = design.scores[metric][PARTS[place]]
    if needed is None:
        return NOT_AVAILABLE
    more = f" (+{needed.more:,})" if design.drawn else ""
    return f"{needed.needed:,}{more}"
