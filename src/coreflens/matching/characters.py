r"""Mentions carried over by the characters of the text: `--align characters`.

Both sides are written out without blanks and in one spelling (spelling.py), document by document. If the two texts are
the same, a span becomes a span of their characters, however the text is divided into tokens. If the texts differ, for
instance because a language model left out or added words, they are aligned word by word (diff.py). A word is common
only if all its characters are common. A mention is carried over if its first and its last character are common.
Otherwise it gets a place where the other side has no mention, and an issue counts it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus.model import Corpus, IntArray, Span
from ..corpus.spans import joined_pieces
from ..corpus.spelling import ESCAPE, common_spelling
from ..errors import PLACES, Issue
from ..integers import bincount, repeat
from .diff import runs
from .documents import Pairing
from .places import Places, matched, spread

# Scripts without blanks between words. In these, every character counts as a word.
_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[^\W{_ALONE}]+|.", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Writing:
    """A document as it is compared.

    text      without blanks, in one spelling
    first     the number of the first character of each unit (token or character) of the document
    last      the number of its last character. For a token without characters it equals `first`; for a blank it is one
              less
    ordinal   0, or for a unit without characters its number, counted since the last unit with characters
    cuts      where words certainly begin: where tokens begin, or after blanks
    tokens    whether the units are tokens
    blank     which tokens are only white space; None if no token is
    """

    text: str
    first: IntArray
    last: IntArray
    ordinal: IntArray
    cuts: IntArray
    tokens: bool = True
    blank: npt.NDArray[np.bool_] | None = None

    @cached_property
    def words(self) -> IntArray:
        """Where words begin, and the end: at the cuts, and where the kind of character changes."""
        found = np.fromiter((m.start() for m in _WORD.finditer(self.text)), np.int64)
        borders: IntArray = np.unique(np.concatenate((found, self.cuts, [len(self.text)])))
        return borders

    @cached_property
    def _starts(self) -> IntArray:
        """The first character of each word that is counted: tokens that have characters, or `words` if there are no
        tokens."""
        starts: IntArray = self.first[(self.ordinal == 0)] if self.tokens else self.words[:-1]
        return starts

    @property
    def size(self) -> int:
        """How many words the document has."""
        return len(self._starts)

    def kept(self, to: IntArray) -> tuple[int, int]:
        """The number of words up to the last one that another text has, and how many of them it has.

        `to` has the other text's character for each character, −1 for none.
        """
        there = np.flatnonzero(to[self._starts] >= 0)
        return (int(there[-1]) + 1 if len(there) else 0), len(there)

    def borders(self, start: IntArray, end: IntArray) -> IntArray:
        """For spans: first character, last character, and the ordinals of both for units without characters.

        A span that begins or ends in a blank begins or ends at the next character inside.
        """
        if self.blank is not None:
            number = np.arange(len(self.blank))
            before = np.maximum.accumulate(np.where(self.blank, -1, number))
            behind = np.minimum.accumulate(np.where(self.blank, len(number), number)[::-1])[::-1]
            inside = behind[start] <= before[end]
            start, end = np.where(inside, behind[start], start), np.where(inside, before[end], end)
        first, last = self.first[start], self.last[end]
        hollow = last < first  # nothing but blanks
        counts = hollow | self.tokens
        ordinals = (np.where(counts, self.ordinal[at], 0) for at in (start, end))
        return np.stack((first, np.where(hollow, first, last), *ordinals))


def writings(corpus: Corpus) -> list[Writing]:
    """The documents of a corpus as they are compared."""
    text = corpus.text
    if corpus.unit == "character":
        return [_from_raw(raw) for raw in text.raw or ()]
    known = {word: common_spelling(word) for word in set(text.words)}
    words = [known[word] for word in text.words]
    if text.empty is not None:
        words = ["" if empty else word for word, empty in zip(words, text.empty.tolist(), strict=True)]
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    places = Places.of(lengths, text.first)
    blank = (lengths == 0) & (True if text.empty is None else ~text.empty)
    blanks = [blank[text.document(d)] for d in range(len(corpus.documents))]
    documents = map(text.document, range(len(corpus.documents)))
    return [
        Writing(
            "".join(words[d]),
            places.first[d],
            places.last[d],
            places.ordinal[d],
            places.first[d],
            blank=here if here.any() else None,
        )
        for d, here in zip(documents, blanks, strict=True)
    ]


def _from_raw(raw: str) -> Writing:
    """A text without tokens: a character takes as many characters as its spelling has, and blanks take none.

    Characters that are spelled together (an escape, or a letter with its accents) count at the first of them.
    """
    codes = np.frombuffer(raw.encode("utf-32-le", "surrogatepass"), np.uint32)
    distinct, which = np.unique(codes, return_inverse=True)
    characters = [chr(c) for c in distinct.tolist()]
    table = {ord(c): common_spelling(c) for c in characters}
    lengths = (
        np.array([len(x) for x in table.values()], dtype=np.int64)[which] if len(codes) else codes.astype(np.int64)
    )
    blank = np.array([c.isspace() for c in characters], dtype=bool)[which] if len(codes) else codes.astype(bool)
    pieces, done = [], 0
    for match in _together(characters).finditer(raw):
        a, b = match.span()
        replacement = common_spelling(match[0])
        lengths[a:b] = 0
        lengths[a] = len(replacement)
        pieces += [raw[done:a].translate(table), replacement]
        done = b
    pieces.append(raw[done:].translate(table))
    first, _, ordinal = Places.of(lengths, np.array([0, len(raw)]))
    return Writing("".join(pieces), first, first + lengths - 1, ordinal, first[blank], tokens=False)


def _together(characters: Sequence[str]) -> re.Pattern[str]:
    """Escapes, and letters followed by marks or Hangul vowels and finals, which may compose with them."""
    marks = [c for c in characters if not c.isascii() and (unicodedata.category(c)[0] == "M" or "ᅠ" <= c <= "ᇿ")]
    more = rf"|[^\s][{re.escape(''.join(marks))}]+" if marks else ""
    return re.compile(ESCAPE + more)


class Carried(NamedTuple):
    """Both corpora with spans of characters of a common text, which is the key's, and the places that a character
    takes.

    lost   which mentions of either side have no counterpart in the other's text
    kept   for each key document: its words, the words up to the last one that the response has, and the words it has
    """

    key: Corpus
    response: Corpus
    issues: list[Issue]
    room: int
    lost: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]
    kept: IntArray


def carry(key: Corpus, response: Corpus, pairing: Pairing) -> Carried:
    """Mentions carried over by the characters of the text."""
    ours, theirs = _Spans(key), _Spans(response)
    kept = np.array([(w.size, 0, 0) for w in ours.writings], dtype=np.int64).reshape(-1, 3)
    differing = 0
    for k, r in matched(pairing).tolist():
        one, other = ours.writings[k], theirs.writings[r]
        kept[k, 1:] = one.size
        if one.text != other.text:
            differing += 1
            to_key = mapped(one, other)
            back = _inverse(to_key, len(one.text))
            kept[k, 1:] = one.kept(back)
            ours.look_up(k, back)
            theirs.borders[:2, theirs.of(r)] = theirs.look_up(r, to_key)
    room = 1 + max(side.longest_gap() for side in (ours, theirs))
    behind = (1 + max((len(w.text) for w in ours.writings), default=0)) * room  # behind the whole text of the key
    issues = []
    for side, what, done in (
        (theirs, "response", "could not be carried over"),
        (ours, "key", "have no counterpart in the response's text"),
    ):
        lost = np.flatnonzero(~side.found()).tolist()
        if lost:
            message = (
                f"{len(lost):,} of {len(side.corpus):,} {what} mentions {done}: "
                f"the texts of {differing:,} document{'' if differing == 1 else 's'} differ (--align characters)"
            )
            places = (side.corpus.mention(row).place for row in lost[:PLACES])
            issues.append(Issue(f"not-carried-{what}", message, len(lost), tuple(filter(None, places))))
    gone = ~ours.found(), ~theirs.found()
    ours.lost[:] = False  # missing in the other text, but not in the key's own text
    return Carried(ours.built(room, behind), theirs.built(room, behind), issues, room, gone, kept)


class _Spans:
    """The spans of a corpus in characters of its documents: the spans of mentions, of their pieces, and of their
    heads."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus, self.writings = corpus, writings(corpus)
        pieces = [(row, *piece) for row in sorted(corpus.parts) for piece in joined_pieces(corpus.parts[row])]
        self.row, *piece = np.array(pieces, dtype=np.int64).reshape(-1, 3).T
        heads = np.zeros(0, dtype=np.int64) if corpus.head is None else np.maximum(corpus.head, 0)
        doc = np.concatenate((corpus.doc, corpus.doc[self.row], corpus.doc[: len(heads)]))
        self._order = np.argsort(doc, kind="stable")
        self._bounds = np.searchsorted(doc[self._order], np.arange(len(corpus.documents) + 1))
        start, end = (
            np.concatenate((whole, part, heads)) for whole, part in zip((corpus.start, corpus.end), piece, strict=True)
        )
        self.borders = np.zeros((4, len(doc)), dtype=np.int64)  # see Writing.borders
        self.lost = np.zeros(len(doc), dtype=bool)
        for d, document in enumerate(self.writings):
            self.borders[:, self.of(d)] = document.borders(start[self.of(d)], end[self.of(d)])

    def longest_gap(self) -> int:
        """The highest ordinal that counts: that of any token, because pieces may leave it out, and that of blanks if a
        mention is blank."""
        tokens = (int(w.ordinal.max(initial=0)) for w in self.writings if w.tokens)
        return max(int(self.borders[2:].max(initial=0)), *tokens, 0)

    def of(self, d: int) -> IntArray:
        """Which spans belong to a document."""
        return self._order[self._bounds[d] : self._bounds[d + 1]]

    def look_up(self, d: int, to: IntArray) -> IntArray:
        """The borders of a document's spans in another text. Spans that are not there are lost."""
        here = self.of(d)
        first, last, *ordinals = self.borders[:, here]
        there = np.stack([_through(to, units, k > 0) for units, k in zip((first, last), ordinals, strict=True)])
        self.lost[here] = (there[0] < 0) | (there[1] < there[0])
        return there

    def found(self) -> npt.NDArray[np.bool_]:
        """Which mentions are found, with all of their pieces."""
        n = len(self.corpus)
        found = ~self.lost[:n]
        found[self.row[self.lost[n : n + len(self.row)]]] = False
        return found

    def built(self, room: int, behind: int) -> Corpus:
        """The corpus with spans in places of the key's text, and the lost ones behind it."""
        corpus, n, found = self.corpus, len(self.corpus), self.found()
        first, last, k, m = self.borders
        first, last = spread(first, k, room), spread(last, m, room)
        parts: dict[int, list[Span]] = {}
        for i, row in enumerate(self.row.tolist(), start=n):
            if found[row]:
                parts.setdefault(row, []).append((int(first[i]), int(last[i])))
            elif row not in parts:
                parts[row] = [(a + behind, b + behind) for a, b in joined_pieces(corpus.parts[row])]
        if corpus.unit == "character":  # perhaps there was only a blank between two pieces, and it is gone
            parts = {row: _joined(pieces, room) if found[row] else pieces for row, pieces in parts.items()}
        head = corpus.head
        if head is not None:
            there = (head >= 0) & ~self.lost[n + len(self.row) :]
            head = np.where(there, first[n + len(self.row) :], -1)
        return replace(
            corpus,
            start=np.where(found, first[:n], corpus.start + behind),
            end=np.where(found, last[:n], corpus.end + behind),
            parts={row: tuple(pieces) for row, pieces in parts.items()},
            head=head,
        )


