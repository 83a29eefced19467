"""Typed errors by the procedure of Kummerfeld & Klein (2013, "Error-Driven Analysis of Challenges in Coreference
Resolution"), on arrays.

Spans are corrected first. Then every response entity is divided into pieces: its intersections with key entities, and
each of its spurious mentions alone. Each missing mention is also a piece. One of the pieces of a key or response entity
represents the entity: the piece with its anchor. The anchor is the first mention that is not a pronoun, or the first
mention if all are pronouns. Every other piece is an error:

    extra entity       the spurious mentions of a response entity that has no other mentions, or only pronouns: two or
                       more, or the one of a singleton
    missing entity     a key entity of which two or more mentions (or the only one) are missing, and of which nothing or
                       only pronouns are found
    conflated entities a piece of a response entity that belongs to another key entity than the anchor
    extra mention      a spurious mention in an entity that exists
    divided entity     a piece of a key entity that the response has in another entity than its anchor
    missing antecedent a piece of a key entity whose anchor the response lacks
    missing mention    a missing mention of an entity that was found

Kummerfeld & Klein call a missing antecedent a divided entity. It is corrected in the same way, but nothing was divided.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..integers import bincount, repeat
from .evidence import Evidence

BoolArray: TypeAlias = npt.NDArray[np.bool_]

# In the order in which they are corrected.
CLASSES = (
    "span error",
    "conflated entities",
    "extra mention",
    "extra entity",
    "divided entity",
    "missing antecedent",
    "missing mention",
    "missing entity",
)
(
    SPAN,
    CONFLATED,
    EXTRA_MENTION,
    EXTRA_ENTITY,
    DIVIDED,
    MISSING_ANTECEDENT,
    MISSING_MENTION,
    MISSING_ENTITY,
) = range(len(CLASSES))
ON_RESPONSE = (CONFLATED, EXTRA_MENTION, EXTRA_ENTITY)  # errors of response entities; the others are of key entities
APART = (DIVIDED, MISSING_ANTECEDENT)  # corrected by merging a piece with the anchor, which is added if missing


class Spans(NamedTuple):
    """Response mentions with wrong spans (rows), and the key mentions (rows) that they should be."""

    wrong: IntArray
    right: IntArray


@dataclass(frozen=True, eq=False)
class Errors:
    """All errors as columns, by class. Error e has the mentions rows[first[e]:first[e + 1]], in the order of the text.

    `entity` is a response entity if a response entity is wrong (`ON_RESPONSE`), and otherwise a key entity. `column` is
    the entity of each mention in the response with corrected spans. `anchor` and `response_anchor` are the anchors of
    the entities. `stranded` are the spurious anchors of response entities: they are removed when nothing else is left
    of their entity.
    """

    kind: IntArray
    entity: IntArray
    rows: IntArray
    first: IntArray
    column: IntArray
    spans: Spans
    anchor: IntArray
    response_anchor: IntArray
    stranded: IntArray

    def __len__(self) -> int:
        return len(self.kind)

    def of(self, error: int) -> IntArray:
        """The mentions of an error. A span error has the response's mention, then the key's."""
        return self.rows[self.first[error] : self.first[error + 1]]

    @cached_property
    def lead(self) -> IntArray:
        """The first mention of each error. For span errors, it is the one with the right span."""
        return np.where(self.kind == SPAN, self.rows[self.first[1:] - 1], self.rows[self.first[:-1]])

    @cached_property
    def anchors(self) -> IntArray:
        """The anchor of the entity of each error."""
        on_response = np.isin(self.kind, ON_RESPONSE)
        anchors = np.zeros(len(self), dtype=np.int64)
        anchors[on_response] = self.response_anchor[self.entity[on_response]]
        anchors[~on_response] = self.anchor[self.entity[~on_response]]
        return anchors

    @cached_property
    def sizes(self) -> IntArray:
        """The number of mentions of each error."""
        return np.where(self.kind == SPAN, 1, np.diff(self.first))


def classify(evidence: Evidence) -> Errors:
    """The errors of a response. Lists by entity have one additional place at the end, for −1, "none"."""
    key, spans = evidence.attainable, _spans(evidence)
    column = evidence.alignment.response.copy()
    column[spans.right], column[spans.wrong] = column[spans.wrong], -1
    keys, responses = len(evidence.alignment.key_block), len(evidence.alignment.response_block)
    row = np.arange(len(key))
    twin, missing, spurious = (key >= 0) & (column >= 0), (key >= 0) & (column < 0), (key < 0) & (column >= 0)

    cell = np.where(twin, key * max(responses, 1) + column, -1 - row)
    _, first, piece, size = np.unique(cell, return_index=True, return_inverse=True, return_counts=True)
    piece, size = first[piece], size[piece]  # a piece is named by its first mention
    a, b = _tally(key >= 0, key, keys), _tally(column >= 0, column, responses)
    key_anchor, response_anchor = (_anchors(e, n, evidence.pronoun) for e, n in ((key, keys), (column, responses)))

    solid = twin & ~evidence.pronoun  # an entity with such a mention was found
    absent = (_tally(solid, key, keys) == 0) & _several(_tally(missing, key, keys), a)
    invented = (_tally(solid, column, responses) == 0) & _several(_tally(spurious, column, responses), b)

    split = twin & (size != b[column]) & (piece != piece[response_anchor[column]])
    merged = twin & (size != a[key]) & (piece != piece[key_anchor[key]])
    anchored = column[key_anchor[key]] >= 0
    single = spurious & ~invented[column]
    found = (
        (np.stack(spans, axis=1).reshape(-1), np.full(len(spans.right), 2), key[spans.right]),
        _sets(split, piece, column),
        _sets(single & (row != response_anchor[column]), row, column),
        _sets(spurious & invented[column], response_anchor[column], column),
        _sets(merged & anchored, piece, key),
        _sets(merged & ~anchored, piece, key),
        _sets(missing & ~absent[key] & (row != key_anchor[key]), row, key),
        _sets((key >= 0) & absent[key], key_anchor[key], key),
    )
    return Errors(
        kind=repeat(np.arange(len(CLASSES)), [len(sizes) for _, sizes, _ in found]),
        entity=np.concatenate([entity for _, _, entity in found]),
        rows=np.concatenate([rows for rows, _, _ in found]),
        first=np.concatenate(([0], np.cumsum(np.concatenate([sizes for _, sizes, _ in found])))),
        column=column,
        spans=spans,
        anchor=key_anchor[:-1],
        response_anchor=response_anchor[:-1],
        stranded=np.flatnonzero(single & (row == response_anchor[column])),
    )


def _tally(member: BoolArray, entity: IntArray, entities: int) -> IntArray:
    """How many of the marked mentions each entity has."""
    return bincount(entity[member], minlength=entities + 1)


def _several(gone: IntArray, size: IntArray) -> BoolArray:
    several: BoolArray = (gone > 1) | ((gone == 1) & (size == 1))
    return several


def _anchors(entity: IntArray, entities: int, pronoun: BoolArray) -> IntArray:
    """The first mention of each entity that is not a pronoun, or else its first mention."""
    n = len(entity)
    best = np.full(entities + 1, 2 * n, dtype=np.int64)
    member = np.flatnonzero(entity >= 0)
    np.minimum.at(best, entity[member], pronoun[member] * n + member)
    return np.where(best < 2 * n, best % max(n, 1), -1)


def _sets(member: BoolArray, group: IntArray, entity: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Mentions by group, in the order of the text; the sizes of the groups; the entity of each."""
    rows = np.flatnonzero(member)
    rows = rows[np.argsort(group[rows], kind="stable")]
    _, first, sizes = np.unique(group[rows], return_index=True, return_counts=True)
    return rows, sizes, entity[rows[first]]


