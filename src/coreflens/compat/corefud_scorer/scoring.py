"""The sums of corefud-scorer 1.2, metric by metric: numerator and denominator of precision, then of recall."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from ...metrics.assignment import assign
from .matching import Document
from .mentions import Clusters, Mention

Sums: TypeAlias = tuple[float, float, float, float]
Counts: TypeAlias = Sequence[Counter[int]]  # of each cluster, how many of its mentions are in which of the other side


def _one_sided(half: Callable[[Clusters, Clusters, Counts], tuple[float, float]]) -> Callable[[Document], Sums]:
    def sums(d: Document) -> Sums:
        return *half(d.response, d.key, d.response_counts), *half(d.key, d.response, d.key_counts)

    return sums


def _muc(clusters: Clusters, others: Clusters, counts: Counts) -> tuple[float, float]:
    kept = sum(sum(some.values()) - len(some) for some in counts)
    return kept, sum(len(cluster) - 1 for cluster in clusters)


def _bcub(clusters: Clusters, others: Clusters, counts: Counts) -> tuple[float, float]:
    pairs = zip(clusters, counts, strict=True)
    credit = sum(sum(n * n for n in some.values()) / float(len(cluster)) for cluster, some in pairs)
    return credit, sum(map(len, clusters))


def _lea(clusters: Clusters, others: Clusters, counts: Counts) -> tuple[float, float]:
    above = below = 0.0
    for cluster, some in zip(clusters, counts, strict=True):
        if len(cluster) == 1:
            links: float = 1
            common: float = sum(len(others[c]) == 1 for c in some)
        else:
            links = len(cluster) * (len(cluster) - 1) / 2
            common = sum(n * (n - 1) / 2 for n in some.values())
        above += len(cluster) * common / links
        below += len(cluster)
    return above, below


def _best(d: Document, weights: dict[tuple[int, int], float]) -> float:
    if not weights:
        return 0.0
    i, j = np.array(list(weights), dtype=np.int64).T
    weight = np.array(list(weights.values()), dtype=np.float64)
    return float(weight[assign(i, j, weight, len(d.key), len(d.response))].sum())


def ceafe(d: Document) -> Sums:
    sizes = {(i, j): 2 * n / float(len(d.key[i]) + len(d.response[j])) for (i, j), n in d.similarities.items()}
    best = _best(d, sizes)
    return best, len(d.response), best, len(d.key)


def ceafm(d: Document) -> Sums:
    best = _best(d, {pair: float(n) for pair, n in d.similarities.items()})
    return best, sum(map(len, d.response)), best, sum(map(len, d.key))


def _links(clusters: Clusters) -> tuple[float, float]:
    """Links inside clusters and across them."""
    inside = sum(len(c) * (len(c) - 1) / 2 for c in clusters)
    n = sum(map(len, clusters))
    return inside, n * (n - 1) / 2 - inside


def blanc_c(d: Document) -> Sums:
    common = sum(n * (n - 1) / 2 for some in d.key_counts for n in some.values())
    return common, _links(d.response)[0], common, _links(d.key)[0]


def blanc_n(d: Document) -> Sums:
    counts = d.key_counts
    whole: Counter[int] = Counter()
    for some in counts:
        whole.update(some)
    across = sum(whole.values()) ** 2 - sum(sum(some.values()) ** 2 for some in counts)
    together = sum(n * n for n in whole.values()) - sum(n * n for some in counts for n in some.values())
    common = (across - together) / 2
    return common, _links(d.response)[1], common, _links(d.key)[1]


def mor(d: Document) -> Sums:
    """Words in common in the best pairing of all mentions; a word that counts twice in a mention is in common once."""
    keys = [m for cluster in d.key for m in cluster]
    responses = [m for cluster in d.response for m in cluster]
    places: dict[tuple[int, float], list[int]] = defaultdict(list)
    for j, m in enumerate(responses):
        for word in m.set:
            places[word].append(j)
    shared = Counter((i, j) for i, m in enumerate(keys) for word in m.set for j in places.get(word, ()))
    best = 0.0
    if shared:
        i, j = np.array(list(shared), dtype=np.int64).T
        weight = np.array(list(shared.values()), dtype=np.int64)
        best = float(weight[assign(i, j, weight, len(keys), len(responses))].sum())
    return best, sum(len(m.words) for m in responses), best, sum(len(m.words) for m in keys)


def zero(d: Document) -> Sums:
    """Of the zeros of the key that are not the first of their entity, those that the response links as the key does."""
    right = missed = wrong = 0
    first_responses = {_in_order(cluster)[0] for cluster in d.response if cluster}
    covered: set[Mention] = set()
    for cluster in d.key:
        for response, is_linked in _later_zeros(d, cluster):
            if response is not None:
                covered.add(response)
            if response is None or response in first_responses:
                missed += 1
            elif is_linked:
                right += 1
            else:
                wrong += 1
    zeros = [m for cluster in d.response for m in cluster if m.zero]
    spurious = sum(m not in first_responses and m not in covered for m in zeros)
    return right, right + spurious + wrong, right, right + missed + wrong


def _later_zeros(d: Document, cluster: Sequence[Mention]) -> Iterator[tuple[Mention | None, bool]]:
    """The response mention of each zero of a key cluster that is not its first mention, and whether the response has
    it in one entity with an earlier mention of the cluster."""
    homes_before: set[int] = set()
    for i, m in enumerate(_in_order(cluster)):
        response = d.of_zero(m)
        home = None if response is None else d.in_response[response]
        if i and m.zero:
            yield response, home in homes_before
        if home is not None:
            homes_before.add(home)


def _in_order(cluster: Sequence[Mention]) -> list[Mention]:
    return sorted(cluster, key=lambda m: m.order)


METRICS: dict[str, tuple[Callable[[Document], Sums], ...]] = {
    "muc": (_one_sided(_muc),),
    "bcub": (_one_sided(_bcub),),
    "ceafe": (ceafe,),
    "ceafm": (ceafm,),
    "blanc": (blanc_c, blanc_n),
    "lea": (_one_sided(_lea),),
    "mor": (mor,),
    "zero": (zero,),
}


def sums(documents: Sequence[Document], metric: str) -> list[Sums]:
    """The sums over some documents, of each part of a metric."""
    totals = (np.sum([count(d) for d in documents], axis=0).tolist() or [0.0] * 4 for count in METRICS[metric])
    return [(above_p, below_p, above_r, below_r) for above_p, below_p, above_r, below_r in totals]


def scores(parts: Sequence[Sums]) -> tuple[float, float, float]:
    """Recall, precision and F1 from sums; BLANC is the mean of its parts that have links."""
    if len(parts) > 1:
        parts = [part for part in parts if part[1] or part[3]]
    if not parts:
        return 0.0, 0.0, 0.0
    recall, precision, f1 = (sum(x) / len(parts) for x in zip(*map(_part_scores, parts), strict=True))
    return recall, precision, f1


def _part_scores(part: Sums) -> tuple[float, float, float]:
    above_p, below_p, above_r, below_r = part
    p = above_p / below_p if below_p else 0.0
    r = above_r / below_r if below_r else 0.0
    f1 = 2 * p * r / (p + r) if p + r else 0.0
    return (r if above_r else 0.0), (p if above_p else 0.0), f1
