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
    reader = _Reader(source, builder, annotation, finish)
    for number, raw in enumerate(source.text.split("\n"), start=1):
        line = raw.rstrip("\r")
        if line.startswith("#"):
            reader.border = True
            reader.comment(line, number)
        elif not line.strip():
            reader.border = True
        elif token := reader.token(line, number):
            yield token
    reader.end()


class _Reader:
    """Goes from line to line, and knows what the lines before a token said."""

    def __init__(
        self, source: Source, builder: Builder, annotation: Collection[str], finish: Callable[[], None]
    ) -> None:
        self.source, self.builder, self.finish = source, builder, finish
        self.no_layers = {*annotation, "ID", "FORM"}
        self.columns: list[str] = []
        self.comments: list[str] = []  # those that the next token gets
        self.multiword = ""
        # name, part and line of a document that has not started yet
        self.begin: tuple[str, int | None, int] | None = (file_stem(source.name), None, 1)
        self.newdocs = self.sentence = 0
        self.border = True  # whether the next token starts a sentence

    def comment(self, line: str, number: int) -> None:
        if parts := _COLUMNS.fullmatch(line):
            self.columns = _columns(self.source, parts[1], number)
        elif parts := _NEWDOC.fullmatch(line):
            if self.newdocs:
                self.start_document()  # the one before, if it has no tokens
            self.newdocs += 1
            self.begin = (parts[1] or "").strip() or file_stem(self.source.name), None, number
            self.sentence = 0
        elif (parts := _PART.fullmatch(line)) and self.begin and self.begin[0].endswith(f"_{parts[1]}"):
            name, _, begin_line = self.begin
            self.begin = name.removesuffix(f"_{parts[1]}"), int(parts[1]), begin_line
        else:
            self.comments.append(line)

    def token(self, line: str, number: int) -> Token | None:
        """Add the token of a line; None if it is a multiword token or was reported."""
        cells = [c.strip() for c in line.split("\t")] if "\t" in line else line.split()
        kind = _ID.fullmatch(cells[0])
        if not self.columns:
            self.source.fail("this token is before the first `# global.columns`", line=number)
        if not kind or not 2 <= len(cells) <= len(self.columns):
            message = f"this line has {len(cells)} columns, but global.columns names {len(self.columns)}"
            if not kind:
                message = f"'{cells[0][:40]}' is not an id"
            self.source.report("syntax", message, line=number, column=1)
            return None
        if kind[1] == "-":
            self.multiword = "\t".join(cells)
            return None
        self.start_document()
        if self.border:
            self.sentence += 1
            self.builder.sentence()
        by_column = dict(zip(self.columns, cells, strict=False))
        layers = self.layers(by_column)
        self.border, self.comments, self.multiword = False, [], ""
        empty = kind[1] == "."
        word = by_column["FORM"]
        place = self.builder.token("" if empty and word == "_" else word, number, empty, **layers)
        return Token(number, place, cells[0], self.sentence, by_column, line)

    def layers(self, by_column: Mapping[str, str]) -> dict[str, str]:
        """The values of a token that become layers."""
        layers = {}
        for name, value in by_column.items():
            if value not in ("", "_") and name not in self.no_layers:
                layers[LAYERS.get(name, name.lower())] = value
        if self.comments:
            layers["comments"] = "\n".join(self.comments)
        if self.multiword:
            layers["multiword"] = self.multiword
        return layers

    def start_document(self) -> None:
        """End the document before, and start the one that has begun, if it has not started yet."""
        if self.begin is not None:
            self.finish()
            self.builder.document(*self.begin)
            self.begin = None

    def end(self) -> None:
        self.finish()
        if self.begin is not None and self.newdocs:
            self.builder.document(*self.begin)


def _columns(source: Source, text: str, line: int) -> list[str]:
    columns = [c.rpartition(":")[2].upper() for c in text.split()]
    wrong = {c.lower() for c in columns} & _TAKEN
    if columns[:2] != ["ID", "FORM"] or len({*columns}) < len(columns) or wrong:
        hint = "ID and FORM must come first, and no name may occur twice" + (f"; not '{min(wrong)}'" if wrong else "")
        source.fail("these columns are not understood", line=line, hint=hint)
    return columns
