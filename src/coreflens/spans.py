"""Spans: of which pieces one is, and how the mentions of a document lie to each other and to its sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from .model import Corpus, IntArray, Span


def joined(pieces: Iterable[Span]) -> list[Span]:
    """Spans in any order as the fewest that cover the same, ascending and apart."""
    found: list[Span] = []
    for start, end in sorted(pieces):
        if found and start <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def crossings(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """Pairs of rows whose spans overlap while neither contains the other, the one that opens first before the other.

    A stack of the spans that are still open, so the cost is the number of mentions and of nested pairs looked at.
    """
    order = np.lexsort((-corpus.end, corpus.start, corpus.doc))
    open_: list[tuple[int, int]] = []  # end, row
    current = -1
    for row, doc, start, end in zip(
        order.tolist(),
        corpus.doc[order].tolist(),
        corpus.start[order].tolist(),
        corpus.end[order].tolist(),
        strict=True,
    ):
        if doc != current:
            open_, current = [], doc
        open_ = [(other_end, other) for other_end, other in open_ if other_end >= start]
        for other_end, other in open_:
            if other_end < end and corpus.start[other] < start:
                yield other, row
        open_.append((end, row))


def over_sentence_borders(corpus: Corpus) -> IntArray:
    """Rows of the mentions that begin in one sentence and end in another."""
    text = corpus.text
    offset = text.first[corpus.doc]
    first, last = (np.searchsorted(text.sentences, offset + side, side="right") for side in (corpus.start, corpus.end))
    return np.flatnonzero(first != last)
