"""Means over datasets: each dataset is scored separately, and all have the same weight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from ..corpus.model import file_stem
from ..errors import InputError, Issue, UsageError
from ..metrics import METRICS
from ..scoring.result import Result
from ..scoring.scores import Score, Scores
from ..stats import Interval, Sample, Unit, aligned, macro_sample
from .systems import System

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


def with_datasets(key: Any, systems: Sequence[System]) -> list[System]:
    """One System per dataset. A system without `dataset` is a directory with a file or subdirectory for each.

    If the key is also a directory, it has one key per dataset, and only these datasets are allowed.
    """
    keys = _inside(key) if isinstance(key, (str, PathLike)) and Path(key).is_dir() else {}
    found: list[System] = []
    for system in systems:
        if system.dataset:
            found.append(system)
        elif system.key is None and isinstance(system.source, (str, PathLike)) and Path(system.source).is_dir():
            found += [replace(system, source=path, dataset=name) for name, path in _inside(system.source).items()]
        else:
            raise UsageError(
                f"'{system.name}' has no datasets: give a `dataset` for each [[system]] of a manifest, or give a "
                "directory with a file or subdirectory for each dataset"
            )
    if not keys and key is not None and len({system.dataset for system in found if system.key is None}) > 1:
        raise UsageError("one key for several datasets: give a directory with a file or subdirectory for each dataset")
    for name in dict.fromkeys(system.name for system in found) if keys else ():
        mine = [system.dataset for system in found if system.name == name and system.key is None]
        if unknown := [dataset for dataset in mine if dataset not in keys]:
            raise InputError(
                f"'{name}' has datasets that the key lacks: {', '.join(unknown)} (the key has {', '.join(keys)})",
                hint="a dataset has the same name in the key and in each system, except for the suffixes of files",
            )
    given = [replace(s, key=keys[s.dataset]) if s.key is None and s.dataset in keys else s for s in found]
    return [*given, *_missing(given, keys)]


def _missing(systems: Sequence[System], keys: Mapping[str, str]) -> Iterator[System]:
    """Systems without a source, one for each dataset that a system lacks and that the key, or another system, has."""
    for where in dict.fromkeys(system.section for system in systems):
        members = [system for system in systems if system.section == where]
        known: dict[str, Any] = {**keys}
        for system in members:
            if known.get(system.dataset) is None:
                known[system.dataset] = system.key
        for name in dict.fromkeys(system.name for system in members):
            mine = {system.dataset: system for system in members if system.name == name}
            for dataset in known:
                if dataset not in mine:
                    one = next(iter(mine.values()))
                    yield replace(one, source=None, key=known[dataset], dataset=dataset)


def _inside(directory: str | PathLike[str]) -> dict[str, str]:
    """The contents of a directory by dataset, named after a subdirectory, or after a file without its suffix."""
    found: dict[str, str] = {}
    for path in sorted(p for p in Path(directory).iterdir() if not p.name.startswith(".")):
        name = path.name if path.is_dir() else file_stem(path.name)
        if name in found:
            raise InputError(f"two datasets are named '{name}'", file=str(path), hint="rename one of them")
        found[name] = str(path)
    if not found:
        raise InputError("no dataset in this directory", file=str(directory))
    return found


def mean(several: Iterable[Scores]) -> Scores:
    """The plain mean of each number over datasets or runs; a mean is undefined only if all its numbers are."""
    listed = list(several)
    found = {}
    for metric in listed[0]:
        scores = [of[metric] for of in listed]
        numbers = {v: sum(getattr(s, v) for s in scores) / len(scores) for v in METRICS[metric].values}
        undefined = frozenset.intersection(*(s.undefined for s in scores))
        found[metric] = Score(metric, **numbers, undefined=undefined)
    return Scores(found, "mean")


def samples(results: Mapping[str, Mapping[str, Result]], unit: Unit) -> dict[str, Sample]:
    """The units of each system's datasets, the same for all systems."""
    by_dataset = {
        dataset: aligned({name: of[dataset] for name, of in results.items()}, unit)
        for dataset in next(iter(results.values()))
    }
    return {name: macro_sample({dataset: of[name] for dataset, of in by_dataset.items()}) for name in results}


def is_drawn(units: Sample) -> bool:
    """Whether some dataset has several units, so that there is something to draw."""
    return bool(np.bincount(units.stratum).max() > 1)


def oddities(macro: Macro) -> Iterator[Issue]:
    """Notes on datasets that a system lacks, and on scores of 0/0 that enter a mean."""
    for name, lacking in macro.missing.items():
        what = f"{name} lacks {len(lacking)} of {len(macro.datasets)} datasets, scored as empty"
        yield Issue("missing-datasets", f"{what}: {', '.join(lacking)}", len(lacking))
    undefined: dict[str, dict[str, None]] = {}
    for of in macro.results.values():
        for dataset, result in of.items():
            for metric, score in result.items():
                if not score.defined():
                    undefined.setdefault(metric, {})[dataset] = None
    how = next(iter(next(iter(macro.results.values())).values())).options.undefined
    for metric, datasets in undefined.items():
        what = f"{metric} is 0/0 for some system in {', '.join(datasets)}"
        yield Issue("undefined", f"{what}: the mean counts it as --undefined {how} says", len(datasets))
