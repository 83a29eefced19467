"""Several runs of a system, such as seeds: their mean, the parts of its variance, and tests over runs and documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..metrics.contingency import Array
from ..scoring.counts import Counts
from .distributions import t_quantile, t_two_sided
from .paired import PairedTest, differences_of
from .sample import NOISE, Gathered, Sample
from .swapping import Pair
from .weights import chunks, draws

TWO_LEVEL = "two-level bootstrap"


@dataclass(frozen=True, eq=False)
class RunsSample(Sample):
    """The same units in several runs, the columns of the runs side by side: scores are means over the runs."""

    runs: tuple[Sample, ...] = ()

    def compared_by_run(self, columns: Sequence[Array]) -> list[list[Array]]:
        """The number to compare, by run and metric, from columns of sums of counts."""
        rest = iter(columns)
        return [run.compared([*islice(rest, len(run.counts.columns))]) for run in self.runs]

    def compared(self, columns: Sequence[Array]) -> list[Array]:
        """The mean over runs of the number to compare, by each metric."""
        return [np.mean(np.broadcast_arrays(*of), axis=0) for of in zip(*self.compared_by_run(columns), strict=True)]

    def scores(self, sums: Array) -> Array:
        """The mean over runs of each score."""
        pieces = np.split(sums, len(self.runs), axis=1)
        found: Array = np.mean([run.scores(piece) for run, piece in zip(self.runs, pieces, strict=True)], axis=0)
        return found

    def of_units(self) -> tuple[Array, Array]:
        """The number by which units are compared, as the mean over runs; undefined if it is undefined in one run."""
        values, undefined = zip(*(run.of_units() for run in self.runs), strict=True)
        return np.mean(values, axis=0), np.any(undefined, axis=0)

    def sizes(self) -> Array | None:
        """Mentions of each unit in the first run."""
        return self.runs[0].sizes()


def runs_sample(runs: Sequence[Sample]) -> Sample:
    """Runs of one system on the same units as one sample; a single run is returned as it is."""
    first = runs[0]
    if len(runs) == 1:
        return first
    columns = tuple(f"{column} of run {k}" for k, run in enumerate(runs, 1) for column in run.counts.columns)
    counts = Counts(first.counts.labels, columns, np.hstack([run.counts.values for run in runs]))
    return RunsSample(first.labels, counts, first.metrics, first.options, first.stratum, tuple(runs), word=first.word)


@dataclass(frozen=True, slots=True)
class Spread:
    """The scores of a system's runs by one metric, and the two parts of the variance of their mean.

    by_documents   the part that comes from the choice of documents, by bootstrap
    by_runs        the part that comes from the choice of runs: s²/R, s² the variance of the R runs; nan with one run
    """

    scores: Sequence[float]
    by_documents: float
    by_runs: float

    @property
    def mean(self) -> float:
        return float(np.mean(self.scores))

    @property
    def deviation(self) -> float:
        """The standard deviation of the runs; nan with one run."""
        return float(np.std(self.scores, ddof=1)) if len(self.scores) > 1 else float("nan")


def two_level_tests(
    samples: Mapping[str, Sample], pairs: Sequence[Pair], *, resamples: int, seed: int, confidence: float
) -> tuple[dict[Pair, dict[str, PairedTest]], dict[str, dict[str, Spread]]]:
    """Tests and intervals of the differences of means over runs, and the spread of each system's runs.

    Each resample draws documents, the same for all systems, and runs of each system, all with replacement. The variance
    of the drawn differences gives the standard error. A bootstrap makes it too small, so its parts are multiplied by
    n/(n − 1) for n documents and by R/(R − 1) for R runs. t = difference / standard error has Satterthwaite's degrees
    of freedom, V² / (V_documents²/(n − 1) + Σ V_runs²/(R − 1)). The runs of a system with one run say nothing about
    other runs: their part is 0, and a note has to say so.
    """
    one = next(iter(samples.values()))
    of_runs = {name: _by_run(sample, [*sample.total.T])[:, 0] for name, sample in samples.items()}  # runs × metrics
    drawn = _drawn_scores(samples, resamples, seed)
    spreads = {name: _spreads(of_runs[name], drawn[name], len(one), one.metrics) for name in samples}
    means = {name: np.array([scores.mean() for scores in runs.T]) for name, runs in of_runs.items()}
    differences = {(first, second): means[second] - means[first] for first, second in pairs}
    described = differences_of({name: s.of_units() for name, s in samples.items()}, differences, TWO_LEVEL)
    tests: dict[Pair, dict[str, PairedTest]] = {}
    for first, second in pairs:
        by_documents, whole = _variances(drawn[first], drawn[second], len(one))
        tests[first, second] = {}
        for m, (metric, known) in enumerate(zip(one.metrics, described[first, second], strict=True)):
            parts = [(float(by_documents[m]), len(one) - 1)]
            parts += _parts_of_runs(spreads[first][metric], spreads[second][metric])
            known |= _by_t(known["difference"], float(whole[m]), parts, confidence)
            tests[first, second][metric] = PairedTest(metric, first, second, **known)
    return tests, spreads


class _Drawn(NamedTuple):
    """Scores of a system in resampled corpora, resamples × metrics."""

    documents: Array  # of all runs, on drawn documents
    both: Array  # of drawn runs, on drawn documents


def _drawn_scores(samples: Mapping[str, Sample], resamples: int, seed: int) -> dict[str, _Drawn]:
    """The same documents are drawn for all systems, and runs for each by itself."""
    pieces: dict[str, list[_Drawn]] = {name: [] for name in samples}
    rng = np.random.default_rng(seed)
    for rows in chunks(resamples):
        weights = draws(rng, next(iter(samples.values())).stratum, rows)
        gathered = Gathered.of(samples, rows, weights)
        for name, sample in samples.items():
            scores = _by_run(sample, gathered.columns(name))
            pieces[name].append(_Drawn(scores.mean(axis=0), _with_drawn_runs(rng, scores)))
    return {
        name: _Drawn(
            np.concatenate([piece.documents for piece in of_system]),
            np.concatenate([piece.both for piece in of_system]),
        )
        for name, of_system in pieces.items()
    }


def _spreads(of_runs: Array, drawn: _Drawn, n: int, metrics: Sequence[str]) -> dict[str, Spread]:
    """The scores of a system's runs by metric, and the parts of the variance of their mean on n documents."""
    by_documents = _variance(drawn.documents) * _enlarged(n)
    by_runs = np.full(len(metrics), np.nan)
    if len(of_runs) > 1:
        by_runs = of_runs.var(axis=0, ddof=1) / len(of_runs)
    return {
        metric: Spread([float(x) for x in of_runs[:, m]], float(by_documents[m]), float(by_runs[m]))
        for m, metric in enumerate(metrics)
    }


