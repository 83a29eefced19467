"""A naive reference of every metric and variant, set by set, as the papers define them.

It shares nothing with coreflens and is made to be read against the papers: B³ goes mention by mention, BLANC lists its
links, CEAF tries every one-to-one alignment, the partitions of Cai & Strube are built step by step, and every number is
a Fraction. K and R are partitions, lists of sets of mentions; M_K and M_R are their mentions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from scipy.optimize import linear_sum_assignment

Number: TypeAlias = Fraction | float
Partition: TypeAlias = list[frozenset[Any]]
Side: TypeAlias = Mapping[Any, Sequence[Any]]  # a document: entity label → its mentions, repetitions included
Corpus: TypeAlias = Mapping[str, Side]
NAN = float("nan")


class Ratios(NamedTuple):
    """Numerators and denominators of recall and precision; they add over documents."""

    recall_num: Fraction
    recall_den: Fraction
    precision_num: Fraction
    precision_den: Fraction


def ratios(*counts: Fraction | int) -> Ratios:
    return Ratios(*map(Fraction, counts))


# ---- partitions


def mentions_of(partition: Partition) -> frozenset[Any]:
    return frozenset().union(*partition)


def entity_of(mention: Any, partition: Partition) -> frozenset[Any]:
    """The entity of a mention; an empty set if it is twinless."""
    return next((entity for entity in partition if mention in entity), frozenset())


def without(partition: Partition, mentions: frozenset[Any]) -> Partition:
    return [entity - mentions for entity in partition if entity - mentions]


def with_singletons(partition: Partition, mentions: frozenset[Any]) -> Partition:
    return partition + [frozenset([mention]) for mention in sorted(mentions)]


def without_singletons(partition: Partition) -> Partition:
    return [entity for entity in partition if len(entity) > 1]


def without_twinless_singletons(k: Partition, r: Partition) -> Partition:
    """The response without those of its singletons that the key does not have."""
    return [entity for entity in r if len(entity) > 1 or entity <= mentions_of(k)]


def cai_strube(k: Partition, r: Partition) -> dict[str, Partition]:
    """Algorithms 1 and 2 of Cai & Strube 2010, step by step: the four partitions that they score."""
    r = without_twinless_singletons(k, r)  # step 1
    twinless_system = mentions_of(r) - mentions_of(k)
    r = with_singletons(r, mentions_of(k) - mentions_of(r))  # step 2
    return {
        "key_p": with_singletons(k, twinless_system),  # step 4
        "response_p": r,
        "key_r": k,
        "response_r": without(r, twinless_system),  # step 10
    }


def extended(k: Partition, r: Partition) -> tuple[Partition, Partition]:
    """Popescu-Belis & Robba 1998: each side gets the mentions that it lacks, as singletons."""
    return with_singletons(k, mentions_of(r) - mentions_of(k)), with_singletons(r, mentions_of(k) - mentions_of(r))


def links(partition: Partition) -> tuple[set[frozenset[Any]], set[frozenset[Any]]]:
    """C and N: the pairs of mentions within an entity, and the pairs across entities."""
    within = {frozenset(pair) for entity in partition for pair in combinations(entity, 2)}
    every = {frozenset(pair) for pair in combinations(mentions_of(partition), 2)}
    return within, every - within


# ---- metrics whose counts add over documents


def mentions(k: Partition, r: Partition) -> Ratios:
    both = len(mentions_of(k) & mentions_of(r))
    return ratios(both, len(mentions_of(k)), both, len(mentions_of(r)))


def muc(k: Partition, r: Partition) -> Ratios:
    def half(these: Partition, those: Partition) -> tuple[int, int]:
        found = possible = 0
        for entity in these:
            parts = [entity & other for other in those if entity & other]
            parts += [frozenset([mention]) for mention in entity - mentions_of(those)]
            found += len(entity) - len(parts)
            possible += len(entity) - 1
        return found, possible

    return ratios(*half(k, r), *half(r, k))


def bcub(k: Partition, r: Partition) -> Ratios:
    def half(these: Partition, those: Partition) -> tuple[Fraction, int]:
        credit = Fraction(0)
        for mention in mentions_of(these):
            own, other = entity_of(mention, these), entity_of(mention, those)
            credit += Fraction(len(own & other), len(own))
        return credit, len(mentions_of(these))

    return ratios(*half(k, r), *half(r, k))


def bcub_0(k: Partition, r: Partition) -> Ratios:
    return bcub(k, without(r, mentions_of(r) - mentions_of(k)))


def bcub_all(k: Partition, r: Partition) -> Ratios:
    def half(these: Partition, those: Partition) -> tuple[Fraction, int]:
        credit = Fraction(0)
        for mention in mentions_of(these):
            own, other = entity_of(mention, these), entity_of(mention, those)
            credit += Fraction(len(own & other) if other else 1, len(own))
        return credit, len(mentions_of(these))

    return ratios(*half(k, r), *half(r, k))


def bcub_rn(k: Partition, r: Partition) -> Ratios:
    return bcub_all(k, without_twinless_singletons(k, r))


def phi3(k: frozenset[Any], r: frozenset[Any]) -> Fraction:
    return Fraction(len(k & r))


def phi4(k: frozenset[Any], r: frozenset[Any]) -> Fraction:
    return Fraction(2 * len(k & r), len(k) + len(r))


Similarity: TypeAlias = Callable[[frozenset[Any], frozenset[Any]], Fraction]


def best_total(k: Partition, r: Partition, phi: Similarity) -> Fraction:
    """Φ(g*): the greatest total similarity of all one-to-one alignments, each key entity trying every response one."""
    table = [[(j, phi(entity, other)) for j, other in enumerate(r) if entity & other] for entity in k]

    @cache
    def best(i: int, taken: int) -> Fraction:
        if i == len(table):
            return Fraction(0)
        totals = [best(i + 1, taken)]
        totals += [value + best(i + 1, taken | 1 << j) for j, value in table[i] if not taken >> j & 1]
        return max(totals)

    return best(0, 0)


def ceaf(phi: Similarity) -> Callable[[Partition, Partition], Ratios]:
    def count(k: Partition, r: Partition) -> Ratios:
        total = best_total(k, r, phi)
        return ratios(total, sum(phi(e, e) for e in k), total, sum(phi(e, e) for e in r))

    return count


def ceafm_rn(k: Partition, r: Partition) -> Ratios:
    return ceaf(phi3)(k, without_twinless_singletons(k, r))


def on_cai_strube(metric: Callable[[Partition, Partition], Ratios]) -> Callable[[Partition, Partition], Ratios]:
    """The recall of one pair of partitions and the precision of the other."""

    def count(k: Partition, r: Partition) -> Ratios:
        p = cai_strube(k, r)
        recall, precision = metric(p["key_r"], p["response_r"]), metric(p["key_p"], p["response_p"])
        return Ratios(*recall[:2], *precision[2:])

    return count


def lea(k: Partition, r: Partition) -> Ratios:
    def link(n: int) -> int:
        return n * (n - 1) // 2

    def half(these: Partition, those: Partition) -> tuple[Fraction, int]:
        resolved = Fraction(0)
        for entity in these:
            if len(entity) == 1:  # its one link is to itself
                resolved += entity in those
            else:
                resolved += len(entity) * Fraction(sum(link(len(entity & other)) for other in those), link(len(entity)))
        return resolved, sum(map(len, these))

    return ratios(*half(k, r), *half(r, k))


def pairs(k: Partition, r: Partition) -> Ratios:
    (c_k, _), (c_r, _) = links(k), links(r)
    return ratios(len(c_k & c_r), len(c_k), len(c_k & c_r), len(c_r))


def pairs_of_documents(number: int) -> Callable[[Partition, Partition], Ratios]:
    """The pairs within an entity that are of so many documents; a mention is (document, m)."""

    def counted(k: Partition, r: Partition) -> Ratios:
        c_k, c_r = ({p for p in links(side)[0] if len({m[0] for m in p}) == number} for side in (k, r))
        return ratios(len(c_k & c_r), len(c_k), len(c_k & c_r), len(c_r))

    return counted


def core(k: Partition, r: Partition) -> Ratios:
    k, r = extended(k, r)

    def half(these: Partition, those: Partition) -> tuple[int, int]:
        cores = sum(max(len(entity & other) for other in those) for entity in these)
        return cores - len(these), sum(map(len, these)) - len(these)

    return ratios(*half(k, r), *half(r, k))


def xcore(k: Partition, r: Partition) -> Ratios:
    k, r = extended(k, r)
    everything = len(mentions_of(k))
    found = wrong = 0
    while meeting := [(entity, other) for entity in k for other in r if entity & other]:
        # the greatest projection; of several the key entity, then the response entity, that is mentioned first
        entity, other = min(meeting, key=lambda pair: (-len(pair[0] & pair[1]), min(pair[0]), min(pair[1])))
        found += len(entity & other)
        wrong += len(other - entity)
        k, r = [e for e in k if e != entity], [e for e in r if e != other]
    return ratios(found, everything, everything - wrong, everything)


def words_of(mention: Any) -> frozenset[Any]:
    """The words of a span (start, end), or of one in a document; a mention that is a name is one word."""
    document, span = mention if isinstance(mention, tuple) and isinstance(mention[1], tuple) else (None, mention)
    if not (isinstance(span, tuple) and all(isinstance(x, int) for x in span)):
        return frozenset([mention])
    return frozenset((document, word) for word in range(span[0], span[1] + 1))


def mor(k: Partition, r: Partition) -> Ratios:
    """Words in common in the best one-to-one pairing of mentions, Žabokrtský et al. 2022, from all pairs."""
    ours, theirs = sorted(mentions_of(k)), sorted(mentions_of(r))
    table = [[len(words_of(m) & words_of(s)) for s in theirs] for m in ours]
    shared = 0
    if ours and theirs:
        rows, columns = linear_sum_assignment(table, maximize=True)
        shared = sum(table[i][j] for i, j in zip(rows.tolist(), columns.tolist(), strict=True))
    return ratios(shared, sum(len(words_of(m)) for m in ours), shared, sum(len(words_of(m)) for m in theirs))


def singletons(k: Partition, r: Partition) -> Ratios:
    ours, theirs = ({entity for entity in side if len(entity) == 1} for side in (k, r))
    return ratios(len(ours & theirs), len(ours), len(ours & theirs), len(theirs))


def entities(k: Partition, r: Partition) -> Ratios:
    ours, theirs = set(k), set(r)
    return ratios(len(ours & theirs), len(ours), len(ours & theirs), len(theirs))


class Named(frozenset[Any]):
    """An entity that has a name."""

    name: Hashable = None


def named(name: Hashable, mentions: set[Any]) -> Named:
    entity = Named(mentions)
    entity.name = name
    return entity


def names_of(partition: Partition) -> dict[Any, Hashable]:
    """Mention → the name of its entity; a pair of a document and a number is not a name."""
    found: dict[Any, Hashable] = {}
    for entity in partition:
        name = getattr(entity, "name", None)
        if name is not None and not isinstance(name, tuple):
            found |= dict.fromkeys(entity, name)
    return found


def labels(k: Partition, r: Partition) -> Ratios:
    ours, theirs = names_of(k), names_of(r)
    right = sum(ours[m] == theirs[m] for m in ours.keys() & theirs.keys())
    return ratios(right, len(ours), right, len(theirs))


def labels_macro(documents: Sequence[tuple[Partition, Partition]]) -> dict[str, Number]:
    """Recall, precision and F1 of each name that the key of a document has, and the means of all of these."""
    found: list[tuple[Fraction, Fraction, Fraction]] = []
    for k, r in documents:
        ours, theirs = names_of(k), names_of(r)
        for name in set(ours.values()):
            gold, system = ({m for m, n in side.items() if n == name} for side in (ours, theirs))
            both = len(gold & system)
            recall, precision = Fraction(both, len(gold)), Fraction(both, len(system) or 1)
            found.append((recall, precision, Fraction(2 * both, len(gold) + len(system))))
    if not found:
        return dict.fromkeys(("recall", "precision", "f1"), NAN)
    means = (sum(column, Fraction(0)) / len(found) for column in zip(*found, strict=True))
    return dict(zip(("recall", "precision", "f1"), means, strict=True))


PRONOUNS = ("personal", "possessive", "reflexive", "demonstrative", "relative", "other")
TAGGED = ("pronouns", *(f"pronouns-{kind}" for kind in PRONOUNS))
GAP = ("gap", "gap-feminine", "gap-masculine")
BRIDGING = ("bridging-recognition", "bridging-mention", "bridging-entity")
SPLIT = ("split-muc", "split-bcub", "split-ceafm", "split-ceafe", "split-blanc", "split-lea")
ADDITIVE: dict[str, Callable[[Partition, Partition], Ratios]] = {
    "mentions": mentions,
    "muc": muc,
    "bcub": bcub,
    "ceafm": ceaf(phi3),
    "ceafe": ceaf(phi4),
    "lea": lea,
    "entities": entities,
    "mor": mor,
    "singletons": singletons,
    "labels": labels,
    # what plain mentions are not: zeros, non-referring, bridging, with split antecedents, tagged, questions of GAP
    **{name: lambda k, r: ratios(0, 0, 0, 0) for name in ("zero", "nonreferring", *BRIDGING, *SPLIT, *TAGGED, *GAP)},
    "pairs": pairs,
    "pairs-within": pairs_of_documents(1),
    "pairs-cross": pairs_of_documents(2),
    "core": core,
    "xcore": xcore,
    "bcub-0": bcub_0,
    "bcub-all": bcub_all,
    "bcub-rn": bcub_rn,
    "bcub-sys": on_cai_strube(bcub),
    "ceafm-rn": ceafm_rn,
    "ceafm-sys": on_cai_strube(ceaf(phi3)),
    "ceafe-sys": on_cai_strube(ceaf(phi4)),
}
DETECTION = ("mentions", "mor", "singletons", "labels", *GAP)  # before any singleton is dropped
PAPER_ZERO_OVER_ZERO = {"core": (0, 1), "xcore": (0, 1)}  # Popescu-Belis & Robba define it for their own


# ---- BLANC


class LinkCounts(NamedTuple):
    both_c: int
    key_c: int
    response_c: int
    both_n: int
    key_n: int
    response_n: int


def link_counts(k: Partition, r: Partition) -> LinkCounts:
    (c_k, n_k), (c_r, n_r) = links(k), links(r)
    return LinkCounts(len(c_k & c_r), len(c_k), len(c_r), len(n_k & n_r), len(n_k), len(n_r))


def blanc(documents: Sequence[tuple[Partition, Partition]], policy: str) -> dict[str, Number]:
    """Link counts summed over the documents, then Luo et al. 2014, eq. 9-19, and the boundary cases of the policy."""
    total = LinkCounts(*map(sum, zip(*(link_counts(k, r) for k, r in documents), strict=True)))
    same_mentions = all(mentions_of(k) == mentions_of(r) for k, r in documents)

    def part(both: int, key: int, response: int) -> tuple[Fraction, Fraction, Fraction]:
        recall, precision = (Fraction(both, n) if n else Fraction(0) for n in (key, response))
        return recall, precision, 2 * recall * precision / (recall + precision) if both else Fraction(0)

    coreference, other = part(*total[:3]), part(*total[3:])
    if policy == "perl":  # v8.01 looks at the key alone
        no_coreference, no_other, neither = not total.key_c, not total.key_n, Fraction(0)
    else:
        no_coreference = not total.key_c and not total.response_c
        no_other = not total.key_n and not total.response_n
        neither = Fraction(same_mentions and policy == "luo2014")
    if no_coreference and no_other:
        values = (neither,) * 3
    elif no_coreference:
        values = other
    elif no_other:
        values = coreference
    else:
        values = (
            (coreference[0] + other[0]) / 2,
            (coreference[1] + other[1]) / 2,
            (coreference[2] + other[2]) / 2,
        )
    return dict(zip(("recall", "precision", "f1"), values, strict=True))


# ---- agreement of two partitions of the same mentions


def rand(documents: Sequence[tuple[Partition, Partition]]) -> Number:
    agreeing = every = 0
    for k, r in documents:
        (c_k, n_k), (c_r, n_r) = links(k), links(r)
        agreeing += len(c_k & c_r) + len(n_k & n_r)
        every += len(c_k | n_k)
    return Fraction(agreeing, every) if every else NAN


def ari(k: Partition, r: Partition) -> Number:
    if not k:
        return NAN
    (c_k, n_k), (c_r, _) = links(k), links(r)
    expected = Fraction(len(c_k) * len(c_r), len(c_k | n_k)) if c_k | n_k else Fraction(0)
    greatest = Fraction(len(c_k) + len(c_r), 2)
    return (len(c_k & c_r) - expected) / (greatest - expected) if greatest != expected else Fraction(1)


def vmeasure(k: Partition, r: Partition) -> dict[str, Number]:
    """Rosenberg & Hirschberg 2007: homogeneity looks at the classes in a cluster, completeness the other way round."""
    if not k:
        return {"recall": NAN, "precision": NAN}
    n = len(mentions_of(k))

    def one_minus(of: Partition, given: Partition) -> float:
        """1 − H(of | given)/H(of), and 1 if there is nothing to tell apart."""
        if len(of) == 1:
            return 1.0
        entropy = -math.fsum(len(e) / n * math.log(len(e) / n) for e in of)
        cells = [(len(e & g), len(g)) for e in of for g in given if e & g]
        return 1 + math.fsum(both / n * math.log(both / size) for both, size in cells) / entropy

    return {"recall": one_minus(r, k), "precision": one_minus(k, r)}


# ---- distributions of sizes


def sizes(k: Partition, r: Partition) -> tuple[list[int], list[int]]:
    k, r = extended(k, r)
    longest = max(len(k), len(r))
    left, right = (sorted(map(len, side), reverse=True) + [0] * (longest - len(side)) for side in (k, r))
    return left, right


def overlap(k: Partition, r: Partition) -> Number:
    left, right = sizes(k, r)
    return Fraction(sum(map(min, left, right)), sum(left)) if left else NAN


def derror(k: Partition, r: Partition) -> tuple[Number, str | None]:
    left, right = sizes(k, r)
    if not left:
        return NAN, None
    surplus = [(p, b - a) for p, (a, b) in enumerate(zip(left, right, strict=True), start=1) if a != b]
    if not surplus:
        return Fraction(0), None

    def position(sign: int) -> Fraction:
        ours = [(p, sign * d) for p, d in surplus if sign * d > 0]
        return Fraction(sum(p * d for p, d in ours), sum(d for _, d in ours))

    a, b = position(+1), position(-1)
    return abs(b - a) / (len(left) + 1), "precision" if a < b else "recall" if b < a else None


# ---- a corpus


@dataclass(frozen=True)
class Settings:
    """The options that the reference knows, as coreflens calls them."""

    duplicates: str = "first"
    singletons: str = "keep"
    blanc: str = "luo2014"
    undefined: str = "zero"
    average: str = "micro"
    extra: str = "ignore"
    scope: str = "document"
    weights: tuple[tuple[str, float], ...] = (("muc", 1.0), ("bcub", 1.0), ("ceafe", 1.0))


@dataclass(frozen=True)
class Outcome:
    """A metric's numbers, nan where 0/0 stays so, and which of them come from 0/0; None: it does not apply here."""

    numbers: dict[str, Number]
    undefined: frozenset[str]
    labels: frozenset[str] = frozenset()


