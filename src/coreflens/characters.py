r"""Mentions carried over by the characters of the text: `--align characters`.

Both sides are written out without blanks and in one spelling (spelling.py), document by document. Where the two texts
are the same, a span becomes a span of their characters, whatever the tokens were. Where they differ, because a language
model left out or added words for instance, they are aligned word by word (diff.py), and a word is common only if all of
its characters are. A mention is carried over if its first and its last character
are common; otherwise it stays where no mention of the other side is, and is counted in an issue.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .coordinates import Places, matched, spread
from .diff import runs
from .errors import PLACES, Issue
from .model import Corpus, IntArray, Span
from .pairing import Pairing
from .spans import discontinuous_rows, joined_pieces
from .spelling import ESCAPE, spelled

# Scripts that put no blanks between words: there a character is a word.
_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[^\W{_ALONE}]+|.", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Writing:
    """A document as it is compared.

    text      without blanks, in one spelling
    first     the number of the first character of each unit (token or character) of the document
    last      the number of the last one; of a token without characters as `first`, of a blank one less
    ordinal   0, or for tokens without characters their number since the last one that has some
    cuts      where words begin for certain: where tokens do, or after blanks
    tokens    whether the units are tokens
    """

    text: str
    first: IntArray
    last: IntArray
    ordinal: IntArray
    cuts: IntArray
    tokens: bool = True

    @cached_property
    def words(self) -> IntArray:
        """Where words begin, and the end: at the cuts, and where the kind of character changes."""
        found = np.fromiter((m.start() for m in _WORD.finditer(self.text)), np.int64)
        borders: IntArray = np.unique(np.concatenate((found, self.cuts, [len(self.text)])))
        return borders


def writings(corpus: Corpus) -> list[Writing]:
    """The documents of a corpus as they are compared."""
    text = corpus.text
    if corpus.unit == "character":
        return [_from_raw(raw) for raw in text.raw or ()]
    known = {word: spelled(word) for word in set(text.words)}
    words = [known[word] for word in text.words]
    if text.empty is not None:
        words = ["" if empty else word for word, empty in zip(words, text.empty.tolist(), strict=True)]
    places = Places.of(np.fromiter(map(len, words), np.int64, len(words)), text.first)
    documents = map(text.document, range(len(corpus.documents)))
    return [
        Writing("".join(words[d]), places.first[d], places.last[d], places.ordinal[d], places.first[d])
        for d in documents
    ]


def _from_raw(raw: str) -> Writing:
    """A text that is no tokens: a character takes as many characters as its spelling has, blanks take none.

    What is spelled together, an escape or a letter with its accents, counts at its first character.
    """
    codes = np.frombuffer(raw.encode("utf-32-le", "surrogatepass"), np.uint32)
    distinct, which = np.unique(codes, return_inverse=True)
    characters = [chr(c) for c in distinct.tolist()]
    table = {ord(c): spelled(c) for c in characters}
    lengths = (
        np.array([len(x) for x in table.values()], dtype=np.int64)[which] if len(codes) else codes.astype(np.int64)
    )
    blank = np.array([c.isspace() for c in characters], dtype=bool)[which] if len(codes) else codes.astype(bool)
    pieces, done = [], 0
    for match in _together(characters).finditer(raw):
        a, b = match.span()
        replacement = spelled(match[0])
        lengths[a:b] = 0
        lengths[a] = len(replacement)
        pieces += [raw[done:a].translate(table), replacement]
        done = b
    pieces.append(raw[done:].translate(table))
    before = np.concatenate(([0], np.cumsum(lengths)))
    nothing = np.zeros(len(raw), dtype=np.int64)
    # a span that begins or ends in a blank begins or ends at the next character inside
    return Writing("".join(pieces), before[:-1], before[1:] - 1, nothing, before[:-1][blank], tokens=False)


def _together(characters: Sequence[str]) -> re.Pattern[str]:
    """Escapes, and letters followed by marks or Hangul vowels and finals, which may compose with them."""
    marks = [c for c in characters if not c.isascii() and (unicodedata.category(c)[0] == "M" or "ᅠ" <= c <= "ᇿ")]
    more = rf"|[^\s][{re.escape(''.join(marks))}]+" if marks else ""
    return re.compile(ESCAPE.pattern + more)


def carry(key: Corpus, response: Corpus, pairing: Pairing) -> tuple[Corpus, Corpus, list[Issue]]:
    """Both corpora with spans of characters of a common text, the key's."""
    ours, theirs = writings(key), writings(response)
    room = 1 + max((int(w.ordinal.max(initial=0)) for w in (*ours, *theirs)), default=0)
    moved_key, moved_response = _Moved(key, room), _Moved(response, room)
    differing = 0
    beyond = [(len(document.text) + 1) * room for document in ours]  # all that the key's text has is before this
    for d, document in enumerate(ours):
        moved_key.move(d, document, None, beyond[d])
    partner = {r: k for k, r in matched(pairing).tolist()}
    for d, document in enumerate(theirs):
        if d not in partner:
            moved_response.move(d, document, None, (len(document.text) + 1) * room)
            continue
        k, to_key = partner[d], None
        if document.text != ours[k].text:
            to_key = mapped(ours[k], document)
            differing += 1
            moved_key.look(k, ours[k], _inverse(to_key, len(ours[k].text)))
        moved_response.move(d, document, to_key, beyond[k] + len(ours[k].first))
    issues = []
    for moved, what in ((moved_response, "response"), (moved_key, "key")):
        if moved.lost:
            done = "could not be carried over" if what == "response" else "have no counterpart in the response's text"
            message = (
                f"{len(moved.lost):,} of {len(moved.corpus):,} {what} mentions {done}: "
                f"the texts of {differing:,} document{'' if differing == 1 else 's'} differ (--align characters)"
            )
            mentions = [moved.corpus.mention(row) for row in moved.lost[:PLACES]]
            issues.append(
                Issue(f"not-carried-{what}", message, len(moved.lost), tuple(m.place for m in mentions if m.place))
            )
    return moved_key.built(), moved_response.built(), issues


