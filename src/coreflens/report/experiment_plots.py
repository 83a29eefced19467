"""Plots of experiments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..metrics import METRICS
from ..paper.plot import Plot, Series

if TYPE_CHECKING:
    from ..experiments.probing import Probe
    from ..experiments.space import Axis
    from ..experiments.tuning import Tuning


def trace(tuning: Tuning) -> Plot:
    """What each trial scored, in their order, and the best score so far."""
    from ..experiments.tuning import title

    points, best, top = [], [], -math.inf
    for number, score in enumerate(tuning.scores, start=1):
        top = max(top, score)
        points.append((number, 100 * score if score > -math.inf else math.nan))
        best.append(100 * top if top > -math.inf else math.nan)
    across = [float(x) for x, _ in points]
    series = [Series("best so far", across, best), Series("trial", across, [y for _, y in points])]
    return Plot("line", f"Search: {tuning.search}", "trial", title(tuning.objective), series)


def surface(tuning: Tuning) -> dict[str, Plot]:
    """The objective over two parameters as a map of its best values, or over one as a line."""
    from ..experiments.tuning import title

    varied = [axis for axis in tuning.space.axes if len(axis.values) > 1]
    if not varied:
        return {}
    axes = varied[:2]
    best = _best_by_values(tuning, axes)
    what = title(tuning.objective)
    if len(axes) == 1:
        return {"surface": _over_one(axes[0], best, what)}
    across, down = axes
    rows = [
        Series(y, [], [best.get((x, y), math.nan) for x in across.values], labels=across.values)
        for y in reversed(down.values)
    ]
    rest = "" if len(varied) <= 2 else ", at the best of the others"
    name = f"{what} over {across.name} and {down.name}{rest}"
    return {"surface": Plot("map", name, across.name, down.name, rows)}


def _best_by_values(tuning: Tuning, axes: Sequence[Axis]) -> dict[tuple[str, ...], float]:
    """Values of some parameters → the best score with them, in points."""
    best: dict[tuple[str, ...], float] = {}
    for trial, score in zip(tuning.trials, tuning.scores, strict=True):
        values = tuple(trial.setting[axis.name] for axis in axes)
        if score > -math.inf:
            best[values] = max(best.get(values, -math.inf), 100 * score)
    return best


def _over_one(axis: Axis, best: Mapping[tuple[str, ...], float], what: str) -> Plot:
    """A line, or bars if the values of the parameter are words."""
    values = [value for value in axis.values if (value,) in best]
    scores = [best[value,] for value in values]
    if axis.numbers is None:
        return Plot("bar", f"{what} by {axis.name}", what, "", [Series(what, [], scores, labels=values)])
    line = Series(what, [float(value) for value in values], scores)
    return Plot("line", f"{what} by {axis.name}", axis.name, what, [line])


def probe_plots(probe: Probe) -> dict[str, Plot]:
    """How scores are distributed, how they rise along chains of repairs, and what an error costs by entity size."""
    plots = {"distribution": _distribution(probe)}
    chains = _along_chains(probe)
    if chains is not None:
        plots["chains"] = chains
    if len(probe.sizes) > 1:
        plots["sizes"] = _lost_by_size(probe)
    return plots


_SHARES = [10.0 * k for k in range(11)]


def _distribution(probe: Probe) -> Plot:
    lines = []
    for metric in probe.metrics:
        if np.isfinite(probe.scores[metric]).any():
            deciles = [100 * score for score in probe.deciles(metric)]
            lines.append(Series(METRICS[metric].title, _SHARES, deciles))
    what = "all responses" if probe.enumerated else "responses drawn at random"
    return Plot("line", f"Scores of {what}", "share of the responses (%)", "score", lines)


def _along_chains(probe: Probe) -> Plot | None:
    bands = _BAND if len(probe.metrics) <= _BANDS else _BAND[:1]
    lines = []
    for metric in probe.metrics:
        if np.isfinite(probe.chains[metric]).all():
            scores = [100 * of_chains(probe.chains[metric], axis=0) for of_chains in bands]
            lines.append(Series(METRICS[metric].title, _SHARES, *scores))
    return Plot("line", "Along chains of repairs", "repairs done (%)", "score", lines) if lines else None


def _lost_by_size(probe: Probe) -> Plot:
    sizes = [float(size) for size in probe.sizes]
    lines = []
    for metric in probe.metrics:
        lost = [100 * abs(scores[metric]) for scores in probe.sizes.values()]
        lines.append(Series(METRICS[metric].title, sizes, lost))
    name = "One mention of a perfect entity is alone"
    return Plot("line", name, "mentions of the entity", "points lost", lines)


def _quartile(share: float) -> Callable[..., Any]:
    return lambda values, axis: np.quantile(values, share, axis=axis)


_BANDS = 4  # with more metrics, bands would hide each other
_BAND = (np.mean, _quartile(0.25), _quartile(0.75))
