"""Rules for plausible counts: no NaN, nothing negative, no numerator above its denominator.

Saved counts decide whether a job passes. A file that was cut off, edited or written by another program may still be
JSON. So it is checked here against what all counts must satisfy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..metrics import METRICS, Metric
from ..metrics.contingency import Array
from ..options import Options

PARTS = {  # a count → the counts that it can't exceed
    "recall_num": ("recall_den",),
    "precision_num": ("precision_den",),
    "coref_common": ("coref_key", "coref_response"),
    "non_common": ("non_key", "non_response"),
    "mentions_common": ("mentions_key", "mentions_response"),
    "agreeing": ("pairs",),
    "common_pairs": ("key_pairs", "response_pairs"),
    "common": ("mentions",),
}
_ROUNDING = 1e-9


def check_columns(columns: Sequence[Any], metrics: Iterable[Metric]) -> None:
    """Every column belongs to a metric, no column occurs twice, and no metric lacks a column."""
    known = {f"{m.name}.{c}" for m in METRICS.values() if isinstance(m, Metric) for c in m.columns}
    for column, number in Counter(columns).items():
        if column not in known:
            raise ValueError(f"unknown column {column!s:.60}")
        if number > 1:
            raise ValueError(f"column {column} occurs twice")
    for metric in metrics:
        for name in metric.columns:
            if f"{metric.name}.{name}" not in columns:
                raise ValueError(f"no column {metric.name}.{name}")


def check_rows(rows: Any, labels: Sequence[str], columns: Sequence[str], *, repeated: bool = False) -> None:
    """One row per document, one number per column."""
    if not isinstance(rows, list) or len(rows) != len(labels):
        count = len(rows) if isinstance(rows, list) else "no"
        raise ValueError(f"{count} rows for {len(labels)} documents")
    if not rows:
        raise ValueError("no document")
    for label, number in Counter(filter(None, labels)).items():
        if number > 1 and not repeated:
            raise ValueError(f"document '{label[:80]}' occurs twice")
    for row, label in zip(rows, labels, strict=True):
        _check_row(row, f"document '{label[:80]}'", columns)


def _check_row(row: Any, document: str, columns: Sequence[str]) -> None:
    if not isinstance(row, list) or len(row) != len(columns):
        raise ValueError(f"{document} does not have {len(columns)} numbers")
    for number in row:
        if number is not None and type(number) not in (int, float, str):
            raise ValueError(f"{number!r:.40} in {document} is not a number")
        if isinstance(number, float) and not np.isfinite(number):
            raise ValueError(f"{number} in {document} is not a count")


def check_plausible(values: Array, labels: Sequence[str], columns: Sequence[str], options: Options) -> None:
    """Check that counts can come from a contingency table. With `duplicates="perl"` a table may hold a mention
    twice, as in scorer.pl, so numerators can be above their denominators."""
    place = {column: n for n, column in enumerate(columns)}
    numbers = values.astype(np.float64)
    missing = np.isnan(numbers)
    for column, n in place.items():
        metric, _, name = column.partition(".")
        family = METRICS[metric]
        if missing[:, n].any() and not (isinstance(family, Metric) and family.equal_mentions):
            raise ValueError(f"{column} is missing in {_first(labels, missing[:, n])}")
        if (numbers[:, n] < 0).any():
            raise ValueError(f"{column} is negative in {_first(labels, numbers[:, n] < 0)}")
        for whole in PARTS.get(name, ()) if options.duplicates != "perl" else ():
            if (most := place.get(f"{metric}.{whole}")) is not None:
                above = numbers[:, n] > numbers[:, most] * (1 + _ROUNDING) + _ROUNDING
                if above.any():
                    raise ValueError(f"{column} is above {metric}.{whole} in {_first(labels, above)}")


def _first(labels: Sequence[str], where: Array) -> str:
    return f"document '{labels[int(np.argmax(where))][:80]}'"
