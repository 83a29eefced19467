"""From matched mentions to a result: counts, scores and signature. The entry points are `Scorer` and `Accumulator`;
`score` chooses an engine first, in `engines`."""

__all__ = [
    "batching",
    "counting",
    "counts",
    "counts_file",
    "coverage",
    "finalize",
    "loading",
    "parts",
    "result",
    "scorer",
    "scores",
    "settings",
    "signature",
    "strata",
    "windows",
]
