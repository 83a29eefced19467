"""Random corpora and options for the order of operations, and the inputs of coreflens that can hold them.

A case has what tends to break an order: mentions that occur twice in one entity or in two, crossing and nested ones,
ids with gaps, ids that start again in each document, ids that mean the same in all of them, empty sides and documents,
singletons only, parts, documents of one side only, genres and topics in names, attributes. The texts of the files are
written here and not by coreflens.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from order_reference import Document, Mention, Options, Side

Documents: TypeAlias = tuple[Document, ...]
Span: TypeAlias = tuple[int, int]
ATTRIBUTES = ("kind", "etype", "referring")
KINDS, TYPES = ("event", "entity"), ("PER", "LOC", "ORG")
_ATTRIBUTE_OF = dict.fromkeys(KINDS, "kind") | dict.fromkeys(TYPES, "etype") | {"no": "referring"}
ROUTES = ("clusters", "map", "conll", "jsonlines", "conllu", "spans", "names")
FILES = tuple(route for route in ROUTES if route not in ("clusters", "map"))
TEXTUAL = ("conll", "jsonlines", "conllu")  # routes with words and sentences
VALUED = ("conllu", "spans", "names")  # routes whose mentions have attributes
LABELLED = ("map", "conll", "conllu", "spans", "names")  # routes whose entities have ids
PARTED = ("conll", "spans", "names")  # routes whose documents have parts
SUFFIX = {"conll": "conll", "jsonlines": "jsonl", "conllu": "conllu", "spans": "csv", "names": "csv"}


@dataclass(frozen=True)
class Case:
    """Both sides as they were made, the way in which they reach coreflens, and the options that are given."""

    key: Documents
    response: Documents
    route: str
    options: Mapping[str, str] = field(default_factory=dict)

    def settled(self) -> Options:
        return Options(**self.options)

    def sides(self) -> tuple[Side, Side]:
        """Both sides as they are read."""
        return as_read(self.key, self.route), as_read(self.response, self.route)

    def __str__(self) -> str:
        """The case in a few lines, short enough to be typed."""
        lines = [f"{role:8} {shown(side)}" for role, side in (("key", self.key), ("response", self.response))]
        return "\n".join([*lines, f"route    {self.route}", f"options  {as_arguments(self.options)}"])


def shown(side: Documents) -> str:
    return " | ".join(_document_shown(document) for document in side) or "(no document)"


def _document_shown(document: Document) -> str:
    part = "" if document.part is None else f"#{document.part}"
    mentions = " ".join(
        f"{m.span[0]}-{m.span[1]}:{m.entity}{''.join('/' + value for _, value in m.attributes if value)}"
        for m in document.mentions
    )
    return f"{document.name}{part}[{','.join(map(str, document.sentences))}] {mentions}".strip()


def side_of(text: str) -> Documents:
    """The documents of a text as `shown` writes it: `nw/d0#1[3,2] 0-0:e1/event/PER 2-3:e1 | nw/d1[4]`."""
    return tuple(_document_of(piece.split()) for piece in text.split("|") if piece.strip())


def _document_of(words: list[str]) -> Document:
    title, _, lengths = words[0].rstrip("]").partition("[")
    name, _, part = title.partition("#")
    mentions = []
    for word in words[1:]:
        span, _, rest = word.partition(":")
        first, _, last = span.partition("-")
        entity, *values = rest.split("/")
        attributes = tuple((_ATTRIBUTE_OF[value], value) for value in values)
        mentions.append(Mention((int(first), int(last)), entity, attributes))
    sentences = tuple(map(int, lengths.split(",")))
    return Document(name, int(part) if part else None, sentences, tuple(mentions))


def as_arguments(options: Mapping[str, str]) -> list[str]:
    """The options for the command line."""
    return [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", value)]


# ---- random corpora


def random_case(random: Random, options: Mapping[str, str] | None = None) -> Case:
    """A random case; its options are random as well, unless they are given."""
    names = _names(random)
    shape = _Shape(random)
    sentences = {name: _sentences(random) for name in names}
    key, response = [], []
    for name in names:
        pool = _spans(random, sentences[name])
        ours = _side(random, name, sentences[name], pool, shape)
        theirs = _side(random, name, sentences[name], pool, shape)
        if random.random() < 0.3:
            theirs = _nearly(random, ours)
        key.append(ours)
        response.append(theirs)
    key, response = _one_sided(random, key, response)
    if random.random() < 0.07:
        key, response = _emptied(random, key, response)
    if random.random() < 0.4:
        random.shuffle(response)
    case = Case(tuple(key), tuple(response), "clusters")
    routes = [route for route in ROUTES if possible(case, route)]
    if not routes:
        return random_case(random, options)
    weights = [3 if route in FILES else 1 for route in routes]
    case = replace(case, route=random.choices(routes, weights)[0])
    chosen = random_options(random) if options is None else dict(options)
    return replace(case, options=fitting(random, case, chosen))


Name: TypeAlias = tuple[str, int | None]


def _names(random: Random) -> list[Name]:
    number = random.choice((1, 1, 2, 2, 3, 4))
    style = random.choice(("genre", "genre", "topic", "plain"))
    if style == "topic":
        return [
            (f"{random.choice((36, 7))}_{n}{random.choice(('ecb', 'ecbplus'))}", None) for n in range(1, number + 1)
        ]
    if style == "plain":
        return [(f"d{n}", None) for n in range(number)]
    names: list[Name] = [(f"{random.choice(('nw', 'bc'))}/d{n}", None) for n in range(number)]
    if random.random() < 0.4:
        names = [(name, 0) for name, _ in names]
        names += [(names[0][0], 1)] if random.random() < 0.7 else []
    return names


def _sentences(random: Random) -> tuple[int, ...]:
    return tuple(random.randint(1, 4) for _ in range(random.randint(1, 4)))


def _spans(random: Random, sentences: Sequence[int]) -> list[Span]:
    """Spans to choose from: mostly short, some nested, some crossing."""
    size = sum(sentences)
    every = [(a, b) for a in range(size) for b in range(a, min(a + 3, size))]
    return random.sample(every, min(len(every), random.randint(1, 7)))


class _Shape:
    """How the sides of a case are made."""

    def __init__(self, random: Random) -> None:
        self.repeats = random.random() < 0.45
        self.ids = random.choice(("again", "gaps", "global", "names", "names"))
        self.singletons_only = random.random() < 0.08
        self.missing_values = random.random() < 0.3


def _side(random: Random, name: Name, sentences: tuple[int, ...], pool: list[Span], shape: _Shape) -> Document:
    share = random.choice((0.0, 0.5, 0.8, 0.8, 1.0, 1.0))
    spans = [span for span in pool if random.random() < share]
    if shape.repeats and spans:
        spans += random.choices(spans, k=random.randint(0, 3))
    entities = random.randint(1, 3)
    numbers = [n if shape.singletons_only else random.randrange(entities) for n in range(len(spans))]
    entity_ids = _labelled(random, numbers, shape)
    mentions = [
        Mention(span, entity, _attributes(random, shape)) for span, entity in zip(spans, entity_ids, strict=True)
    ]
    return _document(name, sentences, mentions)


def _labelled(random: Random, numbers: list[int], shape: _Shape) -> list[str]:
    """Ids: 0, 1, 2 in every document, with gaps, the same in all documents, or names."""
    if shape.ids == "again":
        order = {number: place for place, number in enumerate(dict.fromkeys(numbers))}
        return [str(order[number]) for number in numbers]
    if shape.ids == "gaps":
        return [str(3 * number + 1) for number in numbers]
    if shape.ids == "global":
        shift = random.randint(0, 3)
        return [str(number + shift) for number in numbers]
    return [f"e{number}" for number in numbers]


def _attributes(random: Random, shape: _Shape) -> tuple[tuple[str, str], ...]:
    kind = "" if shape.missing_values and random.random() < 0.3 else random.choice(KINDS)
    referring = "no" if random.random() < 0.15 else ""
    return ("kind", kind), ("etype", random.choice(TYPES)), ("referring", referring)


def _document(name: Name, sentences: tuple[int, ...], mentions: Sequence[Mention]) -> Document:
    """Mentions in the order in which they open, the longer first."""
    ordered = sorted(mentions, key=lambda m: (m.span[0], -m.span[1]))
    return Document(name[0], name[1], sentences, tuple(ordered))


def _nearly(random: Random, document: Document) -> Document:
    """A response that is nearly right."""
    mentions = []
    for mention in document.mentions:
        dice = random.random()
        if dice < 0.15:
            continue
        entity = random.choice(document.mentions).entity if dice < 0.4 else mention.entity
        mentions.append(replace(mention, entity=entity))
    return replace(document, mentions=tuple(mentions))


def _one_sided(random: Random, key: list[Document], response: list[Document]) -> tuple[list[Document], list[Document]]:
    if len(key) > 1 and random.random() < 0.25:
        response = [d for p, d in enumerate(response) if p != random.randrange(len(response))]
    if len(key) > 1 and random.random() < 0.25:
        key = key[: random.randint(1, len(key) - 1)]
    return key, response


def _emptied(random: Random, key: list[Document], response: list[Document]) -> tuple[list[Document], list[Document]]:
    empty = random.choice(("key", "response", "response", "both"))
    key = [replace(d, mentions=()) for d in key] if empty != "response" else key
    response = [replace(d, mentions=()) for d in response] if empty != "key" else response
    return key, response


# ---- the ways into coreflens


def possible(case: Case, route: str) -> bool:
    """Whether the input can hold the case."""
    sides = case.key, case.response
    documents = [d for side in sides for d in side]
    if not case.key or any(not d.sentences for d in documents) or not _named_apart(sides):
        return False
    if route in FILES and not case.response:
        return False  # an empty file has no format
    if route not in PARTED and any(d.part is not None for d in documents):
        return False
    if route in ("spans", "names") and not all(any(d.mentions for d in side) for side in sides):
        return False  # a table needs a row
    if route == "map":
        return all(len({m.place for m in d.mentions}) == len(d.mentions) for d in documents) and all(
            any(d.mentions for d in side) for side in sides
        )
    if route in ("conll", "conllu"):
        return not any(_crossing(document) for document in documents)
    return True


def _named_apart(sides: Sequence[Documents]) -> bool:
    """Whether each document occurs once on a side, with the same text on both."""
    names = [[d.identity for d in side] for side in sides]
    texts = {(d.identity, d.sentences) for side in sides for d in side}
    return all(len({*found}) == len(found) for found in names) and len(texts) == len({name for name, _ in texts})


def _crossing(document: Document) -> bool:
    """Brackets of one entity pair last in, first out, so that its mentions can't cross."""
    return any(
        a.entity == b.entity and (_cross(a.span, b.span) or _cross(b.span, a.span))
        for a, b in combinations(document.mentions, 2)
    )


