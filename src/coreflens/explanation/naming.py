"""Names of mentions and entities: mentions by their words, name or span; entities K1, K2, ... and R1, R2, ..."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from ..corpus.model import Corpus, IntArray
from ..matching.alignment import Alignment
from .trace import Half, Part

_LENGTH = 24  # a mention is cut to this number of characters
_MENTIONS = 20  # a set with more mentions shows only a few of them
_FEW = 3
_PARTS = 6  # the number of parts shown of an entity that is not shown in full
_SHORT = {True: 20, False: 4}  # how many mentions an entity may have to be shown by its mentions, in full or not
_KEPT = 50_000  # texts that are kept


class Names:
    """Names for the mentions and entities of an alignment and of the alignments that policies make from it.

    Entities are numbered in each document in the order of the input, unless `with_numbers` gives other numbers. A
    singleton that a policy adds has no number. It is named after its mention, such as {d}.
    """

    def __init__(self, alignment: Alignment, key: Corpus, response: Corpus, wide: bool) -> None:
        """`wide`: entities may extend over documents, so a mention needs its document's label."""
        self._wide = wide
        self._corpora = key, response
        self._blocks = {"key": alignment.key_block, "response": alignment.response_block}
        self._short = {"key": "K", "response": "R"}
        self._texts: dict[Hashable, str] = {}  # mentions are named in every table
        self._numbers: dict[str, list[int]] = {}
        self._begins: dict[Alignment, IntArray] = {}  # where the mentions of an alignment start
        self._alignment = alignment

    def with_numbers(self, numbers: Mapping[str, IntArray]) -> Names:
        """The same with other numbers for the entities, by side (`key`, `response`)."""
        names = Names(self._alignment, *self._corpora, self._wide)
        names._numbers = {side: found.tolist() for side, found in numbers.items()}
        return names

    def kept(self, what: Hashable, found: Callable[[], str]) -> str:
        """A text that is needed again and again, in the tables of several metrics."""
        if what not in self._texts:
            if len(self._texts) >= _KEPT:
                self._texts.clear()
            self._texts[what] = found()
        return self._texts[what]

    def mention(self, alignment: Alignment, row: int) -> str:
        """Its words and the number of its first token, or its name or span if there is no text."""
        at = int(alignment.key_rows[row])
        mention = (0, at) if at >= 0 else (1, int(alignment.response_rows[row]))
        return self.kept(mention, lambda: self._named(alignment, *mention))

    def counterpart(self, alignment: Alignment, row: int) -> str:
        """The same for the response mention that it matches."""
        return self._named(alignment, 1, int(alignment.response_rows[row]))

    def _named(self, alignment: Alignment, place: int, at: int) -> str:
        side, corpus = alignment.sides[place], self._corpora[place]
        where = f" ({alignment.documents[int(side.row[at])].label})" if self._wide else ""
        if side.names is not None:
            return _name(side.names[at]) + where
        origin = int(side.origin[at])
        if not corpus.has_text:
            return _name((int(side.start[at]), int(side.end[at]))) + where
        start = int(corpus.start[origin])  # its own token, not its place in the common coordinates
        words = " ".join(corpus.words(origin, 2 * _LENGTH).split())
        return f"{words if len(words) <= _LENGTH else words[: _LENGTH - 1].rstrip() + '…'} [{start}]{where}"

    def mentions(self, alignment: Alignment, rows: IntArray) -> str:
        """`a, b, c`, in the order of the text if there is one. Long lists are cut."""
        if len(rows) > 1 and alignment.sides[0].names is None:
            rows = rows[np.argsort(self._starts(alignment, rows), kind="stable")]
        few = len(rows) if len(rows) <= _MENTIONS else _FEW
        shown = [self.mention(alignment, row) for row in rows[:few].tolist()]
        return ", ".join([*shown, *([f"… {len(rows) - few} more"] if len(rows) > few else [])])

    def set(self, alignment: Alignment, rows: IntArray) -> str:
        return self.kept((alignment, rows.tobytes()), lambda: f"{{{self.mentions(alignment, rows)}}}")

    def entity(self, half: Half, entity: int) -> str:
        """The name of an entity of a half's table."""
        number = self.number(half.side, half.called[entity])
        return number or self.set(half.alignment, half.members(entity))

    def entities(self, half: Half, entities: Iterable[int], in_full: bool) -> list[str]:
        """The names of several entities of a half's table, with their first mentions if not all are listed."""
        name = self.entity if in_full else self.described
        return [name(half, entity) for entity in entities]

    def part_sets(
        self, half: Half, entities: Iterable[int], parts: Iterable[Sequence[Part]], in_full: bool
    ) -> list[str]:
        """`{a, b} {c}`: entities as the other side divides them. For a large entity, the entities that have its parts:
        `R1: 120`."""
        return [
            self.kept((half.alignment, half.which, e, in_full), partial(self._part_sets, half, e, own, in_full))
            for e, own in zip(entities, parts, strict=True)
        ]

    def _part_sets(self, half: Half, entity: int, parts: Sequence[Part], in_full: bool) -> str:
        if half.sizes[entity] <= _SHORT[in_full]:
            shown, more = largest(parts, in_full)
            sets = [self.set(half.alignment, part.rows) for part in shown]
            return " ".join([*sets, *([f"… {more} more"] if more else [])])
        names = {part.other: self.number(half.other_side, part.other) for part in parts if part.other >= 0}
        shown, more = largest([part for part in parts if names.get(part.other)], in_full)
        pieces = [f"{names[part.other]}: {len(part.rows)}" for part in shown]
        if more:
            pieces.append(f"… {more} more")
        if lonely := sum(part.other < 0 for part in parts):
            pieces.append(f"twinless: {lonely}")
        if added := sum(not name for name in names.values()):
            pieces.append(f"added: {added}")
        return ", ".join(pieces)

    def described(self, half: Half, entity: int) -> str:
        """The name of an entity with its first mention, for use when the entities are not listed."""
        number = self.number(half.side, half.called[entity])
        if not number:
            return self.entity(half, entity)
        what = half.alignment, half.side, entity
        return self.kept(what, lambda: f"{number} ({self._first(half, entity)})")

    def _first(self, half: Half, entity: int) -> str:
        """The first mention of an entity."""
        rows = half.members(entity)
        if half.alignment.sides[0].names is None:
            rows = rows[np.argmin(self._starts(half.alignment, rows))][None]
        return self.mention(half.alignment, int(rows[0]))

    def other(self, half: Half, number: int) -> str:
        """The name of an entity of the other side, by its number in the alignment."""
        return self.number(half.other_side, number) or self._added(half, number)

    def number(self, side: str, number: int) -> str:
        """K3, or nothing for a singleton that a policy added."""
        if side not in self._numbers:
            block = self._blocks[side]
            self._numbers[side] = (np.arange(len(block)) - np.searchsorted(block, block) + 1).tolist()
        numbers = self._numbers[side]
        return f"{self._short[side]}{numbers[number]}" if number < len(numbers) else ""

    def label(self, half: Half, members: IntArray) -> str:
        """The name of an entity in the input; empty if the name is only its position in a list."""
        place = 0 if half.side == "key" else 1
        rows = (half.alignment.key_rows, half.alignment.response_rows)[place][members]
        if not len(rows) or rows[0] < 0:
            return ""
        corpus = self._corpora[place]
        return str(corpus.labels[int(half.alignment.sides[place].entity[rows[0]])]) if corpus.source else ""

    def _added(self, half: Half, number: int) -> str:
        entity = half.alignment.response if half.side == "key" else half.alignment.key
        return self.set(half.alignment, np.flatnonzero(entity == number))

    def _starts(self, alignment: Alignment, rows: IntArray) -> IntArray:
        if alignment not in self._begins:
            starts = np.empty(len(alignment.key_rows), dtype=np.int64)
            in_key = alignment.key_rows >= 0
            starts[in_key] = alignment.sides[0].start[alignment.key_rows[in_key]]
            starts[~in_key] = alignment.sides[1].start[alignment.response_rows[~in_key]]
            self._begins[alignment] = starts
        found: IntArray = self._begins[alignment][rows]
        return found


def largest(parts: Sequence[Part], in_full: bool) -> tuple[Sequence[Part], int]:
    """The parts to show (all in their order, or the largest if there are many), and the number of the others."""
    if in_full or len(parts) <= _PARTS:
        return parts, 0
    return sorted(parts, key=lambda part: -len(part.rows))[: _PARTS - 1], len(parts) - _PARTS + 1


def _name(name: Hashable) -> str:
    if isinstance(name, Sequence) and not isinstance(name, str) and len(name) == 2:
        return str(name[0]) if name[0] == name[1] else f"{name[0]}–{name[1]}"
    return str(name)
