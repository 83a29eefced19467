"""--engine duckdb and spark: tables of mentions of any size, of which only the counts are known."""

from __future__ import annotations

from collections.abc import Sequence

from ...conditions import is_attribute
from ..modes import DRAWS, ENGINE, GATES, POLICIES, SHAPE, Asked, Rule, flags, value
from .plain import RULES, OneScore

# Policies about words and annotation that tables of mentions do not have.
_WORDS = {"min-share", "ties", "zeros", "split-antecedents", "on"}


class OtherEngine(OneScore):
    """One result, from an engine that has no words and no files."""

    name = "--engine duckdb or spark"
    takes = (
        POLICIES | SHAPE | DRAWS | GATES | ENGINE
        | {"extra", "full-key", "metrics", "weights", "exact", "by", "rpf", "save-counts"}
    ) - _WORDS  # fmt: skip
    rules = (
        *RULES,
        Rule(
            ("by",),
            lambda asked: not is_attribute(asked["by"]),
            "entity.NAME or mention.NAME needs --engine memory",
        ),
        Rule(("memory-limit", "spill"), value("engine", "duckdb"), "needs --engine duckdb"),
        Rule(("master",), value("engine", "spark"), "needs --engine spark"),
    )

    def when(self, asked: Asked) -> bool:
        return asked["engine"] in ("duckdb", "spark")

    def refusal(self, options: Sequence[str]) -> str:
        verb = "needs" if len(options) == 1 else "need"
        return f"{flags(options)} {verb} --engine memory"
