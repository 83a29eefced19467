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
from typing import Any

import numpy as np

from ..corpus.model import Corpus, Document, IntArray
from ..errors import PLACES, InputError, Issue, choose, counted
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
    if len(parts) == 1:
        names, entity, labels = parts[0]
        doc = np.zeros(len(names), dtype=np.int64)
    else:
        names = list(chain.from_iterable(part[0] for part in parts))
        doc = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        known: dict[Hashable, int] = {}
        numbers = [
            # clusters without labels are never the same entity in two documents
            np.array(
                [known.setdefault((d, x) if isinstance(part[2], range) else x, len(known)) for x in part[2]], np.int64
            )
            for d, part in enumerate(parts)
        ]
        entity = np.concatenate([n[part[1]] if len(n) else part[1] for n, part in zip(numbers, parts, strict=True)])
        labels = list(known)
    nowhere = np.full(len(names), -1, dtype=np.int64)
    return Corpus(
        documents, doc, nowhere, nowhere, entity, labels, names=names, format="python", issues=absent.issues(role)
    )


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
        what = f"{counted(self.mentions, 'mention')} of the {role or 'input'} without a label: left out"
        return (Issue("unlabelled", what, len(self.mentions), tuple(f"{m!r:.40}" for m in self.mentions[:PLACES])),)


def _missing(label: Any) -> bool:
    """Whether a label is missing: None, NaN, or NA and NaT of pandas."""
    return (
        label is None or type(label).__name__ in ("NAType", "NaTType") or (isinstance(label, float) and label != label)
    )


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


def _document(
    source: Any, role: str, absent: _Absent, document: Any = None
) -> tuple[list[Hashable], IntArray, Sequence[Hashable]]:
    """Mentions, the entity number of each, and the entities' labels (a range if they have none)."""
    where = f"{role or 'input'}{'' if document is None else f', document {document!r}'}"
    if isinstance(source, Mapping):
        if any(_is_collection(value) for value in source.values()):
            raise InputError(
                f"{where}: a dict must map each mention to its entity here",
                hint="for entity → mentions pass list(d.values()); for several documents {name: clusters}",
            )
        known: dict[Hashable, int] = {}
        if any(map(_missing, source.values())):
            for mention, label in source.items():
                if _missing(label):
                    absent.add(mention, label, where)
            source = {mention: label for mention, label in source.items() if not _missing(label)}
        entities = (_hashable(e, where) for e in source.values())
        entity = np.fromiter((known.setdefault(e, len(known)) for e in entities), np.int64, len(source))
        return list(source), entity, list(known)
    if isinstance(source, np.ndarray):
        present = _present(source, where, absent)
        entity, labels = _numbered(source[present], where)
        if isinstance(labels, range):  # a range would mean "no labels", but these are labels
            distinct, entity = np.unique(entity, return_inverse=True)
            labels = distinct.tolist()
        names = [*range(len(source))] if isinstance(present, slice) else present.tolist()
        return names, entity, labels
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise InputError(f"{where}: clusters are expected, not {type(source).__name__}")
    clusters = list(source)
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
    return names, np.repeat(np.arange(len(clusters)), sizes), range(len(clusters))


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
    whole = np.issubdtype(labels.dtype, np.integer)
    if whole and (not len(labels) or 0 <= int(labels.min()) <= int(labels.max()) < 2**62):
        return labels.astype(np.int64, copy=False), range(int(labels.max()) + 1 if len(labels) else 0)
    if labels.dtype == object:
        known: dict[Hashable, int] = {}
        given = [_hashable(x, where) for x in labels.tolist()]
        return np.array([known.setdefault(x, len(known)) for x in given], dtype=np.int64), list(known)
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
