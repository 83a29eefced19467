"""Matching: documents are paired, spans are made comparable, mentions are matched, and twinless mentions are
treated."""

__all__ = [
    "alignment",
    "attributes",
    "beside",
    "characters",
    "documents",
    "labels",
    "matched",
    "matchers",
    "mentions",
    "optimal",
    "places",
    "reproduction",
    "selection",
    "splits",
    "strings",
    "suspicions",
    "twinless",
    "words",
    "zeros",
]