def deduplicated(side: Side, policy: str) -> dict[Hashable, frozenset[Any]]:
    """Every mention in one entity: the first, or the last, that lists it."""
    home: dict[Any, Hashable] = {}
    for label, entity in side.items():
        for mention in entity:
            if policy == "last" or mention not in home:
                home[mention] = label
    return {label: frozenset(m for m in entity if home[m] == label) for label, entity in side.items()}


def blocks_of(key: Corpus, response: Corpus, settings: Settings) -> dict[str, tuple[Partition, Partition]]:
    """The partitions of each block: a document, or as many as the scope puts together, mentions then (document, m).

    A document that the response lacks is empty there.
    """
    documents = [*key, *(d for d in response if d not in key and settings.extra == "count")]
    blocks: dict[str, tuple[dict[Hashable, set[Any]], dict[Hashable, set[Any]]]] = {}
    for document in documents:
        block = {"document": document, "corpus": "corpus", "genre": document.split("/")[0]}[settings.scope]
        entities = blocks.setdefault(block, ({}, {}))
        for side, corpus in enumerate((key, response)):
            for label, found in deduplicated(corpus.get(document, {}), settings.duplicates).items():
                entities[side].setdefault(label, set()).update((document, m) for m in found)
    return {
        block: ([named(n, e) for n, e in k.items() if e], [named(n, e) for n, e in r.items() if e])
        for block, (k, r) in blocks.items()
    }


