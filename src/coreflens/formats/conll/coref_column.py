"""Coreference that is not in the last column: its column is moved to the end, and then the file is read as usual."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ...errors import InputError
from .columns import BLANKS, CELL, is_token
from .text import CONLL, CONLL_LAYERS

_NUMBERED = re.compile(rb"[()|0-9 ]*\([()|0-9 ]*")
_SAMPLE = 2000  # token lines that are checked
_NAMES = ("document", "part", "number", "word", *CONLL_LAYERS)


def put_last(data: bytes, column: str, file: str) -> bytes:
    """The file with a column moved to the end. `column` is a number from 1, a number from −1 for the last, or a name.

    Names come from a comment line that lists the columns, such as `# global.columns = ID FORM COREF`, or are those of
    CoNLL-2012.
    """
    lines = data.split(b"\n")
    place = _place(column, lines, file)
    for i, line in enumerate(lines):
        text = line.rstrip(BLANKS)
        if not is_token(text):
            continue
        cells = _cells(text)
        if not -len(cells) <= place < len(cells):
            message = f"there is no column {column}: this line has {len(cells)}"
            raise InputError(message, file=file, line=i + 1, hint="--coref-column counts from 1")
        cells.append(cells.pop(place))
        lines[i] = b"\t".join(cells)
    return b"\n".join(lines)


def _place(column: str, lines: list[bytes], file: str) -> int:
    if re.fullmatch(r"-?[0-9]{1,4}", column) and int(column):
        number = int(column)
        return number - 1 if number > 0 else number
    for line in lines:
        names = line.partition(b"=")[2].split() or line.lstrip(b"# ").split()
        if line.startswith(b"#") and not is_token(line) and column.encode() in names:
            return names.index(column.encode())
    if column in _NAMES:
        return _NAMES.index(column)
    hint = f"give a number, a name that a comment line lists, or one of {', '.join(_NAMES)}"
    raise InputError(f"no column is named '{column}'", file=file, hint=hint)


def likely_column(data: bytes) -> int | None:
    """The only column, counted from 1, that looks like coreference; None if there is none or more than one."""
    rows = [_cells(line) for line in islice(_token_lines(data), _SAMPLE)]
    width = min(map(len, rows), default=0)
    likely = [c for c in range(width) if _is_likely([row[c] for row in rows])]
    return likely[0] + 1 if len(likely) == 1 and width > CONLL.number - 1 else None


def _is_likely(cells: list[bytes]) -> bool:
    """Whether cells obey the grammar, and one of them has a numbered mention."""
    return all(CELL.fullmatch(cell or b"-") for cell in cells) and any(map(_NUMBERED.fullmatch, cells))


def _token_lines(data: bytes) -> Iterator[bytes]:
    for line in data.split(b"\n"):
        text = line.rstrip(BLANKS)
        if is_token(text):
            yield text


def _cells(line: bytes) -> list[bytes]:
    return line.split(b"\t") if b"\t" in line else line.split()
