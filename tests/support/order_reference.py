"""A plain, slow reference of the order of operations: one function per step, in the order in which they act.

It shares nothing with coreflens. A side is a list of documents with their mentions in the order in which they are
read. The metrics themselves are those of `reference`, set by set; here is what happens before and after them. Every
number is a Fraction, or None if it is undefined. What coreflens has to refuse raises `Refused`. `Unclear` marks what
the order does not settle: such a case is compared with nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, compress, permutations
from typing import Any, TypeAlias

import reference
from reference import ADDITIVE, DETECTION, Partition, perl_bcub, perl_muc

Place: TypeAlias = tuple[int, int] | str  # a span of tokens with both ends, or a name
Pieces: TypeAlias = list[tuple[Partition, Partition]]  # what a row is made of: one piece, or one for each window
NONE = "(none)"


class Refused(Exception):
    """The case is a usage error (exit code 2) or an input error (3)."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(f"{kind} error: {why}")
        self.kind = kind


class Unclear(Exception):
    """The order of operations does not say what the result is."""


@dataclass(frozen=True)
class Mention:
    place: Place
    entity: Hashable
    attributes: tuple[tuple[str, str], ...] = ()

    def value(self, name: str) -> str:
        return dict(self.attributes).get(name) or NONE

    @property
    def span(self) -> tuple[int, int]:
        assert isinstance(self.place, tuple)
        return self.place


@dataclass(frozen=True)
class Document:
    """A document is a name and a part. `sentences` are the lengths of its sentences, if it has words."""

    name: str
    part: int | None = None
    sentences: tuple[int, ...] = ()
    mentions: tuple[Mention, ...] = ()

    @property
    def identity(self) -> tuple[str, int]:
        return self.name, self.part or 0


@dataclass(frozen=True)
class Side:
    """What was read: the documents, and the attributes that the format gives to mentions."""

    documents: tuple[Document, ...]
    attributes: tuple[str, ...] = ()
    spans: bool = True  # False: mentions are names, without a place in the text
    trusted: bool = False  # plain Python: never refused because nothing is in common
    numbered: bool = True  # whether the format is one whose numbers may start again in every document

    @property
    def mentions(self) -> list[Mention]:
        return [mention for document in self.documents for mention in document.mentions]


@dataclass(frozen=True)
class Options:
    """The options as the command line spells them."""

    scope: str = "document"
    ids: str = "check"
    only: str = "all"
    without: str = "none"
    on: str = "both"
    pair: str = "name"
    extra: str = "error"
    excerpt: str = ""
    duplicates: str = "first"
    multi: str = "first"
    singletons: str = "keep"
    match: str = "exact"
    window: str = "all"
    blanc: str = "luo2014"
    undefined: str = "zero"
    average: str = "micro"
    mean: str = "harmonic"
    weights: str = "muc=1,bcub=1,ceafe=1"
    no_common: str = "judge"


@dataclass(frozen=True)
class Outcome:
    """The numbers of a metric, None where 0/0 stays so, and which of them come from 0/0."""

    numbers: Mapping[str, Fraction | None]
    undefined: frozenset[str] = frozenset()


@dataclass
class Evaluation:
    """The scores, and why coreflens may refuse to give them, if the order leaves that to a look at the input."""

    scores: dict[str, Outcome]
    may_refuse: list[str] = field(default_factory=list)
    common: bool = True  # whether both sides have a mention in common after step 4, or one of them has none
    emptied_by: tuple[str, ...] = ()  # the options of which one left a side without mentions, in steps 5 to 9


@dataclass(frozen=True)
class Pair:
    """A document of the result: its name, the sentences of the key, and the mentions of both sides."""

    document: Document
    in_key: bool
    key: tuple[Mention, ...]
    response: tuple[Mention, ...]

    def each(self, change: Callable[[Sequence[Mention]], Iterable[Mention]]) -> Pair:
        return replace(self, key=tuple(change(self.key)), response=tuple(change(self.response)))


E2E = {"bcub": "drop", "lea": "drop", "ceafm": "drop-response", "ceafe": "drop-response"}
SIDES = ("key", "response")
VALUES = ("recall", "precision", "f1")
PERL = ("mentions", "muc", "bcub")  # what the reference knows of repetitions under --duplicates perl
METRICS = (
    *("mentions", "mor", "singletons", "muc", "bcub", "ceafm", "ceafe", "lea", "blanc"),
    *("pairs", "pairs-within", "pairs-cross", "core", "xcore"),
    *("bcub-0", "bcub-all", "bcub-rn", "bcub-sys", "ceafm-rn", "ceafm-sys", "ceafe-sys"),
    *("conll", "mela"),
)


