"""What a unit of a sample adds to the numerators and denominators of the scores that can be estimated.

Entity i has a_i records, m_i of them in the response; cluster j has b_j; n_ij are shared. L(x) = x(x−1)/2.

           recall: numerator      denominator    precision: numerator    denominator
pairs      Σ L(n_ij)              L(a_i)         Σ L(n_ij)               Σ n_ij (b_j−1)/2
bcub       Σ n_ij²/a_i            a_i            Σ n_ij²/b_j             m_i
muc        Σ (n_ij−1)             a_i−1          Σ (n_ij−1)              Σ n_ij (b_j−1)/b_j
lea        a_i Σ L(n_ij)/L(a_i)   a_i            Σ b_j L(n_ij)/L(b_j)    m_i
entities   1 if i is a cluster    1              1 if i is a cluster     Σ n_ij/b_j

Summed over all entities, these are the numerators and denominators of `score`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..integers import bincount

Numbers: TypeAlias = npt.NDArray[np.float64]
Part: TypeAlias = Literal["recall", "precision", "f1"]
ESTIMATED = ("pairs", "bcub", "muc", "lea", "entities")


class Ratio(NamedTuple):
    """A numerator and a denominator for each unit."""

    numerator: Numbers
    denominator: Numbers

    def take(self, units: IntArray) -> Ratio:
        """Those of some units, in the order given."""
        return Ratio(self.numerator[units], self.denominator[units])

    def over(self, size: Numbers) -> Ratio:
        """Each unit's share, if it is divided among `size` records."""
        return Ratio(self.numerator / size, self.denominator / size)


Ratios: TypeAlias = dict[tuple[str, str], Ratio]  # by metric and part


def links(x: Numbers) -> Numbers:
    """Pairs among x records: x(x−1)/2."""
    pairs: Numbers = x * (x - 1) / 2
    return pairs


@dataclass(frozen=True, eq=False)
class Cells:
    """How many records each labelled entity shares with each cluster. Only cells with records are kept.

    entity, cluster, n   the cells
    a                    records of each entity, also those that the response lacks
    b                    records of each cluster of the response
    """

    entity: IntArray
    cluster: IntArray
    n: Numbers
    a: Numbers
    b: Numbers

    @classmethod
    def of(cls, entity: IntArray, cluster: IntArray, entities: int, b: Numbers) -> Cells:
        """The cells of labelled records. The cluster of a record is −1 if the response lacks it."""
        a = bincount(entity, minlength=entities).astype(np.float64)
        found = cluster >= 0
        width = max(len(b), 1)
        codes, counts = np.unique(entity[found] * width + cluster[found], return_counts=True)
        i, j = np.divmod(codes, width)
        return cls(i, j, counts.astype(np.float64), a, b)

    @cached_property
    def ai(self) -> Numbers:
        return self.a[self.entity]

    @cached_property
    def bj(self) -> Numbers:
        return self.b[self.cluster]

    @cached_property
    def m(self) -> Numbers:
        """Records of each entity that the response has."""
        return self.by_entity(self.n)

    def by_entity(self, values: Numbers) -> Numbers:
        """The sum of the values of the cells of each entity."""
        return bincount(self.entity, values, minlength=len(self.a)).astype(np.float64)

    def by_cluster(self, values: Numbers) -> Numbers:
        """The sum of the values of the cells of each cluster."""
        return bincount(self.cluster, values, minlength=len(self.b)).astype(np.float64)

    @cached_property
    def exact(self) -> Numbers:
        """1 for a cell that is a whole entity and a whole cluster, else 0."""
        same: Numbers = ((self.n == self.ai) & (self.n == self.bj)).astype(np.float64)
        return same

    @cached_property
    def resolved_recall(self) -> Numbers:
        """LEA: a_i L(n_ij)/L(a_i). A singleton is resolved if it is also a cluster."""
        several = self.n * (self.n - 1) / np.where(self.ai == 1, 1, self.ai - 1)
        return np.where(self.ai == 1, self.bj == 1, several)

    @cached_property
    def resolved_precision(self) -> Numbers:
        """LEA: b_j L(n_ij)/L(b_j). A cluster of one record is resolved if it is also an entity."""
        several = self.n * (self.n - 1) / np.where(self.bj == 1, 1, self.bj - 1)
        return np.where(self.bj == 1, self.ai == 1, several)


def entity_ratios(c: Cells) -> Ratios:
    """What each labelled entity adds: the table above."""
    one = np.ones_like(c.a)
    pairs, kept, exact = c.by_entity(links(c.n)), c.by_entity(c.n - 1), c.by_entity(c.exact)
    return {
        ("pairs", "recall"): Ratio(pairs, links(c.a)),
        ("pairs", "precision"): Ratio(pairs, c.by_entity(c.n * (c.bj - 1) / 2)),
        ("bcub", "recall"): Ratio(c.by_entity(c.n**2 / c.ai), c.a),
        ("bcub", "precision"): Ratio(c.by_entity(c.n**2 / c.bj), c.m),
        ("muc", "recall"): Ratio(kept, c.a - 1),
        ("muc", "precision"): Ratio(kept, c.by_entity(c.n * (c.bj - 1) / c.bj)),
        ("lea", "recall"): Ratio(c.by_entity(c.resolved_recall), c.a),
        ("lea", "precision"): Ratio(c.by_entity(c.resolved_precision), c.m),
        ("entities", "recall"): Ratio(exact, one),
        ("entities", "precision"): Ratio(exact, c.by_entity(c.n / c.bj)),
    }


def cluster_precisions(c: Cells) -> Ratios:
    """What each cluster adds to precision, if all its records are labelled. Clusters without labels are 0."""
    pairs, kept = c.by_cluster(links(c.n)), c.by_cluster(c.n - 1)
    return {
        ("pairs", "precision"): Ratio(pairs, links(c.b)),
        ("bcub", "precision"): Ratio(c.by_cluster(c.n**2 / c.bj), c.b),
        ("muc", "precision"): Ratio(kept, c.b - 1),
        ("lea", "precision"): Ratio(c.by_cluster(c.resolved_precision), c.b),
        ("entities", "precision"): Ratio(c.by_cluster(c.exact), np.ones_like(c.b)),
    }


def spurious_ratios(b: Numbers) -> Ratios:
    """What a record of no entity adds, in a cluster of b records: only to the denominators of precision."""
    none, one = np.zeros_like(b), np.ones_like(b)
    denominators = {"pairs": (b - 1) / 2, "bcub": one, "muc": (b - 1) / b, "lea": one, "entities": 1 / b}
    recall = {(metric, "recall"): Ratio(none, none) for metric in ESTIMATED}
    return recall | {(metric, "precision"): Ratio(none, number) for metric, number in denominators.items()}


def cluster_recalls(c: Cells) -> Ratios:
    """What each cluster adds to recall: the share n_ij/m_i of each entity in it. Entities must be complete."""
    share = c.n / c.m[c.entity]
    return {
        (metric, part): Ratio(
            c.by_cluster(share * ratio.numerator[c.entity]),
            c.by_cluster(share * ratio.denominator[c.entity]),
        )
        for (metric, part), ratio in entity_ratios(c).items()
        if part == "recall"
    }
