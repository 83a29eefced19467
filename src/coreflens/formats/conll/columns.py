"""Lines of columns, the last of which is coreference: the grammar that files of CoNLL and SemEval share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

SEPARATORS = bytes(range(33))
BLANKS = SEPARATORS.replace(b"\t", b"")  # these may follow the last column
TO_BLANK = bytes(max(byte, 32) for byte in range(256))  # makes every separator a blank
# An id must end where it can't continue. Otherwise a long malformed cell would be tried in every possible division.
# (Possessive quantifiers would do the same, but they match wrongly in Python 3.11.2.)
ID = rb"[^()|\x00-\x20]+(?![^()|\x00-\x20])"
PIECE = rb"(?:\(%b\)?|%b\))" % (ID, ID)
CELL = re.compile(rb"[-_*]|%b(?:(?: *\|)? *%b)*" % (PIECE, PIECE))
LABEL = re.compile(r"[^()|\x00-\x20]+")
HEADER = re.compile(rb"^#[ \t]*(begin|end)[ \t]+document(?![a-z])([^\n]*)", re.MULTILINE)

_PART = re.compile(r"(.*)(?:;|(?<=\)))\s*part\s+(\S+?)\s*;?\s*", re.DOTALL)
_NUMBER = re.compile("[0-9]{1,18}")


def is_token(line: bytes) -> bool:
    """Whether a line, without blanks at its end, is neither blank nor a header nor a comment.

    A line that starts with "#" is a token if it has tabs and a cell after the last tab. If this cell is empty, the line
    is a token only if its first column is one word, because the tab may have been typed after a comment.
    """
    if not line.startswith(b"#"):
        return bool(line.strip(SEPARATORS))
    head, tab, cell = line.rpartition(b"\t")
    word = bool(CELL.fullmatch(cell)) if cell else b" " not in head.partition(b"\t")[0]
    return bool(tab) and word and not HEADER.match(line)


def last_column(line: bytes, grammar: re.Pattern[bytes] = CELL) -> bytes:
    """The cell of a token line without blanks at its end: the text after the last tab, if it obeys the grammar."""
    tail = line[line.rfind(b"\t") + 1 :]
    return tail if b"\t" in line and (not tail or grammar.fullmatch(tail)) else tail.split()[-1]


def columns(line: bytes) -> int:
    return line.count(b"\t") + 1 if b"\t" in line else len(line.split())


def shown(cell: bytes) -> str:
    """A cell for a message, shortened if it is long."""
    return cell.decode(errors="replace") if len(cell) <= 40 else cell[:40].decode(errors="ignore") + "..."


def before_last(line: bytes) -> list[bytes]:
    """All columns except the last of a token line, which has no blanks at its end."""
    if b"\t" not in line:
        return line.translate(TO_BLANK).split()[:-1]
    *cells, tail = line.split(b"\t")
    return cells if not tail or CELL.fullmatch(tail) else cells + tail.split()[:-1]


def has_coreference(lines: Iterable[bytes]) -> bool:
    """Whether every token line has at least two columns and ends in a cell, and at least one mention opens."""
    opened = False
    for line in lines:
        text = line.rstrip(BLANKS)
        if is_token(text):
            cell = last_column(text)
            inside = opened and cell.isdigit()  # inside a mention that is open
            if columns(text) == 1 or not (inside or CELL.fullmatch(cell or b"-")):
                return opened and not line.endswith(b"\n")  # the last line is cut off
            opened |= b"(" in cell
    return opened


@lru_cache(1 << 12)  # systems have the same documents
def name_and_part(text: str) -> tuple[str, int | None]:
    """`(a/b); part 001` → `a/b`, 1. If the text after the last "; part" is not a number, it belongs to the name."""
    match = _PART.fullmatch(text)
    name, part = match.groups() if match else (text, "")
    name = name.strip().removesuffix(";").rstrip()
    name = name[1:-1].strip() if name.startswith("(") and name.endswith(")") else name
    if part and not _NUMBER.fullmatch(part):
        return f"{name}; part {part}", None
    return name, int(part) if part else None


def slices(data: bytes, size: int) -> Iterator[tuple[int, int]]:
    """Pieces of about `size` bytes that end with a line."""
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start + size - 1) + 1 or len(data)
        yield start, stop
        start = stop
