"""The ways to write a table: text, Markdown, LaTeX, CSV and HTML."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..errors import visible
from ..scoring.signature import shown
from .table import Table

FORMATS = ("table", "json", "csv", "markdown", "latex", "html")  # of most results; JSON is their `to_dict`


def _text(table: Table, note: str) -> str:
    header, rows = _with_marks(table)
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    spans = _spans_above(table, widths)

    def line(cells: list[str]) -> str:
        padded = []
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            padded.append(cell.ljust(width) if place in table.left else cell.rjust(width))
        return "  ".join(padded).rstrip()

    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    ordinary = len(table.rows) - table.strong - table.below
    lines = [*spans, line(header), rule]
    for n, row in enumerate(rows):
        if n in table.headings:
            if n:
                lines.append("")
            lines.append(table.headings[n])
        if 0 < n == ordinary:
            lines.append(rule)
        lines.append(line(row))
    blocks = filter(None, (table.caption, table.title, "\n".join(lines), note))
    return "\n\n".join(blocks)


def _with_marks(table: Table) -> tuple[list[str], list[list[str]]]:
    """Header and rows with the marks behind their cells. A column with marks has room for them in every row."""
    rooms = [0] * len(table.header)
    for (_, place), mark in table.marks.items():
        if place < len(rooms):
            rooms[place] = max(rooms[place], len(mark))
    rows = []
    for n, row in enumerate(table.rows):
        marks = [table.marks.get((n, place), "").ljust(rooms[place]) for place in range(len(row))]
        rows.append([cell + mark for cell, mark in zip(row, marks, strict=True)])
    header = [name + " " * room for name, room in zip(table.header, rooms, strict=True)]
    return header, rows


def _spans_above(table: Table, widths: list[int]) -> list[str]:
    """The line of headings over several columns, if there are any; columns below a long heading are widened."""
    line = ""
    place = 0
    for label, columns in table.spans:
        gaps = 2 * (columns - 1)
        lacking = len(label) - sum(widths[place : place + columns]) - gaps
        widths[place] += max(lacking, 0)
        line += f"{label:^{sum(widths[place : place + columns]) + gaps}}  "
        place += columns
    return [line.rstrip()] if table.spans else []


def _markdown(table: Table, note: str) -> str:
    def line(cells: list[str]) -> str:
        return "| " + " | ".join(markdown(cell).replace("|", "\\|") for cell in cells) + " |"

    rule = ["---" if place in table.left else "--:" for place in range(len(table.header))]
    rows = [
        [
            (f"**{cell}**" if (n, place) in table.bold else cell) + table.marks.get((n, place), "")
            for place, cell in enumerate(row)
        ]
        for n, row in enumerate(table.rows)
    ]
    title = [f"**{markdown(table.title)}**", ""] if table.title else []
    for n, heading in sorted(table.headings.items(), reverse=True):
        rows.insert(n, [""] * len(table.header))
        rows[n][min(table.left, default=0)] = f"*{heading}*"
    said = [_markdown_note(table.caption), ""] if table.caption else []
    lines = [*said, *title, line(table.long_header), line(rule), *map(line, rows)]
    return "\n".join([*lines, *(["", _markdown_note(note)] if note else [])]) + "\n"


def _markdown_note(note: str) -> str:
    """Signatures as code, words as words."""
    lines = note.splitlines()
    return "\n\n".join(f"`{line}`" if line.startswith("coreflens:") else markdown(line) for line in lines)


def markdown(text: str) -> str:
    """Text in which HTML has no effect: a name such as `<script>` is shown as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_FORMULA = r"[=+\-@\t\r]"
_A_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?:/\d+)?"


def csv_cell(text: str) -> str:
    """A cell that no spreadsheet reads as a formula: text that begins like one gets a `'` before it, numbers do not."""
    return f"'{text}" if re.match(_FORMULA, text) and not re.fullmatch(_A_NUMBER, text) else text


def _csv(table: Table, note: str) -> str:
    import csv

    buffer = io.StringIO()
    rows = ([csv_cell(cell) for cell in row] for row in [table.long_header, *table.rows])
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue() + "".join(f"# {line}\n" for line in note.splitlines())


def _shown(write: Callable[[Table, str], str]) -> Callable[[Table, str], str]:
    """A way to write tables in which line breaks and control characters of a cell are shown, and signatures short."""

    def written(table: Table, note: str) -> str:
        return write(
            replace(
                table,
                header=[visible(cell) for cell in table.header],
                rows=[[visible(cell) for cell in row] for row in table.rows],
                title=visible(table.title),
                caption=visible(table.caption, keep="\n"),
                headings={n: visible(heading) for n, heading in table.headings.items()},
            ),
            visible("\n".join(map(shown, note.splitlines())), keep="\n"),
        )

    return written


def _latex(table: Table, note: str) -> str:
    from .latex import latex

    return latex(table, note)


def _html(table: Table, note: str) -> str:
    from .web import fragment

    return fragment(table, note)


WRITERS: dict[str, Callable[[Table, str], str]] = {
    "table": _shown(_text),
    "markdown": _shown(_markdown),
    "latex": _shown(_latex),
    "csv": _csv,  # in which they may stand, in quotes
    "html": _shown(_html),
}


def titled(title: str, table: Table, format_: str) -> str:
    """A table below its title. The title is the caption in LaTeX."""
    if format_ == "latex":
        return WRITERS[format_](replace(table, title=title), "").rstrip("\n")
    form = {"table": "{}\n", "markdown": "### {}\n\n", "csv": "# {}\n", "html": "<h3>{}</h3>\n"}[format_]
    if format_ in ("html", "markdown"):
        from html import escape

        title = escape(title)
    return form.format(title) + WRITERS[format_](table, "").rstrip("\n")


def written(tables: Sequence[Table], format: str, note: str) -> str:
    """Tables one after the other, and a note below the last."""
    notes = [""] * (len(tables) - 1) + ["" if format == "csv" else note]
    return "\n\n".join(WRITERS[format](table, text).rstrip("\n") for table, text in zip(tables, notes, strict=True))