def score(key: Corpus, response: Corpus, settings: Settings) -> dict[str, Outcome | None]:
    """Every metric of the corpus; None for those that need equal mention sets and have not got them."""
    before = list(blocks_of(key, response, settings).values())
    dropped = [
        (
            without_singletons(k) if settings.singletons == "drop" else k,
            without_singletons(r) if settings.singletons != "keep" else r,
        )
        for k, r in before
    ]
    if settings.average == "micro":
        return _averaged(_micro(before, dropped, settings), settings)
    rows = [_micro([b], [d], settings) for b, d in zip(before, dropped, strict=True)]
    return _averaged({name: _mean([row[name] for row in rows], settings) for name in rows[0]}, settings)


Documents: TypeAlias = list[tuple[Partition, Partition]]


def _micro(before: Documents, documents: Documents, settings: Settings) -> dict[str, Outcome | None]:
    found: dict[str, Outcome | None] = {}
    for name, metric in ADDITIVE.items():
        rows = [metric(k, r) for k, r in (before if name in DETECTION else documents)]
        total = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
        found[name] = _recall_precision(name, _divide(total[0], total[1]), _divide(total[2], total[3]), settings)
    found["labels-macro"] = _three(labels_macro(before), settings)
    found["nec"] = _three(dict.fromkeys(("recall", "precision", "f1"), NAN), settings)  # nobody has a name here
    found["gap-bias"] = _value(NAN, settings)
    found["blanc"] = Outcome(blanc(documents, settings.blanc), frozenset())
    if all(mentions_of(k) == mentions_of(r) for k, r in documents):
        pooled = ([e for k, _ in documents for e in k], [e for _, r in documents for e in r])
        v = vmeasure(*pooled)
        found["blanc-gold"] = found["blanc"]
        found["rand"] = _value(rand(documents), settings)
        found["ari"] = _value(ari(*pooled), settings)
        found["vmeasure"] = _recall_precision("vmeasure", v["recall"], v["precision"], settings)
    else:
        found |= dict.fromkeys(("blanc-gold", "rand", "ari", "vmeasure"))
    # these two are means over the documents, however the others are averaged
    found["overlap"] = _mean([_value(overlap(k, r), settings) for k, r in documents], settings)
    errors = [derror(k, r) for k, r in documents]
    labels = frozenset(label for _, label in errors if label)
    mean = _mean([_value(value, settings) for value, _ in errors], settings)
    assert mean
    found["derror"] = Outcome(mean.numbers, mean.undefined, labels)
    return found


