"""The head-lemma baseline of cross-document work: mentions with the same lemma are one entity.

Published work on ECB+ compares with it, because the wording of its events repeats so much. With `by` = head the lemma
of the head word decides, with `by` = mention the lemmas of all words in their order. Entities extend over the documents
of the scope: `corpus` is the baseline `lemma` of Bugert et al. (2021), `document` is their `lemma-wd`, and `topic` is
what most papers on ECB+ call the lemma baseline. Topics and subtopics come from the documents' names, as in ECB+.

Events and entities are never joined. If a word has no lemma, its form in lower case is used, and a note says so. Case
is ignored.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from ..corpus.heads import heads
from ..corpus.model import Corpus
from ..errors import InputError, Issue, counted
from ..matching.labels import labels_of
from .parameters import parameter


@dataclass(frozen=True)
class LemmaSettings:
    by: Literal["head", "mention"] = parameter("head", "Compare the lemma of the head, or of all words of the mention.")
    scope: Literal["corpus", "topic", "subtopic", "document"] = parameter(
        "corpus", "The documents that an entity may extend over."
    )


def lemma(corpus: Corpus, settings: LemmaSettings) -> tuple[list[Hashable], tuple[Issue, ...]]:
    """A label for each mention, which means the same in all documents, and a note on missing lemmas."""
    if corpus.unit != "token" or corpus.names is not None or not corpus.has_text:
        hint = "give a file with tokens, such as CoNLL, CoNLL-U or ECB+"
        raise InputError("there are no words to compare lemmas of", file=corpus.source or None, hint=hint)
    text = corpus.text
    lemmas, words = text.layers.get("lemma"), text.words
    first = text.first[corpus.doc].tolist()
    if settings.by == "head":
        tokens = [[first[row] + head] for row, head in enumerate(heads(corpus).token.tolist())]
    else:
        tokens = [
            [first[row] + t for start, end in corpus.pieces(row) for t in range(start, end + 1)]
            for row in range(len(corpus))
        ]
    scope = _scopes(corpus, settings.scope)
    kinds = corpus.attributes.get("kind")
    without = 0
    labels: list[Hashable] = []
    for row, (document, places) in enumerate(zip(corpus.doc.tolist(), tokens, strict=True)):
        known = [lemmas[t] if lemmas and lemmas[t] not in ("", "-", "_") else "" for t in places]
        without += not all(known)
        form = " ".join((name or words[t]).lower() for name, t in zip(known, places, strict=True))
        labels.append((scope[document], kinds[row] if kinds else "", form))
    if not without:
        return labels, ()
    message = f"{counted(range(without), 'mention')} with words that have no lemma: their forms are compared"
    return labels, (Issue("no-lemma", message, without),)


def _scopes(corpus: Corpus, scope: str) -> list[Hashable]:
    """For each document, the scope that an entity may extend over."""
    if scope == "document":
        return [*range(len(corpus.documents))]
    return [""] * len(corpus.documents) if scope == "corpus" else [*labels_of(corpus.documents, scope)]
