r"""Tables as LaTeX: environments that compile without changes, with booktabs.

A table that is too wide for its place gets narrower gaps, and is then turned or split. A table that is too high for a
page continues on the next one. Widths are those of Computer Modern, for a column of 7.7 cm and a page of 16 cm as in
many proceedings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .table import Table

COLUMN, PAGE, TURNED = 219.0, 455.0, 545.0  # in points; a turned table is as wide as a page is high
ROWS, TURNED_ROWS = 46, 28  # lines on one page, with those of caption and legend
_asked: ContextVar[str] = ContextVar("width", default="")
_EXTENTS = {2.6: ".,;:'il|![]j", 3.7: "()-tfrsI1/", 6.5: "ABCDEFGHKLNOPQRTUVXYZmw&%αφΣ∩", 7.3: "+−=<>±≤≥≈×→–…MW"}
_EXTENT = {letter: extent for extent, letters in _EXTENTS.items() for letter in letters} | dict.fromkeys("1", 4.7)
_LETTER = 4.7  # the width of a digit, and of most other letters, of \\small in points
_GAPS = (6.0, 3.5, 2.5)  # between columns, on either side; the last only if a width is asked for
_WIDEST = 170.0  # wider words are broken into lines

_TEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "³": "$^3$",
    "−": "$-$",
    "|": r"\textbar{}",
    "†": r"$^\dagger$",
    "°": r"$^\circ$",
    "▼": r"$\bigtriangledown$",
    "‡": r"$^\ddagger$",
    "Δ": r"$\Delta$",
    "–": "--",
    "≤": r"$\le$",
    "·": r"$\cdot$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "…": r"\ldots{}",
    "′": "$'$",
    "²": "$^2$",
    "⁺": "$^+$",
    "Σ": r"$\sum$",
    "∩": r"$\cap$",
    "∅": r"$\emptyset$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "φ": r"$\phi$",
    "π": r"$\pi$",
    "σ": r"$\sigma$",
    "×": r"$\times$",
    "≥": r"$\ge$",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "→": r"$\to$",
    "≈": r"$\approx$",
    "’": "'",
    "‘": "`",
    "“": "``",
    "”": "''",
    "—": "---",
    "\u00a0": "~",
    "″": "$''$",
}


def tex(text: str) -> str:
    """Text as LaTeX shows it."""
    return "".join(_TEX.get(c, c) for c in text)


def latex(table: Table, note: str) -> str:
    """A table with caption, label, and its notes below; what it needs and the signature are comments."""
    table = replace(table, left=frozenset(place for place in table.left if place < len(table.header)))
    signatures, legend = _signatures_and_legend(note)
    environment, gap, blocks = _layout(table)
    comments = _comments(table, environment, signatures, legend)
    title = table.title or table.name or ("" if table.caption else _named(table.header[0]))
    caption = _caption(title, table)
    floats = list(_floats(table, blocks, _room(environment, [caption, *legend])))
    pieces = []
    for place, (part, some) in enumerate(floats):
        below = legend if place + 1 == len(floats) else []
        over = f"{title or 'The same systems'}, continued." if place else caption
        label = "" if place else _label(title, table)
        pieces.append(_float(part, environment, gap, some, below, over, label))
    return "\n".join([*comments, "\n\n".join(pieces)]) + "\n"


def _signatures_and_legend(note: str) -> tuple[list[str], list[str]]:
    signatures, legend = [], []
    for line in filter(None, note.splitlines()):
        if line.startswith("coreflens:"):
            signatures.append(line)
        else:
            legend.append(line)
    return signatures, legend


def _is_turned(environment: str) -> bool:
    return environment.startswith("sideways")


def _comments(table: Table, environment: str, signatures: Sequence[str], legend: Sequence[str]) -> list[str]:
    """What the table needs, and how its numbers came about."""
    packages = "booktabs,rotating" if _is_turned(environment) else "booktabs"
    comments = [f"% needs \\usepackage{{{packages}}}", *(f"% {line}" for line in signatures)]
    if odd := _unknown(table, legend):
        comments.append(f"% these characters need XeLaTeX or LuaLaTeX, and a font that has them: {odd}")
    return comments


def _caption(title: str, table: Table) -> str:
    """The title and the sentences of the caption, each with its full stop."""
    sentences = filter(None, (title, *table.caption.splitlines()))
    return " ".join(sentence if sentence.endswith((".", ":")) else f"{sentence}." for sentence in sentences)


def _label(title: str, table: Table) -> str:
    return title or " ".join(table.header[n] for n in sorted(table.left)) or "scores"


def _room(environment: str, texts: Sequence[str]) -> int:
    """How many lines of a page are left for the table, with these texts around it."""
    letters, lines = 100, ROWS
    if environment == "table":
        letters = 46
    elif _is_turned(environment):
        letters, lines = 130, TURNED_ROWS
    return max(lines - sum(ceil(len(text) / letters) for text in texts), 12)


def _float(
    table: Table,
    environment: str,
    gap: float,
    blocks: Sequence[Sequence[int]],
    legend: Sequence[str],
    caption: str,
    label: str,
) -> str:
    lines = [rf"\begin{{{environment}}}", r"\centering\small"]
    lines += [rf"\setlength{{\tabcolsep}}{{{gap:g}pt}}"] if gap != _GAPS[0] else []
    lines.append("\n\\par\\medskip\n".join(tabular(_columns(table, block)) for block in blocks))
    if legend:
        below = "\\par\n".join(_prose(line) for line in legend)
        lines += [r"\par\smallskip", r"\begin{minipage}{\linewidth}\footnotesize", below, r"\end{minipage}"]
    lines += [rf"\caption{{{_prose(caption)}}}", *([rf"\label{{tab:{_slug(label)}}}"] if label else [])]
    return "\n".join([*lines, rf"\end{{{environment}}}"])


def running(table: Table) -> str:
    """Cells in a running text, with narrower gaps, in pieces that a page can hold."""
    close = _width(table, range(len(table.header)), _GAPS[1]) > PAGE - 10
    how = rf"\{'footnotesize' if close else 'small'}\setlength{{\tabcolsep}}{{{2.5 if close else _GAPS[1]:g}pt}}"
    pieces = "\n\n\\noindent\n".join(tabular(part) for part in _pages(table, ROWS))
    return f"{{{how}\\noindent\n{pieces}\\par}}\\medskip"


def _named(column: str) -> str:
    """What a table without a title shows, by its first column: `F1 by group`, `Scores by system`."""
    if not column or not column[0].islower():
        return column or "Scores"
    return f"Scores {column}" if column.startswith("by ") else f"Scores by {column}"


def _prose(text: str) -> str:
    """Sentences as LaTeX shows them: p in italics, and with its number on one line."""
    return re.sub(r"\bp (=|\\textless\{\}|\$\\le\$) (?=[.\d])", r"$p$~\1~", tex(text))


def tabular(table: Table) -> str:
    """The cells alone, for a place in a running text."""
    words = [place for place in range(len(table.header)) if place in table.left]
    broken = {place for place in words if _longest(table, place) > _WIDEST}
    end = r" \tabularnewline" if broken else r" \\"
    alignment = ""
    for place in range(len(table.header)):
        if place in broken:
            alignment += f"p{{{_WIDEST:.0f}pt}}"
        else:
            alignment += "l" if place in table.left else "r"
    ordinary = len(table.rows) - table.strong - table.below
    body: list[str] = []
    for n, row in enumerate(table.rows):
        if n in table.headings:
            heading = rf"\multicolumn{{{len(table.header)}}}{{l}}{{\textit{{{tex(table.headings[n])}}}}}{end}"
            body += [*([r"\midrule"] if n else []), heading, r"\midrule"]
        if 0 < n == ordinary:
            body.append(r"\midrule")
        cells = [_cell(table, n, place, cell, place in broken) for place, cell in enumerate(row)]
        body.append(_tex_line(cells, end))
    header = _tex_line([tex(cell) for cell in table.header], end)
    lines = [rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}", r"\toprule", *_tex_spans(table, end), header, r"\midrule"]
    return "\n".join([*lines, *body, r"\bottomrule", r"\end{tabular}"])


def _tex_line(cells: list[str], end: str) -> str:
    line = " & ".join(cells) + end
    return "{}" + line if line.startswith("[") else line  # or it would be taken for an argument of the \\ before


def _tex_spans(table: Table, end: str) -> list[str]:
    """The headings over several columns, with the rules below them; none if no span has a heading."""
    cells, rules = [], []
    start = 1
    for label, width in table.spans:
        if label:
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{tex(label)}}}")
            rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
        else:
            cells.append("&" * (width - 1))
        start += width
    return [_tex_line(cells, end), " ".join(rules)] if rules else []


def _cell(table: Table, n: int, place: int, cell: str, broken: bool) -> str:
    """A cell; its mark is in the margin of a column of numbers, so that the numbers stay aligned."""
    cell = re.sub(r"(?<![\w.)\]])-(?=\.?\d)", "−", cell)
    text = rf"\textbf{{{tex(cell)}}}" if (n, place) in table.bold else tex(cell)
    if broken:
        text = re.sub(r"(/|\\_)(?=.)", r"\1\\allowbreak{}", text)  # paths have no spaces
        text = rf"\raggedright {text}"
    mark = tex(table.marks.get((n, place), ""))
    return text + (mark if not mark or place in table.left else rf"\rlap{{{mark}}}")


@contextmanager
def fitting(width: str) -> Iterator[None]:
    """Tables that ask for no width themselves fit into this one, "column" or "page", within a `with` block."""
    token = _asked.set(width)
    try:
        yield
    finally:
        _asked.reset(token)


def _layout(table: Table) -> tuple[str, float, list[list[int]]]:
    """The environment, the gap between columns, and the columns of each block below the other."""
    every = list(range(len(table.header)))
    width = table.width or _asked.get()
    for place, environment, room in (("column", "table", COLUMN), ("page", "table*", PAGE)):
        if width in (place, ""):
            for gap in _GAPS if width else _GAPS[:2]:
                if _width(table, every, gap) <= room:
                    return environment, gap, [every]
    if width != "column" and _width(table, every, _GAPS[1]) <= TURNED:
        return "sidewaystable*", _GAPS[1], [every]
    room = COLUMN if width == "column" else PAGE
    blocks = _split(table, room)
    if width == "column" and any(_width(table, block, _GAPS[1]) > room for block in blocks):
        return _layout(replace(table, width="page"))  # a column of words alone is too wide
    return ("table" if width == "column" else "table*"), _GAPS[1], blocks


def _split(table: Table, room: float) -> list[list[int]]:
    """Columns in as few blocks as fit, of about the same width."""
    blocks = _packed(table, room)
    while len(even := _packed(table, room - 5)) == len(blocks) and room > 50:
        blocks, room = even, room - 5
    return blocks


def _packed(table: Table, room: float) -> list[list[int]]:
    """Columns in blocks that fit, each with the first columns up to the first one of words; spans stay together."""
    first = list(range(min(table.left, default=0) + 1))
    units: list[list[int]] = []
    start = 0
    for _, width in table.spans or [("", 1)] * len(table.header):
        units.append([place for place in range(start, start + width) if place not in first])
        start += width
    blocks: list[list[int]] = []
    for unit in filter(None, units):
        if blocks and _width(table, [*blocks[-1], *unit], _GAPS[1]) <= room:
            blocks[-1] += unit
        else:
            blocks.append([*first, *unit])
    return blocks or [first]


def _columns(table: Table, places: Sequence[int]) -> Table:
    """Some columns of a table."""
    if len(places) == len(table.header):
        return table
    at = {place: n for n, place in enumerate(places)}
    return replace(
        table,
        header=[table.header[place] for place in places],
        rows=[[row[place] for place in places] for row in table.rows],
        left=frozenset(at[place] for place in table.left if place in at),
        spans=tuple(_spans_of(table, places)),
        bold=frozenset((n, at[place]) for n, place in table.bold if place in at),
        marks={(n, at[place]): mark for (n, place), mark in table.marks.items() if place in at},
    )


def _spans_of(table: Table, places: Sequence[int]) -> list[tuple[str, int]]:
    """The headings over some columns. One whose columns are not beside each other any more is repeated."""
    if not table.spans:
        return []
    labels: list[str] = []
    starts: set[int] = set()
    for label, width in table.spans:
        starts.add(len(labels))
        labels += [label] * width
    spans: list[tuple[str, int]] = []
    for n, place in enumerate(places):
        continues = n > 0 and place not in starts and places[n - 1] == place - 1
        if continues:
            spans[-1] = spans[-1][0], spans[-1][1] + 1
        else:
            spans.append((labels[place], 1))
    return spans


def _floats(table: Table, blocks: list[list[int]], room: int) -> Iterator[tuple[Table, list[list[int]]]]:
    """The contents of each float: as many rows as a page can hold, and as many blocks of these rows as fit."""
    for part in _pages(table, room):
        chosen: list[list[int]] = []
        for block in blocks:
            if chosen and sum(_height(_columns(part, b)) for b in [*chosen, block]) > room:
                yield part, chosen
                chosen = []
            chosen = [*chosen, block]
        yield part, chosen


def _pages(table: Table, room: int) -> Iterator[Table]:
    """The rows in as many pieces as pages are needed."""
    start, head = 0, _height(replace(table, rows=[], headings={}))
    while start < max(len(table.rows), 1):
        end, height = start, head
        while end < len(table.rows) and (end == start or height + _lines(table, end) <= room):
            height += _lines(table, end)
            end += 1
        yield _rows(table, start, max(end, 1))
        start = max(end, 1)


def _rows(table: Table, start: int, end: int) -> Table:
    """Some rows of a table."""
    end = min(end, len(table.rows))
    last = end == len(table.rows)
    return replace(
        table,
        rows=table.rows[start:end],
        bold=frozenset((n - start, place) for n, place in table.bold if start <= n < end),
        marks={(n - start, place): mark for (n, place), mark in table.marks.items() if start <= n < end},
        headings={n - start: heading for n, heading in table.headings.items() if start <= n < end},
        strong=table.strong if last else 0,
        below=table.below if last else 0,
    )


def _height(table: Table) -> float:
    """About how many lines a table has, with its head and rules."""
    rows = sum(_lines(table, n) for n in range(len(table.rows)))
    return rows + 3 + 1.5 * any(label for label, _ in table.spans)


def _lines(table: Table, n: int) -> float:
    """About how many lines a row has, with the heading before it."""
    row = table.rows[n]
    longest = max((_extent(row[place]) for place in table.left if place < len(row)), default=0.0)
    return max(ceil(1.1 * longest / _WIDEST), 1) + 2 * (n in table.headings)


def _extent(text: str) -> float:
    """About how wide a text is, in points."""
    return sum(_EXTENT.get(letter, _LETTER) for letter in text)


def _longest(table: Table, place: int) -> float:
    """How wide a column is; bold letters are wider by an eighth."""
    cells = (_extent(row[place]) * (1.13 if (n, place) in table.bold else 1) for n, row in enumerate(table.rows))
    return max([_extent(table.header[place]), *cells])


def _width(table: Table, places: Sequence[int], gap: float) -> float:
    """About how wide these columns are, in points."""
    found = [min(_longest(table, place), _WIDEST if place in table.left else 10_000) for place in places]
    return sum(found) * 1.02 + 2 * gap * (len(places) - 1)


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "table"


def _unknown(table: Table, legend: Sequence[str]) -> str:
    """Characters that pdfLaTeX can't set: neither in the list above nor a Latin letter with an accent."""
    cells = [table.title, table.caption, *table.header, *legend, *(cell for row in table.rows for cell in row)]
    found = {c for cell in cells for c in cell if ord(c) > 0x7E and c not in _TEX}
    return "".join(
        sorted(c for c in found if not unicodedata.normalize("NFD", c)[0].isascii() and c not in "ßæøœÆØŒåÅłŁ")
    )
