"""How many of n draws each stratum gets."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from ..corpus.model import IntArray
from ..errors import UsageError
from .ratios import Numbers

Allocation: TypeAlias = Literal["proportional", "equal", "mixed"]
ALLOCATIONS: dict[Allocation, str] = {
    "proportional": "by units",
    "equal": "the same for each stratum",
    "mixed": "half by units, half by pairs of records in one cluster",
}
LEAST = 2  # draws of a stratum, so that it has a variance


def allocated(n: int, units: IntArray, pairs: Numbers, how: Allocation, drawn: IntArray, repeats: bool) -> IntArray:
    """New draws of each stratum, n in all.

    A stratum has at least two draws, and without `repeats` at most its units, among them those already `drawn`.
    """
    room = np.full(len(units), n, dtype=np.int64) if repeats else units - drawn
    least = np.maximum(np.minimum(LEAST, units) - drawn, 0)
    if n < int(least.sum()):
        raise UsageError(f"{n} draws are too few for {len(units)} strata, which need {int(least.sum())}")
    if n > int(room.sum()):
        raise UsageError(f"{n} draws are more than the {int(room.sum()):,} units that are left")
    shares = _shares(units, pairs, how)
    settled = np.zeros(len(units), dtype=bool)
    given = np.zeros(len(units))
    while not settled.all():
        left = n - given[settled].sum()
        weights = np.where(settled, 0, shares)
        if not weights.sum():
            weights = np.where(settled, 0, 1.0)
        given = np.where(settled, given, left * weights / weights.sum())
        over, under = ~settled & (given > room), ~settled & (given < least)
        if not (over.any() or under.any()):
            break
        # the side that is wrong by more is settled first, so that what it leaves can go to the others
        if (given - room)[over].sum() >= (least - given)[under].sum():
            given[over], settled = room[over], settled | over
        else:
            given[under], settled = least[under], settled | under
    return _rounded(given, n, room)


def _shares(units: IntArray, pairs: Numbers, how: Allocation) -> Numbers:
    """The share of each stratum."""
    by_units: Numbers = units / units.sum()
    if how == "proportional":
        return by_units
    if how == "equal":
        return np.full(len(units), 1 / len(units))
    by_pairs = pairs / pairs.sum() if pairs.sum() else by_units
    mixed: Numbers = (by_units + by_pairs) / 2
    return mixed


def _rounded(given: Numbers, n: int, room: IntArray) -> IntArray:
    """Whole numbers with the same sum: the largest remainders are rounded up."""
    whole = np.floor(given + 1e-9).astype(np.int64)
    order = np.argsort(-(given - whole), kind="stable")
    for stratum in [*order.tolist(), *order.tolist()]:
        if whole.sum() >= n:
            break
        if whole[stratum] < room[stratum]:
            whole[stratum] += 1
    return whole
