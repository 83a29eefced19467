"""The tables of a comparison: ranking, differences to a baseline, ranks by metric, groups, matchings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

from ...comparison.beside import among, shifts
from ...comparison.numbers import plain, records
from ...comparison.ranks import merit, ranks
from ...comparison.sections import Comparison, Section
from ...comparison.testing import LEVEL
from ...comparison.verdict import short_p
from ...errors import UsageError, choose
from ...metrics import METRICS
from ...paper.table import Table, points, score_points, signed
from ...paper.writers import FORMATS, WRITERS
from ...scoring.scores import Scores, fixed, is_number
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
    digits = _digits(comparison) if digits is None else digits
    if format == "json":
        return json.dumps(plain(comparison), ensure_ascii=False, indent=1, allow_nan=False)
    if format == "csv":
        rows = records(comparison)
        header = list(rows[0]) if rows else []
        return WRITERS["csv"](Table(header, [["" if x is None else str(x) for x in row.values()] for row in rows]), "")
    tables = list(_tables(comparison, digits, rpf, show))
    told = comparison.told(digits)
    if not told and not any(section.ranked for section in comparison.sections):
        told = comparison.data  # where published numbers come from
    first = replace(tables[0][0], caption=told)
    if format not in ("table", "csv") and told != comparison.data:
        first = replace(first, title=first.title or comparison.data)
    tables[0] = first, tables[0][1]
    tables[-1][1].extend(comparison.notes)
    if format in ("markdown", "html"):  # these hold everything; elsewhere notes are messages beside tables
        tables[-1][1].extend(oddities(comparison))
    tables[-1][1].extend(dict.fromkeys(section.signature for section in comparison.sections if section.signature))
    written = (WRITERS[format](replace(table, width=width), "\n".join(notes)).rstrip("\n") for table, notes in tables)
    odd = [line for told in oddities(comparison) for line in told.splitlines()] if format == "latex" else []
    return "\n".join(f"% {line}" for line in odd) + "\n" * bool(odd) + "\n\n".join(written)


def _digits(comparison: Comparison) -> int:
    """Two decimals, or as many as were printed in the tables of the package."""
    if not comparison.data or any(section.ranked for section in comparison.sections):
        return 2
    every = [scores for section in comparison.sections for scores in section.main.values()]
    every += [scores for s in comparison.sections if s.beside is not None for scores in s.beside.scores.values()]
    listed = (score.numbers() for scores in every for score in scores.values())
    numbers = [x for of in listed for name, x in of.items() if name != "f1" or "recall" not in of]  # F1 may be computed
    return max((len(fixed(x, 6, shift=2).rstrip("0").partition(".")[2]) for x in numbers), default=2)


def _tables(comparison: Comparison, digits: int, rpf: bool, show: str) -> Iterator[tuple[Table, list[str]]]:
    """All tables, each with its notes: first the rankings, in one table if their columns are the same, then the
    details."""
    sections = comparison.sections
    rankings = [ranking(comparison, section, digits, rpf) for section in sections]
    below = [list(legend(comparison, section)) for section in sections]
    together = len({tuple(table.long_header) for table in rankings}) == 1 and len(sections) > 1
    if together:
        yield stacked(rankings), list(dict.fromkeys(line for lines in below for line in lines))
    for section, table, lines in zip(sections, rankings, below, strict=True):
        if not together:
            yield table, lines
        yield from _details(comparison, section, digits, rpf, show)
    tracks = dict.fromkeys(section.track for section in sections)
    together = len(tracks) == len(sections)  # sections differ by track only: side by side
    for some in [sections] if together else [[s for s in sections if s.track == track] for track in tracks]:
        if len(some) > 1 and (both := summary(some, digits)) is not None:
            yield both, []


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
    if section.beside is not None:
        if section.ranked:
            yield among(section, digits)
        if (found := shifts(section, digits)) is not None:
            yield found
    metrics = _shown(section) if show == "all" else [section.official]
    for metric in metrics:
        if (grid := by_tagger(section, metric, digits)) is not None:
            yield grid, []
    if (said := approaches(section)) is not None:
        yield said, []
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
    columns: list[tuple[str, str]] = []  # metric, value
    spans: list[tuple[str, int]] = [("", 2)]
    for metric in _shown(section):
        values = [v for v in ("recall", "precision") if rpf and v in METRICS[metric].values]
        columns += [(metric, v) for v in (*values, "main")]
        spans.append((METRICS[metric].title, len(values) + 1))
    titles = {"recall": "R", "precision": "P", "main": "F1"}
    header = ["", "system", *(titles[v] if rpf else METRICS[m].title for m, v in columns)]
    place = ranks(section.main, section.official)
    rows = []
    for name in section.names:
        rank = f"{place[name]}" if section.ranked else ""
        rows.append([rank, name, *(_cell(section.main[name], m, v, digits) for m, v in columns)])
    marks: dict[tuple[int, int], str] = {}
    for n, name in enumerate(section.names):
        if name in section.flags:
            marks[n, len(header) - 1] = section.flags[name]
        for c, (metric, value) in enumerate(columns):
            found = section.tests.get((str(comparison.baseline), name)) if value == "main" else None
            if found and section.adjusted[(str(comparison.baseline), name), metric] <= LEVEL:
                better = (found[metric].difference > 0) != METRICS[metric].error
                marks[n, c + 2] = BETTER if better else WORSE
    pair = two(comparison, section)
    letters = {} if comparison.baseline in section.main or pair else section.letters(LEVEL)
    places = {} if pair or not section.ranked else section.rank_intervals(LEVEL)
    if places:
        header.append("ranks")
        rows = [[*row, _from_to(*places[name])] for row, name in zip(rows, section.names, strict=True)]
    if letters and len(rows) > 1:
        header.append("group")
        rows = [[*row, letters[name]] for row, name in zip(rows, section.names, strict=True)]
    if len(header) > len(columns) + 2:
        spans.append(("", len(header) - len(columns) - 2))
    if not section.ranked:
        header, rows, spans = header[1:], [row[1:] for row in rows], [("", 1), *spans[1:]]
        marks = {(n, c - 1): mark for (n, c), mark in marks.items()}
    shift = header.index("system") + 1
    several = len(rows) > 1
    below = _two_rows(section, pair, columns, digits) if pair else []
    rows += [["", *row][2 - shift :] for row in below]
    bold = frozenset(
        (n, c + shift) for c, (metric, value) in enumerate(columns) if several for n in _best(section, metric, value)
    )
    left = frozenset({shift - 1, *([len(header) - 1] if header[-1] == "group" else [])})
    over = tuple(spans) if rpf else ()
    return Table(header, rows, left, title=section.title, spans=over, bold=bold, marks=marks, below=len(below))


def _two_rows(
    section: Section, pair: tuple[str, str], columns: Sequence[tuple[str, str]], digits: int
) -> list[list[str]]:
    """The difference of two systems and its p, below their scores."""
    ahead, behind = pair
    tests = section.test_of(behind, ahead)
    gaps = [
        _part(section.main[ahead], m, v) - _part(section.main[behind], m, v) if v != "main" else tests[m].difference
        for m, v in columns
    ]
    p = [_short(section.corrected(behind, ahead, m)) if v == "main" else "" for m, v in columns]
    return [["Δ", *(signed(gap, digits) for gap in gaps)], ["p", *p]]


def _from_to(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _short(p: float) -> str:
    return "n/a" if not is_number(p) else "<.001" if p < 0.001 else short_p(p)


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
        of = section.groups[name]
        cells = [_cell(of[label], section.official, "main", digits) if label in of else "–" for label in labels]
        rows.append([name, *cells, _cell(section.main[name], section.official, "main", digits)])
        if intervals:
            found = intervals[name][section.official]
            ends = found.get("f1") or found["value"]
            shown = f"[{points(ends.low, digits)}, {points(ends.high, digits)}]" if is_number(ends.low) else ""
            rows[-1].append(shown)
    marks = {}
    if against := reference(comparison, section):
        sign = -1 if METRICS[section.official].error else 1
        for c, label in enumerate(labels):
            for n, name in enumerate(section.names):
                test = section.within.test_of(label, against, name)
                if test is not None and section.within.corrected(label, against, name) <= LEVEL:
                    marks[n, c + 1] = BETTER if sign * test.difference > 0 else WORSE
    pair = two(comparison, section)
    below = []
    if pair and section.within.tests:
        tests = [section.within.test_of(label, pair[1], pair[0]) for label in labels]
        whole = section.test_of(pair[1], pair[0])[section.official]
        below = [
            [
                "Δ",
                *("–" if t is None else signed(t.difference, digits) for t in tests),
                signed(whole.difference, digits),
            ],
            ["p", *(_short(section.within.corrected(label, *pair)) for label in labels)],
        ]
        below[1].append(_short(section.corrected(*pair, section.official)))
        rows += [[*row, *[""] * bool(intervals)] for row in below]
    best = []
    for c, label in enumerate(labels):
        numbers = [merit(section.groups[n][label], section.official) for n in section.names]
        best += [(n, c + 1) for n, x in enumerate(numbers) if x == max(numbers) > min(numbers)]
    by = group_word(comparison.by)
    title = _title(section, f"{METRICS[section.official].title} by {by}")
    header = ["system", *labels, "mean" if section.macro else "all"]
    if intervals:
        header.append(f"{100 * float(comparison.how['confidence']):g}% interval")
    return Table(header, rows, title=title, bold=frozenset(best), marks={} if pair else marks, below=len(below))


def group_word(by: str) -> str:
    """The name of the groups in a title."""
    return by if by in ("genre", "source", "part", "document", "dataset") else "group"


def run_spreads(section: Section, digits: int) -> Table:
    """The runs of each system by the official score: their mean and spread, and the parts of its variance."""
    rows = []
    for name in section.names:
        spread = section.spreads[name][section.official]
        total = spread.by_documents + (spread.by_runs if is_number(spread.by_runs) else 0.0)
        cells = [points(x, digits) for x in (spread.mean, spread.deviation, min(spread.scores), max(spread.scores))]
        parts = [
            points(part / total if total > 0 else None, 0) or "–" for part in (spread.by_documents, spread.by_runs)
        ]
        rows.append([name, str(len(spread.scores)), *cells, *parts])
    header = ["system", "runs", "mean", "s", "lowest", "highest", "documents %", "runs %"]
    return Table(header, rows, title=_title(section, f"{METRICS[section.official].title} by run"))


def _title(section: Section, what: str) -> str:
    return f"{section.title}: {what}" if section.title else what[0].upper() + what[1:]


def _plain(x: float) -> str:
    return f"{x:+.2f}".replace("-", "−") if is_number(x) else "n/a"


def _p(p: float) -> str:
    return ("<0.0001" if p < 0.0001 else f"{p:.4f}") if is_number(p) else "n/a"
