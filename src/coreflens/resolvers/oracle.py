"""The best possible response with given mentions: each mention that the key has gets its entity from the key.

Mentions that the key lacks are left out. Precision is 1 for MUC and B³, and recall is as high as these mentions allow.
The total similarity of CEAF is also as high as possible. (Its precision could rise if entities with few of their
mentions were left out.) With the mentions of the key the oracle is perfect. With detected mentions, or with the
constituents of predicted trees, it shows what detection and parsing cost before anything is resolved (Pradhan et al.
2011). A note gives the share of the key's mentions that are available.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..corpus.model import Corpus
from ..errors import Issue
from ..matching.matched import match
from ..options import Options


def oracle(corpus: Corpus, key: Corpus) -> tuple[Sequence[Hashable], tuple[Issue, ...]]:
    """The key's entity for each mention that the key has, and the share of the key's mentions that are available."""
    matched = match(key, corpus, Options(extra="ignore"), lenient=True)
    key_rows, response_rows = matched.alignment.origins
    labels: list[Hashable] = [None] * len(corpus)
    for k, r in zip(key_rows.tolist(), response_rows.tolist(), strict=True):
        if k >= 0 and r >= 0:
            labels[r] = int(key.entity[k])
    wanted, present = int((key_rows >= 0).sum()), int(((key_rows >= 0) & (response_rows >= 0)).sum())
    share = f" ({100 * present / wanted:.1f} %)" if wanted else ""
    message = f"{present} of {wanted} mentions of the key are among the {len(corpus)} available mentions{share}"
    return labels, (*matched.issues[len(key.issues) + len(corpus.issues) :], Issue("oracle", message, present))
