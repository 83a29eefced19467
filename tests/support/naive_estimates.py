"""Estimates from a sample as one would write them down: sets of records, a loop over draws, fractions.

Nothing here comes from the package. A unit is an entity or a cluster as a set of records.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

Records: TypeAlias = frozenset[str]
Sums: TypeAlias = dict[tuple[str, str], tuple[Fraction, Fraction]]  # (metric, part) → numerator, denominator

METRICS = ("pairs", "bcub", "muc", "lea", "entities")


def pairs(records: Iterable[str]) -> int:
    """The pairs among some records."""
    number = len(list(records))
    return number * (number - 1) // 2


def recall_sums(entity: Records, response: Sequence[Records]) -> Sums:
    """What one entity adds to recall."""
    parts = [entity & cluster for cluster in response if entity & cluster]
    size = len(entity)
    kept = sum(pairs(part) for part in parts)
    found = entity in response
    resolved = Fraction(found) if size == 1 else Fraction(size * kept, pairs(entity))
    return {
        ("pairs", "recall"): (Fraction(kept), Fraction(pairs(entity))),
        ("bcub", "recall"): (sum((Fraction(len(p) ** 2, size) for p in parts), Fraction(0)), Fraction(size)),
        ("muc", "recall"): (Fraction(sum(len(p) - 1 for p in parts)), Fraction(size - 1)),
        ("lea", "recall"): (resolved, Fraction(size)),
        ("entities", "recall"): (Fraction(found), Fraction(1)),
    }


def cluster_precision(cluster: Records, truth: Sequence[Records]) -> Sums:
    """What one cluster adds to precision: recall with the sides exchanged."""
    return {(metric, "precision"): sums for (metric, _), sums in recall_sums(cluster, truth).items()}


def entity_precision(entity: Records, response: Sequence[Records]) -> Sums:
    """What one entity adds to precision: its share of each cluster's denominator, and its own cells."""
    cells = [(len(entity & cluster), len(cluster), cluster) for cluster in response if entity & cluster]
    zero = Fraction(0)

    def resolved(n: int, b: int) -> Fraction:
        if b == 1:
            return Fraction(len(entity) == 1)
        return Fraction(b * n * (n - 1), b * (b - 1))

    kept = Fraction(sum(n * (n - 1) // 2 for n, _, _ in cells))
    inside = Fraction(sum(n for n, _, _ in cells))
    return {
        ("pairs", "precision"): (kept, sum((Fraction(n * (b - 1), 2) for n, b, _ in cells), zero)),
        ("bcub", "precision"): (sum((Fraction(n * n, b) for n, b, _ in cells), zero), inside),
        ("muc", "precision"): (
            Fraction(sum(n - 1 for n, _, _ in cells)),
            sum((Fraction(n * (b - 1), b) for n, b, _ in cells), zero),
        ),
        ("lea", "precision"): (sum((resolved(n, b) for n, b, _ in cells), zero), inside),
        ("entities", "precision"): (Fraction(entity in response), sum((Fraction(n, b) for n, b, _ in cells), zero)),
    }


def scaled(sums: Sums, share: Fraction) -> Sums:
    """Sums times a share."""
    return {name: (share * x, share * y) for name, (x, y) in sums.items()}


def added(several: Iterable[Sums]) -> Sums:
    """Sums of the same names, added up."""
    total: Sums = {}
    for sums in several:
        for name, (x, y) in sums.items():
            before = total.get(name, (Fraction(0), Fraction(0)))
            total[name] = before[0] + x, before[1] + y
    return total


def of_record(record: str, truth: Sequence[Records], response: Sequence[Records], from_cluster: bool) -> Sums:
    """What a drawn record stands for: its share of its entity, and perhaps of its cluster."""
    entity = next(e for e in truth if record in e)
    cluster = next(c for c in response if record in c)
    here = frozenset().union(*response)
    own = scaled(recall_sums(entity, response) | entity_precision(entity, response), Fraction(1, len(entity & here)))
    if from_cluster:
        own |= scaled(cluster_precision(cluster, truth), Fraction(1, len(cluster)))
    return own


def of_cluster(cluster: Records, truth: Sequence[Records], response: Sequence[Records]) -> Sums:
    """What a drawn cluster stands for, if the entities in it are complete."""
    here = frozenset().union(*response)
    met = [entity for entity in truth if entity & cluster]
    shares = (
        scaled(recall_sums(entity, response), Fraction(len(entity & cluster), len(entity & here))) for entity in met
    )
    return added([*shares, cluster_precision(cluster, truth)])


Draw: TypeAlias = tuple[Fraction, Sums]  # weight and sums


def ratio(draws: Sequence[Draw], name: tuple[str, str]) -> tuple[Fraction, Fraction, Fraction] | None:
    """Value, variance and bias of a ratio, for draws of one stratum with f = 0."""
    x = [w * sums[name][0] for w, sums in draws]
    y = [w * sums[name][1] for w, sums in draws]
    if not whole(y):
        return None
    value = whole(x) / whole(y)
    z = [(a - value * b) / whole(y) for a, b in zip(x, y, strict=True)]
    return value, covariance(z, z), -covariance(z, y) / whole(y)


def covariance(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """n/(n−1) Σ (a − mean)(b − mean)."""
    n = len(one)
    a, b = whole(one) / n, whole(other) / n
    return Fraction(n, n - 1) * whole([(x - a) * (y - b) for x, y in zip(one, other, strict=True)])


def whole(numbers: Sequence[Fraction]) -> Fraction:
    """Their sum."""
    return sum(numbers, Fraction(0))
