"""Replacements for the classes of other tools: their calls, argument orders and names, with the numbers of coreflens.

    CorefEvaluator                    of neural coreference code (e2e-coref and its descendants)
    OfficialCoNLL2012CorefEvaluator   of Maverick and BOOKCOREF, with OfficialMentionEvaluator (Maverick) and
                                      OfficialCharacterEvaluator (BOOKCOREF)
    ConllCorefScores                  of AllenNLP, fed with antecedents
    Coval                             of HuggingFace, `evaluate.load("coval")`
    CorefMetric                       update, compute and reset: forwards to `coreflens.integrations.CorefMetric`

None of them imports the framework that it replaces. Elsewhere in coreflens the key comes first. Here the predictions
come first, as in the originals. `legacy=True`, where it exists, gives the numbers of the original.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..integrations import CorefMetric as CorefMetric
    from .allennlp import ConllCorefScores as ConllCorefScores
    from .e2e import CorefEvaluator as CorefEvaluator
    from .huggingface import Coval as Coval
    from .maverick import OfficialCharacterEvaluator as OfficialCharacterEvaluator
    from .maverick import OfficialCoNLL2012CorefEvaluator as OfficialCoNLL2012CorefEvaluator
    from .maverick import OfficialMentionEvaluator as OfficialMentionEvaluator

_CLASSES = {
    "ConllCorefScores": "allennlp",
    "CorefEvaluator": "e2e",
    "CorefMetric": "torchmetrics",
    "Coval": "huggingface",
    "OfficialCharacterEvaluator": "maverick",
    "OfficialCoNLL2012CorefEvaluator": "maverick",
    "OfficialMentionEvaluator": "maverick",
}

__all__ = [
    "ConllCorefScores",
    "CorefEvaluator",
    "CorefMetric",
    "Coval",
    "OfficialCharacterEvaluator",
    "OfficialCoNLL2012CorefEvaluator",
    "OfficialMentionEvaluator",
    "conll_scorer",
    "corefud_scorer",
]


def __getattr__(name: str) -> Any:
    if name not in _CLASSES:
        raise AttributeError(f"module 'coreflens.compat' has no attribute '{name}'")
    return getattr(import_module(f".{_CLASSES[name]}", __name__), name)
