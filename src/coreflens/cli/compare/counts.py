"""`compare` of saved counts: how files are read and scored is settled in them."""

from __future__ import annotations

from ..modes import INTERVALS, LIMITS, SHAPE, Asked, Mode
from .systems import RULES, holds_counts, run_comparison


class SavedCounts(Mode):
    """Systems whose counts were saved before, ranked and tested."""

    name = "saved counts"
    hint = "how they were read and scored is settled in them"
    takes = (
        SHAPE | INTERVALS | LIMITS
        | {"resamples", "max-pairs", "metrics", "by", "rpf", "show", "baseline", "test", "correction", "plot", "title"}
        | {"paper-rounding", "beside", "macro", "jobs", "save-counts"}
    )  # fmt: skip
    rules = RULES

    def when(self, asked: Asked) -> bool:
        return asked["key"] is not None and all(map(holds_counts, (asked["key"], *asked["systems"])))

    def run(self, asked: Asked) -> None:
        run_comparison(asked)
