"""Tables of cells, and the ways to write one."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..errors import visible
from ..metrics import METRICS
from ..metrics.registry import RECALL_PRECISION
from ..scoring.result import Result
from ..scoring.scores import Number, Score, Scores, is_number

if TYPE_CHECKING:
    from ..stats import Interval, Intervals


@dataclass(frozen=True, slots=True)
class Table:
    """Header and rows of text; `left` columns are words, the others numbers. The last `strong` rows stand apart.

    `spans` are headings over several columns each, all columns covered in order; cells (row, column) of `bold` are the
    best of theirs, `marks` stand behind a cell, such as a dagger, and `headings` before the row of that number.
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

    @property
    def long_header(self) -> list[str]:
        """The header with its spans in each cell, for formats that have one line of header."""
        over = [label for label, width in self.spans for _ in range(width)] or [""] * len(self.header)
        return [f"{span} {name}".strip() for span, name in zip(over, self.header, strict=True)]


def points(number: Number | None, digits: int) -> str:
    """A share in points, rounded to nearest; n/a for what is not defined, nothing for what a metric does not have."""
    if number is None:
        return ""
    return f"{100 * float(number):.{digits}f}" if is_number(number) else "n/a"


def score_points(score: Score, name: str, digits: int) -> str:
    """One of a score's numbers (`main`: F1 or the value) in points; n/a also for 0/0 that counted as something."""
    number = getattr(score, name)
    return points(number if number is None or score.defined(name) else np.nan, digits)


def overview(result: Result, digits: int, intervals: Intervals | None = None) -> Table:
    """A row a metric: R, P, F1 with its interval if there is one, and the fractions behind them."""
    exact = any(isinstance(s.main, Fraction) for s in result.values())
    confidence = "" if intervals is None else f"{100 * intervals.confidence:g}% interval"
    header = [
        "",
        "R",
        "P",
        "F1",
        confidence,
        *(("R exact", "P exact", "F1 exact") if exact else ("R counts", "P counts")),
    ]
    rows: list[list[str]] = []
    averages: list[list[str]] = []
    for name, score in result.items():
        numbers = [
            *(score_points(score, number, digits) for number in ("recall", "precision", "main")),
            "" if intervals is None else between(intervals.main(name), digits),
        ]
        behind = _fractions(score) if exact else _counts(score)
        title = METRICS[name].title + (f" ({score.label})" if score.label else "")
        (averages if METRICS[name].values == ("f1",) else rows).append([title, *numbers, *behind])
    every = rows + averages
    filled = [place for place in range(len(header)) if place == 0 or any(row[place] for row in every)]
    every = [[row[place] for place in filled] for row in every]
    return Table([header[place] for place in filled], every, strong=len(averages))


def breakdown(result: Result, groups: Mapping[str, Scores], digits: int, intervals: Intervals | None = None) -> Table:
    """A row a group: the F1 (or value) of every metric, and the corpus last; intervals of groups below their scores."""
    metrics = list(result)
    rows: list[list[str]] = []
    limits = {} if intervals is None or not intervals.by else {**intervals.by, "all": intervals}
    for label, s in [*groups.items(), ("all", result)]:
        rows.append([label, *(score_points(s[m], "main", digits) for m in metrics)])
        if limits:
            found = limits.get(label)
            rows.append(["", *("n/a" if found is None else between(found.main(m), digits) for m in metrics)])
    return Table(["F1 by group", *(METRICS[m].title for m in metrics)], rows, strong=2 if limits else 1)


def between(interval: Interval, digits: int) -> str:
    """An interval in points."""
    if not is_number(interval.low):
        return "n/a"
    return f"{100 * interval.low:.{digits}f}–{100 * interval.high:.{digits}f}"


def records(result: Result, groups: Mapping[str, Scores] | None, intervals: Intervals | None = None) -> Table:
    """A row a group and metric, numbers at full precision."""
    header = ["group", "metric", "recall", "precision", "f1", "value", "label", "undefined", *RECALL_PRECISION]
    rows = []
    for group, scores in [*(groups or {}).items(), ("all", result)]:
        for name, score in scores.items():
            numbers = [getattr(score, n) for n in ("recall", "precision", "f1", "value")]
            cells = [(str(x) if isinstance(x, Fraction) else repr(x)) if is_number(x) else "" for x in numbers]
            counts = ["" if n not in score.counts else f"{float(score.counts[n]):.17g}" for n in RECALL_PRECISION]
            rows.append([group, name, *cells, score.label or "", " ".join(sorted(score.undefined)), *counts])
    if intervals is not None:
        of = {**intervals.by, "all": intervals}
        limits = [f"{value}_{end}" for value in ("recall", "precision", "f1", "value") for end in ("low", "high")]
        header += limits
        for row in rows:
            found = of[row[0]][row[1]] if row[0] in of else {}
            for limit in limits:
                value, _, end = limit.rpartition("_")
                number = getattr(found[value], end) if value in found else None
                row.append(repr(number) if is_number(number) else "")
    return Table(header, rows)


