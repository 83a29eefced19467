"""The relaxed match of CoNLL-2011 (Pradhan et al. 2011, their Tables 18 and 19).

A response mention is correct if it contains the head word of the key mention and no word outside the key mention. The
paper does not say what happens if several fit. Here exact matches come first. Then each key mention, starting with the
shortest, takes the longest free response mention that fits; the first one wins a tie. So the match is one to one and
does not depend on the order of the input. If a head is a guess, or unknown, a note reports it.

`head_either` works in both directions, for two system outputs of which neither is the key: one mention lies within the
other and contains its head word, and the longer one may be on either side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..corpus.model import IntArray, Span
from ..errors import Issue
from .mentions import Side
from .words import pieces_of, starting_within

if TYPE_CHECKING:
    from .matchers import Matching


def head_word(m: Matching) -> None:
    """Match what exact match left free."""
    found, taken = m.found.copy(), m.taken.copy()
    pairs = []
    for ours, theirs in _in_order(m.key, m.response, *_fitting(m)):
        if not taken[ours] and found[theirs] < 0:
            found[theirs], taken[ours] = ours, True
            pairs.append((ours, theirs))
    k, r = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    m.take(k, r, "head-word")


def head_either(m: Matching) -> None:
    """Match what exact match left free. The longer mention may be on either side. The shortest of these come first."""
    found, taken = m.found.copy(), m.taken.copy()
    tried = []
    for which in (0, 1):
        outer, inner = (m.key, m.response) if which == 0 else (m.response, m.key)
        for a, b in _in_order(outer, inner, *_fitting(m, which)):
            size, within = outer.end[a] - outer.start[a], inner.start[b] - inner.end[b]
            order = (int(outer.row[a]), int(size), int(outer.start[a]), int(within), int(inner.start[b]))
            tried.append((order, (a, b) if which == 0 else (b, a)))
    pairs = []
    for _, (ours, theirs) in sorted(tried):
        if not taken[ours] and found[theirs] < 0:
            found[theirs], taken[ours] = ours, True
            pairs.append((ours, theirs))
    k, r = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    m.take(k, r, "head-word")


def _fitting(m: Matching, which: int = 0) -> tuple[IntArray, IntArray]:
    """Pairs of free mentions. The second one, the response's, lies within the first and contains its head. With `which`
    1 the sides are exchanged.

    Heads are looked up only for mentions that have another mention within them, and these are few.
    """
    key, response = (m.key, m.response) if which == 0 else (m.response, m.key)
    ours, theirs = m.free if which == 0 else m.free[::-1]
    k, r = _within(key, response, ours[key.end[ours] > key.start[ours]], theirs)
    rows = np.unique(k)
    head = np.full(len(key.row), -1, dtype=np.int64)
    if key.names is not None:
        what = f"mentions that are names have no head: --match {m.options.match} matched exactly"
        m.issues.append(Issue("no-heads", what))
    elif len(rows):
        head[rows] = m.heads(which, rows)
    fits = (response.start[r] <= head[k]) & (head[k] <= response.end[r])
    if key.pieces or response.pieces:
        broken = np.isin(k, list(key.pieces)) | np.isin(r, list(response.pieces))
        for place in np.flatnonzero(fits & broken).tolist():
            ours_, theirs_ = int(k[place]), int(r[place])
            fits[place] = _holds(pieces_of(response, theirs_), [(int(head[ours_]),) * 2]) and _holds(
                pieces_of(key, ours_), pieces_of(response, theirs_)
            )
    return k[fits], r[fits]


def _holds(outer: Sequence[Span], inner: Sequence[Span]) -> bool:
    """Whether every piece lies within a piece of the other."""
    return all(any(a <= start and end <= b for a, b in outer) for start, end in inner)


def _within(key: Side, response: Side, ours: IntArray, theirs: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs in which the response's mention lies within the key's."""
    keys, responses = [ours[:0]], [theirs[:0]]
    for k, r in starting_within(key, response, ours, theirs):
        inside = response.end[r] <= key.end[k]
        keys.append(k[inside])
        responses.append(r[inside])
    return np.concatenate(keys), np.concatenate(responses)


def _in_order(key: Side, response: Side, k: IntArray, r: IntArray) -> list[tuple[int, int]]:
    """The pairs in the order in which they are tried: short key mentions first, then long response mentions, then by
    place."""
    long = response.start[r] - response.end[r]
    columns: tuple[IntArray, ...] = (response.start[r], long, key.start[k], key.end[k] - key.start[k], key.row[k])
    if key.pieces or response.pieces:  # different pieces may have the same start and end
        columns = (_by_pieces(response)[r], *columns[:2], _by_pieces(key)[k], *columns[2:])
    order = np.lexsort(columns)
    return list(zip(k[order].tolist(), r[order].tolist(), strict=True))


def _by_pieces(side: Side) -> IntArray:
    """A number for each mention that orders those with the same start and end: 0 if contiguous, else by its pieces."""
    number = np.zeros(len(side.row), dtype=np.int64)
    known = {pieces: n for n, pieces in enumerate(sorted(set(side.pieces.values())), start=1)}
    for row, pieces in side.pieces.items():
        number[row] = known[pieces]
    return number
