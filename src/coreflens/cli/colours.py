"""Bold and colour on a terminal only, unless NO_COLOR or FORCE_COLOR is set (no-color.org)."""

from __future__ import annotations

import os
from typing import IO

import click

_RULE = "─"


def wanted(stream: IO[str]) -> bool:
    """Whether to write in colour: never with NO_COLOR, always with FORCE_COLOR, otherwise on a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


def table_in_colour(text: str) -> str:
    """Tables with bold headers. If the first line is an answer, it is bold. A signature is dim."""
    lines = text.split("\n")
    styled = []
    for n, line in enumerate(lines):
        header = n + 1 < len(lines) and lines[n + 1].startswith(_RULE) and not (n and _RULE in lines[n - 1])
        answer = n == 0 and line.endswith(".") and len(lines) > 1
        if line.startswith("coreflens:"):
            line = click.style(line, dim=True)
        elif line.strip() and (answer or (header and not _is_last(lines, n))):
            line = click.style(line, bold=True)
        styled.append(line)
    return "\n".join(styled)


def _is_last(lines: list[str], n: int) -> bool:
    """Whether the line before a rule is the last row above a total. Then its table began with another rule."""
    for line in reversed(lines[:n]):
        if not line.strip():
            return False
        if line.startswith(_RULE):
            return True
    return False


def message_in_colour(message: str) -> str:
    """A message with its severity, the first words, in colour."""
    for start, colour in (("coreflens: error:", "red"), ("coreflens: note:", "yellow")):
        if message.startswith(start):
            return click.style(start, fg=colour, bold=True) + message.removeprefix(start)
    return message
