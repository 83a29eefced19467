"""The text below the tables of a comparison: which test it was, what the marks mean, why numbers seem to disagree."""

from __future__ import annotations

from collections.abc import Iterator

from ...comparison.sections import Comparison, Section
from ...comparison.testing import LEVEL
from ...metrics import METRICS
from ...stats import TESTS, TWO_LEVEL

BETTER, WORSE = "†", "‡"


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
    found: dict[str, dict[str, list[str]]] = {}
    for (_, name), tests in section.tests.items():
        for metric in section.metrics:
            test = tests[metric]
            why = test.disagreement(confidence)
            large = f"p is above {1 - confidence:.2g}: "
            if not why and (test.low > 0 or test.high < 0) and section.adjusted[(test.first, name), metric] > LEVEL:
                large = f"the corrected p is above {LEVEL:g}: "
                why = (
                    f"an interval is for one comparison alone, and p is corrected for {len(section.tests)} comparisons"
                )
            if why:
                found.setdefault(large + why, {}).setdefault(name, []).append(METRICS[metric].title)
    for why, systems in found.items():
        where = "; ".join(f"{name}: {', '.join(titles)}" for name, titles in systems.items())
        yield f"The interval excludes 0 ({where}), but {why}"


def test_name(comparison: Comparison, section: Section) -> str:
    """The test in words."""
    if section.spreads:
        return f"{TWO_LEVEL} over documents and runs"
    return TESTS[comparison.how["test"]].split(":")[0].split(",")[0].split(" on ")[0]


def legend(comparison: Comparison, section: Section) -> Iterator[str]:
    """Which test it was, and what marks, letters and ranks mean."""
    if section.tests:
        how = comparison.how
        corrected = {"holm": ", corrected by Holm", "bh": ", corrected by Benjamini–Hochberg", "none": ""}
        told = test_name(comparison, section)
        if all(test.exact for tests in section.tests.values() for test in tests.values()):
            told += ", all assignments tried"
        by = f"({told}, two-sided p ≤ {LEVEL:g}{corrected[str(how['correction'])]})"
        against = comparison.baseline in section.main
        least = section.smallest_of(section.metrics if against else [section.official])
        if least > 0:
            by = f"{by[:-1]}; the smallest possible is {least:.3g})"
        if least > LEVEL:
            who = f"No system can differ significantly from {comparison.baseline}"
            yield f"{who if against else 'No two systems can differ significantly'} {by}"
        elif against:
            yield f"{BETTER} better, {WORSE} worse than {comparison.baseline} {by}"
        elif pair := two(comparison, section):
            yield f"Δ: {pair[0]} minus {pair[1]}; p: {told}, two-sided"
        else:
            official = METRICS[section.official].title
            text = f"Ranks: all ranks that a system may have by {official}, given which pairs differ significantly {by}"
            yield text + ("; systems that share a letter do not" if section.letters(LEVEL) else "")
    for flag in dict.fromkeys(section.flags.values()):
        systems = ", ".join(name for name, mark in section.flags.items() if mark == flag)
        yield f"{flag} the printed average is not the mean of the printed F1s: {systems}"


def group_legend(comparison: Comparison, section: Section) -> Iterator[str]:
    """What the marks in a table of groups mean."""
    if not any(section.within.tests.values()):
        return
    corrected = {"holm": "by Holm ", "bh": "by Benjamini–Hochberg ", "none": ""}[str(comparison.how["correction"])]
    over = comparison.by if comparison.by in ("genre", "source", "part", "dataset") else "group"
    how = f"corrected {corrected}over {over}s" if corrected else "uncorrected"
    if two(comparison, section):
        yield f"p: {test_name(comparison, section)} within each {over}, {how}"
    else:
        against = reference(comparison, section)
        many = " and systems" if len(section.names) > 2 else ""
        decided = min(section.within.adjusted.values(), default=1.0) <= LEVEL
        what = (
            f"{BETTER} better, {WORSE} worse than {against}"
            if decided
            else f"None differs from {against} significantly"
        )
        yield (
            f"{what} within the {over} ({test_name(comparison, section)}, p ≤ "
            f"{LEVEL:g}, {how}{many if corrected else ''})"
        )


def oddities(comparison: Comparison) -> Iterator[str]:
    """Systems that failed, and notes on the input, for formats that hold everything."""
    for name, why in comparison.failures.items():
        yield f"Not scored: {name}: {why}"
    for issue in comparison.issues:
        yield f"Note: {issue}"
