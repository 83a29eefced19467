"""AllenNLP's metric for coreference models that predict an antecedent for each span."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import InputError, Issue
from .e2e import CorefEvaluator

Span: TypeAlias = tuple[int, ...]
Cluster: TypeAlias = tuple[Span, ...]


class ConllCorefScores:
    """Mean precision, recall and F1 of MUC, B³ and CEAFe, from predicted antecedents.

        metric = ConllCorefScores()
        metric(top_spans, antecedent_indices, predicted_antecedents, [{"clusters": gold}, ...])     # once per batch
        precision, recall, f1 = metric.get_metric(reset=True)

    Arguments are tensors, arrays (anything with `tolist`) or nested lists: `top_spans` batch × spans × (start, end),
    `antecedent_indices` batch × spans × candidates, `predicted_antecedents` batch × spans with the number of the
    candidate, or −1 for none.

    allow_singletons   a span may be its own antecedent: an entity of one mention
    legacy             the numbers of the original: singletons as in `CorefEvaluator(legacy=True)`, and a span that is
                       its own antecedent counted twice
    """

    def __init__(self, allow_singletons: bool = False, *, legacy: bool = False) -> None:
        self.allow_singletons, self.legacy = allow_singletons, legacy
        self.reset()

    def reset(self) -> None:
        self._evaluator = CorefEvaluator(legacy=self.legacy)

    def __call__(
        self,
        top_spans: Any,
        antecedent_indices: Any,
        predicted_antecedents: Any,
        metadata_list: Sequence[Mapping[str, Any]],
    ) -> None:
        """Add a batch of documents; `metadata_list` has the gold clusters of each as `clusters`."""
        batch = zip(*map(_plain, (top_spans, antecedent_indices, predicted_antecedents)), metadata_list, strict=True)
        for spans, candidates, antecedents, metadata in batch:
            gold = [tuple(map(tuple, cluster)) for cluster in _plain(metadata["clusters"])]
            predicted = self.get_predicted_clusters(spans, candidates, antecedents, self.allow_singletons)[0]
            if self.legacy:
                own = {tuple(spans[i]) for i, a in enumerate(antecedents) if a >= 0 and candidates[i][a] == i}
                predicted = [(*(m for m in c if m in own), *c) for c in predicted]
            self._evaluator.update(predicted, gold)

    def get_metric(self, reset: bool = False) -> tuple[float, float, float]:
        """Precision, recall and F1, each the mean over the three metrics."""
        found = self._evaluator.get_prf()
        if reset:
            self.reset()
        return found

    @property
    def issues(self) -> list[Issue]:
        """Notes on unusual input that was scored, such as repeated mentions."""
        return self._evaluator.issues

    @staticmethod
    def get_gold_clusters(gold_clusters: Iterable[Iterable[Any]]) -> tuple[list[Cluster], dict[Span, Cluster]]:
        """Clusters as tuples, and the cluster of each mention."""
        clusters = [tuple(map(tuple, cluster)) for cluster in _plain(gold_clusters)]
        return clusters, {mention: cluster for cluster in clusters for mention in cluster}

    @staticmethod
    def get_predicted_clusters(
        top_spans: Any, antecedent_indices: Any, predicted_antecedents: Any, allow_singletons: bool = False
    ) -> tuple[list[Cluster], dict[Span, Cluster]]:
        """The clusters of one document that the antecedents make, and the cluster of each mention."""
        spans, candidates, antecedents = map(_plain, (top_spans, antecedent_indices, predicted_antecedents))
        spans = [tuple(span) for span in spans]
        cluster_of: dict[Span, list[Span]] = {}
        for place, chosen in enumerate(antecedents):
            if chosen < 0:
                continue
            index = candidates[place][chosen]
            if index > place or (index == place and not allow_singletons):
                hint = "allow_singletons=True lets a span be its own antecedent" if index == place else ""
                raise InputError(f"span {place}: its antecedent, span {index}, does not precede it", hint=hint)
            cluster = cluster_of.setdefault(spans[index], [spans[index]])
            if index != place:
                cluster.append(spans[place])
                cluster_of[spans[place]] = cluster
        made = {id(cluster): tuple(cluster) for cluster in cluster_of.values()}
        return list(made.values()), {mention: made[id(cluster)] for mention, cluster in cluster_of.items()}


def _plain(values: Any) -> Any:
    """Nested lists of whatever was given."""
    if hasattr(values, "tolist"):
        return values.tolist()
    return [_plain(x) for x in values] if isinstance(values, (list, tuple)) else values
