"""Plain Python objects as a corpus.

[{"a", "b"}, {"c"}]                      clusters; a mention is anything hashable, and [3, 5] counts as a tuple
[[(0, 1), (5, 5)], [(3, 3)]]             clusters of spans
{"a": 1, "b": 1, "c": 2}                 mention → entity
numpy array of labels                    mention p belongs to entity array[p]
{"doc1": clusters or map, "doc2": ...}   several documents
doc, [doc, ...] or {"doc1": doc, ...}    spaCy documents with coreference (formats/spacy.py)
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..corpus.model import Corpus, Document, IntArray
from ..errors import PLACES, InputError, Issue, choose, counted
from ..integers import repeat
from .spacy import from_docs, is_doc


def from_python(source: Any, role: str = "", unlabelled: str = "error") -> Corpus:
    """The corpus of plain Python clusters, maps, label arrays, or a dict of documents of these.

    A mention whose label is None or NaN is an error. If `unlabelled` is "absent", it is left out and reported.
    """
    absent = _Absent(unlabelled)
    if isinstance(source, np.ndarray):
        return _labels(source, role, absent)
    if (docs := _docs(source)) is not None:
        return from_docs(docs, role)
    if isinstance(source, Mapping) and any(_is_collection(value) for value in source.values()):
        parts = [_document(value, role, absent, document) for document, value in source.items()]
        documents = [Document(str(document), tokens=_size(value), file="") for document, value in source.items()]
    else:
        parts, documents = [_document(source, role, absent)], [Document("")]
    whole = parts[0] if len(parts) == 1 else _joined(parts)
    doc = repeat(np.arange(len(parts)), [len(part.names) for part in parts])
    nowhere = np.full(len(whole.names), -1, dtype=np.int64)
    return Corpus(
        documents,
        doc,
        nowhere,
        nowhere,
        whole.entity,
        whole.labels,
        names=whole.names,
        format="python",
        issues=absent.issues(role),
    )


class _Part(NamedTuple):
    """Mentions, the entity number of each, and the entities' labels (a range if they have none)."""

    names: list[Hashable]
    entity: IntArray
    labels: Sequence[Hashable]


def _joined(parts: Sequence[_Part]) -> _Part:
    """Several documents as one. Clusters without labels are never the same entity in two documents."""
    number_of: dict[Hashable, int] = {}
    columns: list[IntArray] = []
    for d, part in enumerate(parts):
        labels = [(d, label) for label in part.labels] if isinstance(part.labels, range) else part.labels
        numbers = np.array([number_of.setdefault(label, len(number_of)) for label in labels], np.int64)
        columns.append(numbers[part.entity] if len(numbers) else part.entity)
    names = list(chain.from_iterable(part.names for part in parts))
    return _Part(names, np.concatenate(columns), list(number_of))


class _Absent:
    """Mentions whose labels are missing: the first is an error, or all are left out and counted."""

    def __init__(self, policy: str) -> None:
        self.policy, self.mentions = choose(policy, ("error", "absent"), "value of unlabelled"), list[Hashable]()

    def add(self, mention: Hashable, label: Any, where: str) -> None:
        if self.policy == "error":
            raise InputError(
                f"{where}: the label of mention {mention!r:.40} is missing ({label!r:.40})",
                hint='unlabelled="absent" leaves such mentions out',
            )
        self.mentions.append(mention)

    def issues(self, role: str) -> tuple[Issue, ...]:
        if not self.mentions:
            return ()
        message = f"{counted(self.mentions, 'mention')} of the {role or 'input'} without a label: left out"
        places = tuple(f"{mention!r:.40}" for mention in self.mentions[:PLACES])
        return (Issue("unlabelled", message, len(self.mentions), places),)


