"""Studies of annotators, of metrics and of controlled damage."""

__all__ = [
    "agreement",
    "categories",
    "correlation",
    "curve",
    "damage",
    "major",
    "minimal_pairs",
    "questions",
    "quiz",
    "ranges",
    "rates",
    "sweeps",
    "tables",
]
