"""The tables of systems of a comparison: ranking, match rules side by side, differences, ranks by metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf

from ...comparison.ranks import merit, ranks
from ...comparison.sections import Comparison, Section
from ...comparison.testing import LEVEL
from ...metrics import METRICS
from ...paper.table import Table, signed
from ...scoring.scores import Scores, is_number
from .cells import cell, p_cell, titled
from .legend import BETTER, RANKING, WORSE, marked_official, two


def ranking(comparison: Comparison, section: Section, digits: int, rpf: bool) -> Table:
    """One row per system, best first; with a baseline, marks where a system differs from it."""
    columns = _columns(section, rpf)
    pair = two(comparison, section)
    endings = _endings(comparison, section)
    place = ranks(section.main, section.official)
    header = ["system", *_titles(section, columns, rpf), *endings]
    rows = []
    for name in section.names:
        cells = [cell(section.main[name], metric, value, digits) for metric, value in columns]
        rows.append([name, *cells, *(ending[name] for ending in endings.values())])
    below = _two_rows(section, pair, columns, digits) if pair else []
    before = 1  # columns before those of scores
    if section.ranked:
        before = 2
        header = ["", *header]
        rows = [[str(place[row[0]]), *row] for row in rows]
        below = [["", *row] for row in below]
    left = {before - 1}
    if "group" in endings:
        left.add(len(header) - 1)
    return Table(
        header,
        [*rows, *below],
        frozenset(left),
        title=section.title,
        spans=_spans(section, columns, before, len(endings)) if rpf else (),
        bold=_bold(section, columns, before),
        marks=_marks(comparison, section, columns, before),
        below=len(below),
    )


def _columns(section: Section, rpf: bool) -> list[tuple[str, str]]:
    """The metric and the value of each column of scores."""
    columns: list[tuple[str, str]] = []
    for metric in section.metrics:
        if rpf:
            columns += [(metric, value) for value in ("recall", "precision") if value in METRICS[metric].values]
        columns.append((metric, "main"))
    return columns


def _titles(section: Section, columns: Sequence[tuple[str, str]], rpf: bool) -> list[str]:
    if rpf:
        return [{"recall": "R", "precision": "P", "main": "F1"}[value] for _, value in columns]
    return [_title(section, metric) for metric, _ in columns]


def _title(section: Section, metric: str) -> str:
    """The title of a metric, with a mark if the systems are ranked by it."""
    title = METRICS[metric].title
    return f"{title} {RANKING}" if metric == marked_official(section) else title


def _endings(comparison: Comparison, section: Section) -> dict[str, dict[str, str]]:
    """The columns after the scores, each by system: the ranks that a system may have, and letters of groups."""
    endings: dict[str, dict[str, str]] = {}
    if two(comparison, section):
        return endings
    intervals = section.rank_intervals(LEVEL) if section.ranked else {}
    if intervals:
        endings["ranks"] = {name: _from_to(low, high) for name, (low, high) in intervals.items()}
    letters = {} if comparison.baseline in section.main else section.letters(LEVEL)
    if letters and len(section.names) > 1:
        endings["group"] = letters
    return endings


def _spans(
    section: Section, columns: Sequence[tuple[str, str]], before: int, after: int
) -> tuple[tuple[str, int], ...]:
    """Titles of metrics above their columns."""
    widths = Counter(metric for metric, _ in columns)
    spans = [("", before), *((_title(section, metric), width) for metric, width in widths.items())]
    if after:
        spans.append(("", after))
    return tuple(spans)


def _bold(section: Section, columns: Sequence[tuple[str, str]], before: int) -> frozenset[tuple[int, int]]:
    """The cells of the best systems, if there are several."""
    if len(section.names) < 2:
        return frozenset()
    bold: set[tuple[int, int]] = set()
    for place, (metric, value) in enumerate(columns, before):
        bold |= {(row, place) for row in _best(section, metric, value)}
    return frozenset(bold)


def _marks(
    comparison: Comparison, section: Section, columns: Sequence[tuple[str, str]], before: int
) -> dict[tuple[int, int], str]:
    """Marks at published averages that do not fit, and at F1 that differs significantly from that of the baseline."""
    marks: dict[tuple[int, int], str] = {}
    baseline = str(comparison.baseline)
    for row, name in enumerate(section.names):
        if name in section.flags:
            marks[row, before + columns.index((section.official, "main"))] = section.flags[name]
        tests = section.tests.get((baseline, name), {})
        for place, (metric, value) in enumerate(columns, before):
            if value == "main" and tests and section.adjusted[(baseline, name), metric] <= LEVEL:
                better = (tests[metric].difference > 0) != METRICS[metric].error
                marks[row, place] = BETTER if better else WORSE
    return marks


def _two_rows(
    section: Section, pair: tuple[str, str], columns: Sequence[tuple[str, str]], digits: int
) -> list[list[str]]:
    """The difference of two systems and its p, below their scores."""
    ahead, behind = pair
    tests = section.test_of(behind, ahead)
    gaps, p = ["Δ"], ["p"]
    for metric, value in columns:
        if value == "main":
            gaps.append(signed(tests[metric].difference, digits))
            p.append(p_cell(section.corrected(behind, ahead, metric)))
        else:
            gap = _part(section.main[ahead], metric, value) - _part(section.main[behind], metric, value)
            gaps.append(signed(gap, digits))
            p.append("")
    return [gaps, p]


def _from_to(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _best(section: Section, metric: str, value: str) -> list[int]:
    """Rows of the best systems by a value."""
    if value == "main":
        numbers = [merit(section.main[name], metric) for name in section.names]
    else:
        numbers = [_part(section.main[name], metric, value) for name in section.names]
    return [n for n, x in enumerate(numbers) if x == max(numbers) > min(numbers)]  # if all are equal, none is best


def _part(scores: Scores, metric: str, value: str) -> float:
    number = getattr(scores[metric], value) if metric in scores else None
    return float(number) if is_number(number) else -inf


def matchings(section: Section, digits: int) -> Table:
    """F1 under each matching side by side, and the rank under each."""
    kinds = list(section.scores)
    shown = section.metrics
    header = ["system", *(len(shown) * kinds), *kinds]
    place = {kind: ranks(section.scores[kind], section.official) for kind in kinds}
    rows = []
    for name in section.names:
        row = [name]
        for metric in shown:
            row += [cell(section.scores[kind][name], metric, "main", digits) for kind in kinds]
        row += [str(place[kind][name]) for kind in kinds]
        rows.append(row)
    spans = [("", 1), *((METRICS[m].title, len(kinds)) for m in shown), ("rank", len(kinds))]
    return Table(header, rows, spans=tuple(spans), title=titled(section, f"{' beside '.join(kinds)} matching, F1"))


def differences(section: Section, baseline: str, digits: int) -> Table:
    """Each system minus the baseline: the difference, its interval, p before and after correction, effect sizes."""
    rows = []
    for name in section.names:
        if name == baseline:
            continue
        for metric in section.metrics:
            test = section.tests[baseline, name][metric]
            adjusted = section.adjusted[(baseline, name), metric]
            interval = f"[{signed(test.low, digits)}, {signed(test.high, digits)}]" if is_number(test.low) else ""
            cells = [signed(test.difference, digits), interval, _p(test.p), _p(adjusted), _plain(test.effect)]
            rows.append([name, METRICS[metric].title, *cells, f"{test.wins}/{test.losses}"])
    header = ["system", "metric", "Δ", "interval", "p", "p corrected", "d", "documents +/–"]
    title = titled(section, f"differences to {baseline}, in points")
    return Table(header, rows, frozenset({0, 1}), title=title)


def rank_changes(section: Section) -> Table:
    """The rank of each system by each metric."""
    shown = section.metrics
    place = {metric: ranks(section.main, metric) for metric in shown}
    rows = [[name, *(str(place[metric][name]) for metric in shown)] for name in section.names]
    first = {dispute.metric for dispute in section.disputes}
    marks: dict[tuple[int, int], str] = {}
    for row, name in enumerate(section.names):
        for column, metric in enumerate(shown, start=1):
            if metric in first and place[metric][name] == 1:
                marks[row, column] = "!"
    title = titled(section, "rank by metric")
    return Table(["system", *(METRICS[m].title for m in shown)], rows, title=title, marks=marks)


def reordered(section: Section) -> bool:
    """Whether some metric ranks the systems in another order than the official score."""
    official = ranks(section.main, section.official)
    coreference = [m for m in section.metrics if not getattr(METRICS[m], "mention_detection", False)]
    return section.ranked and any(ranks(section.main, m) != official for m in coreference)


def _plain(x: float) -> str:
    return f"{x:+.2f}".replace("-", "−") if is_number(x) else "n/a"


def _p(p: float) -> str:
    if not is_number(p):
        return "n/a"
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"
