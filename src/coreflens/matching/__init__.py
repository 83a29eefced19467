"""What meets what: documents are paired, spans made comparable, mentions matched, twinless mentions treated."""

__all__ = [
    "alignment",
    "attributes",
    "beside",
    "documents",
    "labels",
    "matched",
    "matchers",
    "mentions",
    "optimal",
    "places",
    "selection",
    "splits",
    "suspicions",
    "twinless",
    "words",
    "zeros",
]
