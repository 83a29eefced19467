"""Counts where a mention may occur more than once on a side, as scorer.pl v8.01 has them.

A chain is a list of mention numbers. A repeated mention is in all of its key chains at once when overlaps are counted,
at home in the last of them, and its links are a set of pairs. The table and its closed forms hold where every mention
of a side occurs once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Sized
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import TypeAlias

import numpy as np

from ..corpus.model import IntArray
from .assignment import assign

Chains: TypeAlias = Sequence[Sequence[int]]


def repeated_bcub(keys: Chains, responses: Chains) -> list[Fraction]:
    """B³: summed over the mentions of the response, each with the key chain that is its home."""
    homes = _occurrences(keys)
    home = {m: number for number, chain in enumerate(keys) for m in chain}
    recall, precision = Fraction(0), Fraction(0)
    for chain in responses:
        met = Counter(number for m in chain for number in homes.get(m, ()))
        for m in chain:
            if m in home:
                recall += Fraction(met[home[m]], len(keys[home[m]]))
                precision += Fraction(met[home[m]], len(chain))
    return [recall, Fraction(_sizes(keys)), precision, Fraction(_sizes(responses))]


def repeated_ceafm(keys: Chains, responses: Chains) -> list[Fraction]:
    """CEAFm: the overlaps of the best one-to-one assignment."""
    i, j, common = _overlaps(keys, responses)
    best = sum(common[assign(i, j, common, len(keys), len(responses))].tolist()) if len(i) else 0
    return [Fraction(n) for n in (best, _sizes(keys), best, _sizes(responses))]


def repeated_ceafe(keys: Chains, responses: Chains) -> list[Fraction]:
    """CEAFe: the same with φ4 = 2 n_ij / (a_i + b_j)."""
    i, j, common = _overlaps(keys, responses)
    of = zip(i.tolist(), j.tolist(), common.tolist(), strict=True)
    similar = [Fraction(2 * n, len(keys[a]) + len(responses[b])) for a, b, n in of]
    picked = assign(i, j, np.array(similar, dtype=object), len(keys), len(responses)).tolist() if similar else []
    best = sum((x for x, taken in zip(similar, picked, strict=True) if taken), Fraction(0))
    return [best, Fraction(len(keys)), best, Fraction(len(responses))]


def _sizes(chains: Chains) -> int:
    return sum(map(len, chains))


def _overlaps(keys: Chains, responses: Chains) -> tuple[IntArray, IntArray, IntArray]:
    """Key chain, response chain, and how many of the former's mentions the latter has, where it has any."""
    homes = _occurrences(responses)
    met = Counter((a, b) for a, chain in enumerate(keys) for m in chain for b in homes.get(m, ()))
    cells = np.array([(a, b, n) for (a, b), n in sorted(met.items())], dtype=np.int64).reshape(-1, 3)
    return cells[:, 0], cells[:, 1], cells[:, 2]


def repeated_links(keys: Chains, responses: Chains) -> tuple[list[int], list[int]]:
    """Coreference links, and non-coreference links: common, of the key, of the response, each as a set of pairs.

    Among mentions that occur once they are counted in closed form. A mention that occurs twice may be linked to itself,
    and be both coreferent and not coreferent with another, so its pairs are looked at one by one.
    """
    sides = [_occurrences(chains) for chains in (keys, responses)]
    often = {m for side in sides for m, chains in side.items() if sum(chains.values()) > 1}
    odd = sorted(often)
    plain = [{m: next(iter(chains)) for m, chains in side.items() if m not in often} for side in sides]
    coref, non = _plain_links(*plain)
    rest = sorted({m for side in plain for m in side})
    for a, b in (*combinations_with_replacement(odd, 2), *product(odd, rest)):
        key, response = (_relation(side, a, b) for side in sides)
        for counts, in_key, in_response in zip((coref, non), key, response, strict=True):
            counts += np.array([in_key and in_response, in_key, in_response])
    return coref.tolist(), non.tolist()


def _occurrences(chains: Chains) -> dict[int, dict[int, int]]:
    """Of each mention: how often it is in which chain."""
    found: dict[int, dict[int, int]] = {}
    for number, chain in enumerate(chains):
        for m in chain:
            times = found.setdefault(m, {})
            times[number] = times.get(number, 0) + 1
    return found


def _relation(side: dict[int, dict[int, int]], a: int, b: int) -> tuple[bool, bool]:
    """Whether a side has a coreference link, and a non-coreference link, between two mentions."""
    x, y = side.get(a), side.get(b)
    if x is None or y is None:
        return False, False
    if a == b:
        return max(x.values()) > 1, len(x) > 1
    return bool(x.keys() & y.keys()), len(x.keys() | y.keys()) > 1


def _plain_links(key: dict[int, int], response: dict[int, int]) -> tuple[IntArray, IntArray]:
    """Common, key and response links where every mention occurs once: L(x) = x(x − 1)/2 pairs among x mentions."""
    shared = key.keys() & response.keys()
    both = _pairs((key[m], response[m]) for m in shared)
    coref = [both, _pairs(key.values()), _pairs(response.values())]
    apart = _all(shared) - _pairs(key[m] for m in shared) - _pairs(response[m] for m in shared) + both
    return np.array(coref), np.array([apart, _all(key) - coref[1], _all(response) - coref[2]])


def _pairs(groups: Iterable[object]) -> int:
    return sum(n * (n - 1) // 2 for n in Counter(groups).values())


def _all(mentions: Sized) -> int:
    return len(mentions) * (len(mentions) - 1) // 2
