"""Systems side by side: ranked, tested, by track, language, condition and group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack, cast

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
from .datasets import MACROS, MacroBy, with_datasets
from .entries import collected, with_same_metrics
from .published import read_published
from .ranking import MOST_PAIRS, CompareSettings, check_pairs, cost_of_pairs, number_of_pairs, ranked_section
from .ranks import official_of
from .scored import Scored, outcomes
from .sections import Comparison, Section
from .systems import System, Systems, check_names, read_manifest
from .testing import Testing
from .verdict import Verdict
from .with_published import stand_beside

__all__ = [
    "Comparison",
    "Section",
    "System",
    "Verdict",
    "compare",
    "cost_of_tests",
    "library",
    "numbers",
    "official_of",
    "published",
    "ranks",
    "sections",
    "systems",
    "testing",
    "verdict",
    "with_published",
]


_MANY_PAIRS = 1000  # of systems: their tests take a while


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
    max_pairs: int = MOST_PAIRS,
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
    every system is tested against it, otherwise all pairs are tested; `resamples=0` leaves the tests out. More than
    `max_pairs` pairs are refused before anything is scored. Other settings are those of `score`.

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
    shared_key = None if systems is None else cast(Input | None, key)
    listed = _listed(key if systems is None else systems)
    if baseline is not None:
        choose(baseline, [system.name for system in listed], "system")
    check_pairs(listed, baseline, resamples, max_pairs)
    listed = _by_dataset(shared_key, listed, macro, by)
    if all(map(_is_scored, listed)):
        given = {**settings, "match": match}
        refuse_idle_keywords(given, given, "how these systems were scored is settled in their counts")
    matches = _matches(match)
    shown = None if metrics is None else select(metrics)[0]
    if by is not None and is_part(unit):
        raise UsageError(f"--unit {unit} draws parts of all documents: give no --by")
    testing = Testing(test, resamples, seed, correction, unit, interval, confidence)
    if jobs is not None and jobs < 1:
        raise UsageError("jobs must be a number of processes, at least 1")
    # parts of documents are drawn from the corpora, which other processes do not send back
    scored = Scored(shared_key, metrics, settings, by, keep=is_part(unit))
    scoring_jobs = 1 if is_part(unit) else jobs
    compared = CompareSettings(testing, baseline, by, macro, progress, jobs)
    sections, failures, issues = _sections(listed, scored, matches, shown, scoring_jobs, compared)
    comparison = Comparison(
        sections,
        failures,
        issues,
        baseline,
        by=_group_label(macro, by),
        how=asdict(testing) if resamples else {},
        data=title or data_name(shared_key),
    )
    if beside is None:
        return comparison
    return stand_beside(comparison, read_published(beside), str(beside))


def _sections(
    systems: Sequence[System],
    scored: Scored,
    matches: Sequence[Match | None],
    metrics: Sequence[str] | None,
    jobs: int | None,
    settings: CompareSettings,
) -> tuple[list[Section], dict[str, str], list[Issue]]:
    """The sections, each ranked; why systems failed; and notes, each given once."""
    by_section: dict[tuple[str, ...], list[System]] = {}
    for system in systems:
        by_section.setdefault(system.section, []).append(system)
    in_order = [system for members in by_section.values() for system in members]
    outcome_of_each = outcomes(scored, in_order, matches, jobs)
    sections: list[Section] = []
    errors: dict[str, CoreflensError] = {}
    issues: list[Issue] = []
    for members in by_section.values():
        entries, failed = collected(members, outcome_of_each, matches, settings.macro is not None)
        errors |= failed
        if not any(entries.results.values()):
            continue
        entries, lacking = with_same_metrics(entries, metrics)
        section, notes = ranked_section(entries, settings)
        sections.append(section)
        issues += [*lacking, *notes]
    failures = {name: str(error) for name, error in errors.items()}
    if not sections and len(set(failures.values())) == 1:
        raise next(iter(errors.values()))  # the key is wrong, or there is only one system
    return sections, failures, merge_issues(dict.fromkeys(issues))  # a note on a key is the same in all sections


def _group_label(macro: MacroBy | None, by: By | None) -> str:
    """What the groups of the tables are called."""
    if macro is not None:
        return macro
    if by is None:
        return ""
    return by if isinstance(by, str) else "group"


def _is_scored(system: System) -> bool:
    """Whether a system comes as a Result or as saved counts."""
    source = system.source
    runs = source if isinstance(source, (list, tuple)) else [source]
    return all(_is_result_or_counts(run) for run in runs)


def _is_result_or_counts(run: object) -> bool:
    if isinstance(run, (str, PathLike)):
        return are_counts(fspath(run))
    return isinstance(run, Result)


def cost_of_tests(systems: Systems, baseline: str | None, resamples: int) -> str:
    """What the tests of these systems cost, if that is worth a message before they begin; else ""."""
    pairs = number_of_pairs(_listed(systems), baseline, resamples)
    return cost_of_pairs(pairs) if pairs >= _MANY_PAIRS else ""


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


def _by_dataset(key: object, listed: list[System], macro: MacroBy | None, by: By | None) -> list[System]:
    """The systems by dataset, if a mean over datasets is requested."""
    if macro is None:
        if named := [system.name for system in listed if system.dataset]:
            raise UsageError(f"'{named[0]}' has datasets: --macro dataset takes the mean over them")
        return listed
    choose(macro, MACROS, "value of --macro")
    if by is not None:
        raise UsageError("--macro dataset shows the scores by dataset: leave out --by")
    return with_datasets(key, listed)


def _matches(match: str | Sequence[str] | None) -> list[Match | None]:
    if match is None:
        return [None]
    asked = match.split(",") if isinstance(match, str) else list(match)
    return [cast(Match, choose(name.strip(), CHOICES["match"], "value of --match")) for name in asked]


_NAMELESS = ("key", "keys", "gold", "test", "data", "corpus", "reference", "ref")


def data_name(key: object) -> str:
    """The name of a key for captions and plots: its file or directory, unless that says nothing about the data."""
    if not isinstance(key, (str, PathLike)) or fspath(key) == "-":
        return ""
    name = file_stem(fspath(key).rstrip("/"))
    return "" if name.lower() in _NAMELESS or any(c in name for c in "*?[") else name
