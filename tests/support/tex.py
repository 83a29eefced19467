"""LaTeX held to its syntax, and compiled where there is a TeX."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path


def _has(*packages: str) -> bool:
    """Whether there is a pdfLaTeX with these packages; Debian's texlive-latex-base alone has no booktabs."""
    found = shutil.which("kpsewhich")
    if shutil.which("pdflatex") is None or found is None:
        return False
    listed = subprocess.run([found, *packages], check=False, capture_output=True, text=True).stdout
    return len(listed.split()) == len(packages)


HAS_TEX = _has("booktabs.sty", "rotating.sty", "longtable.sty")


def check(text: str) -> None:
    """Environments that end, braces that close, rows with as many cells as there are columns, letters that TeX has."""
    stack: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{([a-z]+\*?)\}", text):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
    plain = re.sub(r"(?m)(?<!\\)%.*$", "", text)
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", plain.replace(r"\\", "")):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0
    labels = re.findall(r"\\label\{([^}]*)\}", plain)
    assert len(set(labels)) == len(labels)
    for piece in plain.split(r"\begin{tabular}")[1:]:
        body = piece.split(r"\end{tabular}")[0].replace(r"\&", "")
        alignment, _, cells = body.partition("\n")
        columns = len(re.findall(r"[lrcp]", re.sub(r"@\{\}|(?<=p)\{[^}]*\}", "", alignment)))
        for row in cells.replace(r"\tabularnewline", r"\\").split(r"\\"):
            row = re.sub(r"\\(?:top|mid|bottom)rule|\\cmidrule\(lr\)\{[^}]*\}", "", row)
            spanned = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", row))
            if row.strip():
                assert row.count("&") + spanned + 1 == columns, row


def compile_page(text: str, folder: Path, columns: int = 2) -> str:
    """The log of pdfLaTeX; nothing but the packages that the table names is loaded, on a page of 16 cm."""
    named = sorted(set(re.findall(r"% needs \\usepackage\{([^}]*)\}", text)))
    preamble = rf"\documentclass[{'twocolumn' if columns == 2 else 'onecolumn'}]{{article}}" + "".join(
        rf"\usepackage{{{name}}}" for name in named
    )
    preamble += r"\setlength{\textwidth}{455pt}\setlength{\columnsep}{17pt}\setlength{\oddsidemargin}{0pt}"
    (folder / "x.tex").write_text(preamble + "\\begin{document}\n" + text + "\n\\end{document}\n", "utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex"],
        cwd=folder,
        check=False,
        capture_output=True,
    )
    log = done.stdout.decode(errors="replace")
    assert done.returncode == 0, log[-800:]
    assert "multiply defined" not in log
    return log
