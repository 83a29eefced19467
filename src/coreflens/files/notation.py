"""Notations that many files share: JSON, with the place of a mistake, and tables, with their delimiter."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

from ..errors import InputError
from .limits import allowed

Pairs: TypeAlias = Callable[[list[tuple[str, Any]]], Any]
_TOO_DEEP = "nested too deeply; this value begins here"
_DEEPER = "--max-nesting raises the limit, if you trust this file"
_OTHERS = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_IN_QUOTES = re.compile(rb'"[^"]*"?')
_LINE_END = re.compile(r"[\r\n]")
_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*+"|[-+.eE\d]++', re.DOTALL)


def json_value(text: str, file: str, *, first: int = 1, hint: str = "", pairs: Pairs | None = None) -> Any:
    """The one JSON value in a text, or an InputError with the place of the mistake.

    first  the line of the file in which the text begins
    pairs  a function that makes a value from an object's names and values, instead of a dict
    """
    check_nesting(text, file, first)
    try:
        return json.loads(text, object_pairs_hook=pairs or _once)
    except (ValueError, RecursionError) as error:
        raise _misread(error, text, 0, file, first, hint) from None


def json_value_at(text: str, start: int, file: str, *, hint: str = "") -> tuple[Any, int]:
    """The JSON value that begins at a place in a text, and where it stops; the rest is ignored."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise _misread(error, text, start, file, 1, hint) from None


class _Twice(ValueError):
    """A name that occurs twice in an object; one of its values would be lost silently."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twice(repeated([name for name, _ in pairs]))
    return found


def repeated(names: list[str]) -> str:
    """The first name that occurs a second time; "" if there is none."""
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), "")  # type: ignore[func-returns-value]


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def check_nesting(text: str, file: str, first: int = 1, start: int = 0) -> None:
    """Check that no more brackets are open at once than the limit allows, apart from brackets in strings.

    Everything except brackets and quotes is removed first, and then strings. This is much faster than parsing.
    """
    import numpy as np

    most = allowed().nesting
    if text.count("[") + text.count("{") <= most:
        return
    escaped = text.replace("\\\\", "").replace('\\"', "").encode(errors="replace")
    bare = _IN_QUOTES.sub(b"", escaped.translate(None, _OTHERS).replace(b'""', b""))
    brackets = np.frombuffer(bare, dtype=np.uint8)
    steps = np.where((brackets == ord("[")) | (brackets == ord("{")), np.int32(1), np.int32(-1))
    if steps.cumsum().max(initial=0) > most:
        raise _misread(RecursionError(), text, start, file, first, "")


def _misread(error: Exception, text: str, start: int, file: str, first: int, hint: str) -> InputError:
    code = "syntax"
    if isinstance(error, json.JSONDecodeError):
        what, at = error.msg, error.pos
    elif isinstance(error, _Twice):
        what, at = f"the name '{str(error)[:80]}' occurs twice in one object", _filled(text, start)
    elif isinstance(error, RecursionError):
        what, at = _TOO_DEEP, _filled(text, start)
        hint, code = _DEEPER, "limit"
    else:
        most = sys.get_int_max_str_digits()
        what, at = f"a number of more than {most:,} digits", _long_number(text, start, most)
        hint, code = "--max-digits raises the limit, if you trust this file", "limit"
    line, column = first + text.count("\n", 0, at), at - text.rfind("\n", 0, at)
    message = f"not valid JSON: {what}"
    return InputError(message, file=file or None, line=line, column=column, hint=hint, code=code)


def _long_number(text: str, start: int, most: int) -> int:
    """Where a whole number with too many digits for Python begins; strings are skipped."""
    words = (found for found in _STRING_OR_NUMBER.finditer(text, start) if found[0].removeprefix("-").isdecimal())
    return next((found.start() for found in words if len(found[0].removeprefix("-")) > most), start)


def _filled(text: str, start: int) -> int:
    """The first place from there on that is not blank."""
    return len(text) - len(text[start:].lstrip())


def delimiter(table: str) -> str:
    """The delimiter of a table: a tab if its first line that is not blank has one, otherwise a comma."""
    filled = _filled(table, 0)
    start = max(table.rfind("\n", 0, filled), table.rfind("\r", 0, filled)) + 1
    end = _LINE_END.search(table, filled)
    return "\t" if "\t" in table[start : end.start() if end else len(table)] else ","
