"""Tables of cells, and the ways to write one."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from ..errors import visible
from ..metrics import METRICS
from ..scoring.scores import Number, Score, is_number, percent
from ..scoring.signature import shown

NOT_AVAILABLE = "n/a"


@dataclass(frozen=True, slots=True)
class Table:
    """Header and rows of text; `left` columns are words, the others numbers. The last `strong` rows stand apart,
    in bold where a format has it; the last `below` rows stand apart, as what is computed from those above.

    `spans` are headings over several columns each, all columns covered in order; cells (row, column) of `bold` are the
    best of theirs, `marks` stand behind a cell, such as a dagger, and `headings` before the row of that number. The
    `caption` says in sentences what the table shows; `name` is the title in LaTeX if there is none in a terminal;
    `width` is where LaTeX puts it, in a column or across a page.
    """

    header: list[str]
    rows: list[list[str]]
    left: frozenset[int] = frozenset({0})
    strong: int = 0
    title: str = ""
    spans: tuple[tuple[str, int], ...] = ()
    bold: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    headings: Mapping[int, str] = field(default_factory=dict)
    below: int = 0
    caption: str = ""
    width: str = ""
    name: str = ""

    @property
    def long_header(self) -> list[str]:
        """The header with its spans in each cell, for formats that have one line of header."""
        over = [label for label, width in self.spans for _ in range(width)] or [""] * len(self.header)
        return [f"{span} {name}".strip() for span, name in zip(over, self.header, strict=True)]


def points(number: Number | None, digits: int) -> str:
    """A share in points, halves rounded up; n/a if it is not defined, empty if the metric does not have it."""
    if number is None:
        return ""
    return percent(number, digits) if is_number(number) else NOT_AVAILABLE


def signed(number: Number | None, digits: int, plus: bool = True) -> str:
    """A difference in points, with a true minus sign, and a plus sign if asked for; n/a if it is not defined."""
    if not is_number(number):
        return NOT_AVAILABLE
    text = percent(number, digits)
    text = text if text.startswith("-") else f"+{text}"
    if not text.strip("+-0."):  # no sign if the difference is rounded to 0
        return text[1:]
    return text.replace("-", "−") if plus else text.lstrip("+").replace("-", "−")


def score_points(score: Score, name: str, digits: int, counted: bool = False) -> str:
    """One of a score's numbers (`main`: F1 or the value) in points; n/a also for 0/0, unless shown as `counted`.

    A metric whose paper says what 0/0 counts as shows that number.
    """
    number = getattr(score, name)
    counted = counted or has_own_rule(score.metric)
    return points(number if counted or number is None or score.defined(name) else np.nan, digits)


def has_own_rule(metric: str) -> bool:
    """Whether the metric's own paper says what 0/0 counts as."""
    return getattr(METRICS[metric], "zero_over_zero", None) is not None


def exact_points(score: Score, name: str, digits: int) -> str:
    """The same, followed by its fraction if it was computed with fractions: `66.67 = 2/3`."""
    number = getattr(score, name)
    shown = score_points(score, name, digits)
    return f"{shown} = {number}" if isinstance(number, Fraction) and shown != NOT_AVAILABLE else shown


def _text(table: Table, note: str) -> str:
    tails = [
        max((len(mark) for (_, column), mark in table.marks.items() if column == place), default=0)
        for place in range(len(table.header))
    ]
    rows = [
        [cell + table.marks.get((n, place), "").ljust(tails[place]) for place, cell in enumerate(row)]
        for n, row in enumerate(table.rows)
    ]
    header = [name + " " * tail for name, tail in zip(table.header, tails, strict=True)]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    over = ""
    place = 0
    for label, width in table.spans:
        lacking = len(label) - sum(widths[place : place + width]) - 2 * (width - 1)
        widths[place] += max(lacking, 0)
        over += f"{label:^{sum(widths[place : place + width]) + 2 * (width - 1)}}  "
        place += width

    def line(cells: list[str]) -> str:
        padded = (
            cell.ljust(width) if place in table.left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "  ".join(padded).rstrip()

    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    ordinary = len(table.rows) - table.strong - table.below
    lines = [
        *([table.caption, ""] if table.caption else []),
        *([table.title, ""] if table.title else []),
        *([over.rstrip()] if over else []),
    ]
    lines += [line(header), rule]
    for n, row in enumerate(rows):
        if n in table.headings:
            lines += [*([""] if n else []), table.headings[n]]
        lines += [rule] * (0 < n == ordinary) + [line(row)]
    return "\n".join([*lines, *(["", note] if note else [])])


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
