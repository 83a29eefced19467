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
        counterparts = ((i, self.of_key(m)) for i, cluster in enumerate(self.key) for m in cluster)
        return Counter((i, j) for i, m in counterparts for j in places.get(m, ()))


def _counts(
    cluster: Iterable[Mention], other: Callable[[Mention], Mention], home: Mapping[Mention, int]
) -> Counter[int]:
    return Counter(c for m in cluster if (c := home.get(other(m))) is not None)


def document(key: Clusters, response: Clusters, match: str, zeros: str) -> Document:
    """Match the mentions of a document as the original does.

    The order of a set decides ties and depends on how the set came about, so each is made in the original's way.
    """
    keys, responses = _mentions(key), _mentions(response)
    free = _Free(keys.copy(), responses.copy())
    by_zeros: list[Pair] = []
    undefined = 0
    zero_keys, zero_responses = {m for m in keys if m.zero}, {m for m in responses if m.zero}
    if zeros == "dependent" and zero_keys and zero_responses:
        by_zeros = _assigned(zero_keys, zero_responses, _zero_weights)
        undefined = sum(not (m.dependencies and m.dependencies.pairs) for m in (*zero_keys, *zero_responses))
        free.remove(by_zeros)
    pairs = free.equal_pairs()
    free.remove(pairs)
    free = _Free(set(iter(free.keys)), set(iter(free.responses)))  # copied one by one, as in the original
    if match != "exact" and free.keys and free.responses:
        pairs += _assigned(free.keys, free.responses, _head_weights if match == "head" else _partial_weights)
    pairs += by_zeros
    table, collisions = _table(pairs)
    return Document(key, response, _homes(key), _homes(response), pairs, table, collisions, undefined)


def _mentions(clusters: Clusters) -> set[Mention]:
    return {mention for cluster in clusters for mention in cluster}


def _homes(clusters: Clusters) -> dict[Mention, int]:
    """The cluster of each mention."""
    return {mention: c for c, cluster in enumerate(clusters) for mention in cluster}


@dataclass
class _Free:
    """The mentions of both sides that are not matched yet."""

    keys: set[Mention]
    responses: set[Mention]

    def remove(self, pairs: Sequence[Pair]) -> None:
        self.keys = self.keys - {key for key, _ in pairs}  # not -=: a new set may have another order
        self.responses = self.responses - {response for _, response in pairs}

    def equal_pairs(self) -> list[Pair]:
        response_of = {response: response for response in self.responses if response in self.keys}
        return [(key, response_of[key]) for key in self.keys if key in self.responses]


def _table(pairs: Sequence[Pair]) -> tuple[dict[Mention, Mention], int]:
    """The table of the pairs that differ, and how many pairs cannot be found in it, or get another entry."""
    unequal = [(key, response) for key, response in pairs if key != response]
    table = dict(unequal)
    table.update((response, key) for key, response in unequal)
    collisions = sum(table[key] is not response or table[response] is not key for key, response in unequal)
    collisions += sum(key in table for key, response in pairs if key == response)
    return table, collisions


def _assigned(
    key_mentions: set[Mention],
    response_mentions: set[Mention],
    weights_of: Callable[[list[Mention], list[Mention]], Weights],
) -> list[Pair]:
    """The pairs that scipy picks from the matrix of all these mentions, sorted as the original sorts them."""
    keys = sorted(key_mentions, key=lambda m: m.order)
    responses = sorted(response_mentions, key=lambda m: m.order)
    weights = weights_of(keys, responses)
    if not weights:
        return []
    matrix = np.zeros((len(keys), len(responses)))
    for (i, j), weight in weights.items():
        matrix[i, j] = weight
    return [(keys[i], responses[j]) for i, j in enumerate(as_scipy(matrix).tolist()) if j >= 0 and matrix[i, j] > 0]


def _zero_weights(keys: list[Mention], responses: list[Mention]) -> Weights:
    by_sentence = _by((m.head[0],) for m in responses)
    weights: Weights = {}
    for i, key in enumerate(keys):
        for j in by_sentence.get(key.head[0], ()):
            response = responses[j]
            assert key.dependencies is not None
            assert response.dependencies is not None
            if key.dependencies.pairs and response.dependencies.pairs:  # without it the original fails
                weights[i, j] = in_floats(key.dependencies, response.dependencies)
    return {pair: weight for pair, weight in weights.items() if weight > 0}


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


def _by(names_of_mentions: Iterable[Iterable[Word | int]]) -> dict[Word | int, list[int]]:
    """The places of the mentions that have each name."""
    places: dict[Word | int, list[int]] = defaultdict(list)
    for place, names in enumerate(names_of_mentions):
        for name in names:
            places[name].append(place)
    return places
