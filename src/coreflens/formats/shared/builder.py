"""A corpus that is built piece by piece, for readers that go through their file in Python."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from ...corpus.model import Corpus, Document, IntArray, Relation, Span, Text
from .source import Source


class Builder:
    """Call `document`, then `sentence` and `token` (or `raw`, once) and `mention` in any order; at the end `build`.

    Spans are counted within their document from 0, both ends included, in tokens or, with unit "character", in
    characters of the raw text. `mention` returns a handle for relations.
    """

    def __init__(self, source: Source, format: str, unit: str = "token") -> None:
        self.source, self.format, self.unit = source, format, unit
        self.documents: list[Document] = []
        self.labels: dict[Hashable, int] = {}
        self.words: list[str] = []
        self.first: list[int] = []
        self.sentences: list[int] = []
        self.layers: dict[str, list[str]] = {}
        self.empty: list[bool] = []
        self.lines: list[int] = []
        self.raws: list[str] = []
        self._new_sentence = True
        self._mentions: list[tuple[int, int, int, int, int, int]] = []  # doc, start, end, entity, line, head
        self._parts: dict[int, tuple[Span, ...]] = {}
        self._names: list[Hashable] = []
        self._attributes: dict[str, dict[int, str]] = {}
        self._relations: list[tuple[str, Hashable, Hashable, int, int, str]] = []
        self._known: dict[tuple[str, int | None], Document] = {}

    def document(self, name: str, part: int | None = None, line: int = 0) -> None:
        """Start a document."""
        document = Document(name, part, None, self.source.name, line)
        if (known := self._known.setdefault(document[:2], document)) is not document:
            where = f" at line {known.line}" if known.line else ""
            message = f"there is already a document {document.quoted}{where}"
            self.source.report("duplicate-document", message, line=line or None)
        self.documents.append(document)
        self.first.append(len(self.words))
        self._new_sentence = True

    def sentence(self) -> None:
        """Start a sentence with the next token."""
        self._new_sentence = True

    def token(self, word: str, line: int = 0, empty: bool = False, **layers: str) -> int:
        """Add a token to the current document; returns its place in the document."""
        place = len(self.words)
        if self._new_sentence:
            self.sentences.append(place)
            self._new_sentence = False
        self.words.append(word)
        self.lines.append(line)
        self.empty.append(empty)
        for name, value in layers.items():
            column = self.layers.setdefault(name, [])
            column.extend([""] * (place - len(column)))
            column.append(value)
        return place - self.first[-1]

    def raw(self, text: str) -> None:
        """Set the text of the current document, if spans count characters."""
        self.raws.append(text)

    def mention(
        self,
        start: int,
        end: int,
        entity: Hashable,
        *,
        line: int = 0,
        head: int = -1,
        parts: Sequence[Span] = (),
        name: Hashable | None = None,
        **attributes: str,
    ) -> int:
        """Add a mention to the current document. A discontinuous one has `parts`, ascending, with gaps between them."""
        handle = len(self._mentions)
        number = self.labels.setdefault(entity, len(self.labels))
        self._mentions.append((len(self.documents) - 1, start, end, number, line, head))
        if len(parts) > 1:
            self._parts[handle] = tuple(parts)
        if name is not None:
            self._names.append(name)
        for attribute, value in attributes.items():
            self.attribute(handle, attribute, value)
        return handle

    def attribute(self, mention: int, name: str, value: str) -> None:
        """Set an attribute of a mention by its handle. Any name is possible, also that of a parameter of `mention`."""
        if value:
            self._attributes.setdefault(name, {})[mention] = value

    def relation(
        self, kind: str, source: Hashable, target: Hashable, *, mention: int = -1, anchor: int = -1, label: str = ""
    ) -> None:
        """Add a relation between two entities, by their labels; `mention` and `anchor` are handles."""
        self._relations.append((kind, source, target, mention, anchor, label))

    def build(self) -> Corpus:
        """The corpus: mentions by document in the order in which they open, the longer first."""
        if not self.documents:
            self.source.fail("there is no document in this file", code="input")
        sizes = self._sizes()
        columns = np.array(self._mentions, dtype=np.int64).reshape(-1, 6)
        doc, start, end = columns[:, 0], columns[:, 1], columns[:, 2]
        keep = self._check(columns, sizes)
        order = keep[np.lexsort((-end[keep], start[keep], doc[keep]))]
        place = np.full(len(columns) + 1, -1, dtype=np.int64)  # the last item is for "no mention", handle −1
        place[order] = np.arange(len(order))
        doc, start, end, entity, line, head = columns[order].T
        documents = [d._replace(tokens=n) for d, n in zip(self.documents, sizes, strict=True)]
        return Corpus(
            documents=documents,
            doc=doc,
            start=start,
            end=end,
            entity=entity,
            labels=list(self.labels),
            names=[self._names[p] for p in order.tolist()] if self._names else None,
            line=line,
            source=self.source.name,
            format=self.format,
            issues=self.source.issues(),
            unit=self.unit,
            parts={int(place[h]): parts for h, parts in self._parts.items() if place[h] >= 0},
            head=head if (head >= 0).any() else None,
            attributes={name: [values.get(h, "") for h in order.tolist()] for name, values in self._attributes.items()},
            relations=[
                Relation(kind, self.labels.get(s, -1), self.labels.get(t, -1), int(place[m]), int(place[a]), label)
                for kind, s, t, m, a, label in self._relations
                if s in self.labels  # otherwise the anaphor was reported and left out
            ],
            texts=self._text(),
        )

    def _sizes(self) -> list[int | None]:
        if self.unit == "character":
            return [len(raw) for raw in self.raws] if self.raws else [None] * len(self.documents)
        if not self.words:
            return [None] * len(self.documents)
        return list(map(int, np.diff(self.first, append=len(self.words))))

    def _check(self, columns: IntArray, sizes: list[int | None]) -> IntArray:
        """The rows whose spans are within their documents; the others are reported."""
        doc, start, end = columns[:, 0], columns[:, 1], columns[:, 2]
        size = np.array([2**62 if n is None else n for n in sizes], dtype=np.int64)[doc]
        named = bool(self._names)
        wrong = np.zeros(len(columns), dtype=bool) if named else (end < start) | (start < 0) | (end >= size)
        for row in np.flatnonzero(wrong).tolist():
            d, a, b, _, line, _ = columns[row].tolist()
            code = "span-order" if b < a else "span-range"
            fault = "ends before it starts" if b < a else f"is not within its {size[row]} {self.unit}s"
            message = f"mention [{a}, {b}] of document {self.documents[d].quoted} {fault}"
            self.source.report(code, message, line=line or None)
        return np.flatnonzero(~wrong)

    def _text(self) -> Text | None:
        none = np.zeros(0, dtype=np.int64)
        if self.raws:
            return Text([], np.zeros(len(self.documents) + 1, dtype=np.int64), none, raw=self.raws)
        if not self.words:
            return None
        for column in self.layers.values():
            column.extend([""] * (len(self.words) - len(column)))
        return Text(
            self.words,
            np.array([*self.first, len(self.words)], dtype=np.int64),
            np.array(self.sentences, dtype=np.int64),
            self.layers,
            np.array(self.empty, dtype=bool) if any(self.empty) else None,
            np.array(self.lines, dtype=np.int64) if any(self.lines) else None,
        )


def unlabelled(corpus: Corpus) -> Corpus:
    """The corpus of a format whose entities have no labels, so that two files never have the same entity."""
    return replace(corpus, labels=range(len(corpus.labels)))
