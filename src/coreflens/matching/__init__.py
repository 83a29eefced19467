"""What meets what: documents are paired, spans made comparable, mentions matched, twinless mentions treated."""

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
