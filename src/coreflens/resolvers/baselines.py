"""Very simple resolvers. Other scores can be compared with theirs.

    singletons          every mention is an entity of its own
    one-entity          all mentions of a document are one entity
    pronouns-together   the pronouns of a document are one entity, every other mention is an entity of its own
    exact-match         mentions with the same words, apart from case, are one entity
    head-match          mentions with the same head word, apart from case, are one entity; pronouns stay alone

The last three need words. `pronouns-together` and `head-match` also need tags.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Literal, TypeAlias

from ..corpus.heads import heads, mention_types
from ..corpus.model import Corpus
from ..errors import InputError

Baseline = Callable[[Corpus], list[Hashable]]


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

    def tokens(row: int) -> Hashable:  # regardless of the blanks between them
        return tuple(
            tuple(map(str.lower, text.words[first[row] + a : first[row] + b + 1])) for a, b in corpus.pieces(row)
        )

    return [tokens(row) for row in range(len(corpus))]


def _head_match(corpus: Corpus) -> list[Hashable]:
    words, first = corpus.text.words, corpus.text.first
    token = (heads(corpus).token + first[corpus.doc]).tolist()
    return [row if kind == "pronoun" else words[token[row]].lower() for row, kind in enumerate(_types(corpus))]


BaselineName: TypeAlias = Literal["singletons", "one-entity", "pronouns-together", "exact-match", "head-match"]
BASELINES: dict[BaselineName, Baseline] = {
    "singletons": _singletons,
    "one-entity": _one_entity,
    "pronouns-together": _pronouns_together,
    "exact-match": _exact_match,
    "head-match": _head_match,
}
ABOUT: dict[BaselineName, str] = {
    "singletons": "every mention is an entity of its own",
    "one-entity": "all mentions of a document are one entity",
    "pronouns-together": "the pronouns of a document are one entity",
    "exact-match": "mentions with the same words are one entity",
    "head-match": "mentions with the same head word are one entity",
}


def _types(corpus: Corpus) -> list[str]:
    types = mention_types(corpus)
    if len(types) and not any(types):
        hint = "give a file with a part-of-speech column, such as CoNLL-2012 or CoNLL-U"
        raise InputError("there are no tags to recognise pronouns by", file=corpus.source or None, hint=hint)
    return types
