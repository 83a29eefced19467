"""The shapes of Python data: the grammar, and the one place that recognises it. Any other nesting is refused.

    input     = document | documents | table
    documents = {name: document, ...} | [document, ...]             a list names its documents 0, 1, ...
    document  = clusters | map | labels | spaCy document
    clusters  = [cluster, ...]                                      also a tuple, an iterator, a set of frozensets
    cluster   = {mention, ...} | [mention, ...] | (mention, ...)
    mention   = name | (start, end) | ((start, end), (start, end), ...) | (name, number, ...)
    map       = {mention: entity, ...}
    labels    = a 1-dimensional array: mention p belongs to entity array[p]
    table     = DataFrame | Arrow table | [record, ...] | {column: values, ...}        (formats/frames.py)

A name is anything hashable that is not a collection: text, a number, an object. A span may also be a list
of two whole numbers, as in JSON. In a set and as the key of a map, any hashable value is a mention, such as ("a", "b").
A document is of one kind in itself: a dict within a list is a map or a record, and never a cluster.

What could be read in two ways is refused, and the message says how to write either:

    [[((0, 1), (3, 4))]]      a list of documents with clusters of spans, or one document with mentions in pieces
    [[("a", "b")]]            a list of documents with clusters of names, or one document with pairs of names
    [[(0, 1, 2)]]             a list of documents with clusters of numbers, or one document with triples
    [array([1, 1, 2])]        a document with labels, or a cluster of numbers
    {"mention": "x", "entity": "y"}    a map of two mentions, or one record of a table

A value of a dict of documents is one document. So there, clusters may have mentions in pieces or of any tuple. If all
its clusters are lists of two numbers, as in {"e": [[0, 1], [5, 5]]}, a note says that they are not read as spans.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import Any, Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np

from ..errors import PLACES, InputError, Issue
from .spacy import is_doc

Kind: TypeAlias = Literal["clusters", "map", "labels", "spacy"]

SHAPES = "docs/shapes.md lists the shapes"
_CONTAINERS = (list, tuple, set, frozenset)
_SEQUENCES = (list, tuple)
_FLAT = "clusters are [{'a', 'b'}, {'c'}]; labels are an array; for a dict entity → mentions give list(d.values())"
_BATCH = "for several documents give {name: clusters}"
_ONE = "for one document give its clusters as sets"


class Clusters(NamedTuple):
    """The mentions of all clusters one after another, and the number of mentions of each cluster."""

    names: list[Hashable]
    sizes: list[int]


class Part(NamedTuple):
    """A document: `Clusters`, a map from mention to entity, an array of labels, or a document of spaCy."""

    kind: Kind
    value: Any


class Found(NamedTuple):
    """The documents of an input by their names; a single document without a name has None."""

    names: list[Any]
    parts: list[Part]
    issues: tuple[Issue, ...] = ()


def documents_of(source: Any, role: str = "") -> Found:
    """The documents in Python data that is not a table. Every other nesting is an InputError."""
    where = role or "input"
    source = _array_of(source, where)
    if isinstance(source, np.ndarray) or is_doc(source):
        return Found([None], [document_of(source, where)])
    if isinstance(source, Mapping):
        return _of_mapping(source, where)
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        _refuse(where, f"clusters are expected, not {type(source).__name__}")
    return _of_list(list(source), where)


def document_of(source: Any, where: str) -> Part:
    """One document, where it is known to be one."""
    source = _array_of(source, where)
    if isinstance(source, np.ndarray):
        if source.ndim != 1:
            _refuse(where, f"an array of labels must have one dimension, not {source.ndim}")
        return Part("labels", source)
    if is_doc(source):
        return Part("spacy", source)
    if isinstance(source, Mapping):
        return Part("map", _map(source, where))
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        _refuse(where, f"clusters are expected, not {type(source).__name__}")
    items = list(source)
    found = _usual(items, where) or _deep(items, where, alone=True)
    if isinstance(found, str):
        flat = not any(map(_is_collection, items))
        _refuse(where, found, f"for entity → mentions give list(d.values()); {_BATCH}" if flat else _BATCH)
    return Part("clusters", found)


def clusters_of(source: Any, where: str) -> list[tuple[Hashable, ...]]:
    """One document as tuples of mentions, for classes that work on clusters."""
    part = document_of(source, where)
    if part.kind != "clusters":
        _refuse(where, f"the clusters of one document are expected, not {type(source).__name__}")
    clusters: Clusters = part.value
    names = iter(clusters.names)
    return [tuple(next(names) for _ in range(size)) for size in clusters.sizes]


def batch_of(source: Any, where: str) -> list[Any]:
    """The documents of a batch, where a list of documents is asked for. A single document is refused."""
    if isinstance(source, (str, bytes, Mapping)) or not isinstance(source, Iterable):
        _refuse(where, f"a list of documents is expected, not {type(source).__name__}")
    batch = list(source)
    if not batch or not all(type(document) in _SEQUENCES for document in batch):
        return batch
    members = list(chain.from_iterable(batch))
    if any(_is_span(member) for member in members if type(member) in _SEQUENCES):
        message = "this is one document with spans, or a list of documents with clusters of two numbers"
        _refuse(where, message, "a batch of one document is [clusters]; clusters of numbers are given as sets")
    return batch


# -------------------------------------------------------------------------------------------------- lists and dicts


def _of_mapping(source: Mapping[Any, Any], where: str) -> Found:
    """A map from mention to entity, or documents by their names."""
    values = source.values()
    if not any(map(_is_collection, values)) and not any(map(is_doc, values)):
        if _are_columns(source):
            message = f"this is a map of {len(source)} mentions, or one record of a table: {_shown(source)}"
            _refuse(where, message, "a table is a list of records, [{...}]; a map of documents is {name: map}")
        return Found([None], [Part("map", source)])
    if "clusters" in source and len(source) > 1:
        message = "these are the fields of a document, or documents by their names"
        _refuse(where, f"{message}: {_shown(source)}", "give the clusters alone: d['clusters']")
    parts: list[Part] = []
    for name, value in source.items():
        if not _is_collection(value) and not is_doc(value):
            message = f"document {name!r:.80} is not a document, but {type(value).__name__}"
            _refuse(where, message, "a dict maps each mention to its entity, or each name to a document")
        parts.append(document_of(value, f"{where}, document {name!r:.80}"))
    _check_spacy(list(source), parts, where)
    return Found(list(source), parts, _like_spans(source, where))


def _check_spacy(names: list[Any], parts: list[Part], where: str) -> None:
    """Documents of spaCy have words, so that all documents of an input must be of this kind, or none."""
    others = [name for name, part in zip(names, parts, strict=True) if part.kind != "spacy"]
    if others and len(others) < len(parts):
        _refuse(where, f"document {others[0]!r:.80} is not a spaCy document as the others are")


def _like_spans(source: Mapping[Any, Any], role: str) -> tuple[Issue, ...]:
    """The note on documents whose clusters are all lists of two numbers, as the spans of entities in JSON are."""
    if not all(type(value) is list for value in source.values()):
        return ()
    clusters = [*chain.from_iterable(islice(source.values(), 2))]
    if len(clusters) < 2 or not all(type(cluster) is list and _is_span(cluster) for cluster in clusters):
        return ()
    clusters = [*chain.from_iterable(source.values())]
    if not all(type(cluster) is list and _is_span(cluster) for cluster in clusters):
        return ()
    message = f"every cluster of the {role or 'input'} has two numbers; for an entity with spans give list(d.values())"
    return (Issue("clusters-like-spans", message, len(clusters), tuple(map(repr, clusters[:PLACES]))),)


def _of_list(items: list[Any], where: str) -> Found:
    """Clusters, or documents one after another."""
    found = _usual(items, where)
    if found is not None:
        return Found([None], [Part("clusters", found)])
    if any(isinstance(item, Mapping) or is_doc(item) for item in items):
        return _of_documents(items, where)
    if all(hasattr(item, "__array__") and np.ndim(item) == 1 for item in items):
        message = "these are documents with their labels, or clusters of numbers, as arrays"
        _refuse(where, message, "documents: {name: labels}; clusters: [set(cluster.tolist()) for cluster in clusters]")
    plain = [item.tolist() if isinstance(item, np.ndarray) else item for item in items]
    return _of_nested(plain, where)


def _of_documents(items: list[Any], where: str) -> Found:
    """Documents of spaCy or maps in a list: all are of one kind."""
    for place, item in enumerate(items):
        if is_doc(item) is not is_doc(items[0]) or isinstance(item, Mapping) is not isinstance(items[0], Mapping):
            if is_doc(items[0]):
                _refuse(where, f"document '{place}' is not a spaCy document as the others are: {type(item).__name__}")
            _refuse(
                where,
                f"a cluster must be a set or list of mentions, not {item!r:.40}",
                f"a dict within a list is a map of a document or a record of a table; {SHAPES}",
            )
    if isinstance(items[0], Mapping):
        for item in items:
            if "clusters" in item and any(map(_is_collection, item.values())):
                message = f"these are records of documents: {_shown(item)}"
                _refuse(where, message, "give the clusters by name: {d['doc_key']: d['clusters'] for d in documents}")
    names = list(range(len(items)))
    return Found(names, [document_of(item, f"{where}, document {name}") for name, item in enumerate(items)])


def _of_nested(items: list[Any], where: str) -> Found:
    """Nested lists that are deeper than the clusters of names and spans."""
    one, several = _deep(items, where, alone=False), _documents(items, where)
    if isinstance(one, str) and isinstance(several, str):
        if several:
            _refuse(where, several, f"{_BATCH}; {_ONE}")
        flat = not any(map(_is_collection, items))
        _refuse(where, one, _FLAT if flat else SHAPES)
    if isinstance(one, str):
        assert not isinstance(several, str)
        return Found([*range(len(several))], [Part("clusters", clusters) for clusters in several])
    if isinstance(several, str):
        if several:
            message = f"this is one document with mentions such as {one.names[0]!r:.40}, or a list of documents"
            _refuse(where, message, f"{_BATCH}; {_ONE}")
        return Found([None], [Part("clusters", one)])
    message = "this is a list of documents with their clusters, or one document with mentions"
    example = next((name for name in one.names if type(name) is tuple), None)
    _refuse(where, f"{message} such as {example!r:.60}", f"{_BATCH}; {_ONE}")


# ---------------------------------------------------------------------------------------------------------- clusters


def _usual(items: list[Any], where: str) -> Clusters | None:
    """The clusters of names and spans that most inputs have, found by few steps for any size; None for others."""
    kinds = {*map(type, items)}
    if not kinds <= {list, set, tuple, frozenset}:
        return None
    names: list[Any] = list(chain.from_iterable(items))
    members = {*map(type, names)}
    if members <= _SCALARS:
        if tuple in kinds:
            _check_spans(items, where)
        return Clusters(names, [*map(len, items)])
    if kinds <= {set, frozenset}:
        if not any(issubclass(kind, (frozenset, Mapping)) for kind in members):
            return Clusters(names, [*map(len, items)])
        return None
    if members not in ({tuple}, {list}) or {*map(len, names)} != {2}:
        return None
    if {*map(type, chain.from_iterable(names))} != {int}:
        return None
    return Clusters([*map(tuple, names)] if members == {list} else names, [*map(len, items)])


_SCALARS = {str, int}


def _deep(items: list[Any], where: str, *, alone: bool) -> Clusters | str:
    """The clusters of one document, or why this is none. `alone`: it can't be a list of documents."""
    names: list[Any] = []
    sizes: list[int] = []
    in_lists = False
    for cluster in items:
        if isinstance(cluster, Mapping) or not _is_collection(cluster):
            return f"a cluster must be a set or list of mentions, not {cluster!r:.40}"
        in_a_set = isinstance(cluster, (set, frozenset))
        for member in cluster.tolist() if isinstance(cluster, np.ndarray) else cluster:
            name = _mention(member, anything=in_a_set, alone=alone)
            if name is None:
                return f"a mention is a hashable name or a span, not {member!r:.60}"
            names.append(name[0])
            in_lists |= isinstance(member, list) and len(name[0]) > 0 and isinstance(name[0][0], tuple)
        sizes.append(len(cluster))
    _check_spans(items, where)
    if in_lists and not any(type(name) is tuple and _is_span(name) for name in names):
        return "the pieces of a mention are a tuple of spans, but here they are a list, as clusters are"
    kinds = {type(name) is tuple for name in names if type(name) in (int, tuple)}
    if len(kinds) > 1:
        return "the mentions of one document are all numbers or all spans, but here both occur"
    return Clusters(names, sizes)


