r"""The stretches that two texts of words have in common: a patience diff with a limit on its work.

Runs of words that occur once in both texts are anchors. The longest ascending chain of them is kept. The same is done
again within each stretch between two anchors. For a stretch that is small enough, the longest common subsequence of
its words is computed. Anchors cost n log n per level, and there are few levels. A stretch that has no anchors and is
too large for the quadratic subsequence counts as different.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ..corpus.model import IntArray

CELLS = 1 << 20  # the largest table of the quadratic subsequence
LEVELS = 12  # how deep anchors are searched between anchors


def runs(key: str, response: str, key_words: IntArray, response_words: IntArray) -> Iterator[tuple[int, int, int]]:
    """Stretches that both texts have, in the order of both: (place in the key, place in the response, length)."""
    known: dict[str, int] = {}
    ours, theirs = (
        np.array([known.setdefault(text[a:b], len(known)) for a, b in pairwise(w.tolist())], dtype=np.int64)
        for text, w in ((key, key_words), (response, response_words))
    )
    done_key = done_response = 0
    for k, r in [*sorted(_common_words(ours, theirs)), (len(ours), len(theirs))]:
        a, b = int(key_words[k]), int(response_words[r])
        yield from _edges(key[done_key:a], response[done_response:b], done_key, done_response)
        if k < len(ours):
            n = int(key_words[k + 1]) - a
            yield a, b, n
            done_key, done_response = a + n, b + n


def _edges(key: str, response: str, k: int, r: int) -> Iterator[tuple[int, int, int]]:
    """The common beginning and end of what is between two common words: the words are only divided differently."""
    n = min(len(key), len(response))
    begin = next((i for i in range(n) if key[i] != response[i]), n)
    if begin:
        yield k, r, begin
    end = next((i for i in range(n - begin) if key[-1 - i] != response[-1 - i]), n - begin)
    if end:
        yield k + len(key) - end, r + len(response) - end, end


def _common_words(ours: IntArray, theirs: IntArray) -> Iterator[tuple[int, int]]:
    """Pairs of places of common words. When sorted, they ascend on both sides."""
    stack = [(0, len(ours), 0, len(theirs), 0)]
    while stack:
        a, b, c, d, level = stack.pop()
        n = min(b - a, d - c)
        same = ours[a : a + n] == theirs[c : c + n]
        begin = n if same.all() else int(same.argmin())
        yield from zip(range(a, a + begin), range(c, c + begin), strict=True)
        a, c, n = a + begin, c + begin, n - begin
        same = (ours[b - n : b] == theirs[d - n : d])[::-1]
        end = n if same.all() else int(same.argmin())
        yield from zip(range(b - end, b), range(d - end, d), strict=True)
        b, d = b - end, d - end
        if a == b or c == d:
            continue
        if (b - a) * (d - c) <= CELLS:
            yield from ((a + i, c + j) for i, j in _subsequence(ours[a:b], theirs[c:d]))
        elif level < LEVELS:
            anchors = _anchors(ours[a:b], theirs[c:d])
            at, their = a, c
            for i, j in anchors:
                yield a + i, c + j
                if at < a + i and their < c + j:
                    stack.append((at, a + i, their, c + j, level + 1))
                at, their = a + i + 1, c + j + 1
            if anchors:
                stack.append((at, b, their, d, level + 1))


def _anchors(ours: IntArray, theirs: IntArray) -> list[tuple[int, int]]:
    """The longest ascending chain of runs of words that occur once on either side.

    Runs of four words are tried first, then shorter ones in a short text, and longer ones in a text that repeats
    itself.
    """
    for length in (4, 2, 1, 16, 64):
        if min(len(ours), len(theirs)) < length:
            continue
        codes = _grams(ours, theirs, length)
        single = [_single(c) for c in codes]
        shared, i, j = np.intersect1d(codes[0][single[0]], codes[1][single[1]], return_indices=True)
        if not len(shared):
            continue
        places, others = single[0][i], single[1][j]
        order = np.argsort(places)
        chain = _ascending(others[order].tolist())
        return list(zip(places[order][chain].tolist(), others[order][chain].tolist(), strict=True))
    return []


def _grams(ours: IntArray, theirs: IntArray, length: int) -> tuple[IntArray, IntArray]:
    """A number for the run of `length` words at each place. Equal runs have equal numbers. Lengths are powers of
    two."""
    size = 1
    while size < length:
        both = np.concatenate((ours, theirs))
        width = int(both.max()) + 1
        ours, theirs = (x[:-size] * width + x[size:] for x in (ours, theirs))
        dense = np.unique(np.concatenate((ours, theirs)), return_inverse=True)[1].reshape(-1)
        ours, theirs = dense[: len(ours)], dense[len(ours) :]
        size *= 2
    return ours, theirs


def _single(codes: IntArray) -> IntArray:
    """The places of the codes that occur once."""
    _, place, count = np.unique(codes, return_index=True, return_counts=True)
    single: IntArray = place[count == 1]
    return single


def _ascending(values: list[int]) -> list[int]:
    """The positions of a longest ascending subsequence of distinct values (patience sorting)."""
    tails: list[int] = []
    at: list[int] = []
    before = [-1] * len(values)
    for p, value in enumerate(values):
        pile = bisect_left(tails, value)
        before[p] = at[pile - 1] if pile else -1
        if pile == len(tails):
            tails.append(value)
            at.append(p)
        else:
            tails[pile], at[pile] = value, p
    chain = [at[-1]] if at else []
    while chain and before[chain[-1]] >= 0:
        chain.append(before[chain[-1]])
    return chain[::-1]


def _subsequence(ours: IntArray, theirs: IntArray) -> list[tuple[int, int]]:
    """A longest common subsequence by the usual table, row by row: L_ij = max(L_i−1,j, L_i,j−1, L_i−1,j−1 + 1)."""
    if len(ours) > len(theirs):
        return [(i, j) for j, i in _subsequence(theirs, ours)]
    table = np.zeros((len(ours) + 1, len(theirs) + 1), dtype=np.int32)
    for i, word in enumerate(ours.tolist()):
        row = np.maximum(table[i, 1:], table[i, :-1] + (theirs == word))
        np.maximum.accumulate(row, out=table[i + 1, 1:])
    pairs = []
    i, j = table.shape[0] - 1, table.shape[1] - 1
    while i and j:
        if table[i, j] == table[i - 1, j]:
            i -= 1
        elif table[i, j] == table[i, j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]
