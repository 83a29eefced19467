"""Spans of both sides in common coordinates: the step between pairing documents and matching mentions.

If both sides have the same tokens, or characters, nothing changes, and no text is needed. If only their empty nodes
differ, written tokens are counted, and every empty node gets its own place between two of them. If the tokens differ,
`--align characters` counts the characters of a common text (characters.py). Without this option, different tokens are
an error, and the message names the first difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..corpus.model import Corpus, IntArray, Text
from ..corpus.spans import joined_pieces
from ..corpus.spelling import common_spelling
from ..errors import PLACES, InputError, Issue, counted
from ..formats import FORMATS
from ..formats.shared.unread import Unread
from ..integers import repeat
from .documents import Pairing

if TYPE_CHECKING:
    from .optimal import Bools

_NONE = np.zeros(0, dtype=np.int64)
CARRY = "--align characters carries the mentions over by the characters of the text"


class Ground:
    """How the places of two sides are counted.

    room        for each pair of documents, how many places a unit takes: 1 if both sides have the same tokens
    width       greater than any place: `pair · width + place` is a code for a place of any document
    empty       for either side, the codes of the empty nodes in documents whose empty nodes differ, ascending
    characters  whether units are characters. Empty nodes have no characters
    """

    def __init__(
        self,
        room: IntArray,
        width: int = 1,
        empty: tuple[IntArray, IntArray] = (_NONE, _NONE),
        characters: bool = False,
    ) -> None:
        self.room = room
        self.width = width
        self.empty = empty
        self.characters = characters

    @cached_property
    def both(self) -> IntArray:
        """The codes of the empty nodes that both sides have."""
        ours, theirs = self.empty
        return ours[np.isin(ours, theirs, assume_unique=True)]

    def is_shared(self, row: IntArray, place: IntArray) -> Bools:
        """Whether both sides have a word at a place of one side."""
        room = self.room[row]
        shared: Bools = (place % room == room - 1) | np.isin(row * self.width + place, self.both)
        return shared


class Common(NamedTuple):
    """Two corpora with spans that can be compared, the messages about this, and how their places are counted.

    If the texts were compared, `lost` says which mentions of either side have no counterpart in the text of the other.
    `kept` has for each key document its words, the words up to the last one that the response has, and the words it
    has.
    """

    key: Corpus
    response: Corpus
    issues: list[Issue]
    ground: Ground
    lost: tuple[Bools, Bools] | None = None
    kept: IntArray | None = None


def uncompared(key: Corpus, response: Corpus, pairing: Pairing) -> Common:
    """The same corpora, whose tokens are the same."""
    return Common(key, response, [], Ground(np.ones(len(pairing.documents), dtype=np.int64)))


def by_tokens(key: Corpus, response: Corpus, pairing: Pairing, *, strict: bool = True) -> Common:
    """The same corpora, or, where empty nodes differ, with spans in written tokens. `strict` refuses documents of
    unequal length."""
    as_they_are = uncompared(key, response, pairing)
    if key.unit != response.unit:
        raise InputError(
            f"the key counts {key.unit}s and the response {response.unit}s", file=response.source or None, hint=CARRY
        )
    pairs = matched(pairing)
    ours, theirs = _sizes(key)[pairs[:, 0]], _sizes(response)[pairs[:, 1]]
    unequal = pairs[(ours != theirs) & (ours >= 0) & (theirs >= 0)]
    if _have_empty(key, response, len(unequal) > 0):
        written = [np.diff(written_before(text)[text.first]) for text in (key.text, response.text)]
        unequal = pairs[written[0][pairs[:, 0]] != written[1][pairs[:, 1]]]
        if not len(unequal):
            return _by_written_tokens(key, response, pairs, as_they_are)
    if len(unequal) and strict:
        _refuse(key, response, unequal)
    return as_they_are


def matched(pairing: Pairing) -> IntArray:
    """The paired documents (key, response), as two columns."""
    theirs = np.flatnonzero((pairing.response_row >= 0) & (pairing.response_row < len(pairing.key_row)))
    return np.stack((pairing.response_row[theirs], theirs), axis=1)


def _sizes(corpus: Corpus) -> IntArray:
    return np.array([-1 if d.tokens is None else d.tokens for d in corpus.documents], dtype=np.int64)


def _have_empty(key: Corpus, response: Corpus, unequal: bool) -> bool:
    """Whether there are empty nodes. The text is read only if the tokens do not fit, or if its format has empty
    nodes."""
    if not (key.has_text and response.has_text) or key.unit != "token":
        return False
    return any(c.text.empty is not None for c in (key, response) if unequal or may_have_empty(c))


def may_have_empty(corpus: Corpus) -> bool:
    """Whether a source may have empty nodes. Some formats never have any."""
    if isinstance(corpus.texts, Text):
        return True
    return corpus.format in FORMATS and _has_room(corpus)


def may_have_zeros(corpus: Corpus | None) -> bool:
    """Whether empty nodes are known. A source that has none is not asked for its text."""
    if corpus is None:
        return False
    return corpus.names is None and corpus.unit == "token" and corpus.has_text and may_have_empty(corpus)


def written_before(text: Text) -> IntArray:
    """The number of written tokens before each token, and at the end."""
    written = np.ones(len(text.words), dtype=bool) if text.empty is None else ~text.empty
    return np.concatenate(([0], np.cumsum(written)))


class Places(NamedTuple):
    """Where each token of a text begins and ends, counted in its document in written units (tokens or characters).

    The unit number c is at place c·K + K − 1. A token without a unit, which is the k-th one after c units, is at place
    c·K + k − 1. So it is between two units, and no other token has its place. K, the room, is greater than every k of
    both sides. K is 1 if all tokens are written, and then the places are the numbers of the units.
    """

    first: IntArray
    last: IntArray
    ordinal: IntArray

    @classmethod
    def of(cls, lengths: IntArray, bounds: IntArray) -> Places:
        """From the number of units of each token. Document d has the tokens from bounds[d] to bounds[d + 1] − 1."""
        before = np.concatenate(([0], np.cumsum(lengths)))
        sizes = np.diff(bounds)
        first = before[:-1] - repeat(before[bounds[:-1]], sizes)
        number = np.arange(len(lengths))
        previous = np.maximum.accumulate(np.where(lengths > 0, number, -1))
        previous = np.maximum(previous, repeat(bounds[:-1], sizes) - 1)
        ordinal = np.where(lengths > 0, 0, number - previous)
        return cls(first, first + np.maximum(lengths - 1, 0), ordinal)

    @property
    def room(self) -> int:
        return 1 + int(self.ordinal.max(initial=0))

    def spread(self, room: int) -> tuple[IntArray, IntArray]:
        """The places of the tokens' first and last units."""
        return spread(self.first, self.ordinal, room), spread(self.last, self.ordinal, room)


