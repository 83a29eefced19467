"""Constituent trees from the bits of column formats, one per token: `(S(NP*` , `*)`, `*`.

All trees of a corpus are one table of constituents, in the order in which they open. There are no linked objects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import InputError
from .model import Corpus, IntArray

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


def trees(corpus: Corpus) -> Trees | None:
    """The trees in the `parse` layer; None if there is no such layer. A wrong bit is an InputError with its line."""
    text = corpus.text
    bits = text.layers.get("parse")
    if bits is None or not any(bits):
        return None
    joined = "\n".join(bits)
    data = np.frombuffer(joined.encode("ascii", "replace"), np.uint8)  # one byte per character
    opening, closing = data == ord("("), data == ord(")")
    token = np.cumsum(data == ord("\n"))  # of each character
    bracket = np.flatnonzero(opening | closing)
    opens = opening[bracket]
    depth = np.cumsum(np.where(opens, 1, -1))
    _check(corpus, bracket, depth, token)
    # On every level opening and closing brackets alternate, so sorting by level puts each pair together.
    level = depth + ~opens
    pairs = np.argsort(level, kind="stable")
    first, last = pairs[0::2], pairs[1::2]
    order = np.argsort(first)
    first, last = first[order], last[order]
    start, end, level = token[bracket[first]], token[bracket[last]], level[first]
    names = _LABEL.findall(joined)
    known: dict[str, int] = {}
    number = {name: known.setdefault(_plain(name), len(known)) for name in dict.fromkeys(names)}
    label = np.fromiter(map(number.__getitem__, names), np.int64, len(names))
    parent = _latest(level, np.arange(len(first)), level - 1, np.arange(len(first)))
    star = np.flatnonzero(data == ord("*"))
    around = np.cumsum(np.where(opening, 1, np.where(closing, -1, 0)))[star]
    before = np.searchsorted(bracket[first], star)  # constituents opened before the word
    leaf = np.full(len(bits), -1, dtype=np.int64)
    leaf[token[star]] = _latest(level, np.arange(len(first)), around, before)
    return Trees(start, end, label, parent, leaf, tuple(known))


def _plain(label: str) -> str:
    """The label without function tags: NP for `NP-SBJ-1`; `-LRB-` is unchanged."""
    return re.split(r"(?<=.)[-=|]", label, maxsplit=1)[0]


def _latest(level: IntArray, place: IntArray, wanted: IntArray, before: IntArray) -> IntArray:
    """For each query the last constituent of the wanted level that opens before a place; −1 for level 0."""
    width = len(level) + 1
    codes = level * width + place
    order = np.argsort(codes)
    found = np.searchsorted(codes[order], wanted * width + before) - 1
    latest: IntArray = np.where(wanted > 0, order[np.maximum(found, 0)], -1)
    return latest


def _check(corpus: Corpus, bracket: IntArray, depth: IntArray, token: IntArray) -> None:
    """Check that every bit is well-formed, and that every tree begins and ends with its sentence."""
    text = corpus.text
    layer = text.layers["parse"]
    for bit in dict.fromkeys(layer):
        if bit and not _BIT.fullmatch(bit):
            _fail(corpus, layer.index(bit), f"'{bit[:40]}' is not a bit of a tree, such as (NP* or *)")
    if not len(bracket):
        return
    at = np.searchsorted(token[bracket], np.append(text.sentences, len(layer)))  # brackets before each sentence
    before = np.append(0, depth)[at]
    wrong = np.flatnonzero(before)
    low = np.flatnonzero(depth < 0)
    if len(low):
        _fail(corpus, int(token[bracket[low[0]]]), "the tree is closed more often than opened")
    if len(wrong):
        _fail(corpus, int(np.append(text.sentences, len(layer))[wrong[0] - 1]), "the tree of this sentence never ends")


def _fail(corpus: Corpus, token: int, message: str) -> None:
    text = corpus.text
    d = int(np.searchsorted(text.first, token, side="right")) - 1
    line = None if text.line is None else int(text.line[min(token, len(text.line) - 1)])
    hint = "the parse column must have whole trees, or be empty"
    raise InputError(message, file=corpus.documents[d].file or corpus.source or None, line=line, hint=hint)
