"""Many comparisons at once: corrected p-values, and groups of systems that do not differ significantly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Literal, TypeAlias

import numpy as np

from ..metrics.contingency import Array
from .distributions import chi_squared_above


def holm(p: Sequence[float]) -> Array:
    """Holm (1979): p_(i) · (m − i + 1), made to rise; the chance of any false alarm stays below the level."""
    return _stepwise(p, down=True)


def benjamini_hochberg(p: Sequence[float]) -> Array:
    """Benjamini & Hochberg (1995): p_(i) · m / i, made to rise; the expected share of false alarms stays below."""
    return _stepwise(p, down=False)


def _stepwise(p: Sequence[float], down: bool) -> Array:
    """Undefined p-values stay undefined and do not count."""
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


def partial_conjunction(p: Sequence[float], level: float, *, independent: bool = True) -> int:
    """In at least how many datasets an effect is present: the largest u for which "in fewer than u" is rejected.

    The one-sided p of N datasets are sorted, and the null of u is tested by the N − u + 1 largest (Benjamini & Heller
    2008, as Dror et al. 2017 count). For independent datasets Fisher's −2 Σ ln p is compared with χ² with 2(N − u + 1)
    degrees of freedom; otherwise p is (N − u + 1) p_(u). u rises as long as each null so far is rejected; an undefined
    p counts as 1. The chance to claim too many is at most `level`.
    """
    values = sorted(1.0 if x != x else min(max(x, 1e-300), 1.0) for x in p)
    largest = 0
    for u in range(1, len(values) + 1):
        rest = values[u - 1 :]
        tail = chi_squared_above(-2 * sum(map(log, rest)), len(rest)) if independent else min(len(rest) * rest[0], 1.0)
        if tail > level:
            break
        largest = u
    return largest


def _uncorrected(p: Sequence[float]) -> Array:
    return np.asarray(p, dtype=np.float64)


Correction: TypeAlias = Literal["holm", "bh", "none"]
CORRECTIONS: dict[Correction, Callable[[Sequence[float]], Array]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": _uncorrected,
}


def letters(names: Sequence[str], different: Mapping[tuple[str, str], bool]) -> dict[str, str]:
    """Letters for systems: those that share one do not differ significantly (insert and absorb, Piepho 2004).

    `names` are in order of rank; `different` holds each pair in either order. If there would be more letters than in an
    alphabet, the result is empty.
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
