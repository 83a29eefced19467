"""A tolerant reader for JSON that is cut off or has small mistakes, with a list of these mistakes."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

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
    values: list[Any]


def mended(text: str) -> tuple[Any, list[tuple[str, int]], int]:
    """The value at the beginning of a text, its mistakes with their places, and where it stops.

    Open lists and objects are closed, and a string without an end is left out. Single quotes count as double quotes.
    There may be missing or extra commas.
    """
    open_: list[_Open] = []
    problems: list[tuple[str, int]] = []
    whole: Any = []
    separated, end = True, 0
    for token in _TOKEN.finditer(text):
        kind, written, at = token.lastgroup, token[0], token.start()
        if kind == "space":
            continue
        if kind == "comma":
            if separated:
                problems.append(("a comma has nothing before it", at))
            separated = True
        elif kind == "colon":
            separated = True
        elif kind == "close":
            if not open_:
                break
            last = open_.pop()
            if separated and last.values:
                problems.append(("a comma has nothing after it", at))
            if (last.mark == "[") != (written == "]"):
                problems.append((f"'{last.mark}' is closed by '{written}'", at))
            whole, separated = _closed(last), False
            if not open_:
                return whole, problems, token.end()
            open_[-1].values.append(whole)
        elif kind == "cut":
            problems.append(("a string is never closed: left out", at))
            end = len(text)
            break
        elif kind == "bare" and written not in _CONSTANTS and not _NUMBER.fullmatch(written):
            break  # a remark after a value that was cut off
        elif not open_ and kind != "open":
            break  # neither a list nor an object
        else:
            if not separated:
                problems.append(("a comma is missing", at))
            if kind == "open":
                open_.append(_Open(written, at, []))
                separated = True
                continue
            open_[-1].values.append(_atom(str(kind), written, at, problems))
            separated = False
        end = token.end()
    while open_:
        last = open_.pop()
        problems.append((f"'{last.mark}' is never closed", last.at))
        whole = _closed(last)
        if open_:
            open_[-1].values.append(whole)
    return whole, problems, end


def _closed(last: _Open) -> Any:
    if last.mark == "[":
        return last.values
    pairs = zip(last.values[::2], last.values[1::2], strict=False)  # a name without a value is left out
    return {str(name): value for name, value in pairs}


def _atom(kind: str, written: str, at: int, problems: list[tuple[str, int]]) -> Any:
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
