"""Both corpora with spans that can be compared: as they are, by written tokens, or by characters."""

from __future__ import annotations

import numpy as np

from ..corpus.model import Corpus
from ..options import Options
from .documents import Pairing
from .places import Common, Ground, by_tokens, uncompared


def common(key: Corpus, response: Corpus, pairing: Pairing, options: Options, *, strict: bool = True) -> Common:
    """Both corpora with spans that can be compared. `strict` (for files) refuses documents of unequal length."""
    if key.names is not None or response.names is not None:  # names are compared without places
        return uncompared(key, response, pairing)
    if options.align != "characters":
        return by_tokens(key, response, pairing, strict=strict)
    from .characters import carry

    moved = carry(key, response, pairing)
    ones = np.ones(len(pairing.documents), dtype=np.int64)
    ground = Ground(ones * moved.room, characters=True)
    return Common(moved.key, moved.response, moved.issues, ground, moved.lost, moved.kept)
