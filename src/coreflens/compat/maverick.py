"""The evaluators of Maverick, and of BOOKCOREF, whose `metrics.py` has the same counts: relatives of e2e-coref's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import choose
from .e2e import CorefEvaluator, mention_of

_PLACES = {"muc": 0, "b_cubed": 1, "ceafe": 2}
_AVERAGE = "conll2012"


class OfficialCoNLL2012CorefEvaluator(CorefEvaluator):
    """MUC, B³, CEAFe and their mean, by the names `muc`, `b_cubed`, `ceafe` and `conll2012`; predicted before gold.

        evaluator = OfficialCoNLL2012CorefEvaluator()
        evaluator.update(predicted, gold, mention_to_predicted, mention_to_gold)    # once per document
        precision, recall, f1 = evaluator.get_prf("conll2012")

    Unlike e2e-coref, this copy counts singletons, so that its numbers are those of coreflens wherever no mention is
    repeated. `legacy=True` counts a repeated mention as often as it occurs, as the original does.
    """

    _singletons = True

    def __init__(self, *, legacy: bool = False) -> None:
        super().__init__(legacy=legacy)
        self.metrics = dict(_PLACES)

    def get_precision(self, metric: str = _AVERAGE) -> float:
        return self.get_prf(metric)[0]

    def get_recall(self, metric: str = _AVERAGE) -> float:
        return self.get_prf(metric)[1]

    def get_f1(self, metric: str = _AVERAGE) -> float:
        return self.get_prf(metric)[2]

    def get_prf(self, metric: str = _AVERAGE) -> tuple[float, float, float]:
        choose(metric, [*_PLACES, _AVERAGE], "metric of OfficialCoNLL2012CorefEvaluator")
        if metric == _AVERAGE:
            return super().get_precision(), super().get_recall(), super().get_f1()
        return self.evaluators[self.metrics[metric]].get_prf()


class OfficialMentionEvaluator:
    """Precision, recall and F1 of mentions, as sets: `update(predicted, gold)` once per document."""

    def __init__(self) -> None:
        self.tp = self.fp = self.fn = 0

    def update(self, predicted_mentions: Iterable[Any], gold_mentions: Iterable[Any]) -> None:
        predicted, gold = ({mention_of(m) for m in side} for side in (predicted_mentions, gold_mentions))
        self.tp += len(predicted & gold)
        self.fp += len(predicted - gold)
        self.fn += len(gold - predicted)

    def get_precision(self) -> float:
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0

    def get_recall(self) -> float:
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0

    def get_f1(self) -> float:
        precision, recall = self.get_precision(), self.get_recall()
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    def get_prf(self) -> tuple[float, float, float]:
        return self.get_precision(), self.get_recall(), self.get_f1()


class OfficialCharacterEvaluator(OfficialMentionEvaluator):
    """BOOKCOREF's name for the same counts, of the mentions of one character."""
