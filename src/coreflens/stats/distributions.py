"""Tails of Student's t and of Wilcoxon's signed ranks, so that no statistics package is needed."""

from __future__ import annotations

from math import erfc, exp, expm1, lgamma, log, log1p, sqrt
from statistics import NormalDist

import numpy as np

from ..corpus.model import IntArray
from ..metrics.contingency import Array

_NORMAL_FROM = 1e5  # parameters of the beta distribution whose sum is larger are taken as normal
_EXACT = 50  # up to this many pairs Wilcoxon's p is exact


def t_two_sided(t: float, freedom: float) -> float:
    """P(|T| ≥ |t|) = I_x(ν/2, 1/2), x = ν/(ν + t²)."""
    if t != t:
        return t
    both = freedom + t * t
    return incomplete_beta(freedom / 2, 0.5, freedom / both, t * t / both) if both < float("inf") else 0.0


def t_quantile(level: float, freedom: float) -> float:
    """The t > 0 with P(T < t) = level, for a level above 1/2: by bisection of P(|T| ≥ t) = 2 (1 − level)."""
    low, high = 0.0, 1.0
    while t_two_sided(high, freedom) > 2 * (1 - level):
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if t_two_sided(middle, freedom) > 2 * (1 - level) else (low, middle)
    return high


def chi_squared_above(x: float, pairs: int) -> float:
    """P(χ² ≥ x) with 2 · `pairs` degrees of freedom: e^(−x/2) Σ_j (x/2)^j / j!, j < pairs."""
    term = total = 1.0
    for j in range(1, pairs):
        term *= x / 2 / j
        total += term
    return min(exp(-x / 2 + log(total)), 1.0) if total < float("inf") else 0.0


def incomplete_beta(a: float, b: float, x: float, y: float) -> float:
    """The regularised incomplete beta function I_x(a, b) by its continued fraction (Lentz's method; DLMF 8.17.22).

    y = 1 − x is given separately, because a small y would be lost in the subtraction.
    """
    if x <= 0 or y <= 0:
        return float(y <= 0)
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side
        return 1 - incomplete_beta(b, a, y, x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y)) / a
    tiny = 1e-300
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    fraction = d
    for m in range(1, 500):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / ((1 + step * d) or tiny)
            c = (1 + step / c) or tiny
            fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * fraction


def beta_quantile(level: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = level: Newton's method inside a bracket that bisection narrows.

    If one parameter is 1, it has a closed form. For very large parameters the beta distribution is normal.
    """
    if b == 1:
        return float(level ** (1 / a))
    if a == 1:
        return float(-expm1(log1p(-level) / b))
    if a + b > _NORMAL_FROM:
        mean = a / (a + b)
        x = mean + NormalDist().inv_cdf(level) * sqrt(mean * (1 - mean) / (a + b + 1))
        return min(max(x, 0.0), 1.0)
    front = lgamma(a + b) - lgamma(a) - lgamma(b)
    low, high = 0.0, 1.0
    x = a / (a + b)
    for _ in range(200):
        found = incomplete_beta(a, b, x, 1 - x) - level
        low, high = (low, x) if found > 0 else (x, high)
        slope = exp(front + (a - 1) * log(x) + (b - 1) * log1p(-x))
        better = x - found / slope if slope > 0 else low
        if not low < better < high:
            better = (low + high) / 2
        if abs(better - x) <= 1e-13 * x or not 0 < better < 1:
            return better
        x = better
    return x


def signed_ranks(differences: Array) -> tuple[float, float, float, bool]:
    """Rank sums of the positive and the negative differences, the two-sided p, and whether it is exact.

    Zeros are dropped (Wilcoxon 1945), and ties share their mean rank. Up to 50 pairs all 2ⁿ signs are counted, with or
    without ties. Above that, p is the normal approximation with its variance corrected for ties.
    """
    d = differences[differences != 0]
    n = len(d)
    if not n:
        return 0.0, 0.0, 1.0, True
    (plus,), (minus,) = (x.tolist() for x in rank_sums(d[None]))
    (twice,), (ties,), _ = _ranked(d[None])
    if n <= _EXACT:
        ways = np.zeros(int(twice.sum()) + 1)
        ways[0] = 1.0
        for rank in twice.tolist():
            ways[rank:] = ways[rank:] + ways[: len(ways) - rank]
        p = 2 * ways[: int(2 * min(plus, minus)) + 1].sum() / 2.0**n
        return plus, minus, min(float(p), 1.0), True
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**2 - 1).sum()) / 48
    z = (min(plus, minus) - n * (n + 1) / 4) / sqrt(variance)
    return plus, minus, erfc(-z / sqrt(2)), False


def rank_sums(differences: Array) -> tuple[Array, Array]:
    """The rank sums of the positive and of the negative differences, for each row."""
    twice, _, ordered = _ranked(differences)
    return (twice * (ordered > 0)).sum(axis=1) / 2, (twice * (ordered < 0)).sum(axis=1) / 2


def _ranked(d: Array) -> tuple[IntArray, IntArray, Array]:
    """The differences by ascending size in each row: twice their mean ranks, which are whole numbers, how many have
    each size, and the differences themselves. Zeros have no rank, so it means nothing."""
    bits = np.ascontiguousarray(d).view(np.uint64)
    bits = np.sort(bits << 1 | bits >> 63, axis=1)  # by size: the sign goes from the first bit to the last
    ordered = (bits >> 1 | bits << 63).view(np.float64)
    size = np.abs(ordered)
    place = np.arange(d.shape[1])
    new = np.ones((len(d), d.shape[1] + 1), dtype=bool)
    new[:, 1:-1] = size[:, 1:] != size[:, :-1]
    first = np.maximum.accumulate(np.where(new[:, :-1], place, 0), axis=1)
    last = np.minimum.accumulate(np.where(new[:, :0:-1], place[::-1], d.shape[1]), axis=1)[:, ::-1]
    zeros = (size == 0).sum(axis=1, keepdims=True)
    return first + last + 2 - 2 * zeros, last - first + 1, ordered