def _cross(a: Span, b: Span) -> bool:
    return a[0] < b[0] <= a[1] < b[1]


def as_read(documents: Documents, route: str) -> Side:
    """A side as the route delivers it: what the format does not hold is gone."""
    mentions = [mention for document in documents for mention in document.mentions]
    stated = tuple(name for name in ATTRIBUTES if any(dict(m.attributes).get(name) for m in mentions))
    return Side(
        tuple(_read(document, route) for document in documents if document.mentions or route not in ("spans", "names")),
        attributes=stated if route in VALUED else (),
        spans=route not in ("clusters", "map", "names"),
        trusted=route in ("clusters", "map"),
        numbered=route in ("conll", "conllu"),
    )


def _read(document: Document, route: str) -> Document:
    mentions = document.mentions
    if route in ("clusters", "jsonlines"):
        mentions = tuple(m for cluster in _clusters(document) for m in cluster)
    if route == "jsonlines":  # spans have a place in the text, which decides about their order
        mentions = tuple(sorted(mentions, key=lambda m: (m.span[0], -m.span[1])))
    if route not in LABELLED:
        mentions = tuple(replace(m, entity=(document.identity, m.entity)) for m in mentions)
    if route not in VALUED:
        mentions = tuple(replace(m, attributes=()) for m in mentions)
    if route == "names":
        mentions = tuple(replace(m, place=_name(m)) for m in mentions)
    part = document.part or 0 if route == "conll" else document.part
    sentences = document.sentences if route in TEXTUAL else ()
    return replace(document, part=part, mentions=mentions, sentences=sentences)


