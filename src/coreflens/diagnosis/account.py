"""Which mentions lose the points: MUC, B³ and LEA as sums over mentions, and so over entities and kinds of mentions.

Let m be a mention of an entity with a mentions, of which the other side has n in one entity with m:

    mentions   1 if the other side has m; at most 1
    MUC        1 if m has a link that both sides have; at most 1, and 0 for the first mention (see links.py)
    B³         n/a; at most 1. If repetitions count as in scorer.pl, n is the overlap of `bcub`
    LEA        (n − 1)/(a − 1); at most 1. For a singleton, 1 if it is a singleton on both sides

The sums over the key's mentions are the counts of recall, and the sums over the response's mentions those of
precision. CEAF is not such a sum. There an entity has only a marginal effect: the change when it is corrected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..integers import bincount
from ..metrics.registry import MEANS, ratio
from ..options import Mean
from .evidence import Evidence
from .links import link_errors

ACCOUNTED = ("mentions", "muc", "bcub", "lea")
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Account:
    """What each mention of one side earns, and what it could earn. Both are 0 for mentions that the side lacks."""

    entity: IntArray
    gained: dict[str, FloatArray]
    possible: dict[str, FloatArray]

    def lost(self, metric: str) -> FloatArray:
        """The share of the corpus recall (or precision) that each mention loses. The shares sum to 1 − R (or 1 − P)."""
        total = self.possible[metric].sum()
        lost: FloatArray = (self.possible[metric] - self.gained[metric]) / (total or 1)
        return lost

    def by_entity(self, metric: str, entities: int) -> FloatArray:
        there = self.entity >= 0
        lost: FloatArray = bincount(self.entity[there], self.lost(metric)[there], entities).astype(np.float64)
        return lost


def account(evidence: Evidence, side: str) -> Account:
    m = evidence.alignment
    entity, other = (m.key, m.response) if side == "key" else (m.response, m.key)
    there, twin = entity >= 0, (entity >= 0) & (other >= 0)
    sizes, theirs = (bincount(e[e >= 0], minlength=1) for e in (entity, other))
    a, b = np.where(there, sizes[entity], 0), np.where(other >= 0, theirs[other], 0)
    cell = np.where(twin, m.key * len(m.response_block) + m.response, -1)
    _, inverse, counts = np.unique(cell, return_inverse=True, return_counts=True)
    n = overlap = np.where(twin, counts[inverse], 0)
    if evidence.matched.repeating:
        met, times = np.unique(evidence.meetings("once"), return_counts=True)
        overlap = np.where(twin, np.append(times, 0)[np.searchsorted(met, cell)], 0)

    first = np.zeros(len(entity), dtype=bool)
    rows = np.flatnonzero(there)
    first[rows[np.unique(entity[rows], return_index=True)[1]]] = True
    linked = there & ~first
    linked[link_errors(evidence, side).anaphor] = False
    of_many = np.maximum(n - 1, 0) / np.maximum(a - 1, 1)
    gained = {
        "mentions": twin.astype(float),
        "muc": linked.astype(float),
        "bcub": overlap / np.maximum(a, 1),
        "lea": np.where(a == 1, twin & (b == 1), of_many),
    }
    possible = {name: there.astype(float) for name in ACCOUNTED} | {"muc": (there & ~first).astype(float)}
    return Account(entity, gained, possible)


@dataclass(frozen=True)
class Cell:
    """Scores of the mentions of one kind: recall over the key's, precision over the response's; nan for 0/0."""

    value: str
    key: int
    response: int
    scores: dict[str, tuple[float, float, float]]  # metric → R, P, F1


def cells(
    key: Account, response: Account, of_key: IntArray, of_response: IntArray, labels: list[str], mean: Mean
) -> list[Cell]:
    """Scores by kind of mention. `of_key` and `of_response` have the number of the kind of each mention."""
    groups = len(labels)
    numbers = {}
    for metric in ACCOUNTED:
        recall, precision = (
            ratio(
                bincount(of, weights=side.gained[metric], minlength=groups),
                bincount(of, weights=side.possible[metric], minlength=groups),
            )
            for side, of in ((key, of_key), (response, of_response))
        )
        r, p = np.nan_to_num(recall), np.nan_to_num(precision)
        nothing = np.isnan(recall) & np.isnan(precision)
        numbers[metric] = recall, precision, np.where(nothing, np.nan, MEANS[mean](r, p))
    ours, theirs = (
        bincount(of[side.entity >= 0], minlength=groups) for side, of in ((key, of_key), (response, of_response))
    )
    return [
        Cell(
            label,
            int(ours[g]),
            int(theirs[g]),
            {name: (float(r[g]), float(p[g]), float(f[g])) for name, (r, p, f) in numbers.items()},
        )
        for g, label in enumerate(labels)
        if ours[g] or theirs[g]
    ]
