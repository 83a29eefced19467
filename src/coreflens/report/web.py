"""Tables as HTML."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tables import Table


def fragment(table: Table, note: str) -> str:
    """A fragment with its style inline, for notebooks and mails as well as for pages."""

    def line(cells: list[str], tag: str, number: int = -1) -> str:
        strong = number >= len(table.rows) - table.strong
        style = "border-bottom:1px solid" if tag == "th" else "font-weight:bold" if strong else ""
        style += ";border-top:1px solid" if number == ordinary else ""
        row = (
            _html_cell(cell, tag, place in table.left, style, (number, place) in table.bold, marks(number, place))
            for place, cell in enumerate(cells)
        )
        return f"<tr>{''.join(row)}</tr>"

    def marks(number: int, place: int) -> str:
        return table.marks.get((number, place), "")

    ordinary = len(table.rows) - table.strong - table.below
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
