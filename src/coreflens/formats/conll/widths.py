"""Lines with more or fewer cells than the rest of their sentence: which cell is coreference, if that is certain.

All lines of a sentence must have the same number of cells. A line with more or fewer is compared with the others. It
has a run of extra cells, or a run is missing. For each possible place of this run, the other cells are assigned to
columns. Empty cells at the end are dropped. Otherwise the last cell is coreference if the best place of the run is
before it, and no other place is as good. Lines that are read in this way are reported as `cells`. If it is not certain
which cell is coreference, this is an error.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...corpus.model import IntArray
from ...integers import places
from ..shared.source import Source
from .columns import BLANKS, CELL, columns, is_token

Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]
Widths: TypeAlias = npt.NDArray[np.integer]
_NONE = (b"", b"-", b"_", b"*")
_NUMBERED = re.compile(rb"[()|0-9 ]+")
_HINT = "all lines of a sentence must have the same columns, and the last must be coreference"
_SAMPLE = 50  # lines of the same width to compare with


class _Line(NamedTuple):
    number: int
    start: int  # of the line in the data
    text: bytes

    @property
    def cells(self) -> list[bytes]:
        return self.text.split(b"\t") if b"\t" in self.text else self.text.split()


def widths(lines: Bytes, start: IntArray, token: Bools, tabs: bool) -> Widths:
    """The number of columns of the token lines, and 0 for other lines.

    `start` is where the lines start. `tabs`: some of the lines may have tabs.
    """
    longest = int(np.diff(start, append=len(lines)).max())
    if not tabs:
        return _by_blanks(lines, start, longest) * token
    by_tabs = _per_line(lines == ord("\t"), start, longest) + 1
    if (by_tabs > 1)[token].all():
        return by_tabs * token
    return np.where(by_tabs > 1, by_tabs, _by_blanks(lines, start, longest)) * token


def _by_blanks(lines: Bytes, start: IntArray, longest: int) -> Widths:
    """How many columns each line has, if blanks separate them. A blank at the start of a line counts as a column."""
    solid = lines > ord(" ")
    begins = solid[1:] > solid[:-1]  # the mark before each run of bytes that are not blank
    if not len(begins):
        return np.ones(len(start), np.uint8)
    width = _per_line(begins, np.maximum(start - 1, 0), longest)
    width[1:] += ~solid[start[1:]]
    width[0] += 1
    return width


def _per_line(marks: Bools, start: IntArray, longest: int) -> Widths:
    """How many marks each line has, counted in the smallest whole numbers that are large enough for one more."""
    kind: type[np.integer] = np.int64
    if longest < (1 << 8) - 1:
        kind = np.uint8
    elif longest < (1 << 16) - 1:
        kind = np.uint16
    counts: Widths = np.add.reduceat(marks.view(np.uint8), places(start), dtype=kind)
    return counts


def evened(source: Source) -> bytes:
    """The file, with its length unchanged, without extra empty cells; other uneven lines are reported."""
    sentences = list(_sentences(source.data))
    lines = [line for sentence in sentences for line in sentence]
    marked = _has_dashes(lines) or _behind_empty(lines)
    votes = [Counter(_vote(line.text, marked) for line in sentence) for sentence in sentences]
    usual = sum(votes, Counter[int]())
    known: dict[int, deque[list[bytes]]] = defaultdict(lambda: deque(maxlen=_SAMPLE))  # lines of each width
    blanked = bytearray(source.data)
    for sentence, counts in zip(sentences, votes, strict=True):
        width = max(counts, key=lambda w: (counts[w], usual[w], -w))
        for line in sentence:
            if columns(line.text) == width:
                known[width].append(line.cells)
        for line in sentence:
            bare = _cut(line.text, width)
            if len(bare) < len(line.text) and columns(bare) == width:
                begin, end = line.start + len(bare), line.start + len(line.text)
                blanked[begin:end] = b" " * (end - begin)
                column = len(bare.decode(errors="replace")) + 1
                message = "empty cells at the end of the line are dropped"
                source.report("cells", message, line=line.number, column=column)
            elif columns(line.text) != width:
                _judge(source, line, list(known[width]) or [line.cells[:width]])
            elif marked:
                _check_last(source, line)
    return bytes(blanked)


def _cut(text: bytes, width: int) -> bytes:
    """A line without the empty cells at its end that make it wider than `width`."""
    while columns(text) > width and text.endswith(b"\t"):
        text = text[:-1]
    return text


def _check_last(source: Source, line: _Line) -> None:
    """Report a line whose last cell is empty while the one before it has mentions."""
    if line.text.endswith(b"\t") and _mentions(line.cells[-2:-1]):
        cell = line.cells[-2].decode(errors="replace")
        what = f"the last cell is empty, and '{cell:.40}' is before it"
        source.report("syntax", what, line=line.number, hint=_HINT)


def _has_dashes(lines: list[_Line]) -> bool:
    """Whether the file writes `-` for words without a mention, so that an empty last cell is a mistake."""
    return any(line.text[-1:] == b"-" for line in lines)


def _behind_empty(lines: list[_Line]) -> bool:
    """Whether the last column is empty in all lines, and the one before it has numbered mentions."""
    cells = [line.text.rstrip(b"\t").rpartition(b"\t")[2] for line in lines if line.text.endswith(b"\t")]
    filled = [cell for cell in cells if cell not in _NONE]
    return bool(filled) and len(cells) == len(lines) and all(_mentions([cell]) for cell in filled)


def _vote(text: bytes, marked: bool) -> int:
    """How many columns a line seems to have, without empty cells after a cell that is coreference."""
    bare = text.rstrip(b"\t")
    cell = bare[bare.rfind(b"\t") + 1 :]
    empty = bare != text and (marked or _mentions([cell])) and CELL.fullmatch(cell)
    return columns(bare if empty else text)


def _sentences(data: bytes) -> Iterator[list[_Line]]:
    """The token lines, without blanks at their ends, by sentence."""
    sentence: list[_Line] = []
    start = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        text = line.rstrip(BLANKS)
        if is_token(text):
            sentence.append(_Line(number, start, text))
        elif sentence and not text.startswith(b"#"):
            yield sentence
            sentence = []
        start += len(line) + 1
    if sentence:
        yield sentence


def _mentions(cells: Sequence[bytes]) -> bool:
    return any(cell not in _NONE and _NUMBERED.fullmatch(cell) and CELL.fullmatch(cell) for cell in cells)


def _judge(source: Source, line: _Line, others: list[list[bytes]]) -> None:
    """Report a line with another width than the others: an error, unless its last cell is certainly coreference."""
    cells, width = line.cells, len(others[0])
    if not CELL.fullmatch(cells[-1] or b"-"):
        return  # the reader reports it
    what = f"this line has {len(cells)} cells, but the other lines of the sentence have {width}"
    if _certain(cells, others):
        message = f"{what}: the last one is read as coreference"
        source.report("cells", message, line=line.number)
    else:
        message = f"{what}, and it is not certain which of them is coreference"
        source.report("syntax", message, line=line.number, hint=_HINT)


def _certain(cells: list[bytes], others: list[list[bytes]]) -> bool:
    """Whether the best place of the missing or extra cells is before the last cell, and no other place is as good."""
    width = len(others[0])
    more = len(cells) - width
    columns_of = [[row[c] for row in others] for c in range(width)]

    def misfits(at: int) -> int:
        """How badly the cells fit their columns, if the extra or missing cells are at `at`."""
        if more > 0:
            kept = [(cell, c) for c, cell in enumerate(cells[:at] + cells[at + more :])]
        else:
            kept = [(cell, c if c < at else c - more) for c, cell in enumerate(cells)]
        return sum(_misfit(cell, columns_of[c], c == width - 1) for cell, c in kept)

    last = width if more > 0 else len(cells)
    if more > 0 and {cells[width - 1], cells[-1]} <= {*_NONE}:
        return True
    return min(misfits(at) for at in range(last)) < misfits(last)


def _misfit(cell: bytes, column: list[bytes], coreference: bool) -> int:
    """How badly a cell fits a column.

    It fits if it is one of its values, a number among numbers, or a word among many different words.
    """
    if coreference and not CELL.fullmatch(cell or b"-"):
        return 2
    if coreference:
        fits = _fits_coreference(cell, column)
    elif all(map(bytes.isdigit, column)):
        fits = cell.isdigit()
    else:
        fits = cell in column or len({*column}) * 2 > len(column)
    return int(not fits)


def _fits_coreference(cell: bytes, column: list[bytes]) -> bool:
    if cell in _NONE:
        return cell in column
    brackets = [other for other in column if other not in _NONE]
    return _mentions([cell]) or (bool(brackets) and not _mentions(brackets))
