"""What changes if a mention occurs more than once on a side, as scorer.pl v8.01 counts it.

When overlaps are counted, a repeated mention is in all its key entities at once. One of them is its home. Its links are
a set of pairs. The closed forms of the other files are valid only if every mention of a side occurs once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from ..corpus.model import IntArray

Chains: TypeAlias = Sequence[Sequence[int]]  # entities as lists of mention numbers
Occurrences: TypeAlias = dict[int, dict[int, int]]  # mention → entity → how often the entity has the mention
Overlap: TypeAlias = Literal["", "once", "times"]
_WIDE = 6  # if a mention has more entities than this, not all sets of them are formed

T = TypeVar("T")


def meetings(mention: IntArray, key: IntArray, response: IntArray, width: int, *, once: bool) -> IntArray:
    """K · width + R for every key mention that a response entity has, in all of its key entities.

    `once`: a key entity that has a mention twice counts it once.
    """
    (ours, entity), (theirs, other) = ((mention[side >= 0], side[side >= 0]) for side in (key, response))
    if once:
        ours, entity = _distinct(ours, entity)
    theirs, other = _distinct(theirs, other)  # sorted by mention
    first, stop = (np.searchsorted(theirs, ours, side) for side in ("left", "right"))
    times = stop - first
    place = np.arange(times.sum()) + np.repeat(first - np.cumsum(times) + times, times)
    codes: IntArray = np.repeat(entity, times) * width + other[place]
    return codes


def _distinct(mention: IntArray, entity: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct pairs, sorted."""
    order = np.lexsort((entity, mention))
    mention, entity = mention[order], entity[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (mention[1:] != mention[:-1]) | (entity[1:] != entity[:-1])
    return mention[new], entity[new]


def repeated_links(keys: Chains, responses: Chains) -> tuple[list[int], list[int]]:
    """Coreference links, and non-coreference links: common, of the key, of the response, each as a set of pairs.

    Two mentions have a coreference link if an entity has both. They have a non-coreference link unless both are
    in one entity and in no other. So they can have both links. A mention that occurs twice is linked to itself.
    """
    ours, theirs = _occurrences(keys), _occurrences(responses)
    found = [_counted(sides) for sides in ([ours, theirs], [ours], [theirs])]
    return [coref for coref, _ in found], [non for _, non in found]


def _occurrences(chains: Chains) -> Occurrences:
    found: Occurrences = {}
    for number, mentions in enumerate(chains):
        for m in mentions:
            times = found.setdefault(m, {})
            times[number] = times.get(number, 0) + 1
    return found


def _counted(sides: Sequence[Occurrences]) -> tuple[int, int]:
    """The links of each kind that all of the sides have, by inclusion and exclusion: pairs are not enumerated.

    Pairs that share an entity on every side are counted by the sets of entities that they share. Non-coreference links
    of all sides are all pairs except those that some side has only in one and the same entity.
    """
    mentions = [m for m in sides[0] if len(sides) == 1 or m in sides[1]]
    odd = {m for m in mentions for side in sides if len(side[m]) > 1}
    plain = [[next(iter(side[m])) for m in mentions if m not in odd] for side in sides]  # the entity of each
    wide = [m for m in odd if any(len(side[m]) > _WIDE for side in sides)]
    shared: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for entities, n in Counter(zip(*plain, strict=True)).items():
        shared[tuple((entity,) for entity in entities)] = n
    for m in odd.difference(wide):
        shared.update(product(*(_subsets(side[m]) for side in sides)))
    coref = sum((-1) ** sum(len(some) + 1 for some in sets) * _links(n) for sets, n in shared.items() if n > 1)
    coref += _looked_at(sides, wide)
    non = _links(len(mentions))
    for some in _subsets(range(len(sides))):
        confined = Counter(zip(*(plain[s] for s in some), strict=True))
        confined.update(
            tuple(next(iter(sides[s][m])) for s in some) for m in odd if all(len(sides[s][m]) == 1 for s in some)
        )
        non += (-1) ** len(some) * sum(map(_links, confined.values()))
    if all(_repeats(side) for side in sides):  # links of mentions to themselves
        coref += sum(all(max(side[m].values()) > 1 for side in sides) for m in mentions)
        non += sum(all(len(side[m]) > 1 for side in sides) for m in mentions)
    return coref, non


def _repeats(side: Occurrences) -> bool:
    return any(len(times) > 1 or max(times.values()) > 1 for times in side.values())


def _looked_at(sides: Sequence[Occurrences], wide: Iterable[int]) -> int:
    """Pairs that share an entity on every side, for mentions with very many entities. They are found one by one."""
    members: list[defaultdict[int, set[int]]] = []
    for side in sides if wide else ():
        members.append(defaultdict(set))
        for m, entities in side.items():
            for entity in entities:
                members[-1][entity].add(m)
    found, done = 0, set()
    for m in wide:
        done.add(m)
        near = [set().union(*(of[e] for e in side[m])) for side, of in zip(sides, members, strict=True)]
        found += len(set.intersection(*near) - done)
    return found


def _subsets(things: Iterable[T]) -> Iterator[tuple[T, ...]]:
    """All subsets except the empty one."""
    things = list(things)
    return (some for size in range(1, len(things) + 1) for some in combinations(things, size))


def _links(n: int) -> int:
    return n * (n - 1) // 2
