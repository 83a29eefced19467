"""The tables of groups, datasets and runs of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...comparison.ranks import merit
from ...comparison.sections import Comparison, Section
from ...comparison.testing import LEVEL
from ...metrics import METRICS
from ...paper.table import Table, points, signed
from ...scoring.scores import Scores, is_number
from ...stats import Interval
from .cells import SHORT, cell, number_cell, p_cell, titled
from .legend import BETTER, WORSE, reference, two


def by_group(comparison: Comparison, section: Section, digits: int) -> Table:
    """Systems × groups, by the official score."""
    labels = list(dict.fromkeys(label for groups in section.groups.values() for label in groups))
    intervals = section.macro.intervals if section.macro else {}
    rows = []
    for name in section.names:
        groups = section.groups[name]
        cells = [_official(groups[label], section, digits) if label in groups else "–" for label in labels]
        row = [name, *cells, _official(section.main[name], section, digits)]
        if intervals:
            row.append(_ends(intervals[name][section.official], digits))
        rows.append(row)
    pair = two(comparison, section)
    below = _two_rows_by_group(section, pair, labels, digits) if pair and section.within.tests else []
    rows += [[*row, ""] for row in below] if intervals else below
    header = ["system", *labels, "mean" if section.macro else "all"]
    if intervals:
        header.append(f"{100 * float(comparison.how['confidence']):g}% interval")
    return Table(
        header,
        rows,
        title=titled(section, f"{METRICS[section.official].title} by {group_word(comparison.by)}"),
        bold=_bold_groups(section, labels),
        marks={} if pair else _marked_groups(section, labels, reference(comparison, section)),
        below=len(below),
    )


def _official(scores: Scores, section: Section, digits: int) -> str:
    return cell(scores, section.official, "main", digits)


def _ends(intervals: Mapping[str, Interval], digits: int) -> str:
    """The ends of the interval of F1, or of the value."""
    ends = intervals.get("f1") or intervals["value"]
    return f"[{points(ends.low, digits)}, {points(ends.high, digits)}]" if is_number(ends.low) else ""


def _two_rows_by_group(section: Section, pair: tuple[str, str], labels: Sequence[str], digits: int) -> list[list[str]]:
    """The difference of two systems and its p in each group and in all, below their scores."""
    ahead, behind = pair
    gaps, p = ["Δ"], ["p"]
    for label in labels:
        test = section.within.test_of(label, behind, ahead)
        gaps.append("–" if test is None else signed(test.difference, digits))
        p.append(p_cell(section.within.corrected(label, ahead, behind)))
    gaps.append(signed(section.test_of(behind, ahead)[section.official].difference, digits))
    p.append(p_cell(section.corrected(ahead, behind, section.official)))
    return [gaps, p]


def _marked_groups(section: Section, labels: Sequence[str], against: str) -> dict[tuple[int, int], str]:
    """Marks where a system differs significantly from another one within a group."""
    if not against:
        return {}
    marks = {}
    sign = -1 if METRICS[section.official].error else 1
    for column, label in enumerate(labels, 1):
        for row, name in enumerate(section.names):
            test = section.within.test_of(label, against, name)
            if test is not None and section.within.corrected(label, against, name) <= LEVEL:
                marks[row, column] = BETTER if sign * test.difference > 0 else WORSE
    return marks


def _bold_groups(section: Section, labels: Sequence[str]) -> frozenset[tuple[int, int]]:
    """The best systems of each group."""
    best = []
    for column, label in enumerate(labels, 1):
        merits = [merit(section.groups[name][label], section.official) for name in section.names]
        best += [(row, column) for row, number in enumerate(merits) if number == max(merits) > min(merits)]
    return frozenset(best)


def group_word(by: str) -> str:
    """The name of the groups in a title."""
    return by if by in ("genre", "source", "part", "document", "dataset") else "group"


def metrics_by_group(section: Section, metrics: Sequence[str], digits: int, rpf: bool, by: str) -> Table:
    """Metrics × groups, a block for each system; with `rpf` R, P and F1 of each metric (CoNLL-2011, Tables 20, 21)."""
    labels = list(dict.fromkeys(label for groups in section.groups.values() for label in groups))
    rows: list[list[str]] = []
    headings: dict[int, str] = {}
    for name in section.names:
        headings[len(rows)] = name
        views: list[Scores | None] = [section.groups[name].get(label) for label in labels]
        views.append(section.main[name])
        for metric in metrics:
            for part in _shown_parts(metric, rpf):
                title = METRICS[metric].title
                if part in SHORT:
                    title += f" {SHORT[part]}"
                rows.append([title, *(number_cell(scores, metric, part, digits) for scores in views)])
    header = ["metric", *labels, "mean" if section.macro else "all"]
    title = f"metrics by {by}" if rpf else f"F1 by {by}"
    return Table(header, rows, title=titled(section, title), headings=headings)


def _shown_parts(metric: str, rpf: bool) -> list[str]:
    """The values of a metric that are shown: R, P and F1 if they are wanted and it has them."""
    parts = [part for part in SHORT if part in METRICS[metric].values]
    return parts if rpf and len(parts) > 1 else ["main"]


def run_spreads(section: Section, digits: int) -> Table:
    """The runs of each system by the official score: their mean and spread, and the parts of its variance."""
    rows = []
    for name in section.names:
        spread = section.spreads[name][section.official]
        total = spread.by_documents + (spread.by_runs if is_number(spread.by_runs) else 0.0)
        scores = [spread.mean, spread.deviation, min(spread.scores), max(spread.scores)]
        cells = [points(score, digits) for score in scores]
        shares = [part / total if total > 0 else None for part in (spread.by_documents, spread.by_runs)]
        rows.append([name, str(len(spread.scores)), *cells, *(points(share, 0) or "–" for share in shares)])
    header = ["system", "runs", "mean", "s", "lowest", "highest", "documents %", "runs %"]
    return Table(header, rows, title=titled(section, f"{METRICS[section.official].title} by run"))
