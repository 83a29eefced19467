"""Is one system better than another, or is it chance? Paired tests over the same documents, two-sided."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import log2, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import UsageError, choose
from ..metrics.contingency import Array
from ..scoring.counts import needed
from ..scoring.scores import is_number
from .bootstrap import IntervalKind, leave_one_out, limits
from .distributions import rank_sums, signed_ranks, t_two_sided
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
_AT_ONCE = 5000  # assignments whose scores are computed at once, of two systems each: few enough for the cache
_MANY = 1_000_000  # assignments that make other processes worth their start
_NOISE = 1e-12  # sums in another order differ in the last bits: equal numbers must count as equal


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
    choose(test, TESTS, "test")
    if resamples < 1:
        raise UsageError("at least one resample is needed")
    one = next(iter(samples.values()))
    if one.divided and test not in ("randomisation", "bootstrap"):
        raise UsageError(f"the {test} test needs scores of documents; for parts of them use randomisation or bootstrap")
    metrics = list(one.metrics)
    whole = {name: np.concatenate(s.compared([*s.total.T])) for name, s in samples.items()}
    found: dict[Pair, Array] = {}
    exact: set[Pair] = set()
    drawn: dict[Pair, list[Array]] = {}
    if len(one) > 1:  # else there is nothing to draw or swap
        wanted = (
            list(pairs) if intervals is True or test == "bootstrap" else [p for p in pairs if p in (intervals or ())]
        )
        if wanted:
            drawn = _drawn_differences(samples, wanted, resamples, seed, progress)
        if test == "randomisation":
            found, exact = _randomised(samples, pairs, resamples, seed, whole, progress, jobs)
    results: dict[Pair, dict[str, PairedTest]] = {}
    documents = {name: s.of_units() for name, s in samples.items()}
    counted = _counted_by(one)
    for pair in pairs:
        a, b = (samples[name] for name in pair)
        difference = whole[pair[1]] - whole[pair[0]]
        if test == "bootstrap" and pair in drawn:
            observed = zip(drawn[pair], difference, strict=True)
            beyond = [np.count_nonzero(np.abs(d - seen) >= np.abs(seen) - _NOISE) for d, seen in observed]
            found[pair] = (np.array(beyond) + 1) / (resamples + 1)
        left_out = None
        if pair in drawn and interval == "bca":
            left_out = (leave_one_out(b) - leave_one_out(a))[:, one.mains]
        apart = (np.abs(b.counts.values - a.counts.values) > _NOISE) @ counted > 0  # units × metrics
        differ = apart.sum(axis=0).tolist()
        results[pair] = described = differences_of(pair, metrics, difference, documents, test)
        for m, metric in enumerate(metrics):
            more: dict[str, Any] = {}
            if pair in found:
                more = {"p": float(found[pair][m]), "exact": pair in exact}
            if pair in drawn:
                jack = None if left_out is None else left_out[:, m]
                ends = limits(drawn[pair][m], float(difference[m]), confidence, jack, a.stratum)
                more |= dict(zip(("low", "high"), ends, strict=True))
            more["smallest_p"] = _smallest(described[metric], differ[m], resamples, **more)
            if difference[m] != difference[m]:
                more["p"] = np.nan
            described[metric] = replace(described[metric], **more)
    return results


def differences_of(
    pair: Pair,
    metrics: Sequence[str],
    difference: Array,
    documents: Mapping[str, tuple[Array, Array]],
    test: str,
) -> dict[str, PairedTest]:
    """What the differences of the documents give by each metric: effect sizes, and p if the test is based on them.

    `documents`: the F1 of each document by each metric, and where it is undefined (see `Sample.of_units`).
    """
    (first, gone), (second, gone_too) = (documents[name] for name in pair)
    left = np.logical_not(gone | gone_too).T
    by_metric: Array = np.round((second - first).T, 12)  # numbers that differ in the last bits only are ties
    found: dict[str, PairedTest] = {}
    whole = np.all(left, axis=1)
    together = iter(_effects(by_metric[whole]))
    for m, metric in enumerate(metrics):
        d = by_metric[m] if whole[m] else by_metric[m, left[m]]
        effects = next(together) if whole[m] else _effects(d[None])[0]
        p, exact = np.nan, False
        if test == "t":
            p = _t_test(d)
        elif test == "wilcoxon":
            p, exact = signed_ranks(d)[2:]
            p = p if len(d) else np.nan
        about: dict[str, Any] = {"units": len(first), "dropped": len(first) - len(d), "exact": exact, **effects}
        found[metric] = PairedTest(metric, *pair, difference=float(difference[m]), p=p, test=test, **about)
    return found


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
            "effect": average / deviation if deviation > _NOISE else np.nan,
            "rank_biserial": (up - down) / (up + down) if up + down else 0.0,
        }
        for won, lost, average, deviation, up, down in zip(*columns, strict=True)
    ]


def _counted_by(one: Sample) -> Array:
    """Columns of counts × metrics: 1 where the metric depends on the column."""
    behind = [{part.name for part in needed([metric], one.options)} for metric in one.metrics]
    return np.array([[column.split(".")[0] in names for names in behind] for column in one.counts.columns], float)


def _smallest(
    about: PairedTest, differ: int, resamples: int, p: float | None = None, exact: bool = False, **_: float
) -> float:
    """The smallest p that a test can give: of n documents that differ, 2 of 2ⁿ assignments are always as extreme.

    If resamples are drawn, it is (0 + 1)/(resamples + 1). `differ`: the documents whose counts differ. `p` and `exact`
    are those of a test by resampling.
    """
    p = about.p if p is None else p
    if p != p or about.test == "t":
        return 0.0
    n = differ if about.test == "randomisation" else about.wins + about.losses
    counted_out = 2.0 ** (1 - max(n, 1))
    drawn = 0.0 if exact or about.test == "wilcoxon" else 1 / (resamples + 1)
    least = drawn if about.test == "bootstrap" else max(drawn, counted_out)
    return min(least, p)


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
    jobs: int | None,
) -> tuple[dict[Pair, Array], set[Pair]]:
    """p = (c + 1)/(n + 1), where c assignments of n have a difference as large; c/2ⁿ where all 2ⁿ can be tried.

    With M the swapped units, the first system's sum becomes S_A + M(S_B − S_A): one product per system is enough.
    Units on which both systems have the same counts can't change anything and are not counted among the n.
    """
    found: dict[Pair, Array] = {}
    exact: set[Pair] = set()
    observed = {pair: np.abs(whole[pair[1]] - whole[pair[0]]) for pair in pairs}
    for pair in pairs:
        a, b = (samples[name].counts.values for name in pair)
        differ = np.flatnonzero(((a != b) & (a == a)).any(axis=1))  # values that do not apply (nan) do not differ
        if len(differ) <= log2(resamples):
            masks = (np.arange(2 ** len(differ))[:, None] >> np.arange(len(differ)) & 1).astype(float)
            moved = [*(masks @ (b - a)[differ]).T]
            found[pair] = _beyond([samples[name] for name in pair], moved, observed[pair]) / len(masks)
            exact.add(pair)
    rest = [pair for pair in pairs if pair not in exact]
    if rest:
        tallies = _shares(
            partial(_tallied, samples, rest, resamples, seed, observed), len(rest) * resamples, progress, jobs
        )
        found |= {pair: (np.sum([tally[pair] for tally in tallies], axis=0) + 1) / (resamples + 1) for pair in rest}
    return found, exact


def _shares(
    work: Callable[..., dict[Pair, Array]], size: int, progress: Progress, jobs: int | None
) -> list[dict[Pair, Array]]:
    """What each process makes of its share of the work."""
    if jobs != 1:
        from ..processes import chosen, each

        if (number := chosen(jobs, size >= _MANY)) > 1:
            return [*each(work, [(share, number) for share in range(number)], number)]
    return [work((0, 1), progress)]


def _tallied(
    samples: Mapping[str, Sample],
    pairs: Sequence[Pair],
    resamples: int,
    seed: int,
    observed: Mapping[Pair, Array],
    share: tuple[int, int],
    progress: Progress = iter,
) -> dict[Pair, Array]:
    """How many assignments have a difference as large, by pair and metric: a share of them, such as (0, 2) of two."""
    rng = np.random.default_rng(seed)
    used = list(dict.fromkeys(name for pair in pairs for name in pair))
    tally = {pair: np.zeros(len(observed[pair])) for pair in pairs}
    alike = _alike(samples, used)
    sums: dict[str, list[Array]] = {}
    for rows, pair in progress([(rows, pair) for rows in chunks(resamples) for pair in pairs]):
        if pair == pairs[0]:  # all processes draw the same blocks of swaps, and take turns in using them
            drawn = enumerate(swaps(rng, len(samples[pair[0]]), rows))
            sums = gathered(samples, used, (block for n, block in drawn if n % share[1] == share[0]))
        moved = _moved([sums[name] for name in pair], [alike[name] for name in pair])
        tally[pair] += _beyond([samples[name] for name in pair], moved, observed[pair])
    return tally


def gathered(samples: Mapping[str, Sample], names: Iterable[str], weights: Iterable[Array]) -> dict[str, list[Array]]:
    """Columns of sums of each system's counts, with the same weights for all."""
    parts: dict[str, list[list[Array]]] = {name: [] for name in names}
    for block in weights:
        for name, found in parts.items():
            found.append(samples[name].products(block))
    return {name: samples[name].columns(found) for name, found in parts.items()}


