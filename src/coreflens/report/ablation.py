"""What the parts of a system are worth, on paper."""

from __future__ import annotations

from math import nan

from ..experiments.ablation import Ablation, How, Part
from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..paper.table import Table, points
from ..paper.writers import written
from ..scoring.scores import percent

_HOW: tuple[How, ...] = ("left out", "alone")


def text(ablation: Ablation) -> str:
    """What each part is worth, for a terminal."""
    return written(ablated(ablation), "table", ablation.signature)


def plot(ablation: Ablation) -> Plot:
    """What each part is worth, in points: left out, and alone."""
    names = list(dict.fromkeys(p.name for p in ablation.parts))
    series = []
    for how in ("left out", "alone"):
        worth = {p.name: p.test.difference for p in ablation.parts if p.how == how and p.test is not None}
        if worth:
            series.append(Series(how, [], [100 * worth.get(name, nan) for name in names], labels=names))
    title = f"What each part is worth: {METRICS[ablation.metric].title}"
    return Plot("bar", title, "points gained by the part", "", series, height=max(320, 110 + 34 * len(names)))


def ablated(ablation: Ablation, digits: int = 2) -> list[Table]:
    """What each part is worth, left out and alone; then its errors by class."""
    worths = [_worth_table(ablation, how, digits) for how in _HOW]
    tables = [table for table in worths if table.rows]
    kinds = _kinds(ablation)
    if kinds:
        rows = []
        for part in ablation.parts:
            if part.mends is not None:
                numbers = [f"{part.mends.get(kind, 0)} / {(part.makes or {}).get(kind, 0)}" for kind in kinds]
                rows.append([part.name, part.how, *numbers])
        header = ["errors mended / made", "", *kinds]
        tables.append(Table(header, rows, left=frozenset({0, 1}), name="Errors that each part mends and makes"))
    return tables


def _worth_table(ablation: Ablation, how: How, digits: int) -> Table:
    """What each part is worth, left out or alone; the last row has the score that the others are compared with."""
    what = METRICS[ablation.metric].title
    is_left_out = how == "left out"
    rows = [_worth_row(part, ablation.metric, digits) for part in ablation.parts if part.how == how]
    if rows:
        base = ablation.whole if is_left_out else ablation.none
        score = "" if base is None else points(base[ablation.metric].main, digits)
        rows.append(["whole system" if is_left_out else "no part", score, "", "", "", "", ""])
    heading = f"{what} without it" if is_left_out else f"{what} alone"
    header = [how, heading, "worth", "95 %", "p", "mends", "makes"]
    return Table(header, rows, strong=1, name=f"What each part is worth, {how}")


def _worth_row(part: Part, metric: str, digits: int) -> list[str]:
    if part.test is None:
        return [part.name, "failed", "", "", "", "", ""]
    compared = part.without if part.how == "left out" else part.with_
    score = None if compared is None else compared[metric].main
    low, high = part.test.low, part.test.high
    span = "" if low != low else f"[{_signed(low, digits)}, {_signed(high, digits)}]"
    worth = _signed(part.test.difference, digits)
    return [part.name, points(score, digits), worth, span, _p_value(part.adjusted), *_error_counts(part)]


def _p_value(p: float) -> str:
    if p != p:
        return ""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def _error_counts(part: Part) -> list[str]:
    """How many errors a part mends and makes; nothing if errors were not compared."""
    return ["" if errors is None else str(sum(errors.values())) for errors in (part.mends, part.makes)]


def _kinds(ablation: Ablation) -> list[str]:
    """The classes of errors that any part mends or makes."""
    kinds: dict[str, None] = {}
    for part in ablation.parts:
        kinds |= dict.fromkeys([*(part.mends or ()), *(part.makes or ())])
    return list(kinds)


def _signed(x: float, digits: int) -> str:
    if x != x:
        return "n/a"
    text = percent(x, digits)
    return text if text.startswith("-") else f"+{text}"


def records(ablation: Ablation) -> Table:
    """One row for each part and way, numbers at full precision."""
    rows = []
    for p in ablation.parts:
        numbers = [float("nan")] * 4
        if p.test is not None:
            numbers = [p.test.difference, p.test.low, p.test.high, p.test.p]
        cells = ["" if x != x else repr(x) for x in (*numbers, p.adjusted)]
        rows.append([p.name, p.how, *cells, *_error_counts(p), p.failed])
    return Table(["part", "how", "worth", "low", "high", "p", "p_adjusted", "mends", "makes", "failed"], rows)
