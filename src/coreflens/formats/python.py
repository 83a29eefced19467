"""Plain Python objects as a corpus. shapes.py has the grammar of what is read, and recognises it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..corpus.model import Corpus, Document, IntArray
from ..errors import PLACES, InputError, Issue, choose, counted
from ..integers import repeat
from .frames import from_table, is_table
from .shapes import Clusters, Found, Part, documents_of
from .spacy import from_docs


def from_python(source: Any, role: str = "", unlabelled: str = "error") -> Corpus:
    """The corpus of clusters, maps, label arrays, documents of these in a list or a dict, or of a table in memory.

    A mention whose label is None or NaN is an error. If `unlabelled` is "absent", it is left out and reported.
    """
    if is_table(source):
        return from_table(source, role, unlabelled)
    absent = _Absent(unlabelled)
    found = documents_of(source, role)
    first = found.parts[0]
    if first.kind == "spacy":
        return from_docs({_name(name): part.value for name, part in zip(found.names, found.parts, strict=True)}, role)
    if first.kind == "labels" and len(found.parts) == 1 and found.names[0] is None:
        return _labels(first.value, role, absent)
    parts = [_of_part(part, _where(role, name), absent) for name, part in zip(found.names, found.parts, strict=True)]
    whole = parts[0] if len(parts) == 1 else _joined(parts)
    doc = repeat(np.arange(len(parts)), [len(part.names) for part in parts])
    nowhere = np.full(len(whole.names), -1, dtype=np.int64)
    return Corpus(
        _documents(found),
        doc,
        nowhere,
        nowhere,
        whole.entity,
        whole.labels,
        names=whole.names,
        format="python",
        issues=found.issues + absent.issues(role),
    )


def _name(name: Any) -> str:
    return "" if name is None else str(name)


def _where(role: str, name: Any) -> str:
    return f"{role or 'input'}{'' if name is None else f', document {name!r}'}"


def _documents(found: Found) -> list[Document]:
    """The documents. The number of mentions is known only for an array."""
    if found.names == [None]:
        return [Document("")]
    documents: list[Document] = []
    for name, part in zip(found.names, found.parts, strict=True):
        size = len(part.value) if part.kind == "labels" else None
        documents.append(Document(_name(name), tokens=size, file=""))
    return documents


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


def _of_part(part: Part, where: str, absent: _Absent) -> _Part:
    """One document: a map from mention to entity, an array of labels, or clusters."""
    if part.kind == "map":
        return _of_map(part.value, where, absent)
    if part.kind == "labels":
        return _of_array(part.value, where, absent)
    return _of_clusters(part.value)


def _of_map(source: Mapping[Any, Any], where: str, absent: _Absent) -> _Part:
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


def _of_clusters(clusters: Clusters) -> _Part:
    sizes = np.array(clusters.sizes, np.int64)
    return _Part(clusters.names, repeat(np.arange(len(sizes)), sizes), range(len(sizes)))


def _labels(labels: np.ndarray[Any, Any], role: str, absent: _Absent) -> Corpus:
    """A label array: mention p is position p."""
    present = _present(labels, role or "input", absent)
    entity, known = _numbered(labels[present], role or "input")
    nowhere = np.broadcast_to(np.int64(-1), len(entity))  # one number in memory for any number of mentions
    names: Sequence[Hashable] = range(len(labels)) if isinstance(present, slice) else present.tolist()
    document = Document("", tokens=len(labels))
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
    if labels.dtype.kind not in "fO":
        return slice(None)
    missing = labels != labels if labels.dtype.kind == "f" else np.fromiter(map(_missing, labels), bool, len(labels))
    for place in np.flatnonzero(missing).tolist():
        absent.add(place, labels[place], where)
    return np.flatnonzero(~missing) if missing.any() else slice(None)


def _numbered(labels: np.ndarray[Any, Any], where: str) -> tuple[IntArray, Sequence[Hashable]]:
    """The number of each label, and the labels; whole numbers from 0 are their own numbers."""
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


def _hashable(thing: Any, where: str) -> Hashable:
    """A label, unchanged; lists and arrays become tuples."""
    if isinstance(thing, np.ndarray):
        thing = thing.tolist()
    if isinstance(thing, list):
        return tuple(_hashable(x, where) for x in thing)
    try:
        hash(thing)
    except TypeError:
        raise InputError(f"{where}: entities must be hashable, not {thing!r:.40}") from None
    return thing  # type: ignore[no-any-return]
