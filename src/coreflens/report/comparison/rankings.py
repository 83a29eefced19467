"""The tables of a comparison: ranking, differences to a baseline, ranks by metric, groups, matchings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf

from ...comparison.numbers import plain, records
from ...comparison.ranks import merit, ranks
from ...comparison.sections import Comparison, Section
from ...comparison.testing import LEVEL
from ...comparison.verdict import short_p
from ...comparison.with_published import among, shifts
from ...errors import UsageError, choose
from ...metrics import METRICS
from ...paper.table import Table, points, score_points, signed
from ...paper.writers import FORMATS, WRITERS
from ...scoring.scores import Scores, fixed, is_number
from ...stats import Interval
from .grids import PAPER, approaches, by_tagger, metrics_by_group, paper_ranking, summary
from .legend import BETTER, SPREADS, WORSE, columns, disagreements, group_legend, legend, oddities, reference, two

SHOWN = ("official", "all")


def render(
    comparison: Comparison,
    format: str = "table",
    *,
    digits: int | None = None,
    rpf: bool = False,
    width: str = "",
    show: str = "official",
    paper_rounding: bool = False,
) -> str:
    """A comparison in one of `FORMATS`."""
    choose(format, FORMATS, "format")
    choose(show, SHOWN, "value of --show")
    if paper_rounding:
        return _paper(comparison, format, 3 if digits is None else digits, width)
    if format == "json":
        return json.dumps(plain(comparison), ensure_ascii=False, indent=1, allow_nan=False)
    if format == "csv":
        return _csv(comparison)
    if digits is None:
        digits = _digits(comparison)
    tables = list(_tables(comparison, digits, rpf, show))
    tables[0] = _captioned(comparison, tables[0][0], digits, format), tables[0][1]
    tables[-1][1].extend(_last_notes(comparison, format))
    written = (WRITERS[format](replace(table, width=width), "\n".join(notes)).rstrip("\n") for table, notes in tables)
    return _remarks(comparison, format) + "\n\n".join(written)


def _csv(comparison: Comparison) -> str:
    rows = records(comparison)
    header = list(rows[0]) if rows else []
    cells = [["" if value is None else str(value) for value in row.values()] for row in rows]
    return WRITERS["csv"](Table(header, cells), "")


def _captioned(comparison: Comparison, table: Table, digits: int, format: str) -> Table:
    """The first table with the verdict as its caption, or with the source of published numbers."""
    caption = comparison.told(digits)
    if not caption and not any(section.ranked for section in comparison.sections):
        caption = comparison.data
    table = replace(table, caption=caption)
    if format != "table" and caption != comparison.data:
        return replace(table, title=table.title or comparison.data)
    return table


def _last_notes(comparison: Comparison, format: str) -> Iterator[str]:
    """The lines below the last table: remarks, and how the systems were scored."""
    yield from comparison.notes
    if format in ("markdown", "html"):  # these hold everything; elsewhere notes are messages beside tables
        yield from oddities(comparison)
    yield from dict.fromkeys(section.signature for section in comparison.sections if section.signature)


def _remarks(comparison: Comparison, format: str) -> str:
    """The notes as remarks of LaTeX, above the tables; empty in other formats."""
    if format != "latex":
        return ""
    lines = [line for note in oddities(comparison) for line in note.splitlines()]
    if not lines:
        return ""
    return "\n".join(f"% {line}" for line in lines) + "\n"


def _digits(comparison: Comparison) -> int:
    """Two decimals, or as many as were printed in the tables of the package."""
    if not comparison.data or any(section.ranked for section in comparison.sections):
        return 2
    decimals = [_decimals(number) for number in _printed_numbers(comparison)]
    return max(decimals, default=2)


def _printed_numbers(comparison: Comparison) -> Iterator[float | Fraction]:
    """The published numbers of all tables; an F1 beside R and P is left out, because it may be computed."""
    for section in comparison.sections:
        published = [*section.main.values()]
        if section.beside is not None:
            published += section.beside.scores.values()
        for scores in published:
            for score in scores.values():
                numbers = score.numbers()
                if "recall" in numbers:
                    numbers = {name: number for name, number in numbers.items() if name != "f1"}
                yield from numbers.values()


def _decimals(number: float | Fraction) -> int:
    """The decimals of a number in points."""
    return len(fixed(number, 6, shift=2).rstrip("0").partition(".")[2])


def _tables(comparison: Comparison, digits: int, rpf: bool, show: str) -> Iterator[tuple[Table, list[str]]]:
    """All tables, each with its notes: first the rankings, in one table if their columns are the same, then the
    details."""
    sections = comparison.sections
    rankings = [ranking(comparison, section, digits, rpf) for section in sections]
    legends = [list(legend(comparison, section)) for section in sections]
    stack = len(sections) > 1 and len({tuple(table.long_header) for table in rankings}) == 1
    if stack:
        yield stacked(rankings), list(dict.fromkeys(line for lines in legends for line in lines))
    for section, table, lines in zip(sections, rankings, legends, strict=True):
        if not stack:
            yield table, lines
        yield from _details(comparison, section, digits, rpf, show)
    for alike in _summarised(sections):
        table_of_all = summary(alike, digits)
        if table_of_all is not None:
            yield table_of_all, []


def _summarised(sections: Sequence[Section]) -> Iterator[Sequence[Section]]:
    """Sections that are shown side by side: those of a track, or all if they differ by track only."""
    by_track: dict[str, list[Section]] = {}
    for section in sections:
        by_track.setdefault(section.track, []).append(section)
    groups = [sections] if len(by_track) == len(sections) else by_track.values()
    for group in groups:
        if len(group) > 1:
            yield group


def _paper(comparison: Comparison, format: str, digits: int, width: str) -> str:
    """R, P and F of each system as Cai & Strube (2010) rounded them."""
    if format == "json":
        raise UsageError("JSON has the exact numbers: --paper-rounding is for tables")
    tables = [replace(paper_ranking(section, _shown(section), digits), width=width) for section in comparison.sections]
    notes = [""] * (len(tables) - 1) + ["" if format == "csv" else PAPER]
    return "\n\n".join(WRITERS[format](t, note).rstrip("\n") for t, note in zip(tables, notes, strict=True))


def _details(
    comparison: Comparison, section: Section, digits: int, rpf: bool, show: str
) -> Iterator[tuple[Table, list[str]]]:
    metrics = _shown(section) if show == "all" else [section.official]
    if section.beside is not None:
        yield from _with_published(section, digits)
    for metric in metrics:
        if (grid := by_tagger(section, metric, digits)) is not None:
            yield grid, []
    if (described := approaches(section)) is not None:
        yield described, []
    if len(section.scores) > 1:
        yield matchings(section, digits), []
    if comparison.baseline in section.main and section.tests:
        notes = [*columns(comparison, section), *disagreements(comparison, section)]
        yield differences(section, str(comparison.baseline), digits), notes
    if _reordered(section):
        yield rank_changes(section), [f"! {dispute.describe(section.official)}" for dispute in section.disputes]
    if section.groups:
        yield by_group(comparison, section, digits), list(group_legend(comparison, section))
        if show == "all":
            yield metrics_by_group(section, metrics, digits, rpf, group_word(comparison.by)), []
    if section.spreads:
        yield run_spreads(section, digits), [SPREADS]


def _with_published(section: Section, digits: int) -> Iterator[tuple[Table, list[str]]]:
    """The systems among published ones, and how the ranks of those in both tables shift."""
    if section.ranked:
        yield among(section, digits)
    if (shifted := shifts(section, digits)) is not None:
        yield shifted


def stacked(tables: Sequence[Table]) -> Table:
    """Tables with the same columns joined into one; their titles become headings between the rows."""
    starts = [sum(len(table.rows) for table in tables[:n]) for n in range(len(tables))]
    placed = list(zip(starts, tables, strict=True))
    return replace(
        tables[0],
        title="",
        below=0,
        rows=[row for table in tables for row in table.rows],
        headings={start: table.title for start, table in placed},
        bold=frozenset((start + n, c) for start, table in placed for n, c in table.bold),
        marks={(start + n, c): mark for start, table in placed for (n, c), mark in table.marks.items()},
    )


def _shown(section: Section) -> list[str]:
    """Metrics in the order of the papers' tables: the official score last."""
    return [m for m in section.metrics if m != section.official] + [section.official]