def _name(mention: Mention) -> str:
    return f"m{mention.span[0]}_{mention.span[1]}"


def _clusters(document: Document) -> list[list[Mention]]:
    found: dict[Any, list[Mention]] = {}
    for mention in document.mentions:
        found.setdefault(mention.entity, []).append(mention)
    return list(found.values())


def written(case: Case, folder: Path, route: str | None = None) -> tuple[Any, Any]:
    """Both sides as inputs: Python objects, or paths of files."""
    route = route or case.route
    inputs = []
    for role, side in (("key", case.key), ("response", case.response)):
        if route in WRITERS_OF_OBJECTS:
            inputs.append(WRITERS_OF_OBJECTS[route](side))
            continue
        path = folder / f"{role}.{SUFFIX[route]}"
        path.write_text(WRITERS[route](side), encoding="utf-8")
        inputs.append(path)
    return inputs[0], inputs[1]


def _as_clusters(side: Documents) -> Any:
    return {d.name: [[m.span for m in cluster] for cluster in _clusters(d)] for d in side}


def _as_map(side: Documents) -> Any:
    return {d.name: {m.span: m.entity for m in d.mentions} or [] for d in side}


def _closing(document: Document) -> list[list[str]]:
    """The brackets that close at each token."""
    found: list[list[str]] = [[] for _ in range(sum(document.sentences))]
    for mention in reversed(document.mentions):
        first, last = mention.span
        if first < last:
            found[last].append(f"{mention.entity})")
    return found


