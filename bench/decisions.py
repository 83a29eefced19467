"""How often `compare` says "beats" where nothing is better, and how well it says how many documents would decide.

python bench/decisions.py [RUNS [PART...]]      tables of Markdown for docs/statistics.md

PART is wrong, calculated, ranges, with_runs or as_seen; without one, all are run. With 1000 runs they take about a
quarter of an hour of processor time, and 100 MB.

Documents are drawn from the generated dev pair, as in coverage.py. A system is that response with the numerators of
each document made smaller at random; one that is better loses less. Runs of a system share its documents and differ in
how much they lose altogether.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TypeAlias

import numpy as np

import coreflens as cl
from coreflens.comparison.group_tests import tests_within
from coreflens.comparison.testing import Spreads, Testing
from coreflens.stats import (
    Needed,
    Sample,
    aligned,
    contributions,
    holm,
    macro_sample,
    needed,
    needed_with_runs,
    paired_tests,
    runs_sample,
    two_level_tests,
)
from coverage import drawn, population

METRICS = ("muc", "bcub", "ceafe", "conll")
RESAMPLES = 300


class World:
    """Systems on documents drawn from a population."""

    def __init__(self, seed: int) -> None:
        self.whole = population()
        self.rng = np.random.default_rng(seed)
        columns = self.whole.counts.columns
        sides = [(m, side) for m in METRICS[:3] for side in ("recall", "precision")]
        self.numerators = [columns.index(f"{m}.{side}_num") for m, side in sides]

    def documents(self, n: int) -> cl.Result:
        return drawn(self.whole, self.rng, n)

    def system(self, corpus: cl.Result, gain: float = 0.0, spread: float = 0.0) -> cl.Result:
        """A system on these documents; `gain` is how much less it loses, `spread` how much its runs differ in that."""
        values = corpus.counts.values.copy()
        loss = 1 - self.rng.beta(9, 1, (len(values), 1)) + spread * self.rng.standard_normal()
        values[:, self.numerators] *= np.clip(1 - loss + gain, 0, 1)
        return cl.Result(replace(corpus.counts, values=values), METRICS, cl.Options())


HOW = Testing(resamples=RESAMPLES)
PAIR = [("a", "b")]
Samples: TypeAlias = dict[str, Sample]
NEVER = Needed(None, 10**9)  # more documents alone would not decide it


def wrong(runs: int) -> None:
    """Shares of wrong claims, in percent."""
    world = World(1)
    print("| equal systems | documents | wrong claims, % |\n|---|--:|--:|")

    def row(what: str, n: int, tally: int) -> None:
        print(f"| {what} | {n} | {100 * tally / runs:.1f} |", flush=True)

    for n in (30, 100):
        tally = 0
        for run in range(runs):
            corpus = world.documents(n)
            samples = aligned({name: world.system(corpus) for name in "abcdef"})
            pairs = list(combinations("abcdef", 2))
            tests = paired_tests(samples, pairs, resamples=1000, seed=run)
            tally += bool((holm([test["conll"].p for test in tests.values()]) <= 0.05).any())
        row("six systems: one of them beats another, or some rank interval is too narrow", n, tally)
    for many, spread in ((2, 0.01), (3, 0.01), (5, 0.01), (5, 0.0), (5, 0.05)):
        differ = f"differ by {100 * spread:g} point{'s' * (spread > 0.01)}" if spread else "do not differ as a whole"
        for n in (30, 100):
            tally = sum(_with_runs(world, n, many, spread, 0.0, run)[0] for run in range(runs))
            row(f"two, {many} runs each that {differ}", n, tally)
    means = some = by_holm = fisher = 0
    for run in range(runs):
        datasets = _datasets(world, [0.0] * 8)
        parts = {d: aligned({name: both[name][0] for name in "ab"}) for d, both in datasets.items()}
        samples = {name: macro_sample({d: of[name] for d, of in parts.items()}) for name in "ab"}
        means += paired_tests(samples, PAIR, resamples=RESAMPLES, seed=run)["a", "b"]["conll"].p <= 0.05
        within = tests_within(datasets, PAIR, "conll", replace(HOW, seed=run, resamples=1000), iter)
        some += bool(within.better("a", "b") or within.better("b", "a"))
    row("two on 8 datasets of 20 documents: the mean", 160, means)
    row("two on 8 datasets or genres of 20 documents: better on one of them", 160, some)
    for run in range(runs):
        how = replace(HOW, seed=run, resamples=1000)
        within = tests_within(_datasets(world, [0.15] * 3 + [0.0] * 5), PAIR, "conll", how, iter)
        by_holm += len(within.better("b", "a")) > 3
        fisher += within.at_least_if_independent("b", "a") > 3
    row("one better on 3 of 8 datasets: reported as better on more than 3, by Holm", 160, by_holm)
    row("one better on 3 of 8 datasets: reported as better on more than 3, by Fisher", 160, fisher)


def _with_runs(world: World, n: int, many: int, spread: float, gain: float, seed: int) -> tuple[bool, Samples, Spreads]:
    """Whether b is reported to be better or worse than a, with several runs each; the samples and the spreads."""
    corpus = world.documents(n)
    units = aligned({f"{s}{k}": world.system(corpus, gain * (s == "b"), spread) for s in "ab" for k in range(many)})
    both = {s: runs_sample([units[f"{s}{k}"] for k in range(many)]) for s in "ab"}
    tests, spreads = two_level_tests(both, PAIR, resamples=RESAMPLES, seed=seed, confidence=0.95)
    return bool(tests["a", "b"]["conll"].p <= 0.05), both, spreads


def _datasets(world: World, gains: Sequence[float]) -> dict[str, dict[str, list[cl.Result]]]:
    found = {}
    for k, gain in enumerate(gains):
        corpus = world.documents(20)
        found[f"d{k}"] = {name: [world.system(corpus, gain * (name == "b"))] for name in "ab"}
    return found


def enough(power: Callable[[int], float], high: int = 1500) -> int:
    """The documents with which the test finds a gain in 80 of 100 corpora, by trying."""
    low = 4
    while high - low > max(1, high // 20):
        n = int((low * high) ** 0.5) if high > 2 * low else (low + high) // 2
        low, high = (low, n) if power(n) >= 0.8 else (n, high)
    return high


def _power(world: World, gain: float, n: int, runs: int, level: float = 0.05) -> float:
    found = 0
    for run in range(runs):
        corpus = world.documents(n)
        samples = aligned({"a": world.system(corpus), "b": world.system(corpus, gain)})
        resamples = 200 if level == 0.05 else 2000
        test = paired_tests(samples, PAIR, resamples=resamples, seed=run)["a", "b"]["conll"]
        found += test.p <= level and test.difference > 0
    return found / runs


def _truth(world: World, gain: float) -> tuple[float, np.ndarray]:
    """The true difference in points, and the contributions of very many documents."""
    big = world.documents(20_000)
    both = aligned({"a": world.system(big), "b": world.system(big, gain)})
    d = contributions(both["a"], both["b"], "conll")
    return 100 * float(d.sum()), d


def calculated(runs: int) -> None:
    """The calculation alone: the number for a difference that is known, against the real test."""
    world = World(4)
    print(
        "\n| true difference | level | documents needed, calculated | by trying the real test | power of the real test "
        "with the number calculated |\n|--:|--:|--:|--:|--:|"
    )
    cases = ((0.15, 0.05), (0.08, 0.05), (0.04, 0.05), (0.02, 0.05), (0.15, 0.05 / 15), (0.08, 0.05 / 15))
    for gain, level in cases:
        delta, d = _truth(world, gain)
        number = needed(d, level).documents or 0
        tried = enough(partial(_power, world, gain, runs=runs, level=level))
        power = 100 * _power(world, gain, number, runs, level)
        print(f"| {delta:.2f} | {level:.4f} | {number} | {tried} | {power:.0f} % |", flush=True)


def _told(given: Sequence[tuple[bool, Needed]], truth: float) -> Iterator[str]:
    """Cells about numbers and ranges that were given, as (undecided, Needed)."""
    undecided = [found for open_, found in given if open_]
    numbers = [found.documents for found in undecided if found.documents]

    def share(of: Sequence[bool]) -> str:
        return f"{100 * np.mean(of):.0f} %" if len(of) >= 10 else "–"

    def holds(found: Needed) -> bool:
        return (found.low or 0) <= truth <= (found.high or np.inf)

    yield f"{100 * len(undecided) / len(given):.0f} %"
    yield share([holds(found) for _, found in given])
    yield share([holds(found) for found in undecided])
    yield share([found.documents is not None for found in undecided])
    yield f"{np.median(numbers):.0f}" if len(numbers) >= 10 else "–"
    yield share([truth / 2 <= x <= 2 * truth for x in numbers])


HEAD = (
    "documents truly needed | seen | undecided | range holds the truth | of undecided ones | these have a number | "
    "its median | within a factor of 2 |\n|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def ranges(runs: int) -> None:
    """The numbers and ranges given against the truth."""
    world = World(2)
    print(f"\n| true difference | {HEAD}--:|")
    for gain in (0.08, 0.04, 0.02, 0.0):
        delta, d = _truth(world, gain)
        truth = needed(d, 0.05).documents or np.inf if gain else np.inf
        for n in [max(8, int(truth / part)) for part in (8, 4, 2, 1)] if gain else (8, 30, 100):
            given = []
            for run in range(runs):
                corpus = world.documents(n)
                samples = aligned({"a": world.system(corpus), "b": world.system(corpus, gain)})
                p = paired_tests(samples, PAIR, resamples=200, seed=run)["a", "b"]["conll"].p
                given.append((p > 0.05, needed(contributions(samples["a"], samples["b"], "conll"), 0.05, run)))
            told = f"{delta if gain else 0:.2f} | {truth if gain else 'none'}"
            print(f"| {told} | {n} | {' | '.join(_told(given, truth))} |", flush=True)


def with_runs(runs: int) -> None:
    """The same with three runs of each system."""
    world = World(6)
    print(f"\n| runs differ by | {HEAD}--:|")
    for spread in (0.005, 0.01):
        tried = min(runs, 300)

        def power(n: int, spread: float = spread, tried: int = tried) -> float:
            return float(np.mean([_with_runs(world, n, 3, spread, 0.08, run)[0] for run in range(tried)]))

        truth = enough(power, 400)
        for n in (max(8, truth // 4), truth // 2, truth):
            given = []
            for run in range(runs):
                decided, both, spreads = _with_runs(world, n, 3, spread, 0.08, run)
                found = needed_with_runs(both["a"], both["b"], "conll", [of["conll"] for of in spreads.values()], 0.05)
                given.append((not decided, found or NEVER))
            print(f"| {100 * spread:g} | {truth} | {n} | {' | '.join(_told(given, truth))} |", flush=True)


def as_seen(runs: int) -> None:
    """The power of the real test with as many documents as were reported, drawn from the documents seen."""
    world = World(3)
    print("\n| documents seen | power of the real test with the number given | within a factor of 2 |\n|--:|--:|--:|")
    for n, gain in ((8, 0.15), (20, 0.08), (50, 0.04), (100, 0.02)):
        powers: list[float] = []
        near: list[bool] = []
        while len(powers) < runs:
            corpus = world.documents(n)
            both = {"a": world.system(corpus), "b": world.system(corpus, gain)}
            samples = aligned(both)
            found = needed(contributions(samples["a"], samples["b"], "conll"), 0.05).documents
            if found is None or found > 2000:
                continue
            powers.append(_power_of(world.rng, both, found))
            near.append(_power_of(world.rng, both, found // 2) < 0.8 <= _power_of(world.rng, both, 2 * found) + 0.05)
        print(f"| {n} | {100 * np.mean(powers):.0f} % | {100 * np.mean(near):.0f} % |", flush=True)


def _power_of(rng: np.random.Generator, both: dict[str, cl.Result], n: int, times: int = 100) -> float:
    """The share of corpora drawn from these documents in which the real test finds the difference."""
    ahead = np.sign(float(both["b"].conll) - float(both["a"].conll))
    found = 0
    for run in range(times):
        rows = rng.integers(0, len(both["a"].counts), n)
        chosen = {}
        for name, result in both.items():
            counts = result.counts.take(rows)
            documents = [d._replace(name=f"{place}") for place, d in enumerate(counts.documents)]
            chosen[name] = cl.Result(replace(counts, documents=documents), METRICS, cl.Options())
        test = paired_tests(aligned(chosen), [("a", "b")], resamples=200, seed=run)["a", "b"]["conll"]
        found += test.p <= 0.05 and np.sign(test.difference) == ahead
    return found / times


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"{many} comparisons a row.\n")
    for part in (wrong, calculated, ranges, with_runs, as_seen):
        if part.__name__ in (sys.argv[2:] or [part.__name__]):
            part(min(many, {"wrong": many, "as_seen": max(many // 25, 1)}.get(part.__name__, 400)))
