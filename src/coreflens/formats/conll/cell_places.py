"""The places of all cells in the bytes of a file of columns, found for many lines at once.

In a line with tabs, cells are between the tabs. In a line without tabs, they are the runs of bytes that are not blank.
The last cell, which is coreference, is left out. Only three cases are handled line by line: blanks after the last tab,
comments, and blanks at the end of a line.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...corpus.model import IntArray
from ...integers import bincount, repeat
from .columns import BLANKS, CELL, HEADER, SEPARATORS, is_token, slices

Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]
SLICE = 1 << 21  # bytes at a time: small enough for the caches, large enough for numpy to be fast
_RAGGED = 40  # blanks at the ends of lines that are removed for all lines at once
_WORD = re.compile(rb"\S+")
TAB, NEWLINE, HASH, BLANK = b"\t\n# "


class Places(NamedTuple):
    """For each token: its line (from 1), the first byte of the line, and the places of its cells.

    `begin` and `stop` list the cells of all tokens, counted from the starts of their lines. Those of token t are
    first[t] to first[t + 1] − 1. `borders` has the tokens that follow a blank line or a header.
    """

    line: IntArray
    start: IntArray
    first: IntArray
    begin: IntArray
    stop: IntArray
    borders: Bools

    @property
    def width(self) -> IntArray:
        """The number of cells of each token, without the last cell."""
        return np.diff(self.first)

    def take(self, tokens: IntArray) -> Places:
        """Some of the tokens, ascending."""
        width = self.width[tokens]
        first = np.append(0, np.cumsum(width))
        cells = repeat(self.first[:-1][tokens] - first[:-1], width) + np.arange(first[-1])
        return Places(
            self.line[tokens], self.start[tokens], first, self.begin[cells], self.stop[cells], self.borders[tokens]
        )

    def column(self, number: int) -> tuple[IntArray, IntArray]:
        """Where the cells of a column begin and end in the bytes; both are 0 if a line has no such column."""
        there = self.width > number
        if there.all():
            at = self.first[:-1] + number
            return self.start + self.begin[at], self.start + self.stop[at]
        at = np.where(there, self.first[:-1] + number, 0)
        none = np.zeros(1, np.int64)
        begin, stop = (self.begin, self.stop) if len(self.begin) else (none, none)
        return np.where(there, self.start + begin[at], 0), np.where(there, self.start + stop[at], 0)

    def rest(self, number: int) -> tuple[IntArray, IntArray]:
        """The begin of a column in each line, and the end of the last cell before the coreference."""
        begin, stop = self.column(number)
        there = np.flatnonzero(self.width > number)
        stop[there] = self.start[there] + self.stop[self.first[there + 1] - 1]
        return begin, stop


def find_places(data: bytes) -> Places:
    """The cells of all token lines of a file."""
    none = np.zeros(0, np.int64)
    parts: list[tuple[Any, ...]] = [(none, none, none, none.astype(np.uint16), none.astype(np.uint16), none)]
    lines = breaks = 0
    for begin, stop in slices(data, SLICE):
        columns, more, borders = _slice(data, begin, stop)
        parts.append((columns[0] + (lines + 1), *columns[1:-1], columns[-1] + breaks))
        lines, breaks = lines + more, breaks + borders
    line, start, width, cell, end, before = map(np.concatenate, zip(*parts, strict=True))
    return Places(line, start, np.append(0, np.cumsum(width)), cell, end, np.diff(before, prepend=-1) > 0)


def _slice(data: bytes, begin: int, stop: int) -> tuple[tuple[Any, ...], int, int]:
    """Line, start and width of each token of data[begin:stop], its cells, and how many borders are before it.

    The second and third value are the numbers of lines and of borders.
    """
    here = np.frombuffer(data, np.uint8)[begin:stop]
    newline = np.flatnonzero(here == NEWLINE)
    if data[stop - 1] != NEWLINE:
        newline = np.append(newline, stop - begin)
    start = np.concatenate(([0], newline[:-1] + 1))
    end = _stripped(data, begin, here, start, newline)
    tabs = np.flatnonzero(here == TAB) if data.find(b"\t", begin, stop) >= 0 else newline[:0]
    full = end > start
    first = here.take(start, mode="clip")
    token, border = full.copy(), ~full
    for i in np.flatnonzero(full & (first <= BLANK)).tolist() if len(tabs) else ():
        token[i] = bool(data[begin + start[i] : begin + end[i]].strip(SEPARATORS))
        border[i] = not token[i]
    for i in np.flatnonzero(full & (first == HASH)).tolist():
        text = data[begin + start[i] : begin + end[i]]
        token[i], border[i] = is_token(text), HEADER.match(text) is not None
    at = np.flatnonzero(token)
    width, cells, ends = _cells(data, begin, here, start[at], end[at], tabs)
    owner = repeat(start[at], width)
    size = np.uint16 if int((end - start).max(initial=0)) < 1 << 16 else np.int64
    breaks = np.cumsum(border)
    columns = at, start[at] + begin, width, (cells - owner).astype(size), (ends - owner).astype(size), breaks[at]
    return columns, len(newline), int(breaks[-1])


def _stripped(data: bytes, begin: int, here: Bytes, start: IntArray, newline: IntArray) -> IntArray:
    """The ends of lines without trailing blanks; a tab stays, because the cell after it is empty."""
    end = newline.copy()
    live = np.arange(len(end))
    for _ in range(_RAGGED):
        last = here.take(end[live] - 1, mode="clip")
        live = live[(last <= BLANK) & (last != TAB) & (end[live] > start[live])]
        if not len(live):
            break
        end[live] -= 1
    for i in live.tolist():
        end[i] = start[i] + len(data[begin + start[i] : begin + end[i]].rstrip(BLANKS))
    return end


def _cells(
    data: bytes, begin: int, here: Bytes, start: IntArray, end: IntArray, tabs: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """The number of cells of each token line without the last, and where the cells begin and end."""
    if not len(start):
        return start, start, start
    low, high = np.searchsorted(tabs, start), np.searchsorted(tabs, end)
    tabbed = high > low
    if not tabbed.any():
        return _runs(here, start, end)
    inside = _within(tabs, low, high)
    cell = np.concatenate(([0], inside[:-1] + 1))
    width = high - low
    cell[(np.cumsum(width) - width)[tabbed]] = start[tabbed]
    odd = _behind_tabs(here, tabs[high[tabbed] - 1], end[tabbed])
    if tabbed.all() and not len(odd):
        return width, cell, inside
    groups = [(cell, inside, repeat(np.arange(len(start)), width))]
    if not tabbed.all():
        rows = np.flatnonzero(~tabbed)
        own, cell, inside = _runs(here, start[rows], end[rows])
        groups.append((cell, inside, repeat(rows, own)))
    for i in np.flatnonzero(tabbed)[odd].tolist():
        tail = int(tabs[high[i] - 1]) + 1
        text = data[begin + tail : begin + int(end[i])]
        more = [] if CELL.fullmatch(text) else [match.span() for match in _WORD.finditer(text)][:-1]
        spans = np.array(more, np.int64).reshape(-1, 2) + tail
        groups.append((spans[:, 0], spans[:, 1], np.full(len(spans), i)))
    cell, inside, row = map(np.concatenate, zip(*groups, strict=True))
    order = np.lexsort((cell, row))
    return bincount(row, minlength=len(start)), cell[order], inside[order]


def _within(places: IntArray, low: IntArray, high: IntArray) -> IntArray:
    """The items of `places` from each index in `low` up to, but without, that in `high`."""
    size = high - low
    if int(size.sum()) == len(places):
        return places
    stop = np.cumsum(size)
    items: IntArray = places[repeat(low - stop + size, size) + np.arange(stop[-1])]
    return items


def _runs(here: Bytes, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """In lines without tabs: all runs of bytes that are not blank, except the last run of each line."""
    solid = np.zeros(len(here) + 2, np.bool_)
    np.greater(here, BLANK, out=solid[1:-1])
    begin, stop = np.flatnonzero(solid[1:] & ~solid[:-1]), np.flatnonzero(solid[:-1] & ~solid[1:])
    low, high = np.searchsorted(begin, start), np.searchsorted(begin, end) - 1
    width = high - low
    total = np.cumsum(width)
    if not len(width) or not total[-1]:
        return width, begin[:0], begin[:0]
    rows = repeat(low - total + width, width) + np.arange(total[-1])
    return width, begin[rows], stop[rows]


def _behind_tabs(here: Bytes, tab: IntArray, end: IntArray) -> IntArray:
    """Which of the lines have a blank after their last tab."""
    blank = np.flatnonzero((here <= BLANK) & (here != TAB) & (here != NEWLINE))
    return np.flatnonzero(np.searchsorted(blank, end) > np.searchsorted(blank, tab)) if len(blank) else blank
