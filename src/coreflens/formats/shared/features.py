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
    found: Counter[str] = Counter()
    documents, mentions = len(corpus.documents), len(corpus)
    found["documents"] = documents if documents > 1 else 0
    found["document parts"] = sum(d.part is not None for d in corpus.documents)
    found["documents without mentions"] = documents - len(np.unique(corpus.doc))
    if not isinstance(corpus.labels, range):
        found["labels"] = sum(not str(label).isdecimal() for label in corpus.labels)
    width = len(corpus.labels) + 1
    members = np.unique(corpus.doc * width + corpus.entity, return_counts=True)
    found["singletons"] = int((members[1] == 1).sum())
    if corpus.format in FORMATS and getattr(FORMATS[corpus.format].module, "WIDE", False):
        found["cross-document entities"] = int((np.bincount(members[0] % width, minlength=1) > 1).sum())
    if corpus.names is None:
        found["spans"] = mentions
        found["crossing mentions"] = len({b for _, b in crossings(corpus)})
        found["repeated mentions"] = mentions - _distinct_spans(corpus)
    else:
        found["names"] = mentions
        found["spans"] = int((corpus.start >= 0).sum())
    found["discontinuous mentions"] = len(corpus.parts)
    if corpus.head is not None:
        found["heads"] = int((corpus.head >= 0).sum())
    found.update(relation.kind for relation in corpus.relations)
    for relation in corpus.relations:
        found["anchors"] += relation.anchor >= 0
        found["relations to no entity"] += relation.target < 0
        found["relations within an entity"] += relation.source == relation.target
        found["names of split antecedents"] += bool(relation.label) and relation.kind == "split-antecedent"
    entities = corpus.entity.tolist()
    for name, values in corpus.attributes.items():
        found[f"attribute {name}"] = sum(map(bool, values))
        first = dict(zip(reversed(entities), reversed(values), strict=True))
        differs = sum(first[e] != value for e, value in zip(entities, values, strict=True))
        found[f"attribute {name}{DIFFERS}"] = differs
    if corpus.has_text:
        text = corpus.text
        found["words"], found["text"] = len(text.words), len(text.raw or ())
        found["sentences"] = max(len(text.sentences) - documents, 0)
        found["zeros"] = 0 if text.empty is None else int(text.empty.sum())
        for name, values in text.layers.items():
            found[f"layer {name}"] = values.filled() if isinstance(values, Unread) else sum(map(bool, values))
    return {feature: count for feature, count in found.items() if count}


def _distinct_spans(corpus: Corpus) -> int:
    """How many different spans the mentions of all documents have."""
    if corpus.parts:
        return len({(d, corpus.pieces(row)) for row, d in enumerate(corpus.doc.tolist())})
    order = np.lexsort((corpus.end, corpus.start, corpus.doc))
    columns = np.stack([column[order] for column in (corpus.doc, corpus.start, corpus.end)])
    return min(len(order), 1) + int(np.count_nonzero((columns[:, 1:] != columns[:, :-1]).any(axis=0)))


def lost(features: dict[str, int], holds: Iterable[str]) -> dict[str, int]:
    """Those of the features that a format with this `HOLDS` can't hold."""
    holds = set(holds)
    found = {
        feature: count
        for feature, count in features.items()
        if f"not {feature}" in holds or not any(fnmatchcase(feature, pattern) for pattern in holds)
    }
    return {f: n for f, n in found.items() if not (f.endswith(DIFFERS) and f.removesuffix(DIFFERS) in found)}


def without(corpus: Corpus, holds: Iterable[str]) -> Corpus:
    """The corpus without the layers and attributes that a format with this `HOLDS` would misread."""
    layers, attributes = (
        {h.removeprefix(f"not {kind} ") for h in holds if h.startswith(f"not {kind} ")}
        for kind in ("layer", "attribute")
    )
    if attributes & {*corpus.attributes}:
        corpus = replace(corpus, attributes={n: v for n, v in corpus.attributes.items() if n not in attributes})
    if layers and corpus.has_text and layers & {*corpus.text.layers}:
        kept = {name: values for name, values in corpus.text.layers.items() if name not in layers}
        corpus = replace(corpus, texts=replace(corpus.text, layers=kept))
    return corpus
