"""Correlation coefficients and their two-sided p-values: Pearson, Spearman, Kendall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import erfc, factorial, isnan, nan, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..scoring.scores import or_none
from .distributions import incomplete_beta

Floats: TypeAlias = npt.NDArray[np.float64]

ALL_ORDERS = 8  # up to this many pairs all n! orders are tried
EXACT_KENDALL = 60  # up to this many pairs without ties the orders are counted by a recurrence


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient, its two-sided p-value and how p was computed; nan where one of the variables is constant."""

    value: float
    p: float
    method: str

    def to_dict(self) -> dict[str, float | str | None]:
        """Everything, for JSON."""
        return {"value": or_none(self.value), "p": or_none(self.p), "method": self.method}


def pearson(x: Floats, y: Floats) -> Coefficient:
    """r = Σ(x − x̄)(y − ȳ) / √(Σ(x − x̄)² Σ(y − ȳ)²);  p from t = r √(n − 2) / √(1 − r²) with n − 2 degrees of freedom.

    With ν degrees P(|T| > t) = I_z(ν/2, 1/2) at z = ν/(ν + t²), and that z is 1 − r².
    """
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Coefficient(nan, nan, "t distribution")
    u, v = x - x.mean(), y - y.mean()
    r = float(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)))
    r = min(max(r, -1.0), 1.0)
    return Coefficient(r, incomplete_beta((len(x) - 2) / 2, 0.5, (1 - r) * (1 + r), r * r), "t distribution")


def spearman(x: Floats, y: Floats) -> Coefficient:
    """Pearson's r of the ranks, ties sharing their mean rank.

    Up to 8 pairs p is exact: the share of all orders that correlate as much. Beyond that it comes from the same t as
    Pearson's. For few pairs this approximation is wrong: it calls a perfect order of five systems certain, although 2
    of 120 orders are perfect.
    """
    a, b = _ranks(x), _ranks(y)
    approximate = pearson(a, b)
    if len(x) > ALL_ORDERS or isnan(approximate.value):
        return approximate
    a, b = 2 * (a - a.mean()), 2 * (b - b.mean())
    every = np.abs(b[_orders(len(b))] @ a)
    return Coefficient(approximate.value, float((every >= abs(float(a @ b)) - 1e-9).mean()), "exact")


@lru_cache(maxsize=8)
def _orders(n: int) -> npt.NDArray[np.int64]:
    return np.array(list(permutations(range(n))), dtype=np.int64)


def kendall(x: Floats, y: Floats) -> Coefficient:
    """τ_b = (C − D) / √((n₀ − n₁)(n₀ − n₂)): C concordant and D discordant pairs of n₀, n₁ and n₂ tied in x and in y.

    p is exact, over all n! orders, up to 8 pairs, or up to 60 without ties. Otherwise it comes from the normal
    distribution with the variance corrected for ties (Kendall 1970).
    """
    n = len(x)
    if n < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Coefficient(nan, nan, "exact")
    order_x, order_y = (np.sign(np.subtract.outer(z, z)) for z in (x, y))
    surplus = int((order_x * order_y).sum()) // 2  # C − D
    pairs = n * (n - 1) // 2
    t, u = (np.unique(z, return_counts=True)[1].astype(np.float64) for z in (x, y))
    tied_x, tied_y = (float((c * (c - 1)).sum() / 2) for c in (t, u))
    tau = min(max(surplus / sqrt((pairs - tied_x) * (pairs - tied_y)), -1.0), 1.0)
    if not tied_x and not tied_y and n <= EXACT_KENDALL:
        return Coefficient(tau, _kendall_exact(n, (pairs - abs(surplus)) // 2), "exact")
    if n <= ALL_ORDERS:
        orders = _orders(n)
        surpluses = (order_y[orders[:, :, None], orders[:, None, :]] * order_x).sum(axis=(1, 2))
        return Coefficient(tau, float((np.abs(surpluses) >= 2 * abs(surplus)).mean()), "exact")
    m = n * (n - 1)
    twice, thrice = ([float((c * f(c)).sum()) for c in (t, u)] for f in (_twice, _thrice))
    variance = (m * (2 * n + 5) - sum(twice)) / 18 + 2 * tied_x * tied_y / m + thrice[0] * thrice[1] / (9 * m * (n - 2))
    return Coefficient(tau, erfc(abs(surplus) / sqrt(2 * variance)), "normal approximation")


def _twice(c: Floats) -> Floats:
    return (c - 1) * (2 * c + 5)


def _thrice(c: Floats) -> Floats:
    return (c - 1) * (c - 2)


def _kendall_exact(n: int, discordant: int) -> float:
    """Twice the P of at most this many discordant pairs: orders of n are counted by their inversions, with n added
    last."""
    orders = [1]  # orders[d]: of the numbers so far, with d inversions
    for k in range(2, n + 1):
        sums, window = [], 0
        for d in range(min(len(orders) + k - 1, discordant + 1)):
            window += orders[d] if d < len(orders) else 0
            window -= orders[d - k] if 0 <= d - k < len(orders) else 0
            sums.append(window)
        orders = sums
    return min(1.0, 2 * sum(orders) / factorial(n))


def _ranks(x: Floats) -> Floats:
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


COEFFICIENTS: dict[str, Callable[[Floats, Floats], Coefficient]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
