"""From matched mentions to a result: counts, scores, signature; `score`, `Scorer` and `Accumulator` are the doors."""

__all__ = [
    "counts",
    "counts_file",
    "coverage",
    "finalize",
    "parts",
    "result",
    "scorer",
    "scores",
    "settings",
    "signature",
    "strata",
    "waiting",
    "windows",
]
