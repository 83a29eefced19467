"""CorefUD documents to try scorers on: read from real files, zeros made from pronouns, responses damaged at random."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from coreflens.corpus.heads import heads
from coreflens.corpus.model import Corpus

GLOBAL = "# global.Entity = eid-etype-head-other"


@dataclass(eq=False)
class Token:
    """A word, or an empty node; `parent` is None for the root."""

    form: str
    upos: str = "X"
    parent: Token | None = None
    relation: str = "dep"
    empty: bool = False


@dataclass(eq=False)
class Mention:
    """First and last token of each piece, and the head."""

    pieces: list[tuple[Token, Token]]
    head: Token


@dataclass
class Doc:
    """Sentences of tokens, and entities of mentions."""

    name: str
    sentences: list[list[Token]]
    entities: list[list[Mention]] = field(default_factory=list)

    def sentence_of(self) -> dict[Token, list[Token]]:
        return {t: s for s in self.sentences for t in s}

    def words(self, mention: Mention) -> list[Token]:
        """The tokens of a mention; empty nodes between its ends are among them."""
        home = self.sentence_of()
        found = []
        for a, b in mention.pieces:
            sentence = home[a]
            found += sentence[sentence.index(a) : sentence.index(b) + 1]
        return found


def documents(corpus: Corpus) -> Iterator[Doc]:
    """The documents of a corpus whose text has sentences; mentions over their borders are left out."""
    found = heads(corpus)
    text = corpus.text
    layer = {name: text.layers.get(name) for name in ("upos", "head", "deprel")}
    for d, document in enumerate(corpus.documents):
        base = int(text.first[d])
        stops = [*text.starts(d).tolist(), int(text.first[d + 1]) - base]
        empty = text.empty[text.document(d)].tolist() if text.empty is not None else [False] * len(text.words)
        tokens = [
            Token(word or "_", (layer["upos"][base + i] if layer["upos"] else "") or "X", empty=empty[i])
            for i, word in enumerate(text.words[text.document(d)])
        ]
        sentences = [tokens[a:b] for a, b in pairwise(stops)]
        for sentence, a in zip(sentences, stops, strict=False):
            written = [t for t in sentence if not t.empty]
            for i, token in enumerate(sentence):
                number = layer["head"][base + a + i] if layer["head"] else ""
                token.relation = (layer["deprel"][base + a + i] if layer["deprel"] else "") or "dep"
                if number.isdecimal() and 0 < int(number) <= len(written) and written[int(number) - 1] is not token:
                    token.parent = written[int(number) - 1]
        doc = Doc(document.name.replace(" ", "_") or f"d{d}", sentences)
        home = {id(t): n for n, s in enumerate(sentences) for t in s}
        entities: dict[int, list[Mention]] = {}
        for row in range(*corpus.bounds[d : d + 2].tolist()):
            pieces = [(tokens[a], tokens[b]) for a, b in corpus.pieces(row)]
            if len({home[id(t)] for piece in pieces for t in piece}) == 1:
                head = tokens[int(found.token[row])]
                entities.setdefault(int(corpus.entity[row]), []).append(Mention(pieces, head))
        doc.entities = list(entities.values())
        yield doc


def make_zeros(doc: Doc, random: Random, share: float = 0.5) -> None:
    """Some pronouns that are mentions by themselves become empty nodes, as in a language that drops them."""
    ends = {t for e in doc.entities for m in e for a, b in m.pieces for t in (a, b) if a is not b}
    for entity in doc.entities:
        for mention in entity:
            (first, last), *more = mention.pieces
            if more or first is not last or first.upos != "PRON" or first in ends or random.random() > share:
                continue
            sentence = doc.sentence_of()[first]
            if sum(not t.empty for t in sentence) < 2:
                continue
            first.empty, first.form = True, "_"
            for token in sentence:
                if token.parent is first:
                    token.parent = first.parent if first.parent is not token else None


def copied(doc: Doc) -> Doc:
    """The same document, with new tokens and mentions."""
    new = {t: Token(t.form, t.upos, None, t.relation, t.empty) for s in doc.sentences for t in s}
    for old, token in new.items():
        token.parent = new[old.parent] if old.parent is not None else None
    entities = [
        [Mention([(new[a], new[b]) for a, b in m.pieces], new[m.head]) for m in entity] for entity in doc.entities
    ]
    return Doc(doc.name, [[new[t] for t in s] for s in doc.sentences], entities)


def damage(doc: Doc, random: Random, rate: float) -> None:
    """Mentions lost, moved, added and given other heads; entities cut and joined; zeros moved, lost and added."""
    for sentence in doc.sentences:
        _damage_zeros(doc, sentence, random, rate)
    home = doc.sentence_of()
    for entity in doc.entities:
        for mention in list(entity):
            if random.random() < rate:
                _damage_mention(doc, home, entity, mention, random)
    for _ in range(round(rate * len(doc.entities))):
        _damage_entities(doc, random)
    for _ in range(round(rate * sum(map(len, doc.entities)) / 2)):
        sentence = random.choice(doc.sentences)
        written = [t for t in sentence if not t.empty]
        if written and doc.entities:
            a = random.randrange(len(sentence))
            b = min(len(sentence) - 1, a + random.choice((0, 0, 1, 2, 4)))
            random.choice(doc.entities).append(Mention([(sentence[a], sentence[b])], sentence[random.randint(a, b)]))
    doc.entities = [e for e in doc.entities if e]
    _repair(doc)


def _damage_zeros(doc: Doc, sentence: list[Token], random: Random, rate: float) -> None:
    used = {t for e in doc.entities for m in e for a, b in m.pieces for t in (a, b, m.head) if a is not b}
    for token in [t for t in sentence if t.empty and t not in used]:
        if random.random() >= rate:
            continue
        kind = random.choice(("move", "move", "lose", "relation", "parent", "twin"))
        if kind in ("move", "lose"):
            sentence.remove(token)
        if kind == "move":
            sentence.insert(random.randint(0, len(sentence)), token)
        elif kind == "lose":
            for entity in doc.entities:
                entity[:] = [m for m in entity if all(t is not token for piece in m.pieces for t in piece)]
        elif kind == "relation":
            token.relation = random.choice(("nsubj", "obj", "dep"))
        elif kind == "parent":
            token.parent = random.choice([t for t in sentence if not t.empty] or [None])
        else:
            new = Token("_", "PRON", token.parent, token.relation, empty=True)
            sentence.insert(random.randint(0, len(sentence)), new)
            if doc.entities:
                random.choice(doc.entities).append(Mention([(new, new)], new))


def _damage_mention(
    doc: Doc, home: dict[Token, list[Token]], entity: list[Mention], mention: Mention, random: Random
) -> None:
    kind = random.choice(("lose", "span", "span", "span", "head", "other", "twin", "gap"))
    if kind == "lose":
        entity.remove(mention)
    elif kind == "other" and doc.entities:
        entity.remove(mention)
        random.choice(doc.entities).append(mention)
    elif kind == "head":
        mention.head = random.choice(doc.words(mention))
    elif kind == "gap":
        words = doc.words(mention)
        if len(mention.pieces) == 1 and len(words) > 2:
            cut = random.randint(1, len(words) - 2)
            mention.pieces = [(words[0], words[cut - 1]), (words[cut + 1], words[-1])]
            if mention.head is words[cut]:
                mention.head = words[0]
    else:
        sentence = home[mention.head]
        (first, _), (_, last) = mention.pieces[0], mention.pieces[-1]
        a, b, h = (sentence.index(t) for t in (first, last, mention.head))
        a = max(0, min(h, a + random.choice((-2, -1, 0, 1))))
        b = min(len(sentence) - 1, max(h, b + random.choice((-1, 0, 1, 2))))
        if kind == "twin":
            random.choice(doc.entities).append(Mention([(sentence[a], sentence[b])], mention.head))
        else:
            mention.pieces = [(sentence[a], sentence[b])]


def _damage_entities(doc: Doc, random: Random) -> None:
    if random.random() < 0.5 and len(doc.entities) > 1:
        one = doc.entities.pop(random.randrange(len(doc.entities)))
        random.choice(doc.entities).extend(one)
    else:
        entity = random.choice(doc.entities)
        if len(entity) > 1:
            cut = random.randint(1, len(entity) - 1)
            doc.entities.append(entity[cut:])
            del entity[cut:]


def _repair(doc: Doc) -> None:
    """Leave out what the format can't hold: in one entity, spans that cross or repeat, and crossing pieces."""
    home = doc.sentence_of()
    place = {t: n for n, t in enumerate(t for s in doc.sentences for t in s)}
    for entity in doc.entities:
        kept: list[Mention] = []
        taken: list[tuple[int, int]] = []
        for m in entity:
            if any(t not in home for piece in m.pieces for t in piece) or m.head not in doc.words(m):
                continue
            a, b = place[m.pieces[0][0]], place[m.pieces[-1][1]]
            apart = len(m.pieces) > 1
            if any((a <= d and c <= b) and (apart or not (a < c <= d < b or c < a <= b < d)) for c, d in taken):
                continue
            kept.append(m)
            taken.append((a, b))
        entity[:] = kept
    doc.entities = [e for e in doc.entities if e]


