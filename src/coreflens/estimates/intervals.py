"""Confidence intervals of estimates: by the beta distribution, by the normal one, by logit, and by resampling draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import exp, log, sqrt
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np

from ..integers import bincount
from ..stats.distributions import beta_quantile, t_quantile
from .draws import Draws
from .linearised import Linear
from .ratios import Numbers, Ratio

IntervalName: TypeAlias = Literal["beta", "normal", "logit", "percentile", "bca"]
INTERVALS: dict[IntervalName, str] = {
    "beta": "by the beta distribution, with effective draws (Korn & Graubard 1998)",
    "normal": "value ± t standard errors",
    "logit": "the same on the scale of log odds",
    "percentile": "from resampled draws",
    "bca": "from resampled draws, corrected for bias and acceleration",
}
RESAMPLED: tuple[IntervalName, ...] = ("percentile", "bca")
SURE = 1e-12  # a smaller standard error says nothing
_NORMAL = NormalDist()
_PORTION = 2_000_000  # counts that are in memory at once


def interval_of(linear: Linear, draws: Draws, name: IntervalName, confidence: float) -> tuple[float, float]:
    """The limits of an interval that needs no resampling; nan if there is no standard error."""
    value, se = linear.value, linear.se
    if draws.census:
        return value, value
    if se != se:
        return se, se
    freedom = draws.freedom
    if name == "beta":
        return _beta(linear, freedom, confidence)
    t = t_quantile((1 + confidence) / 2, freedom)
    if name == "normal" or not 0 < value < 1:
        return max(value - t * se, 0.0), min(value + t * se, 1.0)
    odds, width = log(value / (1 - value)), t * se / (value * (1 - value))
    return _share(odds - width), _share(odds + width)


def _share(odds: float) -> float:
    return 1 / (1 + exp(-odds)) if odds > -700 else 0.0


def _beta(linear: Linear, freedom: int, confidence: float) -> tuple[float, float]:
    """Beta⁻¹(α/2; v n*, n* − v n* + 1) and Beta⁻¹(1 − α/2; v n* + 1, n* − v n*).

    n* = v(1−v)/se² · (z/t)². Without a standard error it is the number of effective draws, so no error among the draws
    gives [(α/2)^(1/n*), 1] and not [1, 1].
    """
    value, tail = linear.value, (1 - confidence) / 2
    if linear.se < SURE or value <= 0 or value >= 1:
        draws = linear.effective
    else:
        z, t = _NORMAL.inv_cdf(1 - tail), t_quantile(1 - tail, freedom)
        draws = value * (1 - value) / linear.se**2 * (z / t) ** 2
    if draws <= 0:
        return 0.0, 1.0
    value = min(max(value, 0.0), 1.0)
    found = value * draws
    low = 0.0 if value == 0 else beta_quantile(tail, found, draws - found + 1)
    high = 1.0 if value == 1 else beta_quantile(1 - tail, found + 1, draws - found)
    return low, high


def resampled(
    draws: Draws, ratios: Mapping[tuple[str, str], Ratio], resamples: int, seed: int
) -> dict[tuple[str, str], Numbers]:
    """Each score in every resample. Draws are resampled within strata (Rao & Wu).

    n_h − 1 of n_h draws are taken with replacement; the weight becomes w(1 − λ + λ·count·n_h/(n_h−1)), λ = √(1−f_h).
    """
    names = list(ratios)
    sums = np.stack([column for name in names for column in ratios[name]], axis=1)
    totals = np.concatenate([weights @ sums for weights in _resampled_weights(draws, resamples, seed)])
    scores: dict[tuple[str, str], Numbers] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for place, name in enumerate(names):
            scores[name] = totals[:, 2 * place] / totals[:, 2 * place + 1]
        for metric in dict.fromkeys(metric for metric, _ in names):
            if {(metric, "recall"), (metric, "precision")} <= set(names):
                r, p = scores[metric, "recall"], scores[metric, "precision"]
                scores[metric, "f1"] = np.where(p + r == 0, 0.0, 2 * p * r / np.where(p + r == 0, 1, p + r))
    return scores


def _resampled_weights(draws: Draws, resamples: int, seed: int) -> Iterator[Numbers]:
    """The weights of some resamples at a time, one row per resample."""
    chance = np.random.default_rng(seed)
    members = [np.flatnonzero(draws.stratum == stratum) for stratum in range(len(draws.counts))]
    step = max(_PORTION // max(len(draws), 1), 1)
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        factors = np.ones((rows, len(draws)))
        for stratum in draws.open.tolist():
            inside = members[stratum]
            n = len(inside)
            if n < 2:
                continue
            taken = chance.integers(n, size=(rows, n - 1)) + n * np.arange(rows)[:, None]
            counts = bincount(taken.ravel(), minlength=rows * n).reshape(rows, n)
            scale = sqrt(1 - draws.fractions[stratum])
            factors[:, inside] = 1 - scale + scale * counts * n / (n - 1)
        yield factors * draws.weight


def resampled_interval(
    linear: Linear, draws: Draws, scores: Numbers, name: IntervalName, confidence: float
) -> tuple[float, float]:
    """The limits of `percentile` or `bca`."""
    if draws.census:
        return linear.value, linear.value
    scores = scores[np.isfinite(scores)]
    if not len(scores) or draws.lonely:
        return float("nan"), float("nan")
    levels = ((1 - confidence) / 2, (1 + confidence) / 2)
    if name == "bca":
        levels = _corrected(linear, draws, scores, levels)
    low, high = np.quantile(scores, levels).tolist()
    return float(low), float(high)


def _corrected(linear: Linear, draws: Draws, scores: Numbers, levels: tuple[float, float]) -> tuple[float, float]:
    """The levels Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))), a = Σl³/(6(Σl²)^1.5) with l the centred w z."""
    noise = 1e-12
    below, same = scores < linear.value - noise, np.abs(scores - linear.value) <= noise
    share = float(below.mean() + same.mean() / 2)
    if not 0 < share < 1:
        return levels
    centred = draws.centred(linear.z)
    squares = float((centred**2).sum())
    a = float((centred**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
    z0 = _NORMAL.inv_cdf(share)

    def corrected(level: float) -> float:
        z = z0 + _NORMAL.inv_cdf(level)
        return _NORMAL.cdf(z0 + z / (1 - a * z))

    return corrected(levels[0]), corrected(levels[1])


Limits: TypeAlias = Callable[[tuple[str, str], Linear], tuple[float, float]]


def limits_of(draws: Draws, name: IntervalName, confidence: float, resamples: int, seed: int) -> Limits:
    """A function that finds the interval of a score."""
    if name not in RESAMPLED:
        return lambda _, linear: interval_of(linear, draws, name, confidence)
    scores = resampled(draws, draws.ratios, resamples, seed)
    return lambda which, linear: resampled_interval(linear, draws, scores[which], name, confidence)
