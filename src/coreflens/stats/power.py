"""How many documents would decide: the power of a paired test, by resampling the documents scored."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, inf, isfinite, log2, log10, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..metrics.contingency import Array
from .bootstrap import leave_one_out
from .distributions import t_quantile
from .runs import RunsSample, Spread
from .sample import Sample

POWER = 0.8  # the chance with which a test should find a difference as large as the observed one
RANGE = 0.8  # the confidence of the range around the number of documents
MOST = 1_000_000  # more documents than this are not reported
WIDEST = 100  # a range that ends at more than this many times the number has no upper end
FEWEST = 5  # with fewer units that differ, no number is given
_DRAWS = 1000  # resampled corpora of each size
_NORMAL = NormalDist()
_SURE = _NORMAL.inv_cdf((1 + RANGE) / 2)


class Needed(NamedTuple):
    """How many documents would decide, and the range that holds the true number with a confidence of 80 %.

    documents   for a difference as large as the observed one; None if the range has no upper end
    low, high   the ends of the range; `high` is None if it is more than a hundred times the number, or if there is no
                upper end, since the difference may be 0; all are None if nothing can be told
    """

    documents: int | None = None
    low: int | None = None
    high: int | None = None


def contributions(a: Sample, b: Sample, metric: str) -> Array:
    """What each unit adds to the difference b − a of a metric.

    d_i = f(C + (b_i − a_i)/2) − f(C − (b_i − a_i)/2)      C = (A + B)/2, the mean of both systems' counts

    Swapping unit i changes the sign of d_i, and Σ d_i is the difference, up to terms of third order in (B − A)/C.
    """
    place = a.mains[list(a.metrics).index(metric)]
    middle, half = (a.total + b.total) / 2, (b.counts.values - a.counts.values) / 2
    both = np.concatenate([middle + half, middle - half])
    scores = a.scores(both)[:, place]
    found: Array = scores[: len(a)] - scores[len(a) :]
    return found


def power(d: Array, documents: int, level: float, seed: int = 0) -> float:
    """The share of corpora of this many documents, drawn from these, in which the test finds the difference.

    The randomisation test of a corpus flips the signs of its d_i; their sum is normal with variance Σ d_i², and no p is
    below 2/2ⁿ.
    """
    rng = np.random.default_rng(seed)
    n = len(d)
    if documents <= n:
        drawn = d[rng.integers(0, n, size=(_DRAWS, documents))]
        sums, squares, differ = drawn.sum(axis=1), (drawn**2).sum(axis=1), (drawn != 0).sum(axis=1)
    else:
        rows = max(50, min(_DRAWS, 4_000_000 // n))
        tallies = rng.poisson(documents / n, size=(rows, n)).astype(np.float64)
        tallies *= (documents / np.maximum(tallies.sum(axis=1), 1))[:, None]
        sums, squares, differ = tallies @ d, tallies @ d**2, tallies @ (d != 0)
    z = np.where(squares > 0, sums / np.sqrt(np.maximum(squares, 1e-300)), 0.0) * np.sign(d.sum())
    possible = np.exp2(1 - differ) <= level
    return float(((z >= -_NORMAL.inv_cdf(level / 2)) & possible).mean())


def needed(d: Array, level: float, seed: int = 0) -> Needed:
    """The fewest documents with which the test has a power of 80 %, and their range, rounded to two figures.

    Nothing is given if fewer than five units differ, or if more than a million documents would be needed. The number
    assumes that the difference is as large as observed, and that other documents are like these. The range also
    accounts for the fact that the difference was observed on few documents. It comes from the ends of the interval of
    the effect, see `effects`: the number of documents is proportional to `_proportional` of the effect.
    """
    d = d[np.isfinite(d)]
    if np.count_nonzero(d) < FEWEST or abs(float(d.sum())) <= 1e-12:
        return Needed()
    d = d * np.sign(d.sum())
    least = ceil((1 - log2(level)) * len(d) / np.count_nonzero(d))  # fewer have no p that is small enough
    low, high = effects(d)
    if low <= 0:
        fewest = max(_proportional(high, level), least)
        return Needed(None, rounded(floor(fewest), up=False)) if fewest <= MOST else Needed()
    number = _fewest(d, level, seed)
    if number is None:
        return Needed()
    scale = number / _proportional(float(d.mean()) / max(float(d.std()), 1e-30), level)
    most = max(scale * _proportional(low, level), number)
    fewest = min(max(scale * _proportional(high, level), least), number)
    if most > min(MOST, WIDEST * number):
        return Needed(None, rounded(floor(fewest), up=False))
    return Needed(rounded(number), rounded(floor(fewest), up=False), rounded(ceil(most)))


def effects(d: Array) -> tuple[float, float]:
    """The 80 % interval of the effect, which is the mean of d divided by its standard deviation.

    √n · effect is between  t (1 − 1/4f) ± z √(1 + t²/2f)      f = n − 1, t = √n · mean/deviation

    This is the normal approximation to the noncentral t distribution (Abramowitz & Stegun 1964, 26.7.10).
    """
    n, deviation = len(d), float(d.std(ddof=1))
    if deviation <= 1e-9 * abs(float(d.mean())):
        return inf, inf
    t = sqrt(n) * float(d.mean()) / deviation
    middle, half = t * (1 - 0.25 / (n - 1)), _SURE * sqrt(1 + t**2 / (2 * (n - 1)))
    return (middle - half) / sqrt(n), (middle + half) / sqrt(n)


def _proportional(effect: float, level: float) -> float:
    """The number of documents in which a normal effect is found: Σd/√Σd² exceeds the test's limit with a power of 80 %.

    N = (z_level √(1 + e²) + z_power)² / e²
    """
    if effect > 1e6:  # all documents agree
        return _NORMAL.inv_cdf(level / 2) ** 2
    limit = -_NORMAL.inv_cdf(level / 2) * sqrt(1 + effect**2)
    return ((limit + _NORMAL.inv_cdf(POWER)) / effect) ** 2


def _fewest(d: Array, level: float, seed: int) -> int | None:
    """The fewest documents with which the test has a power of 80 %, by resampling; None if there are too many."""
    total, squares = float(d.sum()), float((d**2).sum())
    wanted = -_NORMAL.inv_cdf(level / 2) + _NORMAL.inv_cdf(POWER)
    variance = squares / len(d) - (total / len(d)) ** 2
    guess = wanted**2 * max(variance, squares / len(d) * 0.05) / (total / len(d)) ** 2
    if not isfinite(guess) or guess > 2 * MOST:
        return None
    high = max(4, ceil(guess))
    while power(d, high, level, seed) < POWER:
        high = 2 * high
        if high > 2 * MOST:
            return None
    low = max(1, high // 2)
    while low > 1 and power(d, low, level, seed) >= POWER:
        high, low = low, low // 2
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if power(d, middle, level, seed) >= POWER else (middle, high)
    return None if high > MOST else high


def needed_with_runs(a: Sample, b: Sample, metric: str, runs: Sequence[Spread], level: float) -> Needed | None:
    """The number of documents that decide, and its range, where part of the variance comes from runs.

    n' = n (V_documents + V_both) / ((δ / (z_level + z_power))² − (V_runs − V_both))      V_documents by the jackknife

    V_both is the part of V_runs that comes from what the runs do with single documents: more documents reduce it as
    well, see `within_documents`. The range comes from the 80 % interval of δ by Student's t, with Satterthwaite's
    degrees of freedom as in the test. None if the runs alone leave it undecided, even at
    the upper end of the interval.
    """
    place = a.mains[list(a.metrics).index(metric)]
    delta = abs(float(b.scores(b.total)[0, place] - a.scores(a.total)[0, place]))
    n = len(a)
    by_documents = _jackknifed((leave_one_out(b) - leave_one_out(a))[:, place])
    parts = [(by_documents, n - 1), *((s.by_runs, len(s.scores) - 1) for s in runs if len(s.scores) > 1)]
    variance = sum(part for part, _ in parts)
    below = sum(part**2 / freedom for part, freedom in parts)
    sure = t_quantile((1 + RANGE) / 2, max(variance**2 / below, 1.0)) if below > 0 else _SURE
    both = sum(min(within_documents(of, place), s.by_runs) for of, s in zip((a, b), runs, strict=True) if s.by_runs > 0)
    smaller = by_documents + both  # with more documents

    def enough(difference: float) -> float:
        wanted = -_NORMAL.inv_cdf(level / 2) + _NORMAL.inv_cdf(POWER)
        left = (max(difference, 0.0) / wanted) ** 2 - (variance - smaller)
        return max(n * smaller / left, 1.0) if left > 1e-15 else inf

    half = sure * sqrt(variance)
    number, most, fewest = enough(delta), enough(delta - half), enough(delta + half)
    if fewest == inf and variance > smaller:
        return None
    if fewest > MOST:
        return Needed()
    low = rounded(floor(fewest), up=False)
    if most > min(MOST, WIDEST * number):
        return Needed(None, low)
    return Needed(rounded(ceil(number)), low, rounded(ceil(most)))


def within_documents(of: Sample, place: int) -> float:
    """The part of the variance of a mean over R runs that comes from what each run does with single documents.

    σ²/R      σ² = R/(R − 1) · the mean over runs of the jackknife variance of the run's score minus the mean score
    """
    if not isinstance(of, RunsSample):
        return 0.0
    each = np.stack([leave_one_out(run)[:, place] for run in of.runs])
    return float(np.mean([_jackknifed(apart) for apart in each - each.mean(axis=0)])) / (len(each) - 1)


def _jackknifed(left_out: Array) -> float:
    """The variance of a score by the jackknife, from the scores without one document each."""
    n = len(left_out)
    return (n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum())


def rounded(documents: int, up: bool = True) -> int:
    """Rounded to two figures: 1,234 → 1,300, or down to 1,200."""
    unit: int = 10 ** max(floor(log10(documents)) - 1, 0)
    return (ceil(documents / unit) if up else documents // unit) * unit
