"""The lines of a CoNLL-U file: their kinds, and where documents start."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...corpus.model import IntArray, file_stem
from ...errors import counted
from ...files import encoding
from ...integers import repeat
from ..shared.excerpts import Bytes
from ..shared.source import Source

BLANK, COMMENT, WORD, EMPTY, RANGE, WRONG = range(6)  # kinds of lines; the first two end a sentence
_TAB, _NEWLINE, _RETURN, _PIPE = b"\t\n\r|"
_SLICE = 1 << 15  # lines that are read together
_DIGITS = 9  # the most digits of an id
_EMPTY_ID, _RANGE_ID = re.compile(rb"\d{1,9}\.\d{1,9}"), re.compile(rb"(\d{1,9})-(\d{1,9})")
HEADER = re.compile(rb"# *(?:(newdoc)(?: +id *= *(.*))?|(document_part|global\.Entity) *= *(.*))\s*")


class Header(NamedTuple):
    """A comment with a meaning: `newdoc`, `document_part` or `global.Entity`, and its value."""

    line: int  # from 0
    name: str
    value: str


class Begin(NamedTuple):
    """Where a document begins."""

    line: int  # from 0; −1 before the first line
    token: int
    name: str
    part: int | None


@dataclass(frozen=True, eq=False)
class Lines:
    """One entry per line: its first byte, the byte after its last, its kind, its last tab, the tokens before it."""

    data: bytes
    start: IntArray
    end: IntArray
    kind: Bytes
    last: IntArray
    tokens: IntArray

    def column(self, number: int, at: IntArray) -> tuple[IntArray, IntArray]:
        """Where a column, from 0, begins and ends in some lines, ascending; empty if a line has fewer columns."""
        raw = np.frombuffer(self.data, np.uint8)
        begin, stop = self.start[at], self.end[at]
        for a in range(0, len(at), _SLICE):
            first, end = begin[a : a + _SLICE], stop[a : a + _SLICE]
            low, high = int(first[0]), int(end[-1])
            tabs = np.append(np.flatnonzero(raw[low:high] == _TAB) + low, high)
            after = np.searchsorted(tabs, first) + number
            ends = np.minimum(tabs.take(after, mode="clip"), end)
            if number:
                first[:] = np.minimum(tabs.take(after - 1, mode="clip") + 1, end)
            end[:] = ends
        return begin, stop

    def at(self, place: int) -> tuple[int, int]:
        """Line and column of a byte, both from 1."""
        line = int(np.searchsorted(self.start, place, side="right")) - 1
        return line + 1, len(self.data[self.start[line] : place].decode(errors="replace")) + 1

    @cached_property
    def items(self) -> tuple[IntArray, IntArray]:
        """Where the items of the MISC column begin, and the line of each, from 0."""
        raw = np.frombuffer(self.data, np.uint8)
        first = np.flatnonzero(self.kind >= WORD)
        later = np.flatnonzero(raw == _PIPE)
        line = np.searchsorted(self.start, later, side="right") - 1
        inside = (self.kind[line] >= WORD) & (later > self.last[line])
        place, line = np.append(self.last[first], later[inside]) + 1, np.append(first, line[inside])
        order = np.argsort(place, kind="stable")
        return place[order], line[order]

    def places(self, key: bytes) -> tuple[IntArray, IntArray, IntArray]:
        """The values of a key of the MISC column: line from 0, first byte, byte after the last."""
        place, line = self.items
        raw, rows, name = np.frombuffer(self.data, np.uint8), np.arange(len(place)), key + b"="
        for k, letter in enumerate(name):
            rows = rows[raw.take(place[rows] + k, mode="clip") == letter]
        begin, end = place[rows] + len(name), self.end[line[rows]]
        within = begin <= end  # at the end of the file there is no further byte
        after = np.append(place, len(self.data) + 2)[rows + 1]
        return line[rows][within], begin[within], np.minimum(end, after - 1)[within]

    def cells(self, key: bytes) -> list[tuple[int, int, str]]:
        """The same values: line from 0, first byte, and text."""
        line, begin, end = (column.tolist() for column in self.places(key))
        return [(n, a, self.data[a:b].decode()) for n, a, b in zip(line, begin, end, strict=True)]

    def headers(self) -> list[Header]:
        """The comments that have data about documents or entities."""
        raw = np.frombuffer(self.data, np.uint8)
        comments = np.flatnonzero(self.kind == COMMENT)
        # the first letter excludes nearly all other comments: most are sent_id and text
        letter = raw.take(self.start[comments] + 2, mode="clip"), raw.take(self.start[comments] + 1, mode="clip")
        likely = np.isin(letter[0], list(b"ngd ")) | (letter[1] != ord(" "))
        return [
            Header(n, (m[1] or m[3]).decode(), (m[2] or m[4] or b"").decode().strip())
            for n in comments[likely].tolist()
            if (m := HEADER.fullmatch(self.data[self.start[n] : self.end[n]]))
        ]

    def begins(self, headers: list[Header], source: str) -> list[Begin]:
        """Where the documents begin: at `# newdoc`, and at the first token if there is none before it."""
        newdocs = [h for h in headers if h.name == "newdoc"]
        parts = {h.line: h.value for h in headers if h.name == "document_part"}
        tokens = int(self.tokens[-1])
        tokens_before = int(self.tokens[newdocs[0].line]) if newdocs else tokens
        unnamed = [h for h in newdocs if not h.value]
        numbered = len(unnamed) > 1 or (tokens_before > 0 and bool(unnamed))
        stem = file_stem(source)  # documents without a name get that of the file and, if there are several, a number
        begins = []
        if tokens_before:
            begins.append(Begin(-1, 0, stem, 1 if numbered else None))
        for newdoc in newdocs:
            if newdoc.value:
                name, number = _name_and_part(newdoc.value, parts.get(newdoc.line + 1, ""))
            else:
                name, number = stem, len(begins) + 1 if numbered else None
            begins.append(Begin(newdoc.line, int(self.tokens[newdoc.line]), name, number))
        return begins


def _name_and_part(name: str, part: str) -> tuple[str, int | None]:
    """A name such as `a_1`, if this is part 1, without the part."""
    if re.fullmatch(r"\d{1,18}", part) and name.endswith(f"_{part}"):
        return name.removesuffix(f"_{part}"), int(part)
    return name, None


def index(source: Source) -> Lines:
    """Find the lines and their kinds; report lines that are not of the format."""
    data = source.data
    if (place := data.find(b"\0")) >= 0:
        source.fail("NUL byte: this is not text", line=data.count(b"\n", 0, place) + 1)
    if not data:
        source.fail("there is no token line in this file", code="input")
    if not data.isascii():
        encoding.text(data, source.name)
    raw: Bytes = np.frombuffer(data, np.uint8)
    newline = np.flatnonzero(raw == _NEWLINE)
    start = np.concatenate(([0], newline + 1))
    end = np.concatenate((newline, [len(data)]))
    if data.endswith(b"\n"):
        start, end = start[:-1], end[:-1]
    end = end - ((raw.take(end - 1, mode="clip") == _RETURN) & (end > start))
    kind = np.where(end <= start, BLANK, np.where(raw.take(start, mode="clip") == ord("#"), COMMENT, WORD))
    kind = kind.astype(np.uint8)
    last, value = np.zeros_like(start), np.zeros_like(start)
    odd: list[tuple[int, int]] = []  # lines with other than ten columns, and how many they have
    for a in range(0, len(start), _SLICE):
        part = slice(a, a + _SLICE)
        odd += _slice(raw, start[part], end[part], kind[part], last[part], value[part], data, a)
    _report(source, start, end, kind, odd)
    token = (kind == WORD) | (kind == EMPTY)
    tokens = np.concatenate(([0], np.cumsum(token)))
    if not token.any() and not (kind == COMMENT).any():
        source.fail("there is no token line in this file", code="input")
    _check_ids(source, kind, value)
    return Lines(data, start, end, kind, last, tokens)


def _slice(
    raw: Bytes,
    start: IntArray,
    end: IntArray,
    kind: Bytes,
    last: IntArray,
    value: IntArray,
    data: bytes,
    offset: int,
) -> list[tuple[int, int]]:
    """Find kind, last tab and number of some lines; returns the lines that have not ten columns."""
    begin, stop = int(start[0]), int(end[-1])
    tabs = np.flatnonzero(raw[begin:stop] == _TAB) + begin
    low, high = np.searchsorted(tabs, start), np.searchsorted(tabs, end)
    count = high - low
    if len(tabs):
        last[:] = np.where(count > 0, tabs.take(high - 1, mode="clip"), start - 1)
        first = np.where(count > 0, tabs.take(low, mode="clip"), end)
    else:
        last[:], first = start - 1, end
    size, token = first - start, kind == WORD
    plain = token & (size > 0) & (size <= _DIGITS)
    for k in range(int(size[plain].max(initial=0))):
        digit = raw.take(start + k, mode="clip") - np.uint8(ord("0"))
        inside = k < size
        plain &= ~inside | (digit <= 9)
        value[:] = np.where(inside & plain, value * 10 + digit, value)
    for n in np.flatnonzero(token & ~plain).tolist():
        name = data[start[n] : first[n]]
        span = _RANGE_ID.fullmatch(name)
        if not data[start[n] : end[n]].strip():
            kind[n] = BLANK
        elif _EMPTY_ID.fullmatch(name):
            kind[n] = EMPTY
        else:
            kind[n] = RANGE if span and int(span[1]) < int(span[2]) else WRONG
    wrong = np.flatnonzero((kind >= WORD) & (count != 9))
    return [(n + offset, int(count[n]) + 1) for n in wrong.tolist()]


def _report(source: Source, start: IntArray, end: IntArray, kind: Bytes, odd: list[tuple[int, int]]) -> None:
    columns = dict(odd)
    tokens = int((kind >= WORD).sum())
    if tokens and len(odd) == tokens and all(n == 1 for n in columns.values()):
        hint = "the ten columns of CoNLL-U are separated by tabs, not by blanks"
        source.fail("no line of this file has columns", line=odd[0][0] + 1, column=1, hint=hint)
    for n in sorted({*columns, *np.flatnonzero(kind == WRONG).tolist()}):
        if n in columns:
            message = f"this line has {counted(range(columns[n]), 'column')}, but CoNLL-U has 10"
            if n == len(start) - 1 and not source.data.endswith(b"\n"):
                source.report("truncated", f"the file seems to be cut off here: {message}", line=n + 1)
            else:
                hint = "put tabs between columns, and `_` for no value"
                source.report("syntax", message, line=n + 1, column=1, hint=hint)
        else:
            name = source.data[start[n] : end[n]].split(b"\t")[0][:40].decode(errors="replace")
            hint = "`3` for a word, `3-4` for a multiword token, `3.1` for an empty node"
            source.report("syntax", f"'{name}' is not an id of CoNLL-U", line=n + 1, column=1, hint=hint)


def _check_ids(source: Source, kind: Bytes, value: IntArray) -> None:
    """Report sentences whose words are not numbered from 1; the mentions don't depend on it."""
    words = np.flatnonzero(kind == WORD)
    sentence = np.cumsum(kind <= COMMENT)[words]
    starts = np.flatnonzero(np.diff(sentence, prepend=-1))
    rank = np.arange(len(words)) - repeat(starts, np.diff(starts, append=len(words))) + 1
    wrong = np.flatnonzero(value[words] != rank)
    if len(wrong):
        sentences = np.unique(sentence[wrong])
        message = f"the words of {counted(sentences, 'sentence')} are not numbered 1, 2, 3, ..."
        source.report("malformed", f"{message} (the order of the lines counts)", line=int(words[wrong[0]]) + 1)
