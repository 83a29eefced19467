"""How metrics behave on the responses to a key, on paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..experiments.probing import Probe
from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..paper.table import Table, points
from ..paper.writers import written


def text(probe: Probe) -> str:
    """All tables, for a terminal."""
    return written(probed(probe), "table", probe.signature)


def probed(probe: Probe, digits: int = 2) -> list[Table]:
    """The distribution of every metric, degenerate responses, repairs, chains and sizes of entities."""
    titles = {m: METRICS[m].title for m in probe.metrics}
    head = ["lowest", *(f"{10 * k} %" for k in range(1, 10)), "highest", "uneven"]
    rows = [
        [titles[m], *(points(x, digits) for x in probe.deciles(m)), points(probe.unevenness(m), digits)]
        for m in probe.metrics
    ]
    what = "all" if probe.enumerated else "drawn"
    scored = f"{probe.responses:,} responses ({what})"
    tables = [Table([scored, *head], rows, name=f"Quantiles of the scores of {scored}")]
    rows = [[name, *(points(row[m], digits) for m in probe.metrics)] for name, row in probe.degenerate.items()]
    tables.append(Table(["response", *titles.values()], rows, name="Scores of degenerate responses"))
    rows = []
    for m in probe.metrics:
        s = probe.steps[m]
        worst = "" if s.worst is None else f"{points(s.worst.high, digits)} → {points(s.worst.low, digits)}"
        straight = probe.straightness[m]
        shown = "n/a" if straight != straight else f"{straight:.3f}"
        rows.append([titles[m], str(s.raises), str(s.leaves), str(s.lowers), worst, shown])
    header = ["single repairs", "raise", "leave", "lower", "worst", "r² of chains"]
    tables.append(Table(header, rows, name="What single repairs do to each metric"))
    if probe.sizes:
        rows = [[str(size), *(points(abs(row[m]), digits) for m in probe.metrics)] for size, row in probe.sizes.items()]
        header = ["points lost, by entity size", *titles.values()]
        tables.append(Table(header, rows, name="Points that one error costs, by the size of its entity"))
    return tables


def counterexamples(probe: Probe) -> Table | None:
    """Repairs that lower a metric, the worst of each."""
    rows = [
        [METRICS[m].title, w.kind, probe.shown(w.before, w.after), probe.shown(w.after, w.before)]
        for m, s in probe.steps.items()
        if (w := s.worst) is not None
    ]
    return Table(["lowered by", "repair", "before", "after"], rows, left=frozenset(range(4))) if rows else None


def records(probe: Probe) -> Table:
    """One row for each metric and number, at full precision."""
    rows = []
    for m in probe.metrics:
        s = probe.steps[m]
        numbers = {f"decile {k}": x for k, x in enumerate(probe.deciles(m))}
        numbers |= {"unevenness": probe.unevenness(m), "straightness": probe.straightness[m]}
        numbers |= {"raises": s.raises, "leaves": s.leaves, "lowers": s.lowers}
        numbers |= {f"degenerate: {name}": row[m] for name, row in probe.degenerate.items()}
        numbers |= {f"lost by size {size}": row[m] for size, row in probe.sizes.items()}
        rows += [[m, name, "" if x != x else repr(x)] for name, x in numbers.items()]
    return Table(["metric", "what", "value"], rows, left=frozenset({0, 1}))


def plots(probe: Probe) -> dict[str, Plot]:
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