def evaluate(key: Side, response: Side, options: Options, metrics: Sequence[str] = METRICS) -> Evaluation:
    """The pass through the steps 2 to 16."""
    may_refuse: list[str] = []
    counted = counts(key, response, options, may_refuse)
    found = scores(counted, options, metrics)
    return Evaluation(found, may_refuse, counted.common, counted.emptied_by)


def counts(key: Side, response: Side, options: Options, may_refuse: list[str]) -> Counting:
    """Steps 2 to 14."""
    refuse_what_can_not_act(options)
    key, response = (ids(side, options, may_refuse) for side in (key, response))
    key, response = select(key, response, options, may_refuse)
    paired = pair(key, response, options, may_refuse)
    common = judge_common(paired, key, response, options, may_refuse)
    spans = key.spans and response.spans
    pairs = excerpt(paired, options, spans)
    cut = pairs
    pairs = repeats(pairs, options)
    pairs = drop_before(pairs, options)
    pairs = without_nested(pairs, options, spans)
    rows = match(pairs, options)
    parts = window(rows, options, spans)
    counted = Counting(rows, parts, options)
    counted.common = common
    if emptied(paired, cut):
        counted.emptied_by = ("--excerpt",)
    elif emptied(paired, pairs):
        counted.emptied_by = ("--singletons", "--without")
    return counted


def emptied(before: list[Pair], after: list[Pair]) -> bool:
    """Whether a side has lost all its mentions."""
    return any(any(getattr(p, side) for p in before) > any(getattr(p, side) for p in after) for side in SIDES)


def scores(counted: Counting, options: Options, metrics: Sequence[str]) -> dict[str, Outcome]:
    """Steps 15 and 16."""
    found = {name: ratios(name, counted, options) for name in metrics if name in counted.known}
    found |= averages(metrics, counted, options)
    return {name: found[name] for name in metrics if name in found}


# ---- before step 1


def refuse_what_can_not_act(options: Options) -> None:
    """§5, law 5, and §2: an option that needs another one is refused without it."""
    if options.ids != "check" and options.scope == "document":
        raise Refused("usage", "--ids without a wider scope has nothing to decide")
    if options.on == "key" and not conditions(options):
        raise Refused("usage", "--on key without a condition")
    if options.multi == "each" and options.duplicates == "perl":
        raise Refused("usage", "--multi each and --duplicates perl contradict each other")
    if options.window != "all" and options.scope != "document":
        raise Refused("usage", "--window needs --scope document")


# ---- labels of documents


def label_of(document: Document, by: str) -> str:
    """The genre or the topic in a document's name, its part, or the document itself."""
    if by == "document":
        return f"{document.name}" if document.part is None else f"{document.name}_{document.part}"
    if by == "part":
        return "" if document.part is None else str(document.part)
    if by == "genre":
        if "/" not in document.name:
            raise Refused("usage", f"no genre in the name {document.name}")
        return document.name.split("/")[0]
    if by in ("topic", "subtopic"):
        topic, underscore, rest = document.name.rpartition("/")[2].partition("_")
        half = rest.lstrip("0123456789")
        if not underscore or not topic.isdecimal() or half not in ("ecb", "ecbplus") or half == rest:
            raise Refused("usage", f"no {by} in the name {document.name}")
        return topic if by == "topic" else f"{topic}_{half}"
    raise Refused("usage", f"unknown label {by}")


def block_of(document: Document, options: Options) -> Hashable:
    """Step 14: a row is a document, or what --scope joins."""
    if options.scope == "document":
        return document.identity
    return "corpus" if options.scope == "corpus" else label_of(document, options.scope)


# ---- step 2


def ids(side: Side, options: Options, may_refuse: list[str]) -> Side:
    """§2: which mentions of a side are one entity. From here on, an entity is a pair of its range and its id."""
    if options.scope != "document" and options.ids == "check" and side.numbered and start_again(side):
        may_refuse.append("the ids look as if they started again in each document")
    documents = []
    for document in side.documents:
        reach = document.identity if options.ids == "local" else block_of(document, options)
        mentions = tuple(replace(mention, entity=(reach, mention.entity)) for mention in document.mentions)
        documents.append(replace(document, mentions=mentions))
    return replace(side, documents=tuple(documents))


def start_again(side: Side) -> bool:
    """Whether the ids are numbers that run from the same first one, without a gap, in two or more documents."""
    numbers = [{str(mention.entity) for mention in document.mentions} for document in side.documents]
    numbers = [found for found in numbers if found]
    if len(numbers) < 2 or not all(text.isdecimal() for found in numbers for text in found):
        return False
    values = [{int(text) for text in found} for found in numbers]
    return len({min(found) for found in values}) == 1 and all(max(v) - min(v) == len(v) - 1 for v in values)


