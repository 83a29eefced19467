"""Plots of experiments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..metrics import METRICS
from ..paper.plot import Plot, Series

if TYPE_CHECKING:
    from ..experiments.probing import Probe
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

    varied = [k for k, axis in enumerate(tuning.space.axes) if len(axis.values) > 1]
    if not varied:
        return {}
    found: dict[tuple[str, ...], float] = {}
    axes = [tuning.space.axes[k] for k in varied[:2]]
    for trial, score in zip(tuning.trials, tuning.scores, strict=True):
        place = tuple(trial.setting[axis.name] for axis in axes)
        if score > -math.inf:
            found[place] = max(found.get(place, -math.inf), 100 * score)
    what = title(tuning.objective)
    rest = "" if len(varied) <= 2 else ", at the best of the others"
    if len(axes) == 1:
        values = [(value, found[(value,)]) for value in axes[0].values if (value,) in found]
        if axes[0].numbers is None:
            bars = Series(what, [], [y for _, y in values], labels=[x for x, _ in values])
            return {"surface": Plot("bar", f"{what} by {axes[0].name}", what, "", [bars])}
        line = Series(what, [float(x) for x, _ in values], [y for _, y in values])
        return {"surface": Plot("line", f"{what} by {axes[0].name}", axes[0].name, what, [line])}
    rows = [
        Series(y, [], [found.get((x, y), math.nan) for x in axes[0].values], labels=axes[0].values)
        for y in reversed(axes[1].values)
    ]
    name = f"{what} over {axes[0].name} and {axes[1].name}{rest}"
    return {"surface": Plot("map", name, axes[0].name, axes[1].name, rows)}


def probe_plots(probe: Probe) -> dict[str, Plot]:
    """How scores are distributed, how they rise along chains of repairs, and what an error costs by entity size."""
    title = {m: METRICS[m].title for m in probe.metrics}
    shares = [10.0 * k for k in range(11)]
    spread = [
        Series(title[m], shares, [100 * x for x in probe.deciles(m)])
        for m in probe.metrics
        if np.isfinite(probe.scores[m]).any()
    ]
    what = "all responses" if probe.enumerated else "responses drawn at random"
    plots = {"distribution": Plot("line", f"Scores of {what}", "share of the responses (%)", "score", spread)}
    bands = _BAND if len(probe.metrics) <= _BANDS else _BAND[:1]
    along = [
        Series(title[m], shares, *(100 * f(probe.chains[m], axis=0) for f in bands))
        for m in probe.metrics
        if np.isfinite(probe.chains[m]).all()
    ]
    if along:
        plots["chains"] = Plot("line", "Along chains of repairs", "repairs done (%)", "score", along)
    if len(probe.sizes) > 1:
        sizes = [float(size) for size in probe.sizes]
        lost = [Series(title[m], sizes, [100 * abs(row[m]) for row in probe.sizes.values()]) for m in probe.metrics]
        name = "One mention of a perfect entity is alone"
        plots["sizes"] = Plot("line", name, "mentions of the entity", "points lost", lost)
    return plots


def _quartile(share: float) -> Callable[..., Any]:
    return lambda values, axis: np.quantile(values, share, axis=axis)


_BANDS = 4  # with more metrics, bands would hide each other
_BAND = (np.mean, _quartile(0.25), _quartile(0.75))
