"""Weights of units, by chance: how often each is drawn, or whether it is swapped. They come in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..corpus.model import IntArray
from ..integers import bincount
from ..metrics.contingency import Array

_CACHED, _CELLS = 1 << 14, 1 << 21  # of a block of weights: 128 KB stay in the cache, 16 MB is the limit
_CHUNK = 10_000  # resamples whose scores are computed at once


def chunks(rows: int, size: int = _CHUNK) -> list[int]:
    """`rows` in pieces of at most `size`."""
    return [size] * (rows // size) + [rows % size] * bool(rows % size)


def blocks(rows: int, width: int) -> list[int]:
    """Sizes of the blocks in which rows of weights are made: small enough for the cache, and for memory in any case."""
    return chunks(rows, max(1, min(max(16, _CACHED // width), _CELLS // width)))


def draws(rng: np.random.Generator, stratum: IntArray, rows: int) -> Iterator[Array]:
    """Blocks of weights: how often each unit occurs in a corpus of the same size, drawn with replacement by stratum."""
    members = [np.flatnonzero(stratum == s) for s in range(int(stratum.max()) + 1)]
    for size in blocks(rows, len(stratum)):
        tallies = [_tally(rng, len(units), size) for units in members]
        if len(members) == 1:
            yield tallies[0]
            continue
        weights = np.empty((size, len(stratum)))
        for units, tally in zip(members, tallies, strict=True):
            weights[:, units] = tally
        yield weights


def _tally(rng: np.random.Generator, n: int, rows: int) -> Array:
    """Rows of n draws of n things: how often each was drawn."""
    kind = np.uint16 if n < 1 << 16 else np.int64  # small numbers are drawn faster
    drawn = rng.integers(0, n, size=(rows, n), dtype=kind) + np.arange(rows)[:, None] * n
    return bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def swaps(rng: np.random.Generator, units: int, rows: int, share: tuple[int, int] = (0, 1)) -> Iterator[Array]:
    """Blocks of weights 0 and 1: which units are swapped between two systems.

    All blocks are drawn, but only a share of them is given: (0, 2) is every second one, from the first.
    """
    for number, size in enumerate(blocks(rows, units)):
        drawn = rng.integers(0, 2, size=(size, units), dtype=np.uint8)
        if number % share[1] == share[0]:
            yield drawn.astype(np.float64)
