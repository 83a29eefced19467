"""What errors and scores are grouped by: properties of mentions, labels of documents, or labels of the user's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ..corpus.model import IntArray
from ..integers import bincount
from ..matching.labels import By, labels_of
from .evidence import Evidence

FIELDS = {
    "type": "name, nominal, pronoun, verb or other, by the tag of its head",
    "length": "words of the mention",
    "size": "mentions of its entity",
    "distance": "sentences since the last mention of its entity (tokens or mentions if the source has no sentences)",
    "position": "quarter of the document",
    "document": "the document",
    "genre": "the first part of the document's name",
    "part": "the part of the document",
    "speaker": "who says it",
    "cause": "wrong, or text lost (its words are not in the text of the other side)",
}
BY_SIDE = ("size", "distance")  # the others are the same for the entities of both sides
CAUSES = ("wrong", "text lost")
_LOW = (0, 1, 2, 3, 4, 5, 10, 20, 50, 100)
_QUARTERS = ("first quarter", "second quarter", "third quarter", "last quarter")

Values: TypeAlias = tuple[IntArray, Sequence[str]]


def values(evidence: Evidence, field: By, side: str) -> Values:
    """For each mention the number of its value, and the values in the order in which they are shown.

    `side` says which side's entities are used. A field that is not in `FIELDS` is an attribute of the mentions, a layer
    of the words (at the head), or labels of documents: see `labels_of`.
    """
    if isinstance(field, str):
        if field in _OF:
            return _OF[field](evidence, side)
        found = _annotated(evidence, field)
        if found is not None:
            return _named(found)
    return _named([labels_of(evidence.documents, field)[row] for row in evidence.row.tolist()])


def _named(found: Sequence[str]) -> Values:
    """Values without a natural order: the frequent ones come first."""
    labels = [value for value, _ in Counter(found).most_common()]
    number = {value: n for n, value in enumerate(labels)}
    return np.array([number[value] for value in found], dtype=np.int64), [value or "none" for value in labels]


def _binned(numbers: IntArray, before: str = "") -> Values:
    """Numbers in bins; −1 is `before`."""
    code = np.searchsorted(_LOW, numbers, side="right")
    spans = [*zip(_LOW, (*(low - 1 for low in _LOW[1:]), None), strict=True)]
    labels = [before, *(str(a) if a == b else f"{a}+" if b is None else f"{a}–{b}" for a, b in spans)]
    return code, labels


def _length(evidence: Evidence, side: str) -> Values:
    return _binned(np.where(evidence.start >= 0, evidence.end - evidence.start + 1, -1), "unknown")


def _entity(evidence: Evidence, side: str) -> IntArray:
    return evidence.alignment.key if side == "key" else evidence.alignment.response


def _size(evidence: Evidence, side: str) -> Values:
    entity = _entity(evidence, side)
    sizes = bincount(entity[entity >= 0], minlength=1)
    return _binned(np.where(entity >= 0, sizes[entity], -1), "none")


def _distance(evidence: Evidence, side: str) -> Values:
    entity, place = _entity(evidence, side), np.arange(len(evidence))
    if evidence.names is None:
        place = evidence.start
        source = evidence.source
        if source.has_text and source.unit == "token" and len(source.text.sentences) > len(source.documents):
            text = source.text
            known = np.searchsorted(text.sentences, evidence.start + text.first[evidence.doc], side="right")
            place = np.where(evidence.doc >= 0, known, place)
    rows = np.flatnonzero(entity >= 0)
    rows = rows[np.argsort(entity[rows], kind="stable")]
    distance = np.full(len(evidence), -1, dtype=np.int64)
    same = (entity[rows][1:] == entity[rows][:-1]) & (evidence.row[rows][1:] == evidence.row[rows][:-1])
    distance[rows[1:][same]] = (place[rows][1:] - place[rows][:-1])[same]
    return _binned(distance, "first mention")


def _position(evidence: Evidence, side: str) -> Values:
    tokens = np.array([d.tokens or 0 for d in evidence.documents], dtype=np.int64)
    if evidence.names is not None or not tokens.all():  # by the order of the mentions
        rows = bincount(evidence.row, minlength=len(evidence.documents))
        order = np.arange(len(evidence)) - (np.cumsum(rows) - rows)[evidence.row]
        return 4 * order // np.maximum(rows[evidence.row], 1), _QUARTERS
    return np.clip(4 * evidence.start // tokens[evidence.row], 0, 3), _QUARTERS


def _annotated(evidence: Evidence, field: str) -> list[str] | None:
    """A mention's attribute, the key's before the response's, or a layer of the words at its head."""
    found: list[str] | None = None
    for side, corpus in (("response", evidence.response), ("key", evidence.key)):
        if field in corpus.attributes:
            values, before = corpus.attributes[field], found or [""] * len(evidence)
            found = [values[at] if at >= 0 else b for at, b in zip(evidence.origin(side).tolist(), before, strict=True)]
    return _layer(evidence, field) if found is None else found


def _layer(evidence: Evidence, field: str) -> list[str] | None:
    source = evidence.source
    if not source.has_text or evidence.by_character or field not in source.text.layers:
        return None
    layer, at = source.text.layers[field], source.text.first[evidence.doc] + evidence.head
    return [layer[t] if d >= 0 else "" for t, d in zip(at.tolist(), evidence.doc.tolist(), strict=True)]


def at_head(evidence: Evidence, field: str, row: int) -> str:
    """The value of one mention in a layer of the words; "" if there is none."""
    source, d = evidence.source, int(evidence.doc[row])
    if d < 0 or not source.has_text or evidence.by_character or field not in source.text.layers:
        return ""
    return source.text.layers[field][int(source.text.first[d] + evidence.head[row])]


_OF: dict[str, Callable[[Evidence, str], Values]] = {
    "type": lambda evidence, side: _named([kind or "unknown" for kind in evidence.types]),
    "length": _length,
    "size": _size,
    "distance": _distance,
    "position": _position,
    "cause": lambda evidence, side: (evidence.lost.astype(np.int64), CAUSES),
    "speaker": lambda evidence, side: _named(_layer(evidence, "speaker") or [""] * len(evidence)),
}
