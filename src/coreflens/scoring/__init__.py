"""From matched mentions to a result: counts, scores and signature. `score`, `Scorer` and `Accumulator` are the way
in."""

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
