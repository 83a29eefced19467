"""The relaxed match of CoNLL-2011 (Pradhan et al. 2011, their Tables 18 and 19).

A response mention is right if it contains the head word of the key mention and no word that the key mention has not.
The paper leaves open what happens where several fit; here exact matches come first, and of the rest each key mention,
the shortest first, takes the longest response mention that fits and is left, of equal ones the first. So the match is
one to one and does not depend on the order of the input. Where a head is a guess, or unknown, the result says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.heads import GUESS, Heads, heads
from ..corpus.model import IntArray, Span
from ..errors import PLACES, Issue, counted
from .mentions import Side, exact

Bools: TypeAlias = npt.NDArray[np.bool_]

_BLOCK = 1 << 20  # candidate pairs looked at in one go


def head_word(key: Side, response: Side, k: IntArray, r: IntArray, blocked: IntArray | None = None) -> IntArray:
    """The key row of each response mention, −1 for none."""
    found = exact(key, response, k, r, blocked)
    taken = np.zeros(len(k), dtype=bool)
    taken[found[found >= 0]] = True
    if blocked is not None:
        taken[blocked] = True
    for ours, theirs in _in_order(key, response, *_fitting(key, response, ~taken, found < 0)):
        if not taken[ours] and found[theirs] < 0:
            found[theirs], taken[ours] = ours, True
    return found


def _fitting(key: Side, response: Side, key_free: Bools, response_free: Bools) -> tuple[IntArray, IntArray]:
    """Pairs of free mentions of which the response's lies within the key's and contains its head.

    Heads are looked up for those key mentions only that have another mention within, which are few.
    """
    k, r = _within(key, response, np.flatnonzero(key_free & (key.end > key.start)), np.flatnonzero(response_free))
    rows = np.unique(k)
    head = np.full(len(key.row), -1, dtype=np.int64)
    if key.names is not None:
        key.issues.append(Issue("no-heads", "mentions that are names have no head: --match head-word matched exactly"))
    elif len(rows):
        assert key.corpus is not None
        found = heads(key.corpus, key.origin[rows])
        head[rows] = found.token
        _report(key, rows, found)
    fits = (response.start[r] <= head[k]) & (head[k] <= response.end[r])
    if key.pieces or response.pieces:
        broken = np.isin(k, list(key.pieces)) | np.isin(r, list(response.pieces))
        for place in np.flatnonzero(fits & broken).tolist():
            ours, theirs = int(k[place]), int(r[place])
            fits[place] = _holds(_pieces(response, theirs), [(int(head[ours]),) * 2]) and _holds(
                _pieces(key, ours), _pieces(response, theirs)
            )
    return k[fits], r[fits]


def _report(key: Side, rows: IntArray, found: Heads) -> None:
    """Say of how many mentions the head is a guess, or unknown."""
    assert key.corpus is not None
    unknown = found.token < 0
    for code, which, what in (
        ("no-heads", unknown, "without a head, matched exactly: the source has no words"),
        (
            "guessed-heads",
            ~unknown & (found.source == GUESS),
            "whose head is a guess, the last word: the source has no trees, dependencies or heads",
        ),
    ):
        odd = key.origin[rows[which]].tolist()
        if odd:
            places = tuple(filter(None, (key.corpus.mention(row).place for row in odd[:PLACES])))
            key.issues.append(
                Issue(code, f"{counted(odd, 'key mention')} {what} (--match head-word)", len(odd), places)
            )


def _pieces(side: Side, row: int) -> Sequence[Span]:
    return side.pieces.get(row) or [(int(side.start[row]), int(side.end[row]))]


def _holds(outer: Sequence[Span], inner: Sequence[Span]) -> bool:
    """Whether every piece lies within a piece of the other."""
    return all(any(a <= start and end <= b for a, b in outer) for start, end in inner)


def _within(key: Side, response: Side, ours: IntArray, theirs: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs of which the response's mention lies within the key's: it starts in a range of the response by start."""
    none = np.zeros(0, dtype=np.int64)
    if not len(ours) or not len(theirs):
        return none, none
    width = 1 + max(int(key.end.max()), int(response.end.max()))
    code = response.row[theirs] * width + response.start[theirs]
    order = np.argsort(code, kind="stable")
    theirs, code = theirs[order], code[order]
    low = np.searchsorted(code, key.row[ours] * width + key.start[ours])
    high = np.searchsorted(code, key.row[ours] * width + key.end[ours], side="right")
    keys, responses = [none], [none]
    reach = np.cumsum(high - low)
    begin = 0
    while begin < len(ours):  # in blocks, for a key full of nested mentions has many candidates
        done = reach[begin - 1] if begin else 0
        stop = max(int(np.searchsorted(reach, done + _BLOCK, side="right")), begin + 1)
        size = (high - low)[begin:stop]
        k = np.repeat(ours[begin:stop], size)
        place = np.repeat(high[begin:stop] - np.cumsum(size), size) + np.arange(len(k))
        r = theirs[place]
        inside = response.end[r] <= key.end[k]
        keys.append(k[inside])
        responses.append(r[inside])
        begin = stop
    return np.concatenate(keys), np.concatenate(responses)


def _in_order(key: Side, response: Side, k: IntArray, r: IntArray) -> list[tuple[int, int]]:
    """The pairs as they are to be tried: short keys first, then long responses, then by place."""
    long = response.start[r] - response.end[r]
    columns: tuple[IntArray, ...] = (response.start[r], long, key.start[k], key.end[k] - key.start[k], key.row[k])
    if key.pieces or response.pieces:  # which may be the same from start to end
        columns = (_by_pieces(response)[r], *columns[:2], _by_pieces(key)[k], *columns[2:])
    order = np.lexsort(columns)
    return list(zip(k[order].tolist(), r[order].tolist(), strict=True))


def _by_pieces(side: Side) -> IntArray:
    """A number for each mention that orders those of one extent: 0 if contiguous, else by its pieces."""
    number = np.zeros(len(side.row), dtype=np.int64)
    known = {pieces: n for n, pieces in enumerate(sorted(set(side.pieces.values())), start=1)}
    for row, pieces in side.pieces.items():
        number[row] = known[pieces]
    return number
