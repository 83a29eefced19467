"""Small annotated texts: one line per sentence, `word/TAG/head/relation` for each word, square brackets for mentions.

corpus("[Anna/NNP/2/nsubj] sleeps/VBZ/0/root")
"""

from __future__ import annotations

from typing import Any

from coreflens.corpus.model import Corpus
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.source import Source
from coreflens.resolvers import SystemName, resolve


def corpus(
    *sentences: str, speakers: tuple[str, ...] = (), trees: bool = False, names: dict[str, str] | None = None
) -> Corpus:
    """A corpus of one document. With `trees` the third part of a word is its bit of the tree."""
    builder = Builder(Source(b"", ""), "test")
    builder.document("d")
    spans: list[tuple[int, int]] = []
    open_: list[int] = []
    place = 0
    for number, sentence in enumerate(sentences):
        builder.sentence()
        for piece in sentence.split():
            word, tag, *rest = piece.strip("[]").split("/")
            layers: dict[str, Any] = {"pos": tag}
            if trees:
                layers["parse"] = rest[0]
            elif rest:
                layers |= {"head": rest[0], "deprel": rest[1]}
            if speakers:
                layers["speaker"] = speakers[number]
            if names and word in names:
                layers["names"] = f"({names[word]})"
            open_ += [place] * (len(piece) - len(piece.lstrip("[")))
            builder.token(word, **layers)
            spans += [(open_.pop(), place) for _ in range(len(piece) - len(piece.rstrip("]")))]
            place += 1
    for row, (start, end) in enumerate(sorted(spans, key=lambda span: (span[0], -span[1]))):
        builder.mention(start, end, str(row))
    return builder.build()


def entities(text: Corpus, system: SystemName = "sieve", **parameters: Any) -> set[frozenset[str]]:
    """The entities of more than one mention that a system finds, each mention as its words and its first token."""
    found = resolve(text, system, parameters=parameters)
    of: dict[int, list[str]] = {}
    for row in range(len(found)):
        of.setdefault(int(found.entity[row]), []).append(f"{found.words(row)}@{found.start[row]}")
    return {frozenset(mentions) for mentions in of.values() if len(mentions) > 1}
