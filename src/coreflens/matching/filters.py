"""Mentions that are left out by what they are: non-referring expressions, singletons, verb phrases, nested mentions.

    nonreferring   expressions that refer to nothing (`--without nonreferring`)
    singletons     entities of one mention (`--singletons drop-before`). A mention that occurs twice counts as one
    verbs          mentions whose tree is a VP, and the entities that have one mention after that (`--without verbs`)
    nested         mentions within another one of their entity and sentence (`--without nested`)

The last two are filters of coval (Moosavi et al. 2019). What is left out is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..corpus.model import IntArray
from ..errors import PLACES, Issue, counted
from ..integers import bincount
from .mentions import Side, number_entities

if TYPE_CHECKING:
    from .optimal import Bools

NONREFERRING = {
    "referring": "no",
    "reference": "non_referring",
}  # attribute → its value; the second one is that of ARRAU in MMAX2


def nonreferring(side: Side) -> Bools:
    """Which mentions are marked as referring to nothing."""
    found = np.zeros(len(side.row), dtype=bool)
    for attribute, value in NONREFERRING.items():
        marks = side.source.attributes.get(attribute) if side.source is not None else None
        if marks is not None and len(side.row):
            found |= np.array([mark == value for mark in marks], dtype=bool)[side.origin]
    return found


def has_others(side: Side, code: IntArray, block: IntArray) -> Bools:
    """Which mentions belong to an entity that has another mention."""
    entity, entity_block = number_entities(block[side.row], side.entity)
    if not len(entity):
        return np.zeros(0, dtype=bool)
    order = np.lexsort((code, entity))
    again = (np.diff(entity[order]) == 0) & (np.diff(code[order]) == 0)
    distinct = entity[order[np.append(True, ~again)]]
    several: Bools = bincount(distinct, minlength=len(entity_block))[entity] > 1
    return several


def without_verbs(found: Bools, entity: IntArray) -> Bools:
    """Which mentions stay if these verb phrases go, and with them the entities that have one mention after that."""
    has_verb = _per_entity(entity, found) > 0
    left = _per_entity(entity, ~found)
    stays: Bools = ~found & ~(has_verb & (left <= 1))
    return stays


def _per_entity(entity: IntArray, which: Bools) -> IntArray:
    """For each mention, how many of these mentions its entity has."""
    return bincount(entity, weights=which)[entity].astype(np.int64) if len(entity) else entity


def nested(side: Side) -> Bools:
    """Mentions that lie within a longer one of their entity and sentence."""
    inner = np.zeros(len(side.row), dtype=bool)
    if side.names is not None or not len(side.row):
        return inner
    order = np.lexsort((-side.end, side.start, _sentence(side), side.entity, side.row))
    columns = (side.row, side.entity, _sentence(side))
    new = np.append(True, np.any([c[order][1:] != c[order][:-1] for c in columns], axis=0))
    group, end, start = np.cumsum(new), side.end[order], side.start[order]
    reach = group * (int(end.max()) + 1) + end
    widest = np.maximum.accumulate(reach)
    before = np.append(-1, widest[:-1])
    same = np.append(False, (start[1:] == start[:-1]) & (end[1:] == end[:-1]) & ~new[1:])
    within = ~new & (reach <= before)
    # the same span twice is not nesting: a repetition is treated like the first one
    first = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    inner[order] = within[first]
    return inner


def _sentence(side: Side) -> IntArray:
    """The sentence in which each mention starts, if the source has sentences."""
    corpus = side.source
    if corpus is None or not corpus.has_text or corpus.unit != "token" or corpus.names is not None:
        return np.zeros(len(side.row), dtype=np.int64)
    text = corpus.text
    token = text.first[corpus.doc[side.origin]] + corpus.start[side.origin]
    return np.searchsorted(text.sentences, token, side="right")


def reported(side: Side, which: Bools, name: str, what: str, value: str) -> Iterator[Issue]:
    rows = np.flatnonzero(which)
    if len(rows):
        message = f"{counted(rows, what)} of the {name} left out (--without {value})"
        yield Issue(f"without-{value}-{name}", message, len(rows), _places(side, rows))


def counted_as_mentions(side: Side, which: Bools, name: str) -> Iterator[Issue]:
    rows = which.nonzero()[0]
    if len(rows):
        message = f"{counted(rows, 'non-referring expression')} of the {name} counted as mentions"
        hint = "--without nonreferring, or --protocol ua, leaves them out"
        yield Issue(f"non-referring-{name}", f"{message}: {hint}", len(rows), _places(side, rows))


def _places(side: Side, rows: IntArray) -> tuple[str, ...]:
    assert side.source is not None
    found = (side.source.mention(int(row)).place for row in side.origin[rows[:PLACES]])
    return tuple(filter(None, found))
