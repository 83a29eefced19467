"""What the repair of a single error changes: mentions that move between response entities, without a new column.

It is `repaired` for one error; a property test holds the two together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

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

NEW = -1  # the response entity that a repair may found

Cells: TypeAlias = Mapping[int, int]  # key entity (−1: none) → mentions, or how many more


class Moves:
    """The response entities by their cells, and what becomes of them."""

    def __init__(self, evidence: Evidence, errors: Errors) -> None:
        self.errors = errors
        self.key, self.raw = evidence.alignment.key.tolist(), evidence.alignment.response.tolist()
        self.entities: dict[int, Counter[int]] = {}
        for ours, theirs in zip(self.key, self.raw, strict=True):
            if theirs >= 0:
                self.entities.setdefault(theirs, Counter())[ours] += 1
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

    def differences(self, error: int) -> dict[int, dict[int, int]]:
        """Response entity → key entity (−1: none) → mentions it has more when this error alone is put right."""
        found: dict[int, dict[int, int]] = {}

        def add(entity: int, key: int, mentions: int) -> None:
            cells = found.setdefault(entity, {})
            cells[key] = cells.get(key, 0) + mentions

        for row, entity in self._moves(error):
            if self.raw[row] >= 0:
                add(self.raw[row], self.key[row], -1)
            if entity is not None:
                add(entity, self.key[row], 1)
        if self.kind[error] in APART:
            ours, theirs = self._merged(error)
            if ours != theirs:  # what the smaller has goes over: which of them remains is all the same
                small, large = sorted((ours, theirs), key=lambda j: len(self.entities.get(j, ())))
                for key, mentions in (Counter(self.entities.get(small, ())) + Counter(found.get(small, ()))).items():
                    add(small, key, -mentions)
                    add(large, key, mentions)
        return found

    def _merged(self, error: int) -> tuple[int, int]:
        """The response entities that the repair merges; −1 where the anchor is missing."""
        return self.column[self.anchor[self.entity[error]]], self.column[self.rows[error][0]]

    def _moves(self, error: int) -> Iterator[tuple[int, int | None]]:
        """Mentions and where they go."""
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
