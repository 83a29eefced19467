"""The evaluator of neural coreference code: e2e-coref's `metrics.py` and its many copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..engines.choice import score
from ..errors import Issue, choose
from ..formats.shapes import clusters_of
from ..metrics import METRICS, select
from ..metrics.assignment import assign
from ..scoring.scorer import merge_issues
from ..scoring.scores import Number

Clusters: TypeAlias = Sequence[Sequence[Hashable]]
Fractions: TypeAlias = tuple[float, float, float, float]  # numerator and denominator of precision, then of recall

_LEGACY = ("muc", "bcub", "ceafe", "lea")


class Evaluator:
    """One metric of a `CorefEvaluator`: what was summed, and the ratios."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.p_num = self.p_den = self.r_num = self.r_den = 0.0

    def add(self, counts: Fractions) -> None:
        summed = zip(self.get_counts(), counts, strict=True)
        self.p_num, self.p_den, self.r_num, self.r_den = (old + new for old, new in summed)

    def get_precision(self) -> float:
        return self.p_num / self.p_den if self.p_den else 0.0

    def get_recall(self) -> float:
        return self.r_num / self.r_den if self.r_den else 0.0

    def get_f1(self) -> float:
        precision, recall = self.get_precision(), self.get_recall()
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    def get_prf(self) -> tuple[float, float, float]:
        return self.get_precision(), self.get_recall(), self.get_f1()

    def get_counts(self) -> Fractions:
        """Numerator and denominator of precision, then of recall."""
        return self.p_num, self.p_den, self.r_num, self.r_den


class CorefEvaluator:
    """MUC, B³ and CEAFe summed over documents, and their means; predicted before gold.

        evaluator = CorefEvaluator()
        evaluator.update(predicted, gold, mention_to_predicted, mention_to_gold)    # once per document
        precision, recall, f1 = evaluator.get_prf()
        evaluator.evaluators[0].get_prf()                                           # of MUC alone

    The two maps are not needed and may be left out. `get_f1` is the CoNLL average. `get_precision` and `get_recall` are
    means of three different ratios, kept because that code reports them. Without any update all of them are 0. `issues`
    lists notes on unusual input, such as repeated mentions.

    legacy    the numbers of the original instead, for comparison with what was published: B³ (and LEA) skip entities
              of one mention on both sides, CEAFe skips them in the prediction only, and a repeated mention counts as
              often as it occurs. On data without singletons and repetitions there is no difference.
    metrics   `lea` may be added, for instance.
    """

    _singletons = False  # whether the original counts them

    def __init__(self, *, legacy: bool = False, metrics: Iterable[str] = ("muc", "bcub", "ceafe")) -> None:
        self.legacy = legacy
        self.evaluators = [Evaluator(name) for name in select(metrics)[0]]
        known = (
            _LEGACY if legacy else [name for name, m in METRICS.items() if "recall_num" in getattr(m, "columns", ())]
        )
        for evaluator in self.evaluators:
            choose(evaluator.name, known, "metric of CorefEvaluator")
        self._issues: list[Issue] = []

    def update(
        self,
        predicted: Iterable[Iterable[Any]],
        gold: Iterable[Iterable[Any]],
        mention_to_predicted: Mapping[object, object] | None = None,
        mention_to_gold: Mapping[object, object] | None = None,
    ) -> None:
        """Add a document."""
        predicted, gold = clusters_of(predicted, "predicted"), clusters_of(gold, "gold")
        if self.legacy:
            counts = legacy_counts(predicted, gold, mention_to_predicted, mention_to_gold, self._singletons)
        else:
            result = score(gold, predicted, metrics=[e.name for e in self.evaluators])
            counts = {name: _fractions(s.counts) for name, s in result.items()}
            self._issues += result.issues
        for evaluator in self.evaluators:
            evaluator.add(counts[evaluator.name])

    @property
    def issues(self) -> list[Issue]:
        """Notes on unusual input that was scored, such as repeated mentions; legacy=True finds none."""
        return merge_issues(self._issues)

    def get_precision(self) -> float:
        return sum(e.get_precision() for e in self.evaluators) / len(self.evaluators)

    def get_recall(self) -> float:
        return sum(e.get_recall() for e in self.evaluators) / len(self.evaluators)

    def get_f1(self) -> float:
        return sum(e.get_f1() for e in self.evaluators) / len(self.evaluators)

    def get_prf(self) -> tuple[float, float, float]:
        return self.get_precision(), self.get_recall(), self.get_f1()


