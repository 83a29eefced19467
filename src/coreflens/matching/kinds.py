"""The kind of each mention on both sides, for instance a name or a pronoun.

Each side uses the tags of its own words. A side without tags uses those of the other side, if both count the same
tokens.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..corpus.heads import TYPES, mention_types
from ..corpus.model import Corpus, IntArray
from ..corpus.pronouns import KINDS, pronoun_kinds
from .mentions import Side
from .words import Words


class Kinds(NamedTuple):
    """For each mention of a corpus as it was read: its index in `TYPES` and, for pronouns, in `KINDS`; −1 for none."""

    type: IntArray
    pronoun: IntArray


def kinds(words: Words, pair: tuple[IntArray, IntArray]) -> tuple[Kinds, Kinds]:
    """The kinds of the mentions of both sides. `pair` has the pair to which each document of either corpus belongs."""
    sides = words.key, words.response
    found = [_of(side.source) for side in sides]
    for which in (0, 1):
        if not (found[which].type >= 0).any():
            found[which] = _lent(words, sides, pair, which) or found[which]
    return found[0], found[1]


def _of(corpus: Corpus | None) -> Kinds:
    if corpus is None:
        return Kinds(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    return Kinds(_places(mention_types(corpus), TYPES), _places(pronoun_kinds(corpus), KINDS))


def _places(found: list[str], among: tuple[str, ...]) -> IntArray:
    place = {name: n for n, name in enumerate(among)}
    return np.fromiter((place.get(name, -1) for name in found), np.int64, len(found))


def _lent(words: Words, sides: tuple[Side, Side], pair: tuple[IntArray, IntArray], which: int) -> Kinds | None:
    """The kinds of one side's mentions by the words of the other side; None if these do not give a kind."""
    side, other = sides[which], sides[1 - which]
    lender, source = other.source, side.source
    moved = other.corpus is not lender or side.corpus is not source
    if source is None or lender is None or moved or not (lender.has_text and lender.unit == source.unit == "token"):
        return None
    if side.names is not None or other.names is not None:
        return None
    document = np.full(len(words.ground.room), -1, dtype=np.int64)  # the lender's document of each pair
    there = np.flatnonzero(pair[1 - which] >= 0)
    document[pair[1 - which][there]] = there
    doc = document[side.row]
    rows = np.flatnonzero(doc >= 0)
    size = np.diff(lender.text.first)[doc[rows]]
    rows = rows[side.end[rows] < size]
    rows = rows[np.argsort(doc[rows], kind="stable")]
    looked = _of(
        replace(
            lender,
            doc=doc[rows],
            start=side.start[rows],
            end=side.end[rows],
            entity=np.zeros(len(rows), dtype=np.int64),
            labels=[""],
            line=None,
            parts={},
            head=None,
            attributes={},
            relations=(),
            texts=lender.text,
        )
    )
    found = Kinds(np.full(len(source), -1, dtype=np.int64), np.full(len(source), -1, dtype=np.int64))
    for column, values in zip(found, looked, strict=True):
        column[side.origin[rows]] = values
    return found
