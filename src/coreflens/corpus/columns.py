"""Columns of names with millions of rows, stored as in Arrow. A row becomes a Python object only when it is needed.

Lists of names are also accepted. Every function here has the same result for a list of the same names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .model import IntArray

_PLAIN = r"(?s)\A[!-~](.*[!-~])?\z"  # text that certainly neither begins nor ends with a blank
_PIECE = 1 << 16  # rows that become Python objects at a time
_LARGE = 1 << 30  # for more bytes of text than this, Arrow needs wide offsets
_DENSE = 4  # numbers are looked up in a table if their range is at most this many times their count
_MANY, _PARTS, _END = 1_000_000, 16, 2  # from this many texts on, parts by their last characters
_WIDTH = 1 << 40  # numbers from a range below this are used as codes without change


class TextColumn(Sequence[str]):
    """Whole numbers, or text of Arrow, as a sequence of text: a number is spelled in digits, a missing value is ""."""

    def __init__(self, numbers: IntArray | None = None, texts: Any = None) -> None:
        self.numbers, self._texts = numbers, texts

    @classmethod
    def of_arrow(cls, values: Any) -> TextColumn:
        """A chunked array of Arrow, of whole numbers or of text."""
        import pyarrow as pa

        if pa.types.is_integer(values.type) and values.type != pa.uint64() and not values.null_count:
            return cls(values.cast(pa.int64()).to_numpy())
        wide = pa.types.is_large_string(values.type) or values.nbytes > _LARGE
        values = values.cast(pa.large_string() if wide else pa.string())
        return cls(texts=values.fill_null("") if values.null_count else values)

    @property
    def texts(self) -> Any:
        """The column as a chunked array of text."""
        if self.numbers is None:
            return self._texts
        import pyarrow as pa

        return pa.chunked_array([pa.array(self.numbers).cast(pa.string())])

    def __len__(self) -> int:
        return len(self._texts if self.numbers is None else self.numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> TextColumn: ...
    def __getitem__(self, place: int | slice) -> str | TextColumn:
        if isinstance(place, slice):
            return self.take(np.arange(*place.indices(len(self))))
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return str(self._texts[int(place) % len(self)] if self.numbers is None else self.numbers[place])

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), _PIECE):
            if self.numbers is None:
                yield from self._texts.slice(first, _PIECE).to_pylist()
            else:
                yield from map(str, self.numbers[first : first + _PIECE].tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (TextColumn, list)):
            return NotImplemented
        return len(self) == len(other) and all(ours == theirs for ours, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<TextColumn of {len(self):,} names>"

    def take(self, rows: IntArray) -> TextColumn:
        """The names of some rows, in the order given."""
        if self.numbers is not None:
            return TextColumn(self.numbers[rows])
        import pyarrow as pa

        return TextColumn(texts=self._texts.take(pa.array(rows)))

    def odd(self) -> Iterator[tuple[int, str]]:
        """The rows that may be empty, or begin or end with a blank."""
        if self.numbers is not None:
            return
        from pyarrow import compute

        for piece in range(0, len(self), _PIECE):
            plain = compute.match_substring_regex(self._texts.slice(piece, _PIECE), _PLAIN).to_numpy()
            for row in (piece + np.flatnonzero(plain == 0)).tolist():
                yield row, self[row]


class Growing:
    """A column that grows piece by piece: text of Arrow from the second piece on, if pyarrow is installed."""

    def __init__(self) -> None:
        self._pieces: list[Any] = []
        self._arrow: Any = None

    def add(self, values: Sequence[str]) -> None:
        if len(self._pieces) == 1 and (arrow := _arrow()) is not None:
            self._arrow, self._pieces = arrow, [arrow.array(self._pieces[0], arrow.string())]
        self._pieces.append(values if self._arrow is None else self._arrow.array(values, self._arrow.string()))

    def whole(self) -> Sequence[str]:
        """The whole column."""
        if self._arrow is not None:
            return TextColumn.of_arrow(self._arrow.chunked_array(self._pieces))
        return [name for piece in self._pieces for name in piece]


def taken(names: Sequence[Any], rows: IntArray) -> Sequence[Any]:
    """The names of some rows, in the order given."""
    return names.take(rows) if isinstance(names, TextColumn) else [names[row] for row in rows.tolist()]


def blank(column: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which cells are empty or have only blanks."""
    found = np.zeros(len(column), dtype=bool)
    if isinstance(column, TextColumn):
        found[[row for row, cell in column.odd() if not cell.strip()]] = True
    elif not all(column) or any(map(str.isspace, column)):
        found[:] = [not cell.strip() for cell in column]
    return found


def padded(names: Sequence[Hashable]) -> bool:
    """Whether some name begins or ends with a blank."""
    some = (name for _, name in names.odd()) if isinstance(names, TextColumn) else names
    return any(isinstance(name, str) and name != name.strip() for name in some)


