"""What changes if a mention occurs more than once on a side, as scorer.pl v8.01 counts it.

When overlaps are counted, a repeated mention is in all its key entities at once. One of them is its home. Its links are
a set of pairs. The closed forms of the other files are valid only if every mention of a side occurs once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from ..corpus.model import IntArray
from ..integers import repeat

Chains: TypeAlias = Sequence[Sequence[int]]  # entities as lists of mention numbers
Times: TypeAlias = dict[int, int]  # entity → how often it has a mention
Occurrences: TypeAlias = dict[int, Times]  # the same by mention
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
    place = np.arange(times.sum()) + repeat(first - np.cumsum(times) + times, times)
    codes: IntArray = repeat(entity, times) * width + other[place]
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
    key, response = _occurrences(keys), _occurrences(responses)
    links = [_Links(sides) for sides in ([key, response], [key], [response])]
    return [shared.coreference() for shared in links], [shared.non_coreference() for shared in links]


def _occurrences(chains: Chains) -> Occurrences:
    found: Occurrences = {}
    for number, mentions in enumerate(chains):
        for m in mentions:
            times = found.setdefault(m, {})
            times[number] = times.get(number, 0) + 1
    return found


class _Links:
    """The links of each kind that all of the sides have, by inclusion and exclusion: pairs are not enumerated.

    mentions    those that all sides have
    single      the mentions that have one entity on every side
    entity_of   for each side, the entity of each single mention
    manifold    the mentions that have several entities on a side
    """

    def __init__(self, sides: Sequence[Occurrences]) -> None:
        self.sides = sides
        self.mentions = [m for m in sides[0] if all(m in side for side in sides)]
        self.manifold = {m for m in self.mentions for side in sides if len(side[m]) > 1}
        self.single = [m for m in self.mentions if m not in self.manifold]
        self.entity_of = [[_only(side[m]) for m in self.single] for side in sides]

    def coreference(self) -> int:
        """Pairs that share an entity on every side: counted by the sets of entities that they share."""
        wide = [m for m in self.manifold if any(len(side[m]) > _WIDE for side in self.sides)]
        mentions_sharing: Counter[tuple[tuple[int, ...], ...]] = Counter()  # one set of entities per side → how many
        for entities, n in Counter(zip(*self.entity_of, strict=True)).items():
            mentions_sharing[tuple((entity,) for entity in entities)] = n
        for m in self.manifold.difference(wide):
            mentions_sharing.update(product(*(_subsets(side[m]) for side in self.sides)))
        links = 0
        for sets, n in mentions_sharing.items():
            if n > 1:
                links += (-1) ** sum(len(entities) + 1 for entities in sets) * _links(n)
        return links + _looked_at(self.sides, wide) + self._to_itself(_occurs_twice)

    def non_coreference(self) -> int:
        """All pairs except those that some side has only in one and the same entity."""
        links = _links(len(self.mentions))
        for some in _subsets(range(len(self.sides))):
            links += (-1) ** len(some) * self._confined(some)
        return links + self._to_itself(_has_several_entities)

    def _confined(self, some: Sequence[int]) -> int:
        """Pairs that have one and the same entity, and no other, on each of some sides."""
        mentions_in = Counter(zip(*(self.entity_of[s] for s in some), strict=True))
        for m in self.manifold:
            entities = [self.sides[s][m] for s in some]
            if all(len(times) == 1 for times in entities):
                mentions_in[tuple(map(_only, entities))] += 1
        return sum(map(_links, mentions_in.values()))

    def _to_itself(self, linked: Callable[[Times], bool]) -> int:
        """Links of mentions to themselves, which only sides with repetitions have."""
        if not all(map(_repeats, self.sides)):
            return 0
        return sum(all(linked(side[m]) for side in self.sides) for m in self.mentions)


def _only(times: Times) -> int:
    """The only entity of a mention."""
    return next(iter(times))


def _occurs_twice(times: Times) -> bool:
    return max(times.values()) > 1


def _has_several_entities(times: Times) -> bool:
    return len(times) > 1


def _repeats(side: Occurrences) -> bool:
    return any(_has_several_entities(times) or _occurs_twice(times) for times in side.values())


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
