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
from .columns import BLANKS, CELL, HEADER, ID, PIECE, is_token, last_column, shown
from .text import SEMEVAL

_RUN = rb"(?:%b(?: *%b)*|%b)" % (PIECE, PIECE, ID)
_CONTINUED = re.compile(rb"%b(?: *\| *%b)*" % (_RUN, _RUN))  # a cell that may have ids without brackets
_BETWEEN = re.compile(rb"(?<=\))_(?=[^_()|]+\))|(?<=[^_(])_(?=\()")
_PIECE = re.compile(rb"\(?[^()|\x00-\x20]+\)?")
_ARGUMENT = re.compile(rb"arg[0-9A-Z](?:-[a-z0-9]+)?")


def without_continuations(source: Source) -> bytes | None:
    """The file without ids that have no brackets and whose mention is open, with its length unchanged.

    None if there are no such ids.
    """
    lines = source.data.split(b"\n")
    changed = False
    opened = Counter[bytes]()
    for i, line in enumerate(lines):
        text = line.rstrip(BLANKS)
        if not is_token(text):
            if HEADER.match(text):
                opened.clear()
            continue
        cell = last_column(text, _CONTINUED)
        kept, continuation = _bracketed(cell, opened)
        if not continuation or not _CONTINUED.fullmatch(cell):
            continue
        before = line[: len(text) - len(cell)]
        corrected = b"|".join(kept) or b"-"
        lines[i], changed = before + corrected.rjust(len(cell)) + line[len(text) :], True
        message = f"{shown(continuation)} without brackets, inside that mention, is ignored"
        source.report("continued", message, line=i + 1, column=_column_after(before))
    return b"\n".join(lines) if changed else None


def _bracketed(cell: bytes, opened: Counter[bytes]) -> tuple[list[bytes], bytes]:
    """The pieces of a cell without ids whose mention is open, and the last of these ids.

    `opened` counts the open mentions of each id, and is brought up to date.
    """
    kept: list[bytes] = []
    continuation = b""
    for piece in _PIECE.findall(cell):
        id = piece.strip(b"()")
        if piece == id and opened[id] > 0:
            continuation = id
            continue
        kept.append(piece)
        opened[id] += piece.startswith(b"(") - piece.endswith(b")")
    return kept, continuation


def corrected(source: Source) -> bytes | None:
    """The file with its malformed cells corrected, with its length unchanged; None if there are none."""
    semeval = SEMEVAL.match(source.data) is not None
    lines = source.data.split(b"\n")
    changed = False
    for i, line in enumerate(lines):
        if b"_" not in line and not (semeval and b"arg" in line):
            continue
        text = line.rstrip(BLANKS)
        if not is_token(text):
            continue
        cell = last_column(text)
        better = _corrected(cell, semeval)
        if better == cell or not CELL.fullmatch(better.lstrip()):
            continue
        before = line[: len(text) - len(cell)]
        lines[i], changed = before + better + line[len(text) :], True
        message = f"'{shown(cell)}' is read as '{shown(better.lstrip())}'"
        source.report("malformed", message, line=i + 1, column=_column_after(before))
    return b"\n".join(lines) if changed else None


def _corrected(cell: bytes, semeval: bool) -> bytes:
    """A cell with its mistakes corrected, and as long as it was."""
    better = _BETWEEN.sub(b"|", cell)
    if semeval and better.startswith(b"_") and len(better) > 1:
        return b" " + better[1:]
    if semeval and _ARGUMENT.fullmatch(better):
        return b" " * (len(better) - 1) + b"_"
    return better


def _column_after(before: bytes) -> int:
    return len(before.decode(errors="replace")) + 1