def _through(to: IntArray, units: IntArray, gap: npt.NDArray[np.bool_]) -> IntArray:
    """The other text's character for each one. A gap before character c becomes the gap behind the image of c − 1."""
    padded = np.concatenate((to, [-1]))  # index −1 is what comes before the first character
    behind = np.where(units == 0, 0, np.where(padded[units - 1] >= 0, padded[units - 1] + 1, -1))
    return np.where(gap, behind, padded[np.minimum(units, len(to))])


def _joined(pieces: list[Span], room: int) -> list[Span]:
    joined: list[Span] = []
    for a, b in pieces:
        if joined and a <= joined[-1][1] + room:
            joined[-1] = (joined[-1][0], max(b, joined[-1][1]))
        else:
            joined.append((a, b))
    return joined


def mapped(key: Writing, response: Writing) -> IntArray:
    """The character of the key's text for each character of the response's text, −1 for none."""
    to_key = np.full(len(response.text), -1, dtype=np.int64)
    for k, r, n in runs(key.text, response.text, key.words, response.words):
        to_key[r : r + n] = np.arange(k, k + n)
    _keep_whole_words(to_key, response.words)
    back = _inverse(to_key, len(key.text))
    _keep_whole_words(back, key.words)
    return _inverse(back, len(response.text))


def _inverse(to: IntArray, size: int) -> IntArray:
    """The inverse map."""
    back = np.full(size, -1, dtype=np.int64)
    back[to[to >= 0]] = np.flatnonzero(to >= 0)
    return back


def _keep_whole_words(to: IntArray, words: IntArray) -> None:
    """Take out the words that are not carried over as a whole and in one piece."""
    if not len(to):
        return
    number = repeat(np.arange(len(words) - 1), np.diff(words))
    broken = to < 0
    inside = number[1:] == number[:-1]
    broken[1:] |= inside & (to[1:] != to[:-1] + 1)
    whole = bincount(number, weights=broken, minlength=len(words) - 1) == 0
    to[~whole[number]] = -1
