"""Clusters of strings, placed in the text of the key. `[["Ada", "her"], ["her aunt"]]` has words, but no places.

The rule, the same for every document:

1. A string stands where the text has its characters, from the beginning of a word to the end of one.
2. The strings of an entity are taken in the order of the list. Each string goes to the first free place after the
string before it. If there is no such place, it goes to the first free place of the whole text. A place is free if no
other string has it.
3. Entities are taken in the order of the answer.

A string that occurs more often than it is listed, or is listed in several entities, is ambiguous. It is placed, and
counted in a note. A string that has no place is an error. `--repair` then searches for it without regard to capital
letters and to punctuation at its ends. If it is still not found, it counts as a mention that the key does not have.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..corpus.model import Corpus, IntArray
from ..corpus.spelling import common_spelling
from ..errors import PLACES, InputError, Issue, counted
from ..formats.shared.repairs import repairing
from .documents import Pairing
from .places import matched

if TYPE_CHECKING:
    from .characters import Writing

STRINGS = ("inline", "clusters", "python")  # formats whose names may be words of the text
ANSWERS = ("inline", "crac-text", "crac-json")  # formats of what language models write
STRING = "string"  # the attribute that keeps what was written
_PLACE, _NOWHERE = "place", "nowhere"
_RULE = "each at its first free place after the one before it in its list"
_HINT = "--repair searches for other spellings, and otherwise counts it as a mention that the key does not have"


def are_strings(key: Corpus, response: Corpus) -> bool:
    """Whether the response has strings, and the key a text to place them in."""
    if response.names is None or response.format not in STRINGS or key.names is not None or not key.has_text:
        return False
    return all(isinstance(name, str) for name in response.names)


def nowhere(response: Corpus) -> npt.NDArray[np.bool_] | None:
    """Which mentions of a response are strings that have no place; None if it has no strings."""
    if STRING not in response.attributes:
        return None
    return np.array([place == _NOWHERE for place in response.attributes[_PLACE]], dtype=bool)


def placed(key: Corpus, response: Corpus, pairing: Pairing) -> tuple[Corpus, list[Issue]]:
    """The response with its strings placed in the key's text, and the messages about it.

    If the text has none of the strings, nothing is done: they are names, not words of the text.
    """
    if not are_strings(key, response):
        return response, []
    names = [str(name) for name in response.names or ()]
    from .characters import writings

    texts = writings(key)
    start, end = np.full(len(names), -1, dtype=np.int64), np.full(len(names), -1, dtype=np.int64)
    found = _Findings(response, names)
    for k, r in matched(pairing).tolist():
        rows = range(*response.bounds[r : r + 2].tolist())
        _document(_Text(texts[k]), rows, found, start, end)
        behind = len(texts[k].first)
        for row in rows:
            if start[row] < 0:
                start[row] = end[row] = behind = behind + 1
    if names and not found.places:
        return response, []  # the comparison of the two sides will report it
    found.refuse_missing(pairing, key)
    missing = set(found.missing)
    order = np.lexsort((-end, start, response.doc))
    moved = replace(response.take(order), names=None)
    moved = replace(
        moved,
        start=start[order],
        end=end[order],
        unit=key.unit,
        attributes={
            **moved.attributes,
            STRING: [names[row] for row in order.tolist()],
            _PLACE: [_NOWHERE if row in missing else "" for row in order.tolist()],
        },
    )
    return moved, found.issues()


class _Findings:
    """What happened to the strings of a response."""

    def __init__(self, response: Corpus, names: list[str]) -> None:
        self.response, self.names = response, names
        self.places: list[int] = []
        self.ambiguous: list[int] = []
        self.respelled: list[int] = []
        self.missing: list[int] = []

    def _where(self, rows: Iterable[int]) -> tuple[str, ...]:
        return tuple(f"{self.response.mention(row).place} '{self.names[row][:40]}'" for row in rows)

    def refuse_missing(self, pairing: Pairing, key: Corpus) -> None:
        """The first string that has no place, or only has one in another spelling, is an error, unless repairs are
        wanted."""
        odd = sorted(self.missing + self.respelled)
        if not odd or repairing():
            return
        row = odd[0]
        mention = self.response.mention(row)
        document = key.documents[int(pairing.response_row[self.response.doc[row]])]
        more = f" (and so for {counted(odd[1:], 'more string')})" if odd[1:] else ""
        raise InputError(
            f"the string '{self.names[row][:60]}' of entity '{mention.entity!s:.40}' has no place left in the text of "
            f"document {document.quoted}{more}",
            file=mention.document.file or None,
            line=mention.line or None,
            hint=_HINT,
            code="not-placed",
        )

    def issues(self) -> list[Issue]:
        """What was done, in notes."""
        done = [Issue("placed", f"{counted(self.places, 'string')} placed in the text of the key: {_RULE}")]
        if self.ambiguous:
            message = (
                f"{counted(self.ambiguous, 'string')} that the text has more often than the answer, or that several "
                "entities have: they may have been meant at other places"
            )
            done.append(Issue("ambiguous", message, len(self.ambiguous), self._where(self.ambiguous[:PLACES])))
        if self.respelled:
            message = f"repaired ({len(self.respelled)} strings in other spelling): placed as the text has them"
            done.append(Issue("repaired", message, len(self.respelled), self._where(self.respelled)))
        if self.missing:
            message = f"repaired ({len(self.missing)} strings that are not in the text): mentions the key does not have"
            done.append(Issue("repaired", message, len(self.missing), self._where(self.missing)))
        return done


def _document(text: _Text, rows: Iterable[int], found: _Findings, start: IntArray, end: IntArray) -> None:
    """Place the strings of a document, in the columns of the first and last units."""
    spelled = {row: common_spelling(found.names[row]) for row in rows}
    entities: dict[int, list[int]] = {}
    for row in spelled:
        entities.setdefault(int(found.response.entity[row]), []).append(row)
    listed = Counter(spelled.values())
    owners: dict[str, set[int]] = {}
    for row, string in spelled.items():
        owners.setdefault(string, set()).add(int(found.response.entity[row]))
    left: list[int] = []
    for members in entities.values():
        before = 0
        for row in members:
            string = spelled[row]
            places = text.places(string)
            at = places.take(before)
            if at < 0:
                left.append(row)
                continue
            found.places.append(row)
            if len(places.starts) > listed[string] or len(owners[string]) > 1:
                found.ambiguous.append(row)
            start[row], end[row] = text.units(at, len(string))
            before = at + len(string)
    for row in left:
        string = re.sub(r"^\W+|\W+$", "", spelled[row])
        at = text.respelled(_lower(string)) if string else -1
        if at >= 0:
            found.places.append(row)
            found.respelled.append(row)
            start[row], end[row] = text.units(at, len(string))
        else:
            found.missing.append(row)


class _Places:
    """The places of one string in a text, and which of them are free."""

    def __init__(self, starts: list[int]) -> None:
        self.starts = starts
        self._next = list(range(len(starts) + 1))  # the next free place

    def _free(self, n: int) -> int:
        while self._next[n] != n:
            self._next[n] = self._next[self._next[n]]
            n = self._next[n]
        return n

    def take(self, behind: int) -> int:
        """The first free place from a character on, or else the first free place of all; −1 if none is left."""
        for n in (bisect_left(self.starts, behind), 0):
            if (free := self._free(n)) < len(self.starts):
                self._next[free] = free + 1
                return self.starts[free]
        return -1


class _Text:
    """A document of the key, and where strings occur in it, found by the words that they begin with."""

    def __init__(self, writing: Writing) -> None:
        self.writing = writing
        self.taken: set[tuple[int, int]] = set()
        self._known: dict[str, _Places] = {}

    @cached_property
    def _borders(self) -> list[int]:
        """Where words begin, and the end of the text."""
        if not self.writing.tokens:
            return [int(at) for at in self.writing.words]
        return sorted({*self.writing.first.tolist(), len(self.writing.text)})

    @cached_property
    def _ends(self) -> set[int]:
        return set(self._borders)

    def _begun(self, text: str) -> dict[str, list[int]]:
        """Word → where it begins."""
        found: dict[str, list[int]] = {}
        for a, b in pairwise(self._borders):
            found.setdefault(text[a:b], []).append(a)
        return found

    @cached_property
    def _words(self) -> dict[str, list[int]]:
        return self._begun(self.writing.text)

    @cached_property
    def _lower(self) -> tuple[str, dict[str, list[int]]]:
        text = _lower(self.writing.text)
        return text, self._begun(text)

    def places(self, string: str) -> _Places:
        """The places of a string."""
        if string not in self._known:
            self._known[string] = _Places(self._starts(string, self.writing.text, self._words))
        return self._known[string]

    def respelled(self, string: str) -> int:
        """The first place of a string in small letters that no other string has; −1 if there is none."""
        free = (at for at in self._starts(string, *self._lower) if (at, len(string)) not in self.taken)
        return next(free, -1)

    def _starts(self, string: str, text: str, words: Mapping[str, list[int]]) -> list[int]:
        found = [
            at
            for length in range(1, len(string) + 1)
            for at in words.get(string[:length], ())
            if at + len(string) in self._ends and text.startswith(string, at)
        ]
        return sorted(found)

    def units(self, at: int, length: int) -> tuple[int, int]:
        """The first and the last unit of a stretch of characters."""
        self.taken.add((at, length))
        first, last = np.searchsorted(self.writing.first, (at, at + length - 1), side="right") - 1
        return int(first), int(last)


def _lower(text: str) -> str:
    """The text in small letters, with the same number of characters."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
