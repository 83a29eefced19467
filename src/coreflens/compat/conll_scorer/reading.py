"""What scorer.pl v8.01 sees in a file: bytes, split at tabs only, searched with a few regular expressions.

Every line between a begin line and an end line is a token unless it is blank. Comments are also tokens, and so are
begin lines before an end line. The last column that is not empty counts; without tabs this is the whole line.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from errno import EISDIR, ENOTTY
from functools import cache
from typing import NamedTuple, TypeAlias

_BEGIN = re.compile(rb"#\s*begin document (.*)")
_END = re.compile(rb"#\s*end document")
_DISCARDED = re.compile(rb"\((\d+\+\d)\)")
_WHOLE = re.compile(rb"\((\d+)\)")
_OPENING = re.compile(rb"\((\d+)")
_CLOSING = re.compile(rb"(\d+)\)")
_BRACKET = re.compile(rb"\(\d|\d\)")


class Stop(Exception):
    """The original ends here: its message on stderr, and its exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.message, self.code = message, code


Span: TypeAlias = tuple[int, int]  # first and last token


class Mention(NamedTuple):
    start: int
    end: int
    line: int  # where it opens, for the notes

    @property
    def span(self) -> Span:
        return self.start, self.end


@dataclass
class ReadDocument:
    """A document as the original reads it; `stop` is why it ends while reading, if it does."""

    name: str = ""
    line: int = 0  # of the begin line; 0: there is no such document
    entities: list[list[Mention]] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)
    tokens: int = 0
    comments: list[int] = field(default_factory=list)  # lines
    outside: int = 0  # the first line without tabs that has a bracket before its last column
    turned: int = 0  # the first line that closes a mention and opens another of its entity, read the other way round
    unclosed: int = 0  # where a mention opens that never closes, in a document without an end line
    code: int = 0  # of a script that dies after this document
    stop: Stop | None = None


class File:
    """A file, read once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._at_end = 255
        try:
            with open(path, "rb") as file:
                data = file.read()
        except IsADirectoryError:
            data, self._at_end = b"", EISDIR
        except (OSError, ValueError) as error:
            code = getattr(error, "errno", None) or 2
            raise Stop(f"Can not open {path}: {os.strerror(code)}", code) from None
        self._lines = data.split(b"\n")
        last = self._lines.pop()
        self._whole_lines = len(self._lines)
        self._lines += [last] if last else []
        self._begins: dict[bytes, list[int]] = {}
        for number, line in enumerate(self._lines):
            if line.startswith(b"#") and (begin := _BEGIN.fullmatch(line.removesuffix(b"\r"))):
                self._begins.setdefault(begin[1], []).append(number)
        self.document = cache(self._document)

    def names(self) -> list[str]:
        """The documents, in the order of the lines where they are read."""
        return [text(name) for name in sorted(self._begins, key=lambda name: self._begins[name][-1])]

    def lines_of(self, name: str) -> list[int]:
        """The lines on which a document of this name begins."""
        return [number + 1 for number in self._begins.get(_bytes(name), ())]

    def _document(self, name: str, first: bool) -> ReadDocument:
        """The document of that name: the last of several, but the first if it is asked for by name."""
        begins = self._begins.get(_bytes(name))
        if begins is None:
            return ReadDocument(code=self._at_end)
        begin = begins[0 if first else -1]
        document = ReadDocument(name, begin + 1)
        try:
            end = self._read(begin + 1, document)
        except Stop as stop:
            document.stop = stop
        else:
            document.code = self._code(end)
        return document

    def _code(self, line: int) -> int:
        """The exit code if the script dies after this line: the last error number that the system gave to Perl.

        The number is 25 (not a terminal), because Perl asks for that when it opens a file. At the end of the file
        there is no error number, and the exit code is 255.
        """
        return ENOTTY if line < self._whole_lines else self._at_end

    def _read(self, begin: int, document: ReadDocument) -> int:
        """Read a document and return the number of its last line."""
        numbers: dict[bytes, int] = {}
        half: dict[int, list[tuple[int, int]]] = {}
        for number in range(begin, len(self._lines)):
            line = self._lines[number]
            if not line or line.isspace():
                continue
            if b"#" in line:
                if _END.search(line):
                    if any(half.values()):
                        raise Stop("Error: some mentions in the document do not close", self._code(number))
                    return number
                if line.startswith(b"#") and b"\t" not in line:
                    document.comments.append(number + 1)
            if b"(" in line or b")" in line:
                self._cell(line, number + 1, numbers, half, document)
            document.tokens += 1
        document.unclosed = min((line for stack in half.values() for _, line in stack), default=0)
        return len(self._lines)

    def _cell(
        self,
        line: bytes,
        number: int,
        ids: dict[bytes, int],
        half: dict[int, list[tuple[int, int]]],
        document: ReadDocument,
    ) -> None:
        """Take the brackets out of the last column, kind by kind. The rest is joined and searched again."""
        cell, token = line.rstrip(b"\t").rpartition(b"\t")[2], document.tokens
        if b"\t" not in line and not document.outside and _BRACKET.search(line.rstrip().rpartition(b" ")[0]):
            document.outside = number

        def add(entity: int, mention: Mention) -> None:
            document.entities += [[] for _ in range(entity + 1 - len(document.entities))]
            document.entities[entity].append(mention)

        labels, cell = _taken(_DISCARDED, cell)
        document.discarded += map(text, labels)
        labels, cell = _taken(_WHOLE, cell)
        for label in labels:
            add(ids.setdefault(label, len(ids)), Mention(token, token, number))
        labels, cell = _taken(_OPENING, cell)
        for label in labels:
            half.setdefault(ids.setdefault(label, len(ids)), []).append((token, number))
        labels, cell = _taken(_CLOSING, cell)
        for label in labels:
            entity = ids.setdefault(label, len(ids))
            if not half.get(entity):
                message = f"Detected the end of a mention [{text(label)}]({entity}) without begin (?,{token})"
                raise Stop(f"{message} at {self.path} line {number}.", self._code(number - 1))
            start, opened = half[entity].pop()
            if start == token and half[entity]:
                document.turned = document.turned or number
            add(entity, Mention(start, token, opened))


def _taken(pattern: re.Pattern[bytes], cell: bytes) -> tuple[list[bytes], bytes]:
    """The labels of all matches, and the rest of the text. Each match is the leftmost one in the rest so far.

    All patterns with a closing end start with their only opening bracket, so a match across a gap takes nothing from
    the matches behind it. If one pass leaves no match, there never was one across a gap, and the pass found them all.
    """
    labels, left = pattern.findall(cell), pattern.sub(b"", cell)
    if not labels or not pattern.search(left):
        return labels, left
    labels = []
    while match := pattern.search(cell):
        labels.append(match[1])
        cell = cell[: match.start()] + cell[match.end() :]
    return labels, cell


def text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
