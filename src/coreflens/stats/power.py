"""How many documents would decide: the power of a paired test, by resampling the documents scored."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10
from statistics import NormalDist

import numpy as np

from ..metrics.contingency import Array
from .bootstrap import leave_one_out
from .sample import Sample

POWER = 0.8  # the chance with which a test should find a difference as large as the observed one
MOST = 1_000_000  # more documents than this are not reported
FEWEST = 5  # with fewer units that differ, no number is given
_DRAWS = 1000  # resampled corpora of each size
_NORMAL = NormalDist()


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


def needed(d: Array, level: float, seed: int = 0) -> int | None:
    """The fewest documents with which the test has a power of 80 %, rounded to two figures.

    None if fewer than five units differ, or if more than a million documents would be needed. This assumes that the
    difference is as large as observed and that other documents are like these.
    """
    d = d[np.isfinite(d)]
    total, squares = float(d.sum()), float((d**2).sum())
    if np.count_nonzero(d) < FEWEST or not squares or abs(total) <= 1e-12:
        return None
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
    return None if high > MOST else rounded(high)


def needed_with_runs(a: Sample, b: Sample, metric: str, by_runs: float, level: float) -> int | None:
    """The number of documents that decide, where part of the variance comes from runs, which more documents do not
    reduce.

    n' = n V_documents / ((δ / (z_level + z_power))² − V_runs)      V_documents by the jackknife

    None if the runs alone leave it undecided, or if more than a million documents would be needed.
    """
    place = a.mains[list(a.metrics).index(metric)]
    delta = float(b.scores(b.total)[0, place] - a.scores(a.total)[0, place])
    left_out = (leave_one_out(b) - leave_one_out(a))[:, place]
    n = len(a)
    by_documents = (n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum())
    left = (delta / (-_NORMAL.inv_cdf(level / 2) + _NORMAL.inv_cdf(POWER))) ** 2 - by_runs
    found = n * by_documents / left if left > 0 else MOST + 1.0
    return rounded(max(ceil(found), 1)) if found <= MOST else None


def rounded(documents: int) -> int:
    """Rounded up to two figures: 1,234 → 1,300."""
    unit: int = 10 ** max(floor(log10(documents)) - 1, 0)
    return ceil(documents / unit) * unit
