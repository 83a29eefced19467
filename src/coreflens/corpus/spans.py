"""Spans: their pieces, which mentions cross or contain each other, and which cross the end of a sentence."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from heapq import heappop, heappush

import numpy as np

from .model import Corpus, IntArray, Span


def crossings(corpus: Corpus, aside: Container[int] = ()) -> Iterator[tuple[int, int]]:
    """Pairs of rows whose spans overlap while neither contains the other, the one that opens first before the other.

    Each later row occurs once, with the span that ends first of those it crosses; rows in `aside` do not count. That
    span is on top of a heap of open spans, so the cost is n log n for any depth of nesting.
    """
    order = np.lexsort((-corpus.end, corpus.start, corpus.doc))
    order = order[corpus.start[order] >= 0]  # names have no place
    open_: list[tuple[int, int, int]] = []  # end, start, row
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
        if row in aside:
            continue
        while open_ and open_[0][0] < start:
            heappop(open_)
        if open_ and open_[0][0] < end and open_[0][1] < start:
            yield open_[0][2], row
        heappush(open_, (end, start, row))


def over_sentence_borders(corpus: Corpus) -> IntArray:
    """Rows of the mentions that begin in one sentence and end in another."""
    text = corpus.text
    offset = text.first[corpus.doc]
    first, last = (np.searchsorted(text.sentences, offset + side, side="right") for side in (corpus.start, corpus.end))
    return np.flatnonzero(first != last)


def nested_in_same_entity(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """Pairs of rows, outer and inner, of one entity and document whose spans are nested (i-within-i) and differ.

    Each inner row occurs once, with the mention of its entity that opens before it and ends last.
    """
    order = np.lexsort((-corpus.end, corpus.start, corpus.entity, corpus.doc))
    doc, entity, start, end = (column[order] for column in (corpus.doc, corpus.entity, corpus.start, corpus.end))
    if not len(order) or int(start.min()) < 0:
        return
    group = np.cumsum(np.append(0, (doc[1:] != doc[:-1]) | (entity[1:] != entity[:-1])))
    reach = group * (int(end.max()) + 1) + end  # greater in a later group, for any ends
    widest = np.maximum.accumulate(reach)
    outer = np.maximum.accumulate(np.where(np.append(True, reach[1:] > widest[:-1]), np.arange(len(order)), 0))
    for inner in np.flatnonzero(outer < np.arange(len(order))).tolist():
        out = int(outer[inner])
        if (start[out], end[out]) != (start[inner], end[inner]):
            yield int(order[out]), int(order[inner])


def joined_pieces(pieces: Iterable[Span]) -> tuple[Span, ...]:
    """Pieces in order, joined if they touch or overlap; equal pieces make two discontinuous mentions the same."""
    joined: list[Span] = []
    for start, end in sorted(pieces):
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def discontinuous_rows(corpus: Corpus) -> dict[int, list[int]]:
    """The rows of the discontinuous mentions by document."""
    found: dict[int, list[int]] = {}
    for row in sorted(corpus.parts):
        found.setdefault(int(corpus.doc[row]), []).append(row)
    return found
