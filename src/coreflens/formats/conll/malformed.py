"""Malformed cells that occur in real files and have a clear meaning. They are read with a warning.

    1          an id without brackets inside mention 1, on the words between `(1` and `1)`
    2)_1)      `_` instead of `|` between brackets
    _(3)       in SemEval's files, where `_` means "no mention": it is read as the mention
    arg1-pat   in SemEval's files: the label of an argument, which is not coreference

This is done only if a file can't be read otherwise, because `(a_` may also be the label of an entity.
"""

from __future__ import annotations

import re
from collections import Counter

from ..shared.source import Source
from .columns import BLANKS, CELL, HEADER, ID, PIECE, is_token, last_column
from .text import SEMEVAL

_RUN = rb"(?:%b(?: *%b)*|%b)" % (PIECE, PIECE, ID)
_CONTINUED = re.compile(rb"%b(?: *\| *%b)*" % (_RUN, _RUN))  # a cell that may have ids without brackets
_BETWEEN = re.compile(rb"(?<=\))_(?=[^_()|]+\))|(?<=[^_(])_(?=\()")
_PIECE = re.compile(rb"\(?[^()|\x00-\x20]+\)?")
_ARGUMENT = re.compile(rb"arg[0-9A-Z](?:-[a-z0-9]+)?")


def continued(source: Source) -> bytes | None:
    """The file without ids that have no brackets and whose mention is open, with its length unchanged.

    None if there are no such ids.
    """
    lines, opened, changed = source.data.split(b"\n"), Counter[bytes](), False
    for i, line in enumerate(lines):
        text = line.rstrip(BLANKS)
        if not is_token(text):
            if HEADER.match(text):
                opened.clear()
            continue
        cell = last_column(text, _CONTINUED)
        kept, bare = list[bytes](), b""
        for piece in _PIECE.findall(cell):
            name = piece.strip(b"()")
            if piece == name and opened[name] > 0:
                bare = name
                continue
            kept.append(piece)
            opened[name] += piece.startswith(b"(") - piece.endswith(b")")
        if not bare or not _CONTINUED.fullmatch(cell):
            continue
        put = b"|".join(kept) or b"-"
        at = len(text) - len(cell)
        lines[i], changed = line[:at] + put.rjust(len(cell)) + line[len(text) :], True
        column = len(line[:at].decode(errors="replace")) + 1
        what = f"{shown(bare)} without brackets, inside that mention, is ignored"
        source.report("continued", what, line=i + 1, column=column)
    return b"\n".join(lines) if changed else None


def plain(source: Source) -> bytes | None:
    """The file with its malformed cells corrected, with its length unchanged; None if there are none."""
    semeval = SEMEVAL.match(source.data) is not None
    lines, changed = source.data.split(b"\n"), False
    for i, line in enumerate(lines):
        if not (b"_" in line or (semeval and b"arg" in line)) or not is_token(text := line.rstrip(BLANKS)):
            continue
        cell = last_column(text)
        put = _BETWEEN.sub(b"|", cell)
        if semeval and put.startswith(b"_") and len(put) > 1:
            put = b" " + put[1:]
        elif semeval and _ARGUMENT.fullmatch(put):
            put = b" " * (len(put) - 1) + b"_"
        if put == cell or not CELL.fullmatch(put.lstrip()):
            continue
        at = len(text) - len(cell)
        lines[i], changed = line[:at] + put + line[at + len(cell) :], True
        column = len(line[:at].decode(errors="replace")) + 1
        message = f"'{shown(cell)}' is read as '{shown(put.lstrip())}'"
        source.report("malformed", message, line=i + 1, column=column)
    return b"\n".join(lines) if changed else None


def shown(cell: bytes) -> str:
    """A cell for a message, shortened if it is long."""
    return cell.decode(errors="replace") if len(cell) <= 40 else cell[:40].decode(errors="ignore") + "..."
