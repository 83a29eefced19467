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
    lemmas, words = corpus.text.layers.get("lemma"), corpus.text.words
    scope = _scopes(corpus, settings.scope)
    kinds = corpus.attributes.get("kind")
    lacking = 0
    labels: list[Hashable] = []
    for row, (document, tokens) in enumerate(zip(corpus.doc.tolist(), _compared_tokens(corpus, settings), strict=True)):
        known = [_known(lemmas[token]) if lemmas else "" for token in tokens]
        if not all(known):
            lacking += 1
        form = " ".join((name or words[token]).lower() for name, token in zip(known, tokens, strict=True))
        labels.append((scope[document], kinds[row] if kinds else "", form))
    if not lacking:
        return labels, ()
    message = f"{counted(range(lacking), 'mention')} with words that have no lemma: their forms are compared"
    return labels, (Issue("no-lemma", message, lacking),)


def _compared_tokens(corpus: Corpus, settings: LemmaSettings) -> list[list[int]]:
    """For each mention, the words that are compared: its head, or all."""
    first = corpus.text.first[corpus.doc].tolist()
    if settings.by == "head":
        return [[first[row] + head] for row, head in enumerate(heads(corpus).token.tolist())]
    tokens = []
    for row in range(len(corpus)):
        pieces = [range(start, end + 1) for start, end in corpus.pieces(row)]
        tokens.append([first[row] + place for piece in pieces for place in piece])
    return tokens


def _known(cell: str) -> str:
    """The lemma in a cell, "" without one."""
    return "" if cell in ("-", "_") else cell


def _scopes(corpus: Corpus, scope: str) -> list[Hashable]:
    """For each document, the scope that an entity may extend over."""
    if scope == "document":
        return [*range(len(corpus.documents))]
    return [""] * len(corpus.documents) if scope == "corpus" else [*labels_of(corpus.documents, scope)]
