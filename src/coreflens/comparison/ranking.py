"""Systems that compete: ranked by the official score, tested, by group, over runs and over datasets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from ..errors import InputError, Issue, UsageError
from ..matching.labels import By
from ..scoring.result import Result
from ..scoring.scores import Scores
from ..stats import Sample, aligned, by_group, doubts, resampled, runs_sample
from ..stats.swapping import Pair, Progress
from .datasets import Macro, MacroBy, is_drawn, mean, oddities
from .datasets import samples as dataset_samples
from .entries import Entries
from .group_tests import GroupTests, tests_within
from .judging import judged, sentences
from .notes import notes_on_input, notes_on_runs, notes_on_same_outputs
from .ranks import Ranking, disputes, ranked
from .sections import Section
from .systems import System
from .testing import Spreads, Testing, Tests

MOST_PAIRS = 20_000  # of systems that are tested by default: 200 systems have 19,900
_SECONDS_PER_PAIR = 0.0015  # with 10,000 resamples of a few hundred documents


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """How systems are compared, once they are scored."""

    testing: Testing
    baseline: str | None = None
    by: By | None = None
    macro: MacroBy | None = None
    progress: Progress = iter
    jobs: int | None = 1


def ranked_section(entries: Entries, settings: CompareSettings) -> tuple[Section, list[Issue]]:
    """Systems of one track: scored, ranked, tested, judged; and notes on what is unusual."""
    scores = entries.mean_scores()
    ranking = ranked(next(iter(scores.values())), settings.baseline)
    samples, incomparable = comparable_samples(entries, settings)
    tested = tested_pairs(entries, ranking, samples, settings)
    groups = scores_by_group(entries, ranking, settings)
    macro, doubtful = macro_means(entries, ranking, samples, settings)
    group_tests = tested_groups(entries, ranking, tested.tests, settings)
    how = tested.how or _how_drawn(ranking, macro, samples, settings)
    verdict = judged(
        ranking,
        tested.tests,
        tested.spreads,
        samples,
        settings.testing,
        documents=_number_of_documents(entries, ranking.order[0]),
        also=[*sentences(ranking, entries.runs, group_tests, settings.macro, settings.by)],
    )
    section = Section(
        *entries.systems[0].section,
        systems=ranked_systems(entries, ranking),
        scores=scores,
        official=ranking.official,
        signature=signature(entries, ranking, settings, how),
        tests=tested.tests,
        adjusted=settings.testing.corrected(tested.tests, ranking.metrics),
        smallest=settings.testing.smallest(tested.tests, ranking.metrics),
        groups=groups,
        disputes=disputes(ranking, samples),
        macro=macro,
        verdict=verdict,
        within=group_tests,
        spreads=tested.spreads,
        runs=entries.runs,
    )
    issues = [
        *notes_on_input(entries),
        *incomparable,
        *notes_on_same_outputs(entries, samples or {}),
        *notes_on_runs(entries),
        *tested.issues,
        *doubtful,
    ]
    return section, issues


def ranked_systems(entries: Entries, ranking: Ranking) -> list[System]:
    """The systems, best first; for means over datasets they stand for all their datasets."""
    first_of: dict[str, System] = {}
    for system in entries.systems:
        first_of.setdefault(system.name, system)
    systems = [first_of[name] for name in ranking.order]
    if entries.macro:
        return [replace(system, source=None, key=None, dataset="") for system in systems]
    return systems


def comparable_samples(entries: Entries, settings: CompareSettings) -> tuple[dict[str, Sample] | None, list[Issue]]:
    """The same documents of all systems, side by side; None, and perhaps why, if there is nothing to compare.

    Scores on different documents, or against different keys, are an error, unless extra documents count.
    """
    if len(entries.listed) == 1 and not entries.macro and not entries.runs:
        return None, []
    unit = settings.testing.unit
    try:
        if entries.macro:
            return dataset_samples(entries.by_dataset, unit), []
        named_runs: dict[str, Result] = {}
        for name, runs in entries.listed.items():
            for number, run in enumerate(runs, 1):
                named_runs[name if len(runs) == 1 else f"{name}, run {number}"] = run
        units = iter(aligned(named_runs, unit).values())
        return {name: runs_sample([next(units) for _ in runs]) for name, runs in entries.listed.items()}, []
    except InputError as error:
        if all(result.options.extra != "count" for results in entries.listed.values() for result in results):
            raise
        return None, [Issue("no-test", f"no significance test: {error.message}")]


@dataclass(frozen=True, eq=False)
class TestedPairs:
    """The tests of pairs of systems, and why not to trust them; `how` is what the signature says about them."""

    tests: Tests = field(default_factory=dict)
    spreads: Spreads = field(default_factory=dict)
    how: Mapping[str, Any] = field(default_factory=dict)
    issues: Sequence[Issue] = ()


def tested_pairs(
    entries: Entries, ranking: Ranking, samples: Mapping[str, Sample] | None, settings: CompareSettings
) -> TestedPairs:
    """All pairs tested, or with a baseline each system against it; a single system with several runs has a spread."""
    testing = settings.testing
    if samples is None or not testing.resamples or not (len(ranking.order) > 1 or entries.runs):
        return TestedPairs()
    units = samples[ranking.order[0]]
    if len(units) < 2:
        message = "no significance test: there is only one document, or one block of them"
        return TestedPairs(issues=[Issue("no-test", message)])
    pairs = pairs_to_test(ranking)
    with_intervals = True if ranking.baseline is not None else pairs_with(ranking.order[0], pairs)
    tests, spreads = testing.run(samples, pairs, with_intervals, settings.progress, settings.jobs)
    issues = [*testing.doubts(units, tests, ranking.metrics)] if tests else doubts(units, "bootstrap")
    how = testing.told(True, runs=bool(entries.runs)) | {"units": len(units)}
    return TestedPairs(tests, spreads, how, issues)


def pairs_to_test(ranking: Ranking) -> list[Pair]:
    """The baseline with each other system, or all pairs, the better one first."""
    if ranking.baseline is None:
        return list(combinations(ranking.order, 2))
    return [(ranking.baseline, name) for name in ranking.order if name != ranking.baseline]


def number_of_pairs(systems: Iterable[System], baseline: str | None, resamples: int) -> int:
    """How many pairs of systems are tested: within each section all, or each system with the baseline."""
    if not resamples:
        return 0
    names: dict[tuple[str, ...], set[str]] = {}
    for system in systems:
        names.setdefault(system.section, set()).add(system.name)
    sizes = map(len, names.values())
    return sum(size - 1 if baseline is not None else size * (size - 1) // 2 for size in sizes)


def check_pairs(systems: Sequence[System], baseline: str | None, resamples: int, most: int) -> None:
    """Refuse more pairs of systems than are wanted, before anything is scored."""
    if most < 1:
        raise UsageError("max_pairs must be at least 1")
    if (pairs := number_of_pairs(systems, baseline, resamples)) > most:
        raise InputError(
            f"{cost_of_pairs(pairs)}: more than the limit of {most:,} pairs",
            hint="--baseline NAME tests each system against one, --resamples 0 leaves out the tests, and "
            "--max-pairs N (max_pairs=N) raises the limit",
            code="limit",
        )


def cost_of_pairs(pairs: int) -> str:
    """What the tests of so many pairs cost, roughly: it grows with documents and resamples."""
    minutes = pairs * _SECONDS_PER_PAIR / 60
    time = "about a minute" if minutes < 1.5 else f"about {minutes:,.0f} minutes"
    return f"{pairs:,} pairs of systems to test, {time} of processor time"


def pairs_with(name: str, pairs: Sequence[Pair] | Tests) -> list[Pair]:
    """The pairs that have this system."""
    return [pair for pair in pairs if name in pair]


def scores_by_group(
    entries: Entries, ranking: Ranking, settings: CompareSettings
) -> Mapping[str, Mapping[str, Scores]]:
    """The scores of each system by group, as means over its runs, or by dataset; empty if no groups are wanted."""
    if entries.macro:
        return {name: entries.by_dataset[name] for name in ranking.order}
    if settings.by is None:
        return {}
    return {name: _mean_groups(entries.listed[name], settings.by) for name in ranking.order}


def _mean_groups(runs: Sequence[Result], by: By) -> dict[str, Scores]:
    grouped = [run.group_by(by) for run in runs]
    if len(grouped) == 1:
        return grouped[0]
    return {label: mean(groups[label] for groups in grouped) for label in grouped[0]}


def tested_groups(entries: Entries, ranking: Ranking, tests: Tests, settings: CompareSettings) -> GroupTests:
    """The tests within each group or dataset: of two systems, with the baseline, or with the best of several."""
    if not tests or not (entries.macro or settings.by is not None):
        return GroupTests()
    pairs = list(tests)
    if ranking.baseline is None and len(ranking.order) > 2:
        pairs = pairs_with(ranking.order[0], tests)
    groups = _divided_by_dataset(entries) if settings.by is None else _divided_by_group(entries, settings.by)
    return tests_within(groups, pairs, ranking.official, settings.testing, settings.progress)


def _divided_by_dataset(entries: Entries) -> dict[str, dict[str, list[Result]]]:
    """Dataset → system → its only run."""
    datasets = next(iter(entries.by_dataset.values()))
    divided: dict[str, dict[str, list[Result]]] = {}
    for dataset in datasets:
        divided[dataset] = {name: [results[dataset]] for name, results in entries.by_dataset.items()}
    return divided


def _divided_by_group(entries: Entries, by: By) -> dict[str, dict[str, list[Result]]]:
    """Group → system → its runs."""
    divided = {name: [by_group(run, by) for run in runs] for name, runs in entries.listed.items()}
    labels = next(iter(divided.values()))[0]
    by_label: dict[str, dict[str, list[Result]]] = {}
    for label in labels:
        by_label[label] = {name: [run[label] for run in runs] for name, runs in divided.items()}
    return by_label


def macro_means(
    entries: Entries, ranking: Ranking, samples: Mapping[str, Sample] | None, settings: CompareSettings
) -> tuple[Macro | None, list[Issue]]:
    """The datasets of each system, and the intervals of their means; None if scores are not means over datasets."""
    if not entries.macro:
        return None, []
    missing = {}
    for name in ranking.order:
        lacking = [system.dataset for system in entries.systems if system.name == name and system.source is None]
        if lacking:
            missing[name] = sorted(lacking)
    intervals = {}
    issues: list[Issue] = []
    testing = settings.testing
    if samples is not None and testing.resamples:
        units = samples[ranking.order[0]]
        if is_drawn(units):
            if len(ranking.order) == 1:
                issues += doubts(units, "bootstrap")
            for name in ranking.order:
                drawn = testing.resamples, testing.seed, testing.interval, testing.confidence
                intervals[name] = resampled(samples[name], *drawn, issues)
        else:
            issues.append(Issue("no-interval", "no interval of the mean: every dataset has only one document"))
    datasets = list(next(iter(entries.by_dataset.values())))
    macro = Macro(datasets, entries.by_dataset, missing, intervals)
    return macro, [*issues, *oddities(macro)]


def _how_drawn(
    ranking: Ranking, macro: Macro | None, samples: Mapping[str, Sample] | None, settings: CompareSettings
) -> dict[str, object]:
    """What the signature says about the intervals of means over datasets."""
    if macro is None or not macro.intervals or samples is None:
        return {}
    testing = settings.testing
    return {
        "bootstrap": testing.resamples,
        "interval": testing.interval,
        "confidence": testing.confidence,
        "seed": testing.seed,
        "unit": testing.unit,
        "units": len(samples[ranking.order[0]]),
    }


def signature(entries: Entries, ranking: Ranking, settings: CompareSettings, how: Mapping[str, object]) -> str:
    """The signature of the first system, with the match rules, datasets and runs of all, and how they were tested."""
    results = next(iter(entries.by_dataset.values()))
    scored = next(iter(results.values())).signature
    added = []
    if settings.macro is not None:
        scored = replace(scored, documents=sum(result.signature.documents for result in results.values()))
        added += [f"macro:{settings.macro}", f"{settings.macro}s:{len(results)}"]
    if entries.runs:
        added.append(f"runs:{','.join(str(len(entries.runs[name])) for name in ranking.order)}")
    added += [f"{name}:{value}" for name, value in how.items()]
    parts = str(scored).split("|")
    parts[parts.index(f"match:{scored.options.match}")] = f"match:{','.join(entries.results)}"
    return "|".join([*parts, *added])


def _number_of_documents(entries: Entries, name: str) -> int:
    return sum(result.signature.documents for result in entries.by_dataset[name].values())
