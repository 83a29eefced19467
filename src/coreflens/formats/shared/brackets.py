"""The brackets of CorefUD: which piece closes which mention, with discontinuous mentions; and escaped characters."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from ...corpus.model import Span

# Characters with a meaning in a piece are written as %XX, as in udapi; `%` itself only if it could be misread.
VALUE, LABEL = "\t\n\r()|-", "\t\n\r()|- =[]<>,:"


@cache
def _codes(special: str) -> re.Pattern[str]:
    return re.compile("%(" + "|".join(f"{ord(c):02X}" for c in f"{special}%") + ")")


def escaped(text: str, special: str) -> str:
    """A text with its special characters escaped."""
    text = _codes(special).sub(r"%25\1", text)
    return re.sub(f"[{re.escape(special)}]", lambda m: f"%{ord(m[0]):02X}", text)


def without_codes(text: str, special: str) -> str:
    """The text of an escaped text."""
    return _codes(special).sub(lambda m: chr(int(m[1], 16)), text) if "%" in text else text


@dataclass(slots=True)
class Opened:
    """A mention whose brackets are being found."""

    label: str
    total: int  # parts that it must have
    line: int = 0
    column: int = 0
    values: dict[str, str] = field(default_factory=dict)
    parts: list[Span] = field(default_factory=list)
    handle: int = -1


class Brackets:
    """The mentions of one document. `label)` closes the mention of that label opened last.

    Part k of a discontinuous mention goes to the mention with the same label and number of parts that has waited
    longest for a part k.
    """

    def __init__(self) -> None:
        self.mentions: list[Opened] = []
        self.open: dict[str, list[tuple[Opened, int]]] = {}
        self.waiting: dict[tuple[str, int, int], deque[Opened]] = {}

    def opens(self, name: str, token: int) -> Opened | None:
        """The mention that opens or continues here; None if its earlier parts are missing."""
        label, number, total = parts_of(name)
        if number == 1:
            mention = Opened(label, total)
            self.mentions.append(mention)
        elif waiting := self.waiting.get((label, number, total)):
            mention = waiting.popleft()
        else:
            return None
        self.open.setdefault(name, []).append((mention, token))
        return mention

    def closes(self, name: str, token: int) -> bool:
        """Close a mention; returns whether there was one to close."""
        stack = self.open.get(name)
        if not stack:
            return False
        mention, start = stack.pop()
        mention.parts.append((start, token))
        if len(mention.parts) < mention.total:
            key = mention.label, len(mention.parts) + 1, mention.total
            self.waiting.setdefault(key, deque()).append(mention)
        return True


def parts_of(name: str) -> tuple[str, int, int]:
    """`e3[1/2]` → e3, 1, 2; a label without such an end is part 1 of 1."""
    if name.endswith("]") and (match := re.fullmatch(r"(.+)\[(\d{1,9})/(\d{1,9})\]", name, re.DOTALL)):
        return match[1], int(match[2]), int(match[3])
    return name, 1, 1


def joined(parts: Sequence[Span]) -> list[Span]:
    """The parts; those with nothing between them are joined."""
    spans: list[Span] = []
    for a, b in parts:
        if spans and spans[-1][1] == a - 1:
            spans[-1] = spans[-1][0], b
        else:
            spans.append((a, b))
    return spans
