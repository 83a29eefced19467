"""Tests within groups or datasets, corrected over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan

from ..scoring.result import Result
from ..stats import PairedTest, aligned, partial_conjunction, runs_sample
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
        found = self.tests.get(group, {})
        if (first, second) in found:
            return found[first, second]
        return found[second, first].reversed() if (second, first) in found else None

    def corrected(self, group: str, first: str, second: str) -> float:
        """The corrected p of a pair in a group, in either order; nan if it was not tested."""
        pair = (first, second) if (first, second) in self.tests.get(group, {}) else (second, first)
        return self.adjusted.get((group, pair), nan)

    def better(self, ahead: str, behind: str, sign: int = 1) -> list[str]:
        """Groups in which a system is significantly better than another; `sign` is −1 where lower scores are better."""
        found = []
        for group in self.tests:
            test = self.test_of(group, behind, ahead)
            if test is not None and sign * test.difference > 0 and self.corrected(group, behind, ahead) <= LEVEL:
                found.append(group)
        return found

    def at_least_if_independent(self, ahead: str, behind: str, sign: int = 1) -> int:
        """In at least how many groups one system is better than another, by Fisher's partial conjunction.

        One-sided at half the level, because the data say which system is ahead. This needs independent groups. The
        groups of `better` may depend on each other; their number is the count by Bonferroni (Dror et al. 2017).
        """
        return partial_conjunction(self.one_sided(ahead, behind, sign), LEVEL / 2)

    def one_sided(self, ahead: str, behind: str, sign: int = 1) -> list[float]:
        """For each group the p of "the system is not better here": half of the two-sided p, or 1 minus that half."""
        found = []
        for group in self.tests:
            test = self.test_of(group, behind, ahead)
            if test is None or test.p != test.p or not test.difference:
                found.append(1.0)
            else:
                found.append(test.p / 2 if sign * test.difference > 0 else 1 - test.p / 2)
        return found


def tests_within(
    groups: Mapping[str, Mapping[str, Sequence[Result]]],
    pairs: Sequence[Pair],
    official: str,
    how: Testing,
    progress: Progress,
) -> GroupTests:
    """Each pair in each group, by group → system → its runs; a group of one document has no test."""
    found: dict[str, dict[Pair, PairedTest]] = {}
    for group in progress(list(groups)):
        runs = {
            (name, k): run.narrowed([official])
            for name, results in groups[group].items()
            for k, run in enumerate(results)
        }
        units = aligned({f"{name}\0{k}": result for (name, k), result in runs.items()}, how.unit)
        if len(next(iter(units.values()))) < 2:
            found[group] = {}
            continue
        samples = {
            name: runs_sample([units[f"{name}\0{k}"] for k in range(len(results))])
            for name, results in groups[group].items()
        }
        tests, _ = how.run(samples, pairs, True, iter)
        found[group] = {pair: test[official] for pair, test in tests.items()}
    places = [(group, pair) for group, tests_of in found.items() for pair in tests_of]
    values = CORRECTIONS[how.correction]([found[group][pair].p for group, pair in places])
    return GroupTests(found, {place: float(p) for place, p in zip(places, values, strict=True)})
