"""The best that can be had with the mentions at hand: each that is in the key belongs to its entity there.

Mentions that the key lacks are left out. Precision is 1 for MUC and B³, and recall is as high as these mentions allow.
So is the total similarity of CEAF; its precision alone could rise if entities hardly found were left out. With
the mentions of the key the oracle is perfect. With mentions detected, or with the constituents of predicted trees, it
shows what detection and parsing cost before anything is resolved (Pradhan et al. 2011). The share of the key's mentions
that are at hand is reported.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..corpus.model import Corpus
from ..errors import Issue
from ..matching.matched import match
from ..protocols import Options


def oracle(corpus: Corpus, key: Corpus) -> tuple[Sequence[Hashable], tuple[Issue, ...]]:
    """The key's entity for each mention that the key has, and the share of the key's mentions that are there."""
    matched = match(key, corpus, Options(extra="ignore"), lenient=True)
    ours, theirs = matched.alignment.origins
    labels: list[Hashable] = [None] * len(corpus)
    for k, r in zip(ours.tolist(), theirs.tolist(), strict=True):
        if k >= 0 and r >= 0:
            labels[r] = int(key.entity[k])
    wanted, found = int((ours >= 0).sum()), int(((ours >= 0) & (theirs >= 0)).sum())
    share = f" ({100 * found / wanted:.1f} %)" if wanted else ""
    message = f"{found} of {wanted} mentions of the key are among the {len(corpus)} mentions at hand{share}"
    return labels, (*matched.issues[len(key.issues) + len(corpus.issues) :], Issue("oracle", message, found))
