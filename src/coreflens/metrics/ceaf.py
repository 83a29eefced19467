"""CEAF: the best one-to-one alignment of entities."""

from __future__ import annotations

from typing import Any

import numpy as np

from .contingency import Array, Contingency
from .registry import metric, variant


def phi3(t: Any) -> Any:
    """φ3(K, R) = |K ∩ R| of each cell."""
    return t.overlap


def phi4(t: Any) -> Any:
    """φ4(K, R) = 2|K ∩ R| / (|K| + |R|) of each cell."""
    return 2 * t.overlap / (t.ai + t.bj)


@metric(
    "ceafm",
    title="CEAFm",
    cite="luo2005",
    aliases=("ceaf", "ceaf m"),
    overlap="times",
    similarity=phi3,
    split=True,
    e2e="drop-response",
)
def ceafm(t: Contingency) -> tuple[Array, ...]:
    """Mentions shared under the best one-to-one alignment g* of entities, φ3(K, R) = |K ∩ R|.

    R = Σ φ3(K, g*(K)) / Σ_i a_i      P = Σ φ3(K, g*(K)) / Σ_j b_j

    A split antecedent adds to |K ∩ R| what it shares with the other side's (f).
    """
    shared = t.best_alignment(phi3(t) + t.split(ceafm).f1)
    return shared, t.keys(t.a), shared, t.responses(t.b)


@metric(
    "ceafe",
    title="CEAFe",
    cite="luo2005",
    aliases=("ceaf e",),
    overlap="times",
    similarity=phi4,
    split=True,
    e2e="drop-response",
)
def ceafe(t: Contingency) -> tuple[Array, ...]:
    """Similarity of entities under the best one-to-one alignment g*, φ4(K, R) = 2|K ∩ R| / (|K| + |R|).

    R = Σ φ4(K, g*(K)) / |K|      P = Σ φ4(K, g*(K)) / |R|      |K|, |R|: the numbers of entities

    A split antecedent adds to |K ∩ R| what it shares with the other side's (f).
    """
    similar = t.best_alignment(phi4(t) + 2 * t.split(ceafe).f1 / (t.ai + t.bj))
    return similar, t.keys(np.ones_like(t.a)), similar, t.responses(np.ones_like(t.b))


variant(
    "ceafm-rn",
    ceafm,
    "CEAFm after twinless singletons of the response are deleted (Rahman & Ng 2009); nothing is added.",
    title="CEAFm r&n",
    cite="rahman2009",
    aliases=("ceaf-rn",),
    twinless="rn",
    symmetric=False,
    similarity=phi3,
)
variant(
    "ceafm-sys",
    ceafm,
    "CEAFm on the partitions of Cai & Strube 2010, Algorithm 2 (see bcub-sys).",
    title="CEAFm sys",
    cite="cai2010",
    aliases=("ceaf-sys",),
    twinless="sys",
    symmetric=False,
    similarity=phi3,
)
variant(
    "ceafe-sys",
    ceafe,
    "CEAFe on the partitions of Cai & Strube 2010, Algorithm 2: their counter-example, Table 6.",
    title="CEAFe sys",
    cite="cai2010",
    twinless="sys",
    symmetric=False,
    similarity=phi4,
)
