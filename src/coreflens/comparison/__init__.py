"""Systems side by side: ranked, tested, by track, language, condition and group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from ..errors import CoreflensError, InputError, Issue, UsageError, choose
from ..formats import Input
from ..matching.labels import By
from ..metrics import METRICS, select
from ..protocols import CHOICES, Match
from ..scoring.result import Result
from ..scoring.scorer import merge_issues
from ..scoring.scores import Scores
from ..scoring.settings import ComparisonSettings, Metrics
from ..stats import Correction, IntervalKind, Sample, Test, Unit, aligned, doubts, resampled
from ..stats.paired import Progress
from .datasets import MACROS, Macro, MacroBy, is_drawn, mean, oddities, with_datasets
from .datasets import samples as dataset_samples
from .ranks import disputes, merit
from .scored import Scored, same_metrics
from .sections import Comparison, Section
from .systems import System, Systems, check_names, read_manifest
from .testing import Testing, Tests

__all__ = ["Comparison", "Section", "System", "compare", "official_of", "published", "ranks", "systems"]


def compare(
    key: Input | Systems | None,
    systems: Systems | None = None,
    *,
    baseline: str | None = None,
    by: By | None = None,
    macro: MacroBy | None = None,
    match: Match | Sequence[Match] | None = None,
    metrics: Metrics | None = None,
    test: Test = "randomisation",
    resamples: int = 10_000,
    seed: int = 0,
    interval: IntervalKind = "percentile",
    confidence: float = 0.95,
    correction: Correction = "holm",
    unit: Unit = "document",
    progress: Progress = iter,
    **settings: Unpack[ComparisonSettings],
) -> Comparison:
    """Score several systems against a key, rank them, and test which differences are more than chance.

    `systems` maps names to what `score` takes as a response, to files of saved counts, or to Results; or it is a list
    of `System`, or a manifest (`.toml`). `key` may be None where systems bring their own. With a `baseline` every
    system is tested against it, otherwise all pairs are; `resamples=0` leaves the tests out. Other settings are those
    of `score`.

    `macro="dataset"` scores each dataset by itself and ranks by the plain mean over datasets, with intervals that draw
    documents within each dataset. Systems say their `dataset`, or key and systems are directories with a file or
    subdirectory for each dataset. A dataset that a system lacks is scored as empty.

        compare("key.conll", {"base": "base.conll", "new": "new.conll"}, baseline="base")
    """
    listed = _listed(systems if systems is not None else key)
    if baseline is not None:
        choose(baseline, [system.name for system in listed], "system")
    listed = _datasets(key if systems is not None else None, listed, macro, by)
    matches = _matches(match)
    failures: dict[str, str] = {}
    errors: list[CoreflensError] = []
    issues: list[Issue] = []
    chosen = None if metrics is None else ",".join(select(metrics)[0])
    scored = Scored(key if systems is not None else None, metrics, {**settings})
    sections = []
    how = Testing(test, resamples, seed, correction, unit, interval, confidence)
    for where in dict.fromkeys(system.section for system in listed):
        members = [system for system in listed if system.section == where]
        found: dict[str, dict[tuple[str, str], Result]] = {}  # by matching, then name and dataset
        failed: set[str] = set()
        for system in members:
            if system.name in failed:
                continue
            try:
                results = [scored(system, m) for m in matches]
            except CoreflensError as error:
                failures[_full_name(system)] = str(error)
                errors.append(error)
                failed.add(system.name)
                continue
            for m, result in zip(matches, results, strict=True):
                found.setdefault(m or result.options.match, {})[system.name, system.dataset] = result
        found = {m: {who: r for who, r in of.items() if who[0] not in failed} for m, of in found.items()}
        if not any(found.values()):
            continue
        found = {m: same_metrics(of, chosen, issues) for m, of in found.items()}
        same: dict[str, bytes] = {}
        for (*section, name, _), content in scored.partitions.items():
            if tuple(section) == where:
                same[name] = same.get(name, b"") + content
        sections.append(_section(members, found, baseline, by, macro, issues, progress, how, same))
    if not sections and len(set(failures.values())) == 1:
        raise errors[0]  # the key's fault, or there is but one system
    label = macro or ("" if by is None else by if isinstance(by, str) else "group")
    issues = merge_issues(dict.fromkeys(issues))  # what is odd about a key is so for all sections, and counted once
    return Comparison(sections, failures, issues, baseline, label, asdict(how) if resamples else {})


def _section(
    members: Sequence[System],
    found: Mapping[str, Mapping[tuple[str, str], Result]],
    baseline: str | None,
    by: By | None,
    macro: MacroBy | None,
    issues: list[Issue],
    progress: Progress,
    how: Testing,
    partitions: Mapping[str, bytes],
) -> Section:
    every = {match: _by_system(members, of) for match, of in found.items()}
    datasets = next(iter(every.values()))
    scores: dict[str, dict[str, Scores]] = {
        match: {name: mean(of) if macro else next(iter(of.values())) for name, of in systems.items()}
        for match, systems in every.items()
    }
    results = next(iter(scores.values()))
    metrics = list(next(iter(results.values())))
    official = official_of(metrics)
    order = sorted(results, key=lambda name: -merit(results[name], official))
    ranked = [next(s for s in members if s.name == name) for name in order]
    for dataset in next(iter(datasets.values())):
        issues += _about({name: of[dataset] for name, of in datasets.items()}, dataset)
    samples = _aligned(datasets, how.unit, macro, issues) if len(order) > 1 or macro else None
    issues += _repeated(samples or {}, partitions)
    tests: Tests = {}
    signature = _signature(next(iter(datasets.values())), macro)
    first, *others = found  # tests are of the first matching, scores of all of them
    signature = signature.replace(f"|match:{first}|", f"|match:{','.join((first, *others))}|")
    if samples is not None and how.resamples and len(order) > 1:
        units = samples[order[0]]
        against = baseline in results
        if len(units) < 2:
            issues.append(Issue("no-test", "no significance test: there is only one document, or one block of them"))
        else:
            both = combinations(order, 2)
            pairs = [(str(baseline), name) for name in order if name != baseline] if against else list(both)
            tests = how.run(samples, pairs, against, progress)
            issues += how.doubts(units, tests, metrics)
            told = how.told(against or macro is not None) | {"units": len(units)}
            signature = "|".join([signature, *(f"{name}:{value}" for name, value in told.items())])
    groups: dict[str, Mapping[str, Scores]] = {}
    if by is not None:
        groups = {name: next(iter(datasets[name].values())).group_by(by) for name in order}
    means = None
    if macro:
        groups = {name: datasets[name] for name in order}
        means = _macro(members, datasets, order, samples, how, issues)
        if means.intervals and not tests:
            drawn: dict[str, Any] = {"bootstrap": how.resamples, "interval": how.interval, "confidence": how.confidence}
            drawn |= {"seed": how.seed, "unit": how.unit, "units": len((samples or {})[order[0]])}
            signature = "|".join([signature, *(f"{name}:{value}" for name, value in drawn.items())])
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
    )


def _by_system(members: Sequence[System], found: Mapping[tuple[str, str], Result]) -> dict[str, dict[str, Result]]:
    """Results by system, then dataset; the datasets in one order for all systems."""
    names = dict.fromkeys(name for name, _ in found)
    datasets = sorted(dict.fromkeys(system.dataset for system in members))
    return {name: {dataset: found[name, dataset] for dataset in datasets} for name in names}


def _about(results: Mapping[str, Result], dataset: str) -> Iterator[Issue]:
    """What is odd about the input: what all systems share, which may be about the key, once."""
    shared = [i for i in next(iter(results.values())).issues if all(i in r.issues for r in results.values())]
    where = f"{dataset}: " if dataset else ""
    yield from (replace(i, message=where + i.message) for i in shared)
    for name, result in results.items():
        yield from (replace(i, message=f"{name}: {where}{i.message}") for i in result.issues if i not in shared)


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
    datasets: Mapping[str, Mapping[str, Result]], unit: Unit, macro: MacroBy | None, issues: list[Issue]
) -> dict[str, Sample] | None:
    """The systems' documents side by side; scores on other documents, or against another key, can't be compared."""
    try:
        if macro:
            return dataset_samples(datasets, unit)
        return aligned({name: next(iter(of.values())) for name, of in datasets.items()}, unit)
    except InputError as error:
        if all(result.options.extra != "count" for of in datasets.values() for result in of.values()):
            raise
        issues.append(Issue("no-test", f"no significance test: {error.message}"))
        return None


def _repeated(samples: Mapping[str, Sample], partitions: Mapping[str, bytes]) -> Iterator[Issue]:
    """Systems with the same entities in every document, which may be one that was handed in twice.

    Of saved counts no more is known than that they are the same, up to the last bits of their sums.
    """
    alike: dict[bytes, list[str]] = {}
    for name, units in samples.items():
        counts = np.round(units.counts.values, 9) + 0.0
        alike.setdefault(counts.tobytes(), []).append(name)
    for names in alike.values():
        unknown = [name for name in names if name not in partitions]
        same: dict[bytes, list[str]] = {}
        for name in names:
            if name in partitions:
                same.setdefault(partitions[name], []).append(name)
        for group in same.values():
            if len(group) > 1:
                yield Issue("same-scores", f"{', '.join(group)}: the same entities in every document", len(group))
        if unknown and len(names) > 1:
            yield Issue("same-scores", f"{', '.join(names)}: the same counts in every document", len(names))


def _listed(systems: Any) -> list[System]:
    if isinstance(systems, (str, Path)):
        return read_manifest(systems)
    if isinstance(systems, Mapping):
        listed = [System(str(name), source) for name, source in systems.items()]
    else:
        listed = list(systems)
    if not listed:
        raise UsageError("no system to compare")
    if not all(isinstance(system, System) for system in listed):
        raise UsageError("systems are a mapping of names to responses, a list of System, or a manifest")
    check_names(listed)
    return listed


def _datasets(key: Any, listed: list[System], macro: MacroBy | None, by: By | None) -> list[System]:
    """The systems by dataset where a mean over these is asked for."""
    if macro is None:
        if named := [system.name for system in listed if system.dataset]:
            raise UsageError(f"'{named[0]}' has datasets: --macro dataset takes the mean over them")
        return listed
    choose(macro, MACROS, "value of --macro")
    if by is not None:
        raise UsageError("--macro dataset shows the scores by dataset: leave out --by")
    return with_datasets(key, listed)


def _matches(match: str | Sequence[str] | None) -> list[str | None]:
    if match is None:
        return [None]
    asked = match.split(",") if isinstance(match, str) else list(match)
    return [choose(m.strip(), CHOICES["match"], "value of --match") for m in asked]


def official_of(metrics: Sequence[str]) -> str:
    """The metric to rank by: the CoNLL average, else another average, else the first that is not mention detection."""
    if "conll" in metrics:
        return "conll"
    averages = [m for m in metrics if METRICS[m].values == ("f1",)]
    rest = [m for m in metrics if not getattr(METRICS[m], "mention_detection", False)]
    return (averages or rest or list(metrics))[0]


def _full_name(system: System) -> str:
    where = ", ".join(filter(None, (*system.section, system.dataset)))
    return f"{system.name} ({where})" if where else system.name
