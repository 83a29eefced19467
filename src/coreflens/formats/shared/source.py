"""The input of a reader: the bytes of a file, its name, its neighbours, and a list for its problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

import numpy as np

from ...corpus.model import IntArray
from ...errors import PLACES, InputError, Issue
from ...files import encoding
from ...files.limits import allowed
from .problems import CODES, Problem


def _alone(path: str) -> bytes | None:
    return None


def _nobody(pattern: str) -> list[str]:
    return []


@dataclass
class Source:
    """A file to read, plain UTF-8 without BOM.

    role        `key` or `response`, for formats that have both sides in one file
    sibling     the bytes of another file by its path relative to this one, None if there is none
    lenient     report errors and continue, as a linter does, instead of stopping at the first
    offset      lines of the file before this piece of it (see streaming.py); lines are counted within the piece
    neighbours  the paths, relative to this file, that match a pattern such as `markables/text1_*.xml`
    again       reads the data again, if this is a large file on disk, so that it need not stay in memory
    repairs     leave out what is wrong and continue, if the reader can: errors become issues (see repairs.py)
    """

    data: bytes
    name: str
    role: str = ""
    sibling: Callable[[str], bytes | None] = _alone
    lenient: bool = False
    offset: int = 0
    problems: list[Problem] = field(default_factory=list)
    neighbours: Callable[[str], list[str]] = _nobody
    repairs: bool = False
    again: Callable[[], bytes] | None = None

    @cached_property
    def text(self) -> str:
        return encoding.text(self.data, self.name)

    def inside(self, name: str, line: int | None = None) -> str:
        """A path from the file, if it stays within the folders of the format.

        Otherwise the file of a stranger could cause any file of this machine to be read and shown in a report.
        """
        parts = name.replace("\\", "/").split("/")
        if ("" in parts[:1] or ".." in parts or ":" in parts[0] or "\0" in name) and not allowed().outside and name:
            hint = "--allow-outside follows it, if you trust this file"
            self.fail(f"'{name[:80]}' names a file in another place", line=line, hint=hint, code="outside")
        return name

    def line(self, number: int) -> bytes:
        """A line of the data, counted from 1, without its end."""
        at = self._line_starts[number - 1 : number + 1].tolist()
        return self.data[at[0] : at[1] if len(at) > 1 else None].rstrip(b"\r\n") if at else b""

    @cached_property
    def _line_starts(self) -> IntArray:
        return np.append(0, np.flatnonzero(np.frombuffer(self.data, np.uint8) == ord("\n")) + 1)

    def report(
        self, code: str, message: str, *, line: int | None = None, column: int | None = None, hint: str = ""
    ) -> None:
        """Report a problem. An error stops the reader, unless it is lenient; then it continues without this item."""
        problem = Problem(code, message, self.name, line, column, hint)
        if CODES[code][0] == "error" and not (self.lenient or self.repairs):
            raise InputError(message, file=self.name, line=line, column=column, hint=hint, code=code)
        self.problems.append(problem)

    def fail(
        self,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        hint: str = "",
        code: str = "syntax",
    ) -> NoReturn:
        """Report an error after which nothing more can be read."""
        raise InputError(message, file=self.name, line=line, column=column, hint=hint, code=code)

    def issues(self) -> tuple[Issue, ...]:
        """The warnings so far, one for each code, and the repairs."""
        warnings: dict[str, list[Problem]] = {}
        repaired: list[Problem] = []
        for problem in self.problems:
            if problem.severity == "warning":
                warnings.setdefault(problem.code, []).append(problem)
            elif problem.severity == "error" and self.repairs:
                repaired.append(problem)
        issues = [_issue(code, problems) for code, problems in warnings.items()]
        return (*issues, _repaired(repaired)) if repaired else tuple(issues)


def _issue(code: str, problems: list[Problem]) -> Issue:
    first, places = problems[0].message, tuple(p.place for p in problems[:PLACES])
    message = first if len(problems) == 1 else f"{CODES[code][1]}, {len(problems)} times; first: {first}"
    return Issue(code, message, len(problems), places)


def _repaired(problems: list[Problem]) -> Issue:
    """The number of repairs by kind, and all places; `validate` lists each with its message."""
    totals = ", ".join(f"{n} {code}" for code, n in Counter(problem.code for problem in problems).items())
    message = f"repaired ({totals}); first: {problems[0].message}"
    return Issue("repaired", message, len(problems), tuple(p.place for p in problems))


def checked(source: Source, data: bytes) -> bytes:
    """The bytes, with `?` for those that are not UTF-8; the first such byte of each line is reported."""
    if (place := data.find(b"\0")) >= 0:
        start = data.rfind(b"\n", 0, place) + 1
        line, column = data.count(b"\n", 0, start) + 1, len(data[start:place].decode(errors="replace")) + 1
        hint = "if it is UTF-16, recode it with `iconv -f utf-16 -t utf-8`"
        source.fail("NUL byte: this is not text", line=line, column=column, hint=hint, code="encoding")
    if _is_utf8(data):
        return data
    lines = data.split(b"\n")
    for i, text in enumerate(lines):
        try:
            text.decode()
        except UnicodeDecodeError as error:
            column = len(text[: error.start].decode()) + 1
            message = f"byte 0x{text[error.start]:02x} is not UTF-8"
            source.report("encoding", message, line=i + 1, column=column, hint=encoding.HINT)
            marked = text.decode(errors="surrogateescape")
            lines[i] = "".join("?" if "\udc80" <= c <= "\udcff" else c for c in marked).encode()
    return b"\n".join(lines)


def _is_utf8(data: bytes) -> bool:
    """Decode in small pieces of whole lines, so that the decoded text stays in the cache."""
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start + (1 << 16)) + 1 or len(data)
        try:
            if not (piece := data[start:stop]).isascii():
                piece.decode()
        except UnicodeDecodeError:
            return False
        start = stop
    return True
