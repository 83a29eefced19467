"""Mentions to be resolved: only spans, each a separate entity, numbered by document."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from ..errors import InputError
from .model import Corpus, IntArray
from .trees import trees


def noun_phrases(corpus: Corpus) -> Corpus:
    """All noun phrases of the trees as mentions."""
    parsed = trees(corpus)
    if parsed is None:
        hint = "noun phrases come from the parse column of a _gold_conll file"
        raise InputError("there are no trees in this corpus", file=corpus.source or None, hint=hint)
    phrase = np.flatnonzero(np.array([label == "NP" for label in parsed.labels], dtype=bool)[parsed.label])
    first = corpus.text.first
    doc = np.searchsorted(first, parsed.start[phrase], side="right") - 1
    return with_spans(corpus, doc, parsed.start[phrase] - first[doc], parsed.end[phrase] - first[doc])


def apart(corpus: Corpus) -> Corpus:
    """The mentions of a corpus with pieces and heads, each once and as a separate entity, numbered by document.

    The attribute `kind`, event or entity, is kept, because it says what is to be resolved.
    """
    first: dict[Hashable, int] = {}
    for row, key in enumerate(zip(corpus.doc.tolist(), corpus.start.tolist(), corpus.end.tolist(), strict=True)):
        first.setdefault((key, corpus.parts.get(row), corpus.names and corpus.names[row]), row)
    rows = np.fromiter(first.values(), np.int64, len(first))
    rows = rows[np.lexsort((-corpus.end[rows], corpus.start[rows], corpus.doc[rows]))]
    kept = {name: values for name, values in corpus.attributes.items() if name == "kind"}
    return _numbered(replace(corpus, attributes=kept, relations=()).take(rows))


def with_spans(corpus: Corpus, doc: IntArray, start: IntArray, end: IntArray) -> Corpus:
    """The corpus with only these mentions, each once and as a separate entity, numbered by document."""
    columns = np.unique(np.stack((doc, start, -end), axis=1).reshape(-1, 3), axis=0)
    doc, start, end = columns[:, 0], columns[:, 1], -columns[:, 2]
    line = None
    if corpus.text.line is not None:
        line = corpus.text.line[corpus.text.first[doc] + start]
    spans = replace(corpus, doc=doc, start=start, end=end, line=line, parts={}, head=None, attributes={}, relations=())
    return _numbered(spans)


def _numbered(corpus: Corpus) -> Corpus:
    bounds = np.searchsorted(corpus.doc, np.arange(len(corpus.documents) + 1))
    number = np.arange(len(corpus.doc)) - bounds[corpus.doc]
    return replace(corpus, entity=number, labels=[str(i) for i in range(int(number.max(initial=-1)) + 1)])
