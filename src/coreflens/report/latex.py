"""Tables as LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tables import Table

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


def latex(table: Table, note: str) -> str:
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
    ordinary = len(table.rows) - table.strong - table.below
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
