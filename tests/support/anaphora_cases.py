"""Documents with split antecedents, bridging and non-referring expressions: made at random, damaged, written."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import coreflens as cl

COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS REFERENCE NOM_SEM"


@dataclass
class Markable:
    """A mention: its pieces, the entity it belongs to, and its minimum span."""

    id: str
    pieces: tuple[tuple[int, int], ...]
    entity: str
    min: str = ""


@dataclass
class Doc:
    """A document: `elements` are pairs of a plural and an antecedent of it, `bridges` of an anaphor and its anchor."""

    name: str
    words: int
    markables: list[Markable] = field(default_factory=list)
    elements: list[tuple[str, str]] = field(default_factory=list)
    bridges: list[tuple[str, str]] = field(default_factory=list)


def document(random: Random, name: str = "d/1") -> Doc:
    """A small document of anything there is."""
    doc = Doc(name, random.randint(8, 24))
    for n in range(random.randint(2, 9)):
        start = random.randrange(doc.words)
        end = min(doc.words - 1, start + random.choice((0, 0, 0, 1, 2, 3)))
        least = random.choice(("", str(random.randint(start, end) + 1), f"{start + 1},{end + 1}"))
        label = f"{n + 20}-Pseudo" if random.random() < 0.15 else str(random.randint(1, 5))
        _add(doc, Markable(f"m{n}", ((start, end),), label, least))
    _relate(doc, random, 0.8)
    return doc


def _add(doc: Doc, markable: Markable) -> None:
    """Add a mention, if its span is new and crosses no other."""
    for start, end in markable.pieces:
        for other in doc.markables:
            for a, b in other.pieces:
                if start < a <= end < b or a < start <= b < end or (a, b) == (start, end):
                    return
    doc.markables.append(markable)


def _relate(doc: Doc, random: Random, rate: float) -> None:
    """Add relations: a plural has a higher number than its antecedents, so that there is no circle."""
    labels = sorted({m.entity for m in doc.markables}, key=lambda x: (x.endswith("Pseudo"), x))
    plain = [x for x in labels if not x.endswith("Pseudo")]
    for plural in plain:
        if random.random() < rate / 2:
            below = [x for x in labels if x.endswith("Pseudo") or x < plural]
            doc.elements += [(plural, x) for x in random.sample(below, min(len(below), random.randint(1, 3)))]
    for m in doc.markables:
        if random.random() < rate / 2 and len(doc.markables) > 1:
            anchor = random.choice([x for x in doc.markables if x.id != m.id])
            doc.bridges.append((m.id, anchor.id))


def damaged(doc: Doc, random: Random, rate: float) -> Doc:
    """The document with some of everything wrong."""
    other = deepcopy(doc)
    kept = []
    for m in other.markables:
        if random.random() < rate / 3:
            continue
        if random.random() < rate / 2 and not m.entity.endswith("Pseudo"):
            m.entity = random.choice([x.entity for x in doc.markables if not x.entity.endswith("Pseudo")])
        kept.append(m)
    other.markables = []
    for m in kept:
        (start, end), *rest = m.pieces
        if random.random() < rate / 2 and end > start:
            start, end = random.choice(((start + 1, end), (start, end - 1)))
        _add(other, Markable(m.id, ((start, end), *rest), m.entity, m.min))
    here, ids = {m.entity for m in other.markables}, [m.id for m in other.markables]
    other.elements = [(p, e) for p, e in other.elements if {p, e} <= here and random.random() > rate / 2]
    other.bridges = [
        (a, random.choice(ids) if random.random() < rate / 2 else b)
        for a, b in other.bridges
        if a in ids and b in ids and random.random() > rate / 3
    ]
    other.bridges = [(a, b) for a, b in other.bridges if a != b]
    if random.random() < rate and len(other.markables) > 1:
        extra = Doc(other.name, other.words, other.markables)
        _relate(extra, random, rate / 2)
        known = set(other.elements)
        other.elements += [x for x in extra.elements if x not in known]
        other.bridges += [b for b in extra.bridges if b[0] not in {a for a, _ in other.bridges}]
    return other


def pair(seed: int) -> tuple[Doc, Doc]:
    """A document, and the same one damaged."""
    random = Random(seed)
    doc = document(random)
    return doc, damaged(doc, random, random.choice((0, 0.3, 0.7)))


def conllua(docs: Sequence[Doc], deixis: bool = False) -> str:
    """The documents as CONLL-UA; `deixis`: their entities are those of discourse deixis."""
    lines = [f"# global.columns = {COLUMNS}"]
    for doc in docs:
        opening: dict[int, list[tuple[int, str]]] = {}
        closing: dict[int, int] = {}
        bridging: dict[int, list[str]] = {}
        told: set[tuple[str, str]] = set()
        place = {m.id: m for m in doc.markables}
        for m in doc.markables:
            plurals = [p for p, e in doc.elements if e == m.entity and (p, e) not in told]
            told |= {(p, m.entity) for p in plurals}
            text = f"EntityID={m.entity}|MarkableID={m.id}" + (f"|Min={m.min}" if m.min else "")
            text += f"|ElementOf={','.join(plurals)}" if plurals else ""
            for a, b in m.pieces:
                opening.setdefault(a, []).append((b, text))
                if b > a:
                    closing[b] = closing.get(b, 0) + 1
        for anaphor, anchor in doc.bridges:
            a = place[anaphor].pieces[0][0]
            entity = place[anchor].entity
            bridging.setdefault(a, []).append(f"(MarkableID={anaphor}|MentionAnchor={anchor}|EntityAnchor={entity})")
        lines += [f"# newdoc id = {doc.name}", f"# sent_id = {doc.name}-1"]
        for w in range(doc.words):
            pieces = sorted(opening.get(w, ()), key=lambda p: -p[0])
            cell = ")" * closing.get(w, 0) + "".join(f"({text}{')' * (b == w)}" for b, text in pieces)
            cells = [cell or "_", "".join(bridging.get(w, ())) or "_", "_"]
            if deixis:
                cells = ["_", "_", cell or "_"]
            lines.append("\t".join([str(w + 1), f"w{w}", *["_"] * 8, *cells, "_", "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"


def documents(corpus: cl.Corpus) -> list[Doc]:
    """The documents of a real corpus, by their spans, entities and relations."""
    found = [Doc(d.name, d.tokens or 0) for d in corpus.documents]
    for row, m in enumerate(corpus):
        doc = found[int(corpus.doc[row])]
        least = corpus.attributes["min"][row] if "min" in corpus.attributes else ""
        _add(doc, Markable(f"m{row}", corpus.pieces(row), str(m.entity), least))
    for r in corpus.relations:
        known = r.anchor if r.anchor >= 0 else r.mention
        if r.kind not in ("bridging", "split-antecedent") or known < 0:
            continue
        doc = found[int(corpus.doc[known])]
        ids, here = {m.id for m in doc.markables}, {m.entity for m in doc.markables}
        names = str(corpus.labels[r.source]), str(corpus.labels[r.target])
        if r.kind == "split-antecedent" and {*names} <= here:
            doc.elements.append(names)
        elif r.kind == "bridging" and {f"m{r.mention}", f"m{r.anchor}"} <= ids:
            doc.bridges.append((f"m{r.mention}", f"m{r.anchor}"))
    return found


def written(docs: Doc | Sequence[Doc], path: Path, deixis: bool = False) -> Path:
    """The file of a document, or of several."""
    path.write_text(conllua([docs] if isinstance(docs, Doc) else docs, deixis), "utf-8")
    return path
