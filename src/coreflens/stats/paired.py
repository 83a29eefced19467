"""Is one system better than another, or is it chance? Paired tests over the same documents, two-sided."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import islice
from math import sqrt
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import UsageError, choose
from ..metrics.contingency import Array
from ..scoring.counts import needed
from ..scoring.scores import is_number
from .bootstrap import IntervalKind, leave_one_out, limits
from .distributions import rank_sums, signed_ranks, t_two_sided
from .sample import NOISE, Gathered, Sample
from .swapping import Chances, Pair, Progress, randomised
from .weights import chunks, draws

Test: TypeAlias = Literal["randomisation", "bootstrap", "t", "wilcoxon"]
TESTS: dict[Test, str] = {
    "randomisation": "approximate randomisation: both systems' counts of a document are swapped (Noreen 1989)",
    "bootstrap": "paired bootstrap, resampled differences shifted to the null (Berg-Kirkpatrick et al. 2012)",
    "t": "paired t-test on the documents' F1, undefined ones left out (Cai & Strube 2010)",
    "wilcoxon": "Wilcoxon's signed ranks on the documents' F1, undefined ones left out",
}
_AT_ONCE = 1 << 17  # differences of documents that are ranked at once


@dataclass(frozen=True, slots=True)
class PairedTest:
    """`second` against `first` by one metric; numbers in 0–1, differences are second − first.

    `effect` is the mean of the differences of the documents' F1 divided by their standard deviation (Cohen's d_z).
    `rank_biserial` is the share of signed ranks for the second minus the share for the first. Documents with an
    undefined F1 are `dropped` from both, from the t-test and from Wilcoxon's test. `exact` means that all assignments
    were counted and none was drawn. `smallest_p` is the smallest p that the test could give on these documents for any
    systems; it is 0 for the t-test, which has no such limit.
    """

    metric: str
    first: str
    second: str
    difference: float
    p: float
    test: str
    units: int
    dropped: int
    exact: bool
    wins: int
    losses: int
    effect: float
    rank_biserial: float
    low: float = float("nan")
    high: float = float("nan")
    smallest_p: float = 0.0

    def reversed(self) -> PairedTest:
        """The same test of first − second."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            wins=self.losses,
            losses=self.wins,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
            effect=-self.effect,
            rank_biserial=-self.rank_biserial,
        )

    def disagreement(self, confidence: float) -> str:
        """Why an interval excludes 0 although p is large; empty if there is nothing to explain."""
        level = round(1 - confidence, 12)
        if not (self.low > 0 or self.high < 0) or not self.p > level:
            return ""
        if self.smallest_p > level:
            return (
                f"with {self.units} documents the test can't give a p below {self.smallest_p:.3g}, and a bootstrap "
                "interval of so few is too narrow; the difference is not established"
            )
        return (
            "the interval says how the difference varies with the choice of documents, and p says how often "
            "chance alone gives one as large; where they disagree, the difference is not established"
        )

    def to_dict(self) -> dict[str, Any]:
        """Every number by its name, for JSON; undefined ones are None."""
        return {name: x if is_number(x) else None for name, x in asdict(self).items()}


