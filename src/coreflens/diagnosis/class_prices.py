"""What classes, causes and the best repairs cost: each is corrected alone, and after those above it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .classes import CLASSES, Errors
from .evidence import Evidence
from .fields import CAUSES
from .findings import CausePrice, Change, ClassPrice
from .prices import Prices
from .repairs import Correction, correction, repaired

BoolArray = npt.NDArray[np.bool_]


def class_prices(evidence: Evidence, errors: Errors, prices: Prices) -> list[ClassPrice]:
    """Each class, in the order in which they are corrected. The changes in turn sum to the whole gap."""
    members = [errors.kind == number for number in range(len(CLASSES))]
    present = [number for number, own in enumerate(members) if own.any()]
    alone = [correction(evidence, errors, members[number]) for number in present]
    in_turn = [correction(evidence, errors, errors.kind <= number) for number in present[1:]]
    numbers = prices.numbers([*alone, *in_turn])
    after_alone = dict(zip(present, numbers, strict=False))
    after_all = dict(zip(present, [*numbers[:1], *numbers[len(present) :]], strict=True))
    before = prices.numbers_now
    found = []
    for number, kind in enumerate(CLASSES):
        after = after_all.get(number, before)
        found.append(
            ClassPrice(
                kind=kind,
                errors=int(members[number].sum()),
                mentions=int(errors.sizes[members[number]].sum()),
                alone=prices.change(after_alone.get(number, prices.numbers_now)),
                next=prices.change(after, before),
                after=dict(after),
            )
        )
        before = after
    return found


def cause_prices(evidence: Evidence, errors: Errors, prices: Prices, lost: BoolArray) -> dict[str, CausePrice]:
    """`wrong` and `text lost` → errors, mentions and the change of every metric when they are corrected."""
    members = [~lost, lost]
    changes = prices.changes([correction(evidence, errors, own) for own in members])
    return {
        cause: CausePrice(int(own.sum()), int(errors.sizes[own].sum()), change)
        for cause, own, change in zip(CAUSES, members, changes, strict=True)
    }


def repair_prices(
    evidence: Evidence, errors: Errors, prices: Prices, best: Sequence[int]
) -> list[tuple[Change, float]]:
    """For each of some errors: the change when it alone is corrected, and the CoNLL average when it and those before
    it are corrected."""
    every = np.arange(len(errors))
    alone = [correction(evidence, errors, every == error) for error in best]
    in_turn = [
        Correction(repaired(evidence, errors, np.isin(every, best[: n + 1])), one.block) for n, one in enumerate(alone)
    ]
    together = [numbers["conll"] for numbers in prices.numbers_in_turn(in_turn)]
    return [*zip(prices.changes(alone), together, strict=True)]
