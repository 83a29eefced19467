"""Resolvers that know next to nothing: what a score is worth shows when they get one.

    singletons          every mention is an entity of its own
    one-entity          all mentions of a document are one entity
    pronouns-together   the pronouns of a document are one entity, every other mention one of its own
    exact-match         mentions of the same words, but for case, are one entity
    head-match          mentions of the same head word, but for case, are one entity; pronouns stay alone

They take the mentions of the input, or, of `given` = "phrases", its noun phrases and possessive pronouns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from ..corpus.candidates import apart, noun_phrases, with_spans
from ..corpus.heads import heads, mention_types
from ..corpus.model import Corpus
from ..errors import InputError, choose

Resolver = Callable[[Corpus], list[Hashable]]


def _singletons(corpus: Corpus) -> list[Hashable]:
    return list(range(len(corpus)))


def _one_entity(corpus: Corpus) -> list[Hashable]:
    return ["all"] * len(corpus)


def _pronouns_together(corpus: Corpus) -> list[Hashable]:
    return ["pronouns" if kind == "pronoun" else row for row, kind in enumerate(_types(corpus))]


def _exact_match(corpus: Corpus) -> list[Hashable]:
    text = corpus.text
    if text.raw is not None:
        return [" ".join(corpus.words(row).lower().split()) for row in range(len(corpus))]
    first = text.first[corpus.doc].tolist()

    def tokens(row: int) -> Hashable:  # however they are spaced
        return tuple(
            tuple(map(str.lower, text.words[first[row] + a : first[row] + b + 1])) for a, b in corpus.pieces(row)
        )

    return [tokens(row) for row in range(len(corpus))]


def _head_match(corpus: Corpus) -> list[Hashable]:
    words, first = corpus.text.words, corpus.text.first
    token = (heads(corpus).token + first[corpus.doc]).tolist()
    return [row if kind == "pronoun" else words[token[row]].lower() for row, kind in enumerate(_types(corpus))]


SystemName: TypeAlias = Literal["singletons", "one-entity", "pronouns-together", "exact-match", "head-match"]
SYSTEMS: dict[SystemName, Resolver] = {
    "singletons": _singletons,
    "one-entity": _one_entity,
    "pronouns-together": _pronouns_together,
    "exact-match": _exact_match,
    "head-match": _head_match,
}
Mentions: TypeAlias = Literal["given", "phrases"]
MENTIONS: dict[Mentions, str] = {
    "given": "those of the input",
    "phrases": "noun phrases of its trees, and possessive pronouns",
}


def resolve(corpus: Corpus, system: SystemName, mentions: Mentions = "given") -> Corpus:
    """The corpus with the entities that a baseline makes of its mentions; repeated spans are one mention."""
    choose(system, SYSTEMS, "system")
    choose(mentions, MENTIONS, "choice of mentions")
    found = _phrases(corpus) if mentions == "phrases" else apart(corpus)
    labels = SYSTEMS[system](found)
    numbers: dict[Hashable, int] = {}
    # No id in two documents: where entities may extend over several, the same id is the same entity.
    of = [numbers.setdefault(named, len(numbers)) for named in zip(found.doc.tolist(), labels, strict=True)]
    return replace(found, entity=np.array(of, dtype=np.int64), labels=[str(i) for i in range(len(numbers))])


def _phrases(corpus: Corpus) -> Corpus:
    text, phrases = corpus.text, noun_phrases(corpus)
    tags = text.layers.get("pos") or []
    lone = np.array([i for i, tag in enumerate(tags) if tag in ("PRP$", "WP$")], dtype=np.int64)
    doc = np.searchsorted(text.first, lone, side="right") - 1
    place = lone - text.first[doc]
    return with_spans(
        corpus,
        np.concatenate((phrases.doc, doc)),
        np.concatenate((phrases.start, place)),
        np.concatenate((phrases.end, place)),
    )


def _types(corpus: Corpus) -> list[str]:
    types = mention_types(corpus)
    if len(types) and not any(types):
        hint = "give a file with a part-of-speech column, such as CoNLL-2012 or CoNLL-U"
        raise InputError("there are no tags to tell pronouns by", file=corpus.source or None, hint=hint)
    return types
