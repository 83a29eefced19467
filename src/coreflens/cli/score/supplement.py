"""--supplement: the scores that the CRAC tasks report beside the official one."""

from __future__ import annotations

from typing import Any

from ..modes import POLICIES, READING, SHAPE, Asked, Mode, Rule, value
from .matches import show_side_by_side
from .sides import settings_of

# name → the options that differ from the official score
ROWS: dict[str, dict[str, Any]] = {
    "official: head match, no singletons": {},
    "partial match": {"match": "partial"},
    "exact match": {"match": "exact", "ties": None},
    "with singletons": {"singletons": "keep"},
}
METRICS = "conll,ceafm,blanc,lea,mor,zero"


class Supplement(Mode):
    """One row of F1 per supplementary way to score."""

    name = "--supplement"
    takes = (READING | POLICIES | SHAPE | {"supplement", "excerpt"}) - {"match", "min-share", "singletons"}
    rules = (Rule(("supplement",), value("protocol", "corefud"), "needs --protocol corefud"),)

    def when(self, asked: Asked) -> bool:
        return bool(asked["supplement"])

    def run(self, asked: Asked) -> None:
        show_side_by_side(ROWS, settings_of(asked) | {"metrics": METRICS}, asked)
