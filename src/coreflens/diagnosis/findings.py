"""What a diagnosis finds, as records: errors, links, matches, prices, repairs and losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from .classes import CLASSES, SPAN

Change: TypeAlias = dict[str, float]  # metric → change of its F1, 0–1


def short(text: str, width: int = 32) -> str:
    """The text in quotation marks, cut to fit into a line."""
    text = " ".join(text.split())
    return f"“{text}”" if len(text) <= width else f"“{text[: width - 1]}…”"


@dataclass(frozen=True)
class Error:
    """One error. `place` is file:line in the response, or in the key if the response lacks the mention."""

    kind: str
    document: str
    text: str
    context: str
    place: str
    entity: str  # the label of the entity that is wrong
    of: str  # the words of its anchor
    mentions: tuple[str, ...]
    features: Mapping[str, str]  # type, length, ... of its first mention
    number: int

    def __str__(self) -> str:
        wrong = short(self.mentions[0]) if self.mentions else ""
        return _SAID[self.kind].format(text=self._several, of=short(self.of), wrong=wrong)

    @property
    def _several(self) -> str:
        more = len(self.mentions) - 1
        return short(self.text) + (f" and {more} more" if more and self.kind != CLASSES[SPAN] else "")


_SAID = {
    "span error": "{text} is written {wrong}",
    "conflated entities": "{text} is not {of}",
    "extra mention": "{text} in {of}",
    "extra entity": "{text}",
    "divided entity": "{text} should be {of}",
    "missing antecedent": "{of} before {text}",
    "missing mention": "{text} of {of}",
    "missing entity": "{text}",
}


@dataclass(frozen=True)
class Link:
    """A wrong link: `lost` (recall) or `spurious` (precision)."""

    kind: str
    document: str
    anaphor: str
    antecedent: str
    anaphor_type: str
    antecedent_type: str
    context: str
    place: str


@dataclass(frozen=True)
class Match:
    """Two matched mentions that are not the same; `place` is file:line in the response."""

    document: str
    key: str
    response: str
    by: str  # head, partial, zero, ...
    place: str


@dataclass(frozen=True)
class ClassPrice:
    """A class of errors: how many there are, the change when it alone is corrected, and when it is corrected after
    those above it."""

    kind: str
    errors: int
    mentions: int
    alone: Change
    next: Change
    after: Mapping[str, float]  # the scores when it and those above it are corrected


@dataclass(frozen=True)
class CausePrice:
    """The errors of one cause, wrong or lost text: how many there are, and the change when they are corrected."""

    errors: int
    mentions: int
    alone: Change


@dataclass(frozen=True)
class Repair:
    """The repair of one error: the change by it alone, and the CoNLL average after it and all better repairs."""

    error: Error
    alone: Change
    together: float


@dataclass(frozen=True)
class Loss:
    """What an entity or a mention loses: shares of recall (key) and precision (response), and the change if
    corrected."""

    side: str
    document: str
    text: str
    entity: str
    place: str
    mentions: int
    recall: Mapping[str, float]
    precision: Mapping[str, float]
    change: Change