def _divide(numerator: Fraction, denominator: Fraction) -> Number:
    return numerator / denominator if denominator else NAN


def _recall_precision(name: str, recall: Number, precision: Number, settings: Settings) -> Outcome:
    """0/0 as the options say; F1 is undefined if both are, or, where 0/0 stays undefined, if either is."""
    undefined = {n for n, x in (("recall", recall), ("precision", precision)) if x != x}
    rule = {"zero": PAPER_ZERO_OVER_ZERO.get(name, (0, 0)), "popescu-belis": (0, 1)}.get(settings.undefined)
    if rule:
        recall = Fraction(rule[0]) if recall != recall else recall
        precision = Fraction(rule[1]) if precision != precision else precision
    f1 = Fraction(0) if recall + precision == 0 else 2 * recall * precision / (recall + precision)
    if len(undefined) == 2 or (undefined and not rule):
        undefined.add("f1")
    return Outcome({"recall": recall, "precision": precision, "f1": f1}, frozenset(undefined))


def _three(values: dict[str, Number], settings: Settings) -> Outcome:
    """Values that are all undefined or none, 0/0 as the options say; F1 is no quotient of the others."""
    undefined = frozenset(name for name, x in values.items() if x != x)
    rule = {"zero": (0, 0), "popescu-belis": (0, 1)}.get(settings.undefined)
    if undefined and rule:
        values = {"recall": Fraction(rule[0]), "precision": Fraction(rule[1]), "f1": Fraction(0)}
    return Outcome(values, undefined)


