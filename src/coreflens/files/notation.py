"""Notations that many files share: JSON, with the place of a mistake, and tables, with what is between their cells."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

from ..errors import InputError

Pairs: TypeAlias = Callable[[list[tuple[str, Any]]], Any]
_LINE_END = re.compile(r"[\r\n]")
_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*+"|[-+.eE\d]++', re.DOTALL)


def json_value(text: str, file: str, *, first: int = 1, hint: str = "", pairs: Pairs | None = None) -> Any:
    """The one JSON value that a text holds, or an InputError with the place of the mistake.

    first  the line of the file in which the text begins
    pairs  makes something else than a dict of an object's names and values
    """
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        raise _misread(error, text, 0, file, first, hint) from None


def json_value_at(text: str, start: int, file: str, *, hint: str = "") -> tuple[Any, int]:
    """The JSON value that begins at a place in a text, and where it stops; what follows is not looked at."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise _misread(error, text, start, file, 1, hint) from None


_DECODER = json.JSONDecoder()


def _misread(error: Exception, text: str, start: int, file: str, first: int, hint: str) -> InputError:
    if isinstance(error, json.JSONDecodeError):
        what, at = error.msg, error.pos
    elif isinstance(error, RecursionError):
        what, at = "nested too deeply; this value begins here", _filled(text, start)
    else:
        most = sys.get_int_max_str_digits()
        what, at = f"a number of more than {most:,} digits", _long_number(text, start, most)
    line, column = first + text.count("\n", 0, at), at - text.rfind("\n", 0, at)
    message = f"not valid JSON: {what}"
    return InputError(message, file=file or None, line=line, column=column, hint=hint, code="syntax")


def _long_number(text: str, start: int, most: int) -> int:
    """Where a whole number of more digits than Python reads begins; strings are passed over."""
    words = (found for found in _STRING_OR_NUMBER.finditer(text, start) if found[0].removeprefix("-").isdecimal())
    return next((found.start() for found in words if len(found[0].removeprefix("-")) > most), start)


def _filled(text: str, start: int) -> int:
    """The first place from there on that is not blank."""
    return len(text) - len(text[start:].lstrip())


def delimiter(table: str) -> str:
    """What is between the cells of a table: a tab, if its first line that is not blank has one, otherwise a comma."""
    filled = _filled(table, 0)
    start = max(table.rfind("\n", 0, filled), table.rfind("\r", 0, filled)) + 1
    end = _LINE_END.search(table, filled)
    return "\t" if "\t" in table[start : end.start() if end else len(table)] else ","
