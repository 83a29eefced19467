"""Explanations as plain text, Markdown, LaTeX, HTML and JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from ..errors import choose
from ..explanation.structure import Explanation, Sheet, Step, figures
from ..paper.latex import running, tex
from ..paper.table import Table
from ..paper.writers import WRITERS
from ..scoring.signature import shown

FORMATS = ("table", "json", "markdown", "latex", "html")


def text(explanation: Explanation) -> str:
    """The steps, for a terminal."""
    return render(explanation)


def html(explanation: Explanation) -> str:
    """The steps, for notebooks."""
    return render(explanation, "html")


def render(explanation: Explanation, format: str = "table") -> str:
    """An explanation in one of `FORMATS`."""
    choose(format, FORMATS, "format")
    if format == "json":
        return explanation.to_json()
    blocks = [*_blocks(explanation, format), _SIGNATURE[format](shown(explanation.signature))]
    if format == "latex":
        blocks.insert(0, "% needs \\usepackage{booktabs}; set for one column, as in an appendix")
    return "\n\n".join(block for block in blocks if block)


def _blocks(explanation: Explanation, format: str, level: int = 1) -> Iterator[str]:
    yield _TITLE[format](explanation.title, level)
    for step in explanation.steps:
        yield from _step(step, format, level + 1)
    for part in explanation.parts:
        yield from _blocks(part, format, level + 1)


def _step(step: Step, format: str, level: int) -> Iterator[str]:
    title = _TITLE[format](step.title, level) if step.title and format != "table" else step.title and f"── {step.title}"
    table = ""
    if step.sheet is not None and step.sheet.rows:
        sheet = as_table(step.sheet)
        table = running(sheet) if format == "latex" else WRITERS[format](sheet, "").rstrip("\n")
    blocks = [title, _LINES[format](step.before), table, _LINES[format](step.after)]
    between = "\n" if format == "table" else "\n\n"
    yield between.join(block for block in blocks if block)


def as_table(sheet: Sheet) -> Table:
    rows = [*sheet.rows, *([] if sheet.total is None else [sheet.total])]
    columns = map(figures, zip(*rows, strict=True))
    return Table(
        list(sheet.header),
        [list(row) for row in zip(*columns, strict=True)],
        sheet.words,
        strong=int(sheet.total is not None),
    )


def _text_title(title: str, level: int) -> str:
    return f"{title}\n{('═' if level == 1 else '─') * len(title)}"


def _html_title(title: str, level: int) -> str:
    return f"<h{level + 1}>{escape(title)}</h{level + 1}>"


_TITLE: dict[str, Callable[[str, int], str]] = {
    "table": _text_title,
    "markdown": lambda title, level: f"{'#' * level} {_markdown(title)}",
    "latex": lambda title, level: rf"\{('sub' * min(level - 1, 2))}section*{{{tex(title)}}}",
    "html": _html_title,
}
_LINES: dict[str, Callable[[tuple[str, ...]], str]] = {
    "table": "\n".join,
    "markdown": lambda lines: "\n".join(f"{_spaced(_markdown(line), '&emsp;')}  " for line in lines).rstrip(),
    "latex": lambda lines: (
        r"\noindent " * bool(lines) + "\\\\\n".join(_spaced(_indexed(tex(line)), r"\quad{}") for line in lines)
    ),
    "html": lambda lines: f'<p style="white-space:pre-wrap">{escape(chr(10).join(lines))}</p>' if lines else "",
}
_SIGNATURE: dict[str, Callable[[str], str]] = {
    "table": str,
    "markdown": lambda text: f"`{text}`",
    "latex": lambda text: f"% {text}",
    "html": lambda text: f"<p><small>{escape(text)}</small></p>",
}


def _indexed(line: str) -> str:
    """Formulas with their indices: n_ij, Σ_i."""
    return re.sub(r"\\_([ij]+)\b", r"$_{\1}$", line)


def _spaced(line: str, space: str) -> str:
    """Keep the distance between words that several blanks separate, in formats that ignore repeated blanks."""
    return f" {space} ".join(re.split(r" {3,}", line.strip(" ")))


def _markdown(line: str) -> str:
    return "".join(f"\\{c}" if c in r"\`*_<>[]#|" else c for c in line)
