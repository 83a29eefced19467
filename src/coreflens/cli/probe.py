"""coreflens probe."""

from __future__ import annotations

import json
from typing import Any

import click

from ..experiments.probing import IDLE, MOST_MENTIONS, probe
from ..paper.writers import FORMATS, written
from ..report.probe import counterexamples, probed, records
from . import bar, echo, note, notes, output
from .choices import PLOT, Choice
from .headings import command
from .paths import FilePath
from .policies import key_input, policies, protocol
from .tune import save_plots

_EPILOG = """\b
Examples:
  coreflens probe small.conll -m muc,bcub,ceafe,lea              all responses to a small key
  coreflens probe key.conll --samples 5000 --plot probe.svg      responses drawn at random, with plots
  coreflens probe small.conll -m blanc --missing --write cases/  allow missing mentions; write counterexamples
"""


@command("probe", epilog=_EPILOG)
@click.argument("key", type=FilePath())
@click.option("-m", "--metrics", multiple=True, metavar="A,B,...", help="Metrics or sets, by default the default set.")
@click.option(
    "--samples",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Number of responses to draw, if there are too many to enumerate.",
)
@click.option(
    "--chains", type=click.IntRange(1), default=100, show_default=True, help="Number of chains of repairs to follow."
)
@click.option("--missing", is_flag=True, help="Responses may lack mentions of the key.")
@click.option(
    "--max-mentions",
    type=click.IntRange(1),
    default=MOST_MENTIONS,
    show_default=True,
    metavar="N",
    help="The largest key that is taken, in mentions. The time grows with their square.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option(
    "--write", type=FilePath(file_okay=False), help="Write key and counterexamples to this directory, ready to score."
)
@click.option("--plot", type=PLOT, help="Write FILE-distribution.svg, -chains.svg, -sizes.svg (or .png, .pdf).")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@protocol
@policies(but=(*IDLE, "scope"))  # responses are made document by document
@key_input
def probe_command(
    key: str,
    metrics: tuple[str, ...],
    write: str | None,
    plot: str | None,
    format_: str,
    digits: int,
    **settings: Any,
) -> None:
    """Score every response to KEY that has its mentions, or random ones, and judge the metrics by the scores.

    Up to 20,000 responses are enumerated. The tables show how the scores are distributed (uneven: how far they are from
    all being equally frequent) and what degenerate responses score. They also show how many single repairs raise, keep
    or lower a metric, how evenly it rises along chains of repairs, and what one error costs in entities of each size.
    """
    found = probe(key, metrics=",".join(metrics) if metrics else None, progress=bar("probing"), **settings)
    if plot is not None:
        save_plots(found.plots(), plot)
    if write is not None:
        note(f"{len(found.write(write))} files below {write}")
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        tables = [records(found)] if format_ == "csv" else probed(found, digits)
        examples = None if format_ == "csv" else counterexamples(found)
        output(written([*tables, *([] if examples is None else [examples])], format_, found.signature), format_)
    notes(found.issues)
