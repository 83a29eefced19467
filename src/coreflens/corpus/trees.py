"""Constituent trees from the bits of column formats, one per token: `(S(NP*` , `*)`, `*`.

All trees of a corpus are one table of constituents, in the order in which they open. There are no linked objects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from ..errors import InputError
from ..integers import repeat
from .model import Corpus, IntArray, Text

_LABEL = re.compile(r"\(([^()*\n]*)")
_BIT = re.compile(r"(?:\([^()*\s]+)*\*\)*")


@dataclass(frozen=True, eq=False)
class Trees:
    """The constituents of a corpus as columns.

    Tokens are counted over the corpus. `parent` is the constituent around each (−1: none); `leaf` is the innermost
    constituent around each token (−1: none). `labels` are without function tags: `NP-SBJ-1` is NP.
    """

    start: IntArray
    end: IntArray
    label: IntArray
    parent: IntArray
    leaf: IntArray
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def _by_span(self) -> tuple[IntArray, IntArray]:
        """Constituents by (start, end), of equal spans the outermost first."""
        code = self.start * self._width + self.end
        order = np.argsort(code, kind="stable")
        return code[order], order

    @property
    def _width(self) -> int:
        return len(self.leaf) + 1

    def spanning(self, start: IntArray, end: IntArray) -> IntArray:
        """The outermost constituent of exactly these tokens, −1 if there is none."""
        codes, order = self._by_span
        if not len(codes):
            return np.full(len(start), -1, dtype=np.int64)
        wanted = start * self._width + end
        place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        found: IntArray = np.where(codes[place] == wanted, order[place], -1)
        return found

    def covering(self, start: int, end: int) -> int:
        """The lowest constituent that contains these tokens, −1 if there is none."""
        node = int(self.leaf[start])
        while node >= 0 and self.end[node] < end:
            node = int(self.parent[node])
        return node


_READ: WeakKeyDictionary[Text, Trees | None] = WeakKeyDictionary()  # heads, types and categories need the same trees


def trees(corpus: Corpus) -> Trees | None:
    """The trees in the `parse` layer; None if there is no such layer. A wrong bit is an InputError with its line."""
    text = corpus.text
    if text not in _READ:
        bits = text.layers.get("parse")
        _READ[text] = None if bits is None or not any(bits) else _read(corpus, bits)
    return _READ[text]


def _read(corpus: Corpus, bits: Sequence[str]) -> Trees:
    """Bits repeat, so each distinct one is looked at once."""
    number = {bit: n for n, bit in enumerate(dict.fromkeys(bits))}
    code = np.fromiter(map(number.__getitem__, bits), np.int64, len(bits))
    names = [_LABEL.findall(bit) for bit in number]
    opens = np.array([len(own) for own in names], dtype=np.int64)[code]
    closes = np.array([bit.count(")") for bit in number], dtype=np.int64)[code]
    depth = np.cumsum(opens - closes)  # after each token
    _check(corpus, number, code, depth)
    start, place = _counted(opens)
    end, turn = _counted(closes)
    inside = depth + closes  # at the word
    level, left = (inside - opens)[start] + place + 1, inside[end] - turn
    # On every level opening and closing brackets alternate, so sorting both by level puts each pair together.
    by_level = _order(level)
    close = np.empty(len(start), dtype=np.int64)
    close[by_level] = end[_order(left)]
    known: dict[str, int] = {}
    labels = [known.setdefault(_plain(name), len(known)) for own in names for name in own]
    first = np.cumsum([0, *map(len, names)])
    label = np.array(labels, dtype=np.int64)[first[code[start]] + place]
    # The constituent around a place is the last one of its level that opens before the place.
    width = len(start) + 1
    codes = level[by_level] * width + by_level
    parent, leaf = np.full(len(start), -1, dtype=np.int64), np.full(len(bits), -1, dtype=np.int64)
    inner = by_level[level[by_level] > 1]
    parent[inner] = by_level[np.searchsorted(codes, (level[inner] - 1) * width + inner) - 1]
    covered = np.flatnonzero((inside > 0) & np.array([bit != "" for bit in number])[code])
    covered = covered[_order(inside[covered])]
    opened = np.cumsum(opens)[covered]
    leaf[covered] = by_level[np.searchsorted(codes, inside[covered] * width + opened) - 1]
    return Trees(start, close, label, parent, leaf, tuple(known))


def _counted(times: IntArray) -> tuple[IntArray, IntArray]:
    """Each token as often as given, and a number from 0 for each time."""
    token = repeat(np.arange(len(times)), times)
    return token, np.arange(len(token)) - (np.cumsum(times) - times)[token]


def _order(level: IntArray) -> IntArray:
    """A stable order by level; numpy sorts small integers much faster."""
    small = level.max(initial=0) <= np.iinfo(np.int16).max
    return np.argsort(level.astype(np.int16) if small else level, kind="stable")


def _plain(label: str) -> str:
    """The label without function tags: NP for `NP-SBJ-1`; `-LRB-` is unchanged."""
    return re.split(r"(?<=.)[-=|]", label, maxsplit=1)[0]


def _check(corpus: Corpus, bits: Mapping[str, int], code: IntArray, depth: IntArray) -> None:
    """Check that every bit is well-formed, and that every tree begins and ends with its sentence."""
    for bit, number in bits.items():
        if bit and not _BIT.fullmatch(bit):
            _fail(corpus, int((code == number).argmax()), f"'{bit[:40]}' is not a bit of a tree, such as (NP* or *)")
    if len(low := np.flatnonzero(depth < 0)):
        _fail(corpus, int(low[0]), "the tree is closed more often than opened")
    borders = np.append(corpus.text.sentences, len(code))
    if len(wrong := np.flatnonzero(np.append(0, depth)[borders])):
        _fail(corpus, int(borders[wrong[0] - 1]), "the tree of this sentence never ends")


def _fail(corpus: Corpus, token: int, message: str) -> None:
    text = corpus.text
    d = int(np.searchsorted(text.first, token, side="right")) - 1
    line = None if text.line is None else int(text.line[min(token, len(text.line) - 1)])
    hint = "the parse column must have whole trees, or be empty"
    raise InputError(message, file=corpus.documents[d].file or corpus.source or None, line=line, hint=hint)