def _cell(scores: Scores, metric: str, value: str, digits: int) -> str:
    if metric not in scores:
        return "–"
    label = scores[metric].label if value == "main" else None
    return score_points(scores[metric], value, digits) + (f" {label}" if label else "")


def ranking(comparison: Comparison, section: Section, digits: int, rpf: bool) -> Table:
    """One row per system, best first; with a baseline, marks where a system differs from it."""
    columns = _columns(section, rpf)
    pair = two(comparison, section)
    endings = _endings(comparison, section)
    place = ranks(section.main, section.official)
    header = ["system", *_titles(columns, rpf), *endings]
    rows = []
    for name in section.names:
        cells = [_cell(section.main[name], metric, value, digits) for metric, value in columns]
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
        spans=_spans(columns, before, len(endings)) if rpf else (),
        bold=_bold(section, columns, before),
        marks=_marks(comparison, section, columns, before),
        below=len(below),
    )


def _columns(section: Section, rpf: bool) -> list[tuple[str, str]]:
    """The metric and the value of each column of scores."""
    columns: list[tuple[str, str]] = []
    for metric in _shown(section):
        if rpf:
            columns += [(metric, value) for value in ("recall", "precision") if value in METRICS[metric].values]
        columns.append((metric, "main"))
    return columns


def _titles(columns: Sequence[tuple[str, str]], rpf: bool) -> list[str]:
    if rpf:
        return [{"recall": "R", "precision": "P", "main": "F1"}[value] for _, value in columns]
    return [METRICS[metric].title for metric, _ in columns]


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


