"""Matching: documents are paired, spans are made comparable, mentions are matched, and a policy is applied to
twinless mentions."""

__all__ = [
    "alignment",
    "attributes",
    "beside",
    "characters",
    "comparable",
    "documents",
    "filters",
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
