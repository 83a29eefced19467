"""Mentions as sets of words: how many each has, how many two have in common, and which come first.

Words are counted by their places (places.py). So a discontinuous mention, or one with an empty node that the other side
lacks, needs no special rule. Nothing here loops over single words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..corpus.model import IntArray, Span
from ..integers import repeat
from .mentions import Side, identify
from .places import Ground

if TYPE_CHECKING:
    from .optimal import Bools

_BLOCK = 1 << 20  # the number of pairs that are processed at once


class Words:
    """The words of the mentions of two sides."""

    def __init__(self, key: Side, response: Side, ground: Ground) -> None:
        self.key = key
        self.response = response
        self.ground = ground

    @cached_property
    def sizes(self) -> tuple[IntArray, IntArray]:
        """The number of words of each mention of either side."""
        return self._sizes(self.key, 0), self._sizes(self.response, 1)

    def _sizes(self, side: Side, which: int) -> IntArray:
        size = self._within(side.row, side.start, side.end, self.ground.empty[which])
        for p, pieces in side.pieces.items():
            row = np.full(len(pieces), side.row[p])
            start, end = np.array(pieces, dtype=np.int64).T
            size[p] = self._within(row, start, end, self.ground.empty[which]).sum()
        return np.maximum(size, 1)  # a zero has no characters, but counts as 1

    def _within(self, row: IntArray, start: IntArray, end: IntArray, empty: IntArray) -> IntArray:
        """The number of units from one place to another, both included, plus the empty places between them."""
        room = self.ground.room[row]
        count: IntArray = (end + 1) // room - start // room
        if len(empty):
            low = np.searchsorted(empty, row * self.ground.width + start)
            count = count + np.searchsorted(empty, row * self.ground.width + end, side="right") - low
        return count

    def common(self, k: IntArray, r: IntArray) -> IntArray:
        """The number of words that two mentions of one document have in common, for pairs of rows."""
        key, response = self.key, self.response
        start = np.maximum(key.start[k], response.start[r])
        end = np.minimum(key.end[k], response.end[r])
        meet = start <= end
        count = np.where(meet, self._within(key.row[k], start, np.maximum(end, start), self.ground.both), 0)
        same = meet & (key.start[k] == response.start[r]) & (key.end[k] == response.end[r])
        count = np.where(same, np.maximum(count, 1), count) if self.ground.characters else count
        if key.pieces or response.pieces:
            broken = meet & (_are(key.pieces, k) | _are(response.pieces, r))
            for place in np.flatnonzero(broken).tolist():
                count[place] = self._common_pieces(int(k[place]), int(r[place]))
        return count

    def _common_pieces(self, k: int, r: int) -> int:
        spans = [
            (max(a, c), min(b, d))
            for a, b in pieces_of(self.key, k)
            for c, d in pieces_of(self.response, r)
            if max(a, c) <= min(b, d)
        ]
        if not spans:
            return 0
        start, end = np.array(spans, dtype=np.int64).T
        return int(self._within(np.full(len(spans), self.key.row[k]), start, end, self.ground.both).sum())

    def holds(self, r: IntArray, row: IntArray, place: IntArray) -> Bools:
        """Whether a word of the key, by its place in a document, is a word of a response mention."""
        response = self.response
        inside = (response.start[r] <= place) & (place <= response.end[r])
        inside &= self.ground.is_shared(row, place)
        for n in np.flatnonzero(inside & _are(response.pieces, r)).tolist() if response.pieces else ():
            inside[n] = any(a <= place[n] <= b for a, b in response.pieces[int(r[n])])
        return inside

    @cached_property
    def own(self) -> tuple[Bools, Bools]:
        """Which mentions of either side have an empty node that the other side does not have."""
        found = []
        for which, side in enumerate((self.key, self.response)):
            empty = self.ground.empty[which]
            only = empty[~np.isin(empty, self.ground.both, assume_unique=True)]
            has = np.zeros(len(side.row), dtype=bool)
            if len(only):
                code = side.row * self.ground.width
                has = np.searchsorted(only, code + side.start) < np.searchsorted(only, code + side.end, side="right")
                for p in [p for p in side.pieces if has[p]]:
                    base = int(code[p])
                    has[p] = any(
                        np.searchsorted(only, base + a) < np.searchsorted(only, base + b, side="right")
                        for a, b in side.pieces[p]
                    )
            found.append(has)
        return found[0], found[1]

    @cached_property
    def codes(self) -> tuple[IntArray, IntArray]:
        """Numbers that are equal exactly if two mentions have the same words (or name) in the same document."""
        if not any(len(empty) for empty in self.ground.empty):
            return identify(self.key, self.response)
        own = self.own
        codes = identify(self._closed(self.key), self._closed(self.response))
        if not own[0].any() and not own[1].any():
            return codes
        above = 1 + max(int(c.max()) for c in codes if len(c))
        return np.where(own[0], codes[0] + above, codes[0]), np.where(own[1], codes[1] + 2 * above, codes[1])

    def _closed(self, side: Side) -> Side:
        """The side in which a gap is closed if no word of both sides lies in it: such a gap does not make two sets of
        words different."""
        parts = dict(side.parts)
        for p, pieces in side.pieces.items():
            closed = [pieces[0]]
            for start, end in pieces[1:]:
                row, gap = side.row[p : p + 1], (np.array([closed[-1][1] + 1]), np.array([start - 1]))
                if int(self._within(row, *gap, self.ground.both)[0]) == 0:
                    closed[-1] = closed[-1][0], end
                else:
                    closed.append((start, end))
            parts[int(side.origin[p])] = tuple(closed)
        return replace(side, parts=parts)

    def ranks(self, head: tuple[IntArray | None, IntArray | None]) -> tuple[IntArray, IntArray]:
        """The place of each mention in the order of its side: first word, last word, size, words, head."""
        ours, theirs = (
            _rank(side, size, h) for side, size, h in zip((self.key, self.response), self.sizes, head, strict=True)
        )
        return ours, theirs

    def overlapping(self, ours: IntArray, theirs: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Pairs of some key and response mentions that have a word in common, in blocks."""
        key, response = self.key, self.response
        for k, r in starting_within(key, response, ours, theirs):
            yield k, r
        for r, k in starting_within(response, key, theirs, ours):
            later = key.start[k] > response.start[r]  # those that start together were among the others
            yield k[later], r[later]


