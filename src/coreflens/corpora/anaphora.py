"""Counts of anaphora other than identity in a corpus: bridging, split antecedents, and non-referring mentions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..corpus.model import Corpus, IntArray, Relation
from ..matching.filters import nonreferring
from ..matching.mentions import Side

KINDS = (
    "bridging anaphors",
    "split antecedents",
    "parts of them",
    "non-referring",
    "deictic mentions",
    "deictic entities",
)


def anaphora(corpora: Sequence[Corpus], groups: Sequence[IntArray], labels: Sequence[str]) -> dict[str, dict[str, int]]:
    """Group → kind → number; empty if there are none. `groups` has the group of each document of each corpus."""
    found = {label: dict.fromkeys(KINDS, 0) for label in labels}
    for corpus, group in zip(corpora, groups, strict=True):
        for kind, documents in _documents_of_kinds(corpus):
            for document in documents:
                found[labels[int(group[document])]][kind] += 1
    return found if any(any(counts.values()) for counts in found.values()) else {}


def _documents_of_kinds(corpus: Corpus) -> Iterator[tuple[str, list[int]]]:
    """Each kind, with the document of each case."""
    yield from _documents_of_relations(corpus)
    nothing = nonreferring(Side.of(corpus, np.arange(len(corpus.documents))))
    yield "non-referring", corpus.doc[nothing].tolist()
    if corpus.format == "conllua":
        from ..formats.conllua import deixis

        deictic = deixis(corpus)
        yield "deictic mentions", deictic.doc.tolist()
        yield "deictic entities", np.unique(np.stack((deictic.doc, deictic.entity)), axis=1)[0].tolist()


def _documents_of_relations(corpus: Corpus) -> Iterator[tuple[str, list[int]]]:
    """Bridging and split antecedents, each case once."""
    bridging: set[tuple[int, int]] = set()
    plurals: set[tuple[int, int]] = set()
    parts: list[int] = []
    for relation in corpus.relations:
        row = _known_mention(corpus, relation)
        if row < 0:
            continue
        document = int(corpus.doc[row])
        if relation.kind == "bridging":
            bridging.add((document, relation.mention if relation.mention >= 0 else -1 - relation.source))
        elif relation.kind == "split-antecedent":
            plurals.add((document, relation.source))
            parts.append(document)
    yield "parts of them", parts
    yield "bridging anaphors", [document for document, _ in bridging]
    yield "split antecedents", [document for document, _ in plurals]


def _known_mention(corpus: Corpus, relation: Relation) -> int:
    """A mention of a relation, which says where it is; −1 if there is none."""
    if relation.mention >= 0:
        return relation.mention
    if relation.anchor >= 0 or relation.kind not in ("bridging", "split-antecedent"):
        return relation.anchor
    rows = np.flatnonzero(corpus.entity == relation.source)
    return int(rows[0]) if len(rows) else -1
