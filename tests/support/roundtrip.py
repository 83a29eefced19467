"""Corpora of every shape, and what it means that two are the same: for tests of what is written and read again.

    @given(corpora(conll.HOLDS, words=st.text("ab(", min_size=1)))
    def test_round_trip(corpus):
        same(conll.read(Source("".join(conll.write(corpus)).encode(), "f")), corpus, conll.HOLDS)

`holds` is a format's `HOLDS`: only what it names is generated, and only that is compared.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from fnmatch import fnmatchcase
from typing import Any

from hypothesis import strategies as st

from coreflens.corpus.model import Corpus, Span
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.features import DIFFERS, FEATURES
from coreflens.formats.shared.source import Source

KINDS = ("bridging", "split-antecedent", "deixis", "apposition")
EVERYTHING = frozenset(FEATURES) - {"text", "names"} | {"layer *", "attribute *"}
WORDS = st.text("abAé字().,-_*#'\"&<", min_size=1, max_size=6)
VALUES = st.sampled_from(["", "", "a", "b-c", "NN"])
NUMERALS = st.integers(0, 30).map(str)
LABELS = NUMERALS | st.sampled_from(["e1", "e12", "T3", "x_y", "é"])
NAMES = st.text("abé/_.", min_size=1, max_size=6)


def named(kind: str, holds: Iterable[str], others: Collection[str]) -> list[str]:
    """The names of layers or attributes to try: those that `holds` names, and the others if it takes any."""
    own = [h.removeprefix(kind + " ") for h in holds if h.startswith(kind + " ") and not h.endswith(DIFFERS)]
    return [name for name in own if name != "*"] + (list(others) if "*" in own else [])


@st.composite
def corpora(
    draw: st.DrawFn,
    holds: Collection[str] = EVERYTHING,
    *,
    words: st.SearchStrategy[str] = WORDS,
    labels: st.SearchStrategy[str] | None = None,
    document_names: st.SearchStrategy[str] = NAMES,
    mention_names: st.SearchStrategy[str] = NAMES,
    values: st.SearchStrategy[str] = VALUES,
    layers: Collection[str] = ("pos", "lemma", "own"),
    attributes: Collection[str] = ("type", "note"),
    least: int = 1,
    over_borders: bool = True,
    same_entity_crossing: bool = True,
    rows_in_relations: bool = True,
    unit: str = "token",
) -> Corpus:
    """A corpus of all that is in `holds`.

    least                 tokens of a document; 0 makes empty ones, too
    over_borders          mentions may go over the ends of sentences
    same_entity_crossing  mentions of one entity may cross, which some brackets can't tell from nested ones
    rows_in_relations     relations name mentions, not only entities
    layers, attributes    tried where `holds` has `layer *`, `attribute *`
    """
    holds = frozenset(holds)
    rng = draw(st.randoms(use_true_random=False))
    layers, attributes = named("layer", holds, layers), named("attribute", holds, attributes)
    by_name = "names" in holds and ("spans" not in holds or draw(st.booleans()))
    label = labels if labels is not None else LABELS if "labels" in holds else NUMERALS
    builder = Builder(Source(b"", "generated"), "generated", unit)
    several, used = "documents" in holds, set[str]()
    keys = st.tuples(document_names, st.none() | st.integers(0, 12) if "document parts" in holds else st.none())
    for name, part in draw(st.lists(keys, min_size=1, max_size=3 if several else 1, unique=True)):
        builder.document(name, part)
        size = draw(st.integers(least, 9))
        borders = [0]
        if unit == "character":
            raw = " ".join(draw(st.lists(words, min_size=max(size, 1), max_size=max(size, 1))))
            builder.raw(raw)
            size = len(raw)
        elif "words" in holds and not by_name:
            for i in range(size):
                if i and "sentences" in holds and rng.random() < 0.3:
                    builder.sentence()
                    borders.append(i)
                given: dict[str, Any] = {layer: draw(values) for layer in layers}
                builder.token(draw(words), empty="zeros" in holds and rng.random() < 0.15, **given)
        entities = draw(st.lists(label.filter(lambda x: x not in used), min_size=1, max_size=4, unique=True))
        if "cross-document entities" not in holds:
            used.update(entities)
        chosen: list[tuple[tuple[Span, ...], str]] = []
        names = draw(st.lists(mention_names, max_size=8, unique=True)) if by_name else [""] * draw(st.integers(0, 8))
        for _ in names:
            pieces = _pieces(rng, size, holds) if not by_name else ((-1, -1),)
            entity = rng.choice(entities)
            if pieces and (by_name or _allowed(pieces, entity, chosen, holds, same_entity_crossing)):
                a, b = pieces[0][0], pieces[-1][1]
                if over_borders or not any(a < border <= b for border in borders):
                    chosen.append((pieces, entity))
        members = Counter(entity for _, entity in chosen)
        rows: list[tuple[int, str]] = []
        for mention_name, (pieces, entity) in zip(names, chosen, strict=False):
            if members[entity] == 1 and "singletons" not in holds:
                continue
            inside = [t for a, b in pieces for t in range(a, b + 1)]
            handle = builder.mention(
                pieces[0][0],
                pieces[-1][1],
                entity,
                head=rng.choice([*inside, -1]) if "heads" in holds and not by_name else -1,
                parts=pieces,
                name=mention_name if by_name else None,
                **dict[str, Any]({attribute: draw(values) for attribute in attributes}),
            )
            rows.append((handle, entity))
        for kind in KINDS:
            for _ in range(rng.randrange(3) if kind in holds and rows else 0):
                (mention, source), (anchor, target) = rng.choice(rows), rng.choice(rows)
                rows_of = (mention, anchor) if rows_in_relations else (-1, -1)
                builder.relation(kind, source, target, mention=rows_of[0], anchor=rows_of[1])
    return builder.build()


def _pieces(rng: random.Random, size: int, holds: Collection[str]) -> tuple[Span, ...]:
    """A span of a document, sometimes of two or three pieces; none in an empty one."""
    if not size:
        return ()
    several = "discontinuous mentions" in holds and size >= 3 and rng.random() < 0.25
    places = sorted(rng.randrange(size) for _ in range(rng.choice((4, 6)) if several else 2))
    pieces = [(places[0], places[1])]
    for a, b in zip(places[2::2], places[3::2], strict=True):
        if a > pieces[-1][1] + 1:
            pieces.append((a, b))
    return tuple(pieces)


def _allowed(
    pieces: tuple[Span, ...],
    entity: str,
    chosen: list[tuple[tuple[Span, ...], str]],
    holds: Collection[str],
    same: bool,
) -> bool:
    if "repeated mentions" not in holds and any(pieces == other for other, _ in chosen):
        return False
    return not any(
        _cross((pieces[0][0], pieces[-1][1]), (other[0][0], other[-1][1]))
        and ("crossing mentions" not in holds or (entity == label and not same))
        for other, label in chosen
    )


def _cross(x: Span, y: Span) -> bool:
    (a, b), (c, d) = sorted((x, y))
    return a < c <= b < d


def same(a: Corpus, b: Corpus, holds: Collection[str] = EVERYTHING) -> None:
    """Assert that two corpora agree in all that is held; entities by their labels, or as sets where none are held."""
    holds = frozenset(holds)
    assert a.unit == b.unit
    assert _documents(a, holds) == _documents(b, holds)
    if {"words", "text"} & holds and (a.has_text or b.has_text):
        _same_text(a, b, holds)
    entities, others = _entities(a, holds), _entities(b, holds)
    assert Counter(entities) == Counter(others)
    for kind in KINDS:
        if kind in holds:
            assert _relations(a, kind, entities, holds) == _relations(b, kind, others, holds)


def _documents(corpus: Corpus, holds: frozenset[str]) -> list[tuple[Hashable, ...]]:
    return [(d.name, d.part if "document parts" in holds else None) for d in corpus.documents]


def _same_text(a: Corpus, b: Corpus, holds: frozenset[str]) -> None:
    x, y = a.text, b.text
    if "text" in holds:
        assert list(x.raw or ()) == list(y.raw or ())
    if "words" not in holds:
        return
    assert list(x.words) == list(y.words)
    assert x.first.tolist() == y.first.tolist()
    if "sentences" in holds:
        assert x.sentences.tolist() == y.sentences.tolist()
    if "zeros" in holds:
        empty = [[False] * len(t.words) if t.empty is None else t.empty.tolist() for t in (x, y)]
        assert empty[0] == empty[1]
    nothing = [""] * len(x.words)
    for layer in sorted({*x.layers, *y.layers}):
        if _held(f"layer {layer}", holds):
            assert list(x.layers.get(layer, nothing)) == list(y.layers.get(layer, nothing)), layer


def _held(feature: str, holds: frozenset[str]) -> bool:
    return any(fnmatchcase(feature, pattern) for pattern in holds)


def _mentions(corpus: Corpus, holds: frozenset[str]) -> list[tuple[Hashable, ...]]:
    """All that is held of each mention but its entity."""
    attributes = [name for name in corpus.attributes if _held(f"attribute {name}", holds)]
    found: list[tuple[Hashable, ...]] = []
    for row, doc in enumerate(corpus.doc.tolist()):
        place = corpus.pieces(row) if corpus.names is None else (str(corpus.names[row]),)
        head = -1 if corpus.head is None or "heads" not in holds else int(corpus.head[row])
        notes = tuple(sorted((n, corpus.attributes[n][row]) for n in attributes if corpus.attributes[n][row]))
        found.append((doc, place, head, notes))
    return found


def _entities(corpus: Corpus, holds: frozenset[str]) -> list[Hashable]:
    """Each entity as its label, if labels are held, and its mentions; one of several documents is one in each of them,
    unless these are held as well."""
    found: dict[Hashable, list[tuple[Hashable, ...]]] = {}
    whole = "cross-document entities" in holds
    for mention, entity in zip(_mentions(corpus, holds), corpus.entity.tolist(), strict=True):
        found.setdefault(entity if whole else (entity, mention[0]), []).append(mention)
    labels = {key: str(corpus.labels[key if isinstance(key, int) else key[0]]) for key in found}  # type: ignore[index]
    return [(labels[key] if "labels" in holds else "", tuple(sorted(m, key=repr))) for key, m in _sorted(found.items())]


def _sorted(
    items: Iterable[tuple[Hashable, list[tuple[Hashable, ...]]]],
) -> list[tuple[Hashable, list[tuple[Hashable, ...]]]]:
    return sorted(items, key=lambda item: repr(sorted(item[1], key=repr)))


def _relations(corpus: Corpus, kind: str, entities: list[Hashable], holds: frozenset[str]) -> Counter[Hashable]:
    """The relations of a kind, their ends by the entity's mentions and the mention meant."""
    mentions = _mentions(corpus, holds)
    of = {mention: entity for entity in entities for mention in entity[1]}  # type: ignore[index]
    members: dict[int, Hashable] = {e: of[m] for e, m in zip(corpus.entity.tolist(), mentions, strict=True)}

    def end(entity: int, row: int) -> Hashable:
        return members.get(entity), mentions[row] if row >= 0 else None

    return Counter(
        (r.label, end(r.source, r.mention), end(r.target, r.anchor)) for r in corpus.relations if r.kind == kind
    )
