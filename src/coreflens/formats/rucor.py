"""Chains as the systems of RuCor list them: tab-separated, without a header, with blank lines between the chains.

document    SYS    chain    mention    offset    lemmas    form

The second column is SYS for a chain of a system and GS for one of the gold standard. A file may have both. The key is
read from GS and a response from SYS; if a file has only one of them, that one is read. Both number the mentions of a
document in the same way, so the number is the mention's name. Offset, lemmas and form are kept as attributes, because a
form is joined from tokens and does not show where a mention ends.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from ..corpus.model import Corpus
from ..errors import counted
from .shared.builder import Builder
from .shared.source import Source

_LINE = re.compile(rb"[^\t\n]+\t(?:SYS|GS) ?\t[^\t\n]+\t\d+\t\d+\t[^\t\n]*\t[^\t\n]+")


def looks_like(head: bytes) -> bool:
    return bool(_LINE.match(head.lstrip()))


def read(source: Source) -> Corpus:
    sides = _sides(source)
    read_side, other = ("SYS", "GS") if source.role == "response" else ("GS", "SYS")
    if not sides[read_side]:
        read_side, other = other, read_side
    elif sides[other]:
        rows = [row for rows_of_document in sides[other].values() for row in rows_of_document]
        message = f"{counted(rows, 'mention')} of {other}; this side is {read_side}"
        source.report("left-out", message, line=rows[0][0])
    builder = Builder(source, "rucor")
    for document, rows in sides[read_side].items():
        builder.document(document, line=rows[0][0])
        for number, (_, _, chain, mention, offset, lemma, form) in rows:
            builder.mention(-1, -1, chain, line=number, name=mention, offset=offset, lemma=lemma, form=form)
    return builder.build()


_Row: TypeAlias = tuple[int, list[str]]  # line, cells


def _sides(source: Source) -> dict[str, dict[str, list[_Row]]]:
    """The rows of GS and SYS, by document."""
    sides: dict[str, dict[str, list[_Row]]] = {"GS": {}, "SYS": {}}
    for number, line in enumerate(source.text.split("\n"), start=1):
        cells = [cell.strip() for cell in line.split("\t")]
        if cells == [""]:
            continue
        if len(cells) != 7 or cells[1] not in sides or not cells[6]:
            message = "seven columns are expected: document, GS or SYS, chain, mention, offset, lemmas, form"
            source.report("syntax", message, line=number)
        elif not (cells[4].isdecimal() and len(cells[4]) < 16):
            source.report("span-range", f"'{cells[4][:40]}' is not an offset", line=number)
        else:
            sides[cells[1]].setdefault(cells[0], []).append((number, cells))
    return sides
