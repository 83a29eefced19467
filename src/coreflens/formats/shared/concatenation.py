"""Several corpora as one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...corpus.model import Corpus, Document, IntArray, Text
from ...errors import InputError
from .unread import Unread


def concatenate(corpora: Sequence[Corpus]) -> Corpus:
    """Several corpora as one; equal entity labels stay equal."""
    if len(corpora) == 1:
        return corpora[0]
    named = {c.names is not None for c in corpora if len(c)}
    if len(named) > 1:
        raise InputError("some of the files identify mentions by name and others by span", file=corpora[0].source)
    units = {c.unit for c in corpora if len(c)} or {"token"}
    if len(units) > 1:
        raise InputError("some of the files count tokens and others characters", file=corpora[0].source)
    labels: dict[Any, int] = {}
    numbers = [
        # entities without labels (a range) are never the same in two files
        np.array(
            [labels.setdefault((c, x) if isinstance(corpus.labels, range) else x, len(labels)) for x in corpus.labels],
            dtype=np.int64,
        )
        for c, corpus in enumerate(corpora)
    ]
    rows = np.cumsum([0, *map(len, corpora)]).tolist()
    docs = np.cumsum([0, *(len(c.documents) for c in corpora)])
    attributes = dict.fromkeys(name for c in corpora for name in c.attributes)
    return Corpus(
        documents=[d for c in corpora for d in c.documents],
        doc=np.concatenate([c.doc + offset for c, offset in zip(corpora, docs, strict=False)]),
        start=np.concatenate([c.start for c in corpora]),
        end=np.concatenate([c.end for c in corpora]),
        entity=np.concatenate([n[c.entity] if len(n) else c.entity for c, n in zip(corpora, numbers, strict=True)]),
        labels=list(labels),
        names=[n for c in corpora for n in c.names or ()] if named == {True} else None,
        line=_joined([c.line for c in corpora], rows, 0),
        format=corpora[0].format,
        issues=tuple(i for c in corpora for i in c.issues),
        unit=units.pop(),
        parts={row + offset: p for c, offset in zip(corpora, rows, strict=False) for row, p in c.parts.items()},
        head=_joined([c.head for c in corpora], rows, -1) if any(c.head is not None for c in corpora) else None,
        attributes={name: [x for c in corpora for x in c.attributes.get(name) or [""] * len(c)] for name in attributes},
        relations=[
            r._replace(
                source=int(n[r.source]) if r.source >= 0 else -1,
                target=int(n[r.target]) if r.target >= 0 else -1,
                mention=r.mention + offset if r.mention >= 0 else -1,
                anchor=r.anchor + offset if r.anchor >= 0 else -1,
            )
            for c, n, offset in zip(corpora, numbers, rows, strict=False)
            for r in c.relations
        ],
        texts=_Joined(corpora) if all(c.has_text for c in corpora) else None,
        by_file=all(c.by_file for c in corpora),
    )


def joined_documents(whole: Corpus, corpora: Sequence[Corpus], name: str) -> Corpus:
    """The corpus of several files, in which a document is one even if its rows are in several tables.

    The tables are the corpora that `whole` was made of. Two files without a column of documents that have the same name
    stay apart: `pair` refuses them. `name` is the path of all files.
    """
    numbers: list[int] = []
    documents: list[Document] = []
    place_of: dict[tuple[str, int | None], int] = {}  # documents of tables, which can have more rows elsewhere
    file_only: set[int] = set()
    for corpus in corpora:
        for document in corpus.documents:
            known = place_of.get((document.name, document.part)) if corpus.format == "table" else None
            if known is None or (corpus.by_file and known in file_only):
                known = len(documents)
                documents.append(document)
                if corpus.by_file:
                    file_only.add(known)
                if corpus.format == "table":
                    place_of[document.name, document.part] = known
            elif documents[known].file != document.file:
                documents[known] = documents[known]._replace(file=name, line=0)
            numbers.append(known)
    if len(documents) == len(numbers):
        return whole
    number = np.array(numbers, dtype=np.int64)
    spread = np.array([document.file == name for document in documents])[number]
    line = None if whole.line is None else np.where(spread[whole.doc], 0, whole.line)
    joined = replace(whole, documents=documents, doc=number[whole.doc], line=line)
    by_span = () if whole.names is not None else (-joined.end, joined.start)
    return joined.take(np.lexsort((*by_span, joined.doc)))


class _Joined:
    """The text of several corpora, read when it is called; or the text around some mentions, if all can give it."""

    def __init__(self, corpora: Sequence[Corpus]) -> None:
        self.corpora = corpora
        if all(hasattr(c.texts, "around") for c in corpora):
            self.around = self._around

    def __call__(self) -> Text:
        return _join_texts([c.text for c in self.corpora])

    def _around(self, rows: IntArray, lines: IntArray) -> tuple[Text, IntArray, IntArray]:
        of = np.searchsorted(np.cumsum([len(c) for c in self.corpora]), rows, side="right")
        document, token = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
        texts: list[Text] = []
        before = 0
        for c in np.unique(of).tolist():
            here = of == c
            text, document[here], token[here] = self.corpora[c].texts.around(rows[here], lines[here])
            document[here] += before
            before += len(text.first) - 1
            texts.append(text)
        return _join_texts(texts), document, token


def _joined(columns: Sequence[IntArray | None], rows: Sequence[int], missing: int) -> IntArray:
    sizes = np.diff(rows)
    return np.concatenate(
        [np.full(n, missing, dtype=np.int64) if c is None else c for c, n in zip(columns, sizes, strict=True)]
    )


def _join_texts(texts: Sequence[Text]) -> Text:
    offsets = np.cumsum([0, *(len(t.words) for t in texts)])
    empty = any(t.empty is not None for t in texts)
    counted = all(t.number is not None for t in texts if t.empty is not None)
    return Text(
        Joined([t.words for t in texts]),
        np.concatenate([*(t.first[:-1] + o for t, o in zip(texts, offsets, strict=False)), offsets[-1:]]),
        np.concatenate([t.sentences + o for t, o in zip(texts, offsets, strict=False)]),
        JoinedLayers(texts),
        np.concatenate([np.zeros(len(t.words), bool) if t.empty is None else t.empty for t in texts])
        if empty
        else None,
        _joined([t.line for t in texts], offsets.tolist(), 0),
        [raw for t in texts for raw in t.raw or ()] if any(t.raw for t in texts) else None,
        _joined([t.number for t in texts], offsets.tolist(), 0) if empty and counted else None,
    )


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
