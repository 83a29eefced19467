"""Which mention of the key matches which mention of the response, and the entity that each belongs to.

An `Alignment` lists every mention of either side once, as a pair (key entity, response entity), with −1 on the side
that lacks it. The twinless policies and the contingency table need to know nothing else.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..corpus.model import Document, IntArray, Span
from ..errors import Issue
from ..integers import bincount
from ..options import Options
from .documents import Pairing
from .matchers import BY, Matching
from .mentions import Side, absent, number_entities
from .other_anaphora import OtherAnaphora
from .words import Words

if TYPE_CHECKING:
    from .splits import Sets, Splits


@dataclass(frozen=True, eq=False)
class Alignment:
    """Mentions × (key entity, response entity), with −1 where a side lacks the mention (a twinless mention).

    `key_rows` and `response_rows` point back to the mentions of `sides` (−1: none, or added by a policy). `origins`
    points back to those of the two corpora. `matching` knows by which rule they matched. Entities are numbered on each
    side from 0 without gaps. `key_block` and `response_block` hold the block of each entity.
    """

    key: IntArray
    response: IntArray
    key_block: IntArray
    response_block: IntArray
    blocks: int
    key_rows: IntArray
    response_rows: IntArray
    sides: tuple[Side, Side]
    documents: Sequence[Document]
    repeats: IntArray  # mentions of sides[0] that count but can never be found: repetitions under --duplicates perl
    matching: Matching
    other_anaphora: OtherAnaphora  # what is annotated in addition to the entities
    splits: Splits | None = None  # split antecedents, where they count

    @cached_property
    def block(self) -> IntArray:
        """The block of each mention."""
        block = np.full(len(self.key), -1, dtype=np.int64)
        has_key, has_response = self.key >= 0, self.response >= 0
        block[has_response] = self.response_block[self.response[has_response]]
        block[has_key] = self.key_block[self.key[has_key]]
        return block

    @cached_property
    def mention(self) -> IntArray:
        """A number for each mention, the same for repetitions of one mention."""
        ours, theirs = (
            _take(numbers, rows)
            for numbers, rows in zip(self.matching.mentions, (self.key_rows, self.response_rows), strict=True)
        )
        return np.where(self.key_rows >= 0, ours, theirs)

    @cached_property
    def repeating(self) -> bool:
        """Whether a mention occurs more than once on a side: under --duplicates perl only."""
        return len(self.repeating_blocks) > 0

    @cached_property
    def repeating_blocks(self) -> IntArray:
        """The blocks in which a mention occurs more than once on a side."""
        found = []
        for entity in (self.key, self.response):
            here = np.flatnonzero(entity >= 0)
            _, first, times = np.unique(self.mention[here], return_index=True, return_counts=True)
            found.append(self.block[here[first[times > 1]]])
        return np.unique(np.concatenate(found))

    @property
    def repeated(self) -> npt.NDArray[np.bool_]:
        """Which mentions are repetitions of the key. No response mention may be matched with them."""
        return np.isin(self.key_rows, self.repeats)

    @property
    def origins(self) -> tuple[IntArray, IntArray]:
        """Each mention as a row of the key and as a row of the response, −1 where a side lacks it."""
        ours, theirs = (
            np.where(rows >= 0, _take(side.origin, rows), -1)
            for side, rows in zip(self.sides, (self.key_rows, self.response_rows), strict=True)
        )
        return ours, theirs

    @cached_property
    def by(self) -> IntArray:
        """The rule by which the two mentions of each row matched, as an index of `BY`. 0 if a side lacks the
        mention."""
        both = (self.key_rows >= 0) & (self.response_rows >= 0)
        return np.where(both, _take(self.matching.by.astype(np.int64), self.response_rows), 0)

    @property
    def elsewhere(self) -> IntArray:
        """The rows whose two mentions matched but differ: they have different words, or are zeros at different
        places."""
        key, response = self.sides
        rows = np.flatnonzero(self.by > BY.index("exact"))
        k, r = self.key_rows[rows], self.response_rows[rows]
        same = (_take(key.start, k) == _take(response.start, r)) & (_take(key.end, k) == _take(response.end, r))
        for n in np.flatnonzero(same).tolist() if key.pieces or response.pieces else ():
            same[n] = key.pieces.get(int(k[n])) == response.pieces.get(int(r[n]))
        apart: IntArray = rows[~same]
        return apart

    @property
    def common(self) -> int:
        """How many mentions both sides have."""
        return int(np.count_nonzero((self.key >= 0) & (self.response >= 0)))

    @property
    def sizes(self) -> tuple[IntArray, IntArray]:
        """The number of mentions of each entity, of the key and of the response."""
        return (
            bincount(self.key[self.key >= 0], minlength=len(self.key_block)),
            bincount(self.response[self.response >= 0], minlength=len(self.response_block)),
        )

    @cached_property
    def rank(self) -> IntArray:
        """The rank of each mention in an order by content (by span, or by name without spans). The order of the input
        does not matter."""
        key, response = self.sides
        on_key = self.key_rows >= 0

        def column(ours: IntArray, theirs: IntArray) -> IntArray:
            return np.where(on_key, _take(ours, self.key_rows), _take(theirs, self.response_rows))

        # documents by label, not by their order in the input
        place = np.argsort(_sorted_positions([d.label for d in self.documents]), kind="stable")
        document = place[column(key.row, response.row)]
        names = self._names()
        if names is None:
            spans = (column(key.end, response.end), column(key.start, response.start), document)
            order = np.lexsort((self._piece_rank(), *spans) if key.parts or response.parts else spans)
        else:
            by_name = np.array(_sorted_positions(names), dtype=np.int64)
            order = by_name[np.argsort(document[by_name], kind="stable")]
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return rank

    def _pieces(self) -> dict[int, tuple[Span, ...]]:
        """The pieces of the discontinuous mentions."""
        found: dict[int, tuple[Span, ...]] = {}
        for side, rows in zip(self.sides, (self.key_rows, self.response_rows), strict=True):
            if side.pieces:
                place = np.full(len(side.row), -1, dtype=np.int64)
                place[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
                found |= {int(place[p]): pieces for p, pieces in side.pieces.items() if place[p] >= 0}
        return found

    def _piece_rank(self) -> IntArray:
        """0 for contiguous mentions. For the others, a number that orders those with the same start and end."""
        rank = np.zeros(len(self.key), dtype=np.int64)
        for place, (_, row) in enumerate(sorted((pieces, row) for row, pieces in self._pieces().items()), start=1):
            rank[row] = place
        return rank

    def _names(self) -> list[Hashable] | None:
        key, response = self.sides
        if key.names is None or response.names is None:
            return None
        return [
            key.names[k] if k >= 0 else response.names[r]
            for k, r in zip(self.key_rows.tolist(), self.response_rows.tolist(), strict=True)
        ]

    def identities(self) -> list[Hashable]:
        """The name of each mention: its own name, or (start, end), or the (start, end) of its pieces if it has
        several."""
        names = self._names()
        if names is not None:
            return names
        key, response = self.sides
        spans: list[Hashable] = [
            (int(key.start[k]), int(key.end[k])) if k >= 0 else (int(response.start[r]), int(response.end[r]))
            for k, r in zip(self.key_rows.tolist(), self.response_rows.tolist(), strict=True)
        ]
        for row, pieces in self._pieces().items():
            spans[row] = pieces
        return spans

    def partitions(self) -> tuple[list[list[Hashable]], list[list[Hashable]]]:
        """The entities of both sides as lists of mentions, for people and for `explain`."""
        identities = self.identities()
        sides: list[list[list[Hashable]]] = []
        for entity, count in ((self.key, len(self.key_block)), (self.response, len(self.response_block))):
            found: list[list[Hashable]] = [[] for _ in range(count)]
            for row in np.flatnonzero(entity >= 0).tolist():
                found[entity[row]].append(identities[row])
            sides.append([cluster for cluster in found if cluster])
        return sides[0], sides[1]

    def without_singletons(self, key: bool, response: bool) -> Alignment:
        """The alignment without entities of one mention on the given sides. Their mentions keep their rows."""
        new_key, new_response = self.key, self.response
        key_sizes, response_sizes = self.sizes
        if key:
            new_key = np.where((self.key >= 0) & (_take(key_sizes, self.key) == 1), -1, self.key)
        if response:
            single = (self.response >= 0) & (_take(response_sizes, self.response) == 1)
            new_response = np.where(single, -1, self.response)
        return replace(self, key=new_key, response=new_response)

    # What the policies for twinless mentions are made of: see `Twins` in twinless.py.

    def without_spurious(self) -> Alignment:
        return self._without_response((self.response >= 0) & (self.key < 0))

    def without_spurious_singletons(self) -> Alignment:
        single = _take(self.sizes[1], self.response) == 1
        return self._without_response((self.response >= 0) & (self.key < 0) & single)

    def with_missing(self) -> Alignment:
        rows = np.flatnonzero((self.key >= 0) & (self.response < 0))
        response = self.response.copy()
        response[rows] = len(self.response_block) + np.arange(len(rows))
        return replace(self, response=response, response_block=np.concatenate((self.response_block, self.block[rows])))

    def with_spurious(self) -> Alignment:
        rows = np.flatnonzero((self.response >= 0) & (self.key < 0))
        key = self.key.copy()
        key[rows] = len(self.key_block) + np.arange(len(rows))
        return replace(self, key=key, key_block=np.concatenate((self.key_block, self.block[rows])))

    def _without_response(self, rows: npt.NDArray[np.bool_]) -> Alignment:
        return replace(self, response=np.where(rows, -1, self.response)).without_empty_rows()

    def without_empty_rows(self) -> Alignment:
        """The alignment without the mentions that are left on neither side."""
        left = (self.key >= 0) | (self.response >= 0)
        if np.count_nonzero(left) == len(left):
            return self
        rows = left.nonzero()[0]
        return replace(
            self,
            key=self.key[rows],
            response=self.response[rows],
            key_rows=self.key_rows[rows],
            response_rows=self.response_rows[rows],
        )


def _take(values: IntArray, rows: IntArray) -> IntArray:
    """values[rows], even if there are no values. Where a row is −1, the result has no meaning."""
    return values[rows] if len(values) else np.zeros(len(rows), dtype=np.int64)


def _before(values: IntArray, more: IntArray) -> IntArray:
    """Both, one after the other, without a copy if there is nothing more."""
    return np.concatenate((values, more)) if len(more) else values


def _sorted_positions(names: Sequence[Hashable]) -> list[int]:
    try:
        return sorted(range(len(names)), key=names.__getitem__)  # type: ignore[arg-type]
    except TypeError:  # names of different types cannot be sorted
        return sorted(range(len(names)), key=lambda p: (type(names[p]).__name__, repr(names[p])))


def aligned(
    matching: Matching,
    pairing: Pairing,
    options: Options,
    other_anaphora: OtherAnaphora,
    words: Words,
    sets: tuple[Sets | None, Sets | None],
    repeats: tuple[IntArray, IntArray],
) -> tuple[Alignment, list[Issue]]:
    """The alignment of matched mentions.

    `words` has all mentions before anything was left out, `sets` the split antecedents, and `repeats` what went as a
    repetition.
    """
    issues: list[Issue] = []
    k, r = matching.key, matching.response
    k_entity, k_block = number_entities(pairing.block[k.row], k.entity)
    r_entity, r_block = number_entities(pairing.block[r.row], r.entity)
    if options.scope != "document" and _confined(k, k_block) and _confined(r, r_block):
        message = f"no entity of either side has mentions in two documents, so --scope {options.scope} changes little"
        issues.append(Issue("scope", message))
    splits = None
    if any(sets):
        from .splits import settled

        splits = settled(words, sets, pairing.block, repeats, matching, (k_entity, r_entity))
    found = matching.found >= 0
    there, lonely = found.nonzero()[0], (~found).nonzero()[0]
    at = matching.found[there]
    twin, twin_entity, nothing = absent(len(k_entity)), absent(len(k_entity)), absent(len(lonely))
    twin[at], twin_entity[at] = there, r_entity[there]
    alignment = Alignment(
        key=_before(k_entity, nothing),
        response=_before(twin_entity, r_entity[lonely]),
        key_block=k_block,
        response_block=r_block,
        blocks=pairing.blocks,
        key_rows=_before(np.arange(len(k_entity)), nothing),
        response_rows=_before(twin, lonely),
        sides=(k, r),
        documents=pairing.documents,
        repeats=np.zeros(0, dtype=np.int64) if matching.blocked is None else matching.blocked,
        matching=matching,
        other_anaphora=other_anaphora,
        splits=splits,
    )
    return alignment, issues


def _confined(side: Side, entity_block: IntArray) -> bool:
    """Whether every entity stays within one document, although the scope may be wider."""
    return len(number_entities(side.row, side.entity)[1]) == len(entity_block)
