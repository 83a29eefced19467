"""Is one system better than another, or is it chance? Paired tests over the same documents, two-sided."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import log2, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import UsageError, choose
from ..metrics.contingency import Array
from ..scoring.counts import needed
from ..scoring.scores import is_number
from .bootstrap import IntervalKind, leave_one_out, limits
from .distributions import signed_ranks, t_two_sided
from .sample import Sample, chunks, draws, swaps

Pair: TypeAlias = tuple[str, str]
Progress: TypeAlias = Callable[[Iterable[Any]], Iterable[Any]]

Test: TypeAlias = Literal["randomisation", "bootstrap", "t", "wilcoxon"]
TESTS: dict[Test, str] = {
    "randomisation": "approximate randomisation: both systems' counts of a document are swapped (Noreen 1989)",
    "bootstrap": "paired bootstrap, resampled differences shifted to the null (Berg-Kirkpatrick et al. 2012)",
    "t": "paired t-test on the documents' F1, undefined ones left out (Cai & Strube 2010)",
    "wilcoxon": "Wilcoxon's signed ranks on the documents' F1, undefined ones left out",
}
_NOISE = 1e-12  # sums in another order differ in the last bits: equal numbers must count as equal


@dataclass(frozen=True, slots=True)
class PairedTest:
    """`second` against `first` by one metric; numbers in 0–1, differences are second − first.

    `effect` is the mean of the differences of the documents' F1 divided by their standard deviation (Cohen's d_z).
    `rank_biserial` is the share of signed ranks for the second minus the share for the first. Documents with an
    undefined F1 are `dropped` from both, from the t-test and from Wilcoxon's test. `exact`: every assignment was
    counted, none was drawn. `smallest_p` is the smallest p that the test could give on these documents for any systems;
    it is 0 for the t-test, which has no such limit.
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
) -> dict[Pair, dict[str, PairedTest]]:
    """Tests of each pair (first, second) by every metric; `intervals` adds intervals of the differences, by paired
    bootstrap.

    If `intervals` names some pairs, only these get intervals.
    """
    choose(test, TESTS, "test")
    if resamples < 1:
        raise UsageError("at least one resample is needed")
    one = next(iter(samples.values()))
    if one.divided and test not in ("randomisation", "bootstrap"):
        raise UsageError(f"the {test} test needs scores of documents; for parts of them use randomisation or bootstrap")
    metrics, mains = list(one.metrics), one.mains
    whole = {name: s.scores(s.total)[0, mains] for name, s in samples.items()}
    found: dict[Pair, Array] = {}
    exact: set[Pair] = set()
    drawn: dict[Pair, Array] = {}
    if len(one) > 1:  # else there is nothing to draw or swap
        wanted = (
            list(pairs) if intervals is True or test == "bootstrap" else [p for p in pairs if p in (intervals or ())]
        )
        if wanted:
            drawn = _drawn_differences(samples, wanted, resamples, seed, progress)
        if test == "randomisation":
            found, exact = _randomised(samples, pairs, resamples, seed, whole, progress)
    results: dict[Pair, dict[str, PairedTest]] = {}
    documents = {name: s.of_units() for name, s in samples.items()}
    for pair in pairs:
        a, b = (samples[name] for name in pair)
        difference = whole[pair[1]] - whole[pair[0]]
        if test == "bootstrap" and pair in drawn:
            beyond = np.abs(drawn[pair] - difference) >= np.abs(difference) - _NOISE
            found[pair] = (beyond.sum(axis=0) + 1) / (resamples + 1)
        left_out = None
        if pair in drawn and interval == "bca":
            left_out = (leave_one_out(b) - leave_one_out(a))[:, mains]
        (first, gone), (second, gone_too) = (documents[name] for name in pair)
        gone = gone | gone_too
        results[pair] = {}
        for m, metric in enumerate(metrics):
            d = np.round((second - first)[~gone[:, m], m], 12)  # numbers that differ in the last bits only are ties
            described = differences_of(metric, pair, float(difference[m]), d, test, int(gone[:, m].sum()), len(one))
            if pair in found:
                described = replace(described, p=float(found[pair][m]), exact=pair in exact)
            if pair in drawn:
                jack = None if left_out is None else left_out[:, m]
                low, high = limits(drawn[pair][:, m], float(difference[m]), confidence, jack, a.stratum)
                described = replace(described, low=low, high=high)
            described = replace(described, smallest_p=_smallest(described, a, b, metric, resamples))
            if difference[m] != difference[m]:
                described = replace(described, p=np.nan)
            results[pair][metric] = described
    return results


def differences_of(
    metric: str, pair: Pair, difference: float, d: Array, test: str, dropped: int, units: int
) -> PairedTest:
    """What the differences d of the documents give: effect sizes, and p if the test is based on these differences."""
    plus, minus, wilcoxon, counted_out = signed_ranks(d)
    spread = float(d.std(ddof=1)) if len(d) > 1 else 0.0
    return PairedTest(
        metric,
        *pair,
        difference=difference,
        p={"t": _t_test(d), "wilcoxon": wilcoxon if len(d) else np.nan}.get(test, np.nan),
        test=test,
        units=units,
        dropped=dropped,
        exact=test == "wilcoxon" and counted_out,
        wins=int((d > 0).sum()),
        losses=int((d < 0).sum()),
        effect=float(d.mean()) / spread if spread > _NOISE else np.nan,
        rank_biserial=(plus - minus) / (plus + minus) if plus + minus else 0.0,
    )


