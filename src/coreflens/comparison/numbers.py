"""A comparison for machines: every number at full precision, as rows or for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..metrics import METRICS
from ..scoring.scores import Score, Scores, or_none
from ..stats import Interval, PairedTest, Spread
from .datasets import Intervals, Macro
from .ranks import Dispute, ranks
from .testing import LEVEL
from .with_published import PublishedRows, published_json
from .with_published import rows as ranked_rows

if TYPE_CHECKING:
    from .sections import Comparison, Section


def records(comparison: Comparison) -> list[dict[str, object]]:
    """One row per section, system, matching, group and metric; numbers at full precision, in 0–1."""
    rows: list[dict[str, object]] = []
    for section in comparison.sections:
        rows += _own_records(comparison, section)
        if section.beside is not None:
            rows += _published_records(section, section.beside)
    return rows


def _own_records(comparison: Comparison, section: Section) -> Iterator[dict[str, object]]:
    """Groups, ranks and tests are by the first match rule."""
    place = {metric: ranks(section.main, metric) for metric in section.metrics}
    first_match = next(iter(section.scores))
    for match, systems in section.scores.items():
        for system in section.systems:
            for metric, score in systems[system.name].items():
                row = _record(section, system.name, match, "all", score)
                if match == first_match:
                    row["rank"] = place[metric][system.name]
                    row |= _test_numbers(section, _against(comparison, section, system.name, metric))
                yield row
            if match == first_match:
                yield from _group_records(section, system.name, match)


def _group_records(section: Section, name: str, match: str) -> Iterator[dict[str, object]]:
    for group, scores in section.groups.get(name, {}).items():
        for score in scores.values():
            yield _record(section, name, match, group, score)


def _published_records(section: Section, beside: PublishedRows) -> Iterator[dict[str, object]]:
    for placed in ranked_rows(section):
        if placed.own:
            continue
        for metric, score in placed.scores.items():
            row = _record(section, placed.name, "published", "all", score)
            if metric == beside.official:
                row["rank"] = placed.rank
            yield row


def _record(section: Section, name: str, match: str, group: str, score: Score) -> dict[str, object]:
    """A row without rank and test."""
    return {
        "track": section.track,
        "language": section.language,
        "condition": section.condition,
        "system": name,
        "match": match,
        "group": group,
        "metric": score.metric,
        **_numbers(score),
        "rank": None,
        **dict.fromkeys(("difference", "low", "high", "p", "p_corrected")),
    }


def _test_numbers(section: Section, test: PairedTest | None) -> dict[str, float | None]:
    """The columns of a test against the baseline; none if there is no test."""
    if test is None:
        return {}
    return {
        "difference": test.difference,
        "low": or_none(test.low),
        "high": or_none(test.high),
        "p": or_none(test.p),
        "p_corrected": _corrected(section, test),
    }


def _numbers(score: Score) -> dict[str, float | None]:
    return {name: or_none(getattr(score, name)) for name in ("recall", "precision", "f1", "value")}


def _against(comparison: Comparison, section: Section, name: str, metric: str) -> PairedTest | None:
    tests: Mapping[str, PairedTest] = section.tests.get((str(comparison.baseline), name), {})
    return tests.get(metric)


def _corrected(section: Section, test: PairedTest) -> float | None:
    return or_none(section.adjusted[(test.first, test.second), test.metric])


def comparison_json(comparison: Comparison) -> dict[str, object]:
    """A comparison for JSON."""
    verdicts = [s.verdict.to_dict() for s in comparison.sections if s.verdict is not None]
    return {
        "verdict": verdicts[0] if len(comparison.sections) == 1 and verdicts else {"text": comparison.verdict},
        "baseline": comparison.baseline,
        "how": dict(comparison.how),
        "sections": [_section(section) for section in comparison.sections],
        "failures": dict(comparison.failures),
        "issues": [issue.to_dict() for issue in comparison.issues],
    }


def _section(section: Section) -> dict[str, object]:
    plain: dict[str, object] = {
        "track": section.track,
        "language": section.language,
        "condition": section.condition,
        "official": section.official,
        "verdict": None if section.verdict is None else section.verdict.to_dict(),
        "signature": section.signature,
        "systems": _systems(section),
        "tests": [_test(section, test) for tests in section.tests.values() for test in tests.values()],
        "disputes": [_dispute(dispute) for dispute in section.disputes],
    }
    if section.beside is not None:
        plain["beside"] = published_json(section)
    if section.within.tests:
        plain["tests_by"] = _group_tests(section)
    if section.spreads:
        plain["runs"] = {name: _runs(spreads) for name, spreads in section.spreads.items()}
    if section.macro is not None:
        plain["macro"] = _macro(section, section.macro)
    return plain


def _systems(section: Section) -> list[dict[str, object]]:
    """The systems, best first; what is not known of a system is left out."""
    place = {metric: ranks(section.main, metric) for metric in section.metrics}
    letters = section.letters(LEVEL)
    intervals = section.rank_intervals(LEVEL)
    systems = []
    for system in section.systems:
        name = system.name
        plain: dict[str, object] = {"name": name}
        if system.notes:
            plain["notes"] = system.notes
        if system.tagger:
            plain["tagger"] = system.tagger
        if system.about:
            plain["about"] = dict(system.about)
        plain["rank"] = {metric: place[metric][name] for metric in section.metrics}
        if intervals:
            plain["rank_interval"] = list(intervals[name])
        if letters:
            plain["group"] = letters[name]
        plain["scores"] = {match: _plain_scores(scores[name]) for match, scores in section.scores.items()}
        if section.groups:
            plain["by"] = _by(section.groups[name])
        if name in section.flags:
            plain["flag"] = section.flags[name]
        systems.append(plain)
    return systems


def _test(section: Section, test: PairedTest) -> dict[str, object]:
    return {
        **test.to_dict(),
        "p_corrected": _corrected(section, test),
        "smallest_p_corrected": or_none(section.smallest[(test.first, test.second), test.metric]),
    }


def _dispute(dispute: Dispute) -> dict[str, object]:
    return {
        "metric": dispute.metric,
        "winner": dispute.winner,
        "instead_of": dispute.official,
        "difference": dispute.difference,
        "documents": list(dispute.documents),
    }


def _group_tests(section: Section) -> list[dict[str, object]]:
    """The tests in each group, corrected over groups and pairs."""
    within = section.within
    rows: list[dict[str, object]] = []
    for group, tests in within.tests.items():
        for pair, test in tests.items():
            corrected = or_none(within.adjusted[group, pair])
            rows.append({"group": group, **test.to_dict(), "p_corrected": corrected})
    return rows


def _runs(spreads: Mapping[str, Spread]) -> dict[str, object]:
    """The scores of a system's runs by metric, their mean and spread, and the parts of the variance of the mean."""
    runs: dict[str, object] = {}
    for metric, spread in spreads.items():
        runs[metric] = {
            "scores": [or_none(x) for x in spread.scores],
            "mean": or_none(spread.mean),
            "standard_deviation": or_none(spread.deviation),
            "variance": {"documents": or_none(spread.by_documents), "runs": or_none(spread.by_runs)},
        }
    return runs


