"""How pairs of systems are tested, and why a test should not be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from ..errors import Issue, choose, counted
from ..stats import INTERVALS, TESTS, PairedTest, Sample, doubts, paired_tests
from ..stats.multiple import CORRECTIONS
from ..stats.paired import Pair, Progress

Tests: TypeAlias = Mapping[Pair, Mapping[str, PairedTest]]
LEVEL = 0.05  # at which a difference is called significant


@dataclass(frozen=True, slots=True)
class Testing:
    """The test, its random numbers, the correction for many pairs, and the interval of differences to a baseline."""

    test: str = "randomisation"
    resamples: int = 10_000
    seed: int = 0
    correction: str = "holm"
    unit: str = "document"
    interval: str = "percentile"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        choose(self.test, TESTS, "test")
        choose(self.correction, CORRECTIONS, "correction")
        choose(self.interval, INTERVALS, "interval")

    def run(self, samples: Mapping[str, Sample], pairs: Sequence[Pair], intervals: bool, progress: Progress) -> Tests:
        return paired_tests(
            samples,
            pairs,
            test=self.test,
            resamples=self.resamples,
            seed=self.seed,
            interval=self.interval,
            confidence=self.confidence,
            intervals=intervals,
            progress=progress,
        )

    def corrected(self, tests: Tests, metrics: Sequence[str]) -> dict[tuple[Pair, str], float]:
        """p-values corrected over the pairs, for each metric by itself."""
        correct = CORRECTIONS[self.correction]
        return {
            (pair, metric): float(p)
            for metric in metrics
            for pair, p in zip(tests, correct([found[metric].p for found in tests.values()]), strict=True)
        }

    def doubts(self, units: Sample, tests: Tests) -> Iterator[Issue]:
        yield from doubts(units, "paired test")
        least = len(tests) / (self.resamples + 1)
        drawn = any(not test.exact for found in tests.values() for test in found.values())
        if drawn and self.test in ("randomisation", "bootstrap") and self.correction != "none" and least > LEVEL:
            what = f"{counted(tests, 'pair')} and {self.resamples} resamples"
            enough = f"--resamples {100 * len(tests)} would do"
            yield Issue("few-resamples", f"{what}: a corrected p can hardly be below {least:.2g}; {enough}")
        dropped = max(test.dropped for found in tests.values() for test in found.values())
        if self.test in ("t", "wilcoxon") and dropped:
            what = f"{self.test} test: up to {dropped} of {len(units)} documents, by metric, left out"
            yield Issue("undefined", f"{what} because an F1 of theirs is 0/0", dropped)

    def told(self, intervals: bool) -> dict[str, Any]:
        """For the signature and JSON; what concerns intervals only if there are some."""
        plain = asdict(self)
        return plain if intervals else {k: v for k, v in plain.items() if k not in ("interval", "confidence")}
