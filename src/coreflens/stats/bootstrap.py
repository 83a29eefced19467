"""Confidence intervals: the bootstrap over documents, and the jackknife."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from ..corpus.model import IntArray
from ..errors import PLACES, Issue, UsageError, choose, counted
from ..exporting import Exported
from ..integers import bincount
from ..matching.labels import By
from ..metrics.contingency import Array
from ..scoring.parts import is_part
from ..scoring.scores import is_number, or_none
from .sample import FEW, NOISE, Sample, Unit, by_group, doubts, sample
from .weights import chunks, draws

if TYPE_CHECKING:
    from ..scoring.result import Result

_NORMAL = NormalDist()

IntervalKind: TypeAlias = Literal["percentile", "bca"]
INTERVALS: dict[IntervalKind, str] = {
    "percentile": "the quantiles of the resampled scores (Efron & Tibshirani 1993, ch. 13)",
    "bca": "bias-corrected and accelerated quantiles (Efron 1987)",
}


@dataclass(frozen=True, slots=True)
class Interval:
    """A score with the interval around it, all in 0–1; nan where 0/0 leaves no interval.

    score            the score of the corpus itself
    low, high        the ends of the interval
    standard_error   the standard deviation of the resampled scores, or that of the jackknife
    """

    score: float
    low: float
    high: float
    standard_error: float


class Intervals(Exported, Mapping[str, Mapping[str, Interval]]):
    """Intervals by metric and value: `r.bootstrap()["muc"]["f1"].low`.

    confidence   the share of such intervals that should contain the true score
    how          resamples, seed, unit and the like, by name
    by           intervals of groups, by label
    signature    the signature of the result, and how the intervals were computed
    issues       reasons not to trust them, such as few documents
    """

    def __init__(self, found: Mapping[str, Mapping[str, Interval]], signature: str, issues: list[Issue], **how: Any):
        self._found, self.signature, self.issues = found, signature, issues
        self.how = how
        self.by: Mapping[str, Intervals] = {}
        self.confidence: float = how["confidence"]

    def __getitem__(self, metric: str) -> Mapping[str, Interval]:
        return self._found[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def main(self, metric: str) -> Interval:
        """The interval of F1, or of the value."""
        return self[metric].get("f1") or self[metric]["value"]

    def __repr__(self) -> str:
        shown = (f"{m} {_points(self.main(m))}" for m in self)
        return f"<Intervals {100 * self.confidence:g}%: {', '.join(shown)}>"

    def records(self) -> list[dict[str, Any]]:
        """One row per metric and value, or per group, metric and value: the score, its interval, the standard error."""
        groups: Mapping[str, Intervals] = self.by or {"": self}
        return [
            ({"group": label} if self.by else {}) | {"metric": metric, "value": value} | asdict(interval)
            for label, intervals in groups.items()
            for metric, values in intervals.items()
            for value, interval in values.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        plain = {m: {v: _plain(asdict(i)) for v, i in values.items()} for m, values in self.items()}
        return {
            "signature": self.signature,
            **self.how,
            "intervals": plain,
            **({"by": {label: group.to_dict()["intervals"] for label, group in self.by.items()}} if self.by else {}),
            "issues": [i.to_dict() for i in self.issues],
        }


def bootstrap(
    result: Result,
    resamples: int = 10_000,
    *,
    seed: int = 0,
    interval: IntervalKind = "percentile",
    confidence: float = 0.95,
    stratify: By | None = None,
    unit: Unit = "document",
    by: By | None = None,
) -> Intervals:
    """Intervals of every value of every metric, from corpora of the same size drawn with replacement.

    `by` adds intervals of groups, each drawn from its own documents; a group of one document has none.
    """
    choose(interval, INTERVALS, "interval")
    _check(resamples, confidence, seed)
    if by is not None and is_part(unit):
        raise UsageError(f"--unit {unit} draws parts of all documents: give no --by")
    units = sample(result, unit, stratify)
    _several(units)
    issues = doubts(units, "bootstrap")
    by_metric = resampled(units, resamples, seed, interval, confidence, issues)
    how: dict[str, Any] = {"bootstrap": resamples, "interval": interval, "confidence": confidence, "seed": seed}
    how |= {"unit": unit, "units": len(units)} | ({} if stratify is None else {"stratify": _named(stratify)})
    intervals = Intervals(by_metric, extended(result, how), issues, **how)
    if by is not None:
        settings: dict[str, Any] = {
            "seed": seed,
            "interval": interval,
            "confidence": confidence,
            "stratify": stratify,
            "unit": unit,
        }
        intervals.by = _by_group(result, by, issues, lambda group: bootstrap(group, resamples, **settings))
    return intervals


def _by_group(
    result: Result, by: By, issues: list[Issue], interval: Callable[[Result], Intervals]
) -> dict[str, Intervals]:
    """Intervals of the groups of more than one document; reasons for doubt are reported once for all groups."""
    by_label: dict[str, Intervals] = {}
    few: list[str] = []
    for label, group in by_group(result, by).items():
        try:
            by_label[label] = interval(group)
        except Single:
            few.append(label)
            continue
        if by_label[label].how["units"] < FEW:
            few.append(label)
    if few:
        which = ", ".join(few[:PLACES]) + (", ..." if len(few) > PLACES else "")
        message = f"bootstrap by group: too few documents to trust it in {counted(few, 'group')} ({which})"
        issues.append(Issue("few-documents", message, len(few)))
    return by_label


def jackknife(result: Result, *, confidence: float = 0.95, unit: Unit = "document") -> Intervals:
    """Standard error by leaving out one document at a time, and the normal interval that it gives.

    se² = (n−1)/n Σ_i (θ_(i) − θ̄_(·))²      θ_(i): the score without document i (Efron & Tibshirani 1993, ch. 11)
    """
    _check(1, confidence, 0)
    units = sample(result, unit)
    _several(units)
    left_out, n = leave_one_out(units), len(units)
    error = np.sqrt((n - 1) / n * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    half = _NORMAL.inv_cdf((1 + confidence) / 2) * error
    score = units.scores(units.total)[0]
    by_metric: dict[str, dict[str, Interval]] = {}
    for place, (metric, value) in enumerate(units.outputs):
        s, h = float(score[place]), float(half[place])
        by_metric.setdefault(metric, {})[value] = Interval(s, s - h, s + h, float(error[place]))
    how: dict[str, Any] = {"interval": "jackknife", "confidence": confidence, "unit": unit, "units": n}
    return Intervals(by_metric, extended(result, how), doubts(units, "jackknife"), **how)


def resampled(
    units: Sample, resamples: int, seed: int, interval: IntervalKind, confidence: float, issues: list[Issue]
) -> dict[str, dict[str, Interval]]:
    """Intervals of every value of every metric of these units; values undefined in some resamples go into `issues`."""
    replicas = replicated(units, resamples, seed)
    score = units.scores(units.total)[0]
    left_out = leave_one_out(units) if interval == "bca" else None
    by_metric: dict[str, dict[str, Interval]] = {}
    by_output = np.ascontiguousarray(replicas.T)
    for place, (metric, value) in enumerate(units.outputs):
        drawn = by_output[place]
        defined = drawn[drawn == drawn]
        if len(defined) < resamples and score[place] == score[place]:
            gone = resamples - len(defined)
            issues.append(Issue("undefined", f"{metric} {value} is undefined in {gone} of {resamples} resamples", gone))
        jack = None if left_out is None else left_out[:, place]
        low, high = limits(defined, score[place], confidence, jack, units.stratum)
        spread = float(defined.std(ddof=1)) if len(defined) > 1 else np.nan
        by_metric.setdefault(metric, {})[value] = Interval(float(score[place]), low, high, spread)
    return by_metric


def replicated(units: Sample, resamples: int, seed: int) -> Array:
    """Scores of resampled corpora, one row each."""
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [units.scores(units.sums(rows, draws(rng, units.stratum, rows))) for rows in chunks(resamples)]
    )


def leave_one_out(units: Sample) -> Array:
    """Scores of the corpus without each of its units."""
    return units.scores(units.total - units.counts.values)


def limits(
    drawn: Array, score: float, confidence: float, left_out: Array | None, stratum: IntArray
) -> tuple[float, float]:
    """The ends of the percentile interval or, if leave-one-out scores are given, of the BCa interval."""
    drawn = drawn[drawn == drawn]
    if not is_number(score) or not len(drawn):
        return np.nan, np.nan
    tail = (1 - confidence) / 2
    ends = np.array([tail, 1 - tail])
    if left_out is not None:
        ends = bca_levels(drawn, score, left_out, stratum, ends)
    low, high = quantiles(drawn, ends)
    return low, high


def quantiles(x: Array, levels: Array) -> list[float]:
    """numpy's default quantiles, without its handling of other cases, which costs more time than ten thousand
    numbers."""
    places = levels * (len(x) - 1)
    below = np.minimum(places.astype(np.int64), max(len(x) - 2, 0))
    above = np.minimum(below + 1, len(x) - 1)
    ordered = np.partition(x, np.concatenate([below, above]))
    found: list[float] = (ordered[below] + (places - below) * (ordered[above] - ordered[below])).tolist()
    return found


def bca_levels(drawn: Array, score: float, left_out: Array, stratum: IntArray, ends: Array) -> Array:
    """The levels Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))) at which BCa reads the quantiles.

    z₀ = Φ⁻¹(share of resamples below the score, ties by half); the acceleration a = Σ U³ / 6(ΣU²)^1.5 from the
    leave-one-out scores, U = (n_s − 1)/n_s · (θ̄ − θ_(i)) within each stratum s.
    """
    share = float((drawn < score - NOISE).mean() + (np.abs(drawn - score) <= NOISE).mean() / 2)
    if not 0 < share < 1:  # the score is outside the resampled ones: no correction is possible
        return ends
    sizes = bincount(stratum)[stratum]
    means = (bincount(stratum, left_out) / bincount(stratum))[stratum]
    u = (sizes - 1) / sizes * (means - left_out)
    squares = (u**2).sum()
    a = (u**3).sum() / (6 * squares**1.5) if squares > 0 else 0.0
    z0 = _NORMAL.inv_cdf(share)
    z = z0 + np.array([_NORMAL.inv_cdf(end) for end in ends])
    return np.array([_NORMAL.cdf(z0 + x / (1 - a * x)) for x in z])


def extended(result: Result, how: Mapping[str, Any]) -> str:
    """The result's signature, with how the interval or test was computed."""
    return "|".join([str(result.signature), *(f"{name}:{value}" for name, value in how.items())])


