"""The words and columns of a CoNLL-U file, read when they are needed.

Most evaluations need few of them: which tokens are empty nodes, whether both sides have the same words, and the
dependencies of some empty nodes. A column is stored as the places of its cells in the bytes of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ...corpus.model import IntArray, Text
from ..shared.excerpts import Excerpts
from ..shared.unread import Unread
from .lines import COMMENT, EMPTY, HEADER, RANGE, WORD, Lines

LAYERS = ("lemma", "upos", "pos", "feats", "head", "deprel", "deps", "misc")  # the columns after ID and FORM
STANDARD_ENTITY = "# global.Entity = eid-etype-head-other"
_FORM, _FIRST, _MISC = 1, 2, 9  # columns, from 0
_COREFERENCE = re.compile(r"(?:^|\|)(?:Entity|Bridge|SplitAnte|Split)=[^|]*")
_SPEAKER = re.compile("^# *speaker *= *(.+)$", re.MULTILINE)


def read_text(lines: Lines, first: IntArray) -> Text:
    """The text of a file whose documents start at these tokens."""
    at = np.flatnonzero((lines.kind == WORD) | (lines.kind == EMPTY))
    empty = lines.kind[at] == EMPTY
    sentences = np.flatnonzero(np.diff(np.cumsum(lines.kind <= COMMENT)[at], prepend=-1))
    table = TokenLines(lines, at, empty, sentences)
    number = _numbers(table, sentences) if empty.any() else None
    return Text(
        TokenColumn(table, _FORM),
        first,
        sentences,
        Layers(table),
        empty if empty.any() else None,
        at + 1,
        number=number,
    )


def _numbers(table: TokenLines, sentences: IntArray) -> IntArray | None:
    """The numbers of the empty nodes after their words, 2 for `5.2`; None if they are not in ascending order."""
    number = np.zeros(len(table.at), dtype=np.int64)
    ids = Excerpts(table.lines.data, *table.lines.column(0, table.at[table.empty]))
    number[table.empty] = [int(name.partition(".")[2]) for name in ids]
    before = np.append(0, number[:-1])
    before[sentences] = 0
    return number if (number[table.empty] > before[table.empty]).all() else None


@dataclass(frozen=True, eq=False)
class TokenLines:
    """The cells of the tokens, which are in the lines `at`."""

    lines: Lines
    at: IntArray
    empty: npt.NDArray[np.bool_]
    sentences: IntArray

    @cached_property
    def between(self) -> dict[str, list[str]]:
        """Comments and multiword tokens, each at the token that follows it."""
        lines, tokens = self.lines, len(self.at)
        multiword, comments = [""] * tokens, [""] * tokens
        blocks: dict[int, list[str]] = {}
        newdoc = -1
        standard = True  # whether the first global.Entity, which is not kept as a comment, is still to come
        for n in np.flatnonzero((lines.kind == COMMENT) | (lines.kind == RANGE)).tolist():
            place = int(lines.tokens[n])
            if place == tokens:
                break
            raw = lines.data[lines.start[n] : lines.end[n]]
            header, line = HEADER.fullmatch(raw), raw.decode()
            if lines.kind[n] == RANGE:
                multiword[place] = line
            elif header and header[1] and place == newdoc:  # the document before has no tokens
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
        """The speaker of each token, if comments such as `# speaker = Ann` name the speakers of sentences."""
        if b"speaker" not in self.lines.data:
            return []
        comments, speakers = self.between["comments"], list[str]()
        for begin, stop in pairwise([*self.sentences.tolist(), len(self.at)]):
            who = _SPEAKER.search(comments[begin])
            speakers += [who[1].strip() if who else ""] * (stop - begin)
        return speakers


class TokenColumn(Unread):
    """A column of the tokens; the places of its values are found when one is first needed."""

    def __init__(self, table: TokenLines, number: int) -> None:
        self.table, self.number = table, number

    @cached_property
    def cells(self) -> Excerpts:
        spelled = {} if self.number == _FORM else {"_": ""}
        return Excerpts(self.table.lines.data, *self.table.lines.column(self.number, self.table.at), spelled)

    def read_one(self, place: int) -> str:
        return self._plain(self.cells.read_one(place), place)

    def read_all(self) -> list[str]:
        values = self.cells.read_all()
        if self.number == _MISC:
            return [without_coreference(x) if x else "" for x in values]
        for n in np.flatnonzero(self.table.empty).tolist() if self.number == _FORM else ():
            values[n] = self._plain(values[n], n)
        return values

    def _plain(self, cell: str, place: int) -> str:
        if self.number == _MISC:
            return without_coreference(cell)
        return "" if cell == "_" and self.number == _FORM and self.table.empty[place] else cell

    def forms(self) -> bytes | None:
        """The forms of the written tokens, with a tab after each."""
        return self.cells.joined(np.flatnonzero(~self.table.empty), b"\t") if self.number == _FORM else None

    @property
    def says(self) -> bool:
        """Whether there is any value."""
        return any(self) if self.number == _MISC else self.cells.any(b"_")

    def __len__(self) -> int:
        return len(self.table.at)


class Layers(Mapping[str, Sequence[str]]):
    """The columns after the form, comments, multiword tokens and speakers; layers without any value are left out."""

    def __init__(self, table: TokenLines) -> None:
        self.table = table
        self._known: dict[str, Sequence[str] | None] = {}

    def __getitem__(self, name: str) -> Sequence[str]:
        if name not in self._known:
            self._known[name] = self._layer(name)
        values = self._known[name]
        if values is None:
            raise KeyError(name)
        return values

    def __contains__(self, name: object) -> bool:
        known = self._known.get(str(name), self)  # `self` means: not yet known
        return known is not None if known is not self else self.get(str(name)) is not None

    def _layer(self, name: str) -> Sequence[str] | None:
        if name in LAYERS:
            column = TokenColumn(self.table, LAYERS.index(name) + _FIRST)
            return column if column.says else None
        values: list[str] = []
        if name in ("comments", "multiword"):
            values = self.table.between[name]
        elif name == "speaker":
            values = self.table.speakers
        return values if any(values) else None

    def __iter__(self) -> Iterator[str]:
        return (name for name in (*LAYERS, "comments", "multiword", "speaker") if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def without_coreference(misc: str) -> str:
    """The MISC column without its mentions, entities and relations."""
    return _COREFERENCE.sub("", misc).removeprefix("|")
