"""What each recipe should answer, counted in plain Python from the files: loops over lists, and no SQL."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coreflens as cl
from coreflens.corpus.heads import heads, mention_types

Rows = list[tuple[Any, ...]]
FIRST = {"i", "me", "my", "mine", "myself"}


@dataclass
class M:
    """A mention."""

    start: int
    end: int
    entity: str
    text: str | None
    type: str | None
    head: int
    line: int
    sentence: int | None
    pieces: int


@dataclass
class D:
    """A document."""

    name: str
    part: int | None
    genre: str | None
    words: list[str] = field(default_factory=list)
    sentence: list[int] = field(default_factory=list)
    layers: dict[str, list[str]] = field(default_factory=dict)
    mentions: list[M] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)

    def layer(self, name: str) -> list[str]:
        return self.layers.get(name) or [""] * len(self.words)

    def sentences(self) -> list[list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for token, number in enumerate(self.sentence):
            found[number].append(token)
        return list(found.values())

    def spans(self, layer: list[str]) -> list[tuple[int, int, str]]:
        """Bracketed spans, sentence by sentence, in order of opening."""
        found = []
        for tokens in self.sentences():
            stack: list[list[Any]] = []
            for token in tokens:
                for label in re.findall(r"\(([^()*|\s]+)", layer[token]):
                    stack.append([token, None, label])
                    found.append(stack[-1])
                for _ in range(layer[token].count(")")):
                    if stack:
                        stack.pop()[1] = token
        return [(a, b, label) for a, b, label in found if b is not None]

    @property
    def constituents(self) -> set[tuple[int, int]]:
        return {(a, b) for a, b, _ in self.spans(self.layer("parse"))}

    def chains(self) -> dict[str, list[M]]:
        found: dict[str, list[M]] = defaultdict(list)
        for mention in self.mentions:
            found[mention.entity].append(mention)
        return found


def documents(path: str | Path) -> list[D]:
    """The documents of a path as plain lists."""
    corpus = cl.read(path)
    found = []
    for d in corpus.documents:
        said = dict(d.meta).get("genre")
        found.append(D(d.name, d.part, said or (d.name.split("/")[0] if "/" in d.name else None)))
    text = corpus.text if corpus.has_text else None
    if text is not None and len(text.words):
        for n, document in enumerate(found):
            cut = text.document(n)
            document.words = list(text.words[cut])
            document.layers = {name: list(values[cut]) for name, values in text.layers.items()}
            starts = set(text.starts(n).tolist())
            number = -1
            for token in range(len(document.words)):
                number += token in starts
                document.sentence.append(number)
    types, head = mention_types(corpus), heads(corpus).token.tolist()
    for row, mention in enumerate(corpus):
        document = found[int(corpus.doc[row])]
        document.mentions.append(
            M(
                mention.start,
                mention.end,
                str(mention.entity),
                corpus.words(row) if text is not None else None,
                types[row] or None,
                head[row],
                mention.line,
                document.sentence[mention.start] if document.sentence else None,
                len(mention.parts),
            )
        )
    for relation in corpus.relations:
        found[0].links.append((relation.kind, relation.label))
    return found


def _counted(counts: Counter[Any]) -> Rows:
    return [(*(key if isinstance(key, tuple) else (key,)), n) for key, n in counts.items()]


def mentions_no_constituent(key: str) -> Rows:
    return [
        (d.name, m.sentence, m.text, m.line)
        for d in documents(key)
        if d.constituents
        for m in d.mentions
        if m.start < m.end and not m.pieces and (m.start, m.end) not in d.constituents
    ]


def constituents_by_genre(key: str) -> Rows:
    found: dict[Any, list[int]] = defaultdict(lambda: [0, 0, 0])
    for d in documents(key):
        spans = d.constituents
        for m in d.mentions if spans else ():
            good = m.start == m.end or (m.start, m.end) in spans
            for place, one in enumerate((1, good, not good)):
                found[d.genre][place] += one
    return [(genre, *counts) for genre, counts in found.items()]


def entities_by_size(key: str) -> Rows:
    return _counted(Counter((d.genre, len(c)) for d in documents(key) for c in d.chains().values()))


def singletons_by_genre(key: str) -> Rows:
    found: dict[Any, list[int]] = defaultdict(list)
    for d in documents(key):
        found[d.genre] += [len(c) for c in d.chains().values()]
    return [(g, len(s), s.count(1), s.count(1) / len(s)) for g, s in found.items()]


def longest_entities(key: str) -> Rows:
    rows = [
        (d.name, d.part, e, len(c), min(_known(m.sentence for m in c)), max(_known(m.sentence for m in c)), c[0].text)
        for d in documents(key)
        for e, c in d.chains().items()
    ]
    return sorted(rows, key=lambda row: -row[3])[:20]


def _known(values: Any) -> list[Any]:
    return [value for value in values if value is not None]


def mention_types_(key: str) -> Rows:
    found = defaultdict(list)
    for d in documents(key):
        for m in d.mentions:
            found[m.type].append(m.end - m.start + 1)
    return [(kind, len(sizes), sum(sizes) / len(sizes)) for kind, sizes in found.items()]


def verbs_that_head_mentions(key: str) -> Rows:
    counts = Counter(
        (d.words[m.head].lower(), d.layer("pos")[m.head] or None)
        for d in documents(key)
        for m in d.mentions
        if m.type == "verb"
    )
    return _counted(counts)


def heads_(key: str) -> Rows:
    counts = Counter(d.words[m.head].lower() for d in documents(key) for m in d.mentions)
    return sorted(_counted(counts), key=lambda row: (-row[1], row[0]))[:50]


def names_in_chains(key: str) -> Rows:
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for d in documents(key):
        for a, b, kind in d.spans(d.layer("names")):
            found[kind][0] += 1
            found[kind][1] += any((m.start, m.end) == (a, b) for m in d.mentions)
            found[kind][2] += any(m.start <= a and b <= m.end for m in d.mentions)
    return [(kind, *counts) for kind, counts in found.items()]


def names_never_linked(key: str) -> Rows:
    return [
        (kind, " ".join(d.words[a : b + 1]), d.name, a, b)
        for d in documents(key)
        for a, b, kind in d.spans(d.layer("names"))
        if not any(m.start <= a and b <= m.end for m in d.mentions)
    ]


def first_persons(key: str) -> Rows:
    found: dict[Any, list[str]] = defaultdict(list)
    for n, d in enumerate(documents(key)):
        for m in d.mentions:
            if m.start == m.end and d.words[m.start].lower() in FIRST:
                speaker = d.layer("speaker")[m.start] or None
                found[n, d.name, d.part, speaker].append(m.entity)
    return [(name, part, speaker, len(e), len(set(e))) for (_, name, part, speaker), e in found.items()]


def entities_over_speakers(key: str) -> Rows:
    counts: Counter[int] = Counter()
    for d in documents(key):
        for chain in d.chains().values():
            speakers = {d.layer("speaker")[m.start] for m in chain} - {""} if d.words else set()
            counts[len(speakers)] += bool(speakers)
    return [row for row in _counted(counts) if row[0]]


def pronoun_distance(key: str) -> Rows:
    counts: Counter[int] = Counter()
    for d in documents(key):
        for chain in d.chains().values():
            for before, m in itertools.pairwise(chain):
                if m.type == "pronoun" and m.sentence is not None and before.sentence is not None:
                    counts[m.sentence - before.sentence] += 1
    return _counted(counts)


def pronoun_antecedents(key: str) -> Rows:
    pairs = ((before, m) for d in documents(key) for c in d.chains().values() for before, m in itertools.pairwise(c))
    return _counted(Counter((before.type,) for before, m in pairs if m.type == "pronoun"))


def cataphora(key: str) -> Rows:
    return [
        (d.name, d.part, e, c[0].text, c[1].text, c[0].line)
        for d in documents(key)
        for e, c in d.chains().items()
        if len(c) > 1 and c[0].type == "pronoun" and c[1].type not in (None, "pronoun")
    ]


def nested_same_entity(key: str) -> Rows:
    return [
        (d.name, e, a.text, b.text, b.line)
        for d in documents(key)
        for e, c in d.chains().items()
        for a in c
        for b in c
        if a is not b and a.start <= b.start and b.end <= a.end and (a.start, a.end) != (b.start, b.end)
    ]


def discontinuous_mentions(key: str) -> Rows:
    return [(d.name, m.entity, m.pieces, m.text, m.line) for d in documents(key) for m in d.mentions if m.pieces]


def senses_of_heads(key: str) -> Rows:
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for d in documents(key):
        senses, lemmas = d.layer("sense"), d.layer("lemma")
        for chain in d.chains().values():
            for a, b in itertools.pairwise(chain):
                if d.words and senses[a.head] and senses[b.head] and lemmas[a.head] == lemmas[b.head] != "":
                    found[lemmas[a.head]][0] += 1
                    found[lemmas[a.head]][1] += senses[a.head] == senses[b.head]
    return [(lemma, *counts) for lemma, counts in found.items()]


def arguments_that_corefer(key: str) -> Rows:
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for d in documents(key):
        cells = [cell.split(" ") for cell in d.layer("arguments")]
        for column in range(max(map(len, cells), default=0)):
            for a, b, label in d.spans([row[column] if column < len(row) else "" for row in cells]):
                found[label][0] += 1
                found[label][1] += any((m.start, m.end) == (a, b) for m in d.mentions)
    return [(label, *counts) for label, counts in found.items()]


def links(key: str) -> Rows:
    return _counted(Counter(link for d in documents(key) for link in d.links))


def same_words_apart(key: str) -> Rows:
    found = []
    for d in documents(key):
        texts = defaultdict(list)
        for m in d.mentions:
            if m.type == "name":
                texts[m.text].append(m.entity)
        found += [(d.name, d.part, t, len(set(e)), len(e)) for t, e in texts.items() if len(set(e)) > 1]
    return found


def entities_over_documents(key: str) -> Rows:
    found = defaultdict(list)
    for d in documents(key):
        for entity, chain in d.chains().items():
            found[entity].append(len(chain))
    return [(entity, len(sizes), sum(sizes)) for entity, sizes in found.items() if len(sizes) > 1]


def scores(key: str, response: str, other: str) -> Rows:
    return [
        (name, metric, s.recall, s.precision, s.main)
        for name, path in (("a", response), ("b", other))
        for metric, s in cl.score(key, path).items()
    ]


def hardest_documents(key: str, response: str, other: str) -> Rows:
    by = cl.score(key, response).by_document()
    labels = {d.label: (d.name, d.part) for d in cl.read(key).documents}
    return [(*labels[label], s["conll"].f1) for label, s in by.items()]


def missed_mentions(key: str, response: str, other: str) -> Rows:
    found: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    theirs = {(d.name, d.part, m.start, m.end) for d in documents(response) for m in d.mentions}
    for d in documents(key):
        for m in d.mentions:
            found[m.type][0] += 1
            found[m.type][1] += (d.name, d.part, m.start, m.end) not in theirs
    return [(kind, *counts) for kind, counts in found.items()]


def spurious_mentions(key: str, response: str, other: str) -> Rows:
    ours = {(d.name, d.part, m.start, m.end) for d in documents(key) for m in d.mentions}
    counts = Counter(
        (m.text or "").lower()
        for d in documents(response)
        for m in d.mentions
        if (d.name, d.part, m.start, m.end) not in ours
    )
    return sorted(_counted(counts), key=lambda row: (-row[1], row[0]))[:50]


def shared_errors(key: str, response: str, other: str) -> Rows:
    sides = [set(cl.diagnose(key, path).identities) for path in (response, other)]
    names = sorted({error.kind for path in (response, other) for error in cl.diagnose(key, path).errors()})
    from coreflens.diagnosis.classes import CLASSES

    def count(some: set[Any], name: str) -> int:
        return sum(CLASSES[identity[0]] == name for identity in some)

    a, b = sides
    return [(name, count(a & b, name), count(a - b, name), count(b - a, name)) for name in names]


def _cost(field_: str) -> Callable[[str, str, str], Rows]:
    def cost(key: str, response: str, other: str) -> Rows:
        found = cl.diagnose(key, response)
        genres = {d.label: d.name.split("/")[0] if "/" in d.name else None for d in cl.read(key).documents}
        sums: dict[Any, list[float]] = defaultdict(list)
        for error in found.errors():
            value = error.kind if field_ == "kind" else genres[error.document] if field_ == "genre" else ""
            sums[value if field_ in ("kind", "genre") else error.features[field_]].append(found.gains[error.number])
        return [(value, len(prices), 100 * sum(prices)) for value, prices in sums.items()]

    return cost


def dearest_errors(key: str, response: str, other: str) -> Rows:
    found = cl.diagnose(key, response)
    rows = [(e.kind, e.text, e.of, 100 * found.gains[e.number], e.place) for e in found.errors()]
    return sorted(rows, key=lambda row: -row[3])[:20]


def mention_table(key: str) -> Rows:
    return [(d.name, d.part, m.start, m.end, m.entity) for d in documents(key) for m in d.mentions]


OF_A_SIDE: dict[str, Callable[[str], Rows]] = {
    "mentions-no-constituent": mentions_no_constituent,
    "constituents-by-genre": constituents_by_genre,
    "entities-by-size": entities_by_size,
    "singletons-by-genre": singletons_by_genre,
    "longest-entities": longest_entities,
    "mention-types": mention_types_,
    "verbs-that-head-mentions": verbs_that_head_mentions,
    "heads": heads_,
    "names-in-chains": names_in_chains,
    "names-never-linked": names_never_linked,
    "first-persons": first_persons,
    "entities-over-speakers": entities_over_speakers,
    "pronoun-distance": pronoun_distance,
    "pronoun-antecedents": pronoun_antecedents,
    "cataphora": cataphora,
    "nested-same-entity": nested_same_entity,
    "discontinuous-mentions": discontinuous_mentions,
    "senses-of-heads": senses_of_heads,
    "arguments-that-corefer": arguments_that_corefer,
    "links": links,
    "same-words-apart": same_words_apart,
    "mention-table": mention_table,
    "entities-over-documents": entities_over_documents,
}
OF_A_RESPONSE: dict[str, Callable[[str, str, str], Rows]] = {
    "scores": scores,
    "hardest-documents": hardest_documents,
    "missed-mentions": missed_mentions,
    "spurious-mentions": spurious_mentions,
    "shared-errors": shared_errors,
    "cost-by-kind": _cost("kind"),
    "cost-by-type": _cost("type"),
    "cost-by-distance": _cost("distance"),
    "cost-by-genre": _cost("genre"),
    "dearest-errors": dearest_errors,
}


def alike(found: Rows, expected: Rows, ordered: bool = False) -> None:
    """That two answers have the same rows, numbers to the twelfth digit, in any order unless it matters."""

    def plain(rows: Rows) -> Rows:
        return [tuple(float(f"{x:.12g}") if isinstance(x, float) else x for x in row) for row in rows]

    ours, theirs = plain(found), plain(expected)
    if not ordered:
        ours, theirs = sorted(ours, key=repr), sorted(theirs, key=repr)
    assert ours == theirs