class _Moved:
    """A corpus on its way to other coordinates, and the rows that could not come along."""

    def __init__(self, corpus: Corpus, room: int) -> None:
        self.corpus, self.room = corpus, room
        self.start, self.end = corpus.start.copy(), corpus.end.copy()
        self.head = None if corpus.head is None else corpus.head.copy()
        self.parts: dict[int, tuple[Span, ...]] = {}
        self.discontinuous = discontinuous_rows(corpus)
        self.lost: list[int] = []

    def move(self, d: int, document: Writing, to_key: IntArray | None, beyond: int) -> None:
        """Give the mentions of a document their places in the key's text; the lost ones go beyond it."""
        here = slice(*self.corpus.bounds[d : d + 2].tolist())
        starts, ends = self.corpus.start[here], self.corpus.end[here]
        first, last, found = self._borders(document, to_key, starts, ends)
        for row in self.discontinuous.get(d, ()):
            pieces = np.array(joined_pieces(self.corpus.parts[row]), dtype=np.int64)
            a, b, there = self._borders(document, to_key, pieces[:, 0], pieces[:, 1])
            if not there.all():
                found[row - here.start] = False
            if not found[row - here.start]:
                self.parts[row] = tuple(zip(*(pieces.T + beyond).tolist(), strict=True))
            else:  # in a text that is no tokens, only a blank may have been between the pieces, which is gone
                self.parts[row] = _joined(a.tolist(), b.tolist(), 0 if document.tokens else self.room)
        self.start[here] = np.where(found, first, starts + beyond)
        self.end[here] = np.where(found, last, ends + beyond)
        if self.head is not None:
            heads = self.head[here]
            place, _, there = self._borders(document, to_key, np.maximum(heads, 0), np.maximum(heads, 0))
            self.head[here] = np.where((heads >= 0) & there, place, -1)
        self.lost += (np.flatnonzero(~found) + here.start).tolist()

    def look(self, d: int, document: Writing, back: IntArray) -> None:
        """Note the key mentions of a document whose borders the other text lacks."""
        here = slice(*self.corpus.bounds[d : d + 2].tolist())
        found = self._borders(document, back, self.corpus.start[here], self.corpus.end[here])[2]
        self.lost += (np.flatnonzero(~found) + here.start).tolist()

    def _borders(
        self, document: Writing, to_key: IntArray | None, start: IntArray, end: IntArray
    ) -> tuple[IntArray, IntArray, npt.NDArray[np.bool_]]:
        """The places of spans, and which of them are in the key's text."""
        if not len(start):
            return start, end, np.ones(0, dtype=bool)
        first, last = document.first[start], document.last[end]
        k, m = document.ordinal[start], document.ordinal[end]
        found = last >= first  # a span of blanks is nowhere
        if to_key is not None:
            first, last = _through(to_key, first, k > 0), _through(to_key, last, m > 0)
            found &= (first >= 0) & (last >= first)
        return spread(first, k, self.room), spread(last, m, self.room), found

    def built(self) -> Corpus:
        return replace(self.corpus, start=self.start, end=self.end, parts=self.parts, head=self.head)


def _through(to_key: IntArray, units: IntArray, gap: npt.NDArray[np.bool_]) -> IntArray:
    """The key's character for each; of a gap, before character c, the one behind that which c − 1 becomes."""
    padded = np.concatenate((to_key, [-1, -1]))
    behind = np.where(padded[units - 1] >= 0, padded[units - 1] + 1, -1)
    behind = np.where(units == 0, 0, behind)
    return np.where(gap, behind, padded[np.minimum(units, len(to_key))])


def _joined(starts: list[int], ends: list[int], touching: int) -> tuple[Span, ...]:
    joined: list[Span] = []
    for a, b in zip(starts, ends, strict=True):
        if joined and a <= joined[-1][1] + touching:
            joined[-1] = (joined[-1][0], max(b, joined[-1][1]))
        else:
            joined.append((a, b))
    return tuple(joined)


def mapped(key: Writing, response: Writing) -> IntArray:
    """For each character of the response's text the key's character that it is, −1 for none."""
    to_key = np.full(len(response.text), -1, dtype=np.int64)
    for k, r, n in runs(key.text, response.text, key.words, response.words):
        to_key[r : r + n] = np.arange(k, k + n)
    _keep_whole_words(to_key, response.words)
    back = _inverse(to_key, len(key.text))
    _keep_whole_words(back, key.words)
    return _inverse(back, len(response.text))


def _inverse(to: IntArray, size: int) -> IntArray:
    """The map the other way round."""
    back = np.full(size, -1, dtype=np.int64)
    back[to[to >= 0]] = np.flatnonzero(to >= 0)
    return back


def _keep_whole_words(to: IntArray, words: IntArray) -> None:
    """Take out the words that are not carried over as a whole and in one piece."""
    if not len(to):
        return
    number = np.repeat(np.arange(len(words) - 1), np.diff(words))
    broken = to < 0
    inside = number[1:] == number[:-1]
    broken[1:] |= inside & (to[1:] != to[:-1] + 1)
    whole = np.bincount(number, weights=broken, minlength=len(words) - 1) == 0
    to[~whole[number]] = -1