def spread(units: IntArray, ordinal: IntArray, room: int) -> IntArray:
    places: IntArray = units * room + np.where(ordinal > 0, ordinal, room) - 1
    return places


def _has_room(corpus: Corpus) -> bool:
    """Whether the format can have empty nodes. For input that is not a file, this is not known."""
    return corpus.format not in FORMATS or "zeros" in getattr(FORMATS[corpus.format].module, "HOLDS", ())


def _by_written_tokens(key: Corpus, response: Corpus, pairs: IntArray, as_they_are: Common) -> Common:
    """Spans of the documents whose empty nodes differ, counted in written tokens with places between these."""
    sides = (key, response)
    empty = (_empty_nodes(key.text), _empty_nodes(response.text))
    places = _token_places((key.text, response.text), empty)
    differing = [(k, r) for k, r in pairs.tolist() if _ordinals_differ(key.text, response.text, places, k, r)]
    if not differing:
        return as_they_are
    room = max(p.room for p in places)
    width = (2 + max(int(p.last.max(initial=0)) for p in places)) * room
    moved, codes = [], []
    for s, corpus in enumerate(sides):
        # pairs have the numbers of the key's documents
        pair_of = {pair[s]: pair[0] for pair in differing}
        documents = np.zeros(len(corpus.documents), dtype=bool)
        documents[list(pair_of)] = True
        first, last = places[s].spread(room)
        moved.append(_moved(corpus, first, last, documents))
        codes.append(_codes_of_empty(corpus.text, empty[s], first, pair_of, width))
    if not all(_has_room(corpus) for corpus in sides):  # in a format without empty nodes, none can be missing
        codes = [np.union1d(*codes)] * 2
    rooms = as_they_are.ground.room.copy()
    rooms[[k for k, _ in differing]] = room
    issue = _empty_nodes_differ(key, response, empty, differing)
    return Common(moved[0], moved[1], [issue], Ground(rooms, width, (codes[0], codes[1])))


