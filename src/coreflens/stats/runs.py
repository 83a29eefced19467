"""Several runs of a system, such as seeds: their mean, the parts of its variance, and tests over runs and documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt

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
    n = len(one)
    whole = {name: _by_run(s, [*s.total.T])[:, 0] for name, s in samples.items()}  # runs × metrics
    fixed: dict[str, list[Array]] = {name: [] for name in samples}  # documents drawn, all runs
    moved: dict[str, list[Array]] = {name: [] for name in samples}  # documents and runs drawn
    rng = np.random.default_rng(seed)
    for rows in chunks(resamples):
        gathered = Gathered.of(samples, rows, draws(rng, one.stratum, rows))
        for name in samples:
            found = _by_run(samples[name], gathered.columns(name))
            fixed[name].append(found.mean(axis=0))
            moved[name].append(_drawn(rng, found))
    documents_only = {name: np.concatenate(found) for name, found in fixed.items()}
    both = {name: np.concatenate(found) for name, found in moved.items()}
    larger = n / (n - 1)
    of_runs = {
        name: (w.var(axis=0, ddof=1) / len(w) if len(w) > 1 else np.zeros(len(one.metrics)), len(w))
        for name, w in whole.items()
    }
    of_documents = {name: _variance(drawn) for name, drawn in documents_only.items()}
    spreads = {
        name: {
            metric: Spread(
                [float(x) for x in whole[name][:, m]],
                float(of_documents[name][m] * larger),
                float(of_runs[name][0][m]) if of_runs[name][1] > 1 else float("nan"),
            )
            for m, metric in enumerate(one.metrics)
        }
        for name in samples
    }
    results: dict[Pair, dict[str, PairedTest]] = {}
    means = {name: np.array([of.mean() for of in w.T]) for name, w in whole.items()}
    differences = {(first, second): means[second] - means[first] for first, second in pairs}
    about = differences_of({name: s.of_units() for name, s in samples.items()}, differences, TWO_LEVEL)
    for first, second in pairs:
        by_documents = _variance(documents_only[second] - documents_only[first])
        total = _variance(both[second] - both[first]) + by_documents * (larger - 1)
        results[first, second] = {}
        for m, (metric, known) in enumerate(zip(one.metrics, about[first, second], strict=True)):
            difference = known["difference"]
            parts = [(float(by_documents[m]) * larger, n - 1)]
            parts += [
                (float(of_runs[who][0][m]), of_runs[who][1] - 1) for who in (first, second) if of_runs[who][1] > 1
            ]
            below = sum(part**2 / freedom for part, freedom in parts)
            freedom = max(float(total[m]) ** 2 / below, 1.0) if below > 0 else float(n - 1)
            error = sqrt(float(total[m]))
            if difference == difference and error > NOISE:
                half = t_quantile((1 + confidence) / 2, freedom) * error
                p = t_two_sided(difference / error, freedom)
                known |= {"p": p, "low": difference - half, "high": difference + half}
            elif difference == difference:
                known |= {"p": 1.0 if abs(difference) < NOISE else 0.0, "low": difference, "high": difference}
            results[first, second][metric] = PairedTest(metric, first, second, **known)
    return results, spreads


def _by_run(sample: Sample, columns: Sequence[Array]) -> Array:
    """The number to compare: runs × rows of sums × metrics."""
    of_runs = sample.compared_by_run(columns) if isinstance(sample, RunsSample) else [sample.compared(columns)]
    return np.stack([np.stack(found) for found in of_runs], axis=1).transpose(1, 2, 0)


def _variance(x: Array) -> Array:
    """The variance of each column without its undefined numbers, nan if all of them are undefined."""
    some = (x == x).any(axis=0)
    found = np.full(len(some), np.nan)
    found[some] = np.nanvar(x[:, some], axis=0)
    return found


def _drawn(rng: np.random.Generator, scores: Array) -> Array:
    """Means over runs drawn with replacement, from runs × rows × metrics; their variance is multiplied by R/(R − 1)."""
    runs, rows, _ = scores.shape
    mean: Array = scores.mean(axis=0)
    if runs == 1:
        return mean
    tally = rng.multinomial(runs, [1 / runs] * runs, size=rows) / runs - 1 / runs
    found: Array = mean + sqrt(runs / (runs - 1)) * np.einsum("nr,rnm->nm", tally, scores)
    return found