def paired_tests(
    samples: Mapping[str, Sample],
    pairs: Sequence[Pair],
    *,
    test: Test = "randomisation",
    resamples: int = 10_000,
    seed: int = 0,
    interval: IntervalKind = "percentile",
    confidence: float = 0.95,
    intervals: bool | Collection[Pair] = False,
    progress: Progress = iter,
    jobs: int | None = 1,
) -> dict[Pair, dict[str, PairedTest]]:
    """Tests of each pair (first, second) by every metric; `intervals` adds intervals of the differences, by paired
    bootstrap.

    If `intervals` names some pairs, only these get intervals. `jobs` processes share the swaps of the randomisation
    test, with the same result. None is one per core if there are many pairs.
    """
    one = next(iter(samples.values()))
    _check(test, resamples, one)
    whole = {name: np.concatenate(s.compared([*s.total.T])) for name, s in samples.items()}
    differences = {(first, second): whole[second] - whole[first] for first, second in pairs}
    several = len(one) > 1  # else there is nothing to draw or swap
    swapping: AbstractContextManager[Callable[[], Chances]] = nullcontext(_no_chances)
    if several and test == "randomisation":
        swapping = randomised(samples, differences, resamples, seed, progress, jobs)
    shifted: dict[Pair, Array] = {}
    ends: dict[Pair, list[tuple[float, float]]] = {}
    with swapping as swapped:
        to_draw = _pairs_to_draw(pairs, intervals, test) if several else []
        for pair, drawn in _drawn_differences(samples, to_draw, resamples, seed, progress):
            ends[pair] = _ends(drawn, differences[pair], [samples[name] for name in pair], interval, confidence)
            if test == "bootstrap":
                shifted[pair] = _shifted(drawn, differences[pair])
        described = differences_of({name: s.of_units() for name, s in samples.items()}, differences, test)
        differ = _differing(samples, differences)
        by_chance, exact = swapped()
    by_chance |= shifted
    results: dict[Pair, dict[str, PairedTest]] = {}
    for pair, of_pair in described.items():
        results[pair] = {}
        for m, (metric, known) in enumerate(zip(one.metrics, of_pair, strict=True)):
            if pair in by_chance:
                known |= {"p": float(by_chance[pair][m]), "exact": pair in exact}
            low, high = ends[pair][m] if pair in ends else (np.nan, np.nan)
            smallest = _smallest(known, differ[pair][m], resamples)
            known |= {"low": low, "high": high, "smallest_p": smallest}
            if known["difference"] != known["difference"]:
                known["p"] = np.nan
            results[pair][metric] = PairedTest(metric, *pair, **known)
    return results


def _check(test: Test, resamples: int, units: Sample) -> None:
    choose(test, TESTS, "test")
    if resamples < 1:
        raise UsageError("at least one resample is needed")
    if units.divided and test not in ("randomisation", "bootstrap"):
        raise UsageError(f"the {test} test needs scores of documents; for parts of them use randomisation or bootstrap")


def _no_chances() -> Chances:
    """The result of a test that swaps nothing."""
    return {}, set()


def _pairs_to_draw(pairs: Sequence[Pair], intervals: bool | Collection[Pair], test: Test) -> list[Pair]:
    """The pairs whose differences are drawn: all for the bootstrap, otherwise those that get intervals."""
    if intervals is True or test == "bootstrap":
        return list(pairs)
    return [pair for pair in pairs if pair in (intervals or ())]


