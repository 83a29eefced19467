"""Measures of Popescu-Belis & Robba 1998 that compare only how the mentions are distributed over the entities."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..corpus.model import IntArray
from ..integers import bincount, repeat
from ..options import Options
from .contingency import Array, Contingency
from .registry import Columns, Values, metric, ratio, replaced


def ranked(t: Contingency) -> tuple[Array, Array, IntArray, IntArray, IntArray]:
    """Sizes k and r of the entities at each position of each block, largest first, the shorter list padded with 0.

    Also the block, the position (from 1) and how many positions each block has.
    """
    counts = [bincount(block, minlength=t.blocks) for block in (t.key_block, t.response_block)]
    positions = np.maximum(*counts)
    first = np.cumsum(positions) - positions
    lists = []
    for size, block, count in zip((t.a, t.b), (t.key_block, t.response_block), counts, strict=True):
        order = np.lexsort((-size.astype(np.int64), block))
        place = np.arange(len(order)) - (np.cumsum(count) - count)[block[order]]
        ranked = np.zeros(int(positions.sum()), dtype=size.dtype)
        ranked[first[block[order]] + place] = size[order]
        lists.append(ranked)
    block = repeat(np.arange(t.blocks), positions)
    return lists[0], lists[1], block, np.arange(len(block)) - first[block] + 1, positions


def _by_block(t: Contingency, block: IntArray, values: Array) -> Array:
    """Sums of whole numbers, which float64 represents exactly. For exact arithmetic they become Fractions again."""
    summed = bincount(block, weights=values.astype(np.float64), minlength=t.blocks)
    return np.array([Fraction(x) for x in summed.tolist()], dtype=object) if t.n.dtype == object else summed


def _overlap(c: Columns, options: Options) -> Values:
    return {"value": ratio(c["common"], c["mentions"])}


@metric(
    "overlap",
    title="overlap",
    cite="popescu1998",
    aliases=("distribution overlap",),
    columns=("common", "mentions"),
    finalize=_overlap,
    values=("value",),
    twinless="extend",
    aggregation="macro",
)
def overlap(t: Contingency) -> tuple[Array, ...]:
    """Overlap of the two sorted lists of entity sizes.

        overlap = Σ_p min(k_p, r_p) / |M|      k_1 ≥ k_2 ≥ ..., r_1 ≥ r_2 ≥ ..., padded with 0

    It does not depend on which mention is in which entity. A corpus gets the mean over its documents.
    """
    k, r, block, _, _ = ranked(t)
    return _by_block(t, block, np.minimum(k, r)), t.keys(t.a)


def _derror(c: Columns, options: Options) -> Values:
    some = (c["surplus"] != 0).astype(bool)
    distance = ratio(abs(c["key_position"] - c["response_position"]), np.where(some, c["surplus"], 1))
    value = replaced(~some, 0, ratio(distance, c["positions"] + 1))
    return {"value": np.where(c["positions"] == 0, np.nan, value)}


def _derror_label(c: Columns) -> list[str | None]:
    ahead = (c["key_position"] - c["response_position"]).tolist()
    return ["precision" if d > 0 else "recall" if d < 0 else None for d in ahead]


@metric(
    "derror",
    title="d-error",
    cite="popescu1998",
    aliases=("d error",),
    columns=("response_position", "key_position", "surplus", "positions"),
    finalize=_derror,
    values=("value",),
    label=_derror_label,
    twinless="extend",
    aggregation="macro",
    identity=False,
    error=True,
)
def derror(t: Contingency) -> tuple[Array, ...]:
    """How far apart, in the sorted lists of entity sizes, the surplus of the response and that of the key are.

        d-error = |B − A| / (N + 1)      A = Σ_p p·(r_p − k_p)⁺ / Σ_p (r_p − k_p)⁺, B: key and response exchanged

    N is the number of positions. It is a "precision" error if the response's surplus comes first (the response merged
    entities), otherwise a "recall" error. For equal lists, or A = B, it is 0 without a label. The paper gives no
    formula; this one gives its 40 % and 25 %. Both lists sum to |M|, so the two surpluses are equal. A corpus gets the
    mean over its documents.
    """
    k, r, block, position, positions = ranked(t)
    too_many, too_few = np.maximum(r - k, 0), np.maximum(k - r, 0)
    columns = (position * too_many, position * too_few, too_many)
    return (*(_by_block(t, block, c) for c in columns), _by_block(t, np.arange(t.blocks), positions))