def _fractions(counts: Mapping[str, Number]) -> Fractions:
    p_num, p_den, r_num, r_den = (
        float(counts[name]) for name in ("precision_num", "precision_den", "recall_num", "recall_den")
    )
    return p_num, p_den, r_num, r_den


def legacy_counts(
    predicted: Clusters,
    gold: Clusters,
    mention_to_predicted: Mapping[object, object] | None = None,
    mention_to_gold: Mapping[object, object] | None = None,
    singletons: bool = False,
) -> dict[str, Fractions]:
    """The counts of the e2e family for a document, with its treatment of repetitions.

    `singletons`: whether they count in B³ and CEAFe, as in some copies; LEA skips them in all.
    """
    precision = _one_side(predicted, _by_mention(gold) if mention_to_gold is None else mention_to_gold, singletons)
    recall = _one_side(
        gold, _by_mention(predicted) if mention_to_predicted is None else mention_to_predicted, singletons
    )
    counts: dict[str, Fractions] = {name: (*precision[name], *recall[name]) for name in precision}
    kept = [cluster for cluster in predicted if singletons or len(cluster) != 1]
    similarity = _similarity(gold, kept)
    return counts | {"ceafe": (similarity, len(kept), similarity, len(gold))}


def _one_side(clusters: Clusters, other: Mapping[Any, Any], singletons: bool) -> dict[str, tuple[float, float]]:
    """Numerator and denominator of MUC, B³ and LEA: the parts into which the other side cuts each entity."""
    sums = {name: np.zeros(2) for name in ("muc", "bcub", "lea")}
    for cluster in clusters:
        size = len(cluster)
        parts = Counter(tuple(other[mention]) for mention in cluster if mention in other)
        sums["muc"] += sum(n - 1 for n in parts.values()), size - 1
        if size != 1 or singletons:
            sums["bcub"] += sum(n * n for part, n in parts.items() if singletons or len(part) != 1) / size, size
        if size != 1:
            sums["lea"] += sum(n * (n - 1) for n in parts.values()) / (size - 1), size
    return {name: (float(x), float(y)) for name, (x, y) in sums.items()}


def _similarity(gold: Clusters, predicted: Clusters) -> float:
    """Σ φ4 under the best one-to-one alignment, each copy of a repeated gold mention counted."""
    where: dict[Hashable, set[int]] = {}
    for j, cluster in enumerate(predicted):
        for mention in cluster:
            where.setdefault(mention, set()).add(j)
    cells = Counter((i, j) for i, cluster in enumerate(gold) for mention in cluster for j in where.get(mention, ()))
    if not cells:
        return 0.0
    i, j = np.array(sorted(cells)).T
    phi4 = np.array([2 * n / (len(gold[i]) + len(predicted[j])) for (i, j), n in sorted(cells.items())])
    return float(phi4[assign(i, j, phi4, len(gold), len(predicted))].sum())


def mention_of(mention: object) -> Hashable:
    """A mention; spans given as lists or arrays are made tuples."""
    plain = mention.tolist() if hasattr(mention, "tolist") else mention
    return tuple(plain) if isinstance(plain, list) else plain


def _by_mention(clusters: Clusters) -> dict[Hashable, Sequence[Hashable]]:
    """Mention → its entity; if it has several, the last, as in that code."""
    return {mention: cluster for cluster in clusters for mention in cluster}
