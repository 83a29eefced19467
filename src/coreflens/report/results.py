"""The tables of a result: its metrics, its groups, and every number for machines."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from ..metrics import METRICS
from ..metrics.registry import RECALL_PRECISION
from ..scoring.result import Result
from ..scoring.scores import Number, Score, Scores, is_number
from .tables import Table, score_points

if TYPE_CHECKING:
    from ..stats import Interval, Intervals


def overview(result: Result, digits: int, intervals: Intervals | None = None) -> Table:
    """A row a metric: R, P, F1 with its interval if there is one, and the fractions behind them."""
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
    rows: list[list[str]] = []
    averages: list[list[str]] = []
    for name, score in result.items():
        numbers = [
            *(score_points(score, number, digits) for number in ("recall", "precision", "main")),
            "" if intervals is None else between(intervals.main(name), digits),
        ]
        behind = _fractions(score) if exact else _counts(score)
        title = METRICS[name].title + (f" ({score.label})" if score.label else "")
        (averages if METRICS[name].values == ("f1",) else rows).append([title, *numbers, *behind])
    every = rows + averages
    filled = [place for place in range(len(header)) if place == 0 or any(row[place] for row in every)]
    every = [[row[place] for place in filled] for row in every]
    return Table([header[place] for place in filled], every, strong=len(averages))


def breakdown(result: Result, groups: Mapping[str, Scores], digits: int, intervals: Intervals | None = None) -> Table:
    """A row a group: the F1 (or value) of every metric, and the corpus last; intervals of groups below their scores."""
    metrics = list(result)
    rows: list[list[str]] = []
    limits = {} if intervals is None or not intervals.by else {**intervals.by, "all": intervals}
    for label, s in [*groups.items(), ("all", result)]:
        rows.append([label, *(score_points(s[m], "main", digits) for m in metrics)])
        if limits:
            found = limits.get(label)
            rows.append(["", *("n/a" if found is None else between(found.main(m), digits) for m in metrics)])
    return Table(["F1 by group", *(METRICS[m].title for m in metrics)], rows, strong=2 if limits else 1)


def between(interval: Interval, digits: int) -> str:
    """An interval in points."""
    if not is_number(interval.low):
        return "n/a"
    return f"{100 * interval.low:.{digits}f}–{100 * interval.high:.{digits}f}"


def records(result: Result, groups: Mapping[str, Scores] | None, intervals: Intervals | None = None) -> Table:
    """A row a group and metric, numbers at full precision."""
    header = ["group", "metric", "recall", "precision", "f1", "value", "label", "undefined", *RECALL_PRECISION]
    rows = []
    for group, scores in [*(groups or {}).items(), ("all", result)]:
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
