"""The responses to a key that `probe` scores: all or some at random, chains, repairs, extremes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from math import prod
from random import Random
from typing import Any, NamedTuple

import numpy as np

from .lattice import Response, bell, canonical, chain, drawn, partitions, repairs

MOST = 20_000  # responses that are enumerated
_STEPS = 20  # repairs of one response that are tried, if responses are drawn
_LONGEST = 51  # steps of a chain that are scored, at even distances


class RepairStep(NamedTuple):
    """A single repair: its kind, and the response before and after it."""

    kind: str
    before: Response
    after: Response


@dataclass(frozen=True, eq=False)
class ProbedResponses:
    """The responses to a key that are scored.

    responses        all responses, or those that were drawn
    is_complete      whether they are all
    chains           each from a random response to the key
    repairs          of the responses: all of them, or some of each response
    nearly_perfect   size of a key entity → responses in which only one mention of such an entity is wrong: it is alone
    degenerate       by name
    """

    responses: list[Response]
    is_complete: bool
    chains: list[list[Response]]
    repairs: list[RepairStep]
    nearly_perfect: dict[int, list[Response]]
    degenerate: dict[str, Response]

    def all(self) -> list[Response]:
        """All of them, some more than once."""
        everything = list(self.responses)
        for responses in self.chains:
            everything += responses
        for repair in self.repairs:
            everything += (repair.before, repair.after)
        for responses in self.nearly_perfect.values():
            everything += responses
        return [*everything, *self.degenerate.values()]


def probed_responses(
    key: Response,
    samples: int,
    chains: int,
    missing: bool,
    chance: Random,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> ProbedResponses:
    """The responses for a key.

    samples   how many responses are drawn if there are too many
    chains    how many chains there are
    missing   responses may lack mentions of the key
    progress  goes over the chains and the responses
    """
    responses, is_complete = _responses(key, samples, missing, chance)
    followed = [_chain(key, missing, chance) for _ in progress(range(chains))]
    steps = _repairs(progress(responses), key, is_complete, chance)
    return ProbedResponses(responses, is_complete, followed, steps, _nearly_perfect(key), _degenerate(key))


def _responses(key: Response, samples: int, missing: bool, chance: Random) -> tuple[list[Response], bool]:
    """All responses, or some that are drawn; and whether they are all."""
    sizes = [len(labels) + int(missing) for labels in key]
    if sum(sizes) < 60 and prod(bell(size) for size in sizes) <= MOST:
        by_document = [list(partitions(len(labels), missing)) for labels in key]
        return list(product(*by_document)), True
    return [_drawn(key, missing, chance) for _ in range(samples)], False


def _drawn(key: Response, missing: bool, chance: Random) -> Response:
    return tuple(drawn(len(labels), chance, missing) for labels in key)


def _chain(key: Response, missing: bool, chance: Random) -> list[Response]:
    """Repairs from a random response to the key, in random order over the documents."""
    now = list(_drawn(key, missing, chance))
    left = [chain(labels, key[d], chance)[1:] for d, labels in enumerate(now)]
    passed: list[Response] = [tuple(now)]
    while any(left):
        d = chance.choices(range(len(left)), [len(steps) for steps in left])[0]
        now[d] = left[d].pop(0)
        passed.append(tuple(now))
    if len(passed) <= _LONGEST:
        return passed
    places = np.linspace(0, len(passed) - 1, _LONGEST).round().astype(int)
    return [passed[place] for place in places.tolist()]


def _repairs(responses: Iterable[Response], key: Response, is_complete: bool, chance: Random) -> list[RepairStep]:
    """Single repairs of the responses: all of them, or some of each."""
    chosen: list[RepairStep] = []
    for response in responses:
        possible = [
            RepairStep(kind, response, (*response[:d], after, *response[d + 1 :]))
            for d, labels in enumerate(response)
            for kind, after in repairs(labels, key[d])
        ]
        is_few = is_complete or len(possible) <= _STEPS
        chosen += possible if is_few else chance.sample(possible, _STEPS)
    return chosen


def _nearly_perfect(key: Response) -> dict[int, list[Response]]:
    """Size of a key entity → responses that are perfect, except that one mention of such an entity is alone."""
    by_size: dict[int, list[Response]] = {}
    for d, labels in enumerate(key):
        for entity in set(labels):
            members = [mention for mention, label in enumerate(labels) if label == entity]
            if len(members) > 1:
                cut = list(labels)
                cut[members[-1]] = len(labels)
                by_size.setdefault(len(members), []).append((*key[:d], canonical(cut), *key[d + 1 :]))
    return dict(sorted(by_size.items()))


def _degenerate(key: Response) -> dict[str, Response]:
    return {
        "the key": key,
        "singletons": tuple(tuple(range(len(labels))) for labels in key),
        "one entity": tuple((0,) * len(labels) for labels in key),
        "nothing": tuple((-1,) * len(labels) for labels in key),
    }
