"""Systems among published rows, and how ranks shift from one table to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
class Beside:
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
        beside = Beside(table.data or name, other.main, metrics, official, tuple(table.notes))
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


def rows(section: Section) -> list[tuple[str, Scores, bool, int]]:
    """Name, scores, whether it is one of ours, and rank, best first; ours before published ones of equal score."""
    beside = section.beside
    assert beside is not None
    every = [(name, scores, True) for name, scores in section.main.items()]
    every += [(name, scores, False) for name, scores in beside.scores.items()]
    merits = [merit(scores, beside.official) for _, scores, _ in every]
    order = sorted(range(len(every)), key=lambda n: (-merits[n], not every[n][2]))
    return [(*every[n], 1 + sum(other > merits[n] for other in merits)) for n in order]


def among(section: Section, digits: int) -> tuple[Table, list[str]]:
    """Own systems and published rows in one ranking."""
    beside = section.beside
    assert beside is not None
    shown = [m for m in beside.metrics if m != beside.official] + [beside.official]
    found = rows(section)
    cells = [
        [str(rank), name, *(score_points(s[m], "main", digits) if m in s else "–" for m in shown)]
        for name, s, _, rank in found
    ]
    marks = {(n, 1): OWN for n, (_, _, ours, _) in enumerate(found) if ours}
    bold = frozenset((n, c) for n, (_, _, ours, _) in enumerate(found) if ours for c in range(1, len(shown) + 2))
    title = f"{section.title}: among published systems" if section.title else "Among published systems"
    table = Table(
        ["", "system", *(METRICS[m].title for m in shown)], cells, frozenset({1}), title=title, bold=bold, marks=marks
    )
    notes = [
        f"{OWN} scored here; all others as printed: {beside.name}. They are comparable if the key is the same test set "
        "and the mentions are scored in the same way.",
        *beside.notes,
    ]
    return table, notes


def shifts(section: Section, digits: int) -> tuple[Table, list[str]] | None:
    """Scores and ranks of the systems that both tables have: how the ranking changes from the published one."""
    beside = section.beside
    assert beside is not None
    common = [name for name in beside.scores if name in section.main]
    metric = beside.official
    common = [n for n in common if metric in beside.scores[n] and metric in section.main[n]]
    if len(common) < 2:
        return None
    before, after = ({n: s[n] for n in common} for s in (beside.scores, section.main))
    old, new = ranks(before, metric), ranks(after, metric)
    common.sort(key=lambda name: new[name])
    cells = []
    for name in common:
        numbers = [score_points(s[name][metric], "main", digits) for s in (before, after)]
        gap = float(after[name][metric].main) - float(before[name][metric].main)
        moved = old[name] - new[name]
        arrow = f"↑{moved}" if moved > 0 else f"↓{-moved}" if moved else "="
        cells.append([name, *numbers, signed(gap, digits), str(old[name]), str(new[name]), arrow])
    then = ("published", "here") if section.ranked else ("before", "now")
    header = ["system", *then, "Δ", *then, "shift"]
    spans = (("", 1), (METRICS[metric].title, 3), ("rank", 3))
    title = f"{section.title}: ranks before and now" if section.title else "Ranks before and now"
    tau = kendall(*(np.array([merit(s[n], metric) for n in common]) for s in (before, after)))
    notes = [f"The {len(common)} systems in both. {then[0].capitalize()}: {beside.name}"]
    if is_number(tau.value):
        notes.append(f"Kendall's τ between the two rankings: {fixed(tau.value, 2)}")
    return Table(header, cells, spans=spans, title=title), notes


def plain(section: Section) -> dict[str, Any]:
    """For JSON."""
    beside = section.beside
    assert beside is not None
    return {
        "table": beside.name,
        "official": beside.official,
        "rows": [
            {
                "system": name,
                "rank": rank,
                "published": not ours,
                "scores": {m: or_none(s[m].main) for m in beside.metrics if m in s},
            }
            for name, s, ours, rank in rows(section)
        ],
    }
