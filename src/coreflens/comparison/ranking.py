"""Systems that compete: ranked by the official score, tested, by group, over runs and over datasets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import InputError, Issue, counted
from ..matching.labels import By
from ..metrics import METRICS
from ..scoring.result import Result
from ..scoring.scores import Scores
from ..stats import Sample, Unit, aligned, by_group, doubts, resampled, runs_sample
from ..stats.swapping import Progress
from .datasets import Macro, MacroBy, is_drawn, mean, oddities
from .datasets import samples as dataset_samples
from .group_tests import GroupTests, tests_within
from .ranks import disputes, merit, official_of
from .scored import Partition, Place
from .sections import Section
from .systems import System
from .testing import LEVEL, Spreads, Testing, Tests
from .verdict import compared, judged, short_p


def contest(
    members: Sequence[System],
    found: Mapping[str, Mapping[Place, Result]],
    baseline: str | None,
    by: By | None,
    macro: MacroBy | None,
    issues: list[Issue],
    progress: Progress,
    how: Testing,
    partitions: Mapping[str, Sequence[Partition]],
    jobs: int | None,
) -> Section:
    every = {match: _by_system(members, of) for match, of in found.items()}
    several = {name: list(of.values()) for name, of in next(iter(every.values())).items()}  # runs, or datasets
    scores: dict[str, dict[str, Scores]] = {
        match: {
            name: mean(of.values()) if macro or len(of) > 1 else next(iter(of.values())) for name, of in systems.items()
        }
        for match, systems in every.items()
    }
    results = next(iter(scores.values()))
    metrics = list(next(iter(results.values())))
    official = official_of(metrics)
    order = sorted(results, key=lambda name: -merit(results[name], official))
    ranked = [next(s for s in members if s.name == name) for name in order]
    issues += _about(next(iter(every.values())))
    datasets = {name: {dataset: r for (dataset, _), r in of.items()} for name, of in next(iter(every.values())).items()}
    runs = {} if macro or all(len(of) == 1 for of in several.values()) else several
    samples = _aligned(datasets, several, how.unit, macro, issues) if len(order) > 1 or macro or runs else None
    issues += _repeated(samples or {}, partitions)
    tests: Tests = {}
    spreads: Spreads = {}
    signature = _signature(datasets[next(iter(datasets))], macro)
    first, *others = found  # tests are of the first matching, scores of all of them
    signature = signature.replace(f"|match:{first}|", f"|match:{','.join((first, *others))}|")
    if runs:
        issues += _single_runs(runs)
        signature += f"|runs:{','.join(str(len(runs[system.name])) for system in ranked)}"
    if samples is not None and how.resamples and (len(order) > 1 or runs):
        units = samples[order[0]]
        against = baseline in results
        if len(units) < 2:
            issues.append(Issue("no-test", "no significance test: there is only one document, or one block of them"))
        else:
            both = combinations(order, 2)
            pairs = [(str(baseline), name) for name in order if name != baseline] if against else list(both)
            leading = [pair for pair in pairs if order[0] in pair]
            tests, spreads = how.run(samples, pairs, True if against else leading, progress, jobs)
            issues += how.doubts(units, tests, metrics) if tests else doubts(units, "bootstrap")
            told = how.told(True, runs=bool(runs)) | {"units": len(units)}
            signature = "|".join([signature, *(f"{name}:{value}" for name, value in told.items())])
    groups: dict[str, Mapping[str, Scores]] = {}
    if by is not None:
        groups = {name: _groups(several[name], by) for name in order}
    means = None
    if macro:
        groups = {name: datasets[name] for name in order}
        means = _macro(members, datasets, order, samples, how, issues)
        if means.intervals and not tests:
            drawn: dict[str, Any] = {"bootstrap": how.resamples, "interval": how.interval, "confidence": how.confidence}
            drawn |= {"seed": how.seed, "unit": how.unit, "units": len((samples or {})[order[0]])}
            signature = "|".join([signature, *(f"{name}:{value}" for name, value in drawn.items())])
    within = GroupTests()
    if tests and groups:
        divided = _divided(several, datasets, by, macro)
        asked = list(tests) if baseline in results or len(order) == 2 else [pair for pair in tests if order[0] in pair]
        within = tests_within(divided, asked, official, how, progress)
    documents = sum(result.signature.documents for result in datasets[order[0]].values())
    also = [*_also(order, baseline, within, official, macro, by, runs)]
    return Section(
        *members[0].section,
        [replace(system, source=None, key=None, dataset="") for system in ranked] if macro else ranked,
        scores,
        official,
        signature,
        tests,
        how.corrected(tests, metrics),
        how.smallest(tests, metrics),
        groups,
        disputes(results, metrics, official, samples) if len(order) > 1 else (),
        macro=means,
        verdict=judged(order, results, official, tests, how, samples, spreads, baseline, documents, also),
        within=within,
        spreads=spreads,
        runs=runs,
    )


def _groups(runs: Sequence[Result], by: By) -> dict[str, Scores]:
    """Scores by group; several runs give their means."""
    grouped = [run.group_by(by) for run in runs]
    if len(grouped) == 1:
        return grouped[0]
    return {label: mean(of[label] for of in grouped) for label in grouped[0]}


def _divided(
    runs: Mapping[str, Sequence[Result]], datasets: Mapping[str, Mapping[str, Result]], by: By | None, macro: Any
) -> dict[str, dict[str, list[Result]]]:
    """Group or dataset → system → its runs."""
    if macro or by is None:
        listed = next(iter(datasets.values()))
        return {dataset: {name: [of[dataset]] for name, of in datasets.items()} for dataset in listed}
    split = {name: [by_group(run, by) for run in of] for name, of in runs.items()}
    labels = next(iter(split.values()))[0]
    return {label: {name: [run[label] for run in of] for name, of in split.items()} for label in labels}


def _by_system(members: Sequence[System], found: Mapping[Place, Result]) -> dict[str, dict[tuple[str, int], Result]]:
    """Results by system, then dataset and run; the datasets in one order for all systems."""
    names = dict.fromkeys(name for name, _, _ in found)
    datasets = sorted(dict.fromkeys(system.dataset for system in members))
    return {
        name: {
            (dataset, run): result
            for dataset in datasets
            for (who, where, run), result in found.items()
            if (who, where) == (name, dataset)
        }
        for name in names
    }


def _about(systems: Mapping[str, Mapping[tuple[str, int], Result]]) -> Iterator[Issue]:
    """Notes on the input. A note that all systems of a dataset share may be about the key, so it is given once."""
    for dataset in dict.fromkeys(dataset for of in systems.values() for dataset, _ in of):
        mine = {
            f"{name}, run {run + 1}" if (dataset, 1) in of else name: result
            for name, of in systems.items()
            for (where, run), result in of.items()
            if where == dataset
        }
        shared = [i for i in next(iter(mine.values())).issues if all(i in r.issues for r in mine.values())]
        where = f"{dataset}: " if dataset else ""
        yield from (replace(i, message=where + i.message) for i in shared)
        for name, result in mine.items():
            yield from (replace(i, message=f"{name}: {where}{i.message}") for i in result.issues if i not in shared)


def _single_runs(runs: Mapping[str, Sequence[Result]]) -> Iterator[Issue]:
    if single := [name for name, of in runs.items() if len(of) == 1]:
        what = f"only one run of {', '.join(single)}: tests and intervals know nothing of differences between its runs"
        yield Issue("one-run", what, len(single))


def _signature(datasets: Mapping[str, Result], macro: MacroBy | None) -> str:
    one = next(iter(datasets.values())).signature
    if macro is None:
        return str(one)
    documents = sum(result.signature.documents for result in datasets.values())
    return f"{replace(one, documents=documents)}|macro:{macro}|{macro}s:{len(datasets)}"


def _macro(
    members: Sequence[System],
    datasets: Mapping[str, Mapping[str, Result]],
    order: Sequence[str],
    samples: Mapping[str, Sample] | None,
    how: Testing,
    issues: list[Issue],
) -> Macro:
    """The datasets of each system, and the intervals of their means."""
    missing = {name: [s.dataset for s in members if s.name == name and s.source is None] for name in order}
    intervals = {}
    if samples is not None and how.resamples:
        units = samples[order[0]]
        if is_drawn(units):
            if len(order) == 1:
                issues += doubts(units, "bootstrap")
            intervals = {
                name: resampled(samples[name], how.resamples, how.seed, how.interval, how.confidence, issues)
                for name in order
            }
        else:
            issues.append(Issue("no-interval", "no interval of the mean: every dataset has only one document"))
    listed = list(next(iter(datasets.values())))
    found = Macro(listed, datasets, {name: sorted(of) for name, of in missing.items() if of}, intervals)
    issues += oddities(found)
    return found


def _aligned(
    datasets: Mapping[str, Mapping[str, Result]],
    several: Mapping[str, Sequence[Result]],
    unit: Unit,
    macro: MacroBy | None,
    issues: list[Issue],
) -> dict[str, Sample] | None:
    """The systems' documents side by side; scores on different documents, or against different keys, are an error."""
    try:
        if macro:
            return dataset_samples(datasets, unit)
        named = {
            (name if len(of) == 1 else f"{name}, run {k}"): run
            for name, of in several.items()
            for k, run in enumerate(of, 1)
        }
        units = iter(aligned(named, unit).values())
        return {name: runs_sample([next(units) for _ in of]) for name, of in several.items()}
    except InputError as error:
        if all(result.options.extra != "count" for of in several.values() for result in of):
            raise
        issues.append(Issue("no-test", f"no significance test: {error.message}"))
        return None


