"""From counts to scores: sums are divided, a policy decides what 0/0 counts as, and averages are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from ..metrics import METRICS, Average, Metric
from ..metrics.contingency import Array
from ..metrics.registry import MEANS, RPF, Columns, Values, replaced
from ..options import Options
from .counts import Counts, needed
from .scores import Number, Score, is_number

_NOTHING: frozenset[str] = frozenset()


def finalize(counts: Counts, metrics: Sequence[str], options: Options) -> dict[str, Score]:
    """Scores of a corpus from its counts: either the counts are summed, or the scores of the documents are averaged."""
    scores: dict[str, Score] = {}
    alike: dict[tuple[Any, ...], list[Metric]] = {}
    for metric in needed(metrics, options):
        if options.average == "macro" or metric.aggregation == "macro":
            scores[metric.name] = _mean(metric, counts, options)
        else:  # metrics that differ only in their counts are finalised together
            how = metric.finalize, metric.columns, metric.values, metric.zero_over_zero, metric.label
            alike.setdefault(how, []).append(metric)
    total = counts.total if alike else counts.values
    for some in alike.values():
        stacked = counts.stacked(tuple(metric.name for metric in some), total[0])
        scores |= {score.metric: score for score in _score_rows(some, stacked, options)}
    return {name: _average(name, scores, options) if name not in scores else scores[name] for name in metrics}


def finalize_rows(counts: Counts, metrics: Sequence[str], options: Options) -> list[dict[str, Score]]:
    """Scores of every single row."""
    columns = {
        m.name: _score_rows([m] * len(counts), counts.of(m.name, counts.values), options)
        for m in needed(metrics, options)
    }
    rows = [{name: column[row] for name, column in columns.items()} for row in range(len(counts))]
    return [{name: _average(name, row, options) if name not in row else row[name] for name in metrics} for row in rows]


def finalize_values(
    counts: Counts, rows: Array | Sequence[Array], metrics: Sequence[str], options: Options, main: bool = False
) -> dict[str, tuple[Values, Values]]:
    """Values of each metric for many rows of counts at once, and where they are undefined. No Score is built.

    `main`: only the number to compare, which is F1, or the value.
    """
    found = {m.name: _values(m, counts.of(m.name, rows), options, main) for m in needed(metrics, options)}
    return {name: found[name] if name in found else average_values(name, found, options) for name in metrics}


def average_values(name: str, found: Mapping[str, tuple[Values, Values]], options: Options) -> tuple[Values, Values]:
    """An average of the F1s, as `_average` computes it from scores."""
    average = METRICS[name]
    assert isinstance(average, Average)
    weights = {metric: weight for metric, weight in average.weights(options).items() if weight}
    exact = all(found[metric][0]["f1"].dtype == object for metric in weights)
    shares: dict[str, Any] = {m: Fraction(w) for m, w in weights.items()} if exact else weights
    parts = [found[metric][0]["f1"] if w == 1 else w * found[metric][0]["f1"] for metric, w in shares.items()]
    f1: Array = reduce(np.add, parts) / sum(shares.values())
    undefined = reduce(np.logical_and, [found[metric][1]["f1"] for metric in weights])
    return {"f1": f1}, {"f1": undefined | (f1 != f1)}


def _values(metric: Metric, columns: Columns, options: Options, main: bool = False) -> tuple[Values, Values]:
    """The metric's values, with 0/0 as the options say, and where they are undefined; or only its F1 or value."""
    found = {"f1": metric.f1(columns, options)} if main and metric.f1 else metric.finalize(columns, options)
    has_f1 = metric.values != RPF or "f1" in found
    if not has_f1:  # mostly nothing is undefined, and one look is enough
        f1 = MEANS[options.mean](found["recall"], found["precision"])
        nowhere = f1 != f1
        if not np.count_nonzero(nowhere):
            found = {"f1": f1} if main else found | {"f1": f1}
            return found, dict.fromkeys(RPF, nowhere)
    inapplicable = next(iter(columns.values())) != next(iter(columns.values()))  # nan counts: see counts.count
    if np.count_nonzero(inapplicable):
        found = {name: np.where(inapplicable, np.nan, x) for name, x in found.items()}
    undefined = {name: x != x for name, x in found.items()}
    rule = zero_over_zero(metric, options)
    stand_for = {} if rule is None else {"recall": rule[0], "precision": rule[1], "f1": 0, "value": 0}
    for name, number in stand_for.items():
        if name in found and np.count_nonzero(undefined[name]):
            found[name] = replaced(undefined[name] & ~inapplicable, number, found[name])
    if not has_f1:
        found["f1"] = MEANS[options.mean](found["recall"], found["precision"])
        recall, precision = undefined["recall"], undefined["precision"]
        undefined["f1"] = recall & precision if rule is not None else recall | precision
    return found, undefined