def _value(value: Number, settings: Settings) -> Outcome:
    stays = value == value or settings.undefined == "nan"
    return Outcome({"value": value if stays else Fraction(0)}, frozenset(["value"] if value != value else []))


def _mean(rows: Sequence[Outcome | None], settings: Settings) -> Outcome | None:
    """Mean of each number over the documents where it is defined; where it is nowhere, what 0/0 counts as."""
    if None in rows:
        return None
    numbers: dict[str, Number] = {}
    undefined = set()
    known = [row for row in rows if row]
    for name in known[0].numbers:
        defined = [row.numbers[name] for row in known if name not in row.undefined]
        if defined:
            numbers[name] = sum(defined, Fraction(0)) / len(defined)
        else:
            numbers[name] = known[0].numbers[name]
            undefined.add(name)
    return Outcome(numbers, frozenset(undefined), frozenset().union(*(row.labels for row in known)))


def _averaged(found: dict[str, Outcome | None], settings: Settings) -> dict[str, Outcome | None]:
    """With the averages: `conll` of three metrics, `mela` of those that have a weight."""
    averages = {
        "conll": {"muc": 1.0, "bcub": 1.0, "ceafe": 1.0},
        "mela": dict(settings.weights),
        "split": {"split-muc": 1.0, "split-bcub": 1.0, "split-ceafe": 1.0},
    }
    for name, weights in averages.items():
        shares = {part: Fraction(weight) for part, weight in weights.items() if weight}
        parts = {part: outcome for part in shares if (outcome := found[part])}
        if len(parts) < len(shares):
            found[name] = None
            continue
        f1 = sum((share * parts[p].numbers["f1"] for p, share in shares.items()), Fraction(0)) / sum(shares.values())
        nothing = all("f1" in parts[p].undefined for p in shares)
        found[name] = Outcome({"f1": f1}, frozenset(["f1"] if nothing or f1 != f1 else []))
    return found


