"""The text below the tables of a comparison: which test it was, what the marks mean, why numbers seem to disagree."""

from __future__ import annotations

from collections.abc import Iterator

from ...comparison.sections import Comparison, Section
from ...comparison.testing import LEVEL
from ...metrics import METRICS
from ...paper.table import counted_note
from ...stats import TESTS, TWO_LEVEL

BETTER, WORSE = "†", "‡"
RANKING = "▼"  # after the title of the metric by which systems are ranked, if it is not the last one
_CORRECTED = {"holm": "by Holm", "bh": "by Benjamini–Hochberg", "none": ""}

SPREADS = (
    "s: standard deviation of the runs; the variance of the mean comes from the choice of documents (by bootstrap) and "
    "from the choice of runs (s²/runs)"
)


def two(comparison: Comparison, section: Section) -> tuple[str, str] | None:
    """The two systems that were tested, the better one first; none if one is a baseline with its own table."""
    if len(section.names) != 2 or not section.tests or comparison.baseline in section.main:
        return None
    return section.names[0], section.names[1]


def reference(comparison: Comparison, section: Section) -> str:
    """The system to which the marks in a table of groups refer: the baseline, or the first of several systems."""
    if not section.within.tests or two(comparison, section):
        return ""
    return str(comparison.baseline) if comparison.baseline in section.main else section.names[0]


def columns(comparison: Comparison, section: Section) -> Iterator[str]:
    """What the columns of the table of differences mean."""
    interval = f"{100 * float(comparison.how['confidence']):g}% interval"
    drawn = "two-level bootstrap over documents and runs" if section.spreads else "paired bootstrap"
    yield (
        f"{interval} by {drawn}; p corrected over the systems, by metric; d: mean difference of the documents "
        "over its standard deviation; documents in which the system is better/worse"
    )


def disagreements(comparison: Comparison, section: Section) -> Iterator[str]:
    """One sentence per reason why an interval excludes 0 although the difference is not significant."""
    confidence = float(comparison.how["confidence"])
    systems_by_reason: dict[str, dict[str, list[str]]] = {}
    for (_, name), tests in section.tests.items():
        for metric in section.metrics:
            test = tests[metric]
            reason = test.disagreement(confidence)
            large = f"p is above {1 - confidence:.2g}: "
            if not reason and (test.low > 0 or test.high < 0) and section.adjusted[(test.first, name), metric] > LEVEL:
                large = f"the corrected p is above {LEVEL:g}: "
                reason = (
                    f"an interval is for one comparison alone, and p is corrected for {len(section.tests)} comparisons"
                )
            if reason:
                systems_by_reason.setdefault(large + reason, {}).setdefault(name, []).append(METRICS[metric].title)
    for reason, systems in systems_by_reason.items():
        where = "; ".join(f"{name}: {', '.join(titles)}" for name, titles in systems.items())
        yield f"The interval excludes 0 ({where}), but {reason}"


def test_name(comparison: Comparison, section: Section) -> str:
    """The test in words."""
    if section.spreads:
        return f"{TWO_LEVEL} over documents and runs"
    return TESTS[comparison.how["test"]].split(":")[0].split(",")[0].split(" on ")[0]


def marked_official(section: Section) -> str:
    """The official score if its column is marked: in papers it is the last one."""
    if not section.ranked or len(section.names) < 2 or section.metrics[-1] == section.official:
        return ""
    return section.official


def legend(comparison: Comparison, section: Section) -> Iterator[str]:
    """Which test it was, and what marks, letters and ranks mean."""
    if official := marked_official(section):
        yield f"{RANKING} the systems are ranked by {METRICS[official].title}"
    if section.tests:
        yield _about_tests(comparison, section)
    for flag in dict.fromkeys(section.flags.values()):
        systems = ", ".join(name for name, mark in section.flags.items() if mark == flag)
        yield f"{flag} the printed average is not the mean of the printed F1s: {systems}"
    of_groups = [scores for by_group in section.groups.values() for scores in by_group.values()]
    of_systems = [scores for by_system in section.scores.values() for scores in by_system.values()]
    every = (score for scores in (*of_systems, *of_groups) for score in scores.values())
    if note := counted_note(every, _undefined(section)):
        yield note


def _undefined(section: Section) -> str:
    """The policy for 0/0, by the signature of the section."""
    _, given, rest = section.signature.partition("+undefined:")
    return rest.partition("+")[0].partition("|")[0] if given else "zero"


def _about_tests(comparison: Comparison, section: Section) -> str:
    """The test, and what its marks, letters and ranks mean."""
    test = test_name(comparison, section)
    if all(result.exact for results in section.tests.values() for result in results.values()):
        test += ", all assignments tried"
    against = comparison.baseline in section.main
    smallest = section.smallest_of(section.metrics if against else [section.official])
    corrected = _CORRECTED[str(comparison.how["correction"])]
    by = f"{test}, two-sided p ≤ {LEVEL:g}" + (f", corrected {corrected}" if corrected else "")
    if smallest > 0:
        by += f"; the smallest possible is {smallest:.3g}"
    if smallest > LEVEL and against:
        return f"No system can differ significantly from {comparison.baseline} ({by})"
    if smallest > LEVEL:
        return f"No two systems can differ significantly ({by})"
    if against:
        return f"{BETTER} better, {WORSE} worse than {comparison.baseline} ({by})"
    if pair := two(comparison, section):
        return f"Δ: {pair[0]} minus {pair[1]}; p: {test}, two-sided"
    official = METRICS[section.official].title
    text = f"Ranks: all ranks that a system may have by {official}, given which pairs differ significantly ({by})"
    if section.letters(LEVEL):
        text += "; systems that share a letter do not"
    return text


def group_legend(comparison: Comparison, section: Section) -> Iterator[str]:
    """What the marks in a table of groups mean."""
    if not any(section.within.tests.values()):
        return
    corrected = _CORRECTED[str(comparison.how["correction"])]
    group = comparison.by if comparison.by in ("genre", "source", "part", "dataset") else "group"
    how = f"corrected {corrected} over {group}s" if corrected else "uncorrected"
    test = test_name(comparison, section)
    if two(comparison, section):
        yield f"p: {test} within each {group}, {how}"
        return
    against = reference(comparison, section)
    if corrected and len(section.names) > 2:
        how += " and systems"
    marks = f"None differs from {against} significantly"
    if min(section.within.adjusted.values(), default=1.0) <= LEVEL:
        marks = f"{BETTER} better, {WORSE} worse than {against}"
    yield f"{marks} within the {group} ({test}, p ≤ {LEVEL:g}, {how})"


def oddities(comparison: Comparison) -> Iterator[str]:
    """Systems that failed, and notes on the input, for formats that hold everything."""
    for name, why in comparison.failures.items():
        yield f"Not scored: {name}: {why}"
    for issue in comparison.issues:
        yield f"Note: {issue}"