class Single(UsageError):
    """The error that there is only one unit to draw from."""


def _several(units: Sample) -> None:
    if len(units) < 2:
        raise Single(f"only one {units.word}: nothing to resample{_unit(units)}")


def _unit(units: Sample) -> str:
    """Which units could be drawn instead, if everything is in one file or one block."""
    if units.options.scope == "document":
        return (
            "; --unit block:1500 draws blocks of a long text, and --unit entity draws its entities; "
            "if this document is a whole collection, give each of its documents its own name, and say how far entities "
            "extend and what is drawn: --scope corpus, or --scope topic with --unit topic"
        )
    if units.options.scope == "corpus":
        return "; entities extend over the corpus: --scope topic (or LABELS.csv) makes each topic a unit"
    return f"; entities extend over the {units.options.scope}, and there is only one"


def _check(resamples: int, confidence: float, seed: int) -> None:
    if resamples < 1:
        raise UsageError("at least one resample is needed")
    if not 0 < confidence < 1:
        raise UsageError(f"confidence is a share between 0 and 1, not {confidence}")
    if seed < 0:
        raise UsageError("a seed must not be negative")


def _named(by: By) -> str:
    return str(by) if isinstance(by, str) else "given"


def _points(interval: Interval) -> str:
    return f"{100 * interval.score:.2f} [{100 * interval.low:.2f}, {100 * interval.high:.2f}]"


def _plain(numbers: dict[str, float]) -> dict[str, float | None]:
    return {name: or_none(x) for name, x in numbers.items()}
