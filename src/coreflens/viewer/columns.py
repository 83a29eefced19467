"""Mentions and entities of a side as columns of the whole corpus, of which each document takes its part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray, Span
from ..diagnosis.evidence import Evidence
from ..integers import repeat
from .passages import Passage

ObjectArray = npt.NDArray[np.object_]


def distinct(values: Any, change: Callable[[float], Any]) -> ObjectArray:
    """Values that are changed one by one, as Python objects. Each distinct value is changed once."""
    found, places = np.unique(np.asarray(values, dtype=float), return_inverse=True)
    return objects(map(change, found.tolist()), len(found))[places.reshape(-1)]


def objects(values: Iterable[Any], size: int) -> ObjectArray:
    return np.fromiter(values, dtype=object, count=size)


def rounded(values: Any, decimals: int = 4) -> ObjectArray:
    """Rounded to four decimals by default, because the page does not show more."""
    return distinct(values, lambda x: round(x, decimals))


@dataclass(frozen=True, eq=False)
class Columns:
    """The scored mentions of a side, document after document in the order of the page, and their entities."""

    evidence: Evidence
    side: str
    rows: IntArray  # of the evidence
    bounds: list[int]  # where each document begins, and the end
    at: IntArray  # for each row of the evidence, its number among the mentions of its document; −1: not of this side
    entity: IntArray  # the entity of each mention, by its number in the document
    entities: IntArray  # the entities of each document, in the order of their numbers in the alignment
    entity_bounds: list[int]
    first: IntArray  # the first mention of each

    @classmethod
    def of(cls, evidence: Evidence, side: str, documents: Sequence[IntArray]) -> Columns:
        """`documents`: the mentions of both sides in each document."""
        column = evidence.alignment.key if side == "key" else evidence.alignment.response
        rows = np.concatenate([*documents, np.zeros(0, dtype=np.int64)])
        doc = repeat(np.arange(len(documents)), [len(some) for some in documents])
        there = column[rows] >= 0
        rows, doc = rows[there], doc[there]
        bounds = np.searchsorted(doc, np.arange(len(documents) + 1))
        at = np.full(len(column), -1)
        at[rows] = np.arange(len(rows)) - bounds[doc]
        width = int(column.max(initial=0)) + 1
        codes, first, entity = np.unique(doc * width + column[rows], return_index=True, return_inverse=True)
        of, entities = np.divmod(codes, width)
        begins = np.searchsorted(of, np.arange(len(documents) + 1))
        numbers = entity.reshape(-1) - begins[doc]
        return cls(
            evidence, side, rows, bounds.tolist(), at, numbers, entities, begins.tolist(), rows[first].astype(np.int64)
        )

    def prepare(self) -> None:
        """Find the columns that are found when they are needed."""
        for name in ("_spans", "types", "lines", "labels"):
            getattr(self, name)

    @property
    def place(self) -> int:
        return 0 if self.side == "key" else 1

    def mentions(self, d: int) -> slice:
        """The mentions of a document."""
        return slice(self.bounds[d], self.bounds[d + 1])

    def of_document(self, d: int) -> slice:
        """The entities of a document."""
        return slice(self.entity_bounds[d], self.entity_bounds[d + 1])

    @cached_property
    def types(self) -> ObjectArray:
        return objects(self.evidence.types, len(self.evidence))[self.rows]

    @cached_property
    def lines(self) -> IntArray:
        corpus = self.evidence.key if self.side == "key" else self.evidence.response
        if corpus.line is None:
            return np.zeros(len(self.rows), dtype=np.int64)
        found: IntArray = corpus.line[self.evidence.origin(self.side)[self.rows]]
        return found

    @cached_property
    def labels(self) -> list[str]:
        """What the side calls each entity."""
        corpus = self.evidence.key if self.side == "key" else self.evidence.response
        if not corpus.source:
            return [""] * len(self.entities)
        return [str(corpus.labels[e]) for e in corpus.entity[self.evidence.origin(self.side)[self.first]].tolist()]

    @cached_property
    def _spans(self) -> tuple[IntArray, IntArray, dict[int, tuple[Span, ...]]]:
        """First and last token or character of each mention, and all pieces of those that have several.

        A mention that was matched with a different one has its own place on either side.
        """
        e, own = self.evidence, self.evidence.mention_places
        elsewhere = np.isin(self.rows, e.whole.elsewhere)
        start, end = np.zeros((2, len(self.rows)), dtype=np.int64)
        several: dict[int, tuple[Span, ...]] = {}
        if own.moved:
            for p, (row, other) in enumerate(zip(self.rows.tolist(), elsewhere.tolist(), strict=True)):
                pieces = own.pieces(row, self.place if other else None)
                start[p], end[p] = min(a for a, _ in pieces), max(b for _, b in pieces)
                if len(pieces) > 1:
                    several[p] = pieces
            return start, end, several
        origins = [e.origin(side)[self.rows] for side in ("key", "response")]
        wanted = np.where(elsewhere, self.place, own.own)
        has = np.where(wanted == 0, origins[0], origins[1]) >= 0
        which = np.where(has, wanted, 1 - wanted)
        for side, corpus in enumerate((e.key, e.response)):
            mine = np.flatnonzero(which == side)
            origin = origins[side][mine]
            start[mine], end[mine] = corpus.start[origin], corpus.end[origin]
            if corpus.parts:
                for p, row in zip(mine.tolist(), origin.tolist(), strict=True):
                    if len(pieces := corpus.pieces(row)) > 1:
                        several[p] = pieces
                        start[p], end[p] = min(a for a, _ in pieces), max(b for _, b in pieces)
        return start, end, several

    def spans(self, d: int) -> list[tuple[Span, ...]]:
        """The pieces of each mention of a document."""
        here = self.mentions(d)
        start, end, several = self._spans
        found: list[tuple[Span, ...]] = [
            ((a, b),) for a, b in zip(start[here].tolist(), end[here].tolist(), strict=True)
        ]
        if several:
            return [several.get(p, plain) for p, plain in enumerate(found, here.start)]
        return found

    def to_dict(self, d: int, text: Passage | None, numbers: IntArray, sizes: IntArray) -> dict[str, Any]:
        """A document's mentions as columns, and the entities they belong to. `numbers` and `sizes` of all entities."""
        here, entities = self.mentions(d), self.of_document(d)
        start, end, several = self._spans
        plain = {"start": start[here].tolist(), "end": end[here].tolist(), "pieces": {}}
        if several or (text is not None and text.cuts is not None):
            spans = self.spans(d) if text is None else [tuple(map(text.span, some)) for some in self.spans(d)]
            plain["start"] = [min(a for a, _ in some) for some in spans]
            plain["end"] = [max(b for _, b in some) for some in spans]
            plain["pieces"] = {p: list(map(list, some)) for p, some in enumerate(spans) if len(some) > 1}
        letter, them = self.side[0].upper(), self.entities[entities]
        return plain | {
            "entity": self.entity[here].tolist(),
            "names": None if text is not None else [self.evidence.text(row) for row in self.rows[here].tolist()],
            "types": self.types[here].tolist(),
            "lines": self.lines[here].tolist(),
            "entities": [
                {"name": f"{letter}{number}", "label": label}
                for number, label in zip(numbers[them].tolist(), self.labels[entities], strict=True)
            ],
            "sizes": sizes[them].tolist(),
        }
