"""Systems side by side: ranked, tested, by track, language, condition and group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

from ..corpus.model import file_stem
from ..errors import CoreflensError, Issue, UsageError, choose
from ..formats import Input
from ..keywords import known_keywords, refuse_idle_keywords
from ..matching.labels import By
from ..metrics import select
from ..options import CHOICES, Match
from ..scoring.counts_file import are_counts
from ..scoring.parts import is_part
from ..scoring.result import Result
from ..scoring.scorer import merge_issues
from ..scoring.settings import ComparisonSettings, Metrics
from ..stats import Correction, IntervalKind, Test, Unit
from ..stats.swapping import Progress
from .beside import stand_beside
from .contest import contest
from .datasets import MACROS, MacroBy, with_datasets
from .ranks import official_of
from .scored import Partition, Place, Scored, outcomes, same_metrics
from .sections import Comparison, Section
from .systems import System, Systems, check_names, read_manifest
from .testing import Testing
from .verdict import Verdict

__all__ = [
    "Comparison",
    "Section",
    "System",
    "Verdict",
    "beside",
    "compare",
    "library",
    "numbers",
    "official_of",
    "published",
    "ranks",
    "sections",
    "systems",
    "testing",
    "verdict",
]


@known_keywords
def compare(
    key: Input | Systems | None,
    systems: Systems | None = None,
    *,
    baseline: str | None = None,
    by: By | None = None,
    beside: str | Path | None = None,
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
    title: str = "",
    progress: Progress = iter,
    jobs: int | None = 1,
    **settings: Unpack[ComparisonSettings],
) -> Comparison:
    """Score several systems against a key, rank them, and test which differences are more than chance.

    `systems` maps names to what `score` takes as a response, to files of saved counts, or to Results. It may also be a
    list of `System`, or a manifest (`.toml`). `key` may be None where systems have their own keys. With a `baseline`
    every system is tested against it, otherwise all pairs are tested; `resamples=0` leaves the tests out. Other
    settings are those of `score`.

    `macro="dataset"` scores each dataset by itself and ranks by the plain mean over datasets, with intervals that draw
    documents within each dataset. Systems name their `dataset`, or key and systems are directories with a file or
    subdirectory for each dataset. A dataset that a system lacks is scored as empty.

    Files that repeat the same documents, given as a list or a pattern, are runs of one system: scores are means over
    its runs, and tests and intervals draw documents and runs. `title` names the data in captions and plots.

    `jobs` processes score the systems if all of them are files, and share the swaps of the tests, with the same result.
    None is one per core for large files and for many pairs.

    `beside` is a table of published numbers, a file or one of `coreflens list tables`: the systems are also ranked
    among its rows.

        compare("key.conll", {"base": "base.conll", "new": "new.conll"}, baseline="base")
    """
    listed = _listed(systems if systems is not None else key)
    if baseline is not None:
        choose(baseline, [system.name for system in listed], "system")
    listed = _datasets(key if systems is not None else None, listed, macro, by)
    if all(map(_is_scored, listed)):
        given = {**settings, "match": match}
        refuse_idle_keywords(given, given, "how these systems were scored is settled in their counts")
    matches = _matches(match)
    failures: dict[str, str] = {}
    errors: list[CoreflensError] = []
    issues: list[Issue] = []
    chosen = None if metrics is None else ",".join(select(metrics)[0])
    if by is not None and is_part(unit):
        raise UsageError(f"--unit {unit} draws parts of all documents: give no --by")
    alone = is_part(unit)  # parts of documents are drawn from the corpora, which other processes do not send back
    scored = Scored(key if systems is not None else None, metrics, {**settings}, by, keep=alone)
    sections = []
    how = Testing(test, resamples, seed, correction, unit, interval, confidence)
    if jobs is not None and jobs < 1:
        raise UsageError("jobs must be a number of processes, at least 1")
    by_section: dict[tuple[str, ...], list[System]] = {}
    for system in listed:
        by_section.setdefault(system.section, []).append(system)
    every = [system for members in by_section.values() for system in members]
    outcome = outcomes(scored, every, matches, 1 if alone else jobs)
    for members in by_section.values():
        found: dict[str, dict[Place, Result]] = {}  # by matching, then name, dataset and run
        failed: set[str] = set()
        same: dict[str, list[Partition]] = {}
        for system, of_system in zip(members, outcome, strict=False):
            if system.name in failed:
                continue
            for partitions in of_system.partitions.values():
                same[system.name] = same.get(system.name, []) + partitions
            if of_system.error is not None:
                failures[_full_name(system)] = str(of_system.error)
                errors.append(of_system.error)
                failed.add(system.name)
                continue
            for m, runs in zip(matches, of_system.results, strict=True):
                if macro and len(runs) > 1:
                    raise UsageError(f"'{system.name}' has several runs: --macro dataset takes one run of each system")
                of = found.setdefault(m or runs[0].options.match, {})
                of |= {(system.name, system.dataset, k): run for k, run in enumerate(runs)}
        found = {m: {who: r for who, r in of.items() if who[0] not in failed} for m, of in found.items()}
        if not any(found.values()):
            continue
        found = {m: same_metrics(of, chosen, issues) for m, of in found.items()}
        sections.append(contest(members, found, baseline, by, macro, issues, progress, how, same, jobs))
    if not sections and len(set(failures.values())) == 1:
        raise errors[0]  # the key is wrong, or there is only one system
    label = macro or ("" if by is None else by if isinstance(by, str) else "group")
    issues = merge_issues(dict.fromkeys(issues))  # a note on a key is the same in all sections, and is counted once
    data = title or data_name(key if systems is not None else None)
    whole = Comparison(sections, failures, issues, baseline, label, asdict(how) if resamples else {}, data)
    if beside is None:
        return whole
    from .published import read_published

    return stand_beside(whole, read_published(beside), str(beside))


def _is_scored(system: System) -> bool:
    """Whether a system comes as a Result or as saved counts."""
    source = system.source
    several = source if isinstance(source, (list, tuple)) else [source]
    return all(isinstance(s, Result) or (isinstance(s, (str, PathLike)) and are_counts(fspath(s))) for s in several)


def _listed(systems: Any) -> list[System]:
    if isinstance(systems, (str, PathLike)):
        return read_manifest(fspath(systems))
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
    """The systems by dataset, if a mean over datasets is requested."""
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


_NAMELESS = ("key", "keys", "gold", "test", "data", "corpus", "reference", "ref")


def data_name(key: Any) -> str:
    """The name of a key for captions and plots: its file or directory, unless that says nothing about the data."""
    if not isinstance(key, (str, PathLike)) or fspath(key) == "-":
        return ""
    name = file_stem(fspath(key).rstrip("/"))
    return "" if name.lower() in _NAMELESS or any(c in name for c in "*?[") else name


def _full_name(system: System) -> str:
    where = ", ".join(filter(None, (*system.section, system.dataset)))
    return f"{system.name} ({where})" if where else system.name