# ---- step 3


@dataclass(frozen=True)
class Condition:
    attribute: str
    values: tuple[str, ...]
    wanted: bool
    optional: bool = False

    def holds(self, value: str) -> bool:
        return (value in self.values if self.values else value != NONE) == self.wanted


FILTERS = ("none", "nonreferring", "nested", "verbs")


def filters(options: Options) -> list[str]:
    """The filters that --without names."""
    return [name for segment in options.without.split(";") for name in segment.split(",") if name in FILTERS[1:]]


def conditions(options: Options) -> list[Condition]:
    found = []
    for text, wanted in ((options.only, True), (options.without, False)):
        for segment in text.split(";"):
            if segment in ("all", "none", "") or all(name in FILTERS for name in segment.split(",")):
                continue
            attribute, equals, values = segment.partition("=")
            optional = attribute.endswith("?")
            attribute = attribute.removesuffix("?")
            found.append(Condition(attribute, tuple(values.split(",")) if equals else (), wanted, optional))
    return found


def select(key: Side, response: Side, options: Options, may_refuse: list[str]) -> tuple[Side, Side]:
    """Step 3: non-referring expressions, then the conditions, which look at entities as step 2 made them."""
    if "nonreferring" in filters(options):
        key, response = (kept(side, lambda mention: mention.value("referring") != "no") for side in (key, response))
    if not conditions(options):
        return key, response
    there = bool(key.mentions or response.mentions)
    if options.on == "key":
        key, response = select_by_key(key, response, options, may_refuse)
    else:
        key, response = selected((key, response), options, may_refuse)
    if there and not key.mentions and not response.mentions:
        raise Refused("usage", "no mention is left")
    return key, response


def kept(side: Side, wanted: Callable[[Mention], bool]) -> Side:
    documents = (replace(d, mentions=tuple(filter(wanted, d.mentions))) for d in side.documents)
    return replace(side, documents=tuple(documents))


def selected(sides: Sequence[Side], options: Options, may_refuse: list[str]) -> list[Side]:
    """Each side by its own attributes. All conditions look at the same entities; then all of them are applied."""
    chosen = list(sides)
    asked = [(condition, level_of(condition.attribute, sides)) for condition in conditions(options)]
    for condition, (level, name) in asked:
        check_values(condition, level, name, sides, may_refuse)
    for number, side in enumerate(sides):
        verdicts = [verdict(side, condition, level, name) for condition, (level, name) in asked]
        documents = []
        for d, document in enumerate(side.documents):
            if not all(good.document(document) for good in verdicts):
                continue
            mentions = (m for p, m in enumerate(document.mentions) if all(good.mention(d, p) for good in verdicts))
            documents.append(replace(document, mentions=tuple(mentions)))
        chosen[number] = replace(side, documents=tuple(documents))
    return chosen


def level_of(attribute: str, sides: Sequence[Side]) -> tuple[str, str]:
    """The level of a condition, and its name there."""
    level, dot, name = attribute.partition(".")
    if dot and level in ("entity", "mention", "document"):
        return level, name
    if any(attribute in side.attributes for side in sides):
        return "entity", attribute
    if attribute in ("document", "genre", "part", "topic", "subtopic"):
        return "document", attribute
    raise Refused("usage", f"no attribute {attribute}")


@dataclass(frozen=True)
class Verdict:
    """Whether a document, and a mention by its document and its place there, meet a condition."""

    document: Callable[[Document], bool]
    mention: Callable[[int, int], bool]


def has(side: Side, level: str, name: str) -> bool:
    """Whether a side knows the attribute. A side without mentions lacks nothing."""
    if level == "document" or not side.mentions:
        return True
    if level == "mention" and name == "length":
        return side.spans
    return name in side.attributes


def verdict(side: Side, condition: Condition, level: str, name: str) -> Verdict:
    if level == "document":
        return Verdict(lambda document: condition.holds(label_of(document, name) or NONE), lambda d, p: True)
    if not has(side, level, name):  # the condition is optional: the side keeps everything
        return Verdict(lambda document: True, lambda d, p: True)
    values = mention_values(side, level, name)
    return Verdict(lambda document: True, lambda d, p: condition.holds(values[d][p]))


def mention_values(side: Side, level: str, name: str) -> list[list[str]]:
    """The value of each mention of each document: its own, or that of its entity."""
    if level == "mention" and name == "length":
        return [[str(m.span[1] - m.span[0] + 1) for m in d.mentions] for d in side.documents]
    own = [[m.value(name) for m in d.mentions] for d in side.documents]
    if level == "mention":
        return own
    votes: dict[Hashable, Counter[str]] = {}
    for mention in side.mentions:  # a Counter keeps its order, so that the first of equally frequent values wins
        votes.setdefault(mention.entity, Counter()).update([v] if (v := mention.value(name)) != NONE else [])
    value = {entity: counts.most_common(1)[0][0] if counts else NONE for entity, counts in votes.items()}
    return [[value[m.entity] for m in d.mentions] for d in side.documents]


