"""Corpora of any shape for the tests of record-like formats, and what two of them must have in common."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

import coreflens as cl
from coreflens import write
from coreflens.corpus.model import Corpus
from coreflens.formats import FORMATS, FormatName, read
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.features import DIFFERS, held, lost
from coreflens.formats.shared.source import Source

WORDS = ["the", "[", "]", "a]b", "\\", "\\[", "#", "# doc", "#x", "```", "(1)", "](1)", "é", "他", "x,y", '"q"', "`"]


def made(
    seed: int, *, crossing: bool = True, names: bool = False, characters: bool = False, blank: bool = True
) -> Corpus:
    """Documents with nested, repeated and, if wanted, crossing mentions; some have none, and some no words."""
    chance = random.Random(seed)
    builder = Builder(Source(b"", "made"), "made", "character" if characters else "token")
    for d in range(chance.randrange(1, 5)):
        builder.document(f'doc {d}, "x"' if d else "a", chance.choice((None, 0, 12)))
        size = chance.randrange(0 if blank else 1, 12)
        if characters:
            builder.raw("".join(chance.choice("ab é\n他") for _ in range(size)))
        for _ in range(0 if names or characters else size):
            if chance.random() < 0.3:
                builder.sentence()
            word = chance.choice(WORDS).replace(" ", "")
            builder.token(word, speaker=chance.choice(("", "A b", "_")), pos=chance.choice(("", "NN")))
        taken: list[tuple[int, int]] = []
        for n in range(chance.randrange(0 if blank else 1, 7) if size else 0):
            a = chance.randrange(size)
            b = chance.randrange(a, size)
            if not crossing and any(x < a <= y < b or a < x <= b < y for x, y in taken):
                continue
            taken.append((a, b))
            entity, kind = chance.choice(("1", "e2", "#3", 'x"y', f"d{d}")), chance.choice(("", "PER", "a,\nb", "a\rb"))
            if names:
                builder.mention(-1, -1, entity, name=f"m{n}, {chance.random()}", type=kind)
            else:
                builder.mention(a, b, entity, type=kind)
    return builder.build()


def again(corpus: Corpus, path: Path, format: FormatName) -> Corpus:
    """Written and read."""
    write(corpus, path, format=format, lossy=True)
    return read(path, format=format)


def view(corpus: Corpus, *what: str) -> dict[str, Any]:
    """All that two corpora must share: documents and mentions, and what else is asked for."""
    labels = [str(x) for x in corpus.labels]
    mentions: list[Any] = [(m.document.label, m.identity) for m in corpus]
    entities: dict[Any, list[Any]] = {}
    for row, mention in enumerate(mentions):
        key = labels[corpus.entity[row]] if "across" in what else (int(corpus.doc[row]), int(corpus.entity[row]))
        entities.setdefault(key, []).append(mention)
    found: dict[str, Any] = {
        "mentions": mentions,
        "entities": sorted(map(sorted, entities.values())),
        "unit": corpus.unit,
    }
    if "documents" in what:
        found["documents"] = [(d.name, d.part) for d in corpus.documents]
    if "labels" in what:
        found["labels"] = [labels[e] for e in corpus.entity.tolist()]
    if "attributes" in what:
        found["attributes"] = {n: list(v) for n, v in corpus.attributes.items() if any(v)}
    if "text" in what and corpus.has_text:
        text = corpus.text
        found["text"] = (list(text.words), text.first.tolist(), text.sentences.tolist(), list(text.raw or ()))
    if "layers" in what and corpus.has_text:
        found["layers"] = {n: list(v) for n, v in corpus.text.layers.items() if any(v)}
    return found


def kept(corpus: Corpus, back: Corpus, format: str) -> bool:
    """Whether as much came back as the format says that it holds."""
    before, after = (
        {f: n for f, n in held(c).items() if f != "cross-document entities"}  # which some formats only have
        for c in (corpus, back)
    )
    gone = lost(before, FORMATS[format].module.HOLDS)
    return {f: n for f, n in before.items() if f not in gone and f.removesuffix(DIFFERS) not in gone} == after


def problems(content: bytes | str, format: str, name: str = "f") -> list[tuple[str, int | None, int | None]]:
    """Code, line and column of every error in a file, the one that ends its reading last."""
    source = Source(content.encode() if isinstance(content, str) else content, name, lenient=True)
    last = []
    try:
        FORMATS[format].module.read(source)
    except cl.InputError as error:
        last = [(error.code, error.line, error.column)]
    return [(p.code, p.line, p.column) for p in source.problems if p.severity == "error"] + last


def survives(content: bytes, format: str, seed: int, **beside: bytes) -> None:
    """Whatever is done to a file, its reader raises nothing but InputError, lenient or not, and so does its text."""
    chance = random.Random(seed)
    for _ in range(150):
        data = bytearray(content)
        for _ in range(chance.randrange(1, 6)):
            a = chance.randrange(len(data) + 1)
            match chance.randrange(4):
                case 0:
                    data[a:a] = chance.choice(
                        (b"[", b"]", b"(", b'"', b"\n", b"\t", b",", b"0", b"-1", b"null", b"\xff")
                    )
                case 1:
                    del data[a : a + chance.randrange(8)]
                case 2:
                    b = chance.randrange(len(data) + 1)
                    data[a:a] = data[b : b + chance.randrange(60)]
                case _:
                    data = data[: a + 1]
        for lenient in (False, True):
            try:
                corpus = FORMATS[format].module.read(
                    Source(bytes(data), "f", "", lambda path: beside.get(path.partition(".")[2]), lenient)
                )
                assert (np.diff(corpus.doc) >= 0).all()
                if corpus.has_text:
                    assert len(corpus.text.first) == len(corpus.documents) + 1
            except cl.InputError:
                pass
