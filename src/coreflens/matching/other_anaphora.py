"""What is annotated in addition to the entities: expressions that refer to nothing, bridging, split antecedents.

It is compared by exact spans, whatever `--match` is, and on all mentions that were read, even those that are left out
of the entities. For instance, an anchor may be non-referring.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..corpus.model import Corpus, IntArray
from ..errors import PLACES, Issue, counted
from .mentions import Side, first_places, number_entities
from .words import Words

if TYPE_CHECKING:
    from .kinds import Kinds
    from .optimal import Bools


class Items(NamedTuple):
    """Things that one side annotates: their blocks, which of them the other side also has, the mentions as rows of the
    corpus of that side, and their codes."""

    block: IntArray
    right: Bools
    row: IntArray
    code: IntArray


class Bridges(NamedTuple):
    """Bridging anaphors of one side, each once: block, code of the anaphor, code of its anchor, and the row of the
    anchor in the key's corpus (−1: the key does not have it). Then anaphor and anchor as rows of the side's own
    corpus."""

    block: IntArray
    anaphor: IntArray
    anchor: IntArray
    key_row: IntArray
    row: IntArray
    anchor_row: IntArray


class OtherAnaphora:
    """Both sides as they were before anything was left out, and the block of each pair of documents.

    pairs   for either corpus, the pair to which each of its documents belongs
    block   if given, only this block is used
    whole   the same of all blocks, which finds the kinds of the mentions once for all
    """

    def __init__(
        self,
        words: Words,
        blocks: IntArray,
        pairs: tuple[IntArray, IntArray],
        block: int | None = None,
        whole: OtherAnaphora | None = None,
    ) -> None:
        self.words = words
        self.blocks = blocks
        self.pairs = pairs
        self.block = block
        self.whole = whole

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.words.key, self.words.response

    @cached_property
    def kinds(self) -> tuple[Kinds, Kinds]:
        """Names, pronouns and so on among the mentions of both corpora as they were read."""
        if self.whole is not None:
            return self.whole.kinds
        from .kinds import kinds

        return kinds(self.words, self.pairs)

    def only(self, block: int) -> OtherAnaphora:
        """One of the blocks, as number 0."""
        return OtherAnaphora(self.words, self.blocks, self.pairs, block, whole=self.whole or self)

    def _of_block(self, items: Items) -> Items:
        if self.block is None:
            return items
        here = items.block == self.block
        return Items(np.zeros(int(here.sum()), dtype=np.int64), items.right[here], items.row[here], items.code[here])

    # Expressions that refer to nothing

    @cached_property
    def nonreferring(self) -> tuple[Items, Items]:
        """The non-referring expressions of each side: the first mention of each entity that is marked as
        non-referring."""
        from .filters import nonreferring

        found = []
        for side, code in zip(self.sides, self.words.codes, strict=True):
            rows = np.flatnonzero(nonreferring(side))
            rows = rows[np.unique(number_entities(side.row[rows], side.entity[rows])[0], return_index=True)[1]]
            found.append((self.blocks[side.row[rows]], code[rows], side.origin[rows]))
        (ours, key, our_rows), (theirs, response, their_rows) = found
        one = Items(ours, np.isin(key, response), our_rows, key)
        other = Items(theirs, np.isin(response, key), their_rows, response)
        return self._of_block(one), self._of_block(other)

    # Bridging

    @cached_property
    def bridges(self) -> tuple[Bridges, Bridges]:
        """The bridging anaphors of each side. If there are several anchors, the last one counts."""
        ours, theirs = self._bridges(0), self._bridges(1)
        return ours, theirs

    def _bridges(self, which: int) -> Bridges:
        side, code = self.sides[which], self.words.codes[which]
        anaphor, anchor = _links(side)
        last = np.unique(code[anaphor][::-1], return_index=True)[1] if len(anaphor) else anaphor
        rows = np.sort(len(anaphor) - 1 - last)
        anaphor, anchor = anaphor[rows], anchor[rows]
        block = self.blocks[side.row[anaphor]]
        if which == 0:
            key_row = side.origin[anchor]
        else:
            key_row = _rows_of(code[anchor], self.words.codes[0], self.sides[0].origin)
        found = Bridges(block, code[anaphor], code[anchor], key_row, side.origin[anaphor], side.origin[anchor])
        if self.block is not None:
            here = np.flatnonzero(block == self.block)
            found = Bridges(np.zeros(len(here), dtype=np.int64), *(column[here] for column in found[1:]))
        return found

    def issues(self) -> list[Issue]:
        """Messages about unusual bridging on both sides."""
        found = []
        for which, (side, name) in enumerate(zip(self.sides, ("key", "response"), strict=True)):
            anaphor, _ = _links(side)
            if not len(anaphor):
                continue
            code = self.words.codes[which]
            _, first, times = np.unique(code[anaphor], return_index=True, return_counts=True)
            several = anaphor[np.sort(first[times > 1])]
            if len(several):
                assert side.source is not None
                places = (side.source.mention(int(row)).place for row in side.origin[several[:PLACES]])
                message = (
                    f"{counted(several, 'bridging anaphor')} of the {name} with several anchors: the last one counts"
                )
                found.append(Issue(f"anchors-{name}", message, len(several), tuple(filter(None, places))))
        return found


def _links(side: Side) -> tuple[IntArray, IntArray]:
    """The bridging anaphors and their anchors as rows of a side, in the order of the file.

    If an entity is given instead of a mention, the anchor is its last mention before the anaphor, or its first mention
    if none is before the anaphor.
    """
    corpus = side.source
    links = [r for r in corpus.relations if r.kind == "bridging" and r.target >= 0] if corpus is not None else []
    if corpus is None or not links:
        return side.origin[:0], side.origin[:0]
    source, target, anaphor, anchor = np.array([(r.source, r.target, r.mention, r.anchor) for r in links]).T
    anaphor = np.where(anaphor >= 0, anaphor, _mention_of(corpus, source, np.full(len(source), -1)))
    anchor = np.where(anchor >= 0, anchor, _mention_of(corpus, target, anaphor))
    place = np.full(len(corpus), -1, dtype=np.int64)
    place[side.origin] = np.arange(len(side.origin))
    rows, anchors = place[anaphor], np.where(anchor >= 0, place[anchor], -1)
    there = (anaphor >= 0) & (rows >= 0) & (anchors >= 0)
    return rows[there], anchors[there]


def _mention_of(corpus: Corpus, entity: IntArray, before: IntArray) -> IntArray:
    """The last mention of an entity before another mention of the same document. If no mention is before it, the first
    mention in the document; −1 if there is none.

    Where no other mention is given (−1), the entity's first mention."""
    width = len(corpus) + 1
    labels = max(len(corpus.labels), 1)
    code = (corpus.doc * labels + corpus.entity) * width + np.arange(len(corpus))
    order = np.argsort(code)
    of = np.where(before >= 0, corpus.doc[before] * labels + entity, -1)
    first = np.searchsorted(code[order], of * width)
    last = np.searchsorted(code[order], of * width + np.maximum(before, 0)) - 1
    at = np.minimum(np.maximum(last, first), len(order) - 1)
    found = order[at]
    here = (before >= 0) & (corpus.doc[found] * labels + corpus.entity[found] == of)
    anywhere = np.full(labels, -1, dtype=np.int64)
    anywhere[corpus.entity[::-1]] = np.arange(len(corpus))[::-1]
    return np.where(here, found, np.where(before < 0, anywhere[entity], -1))


def _rows_of(code: IntArray, codes: IntArray, rows: IntArray) -> IntArray:
    """The row of the first mention with each code, −1 if no mention has it."""
    place = first_places(codes, code)
    return np.where(place >= 0, rows[place], -1) if len(rows) else place