def check_values(condition: Condition, level: str, name: str, sides: Sequence[Side], may_refuse: list[str]) -> None:
    """An attribute that one side lacks is refused, and a value that nobody has."""
    lacking = [side for side in sides if not has(side, level, name)]
    if lacking and not condition.optional:
        raise Refused("usage" if len(lacking) == len(sides) else "input", f"no attribute {name}")
    if level == "document":
        found = {label_of(d, name) or NONE for side in sides for d in side.documents}
        said = found
    else:
        knowing = [side for side in sides if has(side, level, name)]
        found = {v for side in knowing for values in mention_values(side, level, name) for v in values}
        said = {v for side in knowing for values in mention_values(side, "mention", name) for v in values}
    strange = [value for value in condition.values if value not in found]
    if found and strange:
        if not all(value in said for value in strange):
            raise Refused("usage", f"nothing has {name}={strange[0]}")
        may_refuse.append("no entity as a whole has the value")


def select_by_key(key: Side, response: Side, options: Options, may_refuse: list[str]) -> tuple[Side, Side]:
    """--on key: response mentions follow the key mentions that they match, and others are left out."""
    (chosen,) = selected((key,), options, may_refuse)
    gone = {d.identity for d in key.documents} - {d.identity for d in chosen.documents}
    before, after = ({d.identity: Counter(m.place for m in d.mentions) for d in s.documents} for s in (key, chosen))
    documents = []
    for document in response.documents:
        if document.identity in gone:
            continue
        if document.identity not in before:
            documents.append(replace(document, mentions=()))
            continue
        stay, there = after[document.identity], before[document.identity]
        if any(0 < stay[place] < there[place] for place in {m.place for m in document.mentions}):
            raise Unclear("a key mention has two copies, and one of them is selected")
        documents.append(replace(document, mentions=tuple(m for m in document.mentions if stay[m.place])))
    if any(c for c in conditions(options) if level_of(c.attribute, (key,))[0] == "document"):
        strangers = [d for d in documents if d.identity not in before]
        if strangers:
            raise Unclear("the key does not know the document that --on key asks about")
    return chosen, replace(response, documents=tuple(documents))


# ---- step 4


def pair(key: Side, response: Side, options: Options, may_refuse: list[str]) -> list[Pair]:
    """Step 4: by name and part. What only the key has is empty in the response."""
    ours, theirs = ({d.identity: d for d in side.documents} for side in (key, response))
    if not ours:
        may_refuse.append("the key has no document")
    elif theirs and not ours.keys() & theirs.keys():
        raise Refused("input", "no document in common")
    extra = [d for d in response.documents if d.identity not in ours]
    if extra and options.extra == "error":
        raise Refused("input", "a document that only the response has")
    pairs = []
    for document in key.documents:
        twin = theirs.get(document.identity)
        pairs.append(Pair(document, True, document.mentions, twin.mentions if twin else ()))
    if options.extra == "count":
        pairs += [Pair(document, False, (), document.mentions) for document in extra]
    return pairs


def judge_common(pairs: list[Pair], key: Side, response: Side, options: Options, may_refuse: list[str]) -> bool:
    """§1, "No mention in common", judged after step 4: whether there is one, or a side has none at all."""
    common = any({m.place for m in p.key} & {m.place for m in p.response} for p in pairs)
    ours, theirs = any(p.key for p in pairs), any(p.response for p in pairs)
    if common or not ours:
        return True
    if options.no_common == "refuse":
        if theirs:
            raise Refused("input", "no mention in common")
        may_refuse.append("the response is empty, and --no-common refuse")
    elif options.no_common == "judge" and theirs and not (key.trusted or response.trusted):
        may_refuse.append("no mention in common")
    return not theirs


# ---- steps 5 to 9


def excerpt(pairs: list[Pair], options: Options, spans: bool) -> list[Pair]:
    """Step 5: mentions that do not lie within the tokens are gone. Tokens are counted from 1."""
    if not options.excerpt:
        return pairs
    if not spans:
        raise Refused("input", "an excerpt needs tokens")
    first, _, last = options.excerpt.partition(":")
    low, high = int(first or 1) - 1, int(last) - 1
    return [p.each(lambda ms: (m for m in ms if low <= m.span[0] and m.span[1] <= high)) for p in pairs]


def repeated(mentions: Sequence[Mention]) -> bool:
    return len({m.place for m in mentions}) < len(mentions)


