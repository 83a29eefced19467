"""One entity per line: the number of the line, counted from 1, is the mention (SemEval-2018 task 4, RLdata identities).

335
248
335

If all lines but the first are numbers, the first line is a header. Files whose labels are words are not recognised,
because any list of words looks like that. Name the format for them.
"""

from __future__ import annotations

import re

import numpy as np

from ..corpus.model import Corpus, Document
from .shared.source import Source

NAMED = True
_NUMBERS = re.compile(rb"(?:[^\s,;]{1,80}\r?\n)?(?:-?\d{1,18}[ \t]*\r?(?:\n|\Z)){2,}")


def looks_like(head: bytes) -> bool:
    whole = head[: head.rfind(b"\n") + 1] if len(head) >= 1 << 16 else head
    return bool(_NUMBERS.fullmatch(whole.rstrip() + b"\n")) and not whole[:1].isspace()


def read(source: Source) -> Corpus:
    lines = source.text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    cells = [line.strip() for line in lines]
    header = len(cells) > 1 and not _is_number(cells[0]) and all(map(_is_number, cells[1:]))
    known: dict[str, int] = {}
    rows: list[tuple[int, int]] = []  # line, entity
    for number, cell in enumerate(cells[header:], start=1 + header):
        if not cell:
            hint = "there must be one line per mention"
            source.report("syntax", "this line has no entity", line=number, hint=hint)
        elif len(cell.split()) > 1:
            source.report("syntax", f"a line must have one entity, not '{cell[:40]}'", line=number)
        else:
            rows.append((number, known.setdefault(cell, len(known))))
    if not rows:
        source.fail("there is no entity in this file", line=1)
    line, entity = np.array(rows, dtype=np.int64).T
    nowhere = np.full(len(rows), -1, dtype=np.int64)
    return Corpus(
        documents=[Document("", None, None, source.name, 1)],
        doc=np.zeros_like(nowhere),
        start=nowhere,
        end=nowhere,
        entity=entity,
        labels=list(known),
        names=[str(n) for n in (line - header).tolist()],
        line=line,
        source=source.name,
        format="labels",
        issues=source.issues(),
    )


def _is_number(cell: str) -> bool:
    return cell.removeprefix("-").isdecimal()