def _documents(items: list[Any], where: str) -> list[Clusters] | str:
    """The documents in a list, or why these are none; an empty reason if they can't be meant."""
    clusters = [cluster for document in items if isinstance(document, _SEQUENCES) for cluster in document]
    if not all(isinstance(document, _SEQUENCES) for document in items):
        return ""
    if not all(isinstance(cluster, _CONTAINERS) for cluster in clusters):
        return ""
    if any(isinstance(cluster, _SEQUENCES) and _are_numbers(cluster) for cluster in clusters):
        return "whole numbers at this depth are the mentions of several documents, or the places of one document"
    found: list[Clusters] = []
    for document in items:
        if any(isinstance(cluster, _SEQUENCES) and _is_one_mention(cluster) for cluster in document):
            return ""
        one = _deep(list(document), where, alone=True)
        if isinstance(one, str):
            return ""
        found.append(one)
    return found


def _are_numbers(cluster: Sequence[Any]) -> bool:
    """Whether these are whole numbers, but no span."""
    return bool(cluster) and not _is_span(cluster) and all(map(_is_whole, cluster))


def _is_one_mention(members: Sequence[Any]) -> bool:
    """Whether this is a span, or a name with numbers, and so no cluster."""
    return _is_span(members) or _is_mixed(members)