# ---- scorer.pl v8.01, whose chains are lists in which a mention may occur twice


Chains: TypeAlias = Sequence[Sequence[Any]]


def perl_response(key: Chains, response: Chains) -> list[list[Any]]:
    """The response as scorer.pl takes it: a key mention loses its repetitions, a spurious one keeps them."""
    in_key = {mention for chain in key for mention in chain}
    seen: set[Any] = set()
    chains = []
    for chain in response:
        kept = [m for p, m in enumerate(chain) if m not in in_key or (m not in seen and m not in chain[:p])]
        seen.update(chain)
        chains.append(kept)
    return [chain for chain in chains if chain]


def perl_muc(key: Chains, response: Chains) -> Ratios:
    """A mention is linked rightly if a later one of its chain has the same key chain, the last that lists it."""
    response = perl_response(key, response)
    home = {mention: place for place, chain in enumerate(key) for mention in chain}
    found = 0
    for chain in response:
        for p, mention in enumerate(chain):
            found += mention in home and any(home.get(later) == home[mention] for later in chain[p + 1 :])
    return ratios(found, sum(len(c) - 1 for c in key), found, sum(len(c) - 1 for c in response))


def perl_bcub(key: Chains, response: Chains) -> Ratios:
    """Credit for each response mention, by the last key chain that has it."""
    response = perl_response(key, response)
    home = {mention: chain for chain in key for mention in chain}
    recall = precision = Fraction(0)
    for chain in response:
        for mention in chain:
            if mention in home:
                both = sum(other in home[mention] for other in chain)
                recall += Fraction(both, len(home[mention]))
                precision += Fraction(both, len(chain))
    return ratios(recall, sum(map(len, key)), precision, sum(map(len, response)))