def repeats(pairs: list[Pair], options: Options) -> list[Pair]:
    """Step 7: one copy of a mention per document and side, or per entity under --multi each."""
    if options.duplicates == "perl":
        return pairs

    def told(mention: Mention) -> Hashable:
        return (mention.place, mention.entity) if options.multi == "each" else mention.place

    def once(mentions: Sequence[Mention]) -> list[Mention]:
        if options.duplicates == "error" and len({*map(told, mentions)}) < len(mentions):
            raise Refused("input", "a mention occurs twice")
        ordered = list(mentions)[:: -1 if options.duplicates == "last" else 1]
        stays = {told(m): m for m in reversed(ordered)}
        taken: set[Hashable] = set()
        found = []
        for mention in ordered:
            if told(mention) not in taken:
                taken.add(told(mention))
                found.append(stays[told(mention)])
        return found[:: -1 if options.duplicates == "last" else 1]

    return [p.each(once) for p in pairs]


def drop_before(pairs: list[Pair], options: Options) -> list[Pair]:
    """Step 8 and §3: entities that have one mention now are gone. Two copies of one mention are one mention."""
    if options.singletons != "drop-before":
        return pairs
    plural = []
    for side in SIDES:
        places: dict[Hashable, set[Any]] = {}
        for number, p in enumerate(pairs):
            for mention in getattr(p, side):
                places.setdefault(mention.entity, set()).add((number, mention.place))
        plural.append({entity for entity, found in places.items() if len(found) > 1})
    return [
        replace(
            p,
            key=tuple(m for m in p.key if m.entity in plural[0]),
            response=tuple(m for m in p.response if m.entity in plural[1]),
        )
        for p in pairs
    ]


def sentence_of(sentences: Sequence[int], token: int) -> int:
    """The sentence of a token; without sentences, all tokens are in one."""
    end = 0
    for number, length in enumerate(sentences):
        end += length
        if token < end:
            return number
    return len(sentences)


def without_nested(pairs: list[Pair], options: Options, spans: bool) -> list[Pair]:
    """Step 9: a mention within another one of its entity and sentence goes; then step 8 once more."""
    if "nested" not in filters(options) or not spans:
        return pairs

    def outer(p: Pair) -> Pair:
        def within(inner: Mention, other: Mention) -> bool:
            (a, b), (c, d) = inner.span, other.span
            same = sentence_of(p.document.sentences, a) == sentence_of(p.document.sentences, c)
            return inner.entity == other.entity and same and c <= a and b <= d and (a, b) != (c, d)

        return p.each(lambda ms: (m for m in ms if not any(within(m, other) for other in ms)))

    return drop_before([outer(p) for p in pairs], options)


# ---- step 10


@dataclass(frozen=True)
class Twin:
    """A mention of the two sides: its name, where the key or, without it, the response has it, and its entities.

    Names are in the order of the documents' labels and of the places, whatever the order of the input is.
    """

    name: Any
    place: Place
    key: Hashable = None
    response: Hashable = None


@dataclass
class Row:
    """What one block has: the mentions of each of its documents."""

    documents: list[tuple[Pair, list[Twin]]] = field(default_factory=list)


Rows: TypeAlias = dict[Hashable, Row]


def match(pairs: list[Pair], options: Options) -> Rows:
    """Step 10: the same place in the same document. Copies of several entities match as their entities share most."""
    if options.match != "exact":
        raise Unclear("only --match exact is known here")
    rows: Rows = {}
    for number, p in enumerate(pairs):
        twins = several_twins(pairs, number) if options.multi == "each" else plain_twins(p)
        rows.setdefault(block_of(p.document, options), Row()).documents.append((p, twins))
    return rows


def plain_twins(p: Pair) -> list[Twin]:
    label = label_of(p.document, "document")
    ours, theirs = ({m.place: m.entity for m in side} for side in (p.key, p.response))
    places = [*ours, *(place for place in theirs if place not in ours)]
    return [Twin((label, place), place, ours.get(place), theirs.get(place)) for place in places]


def several_twins(pairs: list[Pair], number: int) -> list[Twin]:
    """--multi each: the copies of one place, matched so that the entities of matched copies share most mentions."""
    p = pairs[number]
    label = label_of(p.document, "document")
    places = dict.fromkeys([*(m.place for m in p.key), *(m.place for m in p.response)])
    found = []
    for place in places:
        ours, theirs = ([m.entity for m in side if m.place == place] for side in (p.key, p.response))
        if len(ours) <= 1 and len(theirs) <= 1:
            found.append(Twin((label, place), place, *(side[0] if side else None for side in (ours, theirs))))
            continue
        chosen = best_copies(pairs, ours, theirs)
        couples = [(ours[i], theirs[j]) for i, j in chosen]
        couples += [(e, None) for i, e in enumerate(ours) if i not in dict(chosen)]
        couples += [(None, e) for j, e in enumerate(theirs) if j not in {j for _, j in chosen}]
        found += [Twin((label, place, copy), place, *couple) for copy, couple in enumerate(couples)]
    return found


