"""How pairs of systems are tested, and why a test should not be trusted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

from ..errors import Issue, choose, counted
from ..stats import (
    INTERVALS,
    TESTS,
    TWO_LEVEL,
    Correction,
    IntervalKind,
    PairedTest,
    RunsSample,
    Sample,
    Spread,
    Test,
    Unit,
    doubts,
    paired_tests,
    two_level_tests,
)
from ..stats.multiple import CORRECTIONS
from ..stats.swapping import Pair, Progress

Tests: TypeAlias = Mapping[Pair, Mapping[str, PairedTest]]
Spreads: TypeAlias = Mapping[str, Mapping[str, Spread]]
Corrected: TypeAlias = dict[tuple[Pair, str], float]
LEVEL = 0.05  # up to this p a difference is significant


@dataclass(frozen=True, slots=True)
class Testing:
    """The test, its random numbers, the correction for many pairs, and the interval of differences from a baseline."""

    test: Test = "randomisation"
    resamples: int = 10_000
    seed: int = 0
    correction: Correction = "holm"
    unit: Unit = "document"
    interval: IntervalKind = "percentile"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        choose(self.test, TESTS, "test")
        choose(self.correction, CORRECTIONS, "correction")
        choose(self.interval, INTERVALS, "interval")

    def run(
        self,
        samples: Mapping[str, Sample],
        pairs: Sequence[Pair],
        intervals: bool | Collection[Pair],
        progress: Progress,
        jobs: int | None = 1,
    ) -> tuple[Tests, Spreads]:
        """The tests; for several runs they use the two-level bootstrap, and the spread of the runs is given."""
        if any(isinstance(s, RunsSample) for s in samples.values()):
            how = {"resamples": self.resamples, "seed": self.seed}
            return two_level_tests(samples, pairs, confidence=self.confidence, **how)
        tests = paired_tests(
            samples,
            pairs,
            test=self.test,
            resamples=self.resamples,
            seed=self.seed,
            interval=self.interval,
            confidence=self.confidence,
            intervals=intervals,
            progress=progress,
            jobs=jobs,
        )
        return tests, {}

    def corrected(self, tests: Tests, metrics: Sequence[str]) -> Corrected:
        """p-values corrected over the pairs, for each metric by itself."""
        return self._over_pairs(tests, metrics, lambda test: test.p)

    def smallest(self, tests: Tests, metrics: Sequence[str]) -> Corrected:
        """The smallest possible value of each corrected p.

        Every correction here rises with each of its p-values, so the smallest p-values give the smallest corrected
        ones.
        """
        return self._over_pairs(tests, metrics, lambda test: test.smallest_p if test.p == test.p else test.p)

    def _over_pairs(self, tests: Tests, metrics: Sequence[str], of: Callable[[PairedTest], float]) -> Corrected:
        correct = CORRECTIONS[self.correction]
        corrected: Corrected = {}
        for metric in metrics:
            numbers = correct([of(by_metric[metric]) for by_metric in tests.values()])
            for pair, p in zip(tests, numbers, strict=True):
                corrected[pair, metric] = float(p)
        return corrected

    def level(self, tests: Tests, pair: Pair, metric: str) -> float:
        """The p that a pair needs to be significant after correction, if the other pairs stay as they are."""
        p = sorted(found[metric].p for found in tests.values() if found[metric].p == found[metric].p)
        place = sum(x < tests[pair][metric].p for x in p)
        if self.correction == "holm":
            return LEVEL / (len(p) - place)
        return LEVEL * (place + 1) / len(p) if self.correction == "bh" else LEVEL

    def short_of_resamples(self, test: PairedTest) -> bool:
        """Whether more resamples, and not more documents, would make a smaller p possible."""
        return test.test in ("randomisation", "bootstrap") and test.smallest_p <= 1 / (self.resamples + 1)

    def doubts(self, units: Sample, tests: Tests, metrics: Sequence[str]) -> Iterator[Issue]:
        yield from doubts(units, "paired test")
        all_tests: list[PairedTest] = []
        for by_metric in tests.values():
            all_tests += by_metric.values()
        smallest = min(self.smallest(tests, metrics).values(), default=0.0)
        if smallest > LEVEL:
            exact = min(all_tests, key=lambda test: test.smallest_p)
            no_p = f"{counted(tests, 'pair')} of systems: no p can be below {smallest:.3g} after correction"
            if self.correction == "none":
                no_p = f"no p can be below {smallest:.3g}"
            if self.short_of_resamples(exact):
                enough = f"--resamples {100 * len(tests)} are enough"
                yield Issue("few-resamples", f"{self.resamples} resamples and {no_p}; {enough}")
            else:
                yield Issue("few-documents", f"{counted(units.labels, 'document')} and {no_p}", len(units))
        dropped = max(test.dropped for test in all_tests)
        if self.test in ("t", "wilcoxon") and dropped:
            left_out = f"{self.test} test: up to {dropped} of {len(units)} documents, by metric, left out"
            yield Issue("undefined", f"{left_out} because one F1 is 0/0", dropped)

    def told(self, intervals: bool, runs: bool = False) -> dict[str, object]:
        """The settings for the signature and JSON; those of intervals only if there are intervals."""
        plain = asdict(self) | ({"test": TWO_LEVEL.replace(" ", "-"), "interval": "t"} if runs else {})
        return plain if intervals else {k: v for k, v in plain.items() if k not in ("interval", "confidence")}