def _missing(label: Any) -> bool:
    """Whether a label is missing: None, NaN, or NA and NaT of pandas."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, float) and label != label


def _size(source: Any) -> int | None:
    """The number of mentions, which is known only for an array."""
    return len(source) if isinstance(source, np.ndarray) else None


def _docs(source: Any) -> dict[str, Any] | None:
    """spaCy documents by name, which is the key of a dict or the place in a list; None if these are not documents."""
    if is_doc(source):
        return {"": source}
    if not isinstance(source, (Mapping, list, tuple)) or not source:
        return None
    named = source.items() if isinstance(source, Mapping) else enumerate(source)
    if not is_doc(next(iter(source.values() if isinstance(source, Mapping) else source))):
        return None
    docs = {str(name): doc for name, doc in named}
    for name, doc in docs.items():
        if not is_doc(doc):
            raise InputError(f"document {name!r:.80} is not a spaCy document as the others are: {type(doc).__name__}")
    return docs


def _document(source: Any, role: str, absent: _Absent, document: Any = None) -> _Part:
    """One document: a map from mention to entity, an array of labels, or clusters."""
    where = f"{role or 'input'}{'' if document is None else f', document {document!r}'}"
    if isinstance(source, Mapping):
        return _of_map(source, where, absent)
    if isinstance(source, np.ndarray):
        return _of_array(source, where, absent)
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise InputError(f"{where}: clusters are expected, not {type(source).__name__}")
    return _of_clusters(list(source), where)


def _of_map(source: Mapping[Any, Any], where: str, absent: _Absent) -> _Part:
    if any(_is_collection(value) for value in source.values()):
        raise InputError(
            f"{where}: a dict must map each mention to its entity here",
            hint="for entity → mentions pass list(d.values()); for several documents {name: clusters}",
        )
    if any(map(_missing, source.values())):
        for mention, label in source.items():
            if _missing(label):
                absent.add(mention, label, where)
        source = {mention: label for mention, label in source.items() if not _missing(label)}
    number_of: dict[Hashable, int] = {}
    labels = (_hashable(label, where) for label in source.values())
    entity = np.fromiter((number_of.setdefault(label, len(number_of)) for label in labels), np.int64, len(source))
    return _Part(list(source), entity, list(number_of))


def _of_array(source: np.ndarray[Any, Any], where: str, absent: _Absent) -> _Part:
    present = _present(source, where, absent)
    entity, labels = _numbered(source[present], where)
    if isinstance(labels, range):  # a range would mean "no labels", but these are labels
        distinct, entity = np.unique(entity, return_inverse=True)
        labels = distinct.tolist()
    names = [*range(len(source))] if isinstance(present, slice) else present.tolist()
    return _Part(names, entity, labels)


def _of_clusters(clusters: list[Any], where: str) -> _Part:
    types = {*map(type, clusters)}
    if not types <= {set, list}:  # the usual types need no check
        _check_clusters(clusters, where)
    names = list(chain.from_iterable(clusters))
    if types != {set}:  # what is in a set can be hashed
        try:
            frozenset(names)
        except TypeError:
            names = [_hashable(name, where) for name in names]
    sizes = np.fromiter(map(len, clusters), np.int64, len(clusters))
    return _Part(names, repeat(np.arange(len(clusters)), sizes), range(len(clusters)))


def _check_clusters(clusters: list[Any], where: str) -> None:
    for cluster in clusters:
        if not _is_collection(cluster):
            raise InputError(
                f"{where}: a cluster must be a set or list of mentions, not {cluster!r:.40}",
                hint="clusters are [{'a', 'b'}, {'c'}]; for a dict entity → mentions pass list(d.values())",
            )
        if type(cluster) is tuple and len(cluster) == 2 and type(cluster[0]) is type(cluster[1]) is int:
            raise InputError(
                f"{where}: a cluster is expected, but {cluster!r} looks like a span",
                hint="clusters are lists of mentions: [[(0, 1), (5, 5)], [(3, 3)]]",
            )


def _labels(labels: np.ndarray[Any, Any], role: str, absent: _Absent) -> Corpus:
    """A label array: mention p is position p."""
    if labels.ndim != 1:
        raise InputError(f"{role or 'input'}: an array of labels must have one dimension, not {labels.ndim}")
    present = _present(labels, role or "input", absent)
    entity, known = _numbered(labels[present], role or "input")
    nowhere = np.broadcast_to(np.int64(-1), len(entity))  # one number in memory for any number of mentions
    names: Sequence[Hashable] = range(len(labels)) if isinstance(present, slice) else present.tolist()
    document = Document("", tokens=_size(labels))
    return Corpus(
        [document],
        np.broadcast_to(np.int64(0), len(entity)),
        nowhere,
        nowhere,
        entity,
        known,
        names,
        format="python",
        issues=absent.issues(role),
    )


def _present(labels: np.ndarray[Any, Any], where: str, absent: _Absent) -> slice | IntArray:
    """The places of an array that have a label: a slice if all have one, otherwise an array."""
    if labels.ndim != 1 or labels.dtype.kind not in "fO":
        return slice(None)
    missing = labels != labels if labels.dtype.kind == "f" else np.fromiter(map(_missing, labels), bool, len(labels))
    for place in np.flatnonzero(missing).tolist():
        absent.add(place, labels[place], where)
    return np.flatnonzero(~missing) if missing.any() else slice(None)


def _numbered(labels: np.ndarray[Any, Any], where: str) -> tuple[IntArray, Sequence[Hashable]]:
    """The number of each label, and the labels; whole numbers from 0 are their own numbers."""
    if labels.ndim != 1:
        raise InputError(f"{where}: an array of labels must have one dimension, not {labels.ndim}")
    if np.issubdtype(labels.dtype, np.integer):
        if not len(labels):
            return labels.astype(np.int64, copy=False), range(0)
        lowest, highest = int(labels.min()), int(labels.max())
        if lowest >= 0 and highest < 2**62:
            return labels.astype(np.int64, copy=False), range(highest + 1)
    if labels.dtype == object:
        number_of: dict[Hashable, int] = {}
        hashable = [_hashable(label, where) for label in labels.tolist()]
        return np.array([number_of.setdefault(x, len(number_of)) for x in hashable], dtype=np.int64), list(number_of)
    distinct, entity = np.unique(labels, return_inverse=True)
    return entity, distinct.tolist()


def _is_collection(value: Any) -> bool:
    return isinstance(value, Collection) and not isinstance(value, (str, bytes))


def _hashable(thing: Any, where: str) -> Hashable:
    """A mention or label, unchanged; lists and arrays, such as spans from neural code, become tuples."""
    if isinstance(thing, np.ndarray):
        thing = thing.tolist()
    if isinstance(thing, list):
        return tuple(_hashable(x, where) for x in thing)
    try:
        hash(thing)
    except TypeError:
        raise InputError(f"{where}: mentions and entities must be hashable, not {thing!r:.40}") from None
    return thing  # type: ignore[no-any-return]
