"""What the tests of stand-off and inline formats share: sources in memory, corpora to write, how to compare them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from coreflens.corpus.model import Corpus
from coreflens.formats import FORMATS, read
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.source import Source
from places import DATA

real = pytest.mark.skipif(not DATA.is_dir(), reason=f"third-party data is not at {DATA}: nothing real is tested")


def source(text: str | bytes, name: str = "a.x", lenient: bool = False, **siblings: str) -> Source:
    """A file in memory; a neighbour `a_txt="..."` is called a.txt."""
    files = {key.replace("_", "."): value.encode() for key, value in siblings.items()}
    return Source(text.encode() if isinstance(text, str) else text, name, "", files.get, lenient)


def problems(format: str, text: str, **siblings: str) -> list[tuple[str, int | None, int | None]]:
    """Code, line and column of everything that a lenient reader finds."""
    given = source(text, lenient=True, **siblings)
    FORMATS[format].module.read(given)
    return [(p.code, p.line, p.column) for p in given.problems]


def entities(corpus: Corpus, document: int = 0) -> dict[Any, list[str]]:
    """Label → texts of its mentions."""
    found: dict[Any, list[str]] = {}
    for row in range(*corpus.bounds[document : document + 2]):
        found.setdefault(corpus.labels[corpus.entity[row]], []).append(corpus.words(row))
    return found


def squeezed(corpus: Corpus, document: int = 0) -> dict[Any, set[tuple[tuple[int, int], ...]]]:
    """Label → spans, counted in the characters that are no blanks: the same however a text is laid out."""
    text = corpus.text
    if text.raw is None:
        words = ["".join(word.split()) for word in text.words[text.document(document)]]
        bounds = np.cumsum([0, *map(len, words)])
    else:
        bounds = np.cumsum([0, *(not c.isspace() for c in text.raw[document])])
    found: dict[Any, set[tuple[tuple[int, int], ...]]] = {}
    for row in range(*corpus.bounds[document : document + 2]):
        span = tuple((int(bounds[a]), int(bounds[b + 1]) - 1) for a, b in corpus.pieces(row))
        found.setdefault(corpus.labels[corpus.entity[row]], set()).add(span)
    return found


def content(corpus: Corpus) -> Any:
    """All of a corpus but its file and lines; mentions with the same span in any order."""
    mentions = [
        (
            int(corpus.doc[row]),
            corpus.pieces(row),
            str(corpus.labels[corpus.entity[row]]),
            sorted((name, values[row]) for name, values in corpus.attributes.items() if values[row]),
        )
        for row in range(len(corpus))
    ]
    ends: Callable[[int], Any] = lambda row: None if row < 0 else mentions[row]  # noqa: E731
    relations = [
        (r.kind, str(corpus.labels[r.source]), str(corpus.labels[r.target]), ends(r.mention), ends(r.anchor), r.label)
        for r in corpus.relations
    ]
    raw = list(corpus.text.raw or ()) if corpus.has_text else None
    return [d.label for d in corpus.documents], raw, sorted(mentions), relations


def written(corpus: Corpus, tmp: Path, name: str) -> Corpus:
    """The corpus after it was written and read again."""
    from coreflens import write

    write(corpus, tmp / name)
    return read(tmp / name)


texts = st.text(st.sampled_from("ab é\U0001f600&<>\"'{}\n\t;"), min_size=1, max_size=30).filter(
    lambda t: not t.startswith("\ufeff")
)
names = st.text(st.sampled_from('abT1-_é&<"'), min_size=1, max_size=5)


@st.composite
def corpora(draw: Any, documents: int = 1, crossing: bool = True, pieces: bool = True, related: bool = True) -> Corpus:
    """Corpora in characters, with everything the formats hold as far as it is asked for."""
    builder = Builder(source("", "a.x"), "test", unit="character")
    labels = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    for d in range(draw(st.integers(1, documents))):
        builder.document("a" if documents == 1 else f"d {d}")
        raw = draw(texts)
        builder.raw(raw)
        spans: list[tuple[int, int]] = []
        handles: list[tuple[int, str]] = []
        for _ in range(draw(st.integers(0, 6))):
            a, b = sorted(draw(st.tuples(*[st.integers(0, len(raw) - 1)] * 2)))
            if not crossing and any(a < c <= b < e or c < a <= e < b for c, e in spans):
                continue
            spans.append((a, b))
            parts = [(a, a), (b, b)] if pieces and b > a + 1 and draw(st.booleans()) else []
            label = draw(st.sampled_from(labels))
            handle = builder.mention(a, b, label, parts=parts)
            handles.append((handle, label))
            builder.attribute(handle, "type", draw(st.sampled_from(["", "PER", "PROP_PER", "Mention", "x-1", "a b"])))
            builder.attribute(handle, "head", draw(st.sampled_from(["", "1", "true", 'q"<&'])))
        for _ in range(draw(st.integers(0, 2)) if related and handles else 0):
            (one, a_label), (other, b_label) = draw(st.tuples(*[st.sampled_from(handles)] * 2))
            kind = draw(st.sampled_from(["bridging", "split-antecedent", "deixis", "apposition"]))
            label = draw(st.sampled_from(["", "part", "Bridging_x", "appos"]))
            whole = draw(st.booleans())
            builder.relation(
                kind, a_label, b_label, mention=-1 if whole else one, anchor=-1 if whole else other, label=label
            )
    return builder.build()
