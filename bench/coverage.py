"""How often an interval holds the truth, and how often a test raises a false alarm, by number of documents.

python bench/coverage.py [RUNS]      a page of Markdown for docs/statistics.md

Coverage: the documents of the generated dev pair are the population, and its score the truth; corpora of n documents
are drawn from it, and their 95 % intervals either hold the truth or do not. False alarms: two systems of the same
quality, whose documents share a difficulty; p ≤ 0.05 calls them different.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import coreflens as cl
from coreflens.stats import aligned, bootstrap, jackknife, paired_tests
from coreflens.stats.paired import TESTS
from generate import generate

OUT = Path(__file__).parent / "out"
SIZES = (5, 10, 20, 30, 50, 100, 300)
METRICS = ("muc", "bcub", "ceafe", "blanc", "lea", "conll")
RESAMPLES = 1000


def population() -> cl.Result:
    generate(OUT, ("dev",))
    return cl.score(str(OUT / "dev" / "key.conll"), str(OUT / "dev" / "response.conll"), metrics=METRICS)


def drawn(whole: cl.Result, rng: np.random.Generator, n: int) -> cl.Result:
    counts = whole.counts.take(rng.integers(0, len(whole.counts), n))
    documents = [d._replace(name=f"{place}", part=None) for place, d in enumerate(counts.documents)]
    return cl.Result(replace(counts, documents=documents), METRICS, whole.options)


def coverage(whole: cl.Result, n: int, runs: int, seed: int = 0) -> dict[str, dict[str, float]]:
    """Share of the intervals that hold the truth, by method and metric."""
    rng = np.random.default_rng(seed)
    truth = {m: float(whole[m].main) for m in METRICS}
    held: dict[str, dict[str, int]] = {}
    for run in range(runs):
        corpus = drawn(whole, rng, n)
        for method, intervals in (
            ("percentile", bootstrap(corpus, RESAMPLES, seed=run)),
            ("BCa", bootstrap(corpus, RESAMPLES, seed=run, interval="bca")),
            ("jackknife", jackknife(corpus)),
        ):
            tally = held.setdefault(method, dict.fromkeys(METRICS, 0))
            for metric, true in truth.items():
                tally[metric] += intervals.main(metric).low <= true <= intervals.main(metric).high
    return {method: {m: count / runs for m, count in tally.items()} for method, tally in held.items()}


def alarms(whole: cl.Result, n: int, runs: int, seed: int = 1) -> dict[str, float]:
    """Share of tests that call two equal systems different; both vary around the same documents."""
    rng = np.random.default_rng(seed)
    columns = whole.counts.columns
    numerators = [
        columns.index(f"{m}.{side}_num") for m in ("muc", "bcub", "ceafe") for side in ("recall", "precision")
    ]
    found = dict.fromkeys(TESTS, 0)
    for run in range(runs):
        corpus = drawn(whole, rng, n)
        systems = {}
        for name in "ab":
            values = corpus.counts.values.copy()
            values[:, numerators] *= rng.beta(9, 1, (n, 1))
            systems[name] = cl.Result(
                replace(corpus.counts, values=values), ("muc", "bcub", "ceafe", "conll"), cl.Options()
            )
        samples = aligned(systems)
        for test in TESTS:
            tests = paired_tests(samples, [("a", "b")], test=test, resamples=RESAMPLES, seed=run)
            found[test] += tests["a", "b"]["conll"].p <= 0.05
    return {test: count / runs for test, count in found.items()}


def main(runs: int) -> None:
    whole = population()
    print(f"{runs} corpora a row, {RESAMPLES} resamples each; population: {len(whole.counts)} documents.\n")
    print("| documents | interval | " + " | ".join(METRICS) + " |\n|--:|---|" + "--:|" * len(METRICS))
    for n in SIZES:
        for method, shares in coverage(whole, n, runs).items():
            print(f"| {n} | {method} | " + " | ".join(f"{100 * shares[m]:.1f}" for m in METRICS) + " |", flush=True)
    print("\n| documents | " + " | ".join(TESTS) + " |\n|--:|" + "--:|" * len(TESTS))
    for n in SIZES:
        print(f"| {n} | " + " | ".join(f"{100 * x:.1f}" for x in alarms(whole, n, runs).values()) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
