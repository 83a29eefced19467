"""How scores are derived, as in `explain`: steps with their lines and tables. Every number is already text."""

from __future__ import annotations

from typing import Any

from ..explanation.derivation import Case, outlined
from ..explanation.structure import Explanation, Step
from ..explanation.writing import as_table
from ..metrics import METRICS, Average
from ..scoring.scores import is_number


def derivations(case: Case, row: int | None = None) -> dict[str, Any]:
    """Metric → its derivation, for all metrics that are shown and apply. The parts of an average are also listed.

    `row`: of the counts, for the derivation of one document.
    """
    found: dict[str, Any] = {}
    shown = [name for name, score in case.result.items() if is_number(score.main)]
    for name in sorted(shown, key=lambda name: not isinstance(METRICS[name], Average)):
        if name not in found:
            explanation = outlined(case, name, row)
            found |= {each.metric: _plain(each) for each in (explanation, *explanation.parts)}
    return found


def _plain(explanation: Explanation) -> dict[str, Any]:
    return {
        "steps": [_step(step) for step in explanation.steps],
        "parts": [part.metric for part in explanation.parts],
    }


def _step(step: Step) -> dict[str, Any]:
    plain: dict[str, Any] = {"title": step.title, "before": step.before, "after": step.after}
    if step.sheet is not None and step.sheet.rows:
        shown = as_table(step.sheet)
        plain |= {"header": shown.header, "rows": shown.rows, "words": sorted(shown.left)}
        plain["total"] = step.sheet.total is not None
    return plain
