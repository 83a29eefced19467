"""The metrics as scorer.pl v8.01 computes them: its order of summation, its rounding, its treatment of repetitions.

A chain is a list of mention numbers. The same number may occur several times in the key, and in the response if the key
does not have it. Then the results are not those of the papers' formulas. coreflens.metrics has those formulas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ...corpus.model import IntArray
from ...integers import bincount
from ...metrics.assignment import assign
from ...metrics.repetitions import repeated_links
from .munkres import cheapest

Chains: TypeAlias = Sequence[Sequence[int]]
Number: TypeAlias = float | int
Counts: TypeAlias = tuple[Number, ...]  # numerator and denominator of recall, of precision, and so on
LARGEST = 1000  # with at most this many entities per side, the original's choice among optimal assignments is found


def muc(keys: Chains, responses: Chains) -> Counts:
    """A response mention counts if a later one of its chain is in the same key chain."""
    home = _home(keys)
    correct = 0
    for chain in responses:
        met = Counter(home[m] for m in chain if m in home)
        correct += met.total() - len(met)
    return correct, _links(keys), correct, _links(responses)


def _links(chains: Chains) -> int:
    return sum(len(chain) - 1 for chain in chains if chain)


def bcub(keys: Chains, responses: Chains) -> Counts:
    """Summed over the response's mentions, in its order."""
    home, homes = _home(keys), _homes(keys)
    recall, precision = 0.0, 0.0
    for chain in responses:
        met = Counter(k for m in chain for k in homes.get(m, ()))
        for m in chain:
            if m in home:
                common = met[home[m]]
                precision += common / len(chain)
                recall += common / len(keys[home[m]])
    return recall, _mentions(keys), precision, _mentions(responses)


def _mentions(chains: Chains) -> int:
    return sum(map(len, chains))


def ceafm(keys: Chains, responses: Chains) -> Counts:
    i, j, common = _overlaps(keys, responses)
    best = sum(common[assign(i, j, common, len(keys), len(responses))].tolist()) if len(i) else 0
    return best, _mentions(keys), best, _mentions(responses)


def ceafe(keys: Chains, responses: Chains) -> Counts:
    """Summed over the key's chains, in its order, each term as 1 − (1 − φ)."""
    i, j, common = _overlaps(keys, responses)
    sizes = np.array([len(keys[a]) + len(responses[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True)])
    cost = 1 - 2 * common / sizes if len(i) else np.zeros(0)
    size = max(len(keys), len(responses))
    if bincount(i).max(initial=0) <= 1 and bincount(j).max(initial=0) <= 1:
        chosen = cost
    elif size <= LARGEST:
        costs = np.ones((size, size))
        costs[len(keys) :] = 0
        costs[i, j] = cost
        chosen = costs[np.arange(len(keys)), cheapest(costs)[: len(keys)]]
    else:
        chosen = cost[assign(i, j, 1 - cost, len(keys), len(responses))]
    best = 0.0
    for term in chosen.tolist():
        best += 1 - term
    return best, sum(map(bool, keys)), best, sum(map(bool, responses))


def _overlaps(keys: Chains, responses: Chains) -> tuple[IntArray, IntArray, IntArray]:
    """Key chain, response chain, and how many of the former's mentions the latter has, where it has any."""
    homes = _homes(responses)
    met = Counter((a, b) for a, chain in enumerate(keys) for m in chain for b in homes.get(m, ()))
    cells = np.array([(a, b, n) for (a, b), n in sorted(met.items())], dtype=np.int64).reshape(-1, 3)
    return cells[:, 0], cells[:, 1], cells[:, 2]


def blanc(keys: Chains, responses: Chains) -> Counts:
    """Counts of coreference links, then of non-coreference links, as sets of pairs."""
    (c, k, r), (n, non_key, non_response) = repeated_links(keys, responses)
    return c, k, c, r, n, non_key, n, non_response


def _home(chains: Chains) -> dict[int, int]:
    """The chain of each mention, the last if there are several."""
    return {m: number for number, chain in enumerate(chains) for m in chain}


def _homes(chains: Chains) -> dict[int, list[int]]:
    """All chains of each mention."""
    found: dict[int, list[int]] = {}
    for number, chain in enumerate(chains):
        for m in chain:
            numbers = found.setdefault(m, [])
            if not numbers or numbers[-1] != number:
                numbers.append(number)
    return found


METRICS: dict[str, Callable[[Chains, Chains], Counts]] = {
    "muc": muc,
    "bcub": bcub,
    "ceafm": ceafm,
    "ceafe": ceafe,
    "blanc": blanc,
}
