"""Ways in from other tools: their calls, argument orders and names, with the numbers of coreflens.

    CorefEvaluator      of neural coreference code (e2e-coref and its descendants)
    ConllCorefScores    of AllenNLP, fed with antecedents
    Coval               of HuggingFace, `evaluate.load("coval")`
    CorefMetric         update, compute and reset, as in torchmetrics

None of them imports the framework it stands in for. Everywhere else in coreflens the key comes first; here the
predictions do, because they do there. `legacy=True`, where it exists, gives the numbers of the original.
"""

from __future__ import annotations

from .allennlp import ConllCorefScores
from .e2e import CorefEvaluator
from .huggingface import Coval
from .torchmetrics import CorefMetric

__all__ = ["ConllCorefScores", "CorefEvaluator", "CorefMetric", "Coval"]