def starting_within(
    outer: Side, inner: Side, ours: IntArray, theirs: IntArray, until: IntArray | None = None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of rows in which the second mention starts within the first, or up to a place in it; in blocks."""
    if not len(ours) or not len(theirs):
        return
    end = outer.end[ours] if until is None else until
    width = 1 + max(int(outer.end.max()), int(inner.end.max()))
    code = inner.row[theirs] * width + inner.start[theirs]
    order = np.argsort(code, kind="stable")
    theirs, code = theirs[order], code[order]
    low = np.searchsorted(code, outer.row[ours] * width + outer.start[ours])
    high = np.searchsorted(code, outer.row[ours] * width + end, side="right")
    for which, place in stretches(low, high):
        yield ours[which], theirs[place]


def stretches(low: IntArray, high: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Every number from low[i] to high[i] − 1, with i; in blocks, because there may be very many."""
    size = high - low
    reach = np.cumsum(size)
    begin = 0
    while begin < len(low):
        done = int(reach[begin - 1]) if begin else 0
        stop = max(int(np.searchsorted(reach, done + _BLOCK, side="right")), begin + 1)
        some = size[begin:stop]
        which = repeat(np.arange(begin, stop), some)
        yield which, repeat(high[begin:stop] - np.cumsum(some), some) + np.arange(len(which))
        begin = stop


def pieces_of(side: Side, row: int) -> Sequence[Span]:
    return side.pieces.get(row) or [(int(side.start[row]), int(side.end[row]))]


def _are(pieces: dict[int, tuple[Span, ...]], rows: IntArray) -> Bools:
    return np.isin(rows, np.fromiter(pieces, np.int64, len(pieces)))


def _rank(side: Side, size: IntArray, head: IntArray | None) -> IntArray:
    words = np.zeros(len(side.row), dtype=np.int64)
    spelled = {p: [x for a, b in pieces for x in range(a, b + 1)] for p, pieces in side.pieces.items()}
    for number, p in enumerate(sorted(spelled, key=spelled.__getitem__), start=1):
        words[p] = number
    columns = (words, size, side.end, side.start, side.row)
    order = np.lexsort(columns if head is None else (head, *columns))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank
