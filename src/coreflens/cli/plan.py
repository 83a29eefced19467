"""coreflens plan."""

from __future__ import annotations

import json
from typing import Any

import click

from ..estimates.planning import plan
from ..estimates.ratios import ESTIMATED
from ..paper.writers import FORMATS
from ..report.plan import render
from . import echo, notes, output
from .choices import Choice
from .estimate import response_options, sampled_options
from .headings import command
from .modes import Rule
from .paths import FilePath

_EPILOG = """\b
Examples:
  coreflens plan labelled.csv response.csv --half-width 2        how many more records to label
  coreflens plan labelled.csv old.csv new.csv --half-width 1     to decide between two systems
  coreflens plan response.csv --assume other.csv                 before labelling: which design, how many
"""

RULES = (
    Rule(
        ("completed", "weights", "population", "key-columns"),
        lambda asked: asked["assume"] is None,
        "describes labels, and --assume has none",
    ),
)


@command("plan", epilog=_EPILOG, rules=RULES)
@click.argument("files", nargs=-1, required=True, metavar="[LABELLED] RESPONSE...")
@click.option(
    "--assume",
    type=FilePath(),
    metavar="OTHER",
    help="Before labelling: another response in the place of the truth. Compares all designs, or that of --by.",
)
@click.option(
    "--half-width",
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    default=2,
    show_default=True,
    metavar="POINTS",
    help="Half of the interval that is wanted.",
)
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="A,B,...",
    help=f"Metrics that a sample can estimate.  [default: {','.join(ESTIMATED)}]",
)
@sampled_options
@click.option(
    "--confidence",
    type=click.FloatRange(1, 99.99),
    default=95,
    show_default=True,
    help="Confidence level, in percent.",
)
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option(
    "--key-columns",
    metavar="mention=A,entity=B",
    help="Names of the columns of LABELLED, if they are not the usual ones.",
)
@response_options
def plan_command(
    files: tuple[str, ...], metrics: tuple[str, ...], confidence: float, format_: str, **settings: Any
) -> None:
    """Find how many records must be labelled for an interval of a wanted width.

    From the labels so far, for one response or for the difference of two; or, with --assume, before anything is
    labelled.
    """
    names = ",".join(metrics) if metrics else ",".join(ESTIMATED)
    found = plan(*files, metrics=names, confidence=confidence / 100, **settings)
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        output(render(found, format_), format_)
    notes(found.issues)
