"""LEA: link-based, entity-aware."""

from __future__ import annotations

import numpy as np

from .contingency import Array, Contingency
from .registry import metric
from .weights import earns


@metric("lea", title="LEA", cite="moosavi2016", split=True, e2e="drop")
@earns(lambda at, share: (at.n * share.recall / (at.a - 1), at.n * share.precision / (at.b - 1)))
def lea(t: Contingency) -> tuple[Array, ...]:
    """How important an entity is, times how much of it is resolved.

        R = Σ_i a_i · Σ_j L(n_ij) / L(a_i) / Σ_i a_i      L(x) = x(x−1)/2;      P: exchanged

    A singleton's only link is to itself. It is resolved only if the other side has the same singleton.
    A link of a split antecedent counts r (or p).
    """

    links = t.n * (t.n - 1)

    def resolved(size: Array, other: Array, split: Array) -> Array:
        single = size == 1
        kept = links if t.antecedents is None else links + 2 * t.n * split
        found: Array = np.where(single, other == 1, kept / np.where(single, 1, size - 1))
        return found

    s = t.split(lea)
    return (
        t.cells(resolved(t.ai, t.bj, s.recall)),
        t.keys(t.a),
        t.cells(resolved(t.bj, t.ai, s.precision)),
        t.responses(t.b),
    )
