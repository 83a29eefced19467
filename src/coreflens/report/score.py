"""A score on paper: its metrics, its groups, and every number for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ..errors import choose
from ..metrics import METRICS
from ..metrics.registry import RECALL_PRECISION
from ..paper.table import (
    COUNTED,
    NOT_AVAILABLE,
    Table,
    counted_mark,
    counted_note,
    has_own_rule,
    points,
    score_points,
)
from ..paper.writers import FORMATS, WRITERS
from ..scoring.result import Result
from ..scoring.scores import Number, Score, Scores, is_number
from .intervals import between

if TYPE_CHECKING:
    from ..matching.labels import By
    from ..stats import Interval, Intervals


def text(result: Result) -> str:
    """The table of all metrics, for a terminal."""
    return render(result)


def html(result: Result) -> str:
    """The same for notebooks."""
    return render(result, "html")


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
    notes = [""] * (len(tables) - 1) + ["\n".join(filter(None, (legend(result, tables, groups), signature)))]
    return "\n\n".join(write(table, note).rstrip("\n") for table, note in zip(tables, notes, strict=True))


class _Row(NamedTuple):
    """Cells, and the marks behind the first of them."""

    cells: list[str]
    marks: list[str]


def overview(result: Result, digits: int, intervals: Intervals | None = None) -> Table:
    """One row per metric: R, P, F1 with its interval if there is one, and the fractions behind them."""
    exact = any(isinstance(score.main, Fraction) for score in result.values())
    metrics: list[_Row] = []
    averages: list[_Row] = []
    for name, score in result.items():
        numbers, marks = _numbers(result, score, ("recall", "precision", "main"), digits)
        title = f"{METRICS[name].title} ({score.label})" if score.label else METRICS[name].title
        interval = "" if intervals is None else between(intervals.main(name), digits)
        behind = _fractions(score) if exact else _counts(score)
        row = _Row([title, *numbers, interval, *behind], ["", *marks])
        if METRICS[name].values == ("f1",):
            averages.append(row)
        else:
            metrics.append(row)
    confidence = "" if intervals is None else f"{100 * intervals.confidence:g}% interval"
    behind_them = ("R exact", "P exact", "F1 exact") if exact else ("R counts", "P counts")
    header = ["", "R", "P", "F1", confidence, *behind_them]
    return _without_empty_columns(header, [*metrics, *averages], strong=len(averages))


def _without_empty_columns(header: Sequence[str], rows: Sequence[_Row], strong: int) -> Table:
    """The first column, and those in which a row has a cell."""
    filled = [0, *(place for place in range(1, len(header)) if any(row.cells[place] for row in rows))]
    marks = {}
    for n, row in enumerate(rows):
        for column, place in enumerate(filled):
            if place < len(row.marks) and row.marks[place]:
                marks[n, column] = row.marks[place]
    cells = [[row.cells[place] for place in filled] for row in rows]
    return Table([header[place] for place in filled], cells, strong=strong, marks=marks)


def _numbers(result: Result, score: Score, names: Sequence[str], digits: int) -> tuple[list[str], list[str]]:
    """Numbers of a score in points, and the mark of those that 0/0 counts as, where the paper prints them."""
    counted = result.options.undefined == "popescu-belis" or has_own_rule(score.metric)
    cells = [score_points(score, name, digits, counted) for name in names]
    marks = [""] * len(cells)
    for place, (name, cell) in enumerate(zip(names, cells, strict=True)):
        if cell in ("", NOT_AVAILABLE):
            continue
        if name == "main" and score.counted:
            marks[place] = counted_mark(score)
        elif counted and not score.defined(name):
            marks[place] = COUNTED
    return cells, marks


_ADDED = {
    False: "the counts of the rows above, each with both sides selected as by --only {}=VALUE; all: every mention, and "
    "what lies between the parts as well",
    True: "the counts of the whole, shared out among the mentions, R by the entities of the key and P by those of the "
    "response; n/a: can't be shared out in this way",
}


def legend(result: Result, tables: Sequence[Table], groups: Mapping[str, Scores] | None = None) -> str:
    """What the marks of the tables mean, and what the parts are; empty if there are none."""
    if not result.strata:
        return "\n".join(_counted(result, tables, groups))
    from ..scoring.parts import STRATA
    from ..scoring.strata import ADDED_UP

    parts = [f"{ADDED_UP}: {_ADDED[by in STRATA].format(by)}" for by in result.strata if len(tables) > 1]
    return "\n".join([*parts, *_counted(result, tables, groups)])


def _counted(result: Result, tables: Sequence[Table], groups: Mapping[str, Scores] | None) -> list[str]:
    """What ° means: a mean with a part that is 0/0, or a number that is 0/0 itself."""
    marked = sum(mark == COUNTED for table in tables for mark in table.marks.values())
    averages = _marked_averages(result, groups)
    notes = [counted_note(averages, result.options.undefined)] if averages else []
    if marked > len(averages):
        notes.append(_own_rule(result))
    return notes


def _marked_averages(result: Result, groups: Mapping[str, Scores] | None) -> list[Score]:
    """The averages with a part that is 0/0, as often as they are shown."""
    shown = [*result.values()]
    if groups is not None:
        rows = [*groups.values(), *(scores for _, scores in _footer(result, groups))]
        shown += [score for scores in rows for score in scores.values()]
    return [score for score in shown if score.counted and is_number(score.main)]


def _own_rule(result: Result) -> str:
    if result.options.undefined == "popescu-belis":
        return f"{COUNTED} comes from 0/0, counted as --undefined popescu-belis says"
    return f"{COUNTED} comes from 0/0, counted as the paper of the metric says"


class _MetricColumns(NamedTuple):
    """The columns of a metric in a table of groups: its numbers, and what its value is called."""

    metric: str
    numbers: Sequence[str]
    labelled: bool

    @property
    def title(self) -> str:
        return METRICS[self.metric].title

    @property
    def header(self) -> list[str]:
        names = [_SHORT[name] for name in self.numbers] if len(self.numbers) > 1 else [self.title]
        return [*names, "error"] if self.labelled else names

    @property
    def span(self) -> tuple[str, int]:
        return self.title if len(self.numbers) > 1 else "", len(self.header)


def breakdown(
    result: Result,
    groups: Mapping[str, Scores],
    digits: int,
    intervals: Intervals | None = None,
    rpf: bool = False,
) -> Table:
    """One row per group: the F1 (or value) of every metric, and the corpus last. Intervals stand below the scores.

    `rpf`: R and P as well. The label of a value, such as that of the d-error, is shown after it.
    """
    footer = _footer(result, groups)
    scores_by_label = [*groups.items(), *footer]
    metrics = [_metric_columns(metric, scores_by_label, rpf) for metric in result]
    limits = {} if intervals is None or not intervals.by else {**intervals.by, "all": intervals}
    rows: list[list[str]] = []
    marks: dict[tuple[int, int], str] = {}
    for label, scores in scores_by_label:
        row = _group_row(result, label, scores, metrics, digits)
        marks |= {(len(rows), place): mark for place, mark in enumerate(row.marks) if mark}
        rows.append(row.cells)
        if limits:
            rows.append(_interval_row(limits.get(label), metrics, digits))
    header, spans, left = ["by group" if rpf else "F1 by group"], [("", 1)], {0}
    for columns in metrics:
        header += columns.header
        spans.append(columns.span)
        if columns.labelled:
            left.add(len(header) - 1)
    strong = len(footer) * (2 if limits else 1)
    return Table(header, rows, frozenset(left), strong, spans=tuple(spans) if rpf else (), marks=marks)


def _metric_columns(metric: str, scores_by_label: Sequence[tuple[str, Scores]], rpf: bool) -> _MetricColumns:
    labelled = any(scores[metric].label for _, scores in scores_by_label)
    return _MetricColumns(metric, _shown(METRICS[metric].values, rpf), labelled)


def _group_row(result: Result, label: str, scores: Scores, metrics: Sequence[_MetricColumns], digits: int) -> _Row:
    row = _Row([label], [""])
    for columns in metrics:
        score = scores[columns.metric]
        numbers, marks = _numbers(result, score, columns.numbers, digits)
        row.cells.extend(numbers)
        row.marks.extend(marks)
        if columns.labelled:
            row.cells.append(score.label or "")
            row.marks.append("")
    return row


def _interval_row(intervals: Intervals | None, metrics: Sequence[_MetricColumns], digits: int) -> list[str]:
    """Below the main number of each metric, its interval; n/a if the group is too small to have one."""
    row = [""]
    for columns in metrics:
        interval = "n/a" if intervals is None else between(intervals.main(columns.metric), digits)
        row += [""] * (len(columns.numbers) - 1)
        row.append(interval)
        if columns.labelled:
            row.append("")
    return row


def _footer(result: Result, groups: Mapping[str, Scores]) -> list[tuple[str, Scores]]:
    """The row of the whole corpus; for groups of mentions, the sum of the parts stands before it."""
    parts = next((of for of in result.strata.values() if [*of.values()] == [*groups.values()]), None)
    if parts is None:
        return [("all", result)]
    from ..scoring.strata import ADDED_UP, added_up

    return [(ADDED_UP, added_up(parts, result)), ("all", result)]


def answered(result: Result, digits: int) -> Table | None:
    """How much of the key was answered, with the F1 on that part and overall; None if all of it was."""
    found = result.coverage
    if found is None:
        return None
    shares = [f"{found.documents_answered}/{found.documents}", points(found.reach, digits)]
    shares.append("" if found.fidelity is None else points(found.fidelity, digits))
    rows = [
        ["on what was covered", *shares, *(_marked(found.covered[m], digits) for m in result)],
        ["overall", "", "", "", *(_marked(result[m], digits) for m in result)],
    ]
    header = ["coverage", "documents", "words", "text fidelity", *(METRICS[m].title for m in result)]
    filled = [n for n in range(len(header)) if n < 3 or any(row[n] for row in rows)]
    return Table([header[n] for n in filled], [[row[n] for n in filled] for row in rows])


def _marked(score: Score, digits: int) -> str:
    return score_points(score, "main", digits) + counted_mark(score)


_SHORT = {"recall": "R", "precision": "P", "f1": "F1"}


def _shown(values: Sequence[str], rpf: bool) -> Sequence[str]:
    return values if rpf and len(values) > 1 else ("main",)


_PARTS = ("recall", "precision", "f1", "value")


def records(result: Result, groups: Mapping[str, Scores] | None, intervals: Intervals | None = None) -> Table:
    """One row per group and metric, numbers at full precision."""
    header = ["group", "metric", *_PARTS, "label", "undefined", *RECALL_PRECISION]
    by_group = {} if intervals is None else {**intervals.by, "all": intervals}
    if intervals is not None:
        header += [f"{part}_{end}" for part in _PARTS for end in ("low", "high")]
    rows = []
    for group, scores in [*(groups or {}).items(), *_footer(result, groups or {})]:
        for name, score in scores.items():
            row = [group, name, *_record(score)]
            if intervals is not None:
                row += _limits(by_group[group][name] if group in by_group else {})
            rows.append(row)
    return Table(header, rows)


def _record(score: Score) -> list[str]:
    numbers = [_precise(getattr(score, part)) for part in _PARTS]
    counts = ["" if name not in score.counts else f"{float(score.counts[name]):.17g}" for name in RECALL_PRECISION]
    return [*numbers, score.label or "", " ".join(sorted(score.undefined)), *counts]


def _precise(number: Number | None) -> str:
    if not is_number(number):
        return ""
    return str(number) if isinstance(number, Fraction) else repr(number)


def _limits(intervals: Mapping[str, Interval]) -> list[str]:
    """The lower and the upper limit of each number; empty where there is none."""
    cells = []
    for part in _PARTS:
        ends = (intervals[part].low, intervals[part].high) if part in intervals else (None, None)
        cells += [repr(end) if is_number(end) else "" for end in ends]
    return cells


def _fractions(score: Score) -> list[str]:
    main = score.value if score.f1 is None else score.f1
    return [str(x) if isinstance(x, Fraction) else "" for x in (score.recall, score.precision, main)]


def _counts(score: Score) -> list[str]:
    """Numerators and denominators: `1234/1369`, for BLANC coreference and other links one after the other."""
    c = score.counts
    if not all(map(is_number, c.values())):  # the metric does not apply
        return ["", ""]
    if "recall_num" in c:
        return [_ratio(c["recall_num"], c["recall_den"]), _ratio(c["precision_num"], c["precision_den"])]
    if "coref_key" in c:
        return [
            f"{_ratio(c['coref_common'], c[f'coref_{side}'])}, {_ratio(c['non_common'], c[f'non_{side}'])}"
            for side in ("key", "response")
        ]
    if "documents" in c:
        return (
            [_mean_of(c, name) for name in ("recall", "precision")]
            if score.value is None
            else [_mean_of(c, "value"), ""]
        )
    return ["", ""]


def _mean_of(c: Mapping[str, Number], name: str) -> str:
    undefined = c.get(f"{name}_undefined_documents", 0)
    left_out = f" ({count(undefined)} n/a)" if undefined else ""
    return f"mean of {count(c['documents'] - undefined)}{left_out}"


def _ratio(numerator: Number, denominator: Number) -> str:
    return f"{count(numerator)}/{count(denominator)}"


def count(x: Number) -> str:
    """A count as people write it: whole if it is whole, else with two decimals."""
    value = float(x)
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"
