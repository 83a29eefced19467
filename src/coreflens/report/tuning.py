"""A search for the best setting of a system, on paper."""

from __future__ import annotations

from ..experiments.tuning import Tuning
from ..paper.plot import Plot
from ..paper.writers import written
from .experiment_plots import surface, trace
from .experiment_tables import tuned


def text(tuning: Tuning) -> str:
    """The best settings and the score of each fold, for a terminal."""
    return written(tuned(tuning), "table", tuning.signature)


def plots(tuning: Tuning) -> dict[str, Plot]:
    """`trace`: the score of each trial and the best so far; `surface`: the objective over the parameters."""
    return {"trace": trace(tuning), **surface(tuning)}
