"""Entity links as neleval and the CoNLL-03 linking evaluation read them: tab-separated, without a header.

document    start    end    entity    score    type

`start` and `end` are token offsets in the document, the end exclusive. Score and type may be missing and are kept as
attributes. A line without an entity is a mention that was not linked: it belongs to no entity and is left out. Equal
entities in several documents have the same label; `--scope corpus` makes them one entity.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..corpus.model import Corpus
from .shared.builder import Builder
from .shared.source import Source

NAMED = True
_LINE = re.compile(rb"[^\t\n]+\t(\d{1,18})\t(\d{1,18})\t[^\t\n]*(?:\t[^\t\n]*){0,3}\r?\n")


def looks_like(head: bytes) -> bool:
    """Whether all lines of the head are of this kind, with ends after starts."""
    whole = head[: head.rfind(b"\n") + 1]
    place = 0
    while match := _LINE.match(whole, place):
        if int(match[1]) >= int(match[2]):
            return False
        place = match.end()
    return 0 < place == len(whole)


def read(source: Source) -> Corpus:
    rows: dict[str, list[_Row]] = {}
    unlinked: list[int] = []
    for number, line in enumerate(source.text.split("\n"), start=1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        row = _row(source, cells, number)
        if row is None:
            continue
        rows_of_document = rows.setdefault(cells[0], [])
        if row.entity:
            rows_of_document.append(row)
        else:
            unlinked.append(number)
    builder = Builder(source, "neleval")
    for document, mentions in rows.items():
        builder.document(document, line=mentions[0].line if mentions else 0)
        for start, end, number, entity, score, kind in mentions:
            builder.mention(start, end, entity, line=number, score=score, type=kind)
    if unlinked:
        source.report("left-out", f"{len(unlinked)} mentions that are not linked to an entity", line=unlinked[0])
    return builder.build()


class _Row(NamedTuple):
    start: int
    end: int
    line: int
    entity: str
    score: str
    kind: str


def _row(source: Source, cells: list[str], line: int) -> _Row | None:
    """The mention in a line; None if there is a mistake, which is reported."""
    if not 4 <= len(cells) <= 7:
        message = f"document, start, end, entity and perhaps score and type are expected, not {len(cells)} columns"
        source.report("syntax", message, line=line, hint="columns are separated by tabs")
        return None
    _, *offsets, entity = cells[:4]
    if not all(offset.isdecimal() and len(offset) < 16 for offset in offsets):
        source.report("span-range", f"'{offsets[0][:20]}' to '{offsets[1][:20]}' is not a span", line=line)
        return None
    start, stop = map(int, offsets)
    if stop <= start:
        message = f"span {start}, {stop} ends before it starts"
        source.report("span-order", message, line=line, hint="the end is exclusive")
        return None
    score, kind = [*cells[4:6], "", ""][:2]
    return _Row(start, stop - 1, line, entity, score, kind)