def _fractions(score: Score) -> list[str]:
    main = score.value if score.f1 is None else score.f1
    return [str(x) if isinstance(x, Fraction) else "" for x in (score.recall, score.precision, main)]


def _counts(score: Score) -> list[str]:
    """Numerators and denominators: `1234/1369`, for BLANC coreference and other links one after the other."""
    c = score.counts
    if not all(map(is_number, c.values())):  # the metric does not apply
        return ["", ""]
    if "recall_num" in c:
        return [_ratio(c["recall_num"], c["recall_den"]), _ratio(c["precision_num"], c["precision_den"])]
    if "coref_key" in c:
        return [
            f"{_ratio(c['coref_common'], c[f'coref_{side}'])}, {_ratio(c['non_common'], c[f'non_{side}'])}"
            for side in ("key", "response")
        ]
    if "documents" in c:
        return (
            [_mean_of(c, name) for name in ("recall", "precision")]
            if score.value is None
            else [_mean_of(c, "value"), ""]
        )
    return ["", ""]


def _mean_of(c: Mapping[str, Number], name: str) -> str:
    undefined = c.get(f"{name}_undefined_documents", 0)
    left_out = f" ({count(undefined)} n/a)" if undefined else ""
    return f"mean of {count(c['documents'] - undefined)}{left_out}"


def _ratio(numerator: Number, denominator: Number) -> str:
    return f"{count(numerator)}/{count(denominator)}"


def count(x: Number) -> str:
    """A count as people write it: whole if it is whole, else with two decimals."""
    value = float(x)
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


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
    ordinary = len(table.rows) - table.strong
    lines = [*([table.title, ""] if table.title else []), *([over.rstrip()] if over else [])]
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
    lines = [*title, line(table.long_header), line(rule), *map(line, rows)]
    return "\n".join([*lines, *(["", _markdown_note(note)] if note else [])]) + "\n"


def _markdown_note(note: str) -> str:
    """Signatures as code, words as words."""
    lines = note.splitlines()
    return "\n\n".join(f"`{line}`" if line.startswith("coreflens:") else markdown(line) for line in lines)


def markdown(text: str) -> str:
    """Text in which HTML means nothing: a name such as `<script>` is shown."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_TEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "³": "$^3$",
    "−": "$-$",
    "|": r"\textbar{}",
    "†": r"$^\dagger$",
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
}


def tex(text: str) -> str:
    """Text as LaTeX shows it."""
    return "".join(_TEX.get(c, c) for c in text)


def _latex(table: Table, note: str) -> str:
    r"""booktabs, ready to paste; needs \usepackage{booktabs}."""

    def line(cells: list[str]) -> str:
        first = "{}" * cells[0].startswith("[")  # or it would be taken for an argument of the \\ before
        return first + " & ".join(cells) + r" \\"

    rows = [
        [
            (rf"\textbf{{{tex(cell)}}}" if (n, place) in table.bold else tex(cell))
            + tex(table.marks.get((n, place), ""))
            for place, cell in enumerate(row)
        ]
        for n, row in enumerate(table.rows)
    ]
    over: list[str] = []
    if table.spans:
        starts = [sum(width for _, width in table.spans[:n]) + 1 for n in range(len(table.spans))]
        over.append(
            line([rf"\multicolumn{{{w}}}{{c}}{{{tex(label)}}}" if label else "&" * (w - 1) for label, w in table.spans])
        )
        rules = (
            rf"\cmidrule(lr){{{start}-{start + width - 1}}}"
            for start, (label, width) in zip(starts, table.spans, strict=True)
            if label
        )
        over.append(" ".join(rules))
    ordinary = len(table.rows) - table.strong
    alignment = "".join("l" if place in table.left else "r" for place in range(len(table.header)))
    body: list[str] = []
    for n, row in enumerate(rows):
        if n in table.headings:
            spanning = rf"\multicolumn{{{len(table.header)}}}{{l}}{{\textit{{{tex(table.headings[n])}}}}} \\"
            body += [*([r"\midrule"] if n else []), spanning, r"\midrule"]
        body += [r"\midrule"] * (0 < n == ordinary) + [line(row)]
    header = line([tex(cell) for cell in table.header])
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", *over, header, r"\midrule", *body]
    lines += [r"\bottomrule", r"\end{tabular}"]
    comments = [f"% {text}" for part in (table.title, note) for text in part.splitlines()]
    return "\n".join([*comments, *lines]) + "\n"


_FORMULA = re.compile(r"[=+\-@\t\r]")
_A_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?:/\d+)?")


def csv_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: text that begins like one gets a `'` before it, numbers don't."""
    return f"'{text}" if _FORMULA.match(text) and not _A_NUMBER.fullmatch(text) else text