def _repeated(samples: Mapping[str, Sample], partitions: Mapping[str, Sequence[Partition]]) -> Iterator[Issue]:
    """Systems with the same entities in every document: one output may have been submitted twice.

    Saved counts have no entities; they are compared by their numbers, up to the last bits of their sums.
    """
    alike: dict[bytes, list[str]] = {}
    for name, units in samples.items():
        counts = np.round(units.counts.values, 9) + 0.0
        alike.setdefault(counts.tobytes(), []).append(name)
    for names in alike.values():
        if len(names) == 1:
            continue
        unknown = [name for name in names if name not in partitions]
        same: dict[bytes, list[str]] = {}
        for name in names:
            if name in partitions:
                same.setdefault(b"".join(one() for one in partitions[name]), []).append(name)
        for group in same.values():
            if len(group) > 1:
                yield Issue("same-scores", f"{', '.join(group)}: the same entities in every document", len(group))
        if unknown:
            yield Issue("same-scores", f"{', '.join(names)}: the same counts in every document", len(names))


def _also(
    order: Sequence[str],
    baseline: str | None,
    within: GroupTests,
    official: str,
    macro: MacroBy | None,
    by: By | None,
    runs: Mapping[str, Sequence[Result]],
) -> Iterator[str]:
    """Sentences about the runs, groups and datasets of the two systems in the verdict."""
    if len(order) < 2:
        return
    ahead, behind = compared(order, baseline)
    if runs:
        sizes = len(runs[ahead]), len(runs[behind])
        many = f"{sizes[0]} and {counted(range(sizes[1]), 'run')}" if sizes[0] != sizes[1] else f"{sizes[0]} runs each"
        yield f"These are means over {many}."
    if not any(within.tests.values()):
        return
    sign = -1 if METRICS[official].error else 1
    better, worse = within.better(ahead, behind, sign), within.better(behind, ahead, sign)
    word = macro or (by if isinstance(by, str) and by in ("genre", "part", "document") else "group")
    if macro:
        free = within.at_least_if_independent(ahead, behind, sign)
        found = f"{ahead} is better on at least {len(better)} of {counted(within.tests, word)} (α = "
        which = f", by Holm: {', '.join(better)})" if better else ")"
        more = f", on at least {free} if these are independent" if free > len(better) else ""
        yield f"{found}{short_p(LEVEL).rstrip('0')}{which}{more}."
    else:
        where = f"{len(better)} of {counted(within.tests, word)} ({', '.join(better)})"
        yield f"Tested within each {word}, {ahead} is better in {where if better else f'none of {len(within.tests)}'}."
    if worse:
        yield f"{behind} is better {'on' if macro else 'in'} {', '.join(worse)}."