def _variances(first: _Drawn, second: _Drawn, n: int) -> tuple[Array, Array]:
    """The variance of a difference that comes from n documents, and the whole, by metric."""
    drawn = _variance(second.documents - first.documents)
    whole = _variance(second.both - first.both) + drawn * (_enlarged(n) - 1)
    return drawn * _enlarged(n), whole


def _enlarged(n: int) -> float:
    """n/(n − 1): by this factor a variance over n documents is larger than its bootstrap says."""
    return n / (n - 1)


def _parts_of_runs(*spreads: Spread) -> list[tuple[float, int]]:
    """The parts of a variance that come from runs, with their degrees of freedom; one run says nothing."""
    return [(spread.by_runs, len(spread.scores) - 1) for spread in spreads if len(spread.scores) > 1]


def _by_t(
    difference: float, variance: float, parts: Sequence[tuple[float, int]], confidence: float
) -> dict[str, float]:
    """p and interval of a difference by Student's t; `parts` are those of its variance, with degrees of freedom.

    Satterthwaite: V² / Σ V_part²/freedom of the part
    """
    if difference != difference:
        return {}
    error = sqrt(variance)
    if not error > NOISE:
        p = 1.0 if abs(difference) < NOISE else 0.0
        return {"p": p, "low": difference, "high": difference}
    below = sum(part**2 / freedom for part, freedom in parts)
    freedom = max(variance**2 / below, 1.0) if below > 0 else float(parts[0][1])
    half = t_quantile((1 + confidence) / 2, freedom) * error
    return {"p": t_two_sided(difference / error, freedom), "low": difference - half, "high": difference + half}


def _by_run(sample: Sample, columns: Sequence[Array]) -> Array:
    """The number to compare: runs × rows of sums × metrics."""
    of_runs = sample.compared_by_run(columns) if isinstance(sample, RunsSample) else [sample.compared(columns)]
    return np.stack([np.stack(found) for found in of_runs], axis=1).transpose(1, 2, 0)


def _variance(x: Array) -> Array:
    """The variance of each column without its undefined numbers, nan if all of them are undefined."""
    defined = (x == x).any(axis=0)
    variance = np.full(len(defined), np.nan)
    variance[defined] = np.nanvar(x[:, defined], axis=0)
    return variance


def _with_drawn_runs(rng: np.random.Generator, scores: Array) -> Array:
    """Means over runs drawn with replacement, from runs × rows × metrics; their variance is multiplied by R/(R − 1)."""
    runs, rows, _ = scores.shape
    mean: Array = scores.mean(axis=0)
    if runs == 1:
        return mean
    tally = rng.multinomial(runs, [1 / runs] * runs, size=rows) / runs - 1 / runs
    found: Array = mean + sqrt(runs / (runs - 1)) * np.einsum("nr,rnm->nm", tally, scores)
    return found
