"""What the repair of each single error changes: the response entities that it removes, and those that it makes.

It does the same as `repaired` for every error alone, but without a new column for each; a property test compares the
two. An entity that gains or loses a mention is removed, and its new version is made. So every removed entity is the
source of one new entity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..corpus.model import IntArray
from ..integers import repeat
from .classes import (
    CONFLATED,
    DIVIDED,
    EXTRA_ENTITY,
    EXTRA_MENTION,
    MISSING_ANTECEDENT,
    MISSING_ENTITY,
    MISSING_MENTION,
    SPAN,
    Errors,
)
from .evidence import Evidence


@dataclass(frozen=True, eq=False)
class ChangedEntities:
    """New entity m is made by the repair of `error[m]`; the errors are in order.

    It has the mentions of one or more old entities: `source_of` are numbers of new entities, and `source` are old
    entities. Then `sign` is 1 for each mention in `row` that the new entity `row_of` gains, and −1 for each that it
    loses. `source_of` and `row_of` are sorted.
    """

    error: IntArray
    source_of: IntArray
    source: IntArray
    row_of: IntArray
    row: IntArray
    sign: IntArray

    @classmethod
    def of(cls, evidence: Evidence, errors: Errors) -> ChangedEntities:
        old, fresh = evidence.alignment.response, len(evidence.alignment.response_block)
        error, row, entity = _moves(evidence, errors, fresh)
        divided = np.flatnonzero(errors.kind == DIVIDED)
        kept, joined = errors.column[errors.anchor[errors.entity[divided]]], errors.column[_first(errors, divided)]
        divided, kept, joined = (x[kept != joined] for x in (divided, kept, joined))
        leaves, joins = old[row] >= 0, entity >= 0
        width = fresh + 1  # entity `fresh` is one that has no source
        lost, won, merged = error[leaves] * width + old[row[leaves]], (error * width + entity)[joins], divided * width
        made = np.sort(np.concatenate((lost, won, merged + kept)))
        made = made[np.diff(made, prepend=-1) > 0]
        changed = np.flatnonzero(made % width < fresh)
        source_of, source = _sorted(
            np.concatenate((changed, np.searchsorted(made, merged + kept))),
            np.concatenate((made[changed] % width, joined)),
        )
        row_of, row, sign = _sorted(
            np.searchsorted(made, np.concatenate((lost, won))),
            np.concatenate((row[leaves], row[joins])),
            repeat((-1, 1), (len(lost), len(won))),
        )
        return cls(made // width, source_of, source, row_of, row, sign)


def _moves(evidence: Evidence, errors: Errors, fresh: int) -> tuple[IntArray, IntArray, IntArray]:
    """Errors, mentions that move, and their entities: −1 for those that are removed, `fresh` for a new entity."""
    m, column = evidence.alignment, errors.column
    every = repeat(np.arange(len(errors)), np.diff(errors.first))
    kind = errors.kind[every]
    own = np.arange(len(column))
    own[errors.spans.right] = errors.spans.wrong  # the mention that the response has
    row, entity = own[errors.rows], np.full(len(every), -1)
    entity[(kind == CONFLATED) | (kind == MISSING_ENTITY)] = fresh
    span = np.flatnonzero(kind == SPAN)
    row[span] = errors.rows[span]
    entity[span[1::2]] = m.response[errors.rows[span[0::2]]]  # the right one gets the entity of the wrong one
    lacking = kind == MISSING_MENTION
    if lacking.any():
        there = np.flatnonzero((m.key >= 0) & (column >= 0))[::-1]
        present = np.full(len(m.key_block), -1, dtype=np.int64)
        present[m.key[there]] = there
        entity[lacking] = column[present[errors.entity[every[lacking]]]]
    moving = np.isin(kind, (SPAN, CONFLATED, EXTRA_MENTION, EXTRA_ENTITY, MISSING_MENTION, MISSING_ENTITY))
    lone = np.full(fresh, -1, dtype=np.int64)
    lone[column[errors.stranded]] = errors.stranded
    conflated = np.flatnonzero(errors.kind == CONFLATED)
    left = m.sizes[1][errors.entity[conflated]] - errors.sizes[conflated]
    conflated = conflated[(left == 1) & (lone[errors.entity[conflated]] >= 0)]
    parted = np.flatnonzero(errors.kind == MISSING_ANTECEDENT)
    return (
        np.concatenate((every[moving], conflated, parted)),
        np.concatenate((row[moving], lone[errors.entity[conflated]], errors.anchor[errors.entity[parted]])),
        np.concatenate((entity[moving], np.full(len(conflated), -1), column[_first(errors, parted)])),
    )


def _first(errors: Errors, chosen: IntArray) -> IntArray:
    """The first mentions of errors."""
    first: IntArray = errors.rows[errors.first[chosen]]
    return first


def _sorted(by: IntArray, *others: IntArray) -> tuple[IntArray, ...]:
    order = np.argsort(by, kind="stable")
    return by[order], *(other[order] for other in others)