def _alike(samples: Mapping[str, Sample], names: Iterable[str]) -> dict[str, list[int]]:
    """A number for each column of counts of each system; columns that are the same have the same number."""
    known: dict[bytes, int] = {}
    return {
        name: [known.setdefault(column.tobytes(), len(known)) for column in samples[name].counts.values.T]
        for name in names
    }


def _moved(sums: Sequence[Sequence[Array]], alike: Sequence[Sequence[int]]) -> list[Array]:
    """The columns of the second minus those of the first; those that move alike are one object.

    Where the columns are the same in both, as sizes of the key are, nothing moves.
    """
    known: dict[tuple[int, int], Array] = {}
    found = []
    for a, b, *which in zip(*sums, *alike, strict=True):
        if (place := (which[0], which[1])) not in known:
            known[place] = b - a if which[0] != which[1] else np.broadcast_to(0.0, len(a))
        found.append(known[place])
    return found


def _beyond(pair: Sequence[Sample], moved: Sequence[Array], observed: Array) -> Array:
    """How many assignments have a difference at least as large as the one observed, by metric.

    `moved`: columns of counts that the second system gives to the first in each assignment.
    """
    beyond = np.zeros(len(observed))
    totals = [one.total[0].tolist() for one in pair]
    for begin in range(0, len(moved[0]), _AT_ONCE):
        known: dict[tuple[int, float, float], Array] = {}
        columns = []
        for move, a, b in zip(moved, *totals, strict=True):
            if (which := (id(move), a, b)) not in known:
                known[which] = _both(move[begin : begin + _AT_ONCE], a, b)
            columns.append(known[which])
        for m, scores in enumerate(pair[0].compared(columns)):
            first, second = scores.reshape(2, -1)
            beyond[m] += np.count_nonzero(np.abs(second - first) >= observed[m] - _NOISE)
    return beyond


def _both(move: Array, a: float, b: float) -> Array:
    """The sums a + move of the first system, then the sums b - move of the second."""
    n = len(move)
    found = np.empty(2 * n)
    np.add(move, a, out=found[:n])
    np.subtract(b, move, out=found[n:])
    return found


def _drawn_differences(
    samples: Mapping[str, Sample], pairs: Sequence[Pair], resamples: int, seed: int, progress: Progress
) -> dict[Pair, list[Array]]:
    """Differences of the pairs in resampled corpora by each metric, the same documents drawn for all systems."""
    one = next(iter(samples.values()))
    used = list(dict.fromkeys(name for pair in pairs for name in pair))
    parts: dict[str, list[list[Array]]] = {name: [] for name in used}
    rng = np.random.default_rng(seed)
    for rows in chunks(resamples):
        for name, columns in gathered(samples, used, draws(rng, one.stratum, rows)).items():
            parts[name].append(samples[name].compared(columns))
    scores = {name: [np.concatenate(of) for of in zip(*found, strict=True)] for name, found in parts.items()}
    return {(a, b): [y - x for x, y in zip(scores[a], scores[b], strict=True)] for a, b in progress(list(pairs))}
