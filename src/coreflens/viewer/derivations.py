"""How scores come about, in the words of `explain`: steps with their lines and tables, every number written out."""

from __future__ import annotations

from typing import Any

from ..explanation.derivation import NOTATION, Case, explained
from ..explanation.structure import Explanation, Step
from ..explanation.writing import as_table
from ..metrics import METRICS, Average

__all__ = ["NOTATION", "derivations"]


def derivations(case: Case) -> dict[str, Any]:
    """Metric → its derivation, for all that are shown; the parts of an average stand beside it."""
    shown = list(case.result)
    for name in case.result:
        metric = METRICS[name]
        if isinstance(metric, Average):
            shown += [part for part, weight in metric.weights(case.result.options).items() if weight]
    return {name: _plain(explained(case, name, whole=False)) for name in dict.fromkeys(shown) if _applies(case, name)}


def _applies(case: Case, name: str) -> bool:
    """Not to mentions that differ, where the metric needs equal ones: its score is n/a."""
    return name not in case.result or case.result[name].main == case.result[name].main


def _plain(explanation: Explanation) -> dict[str, Any]:
    return {
        "steps": [_step(step) for step in explanation.steps],
        "parts": [part.metric for part in explanation.parts],
    }


def _step(step: Step) -> dict[str, Any]:
    plain: dict[str, Any] = {"title": step.title, "before": step.before, "after": step.after}
    if step.sheet is not None and step.sheet.rows:
        shown = as_table(step.sheet)
        plain |= {"header": shown.header, "rows": shown.rows, "words": sorted(step.sheet.words)}
        plain["total"] = step.sheet.total is not None
    return plain