def _tokens(document: Document) -> Iterator[tuple[int, int, bool]]:
    """Each token: its number in the sentence, its number in the document, and whether the sentence ends with it."""
    token = 0
    for length in document.sentences:
        for number in range(length):
            yield number, token, number == length - 1
            token += 1


def as_conll(side: Documents) -> str:
    lines = []
    for d in side:
        lines.append(f"#begin document ({d.name}); part {d.part or 0:03}")
        closing = _closing(d)
        for number, token, last in _tokens(d):
            opening = [m for m in d.mentions if m.span[0] == token]
            pieces = [f"({m.entity})" if m.span[1] == token else f"({m.entity}" for m in opening]
            cell = "|".join([*closing[token], *pieces]) or "-"
            lines.append(f"{d.name}\t{d.part or 0}\t{number}\tw{token}\t{cell}")
            lines += [""] if last else []
        lines.append("#end document")
    return "\n".join(lines) + "\n"


FIELDS = ("etype", "kind", "referring")


def as_conllu(side: Documents) -> str:
    lines = []
    for d in side:
        lines += [f"# newdoc id = {d.name}", f"# global.Entity = eid-{'-'.join(FIELDS)}"]
        closing = _closing(d)
        for number, token, last in _tokens(d):
            pieces = [*closing[token], *(_opened(m) for m in d.mentions if m.span[0] == token)]
            misc = f"Entity={''.join(pieces)}" if pieces else "_"
            tree = "1\tdep" if number else "0\troot"
            lines.append(f"{number + 1}\tw{token}\t_\tNOUN\t_\t_\t{tree}\t_\t{misc}")
            lines += [""] if last else []
    return "\n".join(lines) + "\n"


def _opened(mention: Mention) -> str:
    """The bracket of CorefUD with which a mention opens, and closes if it has one word."""
    values = dict(mention.attributes)
    text = "-".join([str(mention.entity), *(values.get(name, "") for name in FIELDS)]).rstrip("-")
    return f"({text})" if mention.span[0] == mention.span[1] else f"({text}"


def as_jsonlines(side: Documents) -> str:
    lines = []
    for d in side:
        words = iter(f"w{token}" for token in range(sum(d.sentences)))
        sentences = [[next(words) for _ in range(length)] for length in d.sentences]
        clusters = [[list(m.span) for m in cluster] for cluster in _clusters(d)]
        lines.append(json.dumps({"doc_key": d.name, "sentences": sentences, "clusters": clusters}))
    return "\n".join(lines) + "\n"