def best_copies(pairs: list[Pair], ours: list[Hashable], theirs: list[Hashable]) -> list[tuple[int, int]]:
    size = min(len(ours), len(theirs))
    totals: dict[tuple[tuple[int, int], ...], int] = {}
    for some in combinations(range(len(ours)), size):
        for others in permutations(range(len(theirs)), size):
            chosen = tuple(zip(some, others, strict=True))
            totals[chosen] = sum(shared(pairs, ours[i], theirs[j]) for i, j in chosen)
    best = [chosen for chosen, total in totals.items() if total == max(totals.values())]
    if len(best) > 1:
        raise Unclear("--multi each leaves a choice between copies")
    return list(best[0])


def shared(pairs: list[Pair], ours: Hashable, theirs: Hashable) -> int:
    """The mentions that two entities share, without those that have several copies on a side."""
    found = 0
    for p in pairs:
        k, r = (Counter(m.place for m in side) for side in (p.key, p.response))
        both = {m.place for m in p.key if m.entity == ours} & {m.place for m in p.response if m.entity == theirs}
        found += sum(k[place] == r[place] == 1 for place in both)
    return found


# ---- step 11


def window(rows: Rows, options: Options, spans: bool) -> dict[Hashable, list[list[Twin]]]:
    """Step 11: each row in its windows, or as a whole. A mention is in the window of its key mention."""
    if options.window == "all":
        return {label: [[t for _, twins in row.documents for t in twins]] for label, row in rows.items()}
    pairs = [p for row in rows.values() for p, _ in row.documents]
    if not spans or not all(p.document.sentences for p in pairs):
        raise Refused("input", "windows need words")
    if not all(p.in_key for p in pairs):
        raise Unclear("windows of a document that the key does not have")
    found = {}
    for label, row in rows.items():
        ((p, twins),) = row.documents
        number = windows_of_tokens(p.document.sentences, int(options.window))
        parts: dict[int, list[Twin]] = {}
        for twin in twins:
            assert isinstance(twin.place, tuple)
            parts.setdefault(number[twin.place[0]], []).append(twin)
        found[label] = [plural_parts(part, options) for part in parts.values()] or [[]]
    return found


def windows_of_tokens(sentences: Sequence[int], size: int) -> list[int]:
    """The window of each token: sentences are put together as long as they fit."""
    window, room, found = -1, 0, []
    for length in sentences:
        if window < 0 or length > room:
            window, room = window + 1, size
        room -= length
        found += [window] * length
    return found


def plural_parts(twins: list[Twin], options: Options) -> list[Twin]:
    """Under drop-before, a part of an entity with one mention is gone."""
    if options.singletons != "drop-before":
        return twins
    ours, theirs = (Counter(e for e in side if e is not None) for side in sides_of(twins))
    cut = (
        replace(t, key=t.key if ours[t.key] > 1 else None, response=t.response if theirs[t.response] > 1 else None)
        for t in twins
    )
    return [t for t in cut if t.key is not None or t.response is not None]


def sides_of(twins: list[Twin]) -> tuple[list[Hashable], list[Hashable]]:
    return [t.key for t in twins], [t.response for t in twins]


def partitions(twins: list[Twin]) -> tuple[Partition, Partition]:
    found = []
    for side in sides_of(twins):
        entities: dict[Hashable, set[Any]] = {}
        for twin, entity in zip(twins, side, strict=True):
            if entity is not None:
                entities.setdefault(entity, set()).add(twin.name)
        found.append([frozenset(entity) for entity in entities.values()])
    return found[0], found[1]


# ---- steps 12 to 14


