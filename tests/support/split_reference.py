"""BLANC with split antecedents, by enumeration: every link, and every best assignment of the sets of antecedents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import TypeAlias

from anaphora_cases import Doc, Markable, _add, _relate, damaged

Span: TypeAlias = tuple[tuple[int, int], ...]
Mentions: TypeAlias = frozenset[Span]
Entity: TypeAlias = tuple[Mentions, frozenset[Mentions] | None]  # its mentions, and its set of antecedents
Pair: TypeAlias = tuple[int, int, Fraction]


def many_plurals(seed: int) -> tuple[Doc, Doc]:
    """A document of single words in which most entities have split antecedents, and the same one damaged."""
    random = Random(seed)
    doc = Doc("d/1", 30)
    for n in range(random.randint(6, 16)):
        place = random.randrange(30)
        _add(doc, Markable(f"m{n}", ((place, place),), str(random.randint(1, 6))))
    _relate(doc, random, 1.8)
    return doc, damaged(doc, random, random.choice((0.3, 0.7, 1)))


def backwards(doc: Doc) -> Doc:
    """The document read from its last word to its first."""
    markables = [
        Markable(m.id, tuple((doc.words - 1 - b, doc.words - 1 - a) for a, b in m.pieces[::-1]), m.entity)
        for m in doc.markables
    ]
    return Doc(doc.name, doc.words, markables, doc.elements, doc.bridges)


def entities(doc: Doc) -> list[Entity]:
    """The entities that are scored. Those with the same antecedents are one."""
    mentions: dict[str, set[Span]] = {}
    for m in doc.markables:
        mentions.setdefault(m.entity, set()).add(m.pieces)
    parts: dict[str, set[str]] = {}
    for plural, part in doc.elements:
        parts.setdefault(plural, set()).add(part)

    def atoms(label: str) -> set[str]:
        return set[str]().union(*(atoms(part) for part in parts[label])) if label in parts else {label}

    found: list[Entity] = []
    plurals: dict[frozenset[str], set[Span]] = {}
    for label, spans in mentions.items():
        if label.endswith("-Pseudo"):
            continue
        if label in parts:
            plurals.setdefault(frozenset(atoms(label)), set()).update(spans)
        else:
            found.append((frozenset(spans), None))
    for labels, spans in plurals.items():
        found.append((frozenset(spans), frozenset(frozenset(mentions[label]) for label in labels)))
    return found


def _links(sets: frozenset[Mentions], inside: bool) -> set[frozenset[Span]]:
    members = [(span, n) for n, mentions in enumerate(sets) for span in mentions]
    return {frozenset((a, b)) for (a, i), (b, j) in combinations(members, 2) if (i == j) == inside}


def _f1(ours: frozenset[Mentions], theirs: frozenset[Mentions], inside: bool) -> Fraction:
    if ours == theirs:
        return Fraction(1)
    a, b = _links(ours, inside), _links(theirs, inside)
    return Fraction(2 * len(a & b), len(a) + len(b)) if a or b else Fraction(0)


def _best_assignments(key: Sequence[Entity], response: Sequence[Entity], inside: bool) -> list[list[Pair]]:
    """All one-to-one assignments with the largest Σ f."""
    ours = [(i, sets) for i, (_, sets) in enumerate(key) if sets is not None]
    theirs = [(j, sets) for j, (_, sets) in enumerate(response) if sets is not None]

    def assignments(n: int, taken: frozenset[int]) -> Iterator[list[Pair]]:
        if n == len(ours):
            yield []
            return
        i, sets = ours[n]
        yield from assignments(n + 1, taken)
        for j, other in theirs:
            f = _f1(sets, other, inside)
            if j not in taken and f:
                yield from ([(i, j, f), *rest] for rest in assignments(n + 1, taken | {j}))

    found = list(assignments(0, frozenset()))
    largest = max(sum(f for _, _, f in pairs) for pairs in found)
    return [pairs for pairs in found if sum(f for _, _, f in pairs) == largest]


def _all_links(side: Sequence[Entity], inside: bool) -> int:
    sizes = [len(mentions) + (sets is not None) for mentions, sets in side]
    within = sum(x * (x - 1) // 2 for x in sizes)
    return within if inside else sum(sizes) * (sum(sizes) - 1) // 2 - within


def _common(key: Sequence[Entity], response: Sequence[Entity], pairs: list[Pair], inside: bool) -> Fraction:
    """The links of both sides; each counts the product of what its two ends count."""
    ends = [*pairs]
    for i, (ours, _) in enumerate(key):
        for j, (theirs, _) in enumerate(response):
            ends += [(i, j, Fraction(1))] * len(ours & theirs)
    total = Fraction(0)
    for (i, j, f), (k, m, g) in combinations(ends, 2):
        if (i == k and j == m) if inside else (i != k and j != m):
            total += f * g
    return total


def blanc_values(key: Doc, response: Doc) -> set[Fraction]:
    """BLANC (`ua`) with each of the best assignments."""
    sides = entities(key), entities(response)
    parts = []
    for inside in (True, False):
        links = sum(_all_links(side, inside) for side in sides)
        shared = {_common(*sides, pairs, inside) for pairs in _best_assignments(*sides, inside)}
        parts.append((links, {2 * x / links if links else Fraction(0) for x in shared}))
    (coref_links, coref), (non_links, non) = parts
    if not coref_links:
        return non
    return coref if not non_links else {(x + y) / 2 for x in coref for y in non}
