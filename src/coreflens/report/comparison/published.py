"""Own systems among published ones, and how ranks shift from one table to another."""

from __future__ import annotations

import numpy as np

from ...comparison.ranks import merit, ranks
from ...comparison.sections import Section
from ...comparison.with_published import PublishedRows, rows
from ...metrics import METRICS
from ...paper.table import Table, score_points, signed
from ...scoring.scores import Scores, fixed, is_number
from ...stats.coefficients import kendall
from .cells import number_cell, titled

OWN = "*"


def among(section: Section, digits: int) -> tuple[Table, list[str]]:
    """Own systems and published rows in one ranking."""
    beside = section.beside
    assert beside is not None
    metrics = [metric for metric in beside.metrics if metric != beside.official] + [beside.official]
    cells = []
    marks: dict[tuple[int, int], str] = {}
    bold: set[tuple[int, int]] = set()
    for row, placed in enumerate(rows(section)):
        scores = [number_cell(placed.scores, metric, "main", digits) for metric in metrics]
        cells.append([str(placed.rank), placed.name, *scores])
        if placed.own:
            marks[row, 1] = OWN
            bold |= {(row, column) for column in range(1, len(metrics) + 2)}
    table = Table(
        ["", "system", *(METRICS[metric].title for metric in metrics)],
        cells,
        frozenset({1}),
        title=titled(section, "among published systems"),
        bold=frozenset(bold),
        marks=marks,
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
        title=titled(section, "ranks before and now"),
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
