"""The supplementary conditions of the task: mentions given to systems (Pradhan et al. 2011, section 4.3).

    gold-boundaries   all noun phrases of the gold trees, whether they corefer or not
    gold-mentions     exactly the spans of the gold chains, verbs included, singletons not
Each span is an entity of its own, numbered through the document, so that the file gives boundaries and nothing else.
"""

from __future__ import annotations

from ..corpus.candidates import apart, noun_phrases
from ..corpus.model import Corpus
from ..errors import choose

CONDITIONS = {
    "gold-boundaries": "all noun phrases of the gold trees",
    "gold-mentions": "the spans of the gold chains",
}


def condition(gold: Corpus, name: str) -> Corpus:
    """The gold corpus with the mentions of a condition in place of its chains."""
    choose(name, CONDITIONS, "condition")
    return noun_phrases(gold) if name == "gold-boundaries" else apart(gold)
