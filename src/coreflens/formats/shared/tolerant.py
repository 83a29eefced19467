"""A tolerant reader for JSON that is cut off or has small mistakes, with a list of these mistakes."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<comma>,)|(?P<colon>:)"""
    r"""|(?P<string>"(?:[^"\\]|\\.)*")|(?P<single>'(?:[^'\\]|\\.)*')|(?P<cut>["'])"""
    r"""|(?P<bare>[^\s\[\]{},:"']+)""",
    re.DOTALL,
)
_NUMBER = re.compile(r"-?\d{1,15}")
_CONSTANTS = {"true": True, "false": False, "null": None, "None": None, "True": True, "False": False}


class _Open(NamedTuple):
    """A list or an object that is being read; `values` of an object alternate between names and values."""

    mark: str
    at: int
    values: list[object]


class _Value:
    """A value as far as it is read: its open lists and objects, and its mistakes with their places."""

    def __init__(self) -> None:
        self.open: list[_Open] = []
        self.problems: list[tuple[str, int]] = []
        self.whole: object = []  # what was closed last
        self.is_complete = False
        self.is_separated = True  # whether another value may follow without a comma

    def takes(self, kind: str, written: str) -> bool:
        """Whether a token belongs to the value; otherwise it is a remark after it, or there is no value."""
        if kind in ("comma", "colon", "open"):
            return True
        if kind == "bare" and written not in _CONSTANTS and not _NUMBER.fullmatch(written):
            return False
        return bool(self.open)

    def add(self, kind: str, written: str, at: int) -> None:
        if kind == "comma":
            if self.is_separated:
                self.problems.append(("a comma has nothing before it", at))
            self.is_separated = True
        elif kind == "colon":
            self.is_separated = True
        elif kind == "close":
            self._close(written, at)
        else:
            if not self.is_separated:
                self.problems.append(("a comma is missing", at))
            self.is_separated = kind == "open"
            if kind == "open":
                self.open.append(_Open(written, at, []))
            else:
                self.open[-1].values.append(_atom(kind, written, at, self.problems))

    def _close(self, written: str, at: int) -> None:
        last = self.open.pop()
        if self.is_separated and last.values:
            self.problems.append(("a comma has nothing after it", at))
        if (last.mark == "[") != (written == "]"):
            self.problems.append((f"'{last.mark}' is closed by '{written}'", at))
        self.is_separated = False
        self._finish(last)
        self.is_complete = not self.open

    def close_all(self) -> None:
        """Close what the text never closes."""
        while self.open:
            last = self.open.pop()
            self.problems.append((f"'{last.mark}' is never closed", last.at))
            self._finish(last)

    def _finish(self, last: _Open) -> None:
        self.whole = _closed(last)
        if self.open:
            self.open[-1].values.append(self.whole)


def mended(text: str) -> tuple[object, list[tuple[str, int]], int]:
    """The value at the beginning of a text, its mistakes with their places, and where it stops.

    Open lists and objects are closed, and a string without an end is left out. Single quotes count as double quotes.
    There may be missing or extra commas.
    """
    value = _Value()
    end = 0
    for token in _TOKEN.finditer(text):
        kind, written, at = str(token.lastgroup), token[0], token.start()
        if kind == "space":
            continue
        if kind == "cut":
            value.problems.append(("a string is never closed: left out", at))
            end = len(text)
            break
        if not value.takes(kind, written):
            break
        value.add(kind, written, at)
        if value.is_complete:
            return value.whole, value.problems, token.end()
        if kind != "open":
            end = token.end()
    value.close_all()
    return value.whole, value.problems, end


def _closed(last: _Open) -> object:
    if last.mark == "[":
        return last.values
    pairs = zip(last.values[::2], last.values[1::2], strict=False)  # a name without a value is left out
    return {str(name): value for name, value in pairs}


def _atom(kind: str, written: str, at: int, problems: list[tuple[str, int]]) -> object:
    if kind == "bare":
        return _CONSTANTS[written] if written in _CONSTANTS else int(written)
    if kind == "single":
        problems.append(("a string is in single quotation marks", at))
        written = '"' + written[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    try:
        return json.loads(written, strict=False)
    except ValueError:
        problems.append(("a string has an escape that JSON does not have", at))
        return written[1:-1]
