"""The systems of a section and their results: by match rule, dataset and run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..errors import CoreflensError, Issue, UsageError
from ..scoring.result import Result
from ..scoring.scores import Scores
from .datasets import mean
from .scored import Outcome, Partition, Place, same_metrics
from .systems import System


@dataclass(frozen=True, eq=False)
class Entries:
    """The systems that compete in a section, and their results. Tests and notes are about the first match rule.

    results      by match rule, then by system, dataset and run
    partitions   what shows which systems have the same entities, of each run of a system
    macro        whether scores are means over datasets
    """

    systems: Sequence[System]
    results: Mapping[str, Mapping[Place, Result]]
    partitions: Mapping[str, Sequence[Partition]]
    macro: bool

    @cached_property
    def datasets(self) -> list[str]:
        """The names of the datasets, in one order for all systems; one empty name if there are none."""
        return sorted({system.dataset for system in self.systems})

    def by_system(self, match: str) -> dict[str, dict[tuple[str, int], Result]]:
        """The results by a match rule: system → dataset and run."""
        by_system: dict[str, dict[tuple[str, int], Result]] = {name: {} for name, _, _ in self.results[match]}
        for dataset in self.datasets:
            for (name, of_dataset, run), result in self.results[match].items():
                if of_dataset == dataset:
                    by_system[name][dataset, run] = result
        return by_system

    @cached_property
    def places(self) -> dict[str, dict[tuple[str, int], Result]]:
        """The results by the first match rule: system → dataset and run."""
        return self.by_system(next(iter(self.results)))

    @cached_property
    def listed(self) -> dict[str, list[Result]]:
        """The results of each system, of its runs or of its datasets."""
        return {name: list(results.values()) for name, results in self.places.items()}

    @cached_property
    def by_dataset(self) -> dict[str, dict[str, Result]]:
        """System → dataset → result."""
        by_dataset: dict[str, dict[str, Result]] = {}
        for name, results in self.places.items():
            by_dataset[name] = {dataset: result for (dataset, _), result in results.items()}
        return by_dataset

    @cached_property
    def runs(self) -> dict[str, list[Result]]:
        """The runs of each system; empty if no system has several."""
        if self.macro or all(len(results) == 1 for results in self.listed.values()):
            return {}
        return self.listed

    def mean_scores(self) -> dict[str, dict[str, Scores]]:
        """Scores by match rule and system: of one result, or the mean over runs or datasets."""
        means: dict[str, dict[str, Scores]] = {}
        for match in self.results:
            by_system = self.by_system(match)
            means[match] = {name: self._mean(results.values()) for name, results in by_system.items()}
        return means

    def _mean(self, results: Iterable[Result]) -> Scores:
        listed = list(results)
        return mean(listed) if self.macro or len(listed) > 1 else listed[0]


def collected(
    systems: Sequence[System], outcomes: Iterator[Outcome], matches: Sequence[str | None], macro: bool
) -> tuple[Entries, dict[str, CoreflensError]]:
    """The results of the systems of a section, and the errors of those that have none.

    A system that fails on one dataset has no results at all. Each system takes one of the outcomes.
    """
    results: dict[str, dict[Place, Result]] = {}
    partitions: dict[str, list[Partition]] = {}
    errors: dict[str, CoreflensError] = {}
    failed: set[str] = set()
    for system, outcome in zip(systems, outcomes, strict=False):
        if system.name in failed:
            continue
        for of_runs in outcome.partitions.values():
            partitions.setdefault(system.name, []).extend(of_runs)
        if outcome.error is not None:
            errors[_full_name(system)] = outcome.error
            failed.add(system.name)
            continue
        for match, runs in zip(matches, outcome.results, strict=True):
            if macro and len(runs) > 1:
                raise UsageError(f"'{system.name}' has several runs: --macro dataset takes one run of each system")
            by_place = results.setdefault(match or runs[0].options.match, {})
            for number, run in enumerate(runs):
                by_place[system.name, system.dataset, number] = run
    scored: dict[str, dict[Place, Result]] = {}
    for match_rule, by_place in results.items():
        scored[match_rule] = {place: result for place, result in by_place.items() if place[0] not in failed}
    return Entries(systems, scored, partitions, macro), errors


def with_same_metrics(entries: Entries, metrics: Sequence[str] | None) -> tuple[Entries, list[Issue]]:
    """The entries with the requested metrics, or with those that all systems have, and notes on what is left out."""
    results = {}
    issues: list[Issue] = []
    for match, by_place in entries.results.items():
        results[match], lacking = same_metrics(by_place, metrics)
        issues += lacking
    return Entries(entries.systems, results, entries.partitions, entries.macro), issues


def _full_name(system: System) -> str:
    where = ", ".join(filter(None, (*system.section, system.dataset)))
    return f"{system.name} ({where})" if where else system.name
