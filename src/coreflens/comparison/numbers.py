"""A comparison for machines: every number at full precision, as rows or for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..metrics import METRICS
from ..scoring.scores import Score, Scores, or_none
from ..stats import PairedTest, Spread
from .beside import plain as beside
from .beside import rows as among
from .datasets import Macro
from .ranks import ranks
from .testing import LEVEL

if TYPE_CHECKING:
    from .sections import Comparison, Section


def records(comparison: Comparison) -> list[dict[str, Any]]:
    """One row per section, system, matching, group and metric; numbers at full precision, in 0–1."""
    rows = []
    for section in comparison.sections:
        place = {metric: ranks(section.main, metric) for metric in section.metrics}
        for kind, systems in section.scores.items():
            for system in section.systems:
                views: list[tuple[str, Scores]] = [("all", systems[system.name])]
                if kind == next(iter(section.scores)):
                    views += list(section.groups.get(system.name, {}).items())
                for group, scores in views:
                    for metric, score in scores.items():
                        whole = group == "all" and kind == next(iter(section.scores))
                        test = _against(comparison, section, system.name, metric) if whole else None
                        rows.append(
                            {
                                "track": section.track,
                                "language": section.language,
                                "condition": section.condition,
                                "system": system.name,
                                "match": kind,
                                "group": group,
                                "metric": metric,
                                **_numbers(score),
                                "rank": place[metric][system.name] if whole else None,
                                "difference": test and test.difference,
                                "low": test and or_none(test.low),
                                "high": test and or_none(test.high),
                                "p": test and or_none(test.p),
                                "p_corrected": test and _corrected(section, test),
                            }
                        )
        for name, scores, ours, rank in [] if section.beside is None else among(section):
            for metric, score in scores.items() if not ours else ():
                row: dict[str, Any] = {"track": section.track, "language": section.language}
                row |= {"condition": section.condition}
                row |= {"system": name, "match": "published", "group": "all", "metric": metric, **_numbers(score)}
                official = section.beside is not None and metric == section.beside.official
                empty = dict.fromkeys(("difference", "low", "high", "p", "p_corrected"))
                rows.append(row | {"rank": rank if official else None} | empty)
    return rows


def _numbers(score: Score) -> dict[str, float | None]:
    return {name: or_none(getattr(score, name)) for name in ("recall", "precision", "f1", "value")}


def _against(comparison: Comparison, section: Section, name: str, metric: str) -> PairedTest | None:
    found: Mapping[str, PairedTest] = section.tests.get((str(comparison.baseline), name), {})
    return found.get(metric)


def _corrected(section: Section, test: PairedTest) -> float | None:
    return or_none(section.adjusted[(test.first, test.second), test.metric])


def plain(comparison: Comparison) -> dict[str, Any]:
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


def _section(section: Section) -> dict[str, Any]:
    place = {metric: ranks(section.main, metric) for metric in section.metrics}
    letters, places = section.letters(LEVEL), section.rank_intervals(LEVEL)
    found: dict[str, Any] = {
        "track": section.track,
        "language": section.language,
        "condition": section.condition,
        "official": section.official,
        "verdict": None if section.verdict is None else section.verdict.to_dict(),
        "signature": section.signature,
        "systems": [
            {
                "name": system.name,
                **({"notes": system.notes} if system.notes else {}),
                **({"tagger": system.tagger} if system.tagger else {}),
                **({"about": dict(system.about)} if system.about else {}),
                "rank": {metric: place[metric][system.name] for metric in section.metrics},
                **({"rank_interval": list(places[system.name])} if places else {}),
                **({"group": letters[system.name]} if letters else {}),
                "scores": {kind: _plain_scores(systems[system.name]) for kind, systems in section.scores.items()},
                **({"by": _by(section.groups[system.name])} if section.groups else {}),
                **({"flag": section.flags[system.name]} if system.name in section.flags else {}),
            }
            for system in section.systems
        ],
        "tests": [
            test.to_dict()
            | {
                "p_corrected": _corrected(section, test),
                "smallest_p_corrected": or_none(section.smallest[(test.first, test.second), test.metric]),
            }
            for tests in section.tests.values()
            for test in tests.values()
        ],
        "disputes": [
            {
                "metric": d.metric,
                "winner": d.winner,
                "instead_of": d.official,
                "difference": d.difference,
                "documents": list(d.documents),
            }
            for d in section.disputes
        ],
    }
    if section.beside is not None:
        found["beside"] = beside(section)
    if section.within.tests:
        found["tests_by"] = [
            {"group": group, **test.to_dict(), "p_corrected": or_none(section.within.adjusted[group, pair])}
            for group, tests in section.within.tests.items()
            for pair, test in tests.items()
        ]
    if section.spreads:
        found["runs"] = {name: _runs(of) for name, of in section.spreads.items()}
    if section.macro is not None:
        found["macro"] = _macro(section, section.macro)
    return found


def _runs(spreads: Mapping[str, Spread]) -> dict[str, Any]:
    """The scores of a system's runs by metric, their mean and spread, and the parts of the variance of the mean."""
    return {
        metric: {
            "scores": [or_none(x) for x in spread.scores],
            "mean": or_none(spread.mean),
            "standard_deviation": or_none(spread.deviation),
            "variance": {"documents": or_none(spread.by_documents), "runs": or_none(spread.by_runs)},
        }
        for metric, spread in spreads.items()
    }


def _macro(section: Section, macro: Macro) -> dict[str, Any]:
    """The means over datasets with their intervals, the scores by dataset, and the missing datasets."""
    found: dict[str, Any] = {
        "by": "dataset",
        "datasets": list(macro.datasets),
        "systems": {
            name: {
                "scores": _plain_scores(section.main[name]),
                "intervals": {
                    metric: {
                        value: {k: or_none(x) for k, x in asdict(found).items()} for value, found in values.items()
                    }
                    for metric, values in macro.intervals.get(name, {}).items()
                },
                "datasets": _by(macro.results[name]),
                "missing": list(macro.missing.get(name, ())),
            }
            for name in section.names
        },
    }
    if section.verdict is not None and any(section.within.tests.values()):
        pair = section.verdict.ahead, section.verdict.behind
        sign = -1 if METRICS[section.official].error else 1
        better = section.within.better(*pair, sign)
        found["better"] = {
            "system": pair[0],
            "than": pair[1],
            "at_least": len(better),
            "at_least_if_independent": max(section.within.at_least_if_independent(*pair, sign), len(better)),
            "on": better,
        }
    return found


def _by(groups: Mapping[str, Scores]) -> dict[str, Any]:
    return {label: _plain_scores(scores) for label, scores in groups.items()}


def _plain_scores(scores: Scores) -> dict[str, Any]:
    """The scores alone; a Result is also accepted."""
    return {metric: score.to_dict() for metric, score in scores.items()}
