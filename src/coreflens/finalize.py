"""From counts to scores: sums are divided, 0/0 is settled by policy, averages are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .counts import Counts
from .metrics import METRICS, Average, Metric
from .metrics.registry import RPF, Columns, Values, harmonic
from .protocols import Options
from .scores import Number, Score


def finalize(counts: Counts, metrics: Sequence[str], options: Options) -> dict[str, Score]:
    """Scores of a corpus from its counts: summed and finalised, or averaged over the documents."""
    scores: dict[str, Score] = {}
    every = {*metrics, *(p for m in metrics if isinstance(a := METRICS[m], Average) for p in a.weights(options))}
    for name in every:
        metric = METRICS[name]
        if not isinstance(metric, Metric):
            continue
        if options.average == "macro" or metric.aggregation == "macro":
            scores[name] = _mean(metric, counts, options)
        else:
            scores[name] = _score_rows(metric, counts.of(name, counts.total), options)[0]
    for name in every:
        average = METRICS[name]
        if isinstance(average, Average):
            scores[name] = _average(average, scores, options)
    return {name: scores[name] for name in metrics}


def finalize_rows(counts: Counts, metrics: Sequence[str], options: Options) -> dict[str, list[Score]]:
    """Scores of every row by itself."""
    every = {*metrics, *(p for m in metrics if isinstance(a := METRICS[m], Average) for p in a.weights(options))}
    rows: dict[str, list[Score]] = {}
    for name in every:
        metric = METRICS[name]
        if isinstance(metric, Metric):
            rows[name] = _score_rows(metric, counts.of(name, counts.values), options)
    for name in every:
        average = METRICS[name]
        if isinstance(average, Average):
            parts = average.weights(options)
            rows[name] = [_average(average, {p: rows[p][row] for p in parts}, options) for row in range(len(counts))]
    return rows


def _values(metric: Metric, columns: Columns, options: Options) -> tuple[Values, Values]:
    """The metric's values, 0/0 counted as the options say, and where they are undefined."""
    found = metric.finalize(columns, options)
    inapplicable = next(iter(columns.values())) != next(iter(columns.values()))  # nan counts: see counts.count
    found = {name: np.where(inapplicable, np.nan, x) for name, x in found.items()} if inapplicable.any() else found
    undefined = {name: x != x for name, x in found.items()}
    rule = metric.zero_over_zero or {"zero": (0, 0), "popescu-belis": (0, 1)}.get(options.undefined)
    if rule is not None:
        for name, stands_for in zip(("recall", "precision"), rule, strict=True):
            if name in found:
                found[name] = np.where(undefined[name] & ~inapplicable, stands_for, found[name])
    if metric.values == RPF and "f1" not in found:
        found["f1"] = harmonic(found["recall"], found["precision"])
        either = undefined["recall"] | undefined["precision"]
        undefined["f1"] = either & undefined["recall"] & undefined["precision"] if rule is not None else either
    if "value" in found and options.undefined != "nan":
        found["value"] = np.where(undefined["value"] & ~inapplicable, 0, found["value"])
    if metric.zero_over_zero:  # the paper defines 0/0 for these
        undefined = {name: np.zeros_like(x) for name, x in undefined.items()}
    return found, undefined


def _score_rows(metric: Metric, columns: Columns, options: Options) -> list[Score]:
    found, undefined = _values(metric, columns, options)
    labels = metric.label(columns) if metric.label else None
    rows = len(next(iter(columns.values())))
    return [
        Score(
            metric.name,
            **{name: _number(found[name][row]) for name in metric.values},
            label=labels[row] if labels else None,
            undefined=frozenset(name for name in metric.values if undefined[name][row]),
            counts={name: _number(x[row]) for name, x in columns.items()},
        )
        for row in range(rows)
    ]


def _number(x: Any) -> Number:
    if isinstance(x, Fraction):
        return x
    if isinstance(x, int):
        return Fraction(x)
    return float(x)


def _mean(metric: Metric, counts: Counts, options: Options) -> Score:
    """Mean over the documents of each value; documents where it is undefined are left out and counted."""
    found, undefined = _values(metric, columns := counts.of(metric.name, counts.values), options)
    means: dict[str, Number] = {}
    left_out: dict[str, Number] = {}
    for name in metric.values:
        rows = found[name][~undefined[name].astype(bool)]
        left_out[f"{name}_undefined_documents"] = len(found[name]) - len(rows)
        means[name] = _number(rows.sum() / len(rows)) if len(rows) else (0.0 if options.undefined != "nan" else np.nan)
    labels = {label for label in metric.label(columns) if label} if metric.label else set()
    return Score(
        metric.name,
        **means,
        label=" and ".join(sorted(labels)) or None,
        undefined=frozenset(name for name in metric.values if left_out[f"{name}_undefined_documents"] == len(counts)),
        counts={"documents": len(counts)} | {name: n for name, n in left_out.items() if n},
    )


def _average(average: Average, scores: Mapping[str, Score], options: Options) -> Score:
    weights = average.weights(options)
    exact = all(isinstance(scores[m].f1, Fraction) for m in weights)
    total: Any = 0
    for name, weight in weights.items():
        total += (Fraction(weight) if exact else weight) * scores[name].main
    parts = [name for name in weights if weights[name]]
    undefined = all("f1" in scores[m].undefined for m in parts) or total != total
    return Score(
        average.name,
        f1=total / sum(Fraction(w) if exact else w for w in weights.values()),
        undefined=frozenset({"f1"}) if undefined else frozenset(),
    )
