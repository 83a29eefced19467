"""Repairs: a corrected response is another column of entities for the same mentions.

The chosen classes are corrected in the order of `CLASSES`:

    conflated entities   the piece becomes an entity of its own
    extra mention/entity the mentions are removed; a spurious anchor is removed as soon as it is alone
    divided entity       the response entity of the piece is merged with that of the key entity's anchor
    missing antecedent   the same, and the anchor is added
    missing mention      joins the first mention of its key entity that the response has
    missing entity       its mentions, also those in other entities, become an entity of their own

If all errors are corrected, the response equals the key, without the repetitions that --duplicates perl never matches.
If only some are corrected, pieces are not pure: merging them merges whole response entities, as in the analyser of
Kummerfeld & Klein.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus.model import Corpus, IntArray, Span
from ..errors import UsageError
from ..integers import bincount, repeat
from ..matching.alignment import Alignment
from .classes import (
    APART,
    CONFLATED,
    EXTRA_ENTITY,
    EXTRA_MENTION,
    MISSING_ENTITY,
    MISSING_MENTION,
    SPAN,
    Errors,
)
from .evidence import Evidence


class Correction(NamedTuple):
    """A corrected response: the entity of each mention (−1: none), and the only block in which it differs from the
    response as it is; None if it may differ in several."""

    column: IntArray
    block: int | None = None


def correction(evidence: Evidence, errors: Errors, chosen: npt.NDArray[np.bool_]) -> Correction:
    """The response with the chosen errors corrected."""
    rows = errors.rows[repeat(chosen, np.diff(errors.first))]
    return Correction(repaired(evidence, errors, chosen), evidence.only_block(rows))


def repaired(evidence: Evidence, errors: Errors, chosen: npt.NDArray[np.bool_]) -> IntArray:
    """The entity of each mention (−1: none) when the chosen errors are corrected."""
    column = errors.column.copy()
    fresh = len(evidence.alignment.response_block)  # numbers of new entities, one per error
    number = repeat(fresh + np.arange(len(errors)), np.diff(errors.first))
    of = repeat(np.where(chosen, errors.kind, -1), np.diff(errors.first))

    column[errors.rows[of == CONFLATED]] = number[of == CONFLATED]
    column[errors.rows[(of == EXTRA_MENTION) | (of == EXTRA_ENTITY)]] = -1
    left = bincount(column[column >= 0], minlength=fresh + len(errors))
    stranded = errors.stranded[left[column[errors.stranded]] == 1]
    column[stranded] = -1
    _merge(column, errors, np.flatnonzero(chosen & np.isin(errors.kind, APART)), fresh)
    joining = errors.rows[of == MISSING_MENTION]
    if len(joining):
        key = evidence.alignment.key
        there = np.flatnonzero((key >= 0) & (column >= 0))[::-1]
        first = np.full(len(evidence.alignment.key_block), -1, dtype=np.int64)
        first[key[there]] = there
        column[joining] = column[first[key[joining]]]
    column[errors.rows[of == MISSING_ENTITY]] = number[of == MISSING_ENTITY]

    kept = ~chosen[errors.kind == SPAN]
    wrong, right = errors.spans.wrong[kept], errors.spans.right[kept]
    column[wrong], column[right] = column[right], -1
    return column


def _merge(column: IntArray, errors: Errors, divided: IntArray, fresh: int) -> None:
    """Join response entities across the pieces of key entities, in place."""
    if not len(divided):
        return
    anchor, piece = errors.anchor[errors.entity[divided]], errors.rows[errors.first[divided]]
    new = anchor[column[anchor] < 0]
    column[new] = fresh + divided[column[anchor] < 0]  # if an entity has several errors, the last one gives the number
    parent: dict[int, int] = {}  # only for entities that are joined to another one
    for kept, joined in zip(column[anchor].tolist(), column[piece].tolist(), strict=True):
        while kept in parent:
            kept = parent[kept]
        while joined in parent:
            joined = parent[joined]
        if joined != kept:
            parent[joined] = kept
    roots = np.arange(fresh + len(errors))
    roots[[*parent]] = [*parent.values()]
    while ((above := roots[roots]) != roots).any():
        roots = above
    there = column >= 0
    column[there] = roots[column[there]]


def entity_repaired(evidence: Evidence, errors: Errors, entity: int) -> IntArray:
    """The column when one key entity is corrected: exactly its mentions, with corrected spans, are in one entity."""
    rows = np.flatnonzero(evidence.attainable == entity)
    column = evidence.alignment.response.copy()
    column[errors.spans.wrong[np.isin(errors.spans.right, rows)]] = -1
    column[rows] = len(evidence.alignment.response_block)
    return column


def mention_repaired(evidence: Evidence, errors: Errors, row: int) -> IntArray:
    """The column when one mention is corrected. A spurious mention is removed, or gets its right span. Any other
    mention joins the response entity that has most mentions of its key entity (the first one of several), or a new
    entity if no response entity has any. A repetition that no response can have stays as it is.
    """
    m, column = evidence.alignment, evidence.alignment.response.copy()
    if m.key[row] >= 0 and evidence.attainable[row] < 0:
        return column
    span = np.flatnonzero((errors.spans.wrong == row) | (errors.spans.right == row))
    if len(span):
        wrong, right = int(errors.spans.wrong[span[0]]), int(errors.spans.right[span[0]])
        column[wrong], row = -1, right
    if m.key[row] < 0:
        column[row] = -1
        return column
    others = np.flatnonzero((m.key == m.key[row]) & (column >= 0) & (np.arange(len(column)) != row))
    entities, first, counts = np.unique(column[others], return_index=True, return_counts=True)
    best = np.lexsort((first, -counts))
    column[row] = entities[best[0]] if len(entities) else len(m.response_block)
    return column


def _complete(evidence: Evidence, column: IntArray) -> IntArray:
    """The column with the singletons that were left out, where the column has no entity for them."""
    left_out = (evidence.whole.response >= 0) & (evidence.alignment.response < 0) & (column < 0)
    fresh = int(column.max(initial=-1)) + 1
    return np.where(left_out, fresh + np.cumsum(left_out) - 1, column)


def realigned(evidence: Evidence, column: IntArray, rows: IntArray | None = None) -> Alignment:
    """The alignment with another response. `rows`: only these mentions."""
    column = _complete(evidence, column)
    block = np.zeros(int(column.max(initial=-1)) + 1, dtype=np.int64)
    there = column >= 0
    block[column[there]] = evidence.whole.block[there]
    changed = replace(evidence.whole, response=column, response_block=block, splits=None)
    if rows is not None:
        names = ("key", "response", "key_rows", "response_rows")
        changed = replace(changed, **{name: getattr(changed, name)[rows] for name in names})
    return changed.without_empty_rows()


def corrected(evidence: Evidence, column: IntArray) -> Corpus:
    """The response with these entities, to be written to a file. A mention of the response keeps its own span."""
    key, response, m = evidence.key, evidence.response, evidence.alignment
    column = _complete(evidence, column)
    there = np.flatnonzero(column >= 0)
    ours, theirs = evidence.origin("key")[there], evidence.origin("response")[there]
    own = theirs >= 0
    base = evidence.source
    doc = evidence.doc[there]
    if (doc < 0).any():  # a document that only the other side has
        base = response if base is key else key
        rows = evidence.pairing.response_row if base is response else evidence.pairing.key_row
        place = np.full(len(evidence.documents), -1, dtype=np.int64)
        place[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
        doc = place[evidence.row[there]]
        if (doc < 0).any():
            raise UsageError("each side has documents that the other lacks, so no side has the text of all documents")

    def merged(name: str) -> IntArray:
        k, r = (getattr(side, name) for side in m.sides)
        kr, rr = m.key_rows[there], m.response_rows[there]
        found: IntArray = np.where(own, r[rr] if len(r) else 0, k[kr] if len(k) else 0)
        return found

    start, end = merged("start"), merged("end")
    order = np.lexsort((np.arange(len(there)), -end, start, doc))
    parts: dict[int, tuple[Span, ...]] = {}
    for number, at in enumerate(order.tolist()):
        corpus, row = (response, theirs[at]) if own[at] else (key, ours[at])
        if int(row) in corpus.parts:
            parts[number] = corpus.parts[int(row)]
    _, entity = np.unique(column[there], return_inverse=True)
    return Corpus(
        documents=base.documents,
        doc=doc[order],
        start=start[order],
        end=end[order],
        entity=entity[order],
        labels=range(int(entity.max(initial=-1)) + 1),
        names=_own_names(evidence, there[order]),
        source=response.source,
        format=base.format,
        unit=base.unit,
        parts=parts,
        texts=base.texts,
    )


def _own_names(evidence: Evidence, rows: IntArray) -> list[Hashable] | None:
    """The names of mentions without spans: the response's, which may differ from that of the key's twin."""
    if evidence.names is None:
        return None
    theirs, response_rows = evidence.alignment.sides[1].names, evidence.alignment.response_rows
    assert theirs is not None
    return [theirs[response_rows[row]] if response_rows[row] >= 0 else evidence.names[row] for row in rows.tolist()]
