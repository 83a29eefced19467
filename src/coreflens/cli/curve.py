"""coreflens curve."""

from __future__ import annotations

import json
from typing import Any

import click

from ..errors import UsageError
from ..metrics import METRICS
from ..paper.table import Table, points
from ..paper.writers import FORMATS, WRITERS
from ..studies.curve import SHOWN, STEPS, Curve, curve
from . import echo, note, notes, output
from .choices import PLOT, Choice
from .headings import command
from .paths import FilePath
from .policies import policies

_EPILOG = """\b
Examples:
  coreflens curve truth.csv pairs.csv --score probability
  coreflens curve truth.csv pairs.csv --score probability --plot curve.svg
  coreflens curve truth.csv pairs.csv --score distance --distances -m bcub,pairs
\b
truth.csv:  record_id,entity_id        pairs.csv:  id1,id2,probability
            r1,e1                                  r1,r2,0.97
"""


@command("curve", epilog=_EPILOG)
@click.argument("truth", type=FilePath())
@click.argument("edges", type=FilePath())
@click.option("--score", "score_", required=True, metavar="COLUMN", help="The column of EDGES with the scores.")
@click.option("--distances", is_flag=True, help="The scores are distances: a lower score is a closer link.")
@click.option("--steps", default=str(STEPS), show_default=True, metavar="N|all", help="Largest number of thresholds.")
@click.option("-m", "--metrics", multiple=True, metavar="A,B,...", help=f"Metrics or sets.  [default: {SHOWN}]")
@click.option("--plot", type=PLOT, help="Draw F1 by threshold, as .svg, .png or .pdf.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the intervals.")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@click.option("--key-format", metavar="FORMAT", help="Format of TRUTH, if it is not recognised.")
@click.option("--encoding", help="Encoding of the files, if it is not UTF-8.")
@policies(but=("match", "ties", "zeros", "pair", "align", "extra", "ids", "no_common"))
def curve_command(
    truth: str,
    edges: str,
    score_: str,
    distances: bool,
    steps: str,
    metrics: tuple[str, ...],
    plot: str | None,
    seed: int,
    format_: str,
    digits: int,
    **settings: Any,
) -> None:
    """Cluster records by the scored links in EDGES, at every threshold, and score the clusters against TRUTH.

    TRUTH has one row per record, with its entity. EDGES has one row per link, with two records and a score. Two records
    are in one cluster if links that reach the threshold lead from one to the other. The best threshold of each metric
    comes with a bootstrap interval. It is chosen on the data that it is scored on, so new data will score lower.
    """
    if steps != "all" and not (steps.isdecimal() and int(steps) >= 2):
        raise UsageError(f"--steps must be a number of at least 2, or all, not '{steps}'")
    found = curve(
        truth,
        edges,
        score_,
        metrics=",".join(metrics) if metrics else SHOWN,
        distances=distances,
        steps=None if steps == "all" else int(steps),
        seed=seed,
        **{name: value for name, value in settings.items() if value is not None},
    )
    notes(found.issues)
    if plot is not None:
        found.plot().save(plot)
        note(f"plot written to {plot}")
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False))
        return
    if format_ == "csv":
        output(WRITERS["csv"](_records(found), ""), format_)
        note(f"signature: {found.signature}")
        return
    output(WRITERS[format_](_by_threshold(found, digits), ""), format_)
    echo("")
    output(WRITERS[format_](_best(found, digits), found.signature), format_)


def _by_threshold(found: Curve, digits: int) -> Table:
    values = {metric: found[metric] for metric in found.metrics}
    best = {metric: found.best(metric) for metric in found.metrics}
    rows = [
        [f"{threshold:g}", f"{found.clusters[k]:,}"]
        + [points(values[m][k], digits) + ("*" if best[m] == k else "") for m in found.metrics]
        for k, threshold in enumerate(found.thresholds)
    ]
    name = "F1 by threshold (* best)"
    return Table(["threshold", "clusters", *(METRICS[m].title for m in found.metrics)], rows, name=name)


def _best(found: Curve, digits: int) -> Table:
    rows = []
    for metric in found.metrics:
        if (at := found.best(metric)) is None:
            continue
        interval = found.intervals.get(metric)
        ends = [] if interval is None else [points(x, digits) for x in (interval[0].low, interval[0].high)]
        bounds = " to ".join(ends) or "n/a"
        numbers = (found.values(metric, part)[at] for part in ("recall", "precision", "main"))
        cells = ["" if x != x else points(x, digits) for x in numbers]
        rows.append([METRICS[metric].title, f"{found.thresholds[at]:g}", *cells, bounds])
    return Table(["best", "threshold", "R", "P", "F1", "95 %"], rows, name="The best threshold of each metric")


def _records(found: Curve) -> Table:
    records = found.records()
    rows = [["" if x is None else x if isinstance(x, str) else repr(x) for x in record.values()] for record in records]
    return Table(["threshold", "clusters", "metric", "recall", "precision", "f1"], rows)
