"""The words and columns of a CoNLL-U file, taken apart as they are asked for.

Most of an evaluation needs few of them: which tokens are empty nodes, whether both sides have the same words, the
dependencies of some empty nodes. One cell is read from its line; a whole column is read with all the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ...corpus.model import IntArray, Text
from ..shared.unread import Unread
from .lines import COMMENT, EMPTY, HEADER, RANGE, WORD, Lines

LAYERS = ("lemma", "upos", "pos", "feats", "head", "deprel", "deps", "misc")  # the columns after ID and FORM
STANDARD_ENTITY = "# global.Entity = eid-etype-head-other"
_FORM, _FIRST = 1, 2  # columns, from 0
_COREFERENCE = re.compile(r"(?:^|\|)(?:Entity|Bridge|SplitAnte|Split)=[^|]*")
_SPEAKER = re.compile("^# *speaker *= *(.+)$", re.MULTILINE)
_SLICE = 1 << 15  # lines taken apart together
_RECENT = 256  # cells


def read_text(lines: Lines, first: IntArray) -> Text:
    """The text of a file whose documents start at these tokens."""
    at = np.flatnonzero((lines.kind == WORD) | (lines.kind == EMPTY))
    empty = lines.kind[at] == EMPTY
    sentences = np.flatnonzero(np.diff(np.cumsum(lines.kind <= COMMENT)[at], prepend=-1))
    table = Table(lines, at, empty, sentences)
    number = _numbers(table, sentences) if empty.any() else None
    return Text(
        Column(table, _FORM), first, sentences, Layers(table), empty if empty.any() else None, at + 1, number=number
    )


def _numbers(table: Table, sentences: IntArray) -> IntArray | None:
    """The numbers of the empty nodes after their words, 2 of `5.2`; None where they do not rise as they should."""
    number = np.zeros(len(table.at), dtype=np.int64)
    for n in np.flatnonzero(table.empty).tolist():
        number[n] = int(table.cell(n, 0).partition(".")[2])
    before = np.append(0, number[:-1])
    before[sentences] = 0
    return number if (number[table.empty] > before[table.empty]).all() else None


@dataclass(frozen=True, eq=False)
class Table:
    """The cells of the tokens, which stand in the lines `at`."""

    lines: Lines
    at: IntArray
    empty: npt.NDArray[np.bool_]
    sentences: IntArray
    _seen: dict[tuple[int, int], str] = field(default_factory=dict)

    def cell(self, token: int, column: int) -> str:
        """One cell as a layer has it; the last ones are remembered, as one line may be long and often asked for."""
        if (token, column) not in self._seen:
            line = int(self.at[token])
            text = self.lines.data[self.lines.start[line] : self.lines.end[line]].decode()
            if len(self._seen) >= _RECENT:
                self._seen.clear()
            self._seen[token, column] = self._plain((text.split("\t") + [""] * 9)[column], token, column)
        return self._seen[token, column]

    def _plain(self, cell: str, token: int, column: int) -> str:
        if cell == "_":
            return "" if column != _FORM or self.empty[token] else cell
        return without_coreference(cell) if column == 9 else cell

    @cached_property
    def columns(self) -> list[list[str]]:
        """All ten columns."""
        lines = self.lines
        token = np.zeros(len(lines.kind), dtype=bool)
        token[self.at] = True
        columns: list[list[str]] = [[] for _ in range(10)]
        shared: dict[str, str] = {}  # columns repeat themselves: one string each will do
        for a in range(0, len(lines.kind), _SLICE):
            b = min(a + _SLICE, len(lines.kind))
            texts = lines.data[lines.start[a] : lines.end[b - 1]].decode().split("\n")
            rows = [(texts[n].rstrip("\r").split("\t") + [""] * 9)[:10] for n in np.flatnonzero(token[a:b]).tolist()]
            for column, cells in zip(columns, zip(*rows, strict=True), strict=False):
                column += [shared.setdefault(x, x) for x in cells]
        for n in np.flatnonzero(self.empty).tolist():
            columns[_FORM][n] = self._plain(columns[_FORM][n], n, _FORM)
        columns[_FIRST:] = [["" if x == "_" else x for x in column] for column in columns[_FIRST:]]
        columns[9] = [without_coreference(x) if x else "" for x in columns[9]]
        return columns

    @cached_property
    def between(self) -> dict[str, list[str]]:
        """Comments and multiword tokens, each at the token that follows."""
        lines, tokens = self.lines, len(self.at)
        multiword, comments = [""] * tokens, [""] * tokens
        blocks: dict[int, list[str]] = {}
        newdoc = -1
        standard = True  # whether the first global.Entity, which goes without saying, is still to come
        for n in np.flatnonzero((lines.kind == COMMENT) | (lines.kind == RANGE)).tolist():
            place = int(lines.tokens[n])
            if place == tokens:
                break
            raw = lines.data[lines.start[n] : lines.end[n]]
            header, line = HEADER.fullmatch(raw), raw.decode()
            if lines.kind[n] == RANGE:
                multiword[place] = line
            elif header and header[1] and place == newdoc:  # the one before has no tokens
                blocks.pop(place, None)
            elif not header or (header[3] == b"global.Entity" and not (standard and line == STANDARD_ENTITY)):
                blocks.setdefault(place, []).append(line)
            newdoc = place if header and header[1] else newdoc
            standard &= not (header and header[3] == b"global.Entity")
        for place, block in blocks.items():
            comments[place] = "\n".join(block)
        return {"comments": comments, "multiword": multiword}

    @cached_property
    def speakers(self) -> list[str]:
        """Who speaks each token, if comments such as `# speaker = Ann` name those of sentences."""
        if b"speaker" not in self.lines.data:
            return []
        comments, speakers = self.between["comments"], list[str]()
        for begin, stop in pairwise([*self.sentences.tolist(), len(self.at)]):
            who = _SPEAKER.search(comments[begin])
            speakers += [who[1].strip() if who else ""] * (stop - begin)
        return speakers

    def forms(self) -> bytes:
        """The forms of the written tokens, each with a tab behind it: to compare two texts at once."""
        lines, written = self.lines, self.at[~self.empty]
        begin, stop = lines.form[written], lines.form_end[written] + 1
        size = stop - begin
        border = np.cumsum(size)
        if not len(size):
            return b""
        place = np.repeat(begin - border + size, size) + np.arange(border[-1])
        joined: bytes = np.frombuffer(lines.data, np.uint8)[place].tobytes()
        return joined


class Column(Unread):
    """A column of the tokens."""

    def __init__(self, table: Table, column: int) -> None:
        self.table, self._column = table, column

    def read_one(self, place: int) -> str:
        return self.table.cell(place, self._column)

    def read_all(self) -> list[str]:
        return self.table.columns[self._column]

    def forms(self) -> bytes | None:
        return self.table.forms() if self._column == _FORM else None

    def __len__(self) -> int:
        return len(self.table.at)


class Layers(Mapping[str, Sequence[str]]):
    """The columns after the form, comments, multiword tokens, speakers; those without any value are not there."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __getitem__(self, name: str) -> Sequence[str]:
        if name in ("comments", "multiword"):
            values: Sequence[str] = self.table.between[name]
        elif name == "speaker":
            values = self.table.speakers
        elif name in LAYERS:
            values = Column(self.table, LAYERS.index(name) + _FIRST)
            if len(values) and values[0]:  # the usual case, which needs no look at all the others
                return values
        else:
            raise KeyError(name)
        if not any(values):
            raise KeyError(name)
        return values

    def __iter__(self) -> Iterator[str]:
        return (name for name in (*LAYERS, "comments", "multiword", "speaker") if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def without_coreference(misc: str) -> str:
    """The MISC column without what the mentions, entities and relations already say."""
    return _COREFERENCE.sub("", misc).removeprefix("|")
