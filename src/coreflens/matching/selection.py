"""Which mentions take part: what is left out of both sides before mentions are matched, in this order.

    nonreferring   expressions that refer to nothing (`--without nonreferring`)
    singletons     entities of one mention (`--singletons drop-before`); the same mention twice is one
    verbs          mentions whose tree is a VP, and the entities that have one mention after that (`--without verbs`)
    nested         mentions within another one of their entity and sentence (`--without nested`)

The last two are filters of coval (Moosavi et al. 2019). Everything left out is reported with its places.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from ..corpus.model import IntArray
from ..errors import PLACES, Issue, counted
from ..protocols import Options
from .documents import Pairing
from .mentions import Side, number_entities
from .minimum import verbal
from .optimal import Bools
from .places import Ground

NAMES = ("key", "response")
NONREFERRING = {
    "referring": "no",
    "reference": "non_referring",
}  # attribute → its value; the latter is ARRAU's in MMAX2
Sides: TypeAlias = tuple[Side, Side]
Codes: TypeAlias = tuple[IntArray, IntArray]


def selected(
    sides: Sides, codes: Codes, pairing: Pairing, options: Options, ground: Ground
) -> tuple[Sides, Codes, list[Issue]]:
    """The sides and their codes with the mentions that take part, and what to say of the others."""
    issues: list[Issue] = []
    out = options.without.split(",")
    parts = []
    for name, side, code in zip(NAMES, sides, codes, strict=True):
        marked = nonreferring(side)
        if "nonreferring" in out:
            issues += _left_out(side, marked, name, "non-referring expression", "nonreferring")
            side, code = _kept(side, code, ~marked)
        else:
            issues += _counted(side, marked, name)
        if options.singletons == "drop-before":
            side, code = _kept(side, code, _plural(side, code, pairing))
        parts.append((side, code))
    if "verbs" in out:
        found = verbal(parts[0][0], parts[1][0], ground)
        for s, name in enumerate(NAMES):
            side, code = parts[s]
            entity = number_entities(pairing.block[side.row], side.entity)[0]
            hit, left = _has(entity, found[s]), _per_entity(entity, ~found[s])
            issues += _left_out(side, found[s], name, "verb phrase", "verbs")
            parts[s] = _kept(side, code, ~found[s] & ~(hit & (left <= 1)))
    if "nested" in out:
        for s, name in enumerate(NAMES):
            side, code = parts[s]
            inner = _nested(side)
            issues += _left_out(side, inner, name, "nested mention", "nested")
            side, code = _kept(side, code, ~inner)
            if options.singletons == "drop-before":
                side, code = _kept(side, code, _plural(side, code, pairing))
            parts[s] = side, code
    return (parts[0][0], parts[1][0]), (parts[0][1], parts[1][1]), issues


def nonreferring(side: Side) -> Bools:
    """Which mentions are marked as referring to nothing."""
    found = np.zeros(len(side.row), dtype=bool)
    for attribute, value in NONREFERRING.items():
        marks = side.source.attributes.get(attribute) if side.source is not None else None
        if marks is not None and len(side.row):
            found |= np.array([mark == value for mark in marks], dtype=bool)[side.origin]
    return found


def _kept(side: Side, code: IntArray, keep: Bools) -> tuple[Side, IntArray]:
    if keep.all():
        return side, code
    rows = np.flatnonzero(keep)
    return side.keep(rows), code[rows]


def _plural(side: Side, code: IntArray, pairing: Pairing) -> Bools:
    """Which mentions are of an entity that has another one."""
    entity, block = number_entities(pairing.block[side.row], side.entity)
    if not len(entity):
        return np.zeros(0, dtype=bool)
    order = np.lexsort((code, entity))
    again = (np.diff(entity[order]) == 0) & (np.diff(code[order]) == 0)
    distinct = entity[order[np.append(True, ~again)]]
    several: Bools = np.bincount(distinct, minlength=len(block))[entity] > 1
    return several


def _per_entity(entity: IntArray, which: Bools) -> IntArray:
    """For each mention how many of these its entity has."""
    return np.bincount(entity, weights=which)[entity].astype(np.int64) if len(entity) else entity


def _has(entity: IntArray, which: Bools) -> Bools:
    return _per_entity(entity, which) > 0


def _nested(side: Side) -> Bools:
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
    # the same span twice is no nesting: such a one is what the first of them is
    first = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    inner[order] = within[first]
    return inner


def _sentence(side: Side) -> IntArray:
    """The sentence in which each mention starts, where the source has sentences."""
    corpus = side.source
    if corpus is None or not corpus.has_text or corpus.unit != "token" or corpus.names is not None:
        return np.zeros(len(side.row), dtype=np.int64)
    text = corpus.text
    token = text.first[corpus.doc[side.origin]] + corpus.start[side.origin]
    return np.searchsorted(text.sentences, token, side="right")


def _left_out(side: Side, which: Bools, name: str, what: str, value: str) -> Iterator[Issue]:
    rows = np.flatnonzero(which)
    if len(rows):
        message = f"{counted(rows, what)} of the {name} left out (--without {value})"
        yield Issue(f"without-{value}-{name}", message, len(rows), _places(side, rows))


def _counted(side: Side, which: Bools, name: str) -> Iterator[Issue]:
    rows = np.flatnonzero(which)
    if len(rows):
        message = f"{counted(rows, 'non-referring expression')} of the {name} counted as mentions"
        hint = "--without nonreferring, or --protocol ua, leaves them out"
        yield Issue(f"non-referring-{name}", f"{message}: {hint}", len(rows), _places(side, rows))


def _places(side: Side, rows: IntArray) -> tuple[str, ...]:
    assert side.source is not None
    found = (side.source.mention(int(row)).place for row in side.origin[rows[:PLACES]])
    return tuple(filter(None, found))
