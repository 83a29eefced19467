"""A score on paper: its metrics, its groups, and every number for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import choose
from ..metrics import METRICS
from ..metrics.registry import RECALL_PRECISION
from ..paper.table import NOT_AVAILABLE, Table, has_own_rule, points, score_points
from ..paper.writers import FORMATS, WRITERS
from ..scoring.result import Result
from ..scoring.scores import Number, Score, Scores, is_number

if TYPE_CHECKING:
    from ..matching.labels import By
    from ..stats import Interval, Intervals


COUNTED = "°"  # after a number that stands for 0/0


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
    notes = [""] * (len(tables) - 1) + ["\n".join(filter(None, (legend(result, tables), signature)))]
    return "\n\n".join(write(table, note).rstrip("\n") for table, note in zip(tables, notes, strict=True))


def overview(result: Result, digits: int, intervals: Intervals | None = None) -> Table:
    """One row per metric: R, P, F1 with its interval if there is one, and the fractions behind them."""
    exact = any(isinstance(s.main, Fraction) for s in result.values())
    confidence = "" if intervals is None else f"{100 * intervals.confidence:g}% interval"
    header = [
        "",
        "R",
        "P",
        "F1",
        confidence,
        *(("R exact", "P exact", "F1 exact") if exact else ("R counts", "P counts")),
    ]
    rows: list[tuple[list[str], list[str]]] = []
    averages: list[tuple[list[str], list[str]]] = []
    for name, score in result.items():
        numbers, marks = _numbers(result, score, ("recall", "precision", "main"), digits)
        between_them = "" if intervals is None else between(intervals.main(name), digits)
        behind = _fractions(score) if exact else _counts(score)
        title = METRICS[name].title + (f" ({score.label})" if score.label else "")
        row = [title, *numbers, between_them, *behind]
        (averages if METRICS[name].values == ("f1",) else rows).append((row, ["", *marks, "", *behind]))
    every = rows + averages
    filled = [place for place in range(len(header)) if place == 0 or any(row[place] for row, _ in every)]
    return Table(
        [header[place] for place in filled],
        [[row[place] for place in filled] for row, _ in every],
        strong=len(averages),
        marks={
            (n, column): COUNTED
            for n, (_, marks) in enumerate(every)
            for column, place in enumerate(filled)
            if marks[place] == COUNTED
        },
    )


def _numbers(result: Result, score: Score, names: Sequence[str], digits: int) -> tuple[list[str], list[str]]:
    """Numbers of a score in points, and the mark of those that 0/0 counts as, where the paper prints them."""
    counted = result.options.undefined == "popescu-belis" or has_own_rule(score.metric)
    cells = [score_points(score, name, digits, counted) for name in names]
    marks = [""] * len(cells)
    for place, (name, cell) in enumerate(zip(names, cells, strict=True)):
        if counted and cell not in ("", NOT_AVAILABLE) and not score.defined(name):
            marks[place] = COUNTED
    return cells, marks


_ADDED = {
    False: "the counts of the rows above, each with both sides selected as by --only {}=VALUE; all: every mention, and "
    "what lies between the parts as well",
    True: "the counts of the whole, shared out among the mentions, R by the entities of the key and P by those of the "
    "response; n/a: can't be shared out in this way",
}


def legend(result: Result, tables: Sequence[Table]) -> str:
    """What the marks of the tables mean, and what the parts are; empty if there are none."""
    if not result.strata:
        return "\n".join(_counted(result, tables))
    from ..scoring.parts import STRATA
    from ..scoring.strata import ADDED_UP

    parts = [f"{ADDED_UP}: {_ADDED[by in STRATA].format(by)}" for by in result.strata if len(tables) > 1]
    return "\n".join([*parts, *_counted(result, tables)])


def _counted(result: Result, tables: Sequence[Table]) -> list[str]:
    if not any(COUNTED in table.marks.values() for table in tables):
        return []
    if result.options.undefined == "popescu-belis":
        return [f"{COUNTED} comes from 0/0, counted as --undefined popescu-belis says"]
    return [f"{COUNTED} comes from 0/0, counted as the paper of the metric says"]


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
    every = [*groups.items(), *footer]
    rows: list[list[str]] = []
    marks: dict[tuple[int, int], str] = {}
    names = {m: _shown(METRICS[m].values, rpf) for m in result}
    labelled = {m for m in result if any(scores[m].label for _, scores in every)}
    limits = {} if intervals is None or not intervals.by else {**intervals.by, "all": intervals}
    for label, scores in every:
        row, below = [label], [""]
        for metric, shown in names.items():
            cells, found = _numbers(result, scores[metric], shown, digits)
            marks |= {(len(rows), len(row) + place): mark for place, mark in enumerate(found) if mark}
            row += [*cells, *([scores[metric].label or ""] if metric in labelled else [])]
            interval = limits[label].main(metric) if label in limits else None
            below += [""] * (len(row) - len(below) - 1 - (metric in labelled))
            below += ["n/a" if interval is None else between(interval, digits)] + [""] * (metric in labelled)
        rows += [row, below] if limits else [row]
    header, spans, left = ["F1 by group" if not rpf else "by group"], [("", 1)], {0}
    for metric, shown in names.items():
        title = METRICS[metric].title
        header += [_SHORT[name] for name in shown] if len(shown) > 1 else [title]
        if metric in labelled:
            left.add(len(header))
            header.append("error")
        width = len(shown) + (metric in labelled)
        spans.append((title if len(shown) > 1 else "", width))
    last = len(footer) * (2 if limits else 1)
    return Table(header, rows, frozenset(left), last, spans=tuple(spans) if rpf else (), marks=marks)


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
        ["on what was covered", *shares, *(score_points(found.covered[m], "main", digits) for m in result)],
        ["overall", "", "", "", *(score_points(result[m], "main", digits) for m in result)],
    ]
    header = ["coverage", "documents", "words", "text fidelity", *(METRICS[m].title for m in result)]
    filled = [n for n in range(len(header)) if n < 3 or any(row[n] for row in rows)]
    return Table([header[n] for n in filled], [[row[n] for n in filled] for row in rows])


_SHORT = {"recall": "R", "precision": "P", "f1": "F1"}


def _shown(values: Sequence[str], rpf: bool) -> Sequence[str]:
    return values if rpf and len(values) > 1 else ("main",)


def between(interval: Interval, digits: int) -> str:
    """An interval in points."""
    if not is_number(interval.low):
        return "n/a"
    return f"{points(interval.low, digits)}–{points(interval.high, digits)}"


def records(result: Result, groups: Mapping[str, Scores] | None, intervals: Intervals | None = None) -> Table:
    """One row per group and metric, numbers at full precision."""
    header = ["group", "metric", "recall", "precision", "f1", "value", "label", "undefined", *RECALL_PRECISION]
    rows = []
    for group, scores in [*(groups or {}).items(), *_footer(result, groups or {})]:
        for name, score in scores.items():
            numbers = [getattr(score, n) for n in ("recall", "precision", "f1", "value")]
            cells = [(str(x) if isinstance(x, Fraction) else repr(x)) if is_number(x) else "" for x in numbers]
            counts = ["" if n not in score.counts else f"{float(score.counts[n]):.17g}" for n in RECALL_PRECISION]
            rows.append([group, name, *cells, score.label or "", " ".join(sorted(score.undefined)), *counts])
    if intervals is not None:
        of = {**intervals.by, "all": intervals}
        limits = [f"{value}_{end}" for value in ("recall", "precision", "f1", "value") for end in ("low", "high")]
        header += limits
        for row in rows:
            found = of[row[0]][row[1]] if row[0] in of else {}
            for limit in limits:
                value, _, end = limit.rpartition("_")
                number = getattr(found[value], end) if value in found else None
                row.append(repr(number) if is_number(number) else "")
    return Table(header, rows)


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
