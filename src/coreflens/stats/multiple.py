"""Many comparisons at once: p-values corrected, and systems that can't be told apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from ..metrics.contingency import Array


def holm(p: Sequence[float]) -> Array:
    """Holm (1979): p_(i) · (m − i + 1), made to rise; the chance of any false alarm stays below the level."""
    return _stepwise(p, down=True)


def benjamini_hochberg(p: Sequence[float]) -> Array:
    """Benjamini & Hochberg (1995): p_(i) · m / i, made to rise; the expected share of false alarms stays below."""
    return _stepwise(p, down=False)


def _stepwise(p: Sequence[float], down: bool) -> Array:
    """Undefined p-values stay undefined and count for nothing."""
    values = np.asarray(p, dtype=np.float64)
    adjusted = np.full(len(values), np.nan)
    tested = np.flatnonzero(values == values)
    m = len(tested)
    order = tested[np.argsort(values[tested], kind="stable")]
    rank = np.arange(1, m + 1)
    if down:
        adjusted[order] = np.maximum.accumulate(values[order] * (m - rank + 1))
    else:
        adjusted[order] = np.minimum.accumulate((values[order] * m / rank)[::-1])[::-1]
    capped: Array = np.minimum(adjusted, 1.0)
    return capped


def _uncorrected(p: Sequence[float]) -> Array:
    return np.asarray(p, dtype=np.float64)


Correction: TypeAlias = Literal["holm", "bh", "none"]
CORRECTIONS: dict[Correction, Callable[[Sequence[float]], Array]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": _uncorrected,
}


def letters(names: Sequence[str], different: Mapping[tuple[str, str], bool]) -> dict[str, str]:
    """Letters by which systems that share one do not differ significantly (insert and absorb, Piepho 2004).

    `names` in order of rank; `different` holds each pair in either order. More letters than an alphabet would help
    nobody, and can be very many: then there are none.
    """
    columns: list[set[str]] = [set(names)]
    for (a, b), differ in different.items():
        if not differ:
            continue
        split: list[set[str]] = []
        for column in columns:
            split += [column - {a}, column - {b}] if {a, b} <= column else [column]
        columns = []
        for column in sorted(split, key=len, reverse=True):
            if not any(column <= other for other in columns):
                columns.append(column)
        if len(columns) > 26:
            return {}
    columns.sort(key=lambda column: [name not in column for name in names])
    return {name: "".join(chr(ord("a") + i) for i, c in enumerate(columns) if name in c) for name in names}
