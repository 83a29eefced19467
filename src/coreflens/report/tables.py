"""Tables of cells, and the ways to write one."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..metrics import METRICS
from ..metrics.registry import RECALL_PRECISION
from ..results import Result
from ..scores import Number, Score, Scores


@dataclass(frozen=True, slots=True)
class Table:
    """Header and rows of text; `left` columns are words, the others numbers. The last `strong` rows stand apart."""

    header: list[str]
    rows: list[list[str]]
    left: frozenset[int] = frozenset({0})
    strong: int = 0


def points(number: Number | None, undefined: bool, digits: int) -> str:
    """A share in points, rounded to nearest; n/a for 0/0, nothing for what a metric does not have."""
    if number is None:
        return ""
    return "n/a" if undefined or number != number else f"{100 * float(number):.{digits}f}"


def overview(result: Result, digits: int) -> Table:
    """A row a metric: R, P, F1, and the fractions behind them."""
    exact = any(isinstance(s.main, Fraction) for s in result.values())
    header = ["", "R", "P", "F1", *(("R exact", "P exact", "F1 exact") if exact else ("R counts", "P counts"))]
    rows: list[list[str]] = []
    averages: list[list[str]] = []
    for name, score in result.items():
        numbers = [
            points(score.recall, "recall" in score.undefined, digits),
            points(score.precision, "precision" in score.undefined, digits),
            points(score.main, bool({"f1", "value"} & score.undefined), digits),
        ]
        behind = _fractions(score) if exact else _counts(score)
        title = METRICS[name].title + (f" ({score.label})" if score.label else "")
        (averages if METRICS[name].values == ("f1",) else rows).append([title, *numbers, *behind])
    every = rows + averages
    filled = [place for place in range(len(header)) if place == 0 or any(row[place] for row in every)]
    every = [[row[place] for place in filled] for row in every]
    return Table([header[place] for place in filled], every, strong=len(averages))


def breakdown(result: Result, groups: Mapping[str, Scores], digits: int) -> Table:
    """A row a group: the F1 (or value) of every metric, and the corpus last."""
    metrics = list(result)
    rows = [
        [label, *(points(s[m].main, bool({"f1", "value"} & s[m].undefined), digits) for m in metrics)]
        for label, s in [*groups.items(), ("all", result)]
    ]
    return Table(["F1 by group", *(METRICS[m].title for m in metrics)], rows, strong=1)


def records(result: Result, groups: Mapping[str, Scores] | None) -> Table:
    """A row a group and metric, numbers at full precision."""
    header = ["group", "metric", "recall", "precision", "f1", "value", "label", "undefined", *RECALL_PRECISION]
    rows = []
    for group, scores in [*(groups or {}).items(), ("all", result)]:
        for name, score in scores.items():
            numbers = [getattr(score, n) for n in ("recall", "precision", "f1", "value")]
            cells = ["" if x is None or x != x else str(x) if isinstance(x, Fraction) else repr(x) for x in numbers]
            counts = ["" if n not in score.counts else f"{float(score.counts[n]):.17g}" for n in RECALL_PRECISION]
            rows.append([group, name, *cells, score.label or "", " ".join(sorted(score.undefined)), *counts])
    return Table(header, rows)


def _fractions(score: Score) -> list[str]:
    main = score.value if score.f1 is None else score.f1
    return [str(x) if isinstance(x, Fraction) else "" for x in (score.recall, score.precision, main)]


def _counts(score: Score) -> list[str]:
    """Numerators and denominators: `1234/1369`, for BLANC coreference and other links one after the other."""
    c = score.counts
    if any(x != x for x in c.values()):  # the metric does not apply
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
    columns = list(zip(table.header, *table.rows, strict=True))
    widths = [max(map(len, column)) for column in columns]

    def line(cells: list[str]) -> str:
        padded = (
            cell.ljust(width) if place in table.left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "  ".join(padded).rstrip()

    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    ordinary = len(table.rows) - table.strong
    lines = [line(table.header), rule, *map(line, table.rows[:ordinary])]
    if table.strong:
        lines += [rule] * bool(ordinary) + [*map(line, table.rows[ordinary:])]
    return "\n".join([*lines, *(["", note] if note else [])])


def _markdown(table: Table, note: str) -> str:
    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = ["---" if place in table.left else "--:" for place in range(len(table.header))]
    lines = [line(table.header), line(rule), *map(line, table.rows)]
    return "\n".join([*lines, *(["", f"`{note}`"] if note else [])]) + "\n"


_TEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "³": "$^3$",
    "−": "$-$",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "…": r"\ldots{}",
    "′": "$'$",
    "²": "$^2$",
    "⁺": "$^+$",
    "Σ": r"$\sum$",
    "∩": r"$\cap$",
    "∅": r"$\emptyset$",
    "φ": r"$\phi$",
    "π": r"$\pi$",
    "σ": r"$\sigma$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "≥": r"$\ge$",
}


def tex(text: str) -> str:
    """Text as LaTeX shows it."""
    return "".join(_TEX.get(c, c) for c in text)


def _latex(table: Table, note: str) -> str:
    r"""booktabs, ready to paste; needs \usepackage{booktabs}."""

    def line(cells: list[str]) -> str:
        return " & ".join(map(tex, cells)) + r" \\"

    ordinary = len(table.rows) - table.strong
    alignment = "".join("l" if place in table.left else "r" for place in range(len(table.header)))
    body = [*map(line, table.rows[:ordinary])]
    if table.strong:
        body += [r"\midrule"] * bool(ordinary) + [*map(line, table.rows[ordinary:])]
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", line(table.header), r"\midrule", *body]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*([f"% {note}"] if note else []), *lines]) + "\n"


def _csv(table: Table, note: str) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([table.header, *table.rows])
    return buffer.getvalue() + (f"# {note}\n" if note else "")


def _html(table: Table, note: str) -> str:
    """A fragment with its style inline, for notebooks and mails as well as for pages."""

    def line(cells: list[str], tag: str, strong: bool = False) -> str:
        row = (_html_cell(cell, tag, place in table.left, strong) for place, cell in enumerate(cells))
        return f"<tr>{''.join(row)}</tr>"

    ordinary = len(table.rows) - table.strong
    rows = [line(row, "td", strong=place >= ordinary) for place, row in enumerate(table.rows)]
    head = f"<thead>{line(table.header, 'th')}</thead>"
    small = "font-size:smaller;opacity:.7;overflow-wrap:anywhere"
    foot = f'<div style="{small}">{html.escape(note)}</div>' if note else ""
    style = "border-collapse:collapse;margin:.8em 0;font-variant-numeric:tabular-nums"
    return f'<table class="coreflens" style="{style}">{head}<tbody>{"".join(rows)}</tbody></table>{foot}'


def _html_cell(text: str, tag: str, left: bool, strong: bool) -> str:
    style = f"text-align:{'left' if left else 'right'};padding:.15em .7em"
    style += ";border-bottom:1px solid" if tag == "th" else ";border-top:1px solid;font-weight:bold" if strong else ""
    return f'<{tag} style="{style}">{html.escape(text)}</{tag}>'


WRITERS: dict[str, Callable[[Table, str], str]] = {
    "table": _text,
    "markdown": _markdown,
    "latex": _latex,
    "csv": _csv,
    "html": _html,
}
