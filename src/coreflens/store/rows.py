"""A corpus as rows of the tables, in Arrow: one table of each kind for all documents, ordered by document."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..corpus.brackets import Proposition, names, propositions, sound_trees
from ..corpus.heads import FROM, constituent_heads, heads, mention_types, syntactic_heads
from ..corpus.model import Corpus, Document, IntArray, Text
from ..database.schema import COLUMNS
from ..errors import InputError
from .columns import arrow, filled, named_values, numbered, optional, taken, transposed

if TYPE_CHECKING:
    import pyarrow

_OPENED = re.compile(r"\(([^()*\n]*)")


class Rows:
    """The rows of a corpus. `tables` has the rows, and `traits` what else is needed to rebuild the corpus from them."""

    def __init__(self, corpus: Corpus) -> None:
        self.given = corpus
        if corpus.has_text:
            corpus = replace(corpus, texts=_plain(corpus.text))
        self.trees, self.corpus, self.issues = sound_trees(corpus)

    @cached_property
    def text(self) -> Text | None:
        return self.corpus.text if self.corpus.has_text else None

    @property
    def tables(self) -> dict[str, pyarrow.Table]:
        """All tables that have rows."""
        found = {"document": self._documents(), "label": self._labels(), "mention": self._mentions()}
        found |= {"entity": self._entities(), "link": self._links()}
        if self.text is not None and len(self.text.words):
            found |= {"sentence": self._sentences(), "token": self._tokens(), "node": self._nodes()}
            found |= {"dependency": self._dependencies(), "name": self._names(), "sense": self._senses()}
            found |= self._propositions()
        return {name: table for name, table in found.items() if table is not None and len(table)}

    @property
    def traits(self) -> dict[str, Any]:
        """Properties of the corpus besides its rows, for JSON."""
        corpus = self.given
        text = corpus.text if corpus.has_text else None
        return {
            "format": corpus.format,
            "unit": corpus.unit,
            "names": None if corpus.names is None else "text" if self._text_names else "json",
            "line": corpus.line is not None,
            "head": corpus.head is not None,
            "range": len(corpus.labels) if isinstance(corpus.labels, range) else None,
            "attributes": list(corpus.attributes),
            "text": text is not None,
            "layers": [] if text is None else list(text.layers),
            "empty": text is not None and text.empty is not None,
            "token line": text is not None and text.line is not None,
            "raw": text is not None and text.raw is not None,
            "number": text is not None and text.number is not None,
        }

    @cached_property
    def _text_names(self) -> bool:
        return all(isinstance(name, str) for name in self.corpus.names or ())

    # Token numbers: within the corpus, and within the document.

    @cached_property
    def _offset(self) -> IntArray:
        """The first token of the document of each mention."""
        assert self.text is not None
        return self.text.first[self.corpus.doc]

    def _doc(self, token: IntArray) -> IntArray:
        assert self.text is not None
        return np.searchsorted(self.text.first, token, side="right") - 1

    def _placed(self, start: IntArray, end: IntArray) -> dict[str, Any]:
        """Document, and span within the document, of spans over the corpus."""
        assert self.text is not None
        doc = self._doc(start)
        return {"document": doc, "start": start - self.text.first[doc], "end": end - self.text.first[doc]}

    def _sentence(self, token: IntArray) -> IntArray:
        """The sentence of each token, counted within its document."""
        assert self.text is not None
        here = np.searchsorted(self.text.sentences, token, side="right") - 1
        return here - np.searchsorted(self.text.sentences, self.text.first)[self._doc(token)]

    @cached_property
    def _first_node(self) -> IntArray:
        """The first constituent of each document."""
        assert self.text is not None and self.trees is not None
        return np.searchsorted(self.trees.start, self.text.first)

    def _spanning(self, start: IntArray, end: IntArray) -> Any:
        """The outermost constituent of exactly these tokens, within its document."""
        if self.trees is None or not len(start):
            return np.full(len(start), None)
        node = self.trees.spanning(start, end)
        return optional(np.where(node >= 0, node - self._first_node[self._doc(start)], -1))

    # The tables.

    def _documents(self) -> pyarrow.Table:
        documents = self.corpus.documents
        raw = None if self.text is None else self.text.raw
        columns = {
            "id": np.arange(len(documents)),
            "number": np.arange(len(documents)),
            "name": [d.name for d in documents],
            "part": [d.part for d in documents],
            "label": [d.label for d in documents],
            "genre": [_genre(d) for d in documents],
            "tokens": [d.tokens for d in documents],
            "file": [d.file for d in documents],
            "line": [d.line for d in documents],
        }
        return arrow("document", columns if raw is None else {**columns, "text": list(raw)})

    def _labels(self) -> pyarrow.Table:
        found = [(n, name, value) for n, d in enumerate(self.corpus.documents) for name, value in d.meta]
        return transposed("label", ("document", "name", "value"), found)

    def _sentences(self) -> pyarrow.Table:
        text = self.text
        assert text is not None
        start = text.sentences
        doc = self._doc(start)
        end = np.minimum(np.append(start[1:], len(text.words)), text.first[doc + 1]) - 1
        return arrow("sentence", {**self._placed(start, end), "sentence": self._sentence(start)})

    def _tokens(self) -> pyarrow.Table:
        text, given = self.text, self.given.text
        assert text is not None
        token = np.arange(len(text.words))
        doc = self._doc(token)
        columns: dict[str, Any] = {
            "document": doc,
            "token": token - text.first[doc],
            "sentence": self._sentence(token),
            "form": text.words,
        }
        layers = dict(text.layers)
        if "parse" in layers:
            layers["parse"] = list(given.layers["parse"])
        for column, layer in COLUMNS.items():
            if layer in layers:
                columns[column] = filled(layers[layer])
        columns["start_char"], columns["end_char"] = _characters(text, doc)
        for name in ("empty", "line", "number"):
            if getattr(text, name) is not None:
                columns[name] = getattr(text, name)
        others = {name: cells for name, cells in layers.items() if name not in COLUMNS.values()}
        if others:
            columns["layers"] = named_values(others)
        return arrow("token", columns)

    def _nodes(self) -> pyarrow.Table | None:
        if self.trees is None:
            return None
        text, parsed = self.text, self.trees
        assert text is not None
        doc = self._doc(parsed.start)
        before = self._first_node[doc]
        head = constituent_heads(parsed, text)
        whole = _whole_labels(text.layers["parse"])
        plain = [parsed.labels[n] for n in parsed.label.tolist()]
        return arrow(
            "node",
            {
                **self._placed(parsed.start, parsed.end),
                "node": np.arange(len(parsed)) - before,
                "parent": optional(np.where(parsed.parent >= 0, parsed.parent - before, -1)),
                "sentence": self._sentence(parsed.start),
                "label": plain,
                "function": [w[len(p) + 1 :] or None for w, p in zip(whole, plain, strict=True)],
                "head": optional(np.where(head >= 0, head - text.first[doc], -1)),
            },
        )

    def _dependencies(self) -> pyarrow.Table | None:
        text = self.text
        assert text is not None
        if not any(text.layers.get("head", ())):
            return None
        token = np.array([t for t, cell in enumerate(text.layers["head"]) if cell], dtype=np.int64)
        doc, head = self._doc(token), syntactic_heads(text)[token]
        relation = text.layers.get("deprel")
        columns = {
            "document": doc,
            "token": token - text.first[doc],
            "head": optional(np.where(head >= 0, head - text.first[doc], -1)),
        }
        return arrow("dependency", columns | ({"relation": [relation[t] for t in token]} if relation else {}))

    def _names(self) -> pyarrow.Table | None:
        assert self.text is not None
        found = names(self.text)
        if not found:
            return None
        start, end = (np.array(side, dtype=np.int64) for side in ([n.start for n in found], [n.end for n in found]))
        placed = self._placed(start, end)
        numbers = numbered(placed["document"])
        types = [n.label for n in found]
        return arrow("name", {**placed, "name": numbers, "type": types, "node": self._spanning(start, end)})

    def _propositions(self) -> dict[str, pyarrow.Table]:
        text = self.text
        assert text is not None
        found = propositions(text)
        if not found:
            return {}
        token = np.array([p.token for p in found], dtype=np.int64)
        doc = self._doc(token)
        number = numbered(doc)
        columns: dict[str, Any] = {"document": doc, "proposition": number, "token": token - text.first[doc]}
        for name in ("lemma", "frameset"):
            if layer := text.layers.get(name):
                columns[name] = filled(taken(layer, token))
        tables = {"proposition": arrow("proposition", columns)}
        if (arguments := self._arguments(found, number)) is not None:
            tables["argument"] = arguments
        return tables

    def _arguments(self, found: Sequence[Proposition], number: IntArray) -> pyarrow.Table | None:
        """The arguments of all propositions, which have these numbers in their documents."""
        flat = [(p, k, argument) for p, one in enumerate(found) for k, argument in enumerate(one.arguments)]
        if not flat:
            return None
        start, end = (np.array([argument[side] for _, _, argument in flat], dtype=np.int64) for side in (0, 1))
        return arrow(
            "argument",
            {
                **self._placed(start, end),
                "proposition": number[[p for p, _, _ in flat]],
                "argument": [k for _, k, _ in flat],
                "label": [argument.label for _, _, argument in flat],
                "node": self._spanning(start, end),
            },
        )

    def _senses(self) -> pyarrow.Table | None:
        text = self.text
        assert text is not None
        senses = text.layers.get("sense")
        if not senses or not any(senses):
            return None
        token = np.array([t for t, cell in enumerate(senses) if cell], dtype=np.int64)
        doc = self._doc(token)
        columns: dict[str, Any] = {"document": doc, "token": token - text.first[doc], "sense": taken(senses, token)}
        for column, name in (("lemma", "lemma"), ("tag", "pos")):
            if layer := text.layers.get(name):
                columns[column] = filled(taken(layer, token))
        return arrow("sense", columns)

    def _mentions(self) -> pyarrow.Table | None:
        corpus, attributes = self.corpus, self.given.attributes
        if not len(corpus):
            return None
        doc = corpus.doc
        documents = [corpus.documents[d] for d in doc.tolist()]
        columns: dict[str, Any] = {
            "document": doc,
            "row": np.arange(len(doc)) - corpus.bounds[doc],
            "doc": [document.name for document in documents],
            "part": [document.part for document in documents],
            "start": optional(corpus.start),
            "end": optional(corpus.end),
            "entity": [_label(corpus, label)[0] for label in taken(corpus.labels, corpus.entity)],
            "type": filled(mention_types(corpus)),
            **self._heads(),
            **self._wording(),
        }
        if corpus.line is not None:
            columns["line"] = corpus.line
        if self._has_words:
            start, end = corpus.start + self._offset, corpus.end + self._offset
            columns["sentence"] = self._sentence(start)
            columns["node"] = self._spanning(start, end)
        if corpus.parts:
            columns["pieces"] = [_pieces(corpus.parts.get(row)) for row in range(len(corpus))]
        if "min" in attributes:
            columns |= self._minimum(attributes["min"], self._has_words)
        if attributes:
            columns["attributes"] = named_values(attributes)
        return arrow("mention", columns)

    def _wording(self) -> dict[str, Any]:
        """What a mention is called, or its words."""
        corpus = self.corpus
        if corpus.names is not None:
            return {"mention": corpus.names if self._text_names else [_spelled(corpus, n) for n in corpus.names]}
        if self.text is not None:
            return {"text": [corpus.words(row) for row in range(len(corpus))]}
        return {}

    @property
    def _has_words(self) -> bool:
        """Whether mentions are spans of the words of the text."""
        return self.text is not None and self.corpus.unit == "token" and self.corpus.names is None

    def _heads(self) -> dict[str, Any]:
        """The head of each mention, and where it comes from."""
        head = heads(self.corpus)
        token = head.token
        if not self._has_words:  # for such sources, nothing else is known about the words
            token = np.where(head.source == 0, token, -1)
        sources = [FROM[source] for source in head.source.tolist()]
        known = (token >= 0).tolist()
        return {
            "head": optional(token),
            "head_from": [source if is_known else None for source, is_known in zip(sources, known, strict=True)],
        }

    def _minimum(self, given: Sequence[str], words: bool) -> dict[str, Any]:
        """Minimum spans as written in the source, and their tokens if their words are found in the mention."""
        start, end = np.full(len(given), -1, np.int64), np.full(len(given), -1, np.int64)
        if words and self.text is not None:
            for row, minimum in enumerate(given):
                wanted = minimum.split()
                first, last = int(self.corpus.start[row]), int(self.corpus.end[row])
                offset = int(self._offset[row])
                here = list(self.text.words[offset + first : offset + last + 1])
                places = (p for p in range(len(here)) if wanted and here[p : p + len(wanted)] == wanted)
                if (place := next(places, -1)) >= 0:
                    start[row], end[row] = first + place, first + place + len(wanted) - 1
        return {
            "minimum": [minimum or None for minimum in given],
            "min_start": optional(start),
            "min_end": optional(end),
        }

    def _entities(self) -> pyarrow.Table | None:
        corpus = self.corpus
        width = len(corpus.labels) + 1
        codes, sizes = np.unique(corpus.doc * width + corpus.entity, return_counts=True)
        counts = dict(zip(codes.tolist(), sizes.tolist(), strict=True))
        known = {*corpus.entity.tolist()}
        for relation in corpus.relations:  # entities without a mention that links refer to
            for entity in {relation.source, relation.target} - known - {-1}:
                counts[_document_of(corpus, relation) * width + entity] = 0
        if not counts:
            return None
        codes = np.array(sorted(counts), dtype=np.int64)
        labels = [_label(corpus, label) for label in taken(corpus.labels, codes % width)]
        return arrow(
            "entity",
            {
                "document": codes // width,
                "entity": [label for label, _ in labels],
                "number": codes % width,
                "kind": [kind for _, kind in labels],
                "mentions": [counts[code] for code in codes.tolist()],
            },
        )

    def _links(self) -> pyarrow.Table | None:
        corpus = self.corpus
        rows = []
        for number, r in enumerate(corpus.relations):
            anchor = int(corpus.doc[r.anchor]) if r.anchor >= 0 else None
            rows.append(
                (
                    _document_of(corpus, r),
                    number,
                    r.kind,
                    r.label,
                    _label(corpus, corpus.labels[r.source])[0] if r.source >= 0 else None,
                    int(r.mention - corpus.bounds[corpus.doc[r.mention]]) if r.mention >= 0 else None,
                    _label(corpus, corpus.labels[r.target])[0] if r.target >= 0 else None,
                    anchor,
                    None if anchor is None else int(r.anchor - corpus.bounds[anchor]),
                )
            )
        titles = ("document", "number", "kind", "label", "source", "mention", "target", "anchor_document", "anchor")
        return transposed("link", titles, sorted(rows, key=lambda row: row[0]))


def _genre(document: Document) -> str | None:
    """The genre that the file gives, or else the part of the name before the first slash."""
    said = dict(document.meta).get("genre")
    return said or (document.name.split("/")[0] if "/" in document.name else None)


def _plain(text: Text) -> Text:
    """The text with its words and layers as lists, each read once."""
    layers = {name: list(values) for name, values in text.layers.items()}
    return replace(text, words=list(text.words), layers=layers)


def _pieces(spans: Sequence[Any] | None) -> list[dict[str, int]] | None:
    """The pieces of a mention that has several."""
    return None if spans is None else [{"start": start, "end": end} for start, end in spans]


def _spelled(corpus: Corpus, name: Hashable) -> str:
    """A name that is more than text, as JSON."""
    try:
        return json.dumps(name, ensure_ascii=False)
    except TypeError:
        message = f"a mention has the name {name!r:.40}, which a database can't store"
        raise InputError(message, file=corpus.source or None) from None


def _label(corpus: Corpus, label: Hashable) -> tuple[str, str]:
    """A label as it is stored, and its type."""
    if isinstance(label, str):
        return label, "text"
    if type(label) is int:
        return str(label), "number"
    raise InputError(f"an entity has the label {label!r:.40}, neither text nor a number", file=corpus.source or None)


def _document_of(corpus: Corpus, relation: Any) -> int:
    """The document of a relation: that of its anaphor, or else the first with its entity, or that of its antecedent."""
    for row in (relation.mention, relation.anchor):
        if row >= 0:
            return int(corpus.doc[row])
    for entity in (relation.source, relation.target):
        rows = np.flatnonzero(corpus.entity == entity)
        if entity >= 0 and len(rows):
            return int(corpus.doc[rows[0]])
    return 0


def _characters(text: Text, doc: IntArray) -> tuple[IntArray, IntArray]:
    """The first and the last character of each token, in its document's text as `Text.span` spaces it."""
    n = len(text.words)
    length = np.fromiter(map(len, text.forms(slice(0, n))), np.int64, n)
    space = np.fromiter((text.spaced(t) for t in range(n)), np.int64, n)
    stop = np.cumsum(length + space)
    start = stop - length - space
    start = start - start[text.first[doc]]
    return start, start + length - 1


def _whole_labels(bits: Sequence[str]) -> list[str]:
    """The labels of all constituents in order of opening, function tags included."""
    return _OPENED.findall("\n".join(bits))
