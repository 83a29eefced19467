"""B³ and its variants for twinless mentions."""

from __future__ import annotations

from .contingency import Array, Contingency
from .registry import metric, variant
from .weights import earns


@metric(
    "bcub",
    title="B³",
    cite="bagga1998",
    aliases=("b3", "b cubed", "bcubed"),
    overlap="once",
    split=True,
    e2e="drop",
)
@earns(
    lambda at, share: (
        (at.n + at.overlap + share.recall) * share.recall / at.a,
        (at.n + at.overlap + share.precision) * share.precision / at.b,
    )
)
def bcub(t: Contingency) -> tuple[Array, ...]:
    """How much of a mention's entity is right, averaged over the mentions.

        R = Σ_ij n_ij²/a_i / Σ_i a_i      P = Σ_ij n_ij²/b_j / Σ_j b_j

    A twinless mention gets no credit (Pradhan et al. 2014). A split antecedent adds r (or p) to n_ij instead of 1.
    """
    s = t.split(bcub)
    # n_ij². The overlap differs from n only if repetitions count as in scorer.pl
    recall = (t.n + s.recall) * (t.overlap + s.recall) / t.ai
    precision = (t.n + s.precision) * (t.overlap + s.precision) / t.bj
    return t.cells(recall), t.keys(t.a), t.cells(precision), t.responses(t.b)


variant(
    "bcub-0",
    bcub,
    "B³ after all twinless response mentions are deleted (Stoyanov et al. 2009).\n\nPrecision is averaged over the "
    "remaining response mentions (0/0 if there are none), recall over all key mentions.",
    title="B³ 0",
    cite="stoyanov2009",
    aliases=("b3-0",),
    twinless="drop",
    symmetric=False,
)
variant(
    "bcub-all",
    bcub,
    "B³ with P(m) = 1/|R_m| for a twinless response mention and R(m) = 1/|K_m| for a twinless key mention.",
    title="B³ all",
    cite="stoyanov2009",
    aliases=("b3-all",),
    twinless="all",
)
variant(
    "bcub-rn",
    bcub,
    "B³ all after twinless singletons of the response are deleted (Rahman & Ng 2009).",
    title="B³ r&n",
    cite="rahman2009",
    aliases=("b3-rn",),
    twinless="rn-all",
    symmetric=False,
)
variant(
    "bcub-sys",
    bcub,
    "B³ on the partitions of Cai & Strube 2010, Algorithm 1.\n\n"
    "Twinless response singletons are deleted, and twinless key mentions join the response as singletons. The other\n"
    "twinless response mentions join the key as singletons for precision, and are deleted for recall.",
    title="B³ sys",
    cite="cai2010",
    aliases=("b3-sys",),
    twinless="sys",
    symmetric=False,
)
