"""Notes on what a comparison was given: on its files, on single runs, on outputs that are the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ..errors import Issue
from ..scoring.result import Result
from ..stats import Sample
from .entries import Entries


def notes_on_input(entries: Entries) -> Iterator[Issue]:
    """Notes on the files. A note that all systems of a dataset share may be about the key, so it is given once."""
    for dataset in entries.datasets:
        results = _named_results(entries, dataset)
        if not results:
            continue
        first = next(iter(results.values()))
        shared = [issue for issue in first.issues if all(issue in result.issues for result in results.values())]
        where = f"{dataset}: " if dataset else ""
        for issue in shared:
            yield replace(issue, message=f"{where}{issue.message}")
        for name, result in results.items():
            for issue in result.issues:
                if issue not in shared:
                    yield replace(issue, message=f"{name}: {where}{issue.message}")


def _named_results(entries: Entries, dataset: str) -> dict[str, Result]:
    """The results on a dataset by system, with the number of the run where there are several."""
    results_by_name = {}
    for name, results in entries.places.items():
        has_runs = (dataset, 1) in results
        for (of_dataset, run), result in results.items():
            if of_dataset == dataset:
                results_by_name[f"{name}, run {run + 1}" if has_runs else name] = result
    return results_by_name


def notes_on_runs(entries: Entries) -> Iterator[Issue]:
    """A note if only some systems have several runs."""
    single = [name for name, results in entries.runs.items() if len(results) == 1]
    if single:
        message = (
            f"only one run of {', '.join(single)}: tests and intervals know nothing of differences between its runs"
        )
        yield Issue("one-run", message, len(single))


def notes_on_same_outputs(entries: Entries, samples: Mapping[str, Sample]) -> Iterator[Issue]:
    """Systems with the same entities in every document: one output may have been submitted twice.

    Saved counts have no entities; they are compared by their numbers, up to the last bits of their sums.
    """
    by_counts: dict[bytes, list[str]] = {}
    for name, units in samples.items():
        counts = np.round(units.counts.values, 9) + 0.0
        by_counts.setdefault(counts.tobytes(), []).append(name)
    for names in by_counts.values():
        if len(names) == 1:
            continue
        for alike in _by_entities(entries, names):
            if len(alike) > 1:
                yield Issue("same-scores", f"{', '.join(alike)}: the same entities in every document", len(alike))
        if any(name not in entries.partitions for name in names):
            yield Issue("same-scores", f"{', '.join(names)}: the same counts in every document", len(names))


def _by_entities(entries: Entries, names: list[str]) -> list[list[str]]:
    """The systems whose entities are known, those with the same entities together."""
    alike: dict[bytes, list[str]] = {}
    for name in names:
        if name in entries.partitions:
            content = b"".join(partition() for partition in entries.partitions[name])
            alike.setdefault(content, []).append(name)
    return list(alike.values())