def _empty_nodes(text: Text) -> Bools:
    """Which tokens are empty nodes."""
    return np.zeros(len(text.words), dtype=bool) if text.empty is None else text.empty


def _token_places(texts: tuple[Text, Text], empty: tuple[Bools, Bools]) -> list[Places]:
    """The places of the tokens of both texts. If the sources number their empty nodes, perhaps with gaps, these numbers
    count."""
    places = [Places.of((~mask).astype(np.int64), text.first) for text, mask in zip(texts, empty, strict=True)]
    if any(text.number is None and text.empty is not None for text in texts):
        return places
    most = 1 + max(int(text.number.max(initial=0)) for text in texts if text.number is not None)
    return [place._replace(ordinal=_by_number(text, most)) for place, text in zip(places, texts, strict=True)]


def _ordinals_differ(key: Text, response: Text, places: Sequence[Places], k: int, r: int) -> bool:
    """Whether the empty nodes of two documents differ."""
    ours, theirs = places[0].ordinal[key.document(k)], places[1].ordinal[response.document(r)]
    return not np.array_equal(ours, theirs)


def _codes_of_empty(text: Text, empty: Bools, first: IntArray, pair_of: Mapping[int, int], width: int) -> IntArray:
    """The codes of the empty nodes of some documents, ascending."""
    codes = [_NONE]
    for document, pair in pair_of.items():
        tokens = text.document(document)
        codes.append(pair * width + first[tokens][empty[tokens]])
    return np.sort(np.concatenate(codes))


def _empty_nodes_differ(
    key: Corpus, response: Corpus, empty: tuple[Bools, Bools], pairs: Sequence[tuple[int, int]]
) -> Issue:
    in_key = sum(int(empty[0][key.text.document(k)].sum()) for k, _ in pairs)
    in_response = sum(int(empty[1][response.text.document(r)].sum()) for _, r in pairs)
    message = (
        f"{counted(pairs, 'document')} with different empty nodes in the response ({in_response}) and the key "
        f"({in_key}): compared by the written tokens"
    )
    places = tuple(response.documents[r].place for _, r in pairs[:PLACES])
    return Issue("empty-nodes", message, len(pairs), places)


def _by_number(text: Text, most: int) -> IntArray:
    """The ordinals of empty nodes by their own numbers. After those of a sentence come those before the words of the
    next.

    They are 0 for written tokens. It can happen that both sides have the second node and only one side has the first.
    """
    if text.number is None or text.empty is None:
        return np.zeros(len(text.words), dtype=np.int64)
    token = np.arange(len(text.words))
    sentence = np.searchsorted(text.sentences, token, side="right") - 1
    start = repeat(text.first[:-1], np.diff(text.first))
    before = np.maximum(np.maximum.accumulate(np.where(text.empty, -1, token)), start)  # the last written token
    return np.where(text.empty, most * (sentence - sentence[before]) + text.number, 0)


def _moved(corpus: Corpus, first: IntArray, last: IntArray, documents: Bools) -> Corpus:
    """The corpus with the spans of some documents given by the places of tokens."""
    offset, moves = corpus.text.first[corpus.doc], documents[corpus.doc]
    parts = dict(corpus.parts)
    for row, pieces in corpus.parts.items():
        if moves[row]:
            o = int(offset[row])
            parts[row] = tuple((int(first[o + a]), int(last[o + b])) for a, b in joined_pieces(pieces))
    head = corpus.head
    if head is not None:
        head = np.where(moves & (head >= 0), first[np.where(head >= 0, offset + head, 0)], head)
    return replace(
        corpus,
        start=np.where(moves, first[offset + corpus.start], corpus.start),
        end=np.where(moves, last[offset + corpus.end], corpus.end),
        parts=parts,
        head=head,
    )


