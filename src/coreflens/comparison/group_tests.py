"""Tests within groups or datasets, corrected over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan

from ..scoring.result import Result
from ..stats import PairedTest, Sample, aligned, partial_conjunction, runs_sample
from ..stats.multiple import CORRECTIONS
from ..stats.swapping import Pair, Progress
from .testing import LEVEL, Testing


@dataclass(frozen=True, eq=False)
class GroupTests:
    """Tests of the official score in each group, by group and pair; their p is corrected over groups and pairs."""

    tests: Mapping[str, Mapping[Pair, PairedTest]] = field(default_factory=dict)
    adjusted: Mapping[tuple[str, Pair], float] = field(default_factory=dict)

    def test_of(self, group: str, first: str, second: str) -> PairedTest | None:
        """The test of second − first in a group."""
        tests = self.tests.get(group, {})
        if (first, second) in tests:
            return tests[first, second]
        return tests[second, first].reversed() if (second, first) in tests else None

    def corrected(self, group: str, first: str, second: str) -> float:
        """The corrected p of a pair in a group, in either order; nan if it was not tested."""
        pair = (first, second) if (first, second) in self.tests.get(group, {}) else (second, first)
        return self.adjusted.get((group, pair), nan)

    def better(self, ahead: str, behind: str, sign: int = 1) -> list[str]:
        """Groups in which a system is significantly better than another; `sign` is −1 where lower scores are better."""
        groups = []
        for group in self.tests:
            test = self.test_of(group, behind, ahead)
            if test is not None and sign * test.difference > 0 and self.corrected(group, behind, ahead) <= LEVEL:
                groups.append(group)
        return groups

    def at_least_if_independent(self, ahead: str, behind: str, sign: int = 1) -> int:
        """In at least how many groups one system is better than another, by Fisher's partial conjunction.

        One-sided at half the level, because the data say which system is ahead. This needs independent groups. The
        groups of `better` may depend on each other; their number is the count by Bonferroni (Dror et al. 2017).
        """
        return partial_conjunction(self.one_sided(ahead, behind, sign), LEVEL / 2)

    def one_sided(self, ahead: str, behind: str, sign: int = 1) -> list[float]:
        """For each group the p of "the system is not better here": half of the two-sided p, or 1 minus that half."""
        one_sided = []
        for group in self.tests:
            test = self.test_of(group, behind, ahead)
            if test is None or test.p != test.p or not test.difference:
                one_sided.append(1.0)
            elif sign * test.difference > 0:
                one_sided.append(test.p / 2)
            else:
                one_sided.append(1 - test.p / 2)
        return one_sided


def tests_within(
    groups: Mapping[str, Mapping[str, Sequence[Result]]],
    pairs: Sequence[Pair],
    official: str,
    testing: Testing,
    progress: Progress,
) -> GroupTests:
    """Each pair in each group, by group → system → its runs; a group of one document has no test."""
    tests: dict[str, dict[Pair, PairedTest]] = {}
    for group in progress(list(groups)):
        samples = _samples(groups[group], official, testing)
        tests[group] = {}
        if len(next(iter(samples.values()))) > 1:
            by_metric, _ = testing.run(samples, pairs, True, iter)
            tests[group] = {pair: of_pair[official] for pair, of_pair in by_metric.items()}
    places = [(group, pair) for group, of_group in tests.items() for pair in of_group]
    corrected = CORRECTIONS[testing.correction]([tests[group][pair].p for group, pair in places])
    return GroupTests(tests, {place: float(p) for place, p in zip(places, corrected, strict=True)})


def _samples(systems: Mapping[str, Sequence[Result]], official: str, testing: Testing) -> dict[str, Sample]:
    """The documents of each system's runs, side by side, with the official score alone."""
    named: dict[str, Result] = {}
    names_of_runs: dict[str, list[str]] = {}
    for name, runs in systems.items():
        names_of_runs[name] = [f"{name}\0{number}" for number in range(len(runs))]
        for run_name, run in zip(names_of_runs[name], runs, strict=True):
            named[run_name] = run.narrowed([official])
    units = aligned(named, testing.unit)
    samples = {}
    for name, run_names in names_of_runs.items():
        samples[name] = runs_sample([units[run_name] for run_name in run_names])
    return samples
