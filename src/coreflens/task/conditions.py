"""The conditions of the task: what systems are given (Pradhan et al. 2011, section 4.3).

Layers are predicted, and speakers are always gold. Each span is an entity of its own, numbered through the document, so
the file gives boundaries and nothing else.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..corpus.candidates import apart, noun_phrases
from ..corpus.model import Corpus, Text
from ..errors import InputError, Issue, choose
from .quality import check_words

CONDITIONS = {
    "official": "predicted layers, and no mentions",
    "gold-boundaries": "also all noun phrases of the gold trees, whether they corefer or not",
    "gold-mentions": "also exactly the spans of the gold chains, verbs included, singletons not",
    "gold-mentions+gold-layers": "these spans, and gold layers",
}


def condition(gold: Corpus, name: str, given: Corpus | None = None) -> Corpus:
    """The gold corpus as systems get it: with the layers of `given`, and a condition's mentions instead of chains."""
    choose(name, CONDITIONS, "condition")
    if name == "official":
        nothing = np.zeros(0, dtype=np.int64)
        made = replace(gold, doc=nothing, start=nothing, end=nothing, entity=nothing, labels=[], line=None, head=None)
        made = replace(made, parts={}, attributes={}, relations=(), names=None)
    else:
        made = noun_phrases(gold) if name == "gold-boundaries" else apart(gold)
    issues = [*_predicted(gold, name), *gold.issues]
    if name == "gold-mentions+gold-layers":
        return replace(made, issues=tuple(issues))
    if given is None:
        if name == "official":
            raise InputError("the official input needs predicted layers", hint="give them with --input AUTO")
        layers = {layer: values for layer, values in gold.text.layers.items() if layer == "speaker"}
        message = "without --input there are no predicted layers; gold layers are left out, as they give answers away"
        issues.append(Issue("no-layers", message))
        return replace(made, texts=replace(gold.text, layers=layers), issues=tuple(issues))
    return replace(made, texts=_layers_of(gold, given), issues=(*issues, *given.issues))


def _predicted(gold: Corpus, name: str) -> list[Issue]:
    """A warning if the gold files look predicted: then their trees do not give gold boundaries."""
    auto = [d.file for d in gold.documents if "auto_conll" in d.file]
    if not auto or name == "official":
        return []
    message = "the gold files have auto in their names: are their spans and trees predicted?"
    return [Issue("predicted", message, len(auto), (auto[0],))]


def _layers_of(gold: Corpus, given: Corpus) -> Text:
    """The text of the gold documents, in their order, with the layers of others and gold speakers."""
    place = {document.label: d for d, document in enumerate(given.documents)}
    lacking = next((d for d in gold.documents if d.label not in place), None)
    if lacking is not None:
        message = f"document {lacking.quoted} is missing here"
        raise InputError(message, file=given.source or None, hint="--input must have the documents of GOLD")
    text = given.text.take([place[d.label] for d in gold.documents])
    check_words(gold, replace(given, documents=gold.documents, texts=text))
    speakers = {"speaker": gold.text.layers["speaker"]} if "speaker" in gold.text.layers else {}
    return replace(text, layers={**text.layers, **speakers})