class Divergence(NamedTuple):
    """The first place where two texts differ: the number of the token or character, from 0, and what each side has."""

    unit: str
    number: int
    key: str | None
    response: str | None
    key_place: str
    response_place: str

    def __str__(self) -> str:
        ours, theirs = (
            f"{'missing' if word is None else repr(word[:40])}{f' ({place})' if place else ''}"
            for word, place in ((self.key, self.key_place), (self.response, self.response_place))
        )
        return f"{self.unit} {self.number} is {ours} in the key and {theirs} in the response"


def divergence(key: Corpus, response: Corpus, k: int, r: int) -> Divergence | None:
    """Where a document of the key and one of the response first differ by more than spelling, if both have text."""
    if key.unit != response.unit or not (key.has_text and response.has_text):
        return None
    if _alike(key, response, k, r):
        return None
    sides = [_written(corpus, d) for corpus, d in ((key, k), (response, r))]
    for (i, word), (j, other) in zip_longest(*sides, fillvalue=(-1, None)):
        if word != other and (word is None or other is None or common_spelling(word) != common_spelling(other)):
            places = (token_place(key, k, i), token_place(response, r, j))
            if key.unit == "character":
                word, other = (
                    text[n : n + 20] or None for text in (_raw(key, k), _raw(response, r)) for n in [max(i, j)]
                )
            return Divergence(key.unit, max(i, j), word, other, *places)
    return None


def _alike(key: Corpus, response: Corpus, k: int, r: int) -> bool:
    """Whether two documents have the same words, byte by byte, if that is known without reading them."""
    found: list[bytes | None] = []
    for corpus, d in ((key, k), (response, r)):
        text, words = corpus.text, corpus.text.words
        plain = text.raw is None and text.empty is None and isinstance(words, Unread)
        found.append(words.written(text.document(d)) if plain and isinstance(words, Unread) else None)
    return found[0] is not None and found[0] == found[1]


def other_text(key: Corpus, response: Corpus, pairing: Pairing) -> str:
    """The message about paired documents with different texts. Empty if the texts are the same or unknown."""
    for k, r in matched(pairing).tolist():
        if first := divergence(key, response, k, r):
            return f"the texts of document {key.documents[k].quoted} differ: {first}"
    return ""


def _written(corpus: Corpus, d: int) -> Iterable[tuple[int, str | None]]:
    text = corpus.text
    if text.raw is not None:
        return enumerate(text.raw[d])
    here = text.document(d)
    words = text.words[here]
    if text.empty is None:
        return enumerate(words)
    return ((i, word) for i, (word, empty) in enumerate(zip(words, text.empty[here], strict=True)) if not empty)


def _raw(corpus: Corpus, d: int) -> str:
    return (corpus.text.raw or [""] * (d + 1))[d]


def token_place(corpus: Corpus, d: int, token: int) -> str:
    """The file and line of a token of a document, as far as known."""
    document, text = corpus.documents[d], corpus.text
    if token < 0 or text.line is None:
        return document.file
    return f"{document.file}:{int(text.line[int(text.first[d]) + token])}"


def _refuse(key: Corpus, response: Corpus, unequal: IntArray) -> None:
    k, r = unequal[0].tolist()
    ours, theirs, unit = key.documents[k], response.documents[r], key.unit
    more = f" (and so for {counted(unequal[1:], 'more document')})" if len(unequal) > 1 else ""
    first = divergence(key, response, k, r)
    raise InputError(
        f"document {ours.quoted} has {ours.tokens} {unit}s in the key and {theirs.tokens} in the response{more}"
        + (f"; {first}" if first else ""),
        file=theirs.file or None,
        line=theirs.line or None,
        hint=f"spans are counted in {unit}s, so both sides need the same "
        + ("tokenisation and the whole document" if unit == "token" else "text")
        + f"; {CARRY}",
    )
