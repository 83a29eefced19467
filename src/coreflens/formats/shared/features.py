"""The features that a corpus may have besides its clusters, and which of them a format can hold.

A writer lists in `HOLDS` the names below that it can hold. All other features of a corpus would be lost. Layers and
attributes may be named one by one (`layer pos`, `attribute type`) or all at once (`layer *`). A name that the format
uses for something else is excluded (`not layer text`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from ...corpus.model import Corpus
from ...corpus.spans import crossings
from ...integers import bincount
from ..registry import FORMATS
from .unread import Unread

FEATURES = {
    "words": "the tokens",
    "sentences": "borders of sentences",
    "text": "running text with its blanks and line breaks",
    "spans": "the place of a mention in the document",
    "names": "names of mentions",
    "labels": "entity labels that are more than numbers",
    "documents": "several documents in one file",
    "document parts": "numbers of parts",
    "documents without mentions": "documents without any mention",
    "singletons": "entities of one mention",
    "crossing mentions": "mentions that overlap while neither contains the other",
    "repeated mentions": "the same span more than once",
    "discontinuous mentions": "mentions of several pieces",
    "zeros": "tokens that were never written: zero pronouns, empty nodes",
    "heads": "head words of mentions",
    "cross-document entities": "entities with mentions in several documents",
    "bridging": "bridging relations",
    "split-antecedent": "relations of a plural to the entities it is made of",
    "deixis": "discourse deixis",
    "apposition": "appositions",
    "anchors": "the mentions that relations point to, and not only their entities",
    "relations to no entity": "relations to mentions that are in no entity",
    "relations within an entity": "relations of an entity to itself",
    "names of split antecedents": "names of relations to split antecedents",
}

DIFFERS = " that differs within its entity"  # follows the name of an attribute, if a format has one value per entity


def held(corpus: Corpus) -> dict[str, int]:
    """The features of a corpus, and how many there are of each."""
    counts: Counter[str] = Counter()
    counts.update(_of_documents(corpus))
    counts.update(_of_entities(corpus))
    counts.update(_of_spans(corpus))
    counts.update(_of_relations(corpus))
    counts.update(_of_attributes(corpus))
    if corpus.has_text:
        counts.update(_of_text(corpus))
    return {feature: count for feature, count in counts.items() if count}


def _of_documents(corpus: Corpus) -> dict[str, int]:
    documents = len(corpus.documents)
    return {
        "documents": documents if documents > 1 else 0,
        "document parts": sum(d.part is not None for d in corpus.documents),
        "documents without mentions": documents - len(np.unique(corpus.doc)),
    }


def _of_entities(corpus: Corpus) -> dict[str, int]:
    counts = {}
    if not isinstance(corpus.labels, range):
        counts["labels"] = sum(not str(label).isdecimal() for label in corpus.labels)
    width = len(corpus.labels) + 1
    in_document, sizes = np.unique(corpus.doc * width + corpus.entity, return_counts=True)
    counts["singletons"] = int((sizes == 1).sum())
    if corpus.format in FORMATS and getattr(FORMATS[corpus.format].module, "WIDE", False):
        documents_of_entity = bincount(in_document % width, minlength=1)
        counts["cross-document entities"] = int((documents_of_entity > 1).sum())
    return counts


def _of_spans(corpus: Corpus) -> dict[str, int]:
    """Spans or names of mentions, their parts and heads."""
    mentions = len(corpus)
    counts = {}
    if corpus.names is None:
        counts["spans"] = mentions
        counts["crossing mentions"] = len({row for _, row in crossings(corpus)})
        counts["repeated mentions"] = mentions - _distinct_spans(corpus)
    else:
        counts["names"] = mentions
        counts["spans"] = int((corpus.start >= 0).sum())
    counts["discontinuous mentions"] = len(corpus.parts)
    if corpus.head is not None:
        counts["heads"] = int((corpus.head >= 0).sum())
    return counts


def _of_relations(corpus: Corpus) -> dict[str, int]:
    counts = Counter(relation.kind for relation in corpus.relations)
    for relation in corpus.relations:
        counts["anchors"] += relation.anchor >= 0
        counts["relations to no entity"] += relation.target < 0
        counts["relations within an entity"] += relation.source == relation.target
        counts["names of split antecedents"] += bool(relation.label) and relation.kind == "split-antecedent"
    return counts


def _of_attributes(corpus: Corpus) -> dict[str, int]:
    counts = {}
    entities = corpus.entity.tolist()
    for name, values in corpus.attributes.items():
        first_value = dict(zip(reversed(entities), reversed(values), strict=True))
        counts[f"attribute {name}"] = sum(map(bool, values))
        counts[f"attribute {name}{DIFFERS}"] = sum(
            first_value[entity] != value for entity, value in zip(entities, values, strict=True)
        )
    return counts


def _of_text(corpus: Corpus) -> dict[str, int]:
    text = corpus.text
    counts = {
        "words": len(text.words),
        "text": len(text.raw or ()),
        "sentences": max(len(text.sentences) - len(corpus.documents), 0),
        "zeros": 0 if text.empty is None else int(text.empty.sum()),
    }
    for name, values in text.layers.items():
        counts[f"layer {name}"] = values.filled() if isinstance(values, Unread) else sum(map(bool, values))
    return counts


def _distinct_spans(corpus: Corpus) -> int:
    """How many different spans the mentions of all documents have."""
    if corpus.parts:
        return len({(d, corpus.pieces(row)) for row, d in enumerate(corpus.doc.tolist())})
    order = np.lexsort((corpus.end, corpus.start, corpus.doc))
    columns = np.stack([column[order] for column in (corpus.doc, corpus.start, corpus.end)])
    return min(len(order), 1) + int(np.count_nonzero((columns[:, 1:] != columns[:, :-1]).any(axis=0)))


def lost(features: dict[str, int], holds: Iterable[str]) -> dict[str, int]:
    """Those of the features that a format with this `HOLDS` can't hold."""
    patterns = set(holds)
    missing = {}
    for feature, count in features.items():
        matched = any(fnmatchcase(feature, pattern) for pattern in patterns)
        if f"not {feature}" in patterns or not matched:
            missing[feature] = count
    return {
        feature: count
        for feature, count in missing.items()
        if not (feature.endswith(DIFFERS) and feature.removesuffix(DIFFERS) in missing)
    }


def without(corpus: Corpus, holds: Iterable[str]) -> Corpus:
    """The corpus without the layers and attributes that a format with this `HOLDS` would misread."""
    misread_attributes = _excluded(holds, "attribute")
    misread_layers = _excluded(holds, "layer")
    if misread_attributes & {*corpus.attributes}:
        attributes = {name: values for name, values in corpus.attributes.items() if name not in misread_attributes}
        corpus = replace(corpus, attributes=attributes)
    if misread_layers and corpus.has_text and misread_layers & {*corpus.text.layers}:
        layers = {name: values for name, values in corpus.text.layers.items() if name not in misread_layers}
        corpus = replace(corpus, texts=replace(corpus.text, layers=layers))
    return corpus


def _excluded(holds: Iterable[str], kind: str) -> set[str]:
    """The names after `not layer` or `not attribute`."""
    prefix = f"not {kind} "
    return {feature.removeprefix(prefix) for feature in holds if feature.startswith(prefix)}
