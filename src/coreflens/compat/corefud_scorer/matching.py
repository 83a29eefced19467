"""Which mentions corefud-scorer 1.2 matches, and its table of them, which both sides share.

The table is its first fault: pairs that differ are entered under both mentions, and mentions are identified by place.
A zero of the key and one of the response may be in the same place and belong to different pairs; the later entry wins.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ...matching.optimal import as_scipy
from ...matching.zeros import in_floats
from .mentions import Clusters, Mention, Word

Pair: TypeAlias = tuple[Mention, Mention]
Weights: TypeAlias = dict[tuple[int, int], float]


@dataclass(frozen=True, eq=False)
class Document:
    """A document as it is scored: clusters of both sides, the cluster of each mention, and the table of pairs."""

    key: Clusters
    response: Clusters
    in_key: Mapping[Mention, int]
    in_response: Mapping[Mention, int]
    pairs: Sequence[Pair]
    table: Mapping[Mention, Mention]
    collisions: int
    undefined: int

    def of_key(self, mention: Mention) -> Mention:
        """The response mention that a key mention is looked up as."""
        return self.table.get(mention, mention)

    def of_response(self, mention: Mention) -> Mention:
        """The key mention that a response mention is looked up as, in the same table: the first fault."""
        return self.table.get(mention, mention)

    def of_zero(self, mention: Mention) -> Mention | None:
        """The same in the score of zeros, where a mention at that place comes first: the second fault."""
        return mention if mention in self.in_response else self.table.get(mention)

    @cached_property
    def key_counts(self) -> list[Counter[int]]:
        """How many mentions of each key cluster are found in which response cluster."""
        return [_counts(cluster, self.of_key, self.in_response) for cluster in self.key]

    @cached_property
    def response_counts(self) -> list[Counter[int]]:
        """How many mentions of each response cluster are found in which key cluster."""
        return [_counts(cluster, self.of_response, self.in_key) for cluster in self.response]

    @cached_property
    def similarities(self) -> Counter[tuple[int, int]]:
        """Mentions of a key cluster whose counterpart is in a response cluster; a repeated one is in several."""
        places: dict[Mention, set[int]] = defaultdict(set)
        for c, cluster in enumerate(self.response):
            for m in cluster:
                places[m].add(c)
        found = ((i, self.of_key(m)) for i, cluster in enumerate(self.key) for m in cluster)
        return Counter((i, j) for i, m in found for j in places.get(m, ()))


def _counts(
    cluster: Iterable[Mention], other: Callable[[Mention], Mention], home: Mapping[Mention, int]
) -> Counter[int]:
    return Counter(c for m in cluster if (c := home.get(other(m))) is not None)


def document(key: Clusters, response: Clusters, match: str, zeros: str) -> Document:
    """Match the mentions of a document as the original does."""
    in_key, in_response = ({m: c for c, cluster in enumerate(side) for m in cluster} for side in (key, response))
    ours = {m for cluster in key for m in cluster}
    theirs = {m for cluster in response for m in cluster}
    pairs: list[Pair] = []
    undefined = 0
    free_ours, free_theirs = ours.copy(), theirs.copy()
    by_zeros: list[Pair] = []
    if zeros == "dependent":
        zero_ours, zero_theirs = {m for m in ours if m.zero}, {m for m in theirs if m.zero}
        if zero_ours and zero_theirs:
            by_zeros = _assigned(zero_ours, zero_theirs, _zero_weights)
            undefined = sum(not (m.dependencies and m.dependencies.pairs) for m in (*zero_ours, *zero_theirs))
            free_ours = free_ours - {k for k, _ in by_zeros}
            free_theirs = free_theirs - {s for _, s in by_zeros}
    same_ours = {k: k for k in free_ours if k in free_theirs}
    same_theirs = {s: s for s in free_theirs if s in free_ours}
    pairs += [(same_ours[k], same_theirs[k]) for k in same_ours]
    free_ours = free_ours - set(same_ours.values())
    free_theirs = free_theirs - set(same_theirs.values())
    # copied one by one, as the original does it: the order of a set depends on how it came about
    free_ours, free_theirs = set(iter(free_ours)), set(iter(free_theirs))
    if match != "exact" and free_ours and free_theirs:
        pairs += _assigned(free_ours, free_theirs, _head_weights if match == "head" else _partial_weights)
    pairs += by_zeros
    table: dict[Mention, Mention] = {}
    entered = 0
    for order in (1, -1):
        for k, s in pairs:
            if k != s:
                one, other = (k, s)[::order]
                table[one] = other
                entered += 1
    hidden = sum(k != s and (table[k] is not s or table[s] is not k) for k, s in pairs)
    hidden += sum(k == s and k in table for k, s in pairs)
    return Document(key, response, in_key, in_response, pairs, table, hidden, undefined)


def _assigned(
    ours: set[Mention], theirs: set[Mention], weights: Callable[[list[Mention], list[Mention]], Weights]
) -> list[Pair]:
    """The pairs that scipy picks from the matrix of all these mentions, sorted as the original sorts them."""
    keys, responses = sorted(ours, key=lambda m: m.order), sorted(theirs, key=lambda m: m.order)
    found = weights(keys, responses)
    if not found:
        return []
    matrix = np.zeros((len(keys), len(responses)))
    for (i, j), weight in found.items():
        matrix[i, j] = weight
    return [(keys[i], responses[j]) for i, j in enumerate(as_scipy(matrix).tolist()) if j >= 0 and matrix[i, j] > 0]


def _zero_weights(keys: list[Mention], responses: list[Mention]) -> Weights:
    by_sentence = _by((m.head[0],) for m in responses)
    found: Weights = {}
    for i, k in enumerate(keys):
        for j in by_sentence.get(k.head[0], ()):
            s = responses[j]
            assert k.dependencies is not None
            assert s.dependencies is not None
            if k.dependencies.pairs and s.dependencies.pairs:  # without it the original fails
                found[i, j] = in_floats(k.dependencies, s.dependencies)
    return {pair: weight for pair, weight in found.items() if weight > 0}


def _head_weights(keys: list[Mention], responses: list[Mention]) -> Weights:
    by_head = _by((m.head,) for m in responses)
    return {
        (i, j): len(k.set & responses[j].set) * 1.0 / len(k.set)
        for i, k in enumerate(keys)
        for j in by_head.get(k.head, ())
    }


def _partial_weights(keys: list[Mention], responses: list[Mention]) -> Weights:
    by_word = _by(m.set for m in responses)
    return {
        (i, j): len(k.set & responses[j].set) * 1.0 / len(k.set)
        for i, k in enumerate(keys)
        for j in by_word.get(k.head, ())
        if responses[j].set <= k.set
    }


def _by(names: Iterable[Iterable[Word | int]]) -> dict[Word | int, list[int]]:
    found: dict[Word | int, list[int]] = defaultdict(list)
    for place, some in enumerate(names):
        for name in some:
            found[name].append(place)
    return found
