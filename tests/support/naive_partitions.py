"""Partitions by definition, for the tests of the ones that are enumerated."""

from __future__ import annotations

from itertools import product


def set_partitions(n: int) -> set[frozenset[frozenset[int]]]:
    """All of n things: every map to n boxes, and what is in one box together."""
    found = set()
    for boxes in product(range(n), repeat=n):
        groups = {b: frozenset(i for i in range(n) if boxes[i] == b) for b in boxes}
        found.add(frozenset(groups.values()))
    return found
