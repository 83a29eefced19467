"""Counts of anaphora other than identity in a corpus: bridging, split antecedents, and non-referring mentions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..corpus.model import Corpus, IntArray
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

        def add(kind: str, documents: Sequence[int], group: IntArray = group) -> None:
            for d in documents:
                found[labels[int(group[d])]][kind] += 1

        document = corpus.doc.tolist()
        bridging: set[tuple[int, int]] = set()
        plurals: set[tuple[int, int]] = set()
        for r in corpus.relations:
            known = r.mention if r.mention >= 0 else r.anchor
            if known < 0 and r.kind in ("bridging", "split-antecedent"):
                rows = np.flatnonzero(corpus.entity == r.source)
                known = int(rows[0]) if len(rows) else -1
            if known < 0:
                continue
            if r.kind == "bridging":
                bridging.add((document[known], r.mention if r.mention >= 0 else -1 - r.source))
            elif r.kind == "split-antecedent":
                plurals.add((document[known], r.source))
                add("parts of them", [document[known]])
        add("bridging anaphors", [d for d, _ in bridging])
        add("split antecedents", [d for d, _ in plurals])
        nothing = nonreferring(Side.of(corpus, np.arange(len(corpus.documents))))
        add("non-referring", corpus.doc[nothing].tolist())
        if corpus.format == "conllua":
            from ..formats.conllua import deixis

            other = deixis(corpus)
            add("deictic mentions", other.doc.tolist())
            add("deictic entities", np.unique(np.stack((other.doc, other.entity)), axis=1)[0].tolist())
    return found if any(any(counts.values()) for counts in found.values()) else {}