def zero_over_zero(metric: Metric, options: Options) -> tuple[int, int] | None:
    """What 0/0 counts as in recall and in precision. None if it stays undefined.

    The paper of some metrics says what it counts as. `--undefined nan` holds for these too.
    """
    if options.undefined == "nan":
        return None
    return metric.zero_over_zero or {"zero": (0, 0), "popescu-belis": (0, 1)}[options.undefined]


def stands_for(metric: Metric, options: Options) -> dict[str, float]:
    """What each value of a metric is where it comes from 0/0."""
    rule = zero_over_zero(metric, options)
    if rule is None:
        return dict.fromkeys(metric.values, np.nan)
    recall, precision = (np.array([float(number)]) for number in rule)
    f1 = 0.0 if metric.f1 else float(MEANS[options.mean](recall, precision)[0])
    return {"recall": float(rule[0]), "precision": float(rule[1]), "f1": f1, "value": 0.0}


def _score_rows(metrics: Sequence[Metric], columns: Columns, options: Options) -> list[Score]:
    """The score of each row, by one metric per row. All these metrics are finalised in the same way."""
    if not metrics:
        return []
    found, undefined = _values(metrics[0], columns, options)
    labels = metrics[0].label(columns) if metrics[0].label else None
    numbers = {name: _numbers(found[name]) for name in metrics[0].values}
    unknown = {name: undefined[name].tolist() for name in metrics[0].values if np.count_nonzero(undefined[name])}
    sums = zip(*map(_numbers, columns.values()), strict=True)
    return [
        Score(
            metric.name,
            **dict(zip(numbers, row, strict=True)),
            label=labels[place] if labels else None,
            undefined=frozenset(name for name, x in unknown.items() if x[place]) if unknown else _NOTHING,
            counts=dict(zip(columns, counted, strict=True)),
        )
        for place, (metric, row, counted) in enumerate(
            zip(metrics, zip(*numbers.values(), strict=True), sums, strict=True)
        )
    ]


def _numbers(column: Array) -> list[Number]:
    """The numbers of a column: floats, or Fractions if it is exact."""
    return list(map(_number, column)) if column.dtype == object else column.astype(np.float64, copy=False).tolist()


def _number(x: Any) -> Number:
    if isinstance(x, Fraction):
        return x
    if isinstance(x, int):
        return Fraction(x)
    return float(x)


def _mean(metric: Metric, counts: Counts, options: Options) -> Score:
    """The mean of each value over the documents. Documents where it is undefined are left out and counted.

    If it is undefined in all of them, it is what 0/0 counts as, so that the mean over one document is its score.
    """
    columns = counts.of(metric.name, counts.values)
    if any((column != column).any() for column in columns.values()):  # it does not apply to one document, so to none
        return _score_rows([metric], counts.of(metric.name, counts.total), options)[0]
    found, undefined = _values(metric, columns, options)
    means: dict[str, Any] = {}
    left_out: dict[str, Number] = {}
    for name in metric.values:
        rows = found[name][~undefined[name].astype(bool)]
        left_out[f"{name}_undefined_documents"] = len(found[name]) - len(rows)
        means[name] = _number(rows.sum()) / len(rows) if len(rows) else _number(found[name][0])
    labels = {label for label in metric.label(columns) if label} if metric.label else set()
    return Score(
        metric.name,
        **means,
        label=" and ".join(sorted(labels)) or None,
        undefined=frozenset(name for name in metric.values if left_out[f"{name}_undefined_documents"] == len(counts)),
        counts={"documents": len(counts)} | {name: n for name, n in left_out.items() if n},
    )


def _average(name: str, scores: Mapping[str, Score], options: Options) -> Score:
    """Weighted mean of F1s, exact if they are exact. It is n/a only if all of them are n/a."""
    average = METRICS[name]
    assert isinstance(average, Average)
    weights = {metric: weight for metric, weight in average.weights(options).items() if weight}
    exact = not any(isinstance(scores[metric].f1, float) for metric in weights)
    shares: dict[str, Any] = {m: Fraction(w) for m, w in weights.items()} if exact else dict(weights)
    f1: Any = sum(share * scores[metric].main for metric, share in shares.items()) / sum(shares.values())
    counted = tuple(metric for metric in weights if "f1" in scores[metric].undefined)
    is_undefined = not is_number(f1) or len(counted) == len(weights)
    if is_undefined:
        return Score(name, f1=f1, undefined=frozenset({"f1"}))
    return Score(name, f1=f1, counted=counted)
