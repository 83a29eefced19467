"""Options in messages, as the caller writes them: `--duplicates first` on the command line, `duplicates="first"` in
Python.

A message is written with options of the command line. Where it is shown, `worded` turns those that are also keywords
of functions into keywords, unless the command line runs. What is only an option stays one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

_command_lines = 0  # how many run in this process: none in a program of Python

# The options that are keywords, and the words that are known to be values of each; options.py adds its own.
KEYWORDS: dict[str, tuple[str, ...]] = {
    "engine": ("auto", "memory", "duckdb", "spark"),
    "columns": (),
    "memory-limit": (),
    "spill": (),
    "master": (),
    "protocol": ("ua", "crac2022", "corefud"),
    "metrics": (),
    "unit": ("document", "part", "block", "entity", "topic"),
    "by": (),
    "macro": ("dataset",),
    "encoding": (),
    "key-format": (),
    "response-format": (),
    "coref-column": (),
    "unlabelled": ("error", "absent"),
    "scope": ("topic", "subtopic", "file"),
    "ids": ("local", "global"),
    "seed": (),
}
_FLAGS = {"exact": "exact=True", "no-ceaf": "ceaf=False", "repair": "coreflens.repair()"}
_VALUE = r"[A-Za-z0-9_./-]+(?:=[\w.,=/-]*)?"
_LIST = rf"(?:(?:, or|, and|,| or| and) (?!or |and ){_VALUE})*"
_OPTION = re.compile(rf"(?<![\w-])--([a-z][a-z-]*[a-z])(?: ({_VALUE}))?({_LIST})")


@contextmanager
def command_line() -> Iterator[None]:
    """Messages within are for the command line."""
    global _command_lines
    _command_lines += 1
    try:
        yield
    finally:
        _command_lines -= 1


def on_the_command_line() -> bool:
    """Whether the command line runs, and not a program of Python."""
    return _command_lines > 0


def worded(text: str) -> str:
    """A message in the words of the caller."""
    if on_the_command_line() or "--" not in text:
        return text
    return _OPTION.sub(_keyword, text)


def _keyword(found: re.Match[str]) -> str:
    """An option as a keyword, with its value if it has one."""
    name, value, rest = found[1], found[2], found[3]
    if name in _FLAGS:
        return _FLAGS[name] + found[0].removeprefix(f"--{name}")
    if name not in KEYWORDS:
        return found[0]
    keyword = name.replace("-", "_")
    known = KEYWORDS[name]
    if value is None or not _is_value(value, known):
        return keyword + found[0].removeprefix(f"--{name}")
    return f'{keyword}="{value}"' + re.sub(_VALUE, lambda word: f'"{word[0]}"' if word[0] in known else word[0], rest)


def _is_value(word: str, values: tuple[str, ...]) -> bool:
    """Whether the word after an option is its value, and not the next word of the sentence."""
    return word in values or word.isupper() or "=" in word or word.isdecimal()
