"""Corpora made in tests, without a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from coreflens.corpus.model import Corpus, Span
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.source import Source

Mentions = Mapping[Any, Iterable[Span | tuple[Span, ...]]]  # entity → spans, or tuples of pieces


def _mentions(builder: Builder, entities: Mentions) -> None:
    for entity, spans in entities.items():
        for span in spans:
            pieces = span if isinstance(span[0], tuple) else (span,)
            builder.mention(pieces[0][0], pieces[-1][1], entity, parts=pieces, line=1)


def tokens(*documents: tuple[str, str, Mentions], source: str = "side") -> Corpus:
    """Documents (name, text, entities): words apart by blanks, sentences by line breaks; `*x` is an empty node."""
    builder = Builder(Source(b"", source), "test")
    line = 0
    for name, text, entities in documents:
        line += 1
        builder.document(name, line=line)
        for sentence in text.split("\n"):
            builder.sentence()
            for word in sentence.split():
                line += 1
                builder.token(word, line=line, empty=word.startswith("*"))
        _mentions(builder, entities)
    return builder.build()


def characters(*documents: tuple[str, str, Mentions], source: str = "side") -> Corpus:
    """Documents (name, raw text, entities), spans counted in characters."""
    builder = Builder(Source(b"", source), "test", "character")
    for name, raw, entities in documents:
        builder.document(name)
        builder.raw(raw)
        _mentions(builder, entities)
    return builder.build()


def words(corpus: Corpus) -> Sequence[str]:
    """The text of every mention."""
    return [corpus.words(row) for row in range(len(corpus))]
