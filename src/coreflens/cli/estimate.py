"""coreflens estimate."""

from __future__ import annotations

import json
from typing import Any

import click

from ..corpora.naming import spread
from ..errors import UsageError
from ..estimates.designs import BY
from ..estimates.estimation import RESAMPLES, estimate
from ..estimates.intervals import INTERVALS, RESAMPLED
from ..estimates.ratios import ESTIMATED
from ..paper.writers import FORMATS
from ..report.estimates import DIGITS, render
from . import echo, note, notes, output
from .choices import PLOT, Choice
from .headings import command
from .limits import limited
from .modes import Rule, value
from .paths import FilePath

_EPILOG = """\b
Examples:
  coreflens estimate labelled.csv response.csv                            the column `by` says what was drawn
  coreflens estimate labelled.csv response.csv --by record --precision-from cluster
  coreflens estimate labelled.csv old.csv new.csv                         the paired difference of two systems
  coreflens estimate authors.csv clusters.parquet --by entity --weights size
  coreflens estimate labelled.csv response.csv -m pairs,bcub --format json
\b
labelled.csv:  record,entity,hits        hits: how often the record was drawn, 0 if it was only labelled
               r17,e1,1
               r93,e1,0
"""

RULES = (Rule(("bootstrap", "seed"), value("interval", *RESAMPLED), "needs --interval percentile or bca"),)


def sampled_options(command: Any) -> Any:
    """What was drawn and labelled, for the commands that read a labelled sample."""
    for option in (
        click.option(
            "--population", type=click.IntRange(1), metavar="N", help="How many units there are, if no table says it."
        ),
        click.option(
            "--weights",
            metavar="uniform|size|FILE",
            help="By entity: the weight of each entity. size: 1/size, for entities that were found through records and "
            "are listed once; FILE has the columns entity and weight.",
        ),
        click.option(
            "--completed", is_flag=True, help="By cluster: all other records of the entities met are labelled as well."
        ),
        click.option(
            "--precision-from",
            type=Choice(("cluster",)),
            help="By record: precision comes from the clusters of the drawn records, which are labelled in full.",
        ),
        click.option("--by", type=Choice(BY), help="What was drawn.  [default: what the column `by` says]"),
    ):
        command = option(command)
    return command


def response_options(command: Any) -> Any:
    """How to read the response, and the columns of tables."""
    for option in (
        click.option("--encoding", help="Encoding of the files, if it is not UTF-8."),
        click.option("--response-format", metavar="FORMAT", help="Format of the response, if it is not recognised."),
        click.option(
            "--response-columns",
            metavar="mention=A,entity=B",
            help="Names of the response's columns, if they are not the usual ones.",
        ),
    ):
        command = option(command)
    return limited(command)


@command("estimate", epilog=_EPILOG, rules=RULES)
@click.argument("labelled", type=FilePath())
@click.argument("responses", nargs=-1, required=True, metavar="RESPONSE...")
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="A,B,...",
    help=f"Metrics that a sample can estimate.  [default: {','.join(ESTIMATED)}]",
)
@sampled_options
@click.option("--correct", is_flag=True, help="Subtract the estimated bias from each value (Tin's estimator).")
@click.option(
    "--interval",
    type=Choice(list(INTERVALS)),
    default="beta",
    show_default=True,
    help=f"Kind of interval. {'; '.join(f'{name}: {about}' for name, about in INTERVALS.items())}.",
)
@click.option(
    "--bootstrap",
    type=click.IntRange(1),
    default=RESAMPLES,
    show_default=True,
    metavar="N",
    help="Number of resamples for --interval percentile and bca.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(1, 99.99),
    default=95,
    show_default=True,
    help="Confidence level, in percent.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the resamples.")
@click.option("--plot", type=PLOT, metavar="FILE", help="Draw the intervals, as .svg, .png or .pdf.")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=DIGITS, show_default=True, help="Decimals of the scores.")
@click.option(
    "--key-columns",
    metavar="mention=A,entity=B",
    help="Names of the columns of LABELLED, if they are not the usual ones.",
)
@response_options
def estimate_command(
    labelled: str,
    responses: tuple[str, ...],
    metrics: tuple[str, ...],
    bootstrap: int,
    confidence: float,
    plot: str | None,
    format_: str,
    digits: int,
    **settings: Any,
) -> None:
    """Estimate the scores of RESPONSE from a sample of the truth, with standard errors and intervals.

    LABELLED has one row per record: the record, its true entity, and what the design of the sample needs. RESPONSE is
    known in full. Several responses are compared on the same draws.
    """
    if "-" in responses:
        raise UsageError("a response is read from a file, not from stdin")
    names = ",".join(metrics) if metrics else ",".join(ESTIMATED)
    found = estimate(
        labelled,
        *spread(responses),
        metrics=names,
        resamples=bootstrap,
        confidence=confidence / 100,
        **settings,
    )
    if plot is not None:
        found.plot().save(plot)
        note(f"plot written to {plot}")
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        output(render(found, format_, digits), format_)
    notes(found.issues)
    if format_ == "csv":
        note(f"signature: {found.signature}")
