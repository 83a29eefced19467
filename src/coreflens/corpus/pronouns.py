"""Which kind of pronoun a mention is: personal, possessive and so on, by features or by tags.

A pronoun is a mention of one word with the tag of a pronoun (see `mention_types`). If the word has a PronType, as in
Universal Dependencies, its morphological features decide. Otherwise the beginning of its tag decides. Penn's tags do
not distinguish reflexive pronouns, so there the English ending decides.
"""

from __future__ import annotations

from .model import Corpus

KINDS = ("personal", "possessive", "reflexive", "demonstrative", "relative", "other")

# PronType of Universal Dependencies; Reflex=Yes and Poss=Yes come first. Interrogative pronouns count as relative.
_FEATURES = {"Prs": "personal", "Dem": "demonstrative", "Rel": "relative", "Int": "relative"}
# Beginnings of tags, longer ones first: Penn for English and Chinese, STTS for German, CGN for Dutch, EAGLES for
# Spanish and Catalan.
_TAGS = {
    "personal": "PRP PPER PN VNW(pers VNW[pers pp",
    "possessive": "PRP$ PPOS VNW(bez VNW[bez px dp",
    "reflexive": "PRF VNW(refl VNW[refl",
    "demonstrative": "DT PDS PDAT VNW(aanw VNW[aanw pd dd",
    "relative": "WP WDT PREL PWS PWAT VNW(betr VNW[betr VNW(vb VNW[vb pr pt",
}
_BEGINNINGS = sorted(((tag, kind) for kind, tags in _TAGS.items() for tag in tags.split()), key=lambda x: -len(x[0]))


def pronoun_kinds(corpus: Corpus) -> list[str]:
    """One of `KINDS` for each mention that is a pronoun, "" for the others."""
    from .heads import mention_types

    types = mention_types(corpus)
    found = [""] * len(corpus)
    if "pronoun" not in types:
        return found
    text = corpus.text
    feats, tags = text.layers.get("feats"), text.layers.get("pos") or text.layers.get("upos") or ()
    first = text.first[corpus.doc].tolist()
    start, end = corpus.start.tolist(), corpus.end.tolist()
    known: dict[tuple[str, str, bool], str] = {}
    for row, kind in enumerate(types):
        if kind == "pronoun" and start[row] == end[row]:
            token = first[row] + start[row]
            word = text.words[token].lower()
            case = (feats[token] if feats else "", tags[token], word.endswith(("self", "selves")))
            if case not in known:
                known[case] = _kind(*case)
            found[row] = known[case]
    return found


def _kind(features: str, tag: str, on_self: bool) -> str:
    values = dict(pair.split("=", 1) for pair in features.split("|") if "=" in pair)
    if "PronType" in values:
        if values.get("Reflex") == "Yes":
            return "reflexive"
        if values.get("Poss") == "Yes":
            return "possessive"
        return next((_FEATURES[t] for t in values["PronType"].split(",") if t in _FEATURES), "other")
    if tag == "PRP" and on_self:
        return "reflexive"
    return next((kind for beginning, kind in _BEGINNINGS if tag.startswith(beginning)), "other")
