"""Studies of annotators, of metrics and of controlled damage."""

__all__ = [
    "agreement",
    "categories",
    "correlation",
    "curve",
    "damage",
    "leniency",
    "major",
    "minimal_pairs",
    "questions",
    "quiz",
    "ranges",
    "rates",
    "sweeps",
]
