"""How often `compare` says "beats" where nothing is better, and how well it says how many documents would decide.

python bench/decisions.py [RUNS]      pages of Markdown for docs/statistics.md

Documents are drawn from the generated dev pair, as in coverage.py. A system is that response with the numerators of
each document made smaller at random; one that is better loses less. Runs of a system share its documents and differ in
how much they lose altogether.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

import coreflens as cl
from coreflens.comparison.testing import Testing
from coreflens.comparison.within import tests_within
from coreflens.stats import (
    aligned,
    contributions,
    holm,
    macro_sample,
    needed,
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
        row("six: some rank interval is too narrow", n, tally)
    for many, spread in ((2, 0.01), (3, 0.01), (5, 0.01), (5, 0.0), (5, 0.05)):
        for n in (30, 100):
            tally = 0
            for run in range(runs):
                corpus = world.documents(n)
                named = {f"{s}{k}": world.system(corpus, spread=spread) for s in "ab" for k in range(many)}
                units = aligned(named)
                both = {s: runs_sample([units[f"{s}{k}"] for k in range(many)]) for s in "ab"}
                tests, _ = two_level_tests(both, PAIR, resamples=RESAMPLES, seed=run, confidence=0.95)
                tally += tests["a", "b"]["conll"].p <= 0.05
            row(f"two with {many} runs each, which differ by {100 * spread:g} points", n, tally)
    means = by_holm = fisher = 0
    for run in range(runs):
        datasets = _datasets(world, [0.0] * 8)
        parts = {d: aligned({name: both[name][0] for name in "ab"}) for d, both in datasets.items()}
        samples = {name: macro_sample({d: of[name] for d, of in parts.items()}) for name in "ab"}
        means += paired_tests(samples, PAIR, resamples=RESAMPLES, seed=run)["a", "b"]["conll"].p <= 0.05
    row("two on 8 datasets of 20 documents: the mean", 160, means)
    for run in range(runs):
        within = tests_within(_datasets(world, [0.15] * 3 + [0.0] * 5), PAIR, "conll", replace(HOW, seed=run), iter)
        by_holm += len(within.better("b", "a")) > 3
        fisher += within.at_least_if_independent("b", "a") > 3
    row("the same, one better on 3 of 8: better on more than 3, by Holm", 160, by_holm)
    row("the same, by Fisher", 160, fisher)


def _datasets(world: World, gains: Sequence[float]) -> dict[str, dict[str, list[cl.Result]]]:
    found = {}
    for k, gain in enumerate(gains):
        corpus = world.documents(20)
        found[f"d{k}"] = {name: [world.system(corpus, gain * (name == "b"))] for name in "ab"}
    return found


def enough(world: World, gain: float, runs: int = 400) -> int:
    """The documents with which the test finds a gain in 80 of 100 corpora, by trying."""
    low, high = 4, 1500
    while high - low > max(1, high // 20):
        n = int((low * high) ** 0.5) if high > 2 * low else (low + high) // 2
        low, high = (low, n) if _power(world, gain, n, runs) >= 0.8 else (n, high)
    return high


def _power(world: World, gain: float, n: int, runs: int) -> float:
    found = 0
    for run in range(runs):
        corpus = world.documents(n)
        samples = aligned({"a": world.system(corpus), "b": world.system(corpus, gain)})
        test = paired_tests(samples, [("a", "b")], resamples=200, seed=run)["a", "b"]["conll"]
        found += test.p <= 0.05 and test.difference > 0
    return found / runs


def deciding(runs: int) -> None:
    """The documents said to be needed against those that are."""
    world = World(2)
    print(
        "\n| true difference | documents needed | seen | median said | half are within | within a factor of 2 | "
        "said, of undecided ones |\n|--:|--:|--:|--:|---|--:|--:|"
    )
    for gain in (0.08, 0.04, 0.02):
        truth = enough(world, gain)
        big = world.documents(20_000)
        a, b = world.system(big), world.system(big, gain)
        delta = 100 * (float(b.conll) - float(a.conll))
        for n in (max(10, truth // 4), truth // 2, truth):
            said, undecided = [], []
            for run in range(runs):
                corpus = world.documents(n)
                samples = aligned({"a": world.system(corpus), "b": world.system(corpus, gain)})
                d = contributions(samples["a"], samples["b"], "conll")
                found = needed(d, 0.05, run) or 1_000_000
                said.append(found)
                p = paired_tests(samples, [("a", "b")], resamples=200, seed=run)["a", "b"]["conll"].p
                undecided += [found] if p > 0.05 else []
            low, middle, high = np.quantile(said, [0.25, 0.5, 0.75])
            near = np.mean([truth / 2 <= x <= 2 * truth for x in said])
            print(
                f"| {delta:.2f} | {truth} | {n} | {middle:.0f} | {low:.0f}–{high:.0f} | {100 * near:.0f} % | "
                f"{np.median(undecided) if undecided else float('nan'):.0f} |",
                flush=True,
            )


def as_seen(runs: int) -> None:
    """The power of the real test with as many documents as were said to be needed, drawn from the documents seen."""
    world = World(3)
    print("\n| seen | power of the real test with the number said | it is within a factor of 2 |\n|--:|--:|--:|")
    for n in (8, 20, 50, 100):
        powers, near = [], []
        for _ in range(runs):
            corpus = world.documents(n)
            both = {"a": world.system(corpus), "b": world.system(corpus, 0.02)}
            samples = aligned(both)
            found = needed(contributions(samples["a"], samples["b"], "conll"), 0.05)
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
    wrong(many)
    deciding(min(many, 400))
    as_seen(min(many // 10, 40) or 1)