def _mention(member: Any, *, anything: bool, alone: bool) -> tuple[Any] | None:
    """A mention, in a tuple of one, as the name by which mentions are compared; None if it is none.

    anything   any hashable value is one, as in a set
    alone      a list or a tuple can't be a cluster here
    """
    if hasattr(member, "tolist"):
        member = member.tolist()
    if not _is_collection(member):
        return (member,) if isinstance(member, Hashable) else None
    if not isinstance(member, _SEQUENCES):
        return None
    if _is_span(member):
        return ((int(member[0]), int(member[1])),)
    spans = [span for each in member if (span := _span_of(each)) is not None]
    in_pieces = len(member) > 1 and len(spans) == len(member)
    if in_pieces and (alone or anything or isinstance(member, tuple)):
        ordered = all(before[1] < after[0] for before, after in pairwise(spans))
        return (tuple(spans),) if ordered or anything else None
    return _tuple_of_names(member, anything)


def _tuple_of_names(member: Sequence[Any], anything: bool) -> tuple[Any] | None:
    """A mention that is a tuple of names and numbers; a list of them only if it has both."""
    is_tuple = isinstance(member, tuple)
    plain = all(not _is_collection(each) and isinstance(each, Hashable) for each in member)
    if not plain or not member:
        return (member,) if anything and is_tuple and _hashes(member) else None
    return (tuple(member),) if is_tuple or anything or _is_mixed(member) else None


