"""Mentions that occur more than once on a side: which ones stay, and which ones may be matched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..corpus.model import Corpus, IntArray, Mention
from ..errors import PLACES, InputError, Issue, UsageError, counted
from ..options import Options
from .mentions import Side, number_entities, repeated
from .selection import NAMES

REFUSED = 10  # scorer.pl refuses a response with more repeated mentions than this


def resolved(
    codes: tuple[IntArray, IntArray],
    sides: tuple[Side, Side],
    corpora: tuple[Corpus, Corpus],
    policy: str,
    issues: list[Issue],
    block: IntArray,
) -> tuple[slice | IntArray, slice | IntArray, IntArray | None]:
    """Which mentions stay if a mention occurs twice on one side, and which key mentions may not be matched.

    first   the one that opens first stays; last: the one that opens last; error: none may occur twice.
    perl    as scorer.pl v8.01 counts them. In the response, a mention that the key has loses its repetitions (the
            entity that opened first keeps it), and spurious ones are kept. In the key, all stay, and the one of the
            entity that opened last is matched. metrics/repetitions.py shows how its five metrics count these, and
            Matched counts each span once in mention detection.

    `block` is the block of each document: an entity of --scope corpus opened in the first document that has it.
    """
    stays: list[slice | IntArray] = [slice(None), slice(None)]
    blocked: IntArray | None = None
    for s, name in enumerate(NAMES):
        if not repeated(codes[s]):
            continue
        repetitions = _repetitions(codes[s], sides[s], policy, name, block)
        if policy == "perl" and name == "response":  # spurious ones are kept
            repetitions = repetitions[np.isin(codes[1][repetitions], codes[0])]
        mentions = [corpora[s].mention(int(sides[s].origin[row])) for row in repetitions[:PLACES].tolist()]
        if policy == "error":
            raise _occurs_twice(mentions[0], name, repetitions)
        if policy == "perl" and name == "key":
            blocked = repetitions
        else:
            stays[s] = _others(repetitions, len(codes[s]))
        if len(repetitions):
            issues.append(_report(repetitions, mentions, policy, name))
    return stays[0], stays[1], blocked


def _repetitions(code: IntArray, side: Side, policy: str, name: str, block: IntArray) -> IntArray:
    """All but one copy of each mention."""
    order = np.arange(len(code))
    if policy == "perl":
        order = np.argsort(_entity_opening(side, block), kind="stable")
    if policy == "last" or (policy == "perl" and name == "key"):
        order = order[::-1]
    first = order[np.unique(code[order], return_index=True)[1]]
    return _others(first, len(code))


def _occurs_twice(mention: Mention, name: str, repetitions: IntArray) -> InputError:
    return InputError(
        f"mention {mention.identity} occurs twice in the {name} ({counted(repetitions, 'repetition')} in all)",
        file=mention.document.file or None,
        line=mention.line or None,
        hint="--duplicates first scores the one that opens first",
    )


def _report(repetitions: IntArray, mentions: Sequence[Mention], policy: str, name: str) -> Issue:
    kept = policy == "perl" and name == "key"
    done = "kept, the last one matched" if kept else "repetitions left out"
    message = f"{counted(repetitions, 'repeated mention')} in the {name}: {done} (--duplicates {policy})"
    if policy == "perl" and name == "response" and len(repetitions) > REFUSED:
        message += f"; scorer.pl itself refuses a response with more than {REFUSED}"
    places = tuple(mention.place for mention in mentions if mention.place)
    return Issue(f"duplicates-{name}", message, len(repetitions), places)


def _others(rows: IntArray, number: int) -> IntArray:
    """All rows except these."""
    left = np.ones(number, dtype=bool)
    left[rows] = False
    return np.flatnonzero(left)


def _entity_opening(side: Side, block: IntArray) -> IntArray:
    """For each mention, the place of its entity in the order in which scorer.pl reads the entities of a document.

    It reads the one-token mentions of a cell before those that only open there.
    """
    order = np.lexsort((np.arange(len(side.start)), side.end > side.start, side.start, side.row))
    entity, _ = number_entities(block[side.row], side.entity)
    first = np.full(int(entity.max()) + 1, len(order), dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    np.minimum.at(first, entity, place)
    return first[entity]


def copies(
    codes: tuple[IntArray, IntArray], sides: tuple[Side, Side], options: Options, issues: list[Issue]
) -> tuple[IntArray, IntArray]:
    """Codes by which only a mention that occurs twice in one entity is a repetition. Mentions of several entities are
    reported."""
    if options.duplicates == "perl":
        raise UsageError("--multi each and --duplicates perl both say how mentions of several entities count: use one")
    found = []
    for code, side, name in zip(codes, sides, NAMES, strict=True):
        entity = number_entities(side.row, side.entity)[0]
        dense = np.unique(code, return_inverse=True)[1].reshape(-1) if len(code) else code
        own = dense * (int(entity.max(initial=-1)) + 1) + entity
        first = np.unique(own, return_index=True)[1] if len(own) else own
        _, place, times = np.unique(code[first], return_index=True, return_counts=True)
        several = first[np.sort(place[times > 1])]
        if len(several):
            assert side.source is not None
            places = (side.source.mention(int(row)).place for row in side.origin[several[:PLACES]])
            message = f"{counted(several, f'{name} mention')} of several entities: counted in each (--multi each)"
            issues.append(Issue(f"multi-{name}", message, len(several), tuple(filter(None, places))))
        found.append(own)
    return found[0], found[1]