class Counting:
    """The pieces of every row, as each metric counts them."""

    common = True
    emptied_by: tuple[str, ...] = ()

    def __init__(self, rows: Rows, windows: dict[Hashable, list[list[Twin]]], options: Options) -> None:
        self.options = options
        self.documents = [[p.document for p, _ in row.documents] for row in rows.values()]
        self.rows: list[Pieces] = [[partitions(part) for part in parts] for parts in windows.values()]
        self.known: tuple[str, ...] = (*ADDITIVE, "blanc")
        self.chains: list[tuple[Chains, Chains]] = []
        pairs = [p for row in rows.values() for p, _ in row.documents]
        self.perl = options.duplicates == "perl" and any(repeated(p.key) or repeated(p.response) for p in pairs)
        if self.perl:
            self.known = PERL
            self.chains = perl_chains(pairs, options)
        if options.multi == "each":
            self.known = tuple(name for name in self.known if name != "mor")

    def take(self, wanted: Sequence[bool]) -> Counting:
        """Some of the rows."""
        some = copy(self)
        some.documents = list(compress(self.documents, wanted))
        some.rows = list(compress(self.rows, wanted))
        some.chains = list(compress(self.chains, wanted))
        return some

    def pieces(self, name: str) -> list[Pieces]:
        """Step 12: the rows of a metric, with its singletons. Steps 8 and 11 saw to `drop-before`."""
        policy = self.options.singletons
        if policy == "e2e":
            policy = {"bcub": "drop", "lea": "drop", "ceafm": "drop-response", "ceafe": "drop-response"}.get(
                name, "keep"
            )
        if name in DETECTION or policy not in ("drop", "drop-response"):
            return self.rows

        def dropped(k: Partition, r: Partition) -> tuple[Partition, Partition]:
            return reference.without_singletons(k) if policy == "drop" else k, reference.without_singletons(r)

        return [[dropped(k, r) for k, r in pieces] for pieces in self.rows]

    def counts(self, name: str) -> list[list[Fraction]]:
        """Steps 13 and 14: numerators and denominators of each row; twinless mentions are the metric's own matter."""
        if self.perl:
            return [list(PERL_COUNTS[name](k, r)) for k, r in self.chains]
        rows = []
        for pieces in self.pieces(name):
            if name == "mor":  # it pairs the mentions of a document, whatever their windows
                pieces = [joined(pieces)]
            counts = [ADDITIVE[name](k, r) for k, r in pieces]
            rows.append([sum(column, Fraction(0)) for column in zip(*counts, strict=True)])
        return rows


def joined(pieces: Pieces) -> tuple[Partition, Partition]:
    """All entities of some windows together."""
    return [entity for k, _ in pieces for entity in k], [entity for _, r in pieces for entity in r]


Chains: TypeAlias = list[list[Any]]


def perl_chains(pairs: list[Pair], options: Options) -> list[tuple[Chains, Chains]]:
    """The chains of each row as lists, the entity that opens first before the others."""
    if options.singletons not in ("keep", "drop-before") or options.window != "all":
        raise Unclear("repetitions under --duplicates perl, with singletons or windows")
    rows: dict[Hashable, tuple[dict[Hashable, list[Any]], dict[Hashable, list[Any]]]] = {}
    for number, p in enumerate(pairs):
        row = rows.setdefault(block_of(p.document, options), ({}, {}))
        for chains, mentions in zip(row, (p.key, p.response), strict=True):
            if all(isinstance(m.place, tuple) for m in mentions):
                mentions = tuple(sorted(mentions, key=lambda m: (m.span[0], m.span[1] > m.span[0])))
            for m in mentions:
                chains.setdefault(m.entity, []).append((number, m.place))
    found = [(list(k.values()), list(r.values())) for k, r in rows.values()]
    for k, _ in found:
        if any({*a} & {*b} for a, b in combinations(k, 2)):
            raise Unclear("the key has a mention in two entities, under --duplicates perl")
    return found


def perl_mentions(key: Chains, response: Chains) -> reference.Ratios:
    return reference.mentions([frozenset(chain) for chain in key], [frozenset(chain) for chain in response])


PERL_COUNTS = {"mentions": perl_mentions, "muc": perl_muc, "bcub": perl_bcub}


# ---- steps 15 and 16


def ratios(name: str, counted: Counting, options: Options) -> Outcome:
    """Step 15. `micro`: rows are summed, then divided. `macro`: each of R, P, F1 is a mean over the rows."""
    if name == "blanc":
        rows = counted.pieces(name)
        if options.average == "macro":
            return mean(name, [blanc_of(pieces, options) for pieces in rows], options)
        return blanc_of([piece for pieces in rows for piece in pieces], options)
    counts = counted.counts(name)
    if options.average == "macro":
        return mean(name, [divided(name, row, options) for row in counts], options)
    total = [sum(column, Fraction(0)) for column in zip(*counts, strict=True)] or [Fraction(0)] * 4
    return divided(name, total, options)


def blanc_of(pieces: Pieces, options: Options) -> Outcome:
    """BLANC has its own boundary cases and its own F1, and is never 0/0."""
    return Outcome({name: Fraction(x) for name, x in reference.blanc(pieces or [([], [])], options.blanc).items()})


