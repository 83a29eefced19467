"""What the parts of a system are worth, on paper."""

from __future__ import annotations

from math import nan

from ..experiments.ablation import Ablation
from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..paper.writers import written
from .experiment_tables import ablated
from .experiment_tables import ablated_records as records

__all__ = ["records"]


def text(ablation: Ablation) -> str:
    """What each part is worth, for a terminal."""
    return written(ablated(ablation), "table", ablation.signature)


def plot(ablation: Ablation) -> Plot:
    """What each part is worth, in points: left out, and alone."""
    names = list(dict.fromkeys(p.name for p in ablation.parts))
    series = []
    for how in ("left out", "alone"):
        worth = {p.name: p.test.difference for p in ablation.parts if p.how == how and p.test is not None}
        if worth:
            series.append(Series(how, [], [100 * worth.get(name, nan) for name in names], labels=names))
    title = f"What each part is worth: {METRICS[ablation.metric].title}"
    return Plot("bar", title, "points gained by the part", "", series, height=max(320, 110 + 34 * len(names)))
