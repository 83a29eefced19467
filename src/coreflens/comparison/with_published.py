"""Systems among published rows, and how ranks shift from one table to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import UsageError
from ..metrics import METRICS
from ..paper.table import Table, score_points, signed
from ..scoring.scores import Scores, fixed, is_number, or_none
from ..stats.coefficients import kendall
from .ranks import merit, official_of, ranks

if TYPE_CHECKING:
    from .sections import Comparison, Section

OWN = "*"


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


def among(section: Section, digits: int) -> tuple[Table, list[str]]:
    """Own systems and published rows in one ranking."""
    beside = section.beside
    assert beside is not None
    metrics = [metric for metric in beside.metrics if metric != beside.official] + [beside.official]
    cells = []
    marks: dict[tuple[int, int], str] = {}
    bold: set[tuple[int, int]] = set()
    for row, placed in enumerate(rows(section)):
        scores = [_points(placed.scores, metric, digits) for metric in metrics]
        cells.append([str(placed.rank), placed.name, *scores])
        if placed.own:
            marks[row, 1] = OWN
            bold |= {(row, column) for column in range(1, len(metrics) + 2)}
    table = Table(
        ["", "system", *(METRICS[metric].title for metric in metrics)],
        cells,
        frozenset({1}),
        title=f"{section.title}: among published systems" if section.title else "Among published systems",
        bold=frozenset(bold),
        marks=marks,
    )
    notes = [
        f"{OWN} scored here; all others as printed: {beside.name}. They are comparable if the key is the same test set "
        "and the mentions are scored in the same way.",
        *beside.notes,
    ]
    return table, notes


def _points(scores: Scores, metric: str, digits: int) -> str:
    return score_points(scores[metric], "main", digits) if metric in scores else "–"


def shifts(section: Section, digits: int) -> tuple[Table, list[str]] | None:
    """Scores and ranks of the systems that both tables have: how the ranking changes from the published one."""
    beside = section.beside
    assert beside is not None
    metric = beside.official
    before, after = _in_both(section, beside)
    if len(before) < 2:
        return None
    old, new = ranks(before, metric), ranks(after, metric)
    names = sorted(before, key=lambda name: new[name])
    cells = []
    for name in names:
        numbers = [score_points(scores[name][metric], "main", digits) for scores in (before, after)]
        gap = float(after[name][metric].main) - float(before[name][metric].main)
        moved = _arrow(old[name] - new[name])
        cells.append([name, *numbers, signed(gap, digits), str(old[name]), str(new[name]), moved])
    then = ("published", "here") if section.ranked else ("before", "now")
    table = Table(
        ["system", *then, "Δ", *then, "shift"],
        cells,
        spans=(("", 1), (METRICS[metric].title, 3), ("rank", 3)),
        title=f"{section.title}: ranks before and now" if section.title else "Ranks before and now",
    )
    notes = [f"The {len(names)} systems in both. {then[0].capitalize()}: {beside.name}"]
    merits = [np.array([merit(scores[name], metric) for name in names]) for scores in (before, after)]
    tau = kendall(*merits)
    if is_number(tau.value):
        notes.append(f"Kendall's τ between the two rankings: {fixed(tau.value, 2)}")
    return table, notes


def _in_both(section: Section, beside: PublishedRows) -> tuple[dict[str, Scores], dict[str, Scores]]:
    """The published and the own scores of the systems that both tables rank."""
    common = []
    for name, published in beside.scores.items():
        if name not in section.main:
            continue
        if beside.official in published and beside.official in section.main[name]:
            common.append(name)
    return {name: beside.scores[name] for name in common}, {name: section.main[name] for name in common}


def _arrow(shift: int) -> str:
    if shift > 0:
        return f"↑{shift}"
    return f"↓{-shift}" if shift else "="


def plain(section: Section) -> dict[str, Any]:
    """For JSON."""
    beside = section.beside
    assert beside is not None
    return {
        "table": beside.name,
        "official": beside.official,
        "rows": [_plain_row(placed, beside.metrics) for placed in rows(section)],
    }


def _plain_row(placed: Placed, metrics: Sequence[str]) -> dict[str, Any]:
    return {
        "system": placed.name,
        "rank": placed.rank,
        "published": not placed.own,
        "scores": {metric: or_none(placed.scores[metric].main) for metric in metrics if metric in placed.scores},
    }