def _spans(evidence: Evidence) -> Spans:
    """Twinless mentions of both sides that differ only in their borders.

    First come those that are equal without a leading "the", a trailing "'s" and tokens of one sign at either end. Then
    come those that share their head with only one mention of the other side.
    """
    m = evidence.alignment
    spurious = np.flatnonzero((m.key < 0) & (m.response >= 0))
    missing = np.flatnonzero((evidence.attainable >= 0) & (m.response < 0))
    none = Spans(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    if evidence.by_character or not len(spurious) or not len(missing):
        return none
    alike = _alike(evidence, spurious, missing) if evidence.source.has_text else none
    wrong, right = np.setdiff1d(spurious, alike.wrong), np.setdiff1d(missing, alike.right)
    place = evidence.row * (1 + int(evidence.head.max())) + evidence.head
    wrong, right = (rows[_once(place[rows])] for rows in (wrong, right))
    _, at_wrong, at_right = np.intersect1d(place[wrong], place[right], return_indices=True)
    wrong, right = np.append(alike.wrong, wrong[at_wrong]), np.append(alike.right, right[at_right])
    order = np.argsort(wrong)
    return Spans(wrong[order], right[order])


def _alike(evidence: Evidence, spurious: IntArray, missing: IntArray) -> Spans:
    """The mentions of both sides that are equal without the words in which spans often differ: the first with the
    first, the second with the second, and so on."""
    rows = np.concatenate((spurious, missing))
    start, end = _trimmed(evidence, rows)
    document, ours = evidence.row[rows], np.arange(len(rows)) < len(spurious)
    order = np.lexsort((ours, end, start, document))
    code = np.stack((document, start, end, ours))[:, order]
    new = (np.diff(code, axis=1, prepend=-1) != 0).any(axis=0)
    turn = np.arange(len(rows)) - np.flatnonzero(new)[np.cumsum(new) - 1]
    span = np.cumsum((np.diff(code[:3], axis=1, prepend=-1) != 0).any(axis=0))
    name = span * len(rows) + turn
    ours, rows = ours[order], rows[order]
    _, wrong, right = np.intersect1d(name[ours], name[~ours], assume_unique=True, return_indices=True)
    return Spans(rows[ours][wrong], rows[~ours][right])


def _once(values: IntArray) -> BoolArray:
    """Which of the values occur only once."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    once: BoolArray = counts[inverse] == 1
    return once


def _trimmed(evidence: Evidence, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Start and end of mentions without the words in which spans often differ."""
    words, doc = evidence.source.text.words, evidence.doc[rows]
    start, end = evidence.start[rows], evidence.end[rows]
    offset = evidence.source.text.first[doc]
    for border, step, article in ((start, 1, "the"), (end, -1, "'s")):
        known: dict[str, bool] = {}
        left = np.flatnonzero(doc >= 0)
        while len(left := left[start[left] < end[left]]):
            here = [words[token] for token in (offset + border)[left].tolist()]
            known |= {word: _negligible(word, article) for word in {*here} - known.keys()}
            left = left[np.fromiter(map(known.__getitem__, here), bool, len(here))]
            border[left] += step
    return start, end


def _negligible(word: str, article: str) -> bool:
    return word.lower() == article or (len(word) == 1 and not word.isalpha())
