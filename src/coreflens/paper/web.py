"""Tables as HTML: fragments for notebooks and mails, and a page whose columns can be sorted."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .table import Table


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
        apart = ' data-apart=""' if tag == "td" and number >= ordinary else ""  # stays where it is when rows are sorted
        return f"<tr{apart}>{''.join(row)}</tr>"

    def marks(number: int, place: int) -> str:
        return table.marks.get((number, place), "")

    ordinary = len(table.rows) - table.strong - table.below
    rows = [line(row, "td", place) for place, row in enumerate(table.rows)]
    for n, heading in sorted(table.headings.items(), reverse=True):
        across = f'colspan="{len(table.header)}" style="text-align:left;padding:.5em .7em .15em"'
        rows.insert(n, f'<tr data-heading=""><th {across}>{html.escape(heading)}</th></tr>')
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
    said = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in table.caption.splitlines())
    return f'{said}<table class="coreflens" style="{style}">{head}<tbody>{"".join(rows)}</tbody></table>{foot}'


def page(body: str) -> str:
    """A whole page around fragments. A click on the head of a column sorts its rows, and a third click restores them.

    Rows stay below their heading, and rows that are computed from others stay at the end.
    """
    from base64 import b64encode
    from hashlib import sha256

    ours = b64encode(sha256(SORTING.encode()).digest()).decode()
    rules = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{ours}'"  # no script but this one runs
    policy = f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
    script = f"<script>{SORTING}</script>"
    head = f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n{policy}\n{_HEAD}'
    return f"{head}\n<body>\n{body}\n{script}\n</body>\n</html>"


_HEAD = """\
<meta name="viewport" content="width=device-width">
<title>coreflens</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; padding: 0 1.2em; max-width: 70em }
p { max-width: 48em }
tbody tr:hover { background: color-mix(in srgb, currentColor 7%, transparent) }
th button { all: unset; cursor: pointer }
th button:focus-visible { outline: 2px solid; outline-offset: 2px }
th[aria-sort=ascending] button::after { content: " ▴" }
th[aria-sort=descending] button::after { content: " ▾" }
</style>"""
SORTING = """
for (const table of document.querySelectorAll("table.coreflens")) {
  const body = table.tBodies[0], first = [...body.rows];
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const value = (row, column) => {
    const cell = row.cells[column].cloneNode(true);
    cell.querySelectorAll("sup").forEach(mark => mark.remove());
    const text = cell.textContent.trim(), number = parseFloat(text.replace("−", "-").replace(/,/g, ""));
    return [Number.isNaN(number) ? null : number, text];
  };
  const sort = (column, sign) => {
    const blocks = [[]];
    for (const row of first) {
      if ("heading" in row.dataset) blocks.push([]);
      blocks[blocks.length - 1].push(row);
    }
    for (const block of blocks) {
      const loose = block.filter(row => !("heading" in row.dataset) && !("apart" in row.dataset));
      const keys = new Map(loose.map(row => [row, value(row, column)]));
      const sorted = [...loose].sort((a, b) => {
        const [x, s] = keys.get(a), [y, t] = keys.get(b);
        if ((x === null) !== (y === null)) return x === null ? 1 : -1;
        return sign * (x === null ? s.localeCompare(t) : x - y);
      });
      for (const row of block) body.append(sign && loose.includes(row) ? sorted.shift() : row);
    }
  };
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = { none: "descending", descending: "ascending", ascending: "none" }[head.ariaSort || "none"];
      heads.forEach(other => other.removeAttribute("aria-sort"));
      if (now !== "none") head.setAttribute("aria-sort", now);
      sort(column, { none: 0, descending: -1, ascending: 1 }[now]);
    });
  });
}
"""


def _html_cell(text: str, tag: str, left: bool, style: str, bold: bool, mark: str) -> str:
    style = f"text-align:{'left' if left else 'right'};padding:.15em .7em{style and ';'}{style}"
    inner = f"<b>{html.escape(text)}</b>" if bold else html.escape(text)
    raised = f'<sup style="line-height:0">{html.escape(mark)}</sup>' if mark else ""
    return f'<{tag} style="{style}">{inner}{raised}</{tag}>'