def as_table(side: Documents, spans: bool) -> str:
    parts = any(d.part is not None for d in side)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    place = ["start", "end"] if spans else ["mention"]
    writer.writerow(["doc", *(["part"] if parts else []), *place, "entity", *ATTRIBUTES])
    for d in side:
        for m in d.mentions:
            where = list(m.span) if spans else [_name(m)]
            values = dict(m.attributes)
            row = [d.name, *([d.part] if parts else []), *where, m.entity, *(values.get(n, "") for n in ATTRIBUTES)]
            writer.writerow(row)
    return out.getvalue()


WRITERS_OF_OBJECTS: dict[str, Callable[[Documents], Any]] = {"clusters": _as_clusters, "map": _as_map}
WRITERS: dict[str, Callable[[Documents], str]] = {
    "conll": as_conll,
    "conllu": as_conllu,
    "jsonlines": as_jsonlines,
    "spans": lambda side: as_table(side, True),
    "names": lambda side: as_table(side, False),
}


# ---- random options

CHOICES: dict[str, tuple[str, ...]] = {
    "scope": ("document", "corpus", "genre", "topic"),
    "ids": ("check", "local", "global"),
    "only": (
        "kind=event",
        "mention.kind=event",
        "etype=PER,LOC",
        "genre=nw",
        "mention.length=1",
        "kind=(none)",
        "topic=36",
    ),
    "without": ("nonreferring", "nested", "kind=event", "mention.etype=LOC", "nonreferring,nested", "genre=bc"),
    "on": ("both", "key"),
    "extra": ("ignore", "count", "error"),
    "excerpt": ("1:1000000000", "1:4", "3:9"),
    "duplicates": ("first", "last", "error", "perl"),
    "multi": ("first", "each"),
    "singletons": ("keep", "drop", "drop-response", "drop-before", "e2e"),
    "window": ("all", "1000000000", "3", "6"),
    "blanc": ("luo2014", "perl", "ua"),
    "undefined": ("zero", "nan", "popescu-belis"),
    "average": ("micro", "macro"),
    "mean": ("harmonic", "arithmetic"),
    "weights": ("muc=2,lea=1", "bcub=1,core=1"),
    "no_common": ("score", "refuse"),
}


def random_options(random: Random) -> dict[str, str]:
    """A few options."""
    names = random.sample(list(CHOICES), random.choice((0, 1, 2, 2, 3, 3, 4, 5)))
    return {name: random.choice(CHOICES[name]) for name in names}


def fitting(random: Random, case: Case, chosen: dict[str, str]) -> dict[str, str]:
    """Options that would only be refused are mostly replaced: a refusal tells less than a number."""
    if case.route not in FILES:  # an option of the command line alone
        chosen.pop("excerpt", None)
    if random.random() < 0.1:
        return chosen
    for option in ("scope", "only", "without"):
        if not _fits(case, option, chosen.get(option, "")):
            chosen.pop(option)
    if case.route == "names" and chosen.get("only") == "mention.length=1":
        chosen.pop("only")
    if chosen.get("ids", "check") != "check" and chosen.get("scope", "document") == "document":
        chosen["scope"] = "corpus"
    if chosen.get("on") == "key" and "=" not in chosen.get("only", "") + chosen.get("without", ""):
        chosen.pop("on")
    if case.route not in TEXTUAL:
        chosen.pop("window", None)
        if case.route != "spans":
            chosen.pop("excerpt", None)
    if chosen.get("window", "all") != "all" and chosen.get("scope", "document") != "document":
        chosen.pop("scope")
        chosen.pop("ids", None)
    ours, theirs = ({d.identity for d in side.documents} for side in case.sides())
    if theirs - ours and chosen.get("extra", "error") == "error":
        chosen["extra"] = random.choice(("ignore", "count"))
    return chosen


def _fits(case: Case, option: str, value: str) -> bool:
    """Whether the documents have the label, and the mentions the attribute, that an option names."""
    names = [d.name for side in (case.key, case.response) for d in side]
    if "topic" in value:
        return all("_" in name for name in names)
    if "genre" in value:
        return all("/" in name for name in names)
    return option == "scope" or "=" not in value or case.route in VALUED


def all_pairs() -> Iterator[dict[str, str]]:
    """Every value of every option together with every value of every other one."""
    for one, other in combinations(CHOICES, 2):
        for value, second in product(CHOICES[one], CHOICES[other]):
            yield {one: value, other: second}
