"""Means over datasets: each dataset is scored separately, and all have the same weight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias, TypeGuard

from ..corpus.model import file_stem
from ..errors import InputError, Issue, UsageError
from ..integers import bincount
from ..metrics import METRICS
from ..scoring.result import Result
from ..scoring.scores import Score, Scores
from ..stats import Interval, Sample, Unit, aligned, macro_sample
from .systems import Key, System

MacroBy: TypeAlias = Literal["dataset"]
MACROS: dict[MacroBy, str] = {"dataset": "the plain mean over datasets, each scored by itself"}
Intervals: TypeAlias = Mapping[str, Mapping[str, Interval]]  # by metric, then value


@dataclass(frozen=True, eq=False)
class Macro:
    """The datasets behind the means of a section; `missing` are those that a system lacks, scored as empty."""

    datasets: Sequence[str]
    results: Mapping[str, Mapping[str, Result]]  # by system, then dataset
    missing: Mapping[str, Sequence[str]]  # by system
    intervals: Mapping[str, Intervals] = field(default_factory=dict)  # of the means, by system


def with_datasets(key: object, systems: Sequence[System]) -> list[System]:
    """One System per dataset. A system without `dataset` is a directory with a file or subdirectory for each.

    If the key is also a directory, it has one key per dataset, and only these datasets are allowed.
    """
    keys = _inside(key) if _is_directory(key) else {}
    given = [part for system in systems for part in _by_dataset(system)]
    if not keys and key is not None and len({system.dataset for system in given if system.key is None}) > 1:
        raise UsageError("one key for several datasets: give a directory with a file or subdirectory for each dataset")
    if keys:
        _check_datasets(given, keys)
    with_keys = []
    for system in given:
        own = system.key is not None or system.dataset not in keys
        with_keys.append(system if own else replace(system, key=keys[system.dataset]))
    return [*with_keys, *_missing(with_keys, keys)]


def _is_directory(source: object) -> TypeGuard[str | PathLike[str]]:
    return isinstance(source, (str, PathLike)) and Path(source).is_dir()


def _by_dataset(system: System) -> list[System]:
    """A system that names its dataset, or one for each dataset of a directory."""
    if system.dataset:
        return [system]
    if system.key is None and _is_directory(system.source):
        return [replace(system, source=path, dataset=name) for name, path in _inside(system.source).items()]
    raise UsageError(
        f"'{system.name}' has no datasets: give a `dataset` for each [[system]] of a manifest, or give a "
        "directory with a file or subdirectory for each dataset"
    )


def _check_datasets(systems: Sequence[System], keys: Mapping[str, str]) -> None:
    """Every dataset of a system that is scored against these keys is one of theirs."""
    unknown: dict[str, list[str]] = {}
    for system in systems:
        of_system = unknown.setdefault(system.name, [])
        if system.key is None and system.dataset not in keys:
            of_system.append(system.dataset)
    for name, datasets in unknown.items():
        if datasets:
            raise InputError(
                f"'{name}' has datasets that the key lacks: {', '.join(datasets)} (the key has {', '.join(keys)})",
                hint="a dataset has the same name in the key and in each system, except for the suffixes of files",
            )


def _missing(systems: Sequence[System], keys: Mapping[str, str]) -> Iterator[System]:
    """Systems without a source, one for each dataset that a system lacks and that the key, or another system, has."""
    by_section: dict[tuple[str, str, str], list[System]] = {}
    for system in systems:
        by_section.setdefault(system.section, []).append(system)
    for members in by_section.values():
        known: dict[str, Key | None] = {**keys}
        by_name: dict[str, dict[str, System]] = {}
        for system in members:
            if known.get(system.dataset) is None:
                known[system.dataset] = system.key
            by_name.setdefault(system.name, {})[system.dataset] = system
        for of_system in by_name.values():
            first = next(iter(of_system.values()))
            for dataset in known:
                if dataset not in of_system:
                    yield replace(first, source=None, key=known[dataset], dataset=dataset)


def _inside(directory: str | PathLike[str]) -> dict[str, str]:
    """The contents of a directory by dataset, named after a subdirectory, or after a file without its suffix."""
    by_dataset: dict[str, str] = {}
    for path in sorted(p for p in Path(directory).iterdir() if not p.name.startswith(".")):
        name = path.name if path.is_dir() else file_stem(path.name)
        if name in by_dataset:
            raise InputError(f"two datasets are named '{name}'", file=str(path), hint="rename one of them")
        by_dataset[name] = str(path)
    if not by_dataset:
        raise InputError("no dataset in this directory", file=str(directory))
    return by_dataset


def mean(several: Iterable[Scores]) -> Scores:
    """The plain mean of each number over datasets or runs; a mean is undefined only if all its numbers are."""
    listed = list(several)
    means = {}
    for metric in listed[0]:
        scores = [of_one[metric] for of_one in listed]
        numbers = {}
        for value in METRICS[metric].values:
            numbers[value] = sum(getattr(score, value) for score in scores) / len(scores)
        undefined = frozenset.intersection(*(score.undefined for score in scores))
        counted = dict.fromkeys(part for score in scores for part in score.counted)
        means[metric] = Score(metric, **numbers, undefined=undefined, counted=tuple(counted))
    return Scores(means, "mean")


def samples(results: Mapping[str, Mapping[str, Result]], unit: Unit) -> dict[str, Sample]:
    """The units of each system's datasets, the same for all systems."""
    by_system: dict[str, dict[str, Sample]] = {name: {} for name in results}
    for dataset in next(iter(results.values())):
        of_dataset = {name: by_dataset[dataset] for name, by_dataset in results.items()}
        for name, sample in aligned(of_dataset, unit).items():
            by_system[name][dataset] = sample
    return {name: macro_sample(by_dataset) for name, by_dataset in by_system.items()}


def is_drawn(units: Sample) -> bool:
    """Whether some dataset has several units, so that there is something to draw."""
    return bool(bincount(units.stratum).max() > 1)


def oddities(macro: Macro) -> Iterator[Issue]:
    """Notes on datasets that a system lacks, and on scores of 0/0 that enter a mean."""
    for name, lacking in macro.missing.items():
        message = f"{name} lacks {len(lacking)} of {len(macro.datasets)} datasets, scored as empty"
        yield Issue("missing-datasets", f"{message}: {', '.join(lacking)}", len(lacking))
    undefined: dict[str, dict[str, None]] = {}
    for results in macro.results.values():
        for dataset, result in results.items():
            for metric in _undefined(result):
                undefined.setdefault(metric, {})[dataset] = None
    first_system = next(iter(macro.results.values()))
    undefined_as = next(iter(first_system.values())).options.undefined
    for metric, datasets in undefined.items():
        message = f"{metric} is 0/0 for some system in {', '.join(datasets)}"
        yield Issue("undefined", f"{message}: the mean counts it as --undefined {undefined_as} says", len(datasets))


def _undefined(result: Result) -> list[str]:
    return [metric for metric, score in result.items() if not score.defined()]
