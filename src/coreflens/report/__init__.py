"""Results on paper: one writer per kind of result, named after it. Results themselves know nothing of paper.

Each writer has `text`, for `print`, and `html` for notebooks, `plot`, `plots` and `render` where its result has them.
`WRITERS` of `coreflens/__init__.py` says which writer shows which class.
"""

__all__ = [
    "ablation",
    "agreement",
    "answer",
    "categories",
    "comparison",
    "correlation",
    "curve",
    "description",
    "diagnosis",
    "estimates",
    "explanation",
    "history",
    "intervals",
    "leniency",
    "major",
    "minimal_pairs",
    "plan",
    "printed",
    "probe",
    "quality",
    "quiz",
    "ranges",
    "rates",
    "score",
    "sweep",
    "taggers",
    "tuning",
]