def _csv(table: Table, note: str) -> str:
    buffer = io.StringIO()
    rows = ([csv_cell(cell) for cell in row] for row in [table.long_header, *table.rows])
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue() + (f"# {note}\n" if note else "")


def _html(table: Table, note: str) -> str:
    """A fragment with its style inline, for notebooks and mails as well as for pages."""

    def line(cells: list[str], tag: str, number: int = -1) -> str:
        style = "border-bottom:1px solid" if tag == "th" else "font-weight:bold" if number >= ordinary else ""
        style += ";border-top:1px solid" if number == ordinary else ""
        row = (
            _html_cell(cell, tag, place in table.left, style, (number, place) in table.bold, marks(number, place))
            for place, cell in enumerate(cells)
        )
        return f"<tr>{''.join(row)}</tr>"

    def marks(number: int, place: int) -> str:
        return table.marks.get((number, place), "")

    ordinary = len(table.rows) - table.strong
    rows = [line(row, "td", place) for place, row in enumerate(table.rows)]
    for n, heading in sorted(table.headings.items(), reverse=True):
        across = f'colspan="{len(table.header)}" style="text-align:left;padding:.5em .7em .15em"'
        rows.insert(n, f"<tr><th {across}>{html.escape(heading)}</th></tr>")
    centred = 'style="text-align:center;padding:.15em .7em"'
    spans = "".join(f'<th colspan="{width}" {centred}>{html.escape(label)}</th>' for label, width in table.spans)
    over = f"<tr>{spans}</tr>" if spans else ""
    caption = (
        f'<caption style="text-align:left;font-weight:bold;padding:.4em .7em">{html.escape(table.title)}</caption>'
        if table.title
        else ""
    )
    head = f"{caption}<thead>{over}{line(table.header, 'th')}</thead>"
    small = "font-size:smaller;opacity:.7;overflow-wrap:anywhere"
    foot = "".join(f'<div style="{small}">{html.escape(line)}</div>' for line in note.splitlines())
    style = "border-collapse:collapse;margin:.8em 0;font-variant-numeric:tabular-nums"
    return f'<table class="coreflens" style="{style}">{head}<tbody>{"".join(rows)}</tbody></table>{foot}'


def _html_cell(text: str, tag: str, left: bool, style: str, bold: bool, mark: str) -> str:
    style = f"text-align:{'left' if left else 'right'};padding:.15em .7em{style and ';'}{style}"
    inner = f"<b>{html.escape(text)}</b>" if bold else html.escape(text)
    raised = f'<sup style="line-height:0">{html.escape(mark)}</sup>' if mark else ""
    return f'<{tag} style="{style}">{inner}{raised}</{tag}>'


def _shown(write: Callable[[Table, str], str]) -> Callable[[Table, str], str]:
    """A way to write tables in which line breaks and control characters of a cell are shown."""

    def written(table: Table, note: str) -> str:
        return write(
            replace(
                table,
                header=[visible(cell) for cell in table.header],
                rows=[[visible(cell) for cell in row] for row in table.rows],
                title=visible(table.title),
                headings={n: visible(heading) for n, heading in table.headings.items()},
            ),
            visible(note, keep="\n"),
        )

    return written


WRITERS: dict[str, Callable[[Table, str], str]] = {
    "table": _shown(_text),
    "markdown": _shown(_markdown),
    "latex": _shown(_latex),
    "csv": _csv,  # in which they may stand, in quotes
    "html": _shown(_html),
}
