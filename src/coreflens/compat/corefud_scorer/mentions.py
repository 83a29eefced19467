"""Mentions as corefud-scorer sees them: words by sentence and number, `5.10` read as the number 5.1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...corpus.model import Corpus, IntArray, Text
from ...integers import bincount
from ...matching.mentions import Side
from ...matching.zeros import Dependencies, dependencies, zeros

Word: TypeAlias = tuple[int, float]
Clusters: TypeAlias = list[list["Mention"]]


class Mention:
    """A mention; equal to one with the same words and, in head match, the same head.

    Its hash is the original's, so that sets of mentions have the same order, which decides ties.
    """

    __slots__ = ("_hash", "_head", "dependencies", "head", "row", "set", "words", "zero")

    def __init__(
        self, row: int, words: list[Word], head: Word, zero: bool, depends: Dependencies | None, with_head: bool
    ) -> None:
        self.row, self.words, self.head, self.zero, self.dependencies = row, words, head, zero, depends
        self.set = frozenset(words)
        self._head = head if with_head else None
        self._hash = hash((self.set, frozenset((head,)))) if with_head else hash(self.set)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mention) and self.words == other.words and self._head == other._head

    @property
    def order(self) -> tuple[Word, Word, int]:
        return self.words[0], self.words[-1], len(self.words)


def clusters(corpus: Corpus, with_head: bool, singletons: bool, wanted: IntArray | None = None) -> list[Clusters]:
    """The entities of each document, or of the wanted ones alone, in the order in which udapi has them."""
    entities = _entities(corpus, with_head, _rows(corpus, singletons, wanted))
    for members in entities.values():
        members.sort(key=_place)
    labels = corpus.labels
    ordered = sorted(entities, key=lambda e: (*_place(entities[e][0]), str(labels[e])))
    documents: list[dict[int, list[Mention]]] = [{} for _ in corpus.documents]
    for entity in ordered:
        for mention in entities[entity]:
            documents[int(corpus.doc[mention.row])].setdefault(entity, []).append(mention)
    distinct = [[list(dict.fromkeys(members)) for members in document.values()] for document in documents]
    if singletons:
        return distinct
    return [[cluster for cluster in document if len(cluster) > 1] for document in distinct]


def _rows(corpus: Corpus, singletons: bool, wanted: IntArray | None) -> IntArray:
    """The mentions that can be in the clusters of the wanted documents."""
    rows = np.arange(len(corpus))
    if not singletons:  # an entity of one mention is gone anyway
        size = bincount(corpus.entity, minlength=len(corpus.labels))
        rows = np.flatnonzero(size[corpus.entity] >= 2)
    if wanted is None:
        return rows
    # an entity belongs to the place of its first mention, in any document
    wanted_entities = corpus.entity[np.isin(corpus.doc, wanted)]
    return rows[np.isin(corpus.entity[rows], wanted_entities)]


def _entities(corpus: Corpus, with_head: bool, rows: IntArray) -> dict[int, list[Mention]]:
    """The mentions in these rows, by entity."""
    side = Side.of(corpus, np.arange(len(corpus.documents)))
    is_zero = zeros(side)
    zero_rows = np.flatnonzero(is_zero)
    depends: dict[int, Dependencies] = {}
    if len(zero_rows):
        depends = dict(zip(zero_rows.tolist(), dependencies(side, zero_rows), strict=True))
    entities: dict[int, list[Mention]] = {}
    for row, entity, words, head in _words(corpus, _numbers(corpus.text), rows):
        mention = Mention(row, words, head, bool(is_zero[row]), depends.get(row), with_head)
        entities.setdefault(entity, []).append(mention)
    return entities


def _place(mention: Mention) -> tuple[Word, int, Word]:
    """udapi's order of mentions: by the first word, the longer one first."""
    return mention.words[0], -len(mention.words), mention.words[-1]


def _numbers(text: Text) -> tuple[IntArray, list[float]]:
    """The sentence of each token, from 1, and its number in it; an empty node's is what its id is as a decimal."""
    token = np.arange(len(text.words))
    sentence = np.searchsorted(text.sentences, token, side="right")
    empty = np.zeros(len(token), dtype=bool) if text.empty is None else text.empty
    written = np.cumsum(~empty)
    first = text.sentences[sentence - 1]
    number = written - written[first] + ~empty[first]
    minor = _minor(text, empty, first)
    ids: list[float] = number.tolist()
    for t in np.flatnonzero(empty).tolist():
        ids[t] = float(f"{ids[t]}.{minor[t]}")
    return sentence, ids


def _minor(text: Text, empty: npt.NDArray[np.bool_], first: IntArray) -> IntArray:
    """The number after the dot in the id of an empty node; `first` is the first token of the sentence of each."""
    if text.number is not None:
        return text.number
    token = np.arange(len(empty))
    return token - np.maximum(np.maximum.accumulate(np.where(empty, -1, token)), first - 1)


def misread(text: Text) -> IntArray:
    """The documents with an empty node `x.10` or beyond, which is taken for `x.1`."""
    if text.empty is None or not text.empty.any():
        return np.zeros(0, dtype=np.int64)
    token = np.arange(len(text.empty))
    first = text.sentences[np.searchsorted(text.sentences, token, side="right") - 1]
    found = np.flatnonzero(text.empty & (_minor(text, text.empty, first) >= 10))
    return np.unique(np.searchsorted(text.first, found, side="right") - 1)


def _words(
    corpus: Corpus, numbers: tuple[IntArray, list[float]], rows: IntArray
) -> Iterator[tuple[int, int, list[Word], Word]]:
    """Row, entity, words and head of some mentions."""
    sentence, ids = numbers[0].tolist(), numbers[1]
    first = corpus.text.first
    columns = (corpus.doc[rows], corpus.entity[rows])
    for row, document, entity in zip(rows.tolist(), *(column.tolist() for column in columns), strict=True):
        offset = int(first[document])
        tokens = [offset + token for a, b in corpus.pieces(row) for token in range(a, b + 1)]
        words = sorted((sentence[t], ids[t]) for t in tokens)
        head = -1 if corpus.head is None else int(corpus.head[row])
        token = offset + head if head >= 0 else tokens[0]
        yield row, entity, words, (sentence[token], ids[token])
