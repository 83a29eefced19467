"""Plots of experiments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..report.plots import Plot, Series

if TYPE_CHECKING:
    from .tuning import Tuning


def trace(tuning: Tuning) -> Plot:
    """What each trial scored, in their order, and the best score so far."""
    from .tuning import title

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
    from .tuning import title

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


def named(labels: Sequence[str], values: Sequence[float], title: str, axis: str, series: str = "") -> Plot:
    """Bars, one for each label."""
    height = max(400.0, 110 + 26.0 * len(labels))
    return Plot("bar", title, axis, "", [Series(series, [], values, labels=labels)], height=height)
