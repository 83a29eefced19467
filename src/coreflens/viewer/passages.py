"""The text of a document as the page draws it: display words, and the place of each mention among them.

Words are the source's tokens. If the source counts characters, its text is cut where white space, a CJK character or a
mention begins or ends, so a mention always consists of whole words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..corpus.model import CJK, Corpus, Span, Text

_PIECE = re.compile(f"[{CJK}]|[^\\s{CJK}]+")
_SPOKEN = re.compile(r"^# *speaker *= *(.+)$", re.MULTILINE)
_GENRE = re.compile(r"^# *(?:meta::)?genre *= *(.+)$", re.MULTILINE)
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LTR = re.compile("[A-Za-z\u00c0-\u024f\u0370-\u052f]")


@dataclass(frozen=True)
class Passage:
    """The words of a document. `glued` words have no space after them. `empty` words are zeros, which are not
    written."""

    words: list[str]
    glued: list[int]
    empty: list[int]
    sentences: list[int]
    speakers: list[tuple[int, str]]  # (sentence, who speaks from there on)
    rtl: bool
    cuts: Sequence[int] | None = None  # first character of each word, if the source counts characters

    def span(self, piece: Span) -> Span:
        """First and last word of a piece. The last is before the first if the piece is between two words."""
        start, end = piece
        if self.cuts is None or end < start:
            return piece
        first = bisect_right(self.cuts, start) - 1
        return max(first, 0), bisect_left(self.cuts, end + 1) - 1

    def to_dict(self) -> dict[str, Any]:
        plain = {"words": self.words, "glued": self.glued, "empty": self.empty, "sentences": self.sentences}
        return plain | {"speakers": self.speakers, "rtl": self.rtl}


def passage(corpus: Corpus, d: int, pieces: Iterable[Span]) -> Passage | None:
    """The text of document `d`, or None if there is none. Raw text is cut at the borders of `pieces`, those of the
    mentions."""
    if not corpus.has_text or d < 0:
        return None
    text = corpus.text
    if text.raw is not None:
        return _of_characters(text.raw[d], pieces)
    cut = text.document(d)
    words = text.forms(cut)
    empty = [] if text.empty is None else np.flatnonzero(text.empty[cut]).tolist()
    glued = text.glued(cut)
    starts = text.starts(d).tolist() or [0]
    speakers: list[tuple[int, str]] = []
    for number, start in enumerate(starts):
        who = _speaker(text, cut.start + start) if start < len(words) else ""
        if who and (not speakers or speakers[-1][1] != who):
            speakers.append((number, who))
    return Passage(words, glued, empty, starts, speakers, _right_to_left(words))


def lengths(corpus: Corpus) -> list[int]:
    """The number of words or characters of each document."""
    if not corpus.has_text:
        return [0] * len(corpus.documents)
    return np.diff(corpus.text.first).tolist() if corpus.text.raw is None else [*map(len, corpus.text.raw)]


def _speaker(text: Text, token: int) -> str:
    """Who says a sentence that begins here, from a layer of the words, or from a comment of CoNLL-U, as in GUM."""
    if "speaker" in text.layers:
        who = text.layers["speaker"][token]
        return "" if who == "-" else who
    return _comment(text, token, _SPOKEN)


def genre(corpus: Corpus, d: int) -> str:
    """The first part of a name such as `bc/cctv/00`, or the genre in a comment of CoNLL-U."""
    name, slash, _ = corpus.documents[d].name.partition("/")
    if slash or not corpus.has_text or not (len(corpus.text.words) and corpus.text.first[d] < corpus.text.first[d + 1]):
        return name if slash else ""
    return _comment(corpus.text, int(corpus.text.first[d]), _GENRE)


def _comment(text: Text, token: int, pattern: re.Pattern[str]) -> str:
    comments = text.layers.get("comments")
    found = pattern.search(comments[token]) if comments else None
    return found[1].strip() if found else ""


def _of_characters(raw: str, pieces: Iterable[Span]) -> Passage:
    borders = sorted({p for start, end in pieces for p in (start, end + 1)})
    words: list[str] = []
    cuts: list[int] = []
    glued: list[int] = []
    sentences = [0]
    stop = 0
    for found in _PIECE.finditer(raw):
        first, last = found.span()
        inner = borders[bisect_right(borders, first) : bisect_left(borders, last)]
        for a, b in zip((first, *inner), (*inner, last), strict=True):
            if words and a == stop:
                glued.append(len(words) - 1)
            elif words and "\n" in raw[stop:a]:
                sentences.append(len(words))
            words.append(raw[a:b])
            cuts.append(a)
            stop = b
    return Passage(words, glued, [], sentences, [], _right_to_left(words), cuts)


def _right_to_left(words: Sequence[str]) -> bool:
    """Whether most words with letters are written from right to left. Only a sample is examined."""
    some = " ".join(words[:2000])
    return not some.isascii() and len(_RTL.findall(some)) > len(_LTR.findall(some))
