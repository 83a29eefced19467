"""Measures of the agreement of two partitions of the same mentions: Rand, adjusted Rand, V-measure."""

from __future__ import annotations

import numpy as np

from ..options import Options
from .blanc import link_counts
from .contingency import Array, Contingency
from .links import links
from .registry import Columns, Values, metric, ratio, replaced


def _rand(c: Columns, options: Options) -> Values:
    return {"value": ratio(c["agreeing"], c["pairs"])}


@metric(
    "rand",
    title="Rand",
    cite="rand1971",
    aliases=("rand index",),
    columns=("agreeing", "pairs"),
    finalize=_rand,
    values=("value",),
    equal_mentions=True,
    quadratic=True,
)
def rand(t: Contingency) -> tuple[Array, ...]:
    """Share of the pairs of mentions that both sides treat in the same way. For equal mention sets only.

        Rand = (|C_k ∩ C_r| + |N_k ∩ N_r|) / (M(M−1)/2)

    Luo et al. 2014, eq. 1, print another denominator by mistake: the pairs are already counted. 0/0 for documents with
    fewer than two mentions.
    """
    both, in_key, _, apart, across_key, _ = link_counts(t)
    return both + apart, in_key + across_key


def _ari(c: Columns, options: Options) -> Values:
    pairs = c["mentions"] * (c["mentions"] - 1) / 2
    expected = ratio(c["key_pairs"] * c["response_pairs"], np.where(pairs == 0, 1, pairs))
    greatest = (c["key_pairs"] + c["response_pairs"]) / 2
    value = ratio(c["common_pairs"] - expected, greatest - expected)
    # greatest = expected only if both partitions are all singletons, or both are one entity: then they are the same
    return {"value": np.where(c["mentions"] == 0, np.nan, replaced(greatest == expected, 1, value))}


@metric(
    "ari",
    title="ARI",
    cite="hubert1985",
    aliases=("adjusted rand", "adjusted rand index"),
    columns=("common_pairs", "key_pairs", "response_pairs", "mentions"),
    finalize=_ari,
    values=("value",),
    aggregation="pooled",
    lower=-1.0,
    equal_mentions=True,
)
def ari(t: Contingency) -> tuple[Array, ...]:
    """Rand index adjusted for chance. For equal mention sets only.

        ARI = (Σ_ij L(n_ij) − E) / ((A + B)/2 − E)    A = Σ_i L(a_i), B = Σ_j L(b_j), E = AB / L(M), L(x) = x(x−1)/2

    Over a corpus it is pooled: all documents as one partition, in which no entity crosses a document. The same
    trivial partition on both sides gives 1.
    """

    return t.cells(links(t.n)), t.keys(links(t.a)), t.responses(links(t.b)), t.keys(t.a)


def _vmeasure(c: Columns, options: Options) -> Values:
    n = np.asarray(c["mentions"], dtype=np.float64)
    some = np.where(n == 0, 1, n)
    logs = ("common_log", "key_log", "response_log")
    common, key, response = (np.asarray(c[x], dtype=np.float64) / some for x in logs)
    log = np.log(some)

    def complement(conditional: Array, entropy: Array) -> Array:
        # for a single entity the entropy is 0, but log M − Σ a log a / M leaves a rounding error
        trivial = entropy < 1e-12
        value: Array = np.where(trivial, 1.0, 1 - conditional / np.where(trivial, 1, entropy))
        return np.where(n == 0, np.nan, np.clip(value, 0, 1))

    return {"recall": complement(key - common, log - response), "precision": complement(response - common, log - key)}


@metric(
    "vmeasure",
    title="V-measure",
    cite="rosenberg2007",
    aliases=("v", "v measure"),
    columns=("common_log", "key_log", "response_log", "mentions"),
    finalize=_vmeasure,
    aggregation="pooled",
    equal_mentions=True,
    irrational=True,
)
def vmeasure(t: Contingency) -> tuple[Array, ...]:
    """Completeness (as recall) and homogeneity (as precision) by entropies. For equal mention sets only.

        P = 1 − H(K|R)/H(K)      R = 1 − H(R|K)/H(R)      1 where the entropy below is 0

    Pooled over a corpus like `ari`. H(K) = log M − Σ a log a / M, so only Σ x log x has to be summed.
    """

    def x_log_x(x: Array) -> Array:
        product: Array = np.asarray(x, dtype=np.float64) * np.log(np.asarray(x, dtype=np.float64))
        return product

    return t.cells(x_log_x(t.n)), t.keys(x_log_x(t.a)), t.responses(x_log_x(t.b)), t.keys(t.a)
