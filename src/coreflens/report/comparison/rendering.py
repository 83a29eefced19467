"""A comparison as text: all its tables in one format, each with its notes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from ...comparison.numbers import comparison_json, records
from ...comparison.sections import Comparison, Section
from ...errors import UsageError, choose
from ...paper.table import Table
from ...paper.writers import FORMATS, WRITERS
from ...scoring.scores import fixed
from .grids import PAPER, approaches, by_tagger, paper_ranking, summary
from .groups import by_group, group_word, metrics_by_group, run_spreads
from .legend import SPREADS, columns, disagreements, group_legend, legend, oddities
from .published import among, shifts
from .rankings import differences, matchings, rank_changes, ranking, reordered

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
        return json.dumps(comparison_json(comparison), ensure_ascii=False, indent=1, allow_nan=False)
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
    texts = []
    for section in comparison.sections:
        table = replace(paper_ranking(section, section.metrics, digits), width=width)
        is_last = section is comparison.sections[-1]
        note = PAPER if is_last and format != "csv" else ""
        texts.append(WRITERS[format](table, note).rstrip("\n"))
    return "\n\n".join(texts)


def _details(
    comparison: Comparison, section: Section, digits: int, rpf: bool, show: str
) -> Iterator[tuple[Table, list[str]]]:
    metrics = section.metrics if show == "all" else [section.official]
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
    if reordered(section):
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
    rows: list[list[str]] = []
    headings: dict[int, str] = {}
    bold: set[tuple[int, int]] = set()
    marks: dict[tuple[int, int], str] = {}
    for table in tables:
        start = len(rows)
        rows += table.rows
        headings[start] = table.title
        bold |= {(start + row, column) for row, column in table.bold}
        marks |= {(start + row, column): mark for (row, column), mark in table.marks.items()}
    return replace(tables[0], title="", below=0, rows=rows, headings=headings, bold=frozenset(bold), marks=marks)
