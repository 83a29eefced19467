"""What each mention contributes to the counts of a metric if the entities do not change. It is used to resample parts
of texts.

If the mentions of a part of a text occur w times, n_ij, a_i and b_j grow, and so does their value in all other parts.
Even shares (division.py) ignore this: an entity with twice as many mentions has four times as many links. Here a count
is expanded to the first order in the weights of the mentions: count(w) ≈ Σ_g w_g S_g, with

    S_g = Σ (∂count/∂n + ∂count/∂a + ∂count/∂b of the mentions of g) + their even share of what is left

What is left of a cell or an entity is its value minus the sum of its derivatives. For example, it is −1 for a cell in
MUC, and 1 for an entity in the number of entities: an entity within one part occurs as often as that part. Links grow
with the square, and what is left of them is spread over all mentions. The S_g of all parts add up to the count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .assignment import assign
from .contingency import Array, Contingency, add_up
from .division import Divided
from .registry import Metric

STEP = 1e-4
_VARIABLES = ("n", "a", "b", "key_common", "response_common")


@dataclass(frozen=True, eq=False)
class _Raw(Contingency):
    """A table that does not sum: it returns a vector of the values of all cells, then of all key and response
    entities."""

    base: Contingency | None = None
    chosen: list[Array] = field(default_factory=list)  # the assignments, found once
    calls: list[int] = field(default_factory=list)

    def _placed(self, values: Array, before: int, after: int) -> Array:
        return np.concatenate((np.zeros(before), values.astype(np.float64), np.zeros(after)))

    def cells(self, values: Array) -> Array:
        return self._placed(values, 0, len(self.a) + len(self.b))

    def keys(self, values: Array) -> Array:
        return self._placed(values, len(self.i), len(self.b))

    def responses(self, values: Array) -> Array:
        return self._placed(values, len(self.i) + len(self.a), 0)

    def links_among(self, sums: Callable[[Array], Array], values: Array) -> Array:
        """L(N) of the N mentions of a block. The share of each mention is (N − 1)/2, and its derivative is twice as
        much."""
        base = self.base or self
        name = sums.__name__
        whole: Any = getattr(Contingency, name)
        block = {"keys": self.key_block, "responses": self.response_block, "cells": self.block}[name]
        before = {"keys": base.a, "responses": base.b, "cells": base.n}[name]
        others = (whole(base, before) - 1)[block]
        return sums(values * others - before * others / 2)

    def best_alignment(self, similarity: Array) -> Array:
        call = len(self.calls)
        self.calls.append(call)
        if call == len(self.chosen):
            self.chosen.append(assign(self.i, self.j, similarity, len(self.a), len(self.b)))
        return self.cells(np.where(self.chosen[call], similarity, 0))


def contributions(metric: Metric, table: Divided) -> tuple[Array, ...]:
    """The S_g of every column of a metric, for the groups into which a table is divided."""
    base = _raw(table)
    values = metric.count(base)
    slopes = {name: _slopes(metric, base, name) for name in _VARIABLES}
    return tuple(_column(metric, table, v, [slopes[n][k] for n in _VARIABLES]) for k, v in enumerate(values))


def _raw(table: Divided) -> _Raw:
    about = (table.i, table.j, table.n, table.n, table.a, table.b, table.key_block, table.response_block, table.blocks)
    return _Raw(*about, table.ranks, table.mentions)


def _slopes(metric: Metric, base: _Raw, name: str) -> list[Array]:
    """How the values change with a variable."""
    up, down = (metric.count(_moved(base, name, step)) for step in (STEP, -STEP))
    return [(more - less) / (2 * STEP) for more, less in zip(up, down, strict=True)]


def _moved(base: _Raw, name: str, step: float) -> _Raw:
    table = replace(base, base=base, calls=[])
    kept = {"key_common": base.key_common, "response_common": base.response_common}
    if name in kept:
        kept[name] = kept[name] + step
    else:
        moved = getattr(base, name) + step
        table = replace(table, **{name: moved}, **({"overlap": moved} if name == "n" else {}))
    table.__dict__.update(kept)  # instead of the values that would be computed from n
    return table


def _column(metric: Metric, t: Divided, values: Array, slopes: list[Array]) -> Array:
    assert t.of_cells is not None
    assert t.of_keys is not None
    assert t.of_responses is not None
    c, a = len(t.i), len(t.a)

    def segments(vector: Array) -> Iterator[Array]:
        yield from np.split(vector, (c, c + a))

    left = [part.copy() for part in segments(values)]
    per_cell, per_key, per_response = np.zeros(c), np.zeros(a), np.zeros(len(t.b))
    twins, key_twins, response_twins = t.n.astype(float), t.key_common.astype(float), t.response_common.astype(float)
    n, of_a, of_b, of_ours, of_theirs = (list(segments(slope)) for slope in slopes)
    per_cell += n[0]
    left[0] -= n[0] * twins
    for slope, sizes, total, extra in ((of_a, t.a, per_key, None), (of_ours, key_twins, None, "key")):
        whole = slope[1] + add_up(t.i, slope[0], a)
        left[0] -= slope[0] * sizes[t.i]
        left[1] -= slope[1] * sizes
        if total is not None:
            total += whole
        elif extra:
            per_cell += whole[t.i]
    for slope, sizes, total in ((of_b, t.b, per_response), (of_theirs, response_twins, None)):
        whole = slope[2] + add_up(t.j, slope[0], len(t.b))
        left[0] -= slope[0] * sizes[t.j]
        left[2] -= slope[2] * sizes
        if total is not None:
            total += whole
        else:
            per_cell += whole[t.j]
    found: Array = t.of_cells.sum(per_cell * twins, t.groups)
    found = found + t.of_keys.sum(per_key * t.a, t.groups) + t.of_responses.sum(per_response * t.b, t.groups)
    if metric.quadratic:
        mentions = t.of_keys.sum(t.a, t.groups) + t.of_responses.sum(t.b, t.groups)
        found = found + sum(part.sum() for part in left) * mentions / max(mentions.sum(), 1)
        return found
    shared: Array = t.of_cells.sum(left[0], t.groups) + t.of_keys.sum(left[1], t.groups)
    return found + shared + t.of_responses.sum(left[2], t.groups)
