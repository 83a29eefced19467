"""coreflens score."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import inf, isfinite
from typing import Any

import click

from ..errors import UsageError
from ..metrics import METRICS, spelled
from ..protocols import CHOICES, PROTOCOLS
from ..report import FORMATS, render
from ..results import Result
from ..scoring import score
from . import note

_EPILOG = """\b
Examples:
  coreflens score key.conll response.conll                    all default metrics
  coreflens score key.conll response.conll -m conll           the CoNLL average and its parts
  coreflens score key.conll response.conll --by genre         one line a genre
  coreflens score key.conll response.conll --format latex     a table for the paper
  coreflens score gold/ predicted/ --fail-under conll=70      a gate for CI: exit code 1 below
  zcat out.conll.gz | coreflens score key.conll -             the response from stdin
\b
Exit codes: 0 scored (oddities reported on stderr), 1 a gate failed, 2 usage,
3 input that can't be read or paired.
"""


def policies(command: Callable[..., Any]) -> Callable[..., Any]:
    """One option for each policy, its values and meanings taken from protocols.CHOICES."""
    for name, values in reversed(CHOICES.items()):
        meaning = "; ".join(f"{value}: {text}" for value, text in values.items())
        kind = click.STRING if name == "scope" else click.Choice(list(values))
        metavar = "document|corpus|genre|LABELS.csv" if name == "scope" else None
        command = click.option(f"--{name}", type=kind, metavar=metavar, help=meaning)(command)
    return command


@click.command("score", epilog=_EPILOG, short_help="Score a response against a key.")
@click.argument("key", type=click.Path())
@click.argument("response", type=click.Path())
@click.option(
    "-m", "--metrics", multiple=True, metavar="A,B,...", help="Metrics or sets; `coreflens list metrics` has them all."
)
@click.option("--by", metavar="document|genre|part|LABELS.csv", help="Scores by group, too.")
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="table", show_default=True, help="Of the output."
)
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the points.")
@click.option("--exact", is_flag=True, help="Compute with fractions, and show them.")
@click.option(
    "--fail-under", multiple=True, metavar="METRIC=POINTS", help="Exit with 1 if below; `muc.recall=60` works, too."
)
@click.option("--protocol", type=click.Choice(list(PROTOCOLS)), help="A named recipe for the options below.")
@policies
@click.option("--weights", metavar="METRIC=WEIGHT,...", help="Of the metrics in `mela`.")
@click.option("--key-format", metavar="FORMAT", help="If content does not tell; see `coreflens list formats`.")
@click.option("--response-format", metavar="FORMAT", help="Likewise.")
@click.option("--encoding", help="Of the files, if not UTF-8.")
def score_command(
    key: str,
    response: str,
    metrics: tuple[str, ...],
    by: str | None,
    format_: str,
    digits: int,
    fail_under: tuple[str, ...],
    weights: str | None,
    **settings: Any,
) -> None:
    """Score RESPONSE (what the system found) against KEY (what is right).

    Both are files, directories or - for stdin, in any format that `coreflens list formats` names, recognised by
    content. R, P and F1 are printed in points, with the counts behind them and a signature that says how they were
    computed.
    """
    gates = [_gate(text) for text in fail_under]
    if key == response == "-":
        raise UsageError("only one of key and response can come from stdin")
    more = [*(metric for metric, _, _ in gates), *(["mela"] if weights else [])]  # scored because another option asks
    asked = ",".join(metrics) if metrics else "default"
    settings["metrics"] = ",".join([asked, *more]) if asked.strip(" ,") else asked
    result = score(key, response, weights=weights, **settings)
    if format_ == "html":  # a page of its own, not a fragment
        click.echo('<!doctype html><meta charset="utf-8"><title>coreflens</title>')
    click.echo(render(result, format_, by=by, digits=digits).rstrip("\n"))
    for issue in result.issues:
        note(str(issue))
    if format_ == "csv":
        note(f"signature: {result.signature}")
    failed = [(gate, text) for gate, text in zip(gates, fail_under, strict=True) if _points(result, gate) < gate[2]]
    for gate, text in failed:
        note(f"gate failed: {text}, and it is {_points(result, gate):.{digits}f}")
    if failed:
        sys.exit(1)


def _gate(text: str) -> tuple[str, str, float]:
    """`conll=70` or `muc.recall=60` → metric, part, threshold in points."""
    name, _, number = text.partition("=")
    try:
        threshold = float(number)
    except ValueError:
        threshold = inf
    if not isfinite(threshold):
        raise UsageError(f"'{text}' is not METRIC=POINTS, as in --fail-under conll=70")
    metric, _, part = name.strip().partition(".")
    metric = spelled(metric, METRICS)
    if metric == "derror":
        raise UsageError("--fail-under: a d-error is better the lower it is, so there is no gate for it")
    if part and part not in METRICS[metric].values:
        raise UsageError(f"--fail-under: {metric} has {', '.join(METRICS[metric].values)}, not '{part}'")
    return metric, part, threshold


def _points(result: Result, gate: tuple[str, str, float]) -> float:
    """The number a gate looks at, in points; an undefined one is below every gate."""
    metric, part, _ = gate
    number = getattr(result[metric], part) if part else result[metric].main
    return 100 * float(number) if number == number else -inf
