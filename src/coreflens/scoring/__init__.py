"""From matched mentions to a result: counts, scores and signature. The entry points are `score`, `Scorer` and
`Accumulator`."""

__all__ = [
    "batching",
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
    "windows",
]
