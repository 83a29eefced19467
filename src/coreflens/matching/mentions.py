"""The mentions of two sides that take part in a match, and which of them are the same mention."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..corpus.columns import identified, taken
from ..corpus.model import Corpus, IntArray, Span
from ..corpus.spans import joined_pieces
from ..errors import InputError
from ..integers import bincount


@dataclass(frozen=True, eq=False)
class Side:
    """The mentions of one side that take part in the match: document pair (`row`), span or name, entity label, corpus
    row.

    `parts` has the pieces of the discontinuous ones, by corpus row (`origin`, ascending). `corpus` has everything else
    that a matcher may need, with the same spans, and `source` is the corpus as it was read. `head` has the places of
    the heads if two mentions are the same only with the same head.
    """

    row: IntArray
    start: IntArray
    end: IntArray
    entity: IntArray
    names: Sequence[Hashable] | None
    origin: IntArray
    parts: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)
    corpus: Corpus | None = None
    source: Corpus | None = None
    head: IntArray | None = None

    @classmethod
    def of(cls, corpus: Corpus, rows: IntArray, source: Corpus | None = None) -> Side:
        """Only the mentions of documents that have a row. Those of other documents (row −1) are removed."""
        row = corpus.doc
        same = len(rows) == 1 and not rows[0]  # the only document is the first pair
        if not same:
            row = rows[row] if len(rows) != 1 else np.broadcast_to(rows[0], len(corpus))
        everything = np.arange(len(corpus))
        columns = (row, corpus.start, corpus.end, corpus.entity, corpus.names, everything)
        side = cls(*columns, corpus.parts, corpus, source or corpus)
        return side if same or not np.count_nonzero(rows < 0) else side.keep(np.flatnonzero(row >= 0))

    def keep(self, rows: slice | IntArray) -> Side:
        if isinstance(rows, slice):
            return self
        names = None if self.names is None else taken(self.names, rows)
        columns = (self.row[rows], self.start[rows], self.end[rows], self.entity[rows], names, self.origin[rows])
        head = None if self.head is None else self.head[rows]
        return Side(*columns, self.parts, self.corpus, self.source, head)

    @cached_property
    def pieces(self) -> dict[int, tuple[Span, ...]]:
        """The pieces of the discontinuous mentions by row of this side. Pieces that touch are joined."""
        if not self.parts or not len(self.origin):
            return {}
        wanted = np.fromiter(self.parts, np.int64, len(self.parts))
        place = np.minimum(np.searchsorted(self.origin, wanted), len(self.origin) - 1)
        here = self.origin[place] == wanted
        joined = (
            (p, joined_pieces(self.parts[row]))
            for p, row in zip(place[here].tolist(), wanted[here].tolist(), strict=True)
        )
        return {p: pieces for p, pieces in sorted(joined) if len(pieces) > 1}


def reconcile(key: Side, response: Side) -> tuple[Side, Side]:
    """Both sides with names, or both with spans and without names: mentions must be identified in the same way."""
    sides = ((key, response), (response, key))
    # The words of a two-column file are taken as names. If the other side has spans, the places of the words count.
    by_span = any(side.names is None or (_has_spans(side) and _are_spans(other)) for side, other in sides)
    return (_by_span(key, "key"), _by_span(response, "response")) if by_span else (key, response)


def identify(key: Side, response: Side) -> tuple[IntArray, IntArray]:
    """Codes of two reconciled sides: two codes are equal exactly for the same mention of the same document pair."""
    if key.names is not None and response.names is not None:
        ours, theirs, width = identified(key.names, response.names)
        return _apart(ours, key.row, width), _apart(theirs, response.row, width)
    starts = 1 + max((int(s.start.max()) for s in (key, response) if len(s.start)), default=0)
    lengths = 1 + max((int((s.end - s.start).max()) for s in (key, response) if len(s.start)), default=0)
    rows = 1 + max((int(s.row.max()) for s in (key, response) if len(s.row)), default=0)
    if rows * starts * lengths < 2**62:
        k, r = ((s.row * starts + s.start) * lengths + (s.end - s.start) for s in (key, response))
    else:
        columns = np.concatenate([np.stack((s.row, s.start, s.end), axis=1) for s in (key, response)])
        inverse = np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1)
        k, r = inverse[: len(key.row)], inverse[len(key.row) :]
    if key.parts or response.parts:
        _tell_pieces_apart(key, response, k, r)
    return k, r


def _apart(codes: IntArray, row: IntArray, width: int) -> IntArray:
    """Codes of names, which are below `width`, as codes of the mentions of a document pair."""
    return codes + row * width if np.count_nonzero(row) else codes


def number_entities(block: IntArray, entity: IntArray) -> tuple[IntArray, IntArray]:
    """Number the entities, which are pairs (block, label), from 0 without gaps.

    Returns the number of each mention's entity, and the block of each entity.
    """
    if not len(entity):
        return entity, entity
    width = size = int(np.maximum.reduce(entity)) + 1
    codes = entity
    if np.count_nonzero(block):
        codes = block * width + entity
        size *= int(block.max()) + 1
    if dense(size, len(codes)):
        seen = np.zeros(size, dtype=bool)
        seen[codes] = True
        distinct = seen.nonzero()[0]
        if len(distinct) == size:  # they are numbered without gaps already
            return codes, distinct // width
        table = np.empty(size, dtype=np.int64)
        table[distinct] = np.arange(len(distinct))
        return table[codes], distinct // width
    distinct, numbers = np.unique(codes, return_inverse=True)
    return numbers, distinct // width


def dense(size: int, number: int) -> bool:
    """Whether a table of all codes below `size` is faster than sorting a number of codes."""
    return size <= 4 * number + 4096


def first_places(codes: IntArray, wanted: IntArray) -> IntArray:
    """The place of the first of the codes that is equal to each of those wanted, −1 if there is none."""
    if not len(codes) or not len(wanted):
        return absent(len(wanted))
    size = 1 + max(_largest(codes), _largest(wanted))
    if dense(size, len(codes) + len(wanted)):
        place = absent(size)
        place[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the first is written last
        return place[wanted]
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    at = np.minimum(np.searchsorted(ordered, wanted), len(order) - 1)
    return np.where(ordered[at] == wanted, order[at], -1)


def repeated(codes: IntArray) -> bool:
    """Whether a code occurs more than once."""
    if not np.count_nonzero(codes[1:] <= codes[:-1]):  # already in order, like most input
        return False
    if dense(1 + _largest(codes), len(codes)):
        return int(np.maximum.reduce(bincount(codes))) > 1
    ordered = np.sort(codes)
    return bool(np.count_nonzero(ordered[1:] == ordered[:-1]))


def _largest(codes: IntArray) -> int:
    """The largest of some codes. A negative one counts as very large, because no table has a place for it."""
    return int(np.maximum.reduce(codes.astype(np.int64, copy=False).view(np.uint64)))


def absent(number: int) -> IntArray:
    """Places of nothing: −1 so many times."""
    found = np.empty(number, dtype=np.int64)
    found.fill(-1)
    return found


def with_heads(codes: tuple[IntArray, IntArray], key: Side, response: Side) -> tuple[IntArray, IntArray]:
    """The codes by which mentions are the same only if they have the same head, if the sides have heads."""
    if key.head is None or response.head is None:
        return codes
    n = len(codes[0])
    heads = np.concatenate((key.head, response.head)) + 1  # −1 is unknown
    dense = np.unique(np.concatenate(codes), return_inverse=True)[1].reshape(-1)
    packed = dense * (1 + int(heads.max(initial=0))) + heads
    return packed[:n], packed[n:]


def _tell_pieces_apart(key: Side, response: Side, k: IntArray, r: IntArray) -> None:
    """Give the discontinuous mentions their own codes by their pieces, above all other codes."""
    above = 1 + max((int(codes.max()) for codes in (k, r) if len(codes)), default=0)
    seen: dict[tuple[int, tuple[Span, ...]], int] = {}
    for side, codes in ((key, k), (response, r)):
        for p, pieces in side.pieces.items():
            codes[p] = above + seen.setdefault((int(side.row[p]), pieces), len(seen))


def spanned(key: Side, response: Side) -> tuple[Side, Side]:
    """The sides by their spans if all names are spans, which is possible in plain Python clusters."""
    if key.names is None or not (_are_spans(key) and _are_spans(response)):
        return key, response
    return _by_span(key, "key"), _by_span(response, "response")


def _has_spans(side: Side) -> bool:
    return len(side.start) > 0 and int(side.start[0]) >= 0 and int(side.start.min()) >= 0


def _are_spans(side: Side) -> bool:
    """Whether its names are spans (start, end), which is possible in plain Python clusters."""
    return side.names is not None and all(
        isinstance(n, tuple) and len(n) == 2 and all(isinstance(x, (int, np.integer)) for x in n) for n in side.names
    )


def _by_span(side: Side, what: str) -> Side:
    """The side with only its spans. If it has only names, these must be spans."""
    if side.names is None or _has_spans(side):
        return replace(side, names=None)
    if not _are_spans(side):
        other = "response" if what == "key" else "key"
        raise InputError(
            f"the {what} names its mentions, such as {side.names[0]!r:.40}, and the {other} has token spans",
            hint="give both sides in the same way; in plain Python a span is a tuple (start, end)",
        )
    columns = np.array(side.names, dtype=np.int64).reshape(-1, 2)
    return replace(side, start=columns[:, 0], end=columns[:, 1], names=None)


def has_heads(corpus: Corpus | None) -> bool:
    """Whether a source has heads of its own."""
    from ..corpus.heads import EVIDENCE

    return corpus is not None and corpus.head is not None and EVIDENCE not in corpus.attributes
