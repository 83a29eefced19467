"""Candidates matched one to one, by the largest total weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ..corpus.model import IntArray

if TYPE_CHECKING:
    from .matchers import Matching
    from .optimal import Candidates, Floats

_Pool: TypeAlias = tuple[IntArray, IntArray]


def one_to_one(m: Matching, c: Candidates, by: str, floats: Floats | None = None, pool: _Pool | None = None) -> None:
    """Match the candidates, given by their rows, by the largest total weight.

    `pool`: the mentions in scipy's matrix, by default all free ones. `floats`: the weights in that matrix.
    """
    if not len(c.key):
        return
    from .optimal import as_scipy, best

    ranks = m.order
    if m.options.ties == "definition":
        chosen = best(c._replace(key=ranks[0][c.key], response=ranks[1][c.response]))
        m.take(c.key[chosen], c.response[chosen], by)
        return
    floats = c.weight.numerator / c.weight.denominator if floats is None else floats
    for ours, theirs, pairs in _matrices(m, c, ranks, m.free if pool is None else pool):
        matrix = np.zeros((len(ours), len(theirs)))
        at = np.argsort(ours), np.argsort(theirs)
        i = at[0][np.searchsorted(ours[at[0]], c.key[pairs])]
        j = at[1][np.searchsorted(theirs[at[1]], c.response[pairs])]
        matrix[i, j] = floats[pairs]
        column = as_scipy(matrix)
        rows = np.flatnonzero(column >= 0)
        rows = rows[matrix[rows, column[rows]] > 0]
        m.take(ours[rows], theirs[column[rows]], by)


def _matrices(
    m: Matching, c: Candidates, ranks: tuple[IntArray, IntArray], pool: _Pool
) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """For each document with candidates: the mentions of its pool, in their order, and the candidates."""
    ours, theirs = (rows[np.argsort(rank[rows])] for rows, rank in zip(pool, ranks, strict=True))
    document = m.key.row[c.key]
    for d in np.unique(document).tolist():
        yield ours[m.key.row[ours] == d], theirs[m.response.row[theirs] == d], np.flatnonzero(document == d)
