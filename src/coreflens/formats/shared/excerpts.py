"""Words as columns: the bytes of a file, and where each value begins and ends in them.

A value becomes a Python string only when it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...corpus.model import IntArray
from ...integers import repeat
from .unread import Unread

Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]
_SLICE = 1 << 16  # values at a time: the places of all bytes of a large file would take eight times its size
_LONG = 4096  # values up to this number of characters are cached, because they may be needed often
_NEWLINE = ord("\n")


def gathered(raw: Bytes, begin: IntArray, size: IntArray) -> Bytes:
    """The bytes of several pieces in one array, each of which begins at a place of `raw`."""
    place = repeat(begin - np.cumsum(size) + size, size)
    place += np.arange(len(place))
    chars: Bytes = raw.take(place, mode="clip") if len(place) else np.zeros(0, np.uint8)
    return chars


def laid(raw: Bytes, begin: IntArray, stop: IntArray, behind: int) -> tuple[Bytes, IntArray]:
    """The bytes raw[begin:stop] of all values in one array, with one byte after each; and where each value ends."""
    size = stop - begin + 1
    border = np.cumsum(size)
    chars = gathered(raw, begin, size)
    chars[border - 1] = behind
    return chars, border


class Excerpts(Unread):
    """One value per token, between two places of the bytes of a file; no value has a newline.

    `spelled` has values with another meaning than their text, such as `_` for no value.
    """

    def __init__(self, data: bytes, begin: IntArray, stop: IntArray, spelled: Mapping[str, str] | None = None) -> None:
        self.data, self.begin, self.stop, self.spelled = data, begin, stop, spelled or {}
        self._long: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.begin)

    def read_one(self, place: int) -> str:
        if place in self._long:
            return self._long[place]
        text = self.data[self.begin[place] : self.stop[place]].decode()
        if len(text) > _LONG:
            self._long[place] = text
        return self.spelled.get(text, text)

    def read_all(self) -> list[str]:
        known, values = dict(self.spelled), list[str]()  # values repeat, so equal values share one string
        raw = np.frombuffer(self.data, np.uint8)
        for a in range(0, len(self), _SLICE):
            cells, _ = laid(raw, self.begin[a : a + _SLICE], self.stop[a : a + _SLICE], _NEWLINE)
            piece = cells.tobytes().decode().split("\n")[:-1]
            values += map(known.setdefault, piece, piece)
        return values

    def written(self, places: slice) -> bytes | None:
        return None if self.spelled else self.joined(np.arange(*places.indices(len(self))), b"\n")

    def joined(self, rows: IntArray, behind: bytes) -> bytes:
        """The bytes of some values, with one byte after each, to compare two texts at once."""
        raw = np.frombuffer(self.data, np.uint8)
        parts = (rows[a : a + _SLICE] for a in range(0, len(rows), _SLICE))
        return b"".join(laid(raw, self.begin[p], self.stop[p], behind[0])[0].tobytes() for p in parts)

    @property
    def is_verbatim(self) -> bool:
        """Whether the values are as they are in the file, except single bytes that mean "no value"."""
        return all(len(text.encode()) == 1 and not value for text, value in self.spelled.items())

    def empty(self, places: slice = slice(None)) -> Bools:
        """Which of some values are empty."""
        if not self.is_verbatim:
            return np.array([not value for value in self[places]], np.bool_)
        begin, stop = self.begin[places], self.stop[places]
        is_empty: Bools = begin == stop
        if self.spelled:
            short = np.flatnonzero(stop - begin == 1)
            byte = np.frombuffer(self.data, np.uint8).take(begin[short])
            for text in self.spelled:
                is_empty[short[byte == ord(text)]] = True
        return is_empty

    def filled(self) -> int:
        return len(self) - int(np.count_nonzero(self.empty()))

    def any(self, nothing: bytes) -> bool:
        """Whether there is a value that is neither empty nor one of these bytes."""
        size = self.stop - self.begin
        if (size > 1).any():
            return True
        first = np.frombuffer(self.data, np.uint8).take(self.begin[size == 1], mode="clip")
        return not np.isin(first, np.frombuffer(nothing, np.uint8)).all()

    def all(self, value: str, begin: int, stop: int) -> bool:
        """Whether all values of these places, as they are in the file, are equal to this one."""
        whole = f"{value}\n".encode()
        return all(
            self.joined(np.arange(a, min(a + _SLICE, stop)), b"\n") == whole * (min(a + _SLICE, stop) - a)
            for a in range(begin, stop, _SLICE)
        )

    def numbers(self) -> IntArray | None:
        """The values, of up to 18 digits, as numbers; None if one is not a number."""
        size = self.stop - self.begin
        raw, numbers = np.frombuffer(self.data, np.uint8), np.zeros(len(size), np.int64)
        if not len(size) or size.min() == 0:
            return None if len(size) else numbers
        for place in range(min(int(size.max()), 18)):
            there = size > place
            digit = raw.take(self.begin + place, mode="clip") - np.uint8(ord("0"))  # smaller bytes wrap around
            if (there & (digit > 9)).any():
                break
            numbers = np.where(there, numbers * 10 + digit, numbers)
        else:
            if size.max() <= 18:
                return numbers
        values = list(self)  # digits of another script, or a long number
        return np.array([int(x[:18]) for x in values], np.int64) if all(map(str.isdecimal, values)) else None
