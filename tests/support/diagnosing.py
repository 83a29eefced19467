"""Documents at random to diagnose, and spans of one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

import coreflens as cl
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.source import Source

# A token is a mention of one word: its key entity, its response entity (None: not there), and whether it is a pronoun.
Token: TypeAlias = tuple[int | None, int | None, bool]

Doc: TypeAlias = list[Token]

_entity = st.none() | st.integers(0, 3)

tokens = st.tuples(_entity, _entity, st.booleans())

docs: st.SearchStrategy[list[Doc]] = st.lists(st.lists(tokens, max_size=12), min_size=1, max_size=3)


def corpus(documents: list[Doc], side: int, *, tags: bool = True) -> cl.Corpus:
    builder = Builder(Source(b"", f"{side}.conll"), "conll")
    for number, doc in enumerate(documents):
        builder.document(f"d{number}")
        for place, token in enumerate(doc):
            columns = {"pos": "PRP" if token[2] else "NN"} if tags else {}
            builder.token(f"w{place}", place + 1, False, **columns)
        for place, token in enumerate(doc):
            if token[side] is not None:
                builder.mention(place, place, token[side], line=place + 1)
    return replace(builder.build(), source="")


def diagnosed(documents: list[Doc], *, tags: bool = True, **settings: Any) -> cl.Diagnosis:
    return cl.diagnose(corpus(documents, 0, tags=tags), corpus(documents, 1, tags=tags), **settings)


WORDS = [*("The", "old", "fox", "'s", "den", ",", "where", "it", "sleeps", ",", "is", "the", "den", "of", "a", "fox")]


def spanned(*spans: tuple[int, int], head: dict[tuple[int, int], int] | None = None) -> cl.Corpus:
    builder = Builder(Source(b"", "x.conll"), "conll")
    builder.document("d")
    for number, word in enumerate(WORDS):
        builder.token(word, number + 1, False)
    for number, (start, end) in enumerate(spans):
        builder.mention(start, end, number // 2, line=start + 1)
    built = replace(builder.build(), source="")
    if head:
        of = [head.get((s, e), -1) for s, e in zip(built.start.tolist(), built.end.tolist(), strict=True)]
        built = replace(built, head=np.array(of))
    return built
