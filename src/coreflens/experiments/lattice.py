"""All responses to a key with the same mentions: its partitions, and the single steps between them.

A response to a document of n mentions is a tuple of n entity numbers: 0 for the entity of the first mention, and the
next number for each new entity (a restricted growth string). −1 stands for a missing mention. There are B(n) responses
(Bell's numbers), and B(n + 1) if mentions may be missing, because the missing mentions form one more entity, that of an
additional mention.

A repair is a step that clearly leads towards the key:

    merge   two entities whose mentions all belong to one key entity become one
    split   the mentions of one key entity leave an entity that also has others
    find    a missing mention becomes an entity of its own

Damage is the reverse of a repair, so every statement about repairs also applies to damage in reverse. A chain of
repairs that continues as long as possible ends with the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import exp, lgamma, log
from random import Random
from typing import TypeAlias

Labels: TypeAlias = tuple[int, ...]
Response: TypeAlias = tuple[Labels, ...]  # one for each document


def bell(n: int) -> int:
    """How many partitions n things have: 1, 1, 2, 5, 15, 52, 203, 877."""
    row = [1]
    for _ in range(n):
        new = [row[-1]]
        for number in row:
            new.append(new[-1] + number)
        row = new
    return row[0]


def partitions(n: int, missing: bool = False) -> Iterator[Labels]:
    """All responses with n mentions, in lexical order; with `missing` also those that lack some."""
    if missing:
        yield from (_without_first(labels) for labels in partitions(n + 1))
        return

    def grow(labels: list[int], highest: int) -> Iterator[Labels]:
        if len(labels) == n:
            yield tuple(labels)
            return
        for label in range(highest + 2):
            yield from grow([*labels, label], max(highest, label))

    yield from grow([], -1)


def drawn(n: int, chance: Random, missing: bool = False) -> Labels:
    """One of all responses, each with equal chance (Stam 1983): draw the number of urns, then an urn for each mention.

    P(k urns) = k^n / (k! e B(n))
    """
    if missing:
        return _without_first(drawn(n + 1, chance))
    if n == 0:
        return ()
    logs = [n * log(k) - lgamma(k + 1) for k in range(1, 3 * n + 20)]
    top = max(logs)
    urns = chance.choices(range(1, len(logs) + 1), [exp(x - top) for x in logs])[0]
    return canonical([chance.randrange(urns) for _ in range(n)])


def _without_first(labels: Labels) -> Labels:
    return canonical([-1 if label == 0 else label for label in labels[1:]])


def canonical(labels: Sequence[int]) -> Labels:
    """The same entities, numbered in the order of their first mentions."""
    numbers: dict[int, int] = {-1: -1}
    found = []
    for label in labels:
        if label not in numbers:
            numbers[label] = len(numbers) - 1
        found.append(numbers[label])
    return tuple(found)


def repairs(labels: Labels, key: Labels) -> list[tuple[str, Labels]]:
    """Every single repair: its kind, and the response after it."""
    kind_of: dict[Labels, str] = {}  # the response after a repair → its kind
    pure: dict[int, list[int]] = {}  # key entity → the entities that have no mentions of others
    for label, inside in _members(labels).items():
        entities = {key[mention] for mention in inside}
        if len(entities) == 1:
            pure.setdefault(entities.pop(), []).append(label)
            continue
        for entity in entities:
            leaving = {mention for mention in inside if key[mention] == entity}
            kind_of.setdefault(_apart(labels, leaving), "split")
    for same in pure.values():
        for a, b in combinations(same, 2):
            kind_of.setdefault(canonical([a if label == b else label for label in labels]), "merge")
    for mention, label in enumerate(labels):
        if label < 0:
            kind_of.setdefault(_apart(labels, {mention}), "find")
    return [(kind, after) for after, kind in kind_of.items()]


def _members(labels: Labels) -> dict[int, list[int]]:
    """Entity → its mentions."""
    members: dict[int, list[int]] = {}
    for mention, label in enumerate(labels):
        if label >= 0:
            members.setdefault(label, []).append(mention)
    return members


def _apart(labels: Labels, mentions: set[int]) -> Labels:
    """The response with these mentions as an entity of their own."""
    return canonical([len(labels) if mention in mentions else label for mention, label in enumerate(labels)])


def chain(labels: Labels, key: Labels, chance: Random) -> list[Labels]:
    """Random repairs from a response to the key, both included."""
    found = [labels]
    while found[-1] != key:
        found.append(chance.choice(repairs(found[-1], key))[1])
    return found


def entities(labels: Labels, names: Sequence[object]) -> list[list[object]]:
    """The entities of a response, as lists of the names of their mentions."""
    found: dict[int, list[object]] = {}
    for name, label in zip(names, labels, strict=True):
        if label >= 0:
            found.setdefault(label, []).append(name)
    return list(found.values())
