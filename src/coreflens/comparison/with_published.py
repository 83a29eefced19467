"""Systems among published rows, and how ranks shift from one table to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UsageError
from ..metrics import METRICS
from ..scoring.scores import Scores, or_none
from .ranks import merit, official_of

if TYPE_CHECKING:
    from .sections import Comparison, Section


@dataclass(frozen=True, eq=False)
class PublishedRows:
    """Published rows to rank systems among: the name of the table, its scores, and the metric that ranks all."""

    name: str
    scores: Mapping[str, Scores]
    metrics: tuple[str, ...]
    official: str
    notes: tuple[str, ...] = ()


def stand_beside(comparison: Comparison, table: Comparison, name: str) -> Comparison:
    """A comparison whose sections know the published rows that belong to them."""
    sections = []
    for section in comparison.sections:
        other = _of(section, table, name)
        metrics = tuple(metric for metric in section.metrics if metric in other.metrics)
        if not metrics:
            has = ", ".join(METRICS[m].title for m in other.metrics)
            raise UsageError(f"the systems have no metric in common with {name} ({has}): name one with -m")
        official = section.official if section.official in metrics else official_of(metrics)
        if not section.ranked and len(set(section.main) & set(other.main)) < 2:
            raise UsageError(f"the two tables have no two systems in common: {name} has {', '.join(other.names)[:200]}")
        beside = PublishedRows(table.data or name, other.main, metrics, official, tuple(table.notes))
        sections.append(replace(section, beside=beside))
    return replace(comparison, sections=sections)


def _of(section: Section, table: Comparison, name: str) -> Section:
    """The section of a published table for one of ours: the one with its title, or the only one."""
    alike = [other for other in table.sections if other.title == section.title]
    if len(alike) == 1:
        return alike[0]
    if len(table.sections) == 1:
        return table.sections[0]
    titles = ", ".join(other.title for other in table.sections)
    raise UsageError(f"{name} has several parts ({titles}), and none is named '{section.title}'")


class Placed(NamedTuple):
    """A row of the common ranking: an own system, or a published one."""

    name: str
    scores: Scores
    own: bool
    rank: int


def rows(section: Section) -> list[Placed]:
    """Own and published systems, best first; own ones before published ones of equal score."""
    beside = section.beside
    assert beside is not None
    systems = [(name, scores, True) for name, scores in section.main.items()]
    systems += [(name, scores, False) for name, scores in beside.scores.items()]
    merits = [merit(scores, beside.official) for _, scores, _ in systems]
    order = sorted(range(len(systems)), key=lambda place: (-merits[place], not systems[place][2]))
    return [Placed(*systems[place], 1 + sum(other > merits[place] for other in merits)) for place in order]


def published_json(section: Section) -> dict[str, object]:
    """For JSON."""
    beside = section.beside
    assert beside is not None
    return {
        "table": beside.name,
        "official": beside.official,
        "rows": [_plain_row(placed, beside.metrics) for placed in rows(section)],
    }


def _plain_row(placed: Placed, metrics: Sequence[str]) -> dict[str, object]:
    return {
        "system": placed.name,
        "rank": placed.rank,
        "published": not placed.own,
        "scores": {metric: or_none(placed.scores[metric].main) for metric in metrics if metric in placed.scores},
    }
