"""What the repair of a single error changes: the mentions that move between response entities.

It does the same as `repaired` for one error, but without a new column; a property test compares the two. Response
entities are described by their cells with key entities, in three tables. A mention counts in the key entity that is its
home (`HOME`), or in every key entity that has it, either once (`ONCE`) or as often as the entity has it (`TIMES`). The
three differ only if repetitions count as in scorer.pl.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias, TypeVar

from .classes import (
    APART,
    CONFLATED,
    EXTRA_ENTITY,
    EXTRA_MENTION,
    MISSING_ANTECEDENT,
    MISSING_ENTITY,
    MISSING_MENTION,
    SPAN,
    Errors,
)
from .evidence import Evidence

NEW = -1  # the response entity that a repair may create
HOME, ONCE, TIMES = range(3)

T = TypeVar("T")
Cells: TypeAlias = Mapping[int, int]  # key entity (−1: none) → number of mentions, or its change


class Moves:
    """The response entities by their cells, and how repairs change them."""

    def __init__(self, evidence: Evidence, errors: Errors) -> None:
        self.errors = errors
        self.key, self.raw = evidence.alignment.key.tolist(), evidence.alignment.response.tolist()
        self.met = _met(evidence, self.key)
        self.tables = _each([_cells(met, self.raw) for met in self.met])
        self.entities = self.tables[HOME]
        self.wrong_of = dict(zip(errors.spans.right.tolist(), errors.spans.wrong.tolist(), strict=True))
        self.column, self.anchor = errors.column.tolist(), errors.anchor.tolist()
        self.stranded = {self.column[row]: row for row in errors.stranded.tolist()}
        self.present: dict[int, int] = {}
        for row, (ours, theirs) in enumerate(zip(self.key, self.column, strict=True)):
            if ours >= 0 and theirs >= 0:
                self.present.setdefault(ours, row)
        rows, first = errors.rows.tolist(), errors.first.tolist()
        self.rows = [rows[a:b] for a, b in pairwise(first)]
        self.kind, self.entity = errors.kind.tolist(), errors.entity.tolist()

    def differences(self, error: int) -> list[dict[int, dict[int, int]]]:
        """By table: response entity → key entity → change of the number of mentions if this error alone is corrected.

        A mention that is not in the key counts in the table `HOME`, for −1.
        """
        moves = list(self._moves(error))
        merged = sorted(self._merged(error), key=lambda j: len(self.entities.get(j, ())))
        every = []
        for met, entities in zip(self.met, self.tables, strict=False):
            found: dict[int, dict[int, int]] = {}
            for row, entity in moves:
                for key in met[row]:
                    if self.raw[row] >= 0:
                        _add(found, self.raw[row], key, -1)
                    if entity is not None:
                        _add(found, entity, key, 1)
            if merged and merged[0] != merged[1]:
                small, large = merged  # the mentions of the smaller one move to the larger one
                for key, mentions in (Counter(entities.get(small, ())) + Counter(found.get(small, ()))).items():
                    _add(found, small, key, -mentions)
                    _add(found, large, key, mentions)
            every.append(found)
        return _each(every)

    def _merged(self, error: int) -> tuple[int, ...]:
        """The two response entities that the repair merges, −1 if the anchor is missing; none if it merges none."""
        if self.kind[error] not in APART:
            return ()
        return self.column[self.anchor[self.entity[error]]], self.column[self.rows[error][0]]

    def _moves(self, error: int) -> Iterator[tuple[int, int | None]]:
        """The mentions that move, and their new entities."""
        kind, rows, entity = self.kind[error], self.rows[error], self.entity[error]
        if kind == SPAN:
            wrong, right = rows
            yield wrong, None
            yield right, self.raw[wrong]
        elif kind == CONFLATED:
            for row in rows:
                yield self.wrong_of.get(row, row), NEW
            if entity in self.stranded and self.entities[entity].total() - len(rows) == 1:
                yield self.stranded[entity], None
        elif kind in (EXTRA_MENTION, EXTRA_ENTITY):
            for row in rows:
                yield row, None
        elif kind == MISSING_ANTECEDENT:
            yield self.anchor[entity], NEW
        elif kind == MISSING_MENTION:
            yield rows[0], self.column[self.present[entity]]
        elif kind == MISSING_ENTITY:
            for row in rows:
                yield self.wrong_of.get(row, row), NEW


def _each(tables: list[T]) -> list[T]:
    """The three tables. If no mention is repeated, they are the same."""
    return tables if len(tables) > 1 else tables * 3


def _add(found: dict[int, dict[int, int]], entity: int, key: int, mentions: int) -> None:
    cells = found.setdefault(entity, {})
    cells[key] = cells.get(key, 0) + mentions


def _met(evidence: Evidence, home: list[int]) -> list[list[tuple[int, ...]]]:
    """By table: the key entities in which each mention counts."""
    met: list[list[tuple[int, ...]]] = [[(key,) for key in home]]
    if evidence.matched.repeating:
        mention = evidence.alignment.mention.tolist()
        entities: dict[int, list[int]] = {}
        for key, m in zip(home, mention, strict=True):
            if key >= 0:
                entities.setdefault(m, []).append(key)
        once = {m: tuple(dict.fromkeys(keys)) for m, keys in entities.items()}
        met += [[once.get(m, ()) for m in mention], [tuple(entities.get(m, ())) for m in mention]]
    return met


def _cells(met: list[tuple[int, ...]], entity: list[int]) -> dict[int, Counter[int]]:
    """Response entity → key entity → mentions."""
    found: dict[int, Counter[int]] = {}
    for keys, theirs in zip(met, entity, strict=True):
        if theirs >= 0:
            cells = found.setdefault(theirs, Counter())
            for key in keys:
                cells[key] += 1
    return found