def zero_over_zero(name: str, options: Options) -> tuple[Fraction | None, Fraction | None]:
    """§4: what R and P are if they are 0/0."""
    if options.undefined == "nan":
        return None, None
    if options.undefined == "popescu-belis" or name in reference.PAPER_ZERO_OVER_ZERO:
        return Fraction(0), Fraction(1)
    return Fraction(0), Fraction(0)


def f_of(recall: Fraction | None, precision: Fraction | None, options: Options) -> Fraction | None:
    if recall is None or precision is None:
        return None
    if options.mean == "arithmetic":
        return (recall + precision) / 2
    return 2 * recall * precision / (recall + precision) if recall + precision else Fraction(0)


def divided(name: str, counts: Sequence[Fraction], options: Options) -> Outcome:
    instead = zero_over_zero(name, options)
    recall = counts[0] / counts[1] if counts[1] else instead[0]
    precision = counts[2] / counts[3] if counts[3] else instead[1]
    undefined = {n for n, den in (("recall", counts[1]), ("precision", counts[3])) if not den}
    if len(undefined) == 2 or (undefined and options.undefined == "nan"):
        undefined.add("f1")
    numbers = {"recall": recall, "precision": precision, "f1": f_of(recall, precision, options)}
    return Outcome(numbers, frozenset(undefined))


def mean(name: str, rows: Sequence[Outcome], options: Options) -> Outcome:
    """§4: `macro` leaves out what came from 0/0. If it would leave out all, the value is that of the table."""
    recall, precision = zero_over_zero(name, options)
    table = {"recall": recall, "precision": precision, "f1": f_of(recall, precision, options)}
    numbers: dict[str, Fraction | None] = {}
    undefined = set()
    for value in VALUES:
        defined = [row.numbers[value] for row in rows if value not in row.undefined]
        if defined:
            numbers[value] = sum((x for x in defined if x is not None), Fraction(0)) / len(defined)
        else:
            numbers[value] = table[value]
            undefined.add(value)
    return Outcome(numbers, frozenset(undefined))


def averages(metrics: Sequence[str], counted: Counting, options: Options) -> dict[str, Outcome]:
    """Step 16: means of the F1 of step 15."""
    weights = {name: Fraction(float(w)) for name, w in (pair.split("=") for pair in options.weights.split(","))}
    found = {}
    for name, shares in (("conll", dict.fromkeys(("muc", "bcub", "ceafe"), Fraction(1))), ("mela", weights)):
        parts = {part: share for part, share in shares.items() if share}
        if name not in metrics or not all(part in counted.known for part in parts):
            continue
        outcomes = {part: ratios(part, counted, options) for part in parts}
        values = {part: outcome.numbers["f1"] for part, outcome in outcomes.items()}
        numbers = [share * x for part, share in parts.items() if (x := values[part]) is not None]
        whole = len(numbers) == len(parts)
        f1 = sum(numbers, Fraction(0)) / sum(parts.values()) if whole else None
        nothing = f1 is None or all("f1" in outcome.undefined for outcome in outcomes.values())
        found[name] = Outcome({"f1": f1}, frozenset(["f1"] if nothing else []))
    return found


# ---- step 17


def groups(
    key: Side, response: Side, options: Options, by: str, metrics: Sequence[str] = METRICS
) -> dict[str, dict[str, Outcome]]:
    """Step 17: the scores of each group. A label divides the rows; `entity.X` and `mention.X` add a condition."""
    if by.startswith(("entity.", "mention.")):
        added = {value: with_condition(options, by, value) for value in values_of(key, response, options, by)}
        return {value: evaluate(key, response, more, metrics).scores for value, more in added.items()}
    counted = counts(key, response, options, [])
    labels = [{label_of(document, by) for document in documents} for documents in counted.documents]
    if any(len(found) > 1 for found in labels):
        raise Refused("usage", "a row has documents of two groups")
    names = [name for found in labels for name in found]
    return {name: scores(counted.take([n == name for n in names]), options, metrics) for name in dict.fromkeys(names)}


def with_condition(options: Options, attribute: str, value: str) -> Options:
    return replace(options, only=f"{options.only};{attribute}={value}".removeprefix("all;"))


def values_of(key: Side, response: Side, options: Options, by: str) -> list[str]:
    """The values that mentions of either side have after step 3, in a fixed order."""
    level, _, name = by.partition(".")
    sides = [ids(side, options, []) for side in (key, response)]
    check_values(Condition(by, (), True), level, name, sides, [])
    sides = list(select(sides[0], sides[1], options, []))
    return sorted({v for side in sides for found in mention_values(side, level, name) for v in found})


__all__ = [
    *("METRICS", "Document", "Evaluation", "Mention", "Options", "Outcome", "Refused", "Side", "Unclear"),
    *("conditions", "evaluate", "filters", "groups", "label_of", "start_again"),
]