def conllu(docs: Sequence[Doc]) -> str:
    """The documents as CoNLL-U with the coreference of CorefUD."""
    lines: list[str] = []
    label = 0
    for doc in docs:
        opens, closes, single = _pieces(doc, label)
        label += len(doc.entities)
        lines += [f"# newdoc id = {doc.name}", GLOBAL]
        for number, sentence in enumerate(doc.sentences, start=1):
            lines.append(f"# sent_id = {doc.name}-{number}")
            ids = _ids(sentence)
            for token in sentence:
                cell = "".join([*closes.get(token, ()), *opens.get(token, ()), *single.get(token, ())])
                parent = "0" if token.parent is None else ids.get(token.parent, "0")
                basic = ("0", "root", "_") if ids[token] == "1" else ("1", "dep", "_")  # any tree will do
                head, relation, deps = ("_", "_", f"{parent}:{token.relation}") if token.empty else basic
                misc = f"Entity={cell}" if cell else "_"
                lines.append("\t".join((ids[token], token.form, "_", token.upos, "_", "_", head, relation, deps, misc)))
            lines.append("")
    return "\n".join(lines) + "\n"


def _ids(sentence: Iterable[Token]) -> dict[Token, str]:
    ids: dict[Token, str] = {}
    word = zeros = 0
    for token in sentence:
        zeros = zeros + 1 if token.empty else 0
        word += not token.empty
        ids[token] = f"{word}.{zeros}" if token.empty else str(word)
    return ids


def _pieces(doc: Doc, label: int) -> tuple[dict[Token, list[str]], dict[Token, list[str]], dict[Token, list[str]]]:
    """What opens at each token, what closes, and what does both; longer mentions open first and close last."""
    place = {t: n for n, t in enumerate(t for s in doc.sentences for t in s)}
    spans = []
    for e, entity in enumerate(doc.entities, start=label + 1):
        for m in entity:
            head = doc.words(m).index(m.head) + 1
            for n, (a, b) in enumerate(m.pieces, start=1):
                name = f"e{e}" + (f"[{n}/{len(m.pieces)}]" if len(m.pieces) > 1 else "")
                spans.append((a, b, name, f"{name}-x-{head}-"))
    opens: dict[Token, list[str]] = {}
    closes: dict[Token, list[str]] = {}
    single: dict[Token, list[str]] = {}
    for a, b, _, content in sorted(spans, key=lambda s: -place[s[1]]):
        if a is b:
            single.setdefault(a, []).append(f"({content})")
        else:
            opens.setdefault(a, []).append(f"({content}")
    for a, b, name, _ in sorted(spans, key=lambda s: -place[s[0]]):
        if a is not b:
            closes.setdefault(b, []).append(f"{name})")
    return opens, closes, single
