"""Matching: documents are paired, spans are made comparable, mentions are matched, and a policy is applied to
twinless mentions."""

__all__ = [
    "alignment",
    "attributes",
    "characters",
    "comparable",
    "documents",
    "filters",
    "labels",
    "matched",
    "matchers",
    "mentions",
    "optimal",
    "other_anaphora",
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
