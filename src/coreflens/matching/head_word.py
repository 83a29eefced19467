"""The relaxed match of CoNLL-2011 (Pradhan et al. 2011, their Tables 18 and 19).

A response mention is right if it contains the head word of the key mention and does not go beyond the key mention's
borders. The paper leaves open what happens where several fit; here exact matches come first, and of the rest each key
mention, the shortest first, takes the longest response mention that fits and is left, of equal ones the first. So the
match is one to one and does not depend on the order of the input.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..heads import heads
from ..model import IntArray
from . import Side, exact

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
    if len(rows):
        assert key.corpus is not None
        head[rows] = heads(key.corpus, key.origin[rows]).token
    fits = (response.start[r] <= head[k]) & (head[k] <= response.end[r])
    for place in np.flatnonzero(fits & np.isin(r, list(response.pieces))).tolist() if response.pieces else ():
        fits[place] = any(a <= head[k[place]] <= b for a, b in response.pieces[int(r[place])])
    return k[fits], r[fits]


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
    order = np.lexsort((response.start[r], long, key.start[k], key.end[k] - key.start[k], key.row[k]))
    return list(zip(k[order].tolist(), r[order].tolist(), strict=True))
