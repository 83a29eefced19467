"""Random corpora with all that CorefUD and CONLL-UA hold, and what of two corpora must be equal."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from coreflens.corpus.model import Corpus, Span
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.source import Source

LABELS = ["e1", "2", "x-y", "a b", "é(|)", "e[1/2]", "50%", "%2D", "a,b:c<d=", "9-Pseudo"]
VALUES = ["", "", "person", "a-b", "(x|y)", "100%", "%28", "1,2", "é"]


@st.composite
def corpora(draw: Any, crossing: bool = True, heads: bool = True) -> Corpus:
    """Nested, crossing, discontinuous and repeated mentions, zeros, singletons, empty documents, relations.

    Without `crossing`, no two mentions of one entity overlap, and no span is discontinuous twice in an entity.
    """
    builder = Builder(Source(b"", "random"), "random")
    for d in range(draw(st.integers(1, 3))):
        builder.document(f"d{d}", draw(st.none() | st.integers(0, 3)))
        tokens = draw(st.integers(0, 9))
        for i in range(tokens):
            if draw(st.integers(0, 3)) == 0:
                builder.sentence()
            empty = draw(st.integers(0, 4)) == 0
            layers = {"lemma": draw(st.sampled_from(["", "l", "a b"])), "misc": draw(st.sampled_from(["", "A=1|Z=2"]))}
            builder.token("" if empty else f"w{i}", empty=empty, **layers)
        handles: list[tuple[int, str]] = []
        taken: dict[str, list[Span]] = {}
        for _ in range(draw(st.integers(0, 6)) if tokens else 0):
            label = draw(st.sampled_from(LABELS))
            cuts = sorted(draw(st.sets(st.integers(0, tokens), min_size=2, max_size=4)))
            parts = [(a, b - 1) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
            parts = [p for i, p in enumerate(parts) if not i or p[0] > parts[i - 1][1] + 1]
            whole = parts[0][0], parts[-1][1]
            if not crossing:
                if any(a <= whole[1] and whole[0] <= b for a, b in taken.get(label, ())):
                    continue
                taken.setdefault(label, []).append(whole)
            words = [i for a, b in parts for i in range(a, b + 1)]
            head = draw(st.sampled_from(words)) if heads else -1
            handle = builder.mention(*whole, label, parts=parts, head=head, kind=draw(st.sampled_from(VALUES)))
            builder.attribute(handle, "etype", draw(st.sampled_from(VALUES)))
            handles.append((handle, label))
        for handle, label in handles:
            others = sorted({other for _, other in handles} - {label})
            if others and draw(st.booleans()):
                relation = draw(st.sampled_from(["", "part", "a:b,c"]))
                builder.relation("bridging", label, draw(st.sampled_from(others)), mention=handle, label=relation)
    return builder.build()


def content(corpus: Corpus) -> dict[str, Any]:
    """All that a format with room for everything must keep; ids and comments may be added."""
    text = corpus.text if corpus.has_text else None
    labels = [str(label) for label in corpus.labels]
    rows = range(len(corpus))
    names = sorted(n for n, values in corpus.attributes.items() if any(values) and n not in ("id", "referring"))
    order = sorted(rows, key=lambda r: (int(corpus.doc[r]), corpus.pieces(r), labels[corpus.entity[r]], r))
    place = {row: n for n, row in enumerate(order)} | {-1: -1}
    return {
        "documents": [(d.name, d.part, d.tokens or 0) for d in corpus.documents],
        "mentions": [(int(corpus.doc[r]), corpus.pieces(r), labels[corpus.entity[r]]) for r in order],
        "heads": None if corpus.head is None else [int(corpus.head[r]) for r in order],
        "attributes": [[corpus.attributes[name][r] for name in names] for r in order],
        "relations": sorted(
            (r.kind, labels[r.source], labels[r.target], place[r.mention], place[r.anchor], r.label)
            for r in corpus.relations
        ),
        "words": list(text.words) if text else [],
        "sentences": text.sentences.tolist() if text else [],
        "zeros": [bool(text.empty is not None and text.empty[i]) for i in range(len(text.words))] if text else [],
        "layers": {n: list(v) for n, v in text.layers.items() if any(v) and n != "comments"} if text else {},
    }
