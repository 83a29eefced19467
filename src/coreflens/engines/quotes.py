"""Checks of CSV before an engine reads it: cells that an engine would read in another way than Python's csv module.

Engines drop blanks around a quoted cell, or keep a quotation mark that is not doubled. Python keeps such blanks and
marks as part of the cell, or refuses the file. Lines without quotation marks need no check.
"""

from __future__ import annotations

import re
from functools import cache
from typing import IO, cast

from ..errors import InputError, UsageError
from ..files.gzipped import Unzipped
from ..files.opening import open_file
from .sources import FileLayout, TableSource

_PIECE = 1 << 22
_LONGEST = 1 << 24  # bytes of a row


def check_cells(table: TableSource) -> None:
    """Check the cells of the files of a table, if it is CSV on this machine."""
    if table.kind != "csv" or table.remote:
        return
    for name, layout in zip(table.files, table.layouts, strict=True):
        with open_file(name) as opened:
            stream = cast(IO[bytes], Unzipped(opened, name, owns=False)) if layout.gzipped else opened
            _check(stream, name, layout)


def _check(stream: IO[bytes], name: str, layout: FileLayout) -> None:
    row = _row(layout.delimiter)
    rows = re.compile(rb"(?:%b\n)*+" % row)
    rest = b""
    while len(rest) < _LONGEST and (piece := stream.read(_PIECE)):
        if b"\0" in piece:
            raise InputError("there is a NUL byte: this is not a text file", file=name, code="syntax")
        data = rest + piece
        whole = data.rfind(b"\n") + 1
        if b'"' in data:
            checked = rows.match(data)
            whole = checked.end() if checked else 0
        rest = data[whole:]
    if rest and not re.fullmatch(row, rest):
        start = rest[:60].partition(b"\n")[0].decode(errors="replace")
        message = f"{name}: an engine can't be trusted with the quotation marks of this line: {start}"
        raise UsageError(f"{message}; --engine memory reads it, or says what is wrong")


@cache
def _row(delimiter: str) -> bytes:
    """The pattern of a row in which every quotation mark means the same to all readers."""
    between = re.escape(delimiter).encode()
    cell = rb'(?:"[^"]*+(?:""[^"]*+)*+"|(?! *")[^%b\r\n]*+)' % between
    return rb"%b(?:%b%b)*+\r?" % (cell, between, cell)
