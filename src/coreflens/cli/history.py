"""coreflens history."""

from __future__ import annotations

import json

import click

from ..experiments.history import add_stage, read_history, shown_metrics
from ..paper.writers import FORMATS, WRITERS
from ..report.history import history_plot, staged
from . import echo, note, output
from .choices import PLOT, Choice
from .headings import group
from .limits import reading
from .paths import FilePath

_EPILOG = """\b
Examples:
  coreflens score key.conll v1.conll -m conll,lea --save-counts v1.json
  coreflens history add progress.jsonl v1.json --label v1 --date 2024-05-01
  coreflens history show progress.jsonl
  coreflens history plot progress.jsonl progress.svg -m conll,lea
"""


@group("history", epilog=_EPILOG)
def history_command() -> None:
    """Keep the counts of every stage of a system, and show how its scores changed, with intervals."""


@history_command.command("add")
@click.argument("file", type=FilePath(dir_okay=False))
@click.argument("counts", type=FilePath())
@click.option("--label", required=True, help="Name of the stage.")
@click.option("--date", "day", metavar="YYYY-MM-DD", help="Day of the stage. By default today.")
@reading
def add_command(file: str, counts: str, label: str, day: str | None) -> None:
    """Add COUNTS, written by `coreflens score --save-counts`, to the history FILE."""
    stages = add_stage(file, counts, label, day)
    note(f"stage {len(stages)} of {file}: {label}, {stages[-1].date}")


@history_command.command("show")
@click.argument("file", type=FilePath(dir_okay=False))
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="A,B,...",
    help="Metrics, by default CoNLL, if all stages have it.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the intervals.")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@reading
def show_command(file: str, metrics: tuple[str, ...], seed: int, format_: str, digits: int) -> None:
    """List the stages of a history with their scores and 95 % intervals."""
    stages = read_history(file)
    names = shown_metrics(stages, ",".join(metrics) if metrics else None)
    if format_ == "json":
        found = [
            {"label": s.label, "date": s.date, "scores": {m: _plain(s.interval(m, seed)) for m in names}}
            for s in stages
        ]
        echo(json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False))
        return
    output(WRITERS[format_](staged(stages, names, seed, digits, exact=format_ == "csv"), ""), format_)


def _plain(interval: object) -> dict[str, float | None]:
    numbers = {name: getattr(interval, name) for name in ("score", "low", "high")}
    return {name: x if x == x else None for name, x in numbers.items()}


@history_command.command("plot")
@click.argument("file", type=FilePath(dir_okay=False))
@click.argument("out", metavar="OUT", type=PLOT)
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="A,B,...",
    help="Metrics, by default CoNLL, if all stages have it.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the intervals.")
@reading
def plot_command(file: str, out: str, metrics: tuple[str, ...], seed: int) -> None:
    """Draw the scores of all stages with their 95 % intervals, as .svg, .png or .pdf."""
    history_plot(read_history(file), ",".join(metrics) if metrics else None, seed).save(out)
    note(f"plot written to {out}")
