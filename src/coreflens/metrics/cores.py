"""Core and exclusive-core scores of Popescu-Belis & Robba 1998.

First, both partitions get the mentions that they lack, as singletons (section 2 of the paper). So |M| is the number of
mentions of each side. Recall 0/0 is 0 and precision 0/0 is 1, as in the paper's note 6 and Table 2.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .contingency import Array, Contingency
from .registry import metric

_RULES = {"twinless": "extend", "zero_over_zero": (0, 1)}


@metric("core", title="core", cite="popescu1998", aliases=("core mr",), **_RULES)
def core(t: Contingency) -> tuple[Array, ...]:
    """Mentions outside the core c(K), the largest part of K that one response entity holds, are errors.

        R = Σ_i (|c(K_i)| − 1) / Σ_i (a_i − 1)      P: key and response exchanged

    If several parts are largest, the score is the same for any of them.
    """
    return t.keys(t.key_largest - 1), t.keys(t.a - 1), t.responses(t.response_largest - 1), t.responses(t.b - 1)


@metric("xcore", title="exclusive core", cite="popescu1998", aliases=("exclusive core",), symmetric=False, **_RULES)
def xcore(t: Contingency) -> tuple[Array, ...]:
    """As `core`, but a response entity is the core of one key entity only.

        take the K with the largest part in some R, fix xc(K) = K ∩ R, remove K and R, repeat; leftover K: xc(K) = ∅
        R = Σ |xc(K)| / |M|      P = 1 − Σ |R − K| / |M| over the pairs fixed

    It is greedy as in the paper, not the optimal alignment. Ties go to the K, and then to the R, that is mentioned
    first in the text. The order of the input does not matter.
    """
    fixed = exclusive(t)
    mentions = t.keys(t.a)
    wrong = t.cells(np.where(fixed, t.bj - t.n, 0))
    return t.cells(np.where(fixed, t.n, 0)), mentions, mentions - wrong, mentions


def exclusive(t: Contingency) -> npt.NDArray[np.bool_]:
    """Which cells are exclusive cores."""
    key_rank, response_rank = t.ranks()
    free_key, free_response = bytearray(b"\1") * len(t.a), bytearray(b"\1") * len(t.b)
    chosen: list[int] = []
    order = np.lexsort((response_rank[t.j], key_rank[t.i], -t.n.astype(np.int64)))
    for cell, i, j in zip(order.tolist(), t.i[order].tolist(), t.j[order].tolist(), strict=True):
        if free_key[i] and free_response[j]:
            free_key[i] = free_response[j] = 0
            chosen.append(cell)
    fixed = np.zeros(len(t.n), dtype=bool)
    fixed[chosen] = True
    return fixed