def _is_mixed(members: Sequence[Any]) -> bool:
    """Whether these are text and whole numbers, as in ("d", 3, 5)."""
    return any(map(_is_whole, members)) and any(isinstance(each, str) for each in members)


def _check_spans(items: Iterable[Any], where: str) -> None:
    """An error if a cluster is a tuple of two numbers, which looks like a span."""
    for cluster in items:
        if type(cluster) is tuple and _is_span(cluster):
            message = f"a cluster is expected, but {cluster!r} looks like a span"
            _refuse(where, message, "clusters are lists of mentions: [[(0, 1), (5, 5)], [(3, 3)]]")


def _map(source: Mapping[Any, Any], where: str) -> Mapping[Any, Any]:
    if any(map(_is_collection, source.values())):
        hint = f"for entity → mentions give list(d.values()); {_BATCH}"
        _refuse(where, "a dict must map each mention to its entity here", hint)
    return source


# ------------------------------------------------------------------------------------------------------- small parts


def _is_collection(value: Any) -> bool:
    return isinstance(value, Collection) and not isinstance(value, (str, bytes))


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_span(value: Sequence[Any]) -> bool:
    return len(value) == 2 and _is_whole(value[0]) and _is_whole(value[1])


def _span_of(value: Any) -> tuple[int, int] | None:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return (int(value[0]), int(value[1])) if isinstance(value, _SEQUENCES) and _is_span(value) else None


def _hashes(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _array_of(source: Any, where: str) -> Any:
    """A column of pandas or polars, or a tensor, as an array of labels; anything else unchanged."""
    if isinstance(source, (list, dict, np.ndarray)) or not hasattr(source, "__array__") or hasattr(source, "columns"):
        return source
    index = getattr(source, "index", None)
    if hasattr(index, "equals") and not np.array_equal(np.asarray(index), np.arange(len(source))):
        message = "the mentions of this series are its places, or the values of its index"
        _refuse(where, message, "give series.to_numpy() for the places, or series.to_dict() for the index")
    return np.asarray(source)


def _are_columns(names: Iterable[Any]) -> bool:
    from .frames import is_header

    return is_header(names)


def _shown(fields: Iterable[Any]) -> str:
    return ", ".join(map(str, fields))[:80]


def _refuse(where: str, message: str, hint: str = "") -> NoReturn:
    raise InputError(f"{where}: {message}", hint=hint, code="shape")