def _spans(columns: Sequence[tuple[str, str]], before: int, after: int) -> tuple[tuple[str, int], ...]:
    """Titles of metrics above their columns."""
    widths = Counter(metric for metric, _ in columns)
    spans = [("", before), *((METRICS[metric].title, width) for metric, width in widths.items())]
    if after:
        spans.append(("", after))
    return tuple(spans)


def _bold(section: Section, columns: Sequence[tuple[str, str]], before: int) -> frozenset[tuple[int, int]]:
    """The cells of the best systems, if there are several."""
    if len(section.names) < 2:
        return frozenset()
    return frozenset(
        (row, place) for place, (metric, value) in enumerate(columns, before) for row in _best(section, metric, value)
    )


def _marks(
    comparison: Comparison, section: Section, columns: Sequence[tuple[str, str]], before: int
) -> dict[tuple[int, int], str]:
    """Marks at published averages that do not fit, and at F1 that differs significantly from that of the baseline."""
    marks: dict[tuple[int, int], str] = {}
    baseline = str(comparison.baseline)
    for row, name in enumerate(section.names):
        if name in section.flags:
            marks[row, before + len(columns) - 1] = section.flags[name]
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
            p.append(_short(section.corrected(behind, ahead, metric)))
        else:
            gap = _part(section.main[ahead], metric, value) - _part(section.main[behind], metric, value)
            gaps.append(signed(gap, digits))
            p.append("")
    return [gaps, p]


def _from_to(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _short(p: float) -> str:
    if not is_number(p):
        return "n/a"
    return "<.001" if p < 0.001 else short_p(p)


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
    shown = _shown(section)
    header = ["system", *(kind for _ in shown for kind in kinds), *kinds]
    place = {kind: ranks(section.scores[kind], section.official) for kind in kinds}
    rows = [
        [
            name,
            *(_cell(section.scores[kind][name], metric, "main", digits) for metric in shown for kind in kinds),
            *(str(place[kind][name]) for kind in kinds),
        ]
        for name in section.names
    ]
    spans = [("", 1), *((METRICS[m].title, len(kinds)) for m in shown), ("rank", len(kinds))]
    return Table(header, rows, spans=tuple(spans), title=_title(section, f"{' beside '.join(kinds)} matching, F1"))


def differences(section: Section, baseline: str, digits: int) -> Table:
    """Each system minus the baseline: the difference, its interval, p before and after correction, effect sizes."""
    rows = []
    for name in section.names:
        if name == baseline:
            continue
        for metric in _shown(section):
            test = section.tests[baseline, name][metric]
            adjusted = section.adjusted[(baseline, name), metric]
            interval = f"[{signed(test.low, digits)}, {signed(test.high, digits)}]" if is_number(test.low) else ""
            cells = [signed(test.difference, digits), interval, _p(test.p), _p(adjusted), _plain(test.effect)]
            rows.append([name, METRICS[metric].title, *cells, f"{test.wins}/{test.losses}"])
    header = ["system", "metric", "Δ", "interval", "p", "p corrected", "d", "documents +/–"]
    title = _title(section, f"differences to {baseline}, in points")
    return Table(header, rows, frozenset({0, 1}), title=title)


def rank_changes(section: Section) -> Table:
    """The rank of each system by each metric."""
    shown = _shown(section)
    place = {metric: ranks(section.main, metric) for metric in shown}
    rows = [[name, *(str(place[metric][name]) for metric in shown)] for name in section.names]
    first = {dispute.metric for dispute in section.disputes}
    marks = {
        (n, c + 1): "!"
        for n, name in enumerate(section.names)
        for c, metric in enumerate(shown)
        if metric in first and place[metric][name] == 1
    }
    title = _title(section, "rank by metric")
    return Table(["system", *(METRICS[m].title for m in shown)], rows, title=title, marks=marks)


def _reordered(section: Section) -> bool:
    official = ranks(section.main, section.official)
    coreference = [m for m in section.metrics if not getattr(METRICS[m], "mention_detection", False)]
    return section.ranked and any(ranks(section.main, m) != official for m in coreference)


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
        title=_title(section, f"{METRICS[section.official].title} by {group_word(comparison.by)}"),
        bold=_bold_groups(section, labels),
        marks={} if pair else _marked_groups(section, labels, reference(comparison, section)),
        below=len(below),
    )


def _official(scores: Scores, section: Section, digits: int) -> str:
    return _cell(scores, section.official, "main", digits)


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
        p.append(_short(section.within.corrected(label, ahead, behind)))
    gaps.append(signed(section.test_of(behind, ahead)[section.official].difference, digits))
    p.append(_short(section.corrected(ahead, behind, section.official)))
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
    return Table(header, rows, title=_title(section, f"{METRICS[section.official].title} by run"))


def _title(section: Section, what: str) -> str:
    return f"{section.title}: {what}" if section.title else what[0].upper() + what[1:]


def _plain(x: float) -> str:
    return f"{x:+.2f}".replace("-", "−") if is_number(x) else "n/a"


def _p(p: float) -> str:
    if not is_number(p):
        return "n/a"
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"