def differences_of(
    documents: Mapping[str, tuple[Array, Array]], differences: Mapping[Pair, Array], test: str
) -> dict[Pair, list[dict[str, Any]]]:
    """What the differences of the documents give for each pair by each metric: effect sizes, and p if the test is based
    on them. These are the fields of `PairedTest`, without the names.

    `documents`: the F1 of each document by each metric, and where it is undefined (see `Sample.of_units`).
    """
    f1 = {name: values.T for name, (values, _) in documents.items()}
    gone = {name: undefined.T for name, (_, undefined) in documents.items()}
    metrics, units = next(iter(f1.values())).shape
    described: dict[Pair, list[dict[str, Any]]] = {}
    waiting = iter(differences)
    for size in chunks(len(differences), max(1, _AT_ONCE // max(1, metrics * units))):
        some = [*islice(waiting, size)]
        # numbers that differ in the last bits only are ties
        by_metric = np.round(np.concatenate([f1[second] - f1[first] for first, second in some]), 12)
        defined = np.logical_not(np.concatenate([gone[first] | gone[second] for first, second in some]))
        is_whole = np.all(defined, axis=1)
        of_whole = iter(_effects(by_metric[is_whole]))
        rows = iter(zip(by_metric, defined, is_whole.tolist(), strict=True))
        for pair in some:
            described[pair] = []
            for difference, (d, kept, whole) in zip(differences[pair].tolist(), rows, strict=False):
                if whole:
                    effects = next(of_whole)
                else:
                    d = d[kept]
                    effects = _effects(d[None])[0]
                p, exact = _p_of_documents(d, test)
                about = {"difference": difference, "p": p, "test": test, "exact": exact, **effects}
                described[pair].append({"units": units, "dropped": units - len(d), **about})
    return described


def _p_of_documents(d: Array, test: str) -> tuple[float, bool]:
    """p of a test that is based on the differences of documents, and whether it is exact; nan for other tests."""
    if test == "t":
        return _t_test(d), False
    if test == "wilcoxon":
        p, exact = signed_ranks(d)[2:]
        return (p if len(d) else np.nan), exact
    return np.nan, False


def _effects(d: Array) -> list[dict[str, float]]:
    """Wins, losses and effect sizes of each row of differences."""
    d = np.ascontiguousarray(d)
    rows, n = d.shape
    mean = d.mean(axis=1) if n else np.zeros(rows)
    spread = d.std(axis=1, ddof=1) if n > 1 else np.zeros(rows)
    plus, minus = rank_sums(d)
    wins, losses = (d > 0).sum(axis=1), (d < 0).sum(axis=1)
    columns = (x.tolist() for x in (wins, losses, mean, spread, plus, minus))
    return [
        {
            "wins": won,
            "losses": lost,
            "effect": average / deviation if deviation > NOISE else np.nan,
            "rank_biserial": (up - down) / (up + down) if up + down else 0.0,
        }
        for won, lost, average, deviation, up, down in zip(*columns, strict=True)
    ]


def _differing(samples: Mapping[str, Sample], pairs: Collection[Pair]) -> dict[Pair, list[int]]:
    """The number of units on which a metric depends and whose counts differ, by pair and metric."""
    one = next(iter(samples.values()))
    behind = [{part.name for part in needed([metric], one.options)} for metric in one.metrics]
    counted = np.array([[column.split(".")[0] in names for names in behind] for column in one.counts.columns], float)
    values = {name: s.counts.values for name, s in samples.items()}
    return {(a, b): ((np.abs(values[b] - values[a]) > NOISE) @ counted > 0).sum(axis=0).tolist() for a, b in pairs}


def _smallest(about: Mapping[str, Any], differ: int, resamples: int) -> float:
    """The smallest p that a test can give: of n documents that differ, 2 of 2ⁿ assignments are always as extreme.

    If resamples are drawn, it is (0 + 1)/(resamples + 1). `differ`: the documents whose counts differ.
    """
    p: float = about["p"]
    test = about["test"]
    if p != p or test == "t":
        return 0.0
    n = differ if test == "randomisation" else about["wins"] + about["losses"]
    counted_out = 2.0 ** (1 - max(n, 1))
    drawn = 0.0 if about["exact"] or test == "wilcoxon" else 1 / (resamples + 1)
    smallest = drawn if test == "bootstrap" else max(drawn, counted_out)
    return min(smallest, p)


def _t_test(d: Array) -> float:
    if len(d) < 2:
        return float("nan")
    spread = float(d.std(ddof=1))
    if spread <= NOISE:
        return 1.0 if d[0] == 0 else 0.0
    return t_two_sided(float(d.mean()) / (spread / sqrt(len(d))), len(d) - 1)


def _drawn_differences(
    samples: Mapping[str, Sample], pairs: Sequence[Pair], resamples: int, seed: int, progress: Progress
) -> Iterator[tuple[Pair, list[Array]]]:
    """Differences of the pairs in resampled corpora by each metric, the same documents drawn for all systems."""
    used = {name: samples[name] for pair in pairs for name in pair}
    parts: dict[str, list[list[Array]]] = {name: [] for name in used}
    rng = np.random.default_rng(seed)
    for rows in chunks(resamples) if used else ():
        gathered = Gathered.of(used, rows, draws(rng, next(iter(used.values())).stratum, rows))
        for name, one in used.items():
            parts[name].append(one.compared(gathered.columns(name)))
    scores = {
        name: found[0] if len(found) == 1 else [np.concatenate(of) for of in zip(*found, strict=True)]
        for name, found in parts.items()
    }
    for a, b in progress(list(pairs)):
        yield (a, b), [y - x for x, y in zip(scores[a], scores[b], strict=True)]


def _shifted(drawn: Sequence[Array], difference: Array) -> Array:
    """p of the paired bootstrap, by metric: how often a drawn difference, shifted to the null, is as large."""
    observed = zip(drawn, difference, strict=True)
    beyond = [np.count_nonzero(np.abs(d - seen) >= np.abs(seen) - NOISE) for d, seen in observed]
    return (np.array(beyond) + 1) / (len(drawn[0]) + 1)


def _ends(
    drawn: Sequence[Array], difference: Array, pair: Sequence[Sample], interval: IntervalKind, confidence: float
) -> list[tuple[float, float]]:
    """The ends of the interval of a difference, by metric."""
    first, second = pair
    left_out = None if interval != "bca" else (leave_one_out(second) - leave_one_out(first))[:, first.mains]
    return [
        limits(d, seen, confidence, None if left_out is None else left_out[:, m], first.stratum)
        for m, (d, seen) in enumerate(zip(drawn, difference.tolist(), strict=True))
    ]
