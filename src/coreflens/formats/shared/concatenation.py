"""Several corpora as one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ...corpus.model import Corpus, Document, IntArray, Relation, Span, Text
from ...errors import InputError
from .unread import Unread

Item = TypeVar("Item")


def concatenate(corpora: Sequence[Corpus]) -> Corpus:
    """Several corpora as one; equal entity labels stay equal."""
    if len(corpora) == 1:
        return corpora[0]
    by_name = _identified_by_name(corpora)
    unit = _common_unit(corpora)
    labels, numbers = _common_labels(corpora)
    rows = np.cumsum([0, *map(len, corpora)]).tolist()  # the first row of each corpus
    docs = np.cumsum([0, *(len(c.documents) for c in corpora)])  # the first document of each
    return Corpus(
        documents=_chained(c.documents for c in corpora),
        doc=np.concatenate([c.doc + first for c, first in zip(corpora, docs, strict=False)]),
        start=np.concatenate([c.start for c in corpora]),
        end=np.concatenate([c.end for c in corpora]),
        entity=np.concatenate(list(map(_renumbered, corpora, numbers))),
        labels=labels,
        names=_chained(c.names or () for c in corpora) if by_name else None,
        line=_filled([c.line for c in corpora], rows, 0),
        format=corpora[0].format,
        issues=tuple(_chained(c.issues for c in corpora)),
        unit=unit,
        parts=_all_parts(corpora, rows),
        head=_all_heads(corpora, rows),
        attributes=_all_attributes(corpora),
        relations=_all_relations(corpora, numbers, rows),
        texts=_Joined(corpora) if all(c.has_text for c in corpora) else None,
        by_file=all(c.by_file for c in corpora),
    )


def _identified_by_name(corpora: Sequence[Corpus]) -> bool:
    """Whether mentions have names instead of spans; an InputError if this differs."""
    answers = {c.names is not None for c in corpora if len(c)}
    if len(answers) > 1:
        raise InputError("some of the files identify mentions by name and others by span", file=corpora[0].source)
    return answers == {True}


def _common_unit(corpora: Sequence[Corpus]) -> str:
    """What all of the spans count; an InputError if this differs."""
    units = {c.unit for c in corpora if len(c)} or {"token"}
    if len(units) > 1:
        raise InputError("some of the files count tokens and others characters", file=corpora[0].source)
    return units.pop()


def _common_labels(corpora: Sequence[Corpus]) -> tuple[list[Hashable], list[IntArray]]:
    """All labels of entities, and for each corpus the places of its own labels among these.

    Entities without labels, which are numbered by a range, are never the same in two files.
    """
    place_of: dict[Hashable, int] = {}
    places = []
    for c, corpus in enumerate(corpora):
        own = corpus.labels
        keys: Iterable[Hashable] = ((c, label) for label in own) if isinstance(own, range) else own
        places.append(np.array([place_of.setdefault(key, len(place_of)) for key in keys], dtype=np.int64))
    return list(place_of), places


def _renumbered(corpus: Corpus, numbers: IntArray) -> IntArray:
    entities: IntArray = numbers[corpus.entity] if len(numbers) else corpus.entity
    return entities


def _all_heads(corpora: Sequence[Corpus], rows: Sequence[int]) -> IntArray | None:
    """The heads of the mentions; None if no corpus has any."""
    if all(c.head is None for c in corpora):
        return None
    return _filled([c.head for c in corpora], rows, -1)


def _all_parts(corpora: Sequence[Corpus], rows: Sequence[int]) -> dict[int, tuple[Span, ...]]:
    parts: dict[int, tuple[Span, ...]] = {}
    for corpus, first_row in zip(corpora, rows, strict=False):
        for row, own_parts in corpus.parts.items():
            parts[first_row + row] = own_parts
    return parts


def _all_attributes(corpora: Sequence[Corpus]) -> dict[str, list[str]]:
    """The attributes of all; mentions of a corpus that lacks one have no value."""
    names = dict.fromkeys(_chained(c.attributes for c in corpora))
    return {name: _chained(c.attributes.get(name) or [""] * len(c) for c in corpora) for name in names}


def _all_relations(corpora: Sequence[Corpus], numbers: Sequence[IntArray], rows: Sequence[int]) -> list[Relation]:
    relations: list[Relation] = []
    for corpus, number, first_row in zip(corpora, numbers, rows, strict=False):
        relations.extend(_moved(relation, number, first_row) for relation in corpus.relations)
    return relations


def _moved(relation: Relation, number: IntArray, first_row: int) -> Relation:
    """A relation with the entities and rows of the whole corpus; −1 still means that there is none."""
    return relation._replace(
        source=int(number[relation.source]) if relation.source >= 0 else -1,
        target=int(number[relation.target]) if relation.target >= 0 else -1,
        mention=relation.mention + first_row if relation.mention >= 0 else -1,
        anchor=relation.anchor + first_row if relation.anchor >= 0 else -1,
    )


def _chained(sequences: Iterable[Iterable[Item]]) -> list[Item]:
    return list(chain.from_iterable(sequences))


def joined_documents(whole: Corpus, corpora: Sequence[Corpus], name: str) -> Corpus:
    """The corpus of several files, in which a document is one even if its rows are in several tables.

    The tables are the corpora that `whole` was made of. Two files without a column of documents that have the same name
    stay apart: `pair` refuses them. `name` is the path of all files.
    """
    documents, number = _merged(corpora, name)
    if len(documents) == len(number):
        return whole
    spread = np.array([document.file == name for document in documents])[number]
    line = None if whole.line is None else np.where(spread[whole.doc], 0, whole.line)
    joined = replace(whole, documents=documents, doc=number[whole.doc], line=line)
    by_span = () if whole.names is not None else (-joined.end, joined.start)
    return joined.take(np.lexsort((*by_span, joined.doc)))


def _merged(corpora: Sequence[Corpus], name: str) -> tuple[list[Document], IntArray]:
    """The documents, each of them once, and the place of every document of the corpora among them."""
    documents: list[Document] = []
    places: list[int] = []
    place_of: dict[tuple[str, int | None], int] = {}  # documents of tables, which can have more rows in other files
    file_only: set[int] = set()
    for corpus in corpora:
        is_table = corpus.format == "table"
        for document in corpus.documents:
            known = place_of.get((document.name, document.part)) if is_table else None
            if known is None or (corpus.by_file and known in file_only):
                known = len(documents)
                documents.append(document)
                if corpus.by_file:
                    file_only.add(known)
                if is_table:
                    place_of[document.name, document.part] = known
            elif documents[known].file != document.file:
                documents[known] = documents[known]._replace(file=name, line=0)
            places.append(known)
    return documents, np.array(places, dtype=np.int64)


class _Joined:
    """The text of several corpora, read when it is called; or the text around some mentions, if all can give it."""

    def __init__(self, corpora: Sequence[Corpus]) -> None:
        self.corpora = corpora
        if all(hasattr(c.texts, "around") for c in corpora):
            self.around = self._around

    def __call__(self) -> Text:
        return _join_texts([c.text for c in self.corpora])

    def _around(self, rows: IntArray, lines: IntArray) -> tuple[Text, IntArray, IntArray]:
        corpus_of_row = np.searchsorted(np.cumsum([len(c) for c in self.corpora]), rows, side="right")
        document, token = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
        texts: list[Text] = []
        before = 0
        for c in np.unique(corpus_of_row).tolist():
            here = corpus_of_row == c
            text, document[here], token[here] = self.corpora[c].texts.around(rows[here], lines[here])
            document[here] += before
            before += len(text.first) - 1
            texts.append(text)
        return _join_texts(texts), document, token


def _filled(columns: Sequence[IntArray | None], first: Sequence[int], missing: int) -> IntArray:
    """Columns one after the other; `missing` stands for the values of a corpus or text that has none."""
    sizes = np.diff(first)
    return np.concatenate(
        [np.full(n, missing, dtype=np.int64) if c is None else c for c, n in zip(columns, sizes, strict=True)]
    )


def _join_texts(texts: Sequence[Text]) -> Text:
    offsets = np.cumsum([0, *(len(t.words) for t in texts)])  # the first token of each text, and the end
    firsts = [t.first[:-1] + offset for t, offset in zip(texts, offsets, strict=False)]
    sentences = [t.sentences + offset for t, offset in zip(texts, offsets, strict=False)]
    return Text(
        Joined([t.words for t in texts]),
        np.concatenate([*firsts, offsets[-1:]]),
        np.concatenate(sentences),
        JoinedLayers(texts),
        _all_empty(texts),
        _filled([t.line for t in texts], offsets.tolist(), 0),
        _chained(t.raw or () for t in texts) if any(t.raw for t in texts) else None,
        _all_numbers(texts, offsets.tolist()),
    )


def _all_empty(texts: Sequence[Text]) -> npt.NDArray[np.bool_] | None:
    """Which tokens are empty nodes; None if no text has any."""
    if all(t.empty is None for t in texts):
        return None
    return np.concatenate([np.zeros(len(t.words), bool) if t.empty is None else t.empty for t in texts])


def _all_numbers(texts: Sequence[Text], first: Sequence[int]) -> IntArray | None:
    """The numbers of the empty nodes; None if there are none, or a text with empty nodes has no numbers for them."""
    with_empty = [t for t in texts if t.empty is not None]
    if not with_empty or any(t.number is None for t in with_empty):
        return None
    return _filled([t.number for t in texts], first, 0)


class Joined(Unread):
    """Columns one after the other."""

    def __init__(self, parts: Sequence[Sequence[str]]) -> None:
        self.parts = parts
        self._stops = np.cumsum([len(part) for part in parts]).tolist()

    def read_one(self, place: int) -> str:
        part = bisect_right(self._stops, place)
        return self.parts[part][place - (self._stops[part - 1] if part else 0)]

    def read_all(self) -> list[str]:
        return [value for part in self.parts for value in part]

    def forms(self) -> bytes | None:
        parts = [part.forms() if isinstance(part, Unread) else None for part in self.parts]
        return None if None in parts else b"".join(filter(None, parts))

    def __len__(self) -> int:
        return self._stops[-1] if self._stops else 0


class JoinedLayers(Mapping[str, Sequence[str]]):
    """The layers of several texts; a text that lacks one has no value in it."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self._texts = texts
        self._known: dict[str, Joined] = {}

    def __getitem__(self, name: str) -> Sequence[str]:
        if name not in self._known:
            parts = [t.layers.get(name) for t in self._texts]
            if all(part is None for part in parts):
                raise KeyError(name)
            sizes = [len(t.words) for t in self._texts]
            self._known[name] = Joined(
                [[""] * n if part is None else part for part, n in zip(parts, sizes, strict=True)]
            )
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for t in self._texts for name in t.layers))

    def __len__(self) -> int:
        return sum(1 for _ in self)
