"""The lines of CoNLL-U Plus, whose columns are named in a comment: `# global.columns = ID FORM ...`.

Columns are separated by tabs or, in lines without tabs, by runs of blanks. Missing columns at the end are empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from ...corpus.model import file_stem
from .builder import Builder
from .source import Source

LAYERS = {"XPOS": "pos"}  # layers whose name is not that of the column in lower case
_TAKEN = {"word", "line", "empty", "self"}  # names of the parameters of Builder.token
_COLUMNS = re.compile(r"# *global\.columns *=(.*)")
_NEWDOC = re.compile(r"# *newdoc(?: +id *=(.*))?")
_PART = re.compile(r"# *document_part *= *(\d{1,18}) *")
_ID = re.compile(r"\d+(?:([-.])\d+)?")


class Token(NamedTuple):
    """A token: its line, its place in the document, its id, the number of its sentence, and its other columns."""

    line: int
    place: int
    id: str
    sentence: int
    cells: Mapping[str, str]
    text: str

    def column(self, name: str) -> int:
        """Where a column starts in the line, from 1."""
        return self.text.find(self.cells[name]) + 1


def tokens(
    source: Source, builder: Builder, annotation: Collection[str], finish: Callable[[], None]
) -> Iterator[Token]:
    """Add documents, sentences and tokens to the builder, and yield the tokens; `finish` ends each document.

    The columns of `annotation` do not become layers.
    """
    columns: list[str] = []
    comments: list[str] = []
    multiword = ""
    begin: tuple[str, int | None, int] | None = file_stem(source.name), None, 1  # a document that has not started yet
    named = sentence = 0
    border = True
    for number, raw in enumerate(source.text.split("\n"), start=1):
        line = raw.rstrip("\r")
        if line.startswith("#"):
            border = True
            if found := _COLUMNS.fullmatch(line):
                columns = _columns(source, found[1], number)
            elif found := _NEWDOC.fullmatch(line):
                if begin is not None and named:
                    finish()
                    builder.document(*begin)
                named += 1
                begin = (found[1] or "").strip() or file_stem(source.name), None, number
                sentence = 0
            elif (found := _PART.fullmatch(line)) and begin and begin[0].endswith(f"_{found[1]}"):
                begin = begin[0].removesuffix(f"_{found[1]}"), int(found[1]), begin[2]
            else:
                comments.append(line)
            continue
        if not line.strip():
            border = True
            continue
        cells = [c.strip() for c in line.split("\t")] if "\t" in line else line.split()
        kind = _ID.fullmatch(cells[0])
        if not columns:
            source.fail("this token is before the first `# global.columns`", line=number)
        if not kind or len(cells) > len(columns) or len(cells) < 2:
            what = f"this line has {len(cells)} columns, but global.columns names {len(columns)}"
            source.report("syntax", what if kind else f"'{cells[0][:40]}' is not an id", line=number, column=1)
            continue
        if kind[1] == "-":
            multiword = "\t".join(cells)
            continue
        if begin is not None:
            finish()
            builder.document(*begin)
            begin = None
        if border:
            sentence += 1
            builder.sentence()
        found_cells = dict(zip(columns, cells, strict=False))
        layers = {
            LAYERS.get(name, name.lower()): value
            for name, value in found_cells.items()
            if value not in ("", "_") and name not in annotation and name not in ("ID", "FORM")
        }
        layers |= {"comments": "\n".join(comments)} if comments else {}
        layers |= {"multiword": multiword} if multiword else {}
        border, comments, multiword = False, [], ""
        empty = kind[1] == "."
        word = found_cells["FORM"]
        place = builder.token("" if empty and word == "_" else word, number, empty, **layers)
        yield Token(number, place, cells[0], sentence, found_cells, line)
    finish()
    if begin is not None and named:
        builder.document(*begin)


def _columns(source: Source, text: str, line: int) -> list[str]:
    columns = [c.rpartition(":")[2].upper() for c in text.split()]
    wrong = {c.lower() for c in columns} & _TAKEN
    if columns[:2] != ["ID", "FORM"] or len({*columns}) < len(columns) or wrong:
        hint = "ID and FORM must come first, and no name may occur twice" + (f"; not '{min(wrong)}'" if wrong else "")
        source.fail("these columns are not understood", line=line, hint=hint)
    return columns