def numbered(column: Sequence[Hashable]) -> tuple[IntArray, Sequence[Any]]:
    """The number of each name, and the different names in the order in which they appear."""
    if not isinstance(column, TextColumn):
        known: dict[Hashable, int] = {}
        codes = np.fromiter((known.setdefault(name, len(known)) for name in column), np.int64, len(column))
        return codes, list(known)
    if column.numbers is None:
        codes, different = _encoded(column.texts)
        return codes, TextColumn(texts=different)
    codes, size = _codes(column.numbers)
    first = np.full(size, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    present = np.flatnonzero(first < len(codes))
    present = present[np.argsort(first[present])]
    opening = first[present]
    first[present] = np.arange(len(present))
    return first[codes], TextColumn(column.numbers[opening])


def identified(key: Sequence[Hashable], response: Sequence[Hashable]) -> tuple[IntArray, IntArray, int]:
    """Codes from 0 that are equal exactly for equal names, and a number that is larger than all of them."""
    n, m = len(key), len(response)
    if isinstance(key, range) and isinstance(response, range):  # label arrays
        return np.arange(n), np.arange(m), n + m
    if not (isinstance(key, TextColumn) and isinstance(response, TextColumn)):
        return _identified_objects(key, response)
    if key.numbers is None or response.numbers is None:
        codes, size = _codes_of_texts(_joined_texts(key.texts, response.texts))
        return codes[:n], codes[n:], size
    numbers = [side.numbers for side in (key, response) if side.numbers is not None and len(side.numbers)]
    low = min((int(side.min()) for side in numbers), default=0)
    high = max((int(side.max()) for side in numbers), default=0)
    if high - low < _WIDTH:
        return key.numbers - low, response.numbers - low, high - low + 1
    codes, size = _codes(np.concatenate((key.numbers, response.numbers)))
    return codes[:n], codes[n:], size


def _identified_objects(key: Sequence[Hashable], response: Sequence[Hashable]) -> tuple[IntArray, IntArray, int]:
    """The code of a name is the position of its first occurrence: dict.setdefault, mapped at C speed."""
    n, m = len(key), len(response)
    seen = dict(zip(key, range(n), strict=True))
    key_codes = np.arange(n)
    if len(seen) < n:  # some occur twice
        seen = {}
        key_codes = np.fromiter(map(seen.setdefault, key, range(n)), np.int64, n)
    return key_codes, np.fromiter(map(seen.setdefault, response, range(n, n + m)), np.int64, m), n + m


def _joined_texts(*sides: Any) -> Any:
    """The texts of both sides, one after the other, in one column of Arrow."""
    import pyarrow as pa

    kind = pa.large_string() if any(texts.type == pa.large_string() for texts in sides) else pa.string()
    return pa.chunked_array([chunk for texts in sides for chunk in texts.cast(kind).chunks], kind)


def _codes(numbers: IntArray) -> tuple[IntArray, int]:
    """Small codes that are equal exactly for equal numbers, and a number that is larger than all of them."""
    if not len(numbers):
        return numbers, 0
    low, high = int(numbers.min()), int(numbers.max())
    if high - low < _DENSE * len(numbers) + 4096:
        return numbers - low if low else numbers, high - low + 1
    different, codes = np.unique(numbers, return_inverse=True)
    return codes.reshape(-1), len(different)


def _codes_of_texts(texts: Any) -> tuple[IntArray, int]:
    """Codes that are equal exactly for equal texts, and a number that is larger than all of them.

    Texts are divided by their ends, and the parts are numbered one after the other: Arrow's table of all different
    texts would take more memory than the texts.
    """
    if len(texts) < _MANY:
        codes, different = _encoded(texts)
        return codes, len(different)
    import pyarrow as pa
    from pyarrow import compute

    part = (_encoded(compute.utf8_slice_codeunits(texts, -_END))[0] % _PARTS).astype(np.int8)
    codes, size = np.empty(len(texts), dtype=np.int64), 0
    for p in range(_PARTS):
        rows = np.flatnonzero(part == p)
        found, different = _encoded(texts.take(pa.array(rows)))
        codes[rows] = found + size
        size += len(different)
    return codes, size


def _encoded(texts: Any) -> tuple[IntArray, Any]:
    """The number of each text, and the different texts in the order in which they appear."""
    import pyarrow as pa

    encoded = texts.dictionary_encode()
    codes = np.empty(len(texts), dtype=np.int64)
    at = 0
    for chunk in encoded.chunks:
        codes[at : at + len(chunk)] = chunk.indices.to_numpy()
        at += len(chunk)
    different = pa.chunked_array([chunk.dictionary for chunk in encoded.chunks[-1:]], texts.type)  # each chunk has all
    del encoded
    release()
    return codes, different


def _arrow() -> Any:
    """pyarrow, None if it is not installed."""
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow


def release() -> None:
    """Return memory to the system that Arrow keeps but does not need any more."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
