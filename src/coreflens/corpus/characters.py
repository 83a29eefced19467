"""From characters to tokens and back, if a format counts one and a corpus counts the other.

    tokenised   words and punctuation of the raw text, also cut where a mention begins or ends, one sentence per line
    written     words joined by blanks, sentences by line breaks

Neither loses a mention. Layers belong to tokens, so a corpus in characters has none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

import numpy as np
import numpy.typing as npt

from ..integers import repeat
from .model import Corpus, IntArray, Span, Text
from .spans import discontinuous_rows, joined_pieces

_WORD = re.compile(r"\w+|[^\w\s]")
NOTHING = "_"  # the word of a token that has no written form


def tokenised(corpus: Corpus) -> Corpus:
    """The corpus counted in tokens; unchanged if it already counts tokens.

    A mention that has only blanks becomes a mention of an empty token in this place.
    """
    if corpus.unit == "token":
        return corpus
    tokens = _Tokens()
    start, end = corpus.start.copy(), corpus.end.copy()
    head = None if corpus.head is None else corpus.head.copy()
    parts: dict[int, tuple[Span, ...]] = {}
    discontinuous = discontinuous_rows(corpus)
    for d, raw in enumerate(corpus.text.raw or ()):
        here = slice(*corpus.bounds[d : d + 2].tolist())
        rows = discontinuous.get(d, [])
        pieces = [piece for row in rows for piece in corpus.parts[row]]
        whole = np.stack((start[here], end[here]), axis=1)
        spans = np.concatenate((whole, np.array(pieces, dtype=np.int64).reshape(-1, 2)))
        begin, stop, blank = _cut(raw, spans)
        # the first token that stops after the start, the last that begins before the end
        first = np.searchsorted(stop, spans[:, 0], side="right")
        last = np.searchsorted(begin, spans[:, 1], side="right") - 1
        start[here], end[here] = first[: len(whole)], last[: len(whole)]
        moved_pieces = zip(first[len(whole) :].tolist(), last[len(whole) :].tolist(), strict=True)
        for row in rows:
            joined = joined_pieces((a, b) for a, b in islice(moved_pieces, len(corpus.parts[row])) if a <= b)
            if len(joined) > 1:
                parts[row] = joined
        if head is not None:
            token = np.minimum(np.searchsorted(stop, head[here], side="right"), len(stop) - 1)
            head[here] = np.where(head[here] >= 0, token, -1)
        tokens.add(raw, begin, stop, blank)
    text = tokens.text()
    return _with(corpus, text, "token", start, end, parts, head, np.diff(text.first))


class _Tokens:
    """The tokens of documents, one after the other."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.empty: list[bool] = []
        self.first = [0]
        self.sentences: list[int] = []

    def add(self, raw: str, begin: IntArray, stop: IntArray, blank: npt.NDArray[np.bool_]) -> None:
        """The tokens of one document."""
        self.sentences += (_line_starts(raw, begin) + len(self.words)).tolist()
        for i, j, is_blank in zip(begin.tolist(), stop.tolist(), blank.tolist(), strict=True):
            self.words.append(NOTHING if is_blank else raw[i:j])
        self.empty += blank.tolist()
        self.first.append(len(self.words))

    def text(self) -> Text:
        return Text(
            self.words,
            np.array(self.first, dtype=np.int64),
            np.array(self.sentences, dtype=np.int64),
            empty=np.array(self.empty, dtype=bool) if any(self.empty) else None,
        )


def _cut(raw: str, spans: IntArray) -> tuple[IntArray, IntArray, npt.NDArray[np.bool_]]:
    """Where each token begins and stops (exclusive), and which tokens have only blanks because a mention does."""
    found = np.array([m.span() for m in _WORD.finditer(raw)], dtype=np.int64).reshape(-1, 2)
    solid = np.concatenate(([0], np.cumsum(_covered(found, len(raw)))))  # characters of words before each
    hollow = spans[solid[spans[:, 1] + 1] == solid[spans[:, 0]]] + (0, 1)
    cuts = np.unique(np.concatenate((found.ravel(), spans[:, 0], spans[:, 1] + 1)))
    begin, stop = cuts[:-1], cuts[1:]
    in_words = solid[stop] > solid[begin]
    kept = in_words | _covered(hollow, len(raw))[begin]
    return begin[kept], stop[kept], ~in_words[kept]


def _covered(stretches: IntArray, size: int) -> npt.NDArray[np.bool_]:
    """Which characters are in one of the stretches (begin, stop)."""
    change = np.zeros(size + 1, dtype=np.int64)
    np.add.at(change, stretches[:, 0], 1)
    np.add.at(change, stretches[:, 1], -1)
    covered: npt.NDArray[np.bool_] = np.cumsum(change)[:-1] > 0
    return covered


def _line_starts(raw: str, begin: IntArray) -> IntArray:
    """The first token of each line that has any."""
    breaks = np.array([m.start() for m in re.finditer("\n", raw)], dtype=np.int64)
    line = np.searchsorted(breaks, begin)
    return np.flatnonzero(np.concatenate(([True], line[1:] != line[:-1]))) if len(line) else line


def written(corpus: Corpus) -> Corpus:
    """The corpus counted in characters of a text with blanks between words and line breaks between sentences.

    It is unchanged if it already counts characters. Tokens without a written form are also written, so that mentions
    of them are not lost.
    """
    if corpus.unit == "character":
        return corpus
    text = corpus.text
    words = [word.replace("\n", " ") or NOTHING for word in text.words]
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    before = np.concatenate(([0], np.cumsum(lengths + 1)))  # a separator follows each word
    begin = before[:-1] - repeat(before[text.first[:-1]], np.diff(text.first))
    stop = begin + lengths - 1
    separators = np.full(len(words), " ", dtype="U1")
    starts = text.sentences[text.sentences > 0]
    separators[starts - 1] = "\n"
    pieces = list(chain.from_iterable(zip(words, separators.tolist(), strict=True)))
    documents = [text.document(d) for d in range(len(corpus.documents))]
    raws = ["".join(pieces[2 * d.start : 2 * d.stop - 1]) if d.stop > d.start else "" for d in documents]
    offset = text.first[corpus.doc]
    parts = {
        row: tuple((int(begin[o + a]), int(stop[o + b])) for a, b in joined_pieces(spans))
        for row, spans in corpus.parts.items()
        for o in (int(offset[row]),)
    }
    head = corpus.head
    if head is not None:
        head = np.where(head >= 0, begin[np.where(head >= 0, offset + head, 0)], -1)
    nowhere = np.zeros(0, dtype=np.int64)
    characters = Text([], np.zeros(len(corpus.documents) + 1, dtype=np.int64), nowhere, raw=raws)
    start, end = begin[offset + corpus.start], stop[offset + corpus.end]
    return _with(corpus, characters, "character", start, end, parts, head, [len(raw) for raw in raws])


def _with(
    corpus: Corpus,
    text: Text,
    unit: str,
    start: IntArray,
    end: IntArray,
    parts: Mapping[int, tuple[Span, ...]],
    head: IntArray | None,
    sizes: Sequence[int] | IntArray,
) -> Corpus:
    documents = [d._replace(tokens=int(n)) for d, n in zip(corpus.documents, sizes, strict=True)]
    return replace(corpus, documents=documents, start=start, end=end, parts=parts, head=head, texts=text, unit=unit)