def _smallest(test: PairedTest, a: Sample, b: Sample, metric: str, resamples: int) -> float:
    """The smallest p that a test can give: of n documents that differ, 2 of 2ⁿ assignments are always as extreme.

    If resamples are drawn, it is (0 + 1)/(resamples + 1).
    """
    if test.p != test.p or test.test == "t":
        return 0.0
    counted_out = 2.0 ** (1 - max(test.wins + test.losses, 1))
    if test.test == "randomisation":
        columns = [
            c
            for c, column in enumerate(a.counts.columns)
            if column.split(".")[0] in {behind.name for behind in needed([metric], a.options)}
        ]
        gap = np.abs(b.counts.values[:, columns] - a.counts.values[:, columns])
        counted_out = 2.0 ** (1 - max(int((gap > _NOISE).any(axis=1).sum()), 1))
    drawn = 0.0 if test.exact or test.test == "wilcoxon" else 1 / (resamples + 1)
    least = drawn if test.test == "bootstrap" else max(drawn, counted_out)
    return min(least, test.p)


def _t_test(d: Array) -> float:
    if len(d) < 2:
        return float("nan")
    spread = float(d.std(ddof=1))
    if spread <= _NOISE:
        return 1.0 if d[0] == 0 else 0.0
    return t_two_sided(float(d.mean()) / (spread / sqrt(len(d))), len(d) - 1)


def _randomised(
    samples: Mapping[str, Sample],
    pairs: Sequence[Pair],
    resamples: int,
    seed: int,
    whole: Mapping[str, Array],
    progress: Progress,
) -> tuple[dict[Pair, Array], set[Pair]]:
    """p = (c + 1)/(n + 1), where c assignments of n have a difference as large; c/2ⁿ where all 2ⁿ can be tried.

    With M the swapped units, the first system's sum becomes S_A + M(S_B − S_A): one product per system is enough.
    Units on which both systems have the same counts can't change anything and are not counted among the n.
    """
    found: dict[Pair, Array] = {}
    exact: set[Pair] = set()
    for pair in pairs:
        a, b = (samples[name].counts.values for name in pair)
        differ = np.flatnonzero(((a != b) & (a == a)).any(axis=1))  # values that do not apply (nan) do not differ
        if len(differ) <= log2(resamples):
            masks = (np.arange(2 ** len(differ))[:, None] >> np.arange(len(differ)) & 1).astype(float)
            moved = masks @ (b - a)[differ]
            found[pair] = _beyond(samples[pair[0]], pair, samples, moved, whole).mean(axis=0)
            exact.add(pair)
    rest = [pair for pair in pairs if pair not in exact]
    used = {name for pair in rest for name in pair}
    if rest:
        rng = np.random.default_rng(seed)
        n = len(samples[rest[0][0]])
        tally = {pair: np.zeros(len(whole[pair[0]])) for pair in rest}
        moved_by: dict[str, Array] = {}
        for rows, pair in progress([(rows, pair) for rows in chunks(resamples) for pair in rest]):
            if pair == rest[0]:
                moved_by = gathered(samples, used, swaps(rng, n, rows))
            moved = moved_by[pair[1]] - moved_by[pair[0]]
            tally[pair] += _beyond(samples[pair[0]], pair, samples, moved, whole).sum(axis=0)
        found |= {pair: (c + 1) / (resamples + 1) for pair, c in tally.items()}
    return found, exact


def gathered(samples: Mapping[str, Sample], names: Iterable[str], weights: Iterable[Array]) -> dict[str, Array]:
    """Sums of each system's counts, with the same weights for all."""
    parts: dict[str, list[Array]] = {name: [] for name in names}
    for block in weights:
        for name, found in parts.items():
            found.append(samples[name].sums([block]))
    return {name: np.concatenate(found) for name, found in parts.items()}


def _beyond(one: Sample, pair: Pair, samples: Mapping[str, Sample], moved: Array, whole: Mapping[str, Array]) -> Array:
    """Assignments (rows) whose difference is at least as large as the one observed, by metric."""
    first = one.scores(samples[pair[0]].total + moved)[:, one.mains]
    second = one.scores(samples[pair[1]].total - moved)[:, one.mains]
    observed = np.abs(whole[pair[1]] - whole[pair[0]])
    found: Array = np.abs(second - first) >= observed - _NOISE
    return found


def _drawn_differences(
    samples: Mapping[str, Sample], pairs: Sequence[Pair], resamples: int, seed: int, progress: Progress
) -> dict[Pair, Array]:
    """Differences of the pairs in resampled corpora, the same documents drawn for all systems."""
    one = next(iter(samples.values()))
    used = list(dict.fromkeys(name for pair in pairs for name in pair))
    parts: dict[str, list[Array]] = {name: [] for name in used}
    rng = np.random.default_rng(seed)
    for rows in chunks(resamples):
        for name, sums in gathered(samples, used, draws(rng, one.stratum, rows)).items():
            parts[name].append(samples[name].scores(sums)[:, one.mains])
    scores = {name: np.concatenate(found) for name, found in parts.items()}
    return {(a, b): scores[b] - scores[a] for a, b in progress(list(pairs))}
