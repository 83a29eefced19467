"""A search for the best setting of a system, on paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..experiments.space import Axis
from ..experiments.tuning import Tuning, interval, title
from ..paper.plot import Plot, Series
from ..paper.table import Table, points
from ..paper.writers import written
from .intervals import bounded


def text(tuning: Tuning) -> str:
    """The best settings and the score of each fold, for a terminal."""
    return written(tuned(tuning), "table", tuning.signature)


def plots(tuning: Tuning) -> dict[str, Plot]:
    """`trace`: the score of each trial and the best so far; `surface`: the objective over the parameters."""
    return {"trace": trace(tuning), **surface(tuning)}


def tuned(tuning: Tuning, digits: int = 2) -> list[Table]:
    """The best settings on the documents used for tuning, and the score of each fold with the setting of the others."""
    names, what = [axis.name for axis in tuning.space.axes], title(tuning.objective)
    rows = [
        [*(setting[name] for name in names), bounded(interval(result, tuning.objective, tuning.seed), digits)]
        for setting, result in tuning.ranked
    ]
    header = [*names, f"{what}, tuned on these texts"]
    tables = [Table(header, rows, left=frozenset(), name="The best settings on the texts they are tuned on")]
    if tuning.folds:
        rows = [
            [
                str(number),
                str(len(fold.documents)),
                *(fold.setting[name] for name in names),
                points(fold.tuned, digits),
                points(fold.held_out, digits),
            ]
            for number, fold in enumerate(tuning.folds, start=1)
        ]
        size = sum(len(fold.documents) for fold in tuning.folds)
        rows.append(["all", str(size), *("" for _ in names), "", bounded(tuning.interval, digits)])
        name = f"{what} of the documents held out, by fold"
        tables.append(Table(["held out", "documents", *names, "tuned", what], rows, strong=1, name=name))
    return tables


def tried(tuning: Tuning) -> Table:
    """One row for each trial, numbers at full precision."""
    names = [axis.name for axis in tuning.space.axes]
    rows = [
        [*(trial.setting[name] for name in names), "" if trial.failed else repr(score), trial.failed]
        for trial, score in zip(tuning.trials, tuning.scores, strict=True)
    ]
    return Table([*names, tuning.objective, "failed"], rows)


def trace(tuning: Tuning) -> Plot:
    """What each trial scored, in their order, and the best score so far."""
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