def _macro(section: Section, macro: Macro) -> dict[str, object]:
    """The means over datasets with their intervals, the scores by dataset, and the missing datasets."""
    plain: dict[str, object] = {
        "by": "dataset",
        "datasets": list(macro.datasets),
        "systems": {
            name: {
                "scores": _plain_scores(section.main[name]),
                "intervals": _intervals(macro.intervals.get(name, {})),
                "datasets": _by(macro.results[name]),
                "missing": list(macro.missing.get(name, ())),
            }
            for name in section.names
        },
    }
    if section.verdict is not None and any(section.within.tests.values()):
        ahead, behind = section.verdict.ahead, section.verdict.behind
        sign = -1 if METRICS[section.official].error else 1
        better = section.within.better(ahead, behind, sign)
        if_independent = section.within.at_least_if_independent(ahead, behind, sign)
        plain["better"] = {
            "system": ahead,
            "than": behind,
            "at_least": len(better),
            "at_least_if_independent": max(if_independent, len(better)),
            "on": better,
        }
    return plain


def _intervals(intervals: Intervals) -> dict[str, object]:
    """Intervals by metric and value."""
    by_metric: dict[str, object] = {}
    for metric, values in intervals.items():
        by_metric[metric] = {value: _plain_interval(interval) for value, interval in values.items()}
    return by_metric


def _plain_interval(interval: Interval) -> dict[str, float | None]:
    return {name: or_none(number) for name, number in asdict(interval).items()}


def _by(groups: Mapping[str, Scores]) -> dict[str, object]:
    return {label: _plain_scores(scores) for label, scores in groups.items()}


def _plain_scores(scores: Scores) -> dict[str, object]:
    """The scores alone; a Result is also accepted."""
    return {metric: score.to_dict() for metric, score in scores.items()}
