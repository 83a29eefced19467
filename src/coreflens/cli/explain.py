"""coreflens explain."""

from __future__ import annotations

from typing import Any

import click

from ..errors import UsageError
from ..explanation import explain
from ..report.explanation import FORMATS
from . import echo, notes
from .choices import Choice
from .headings import command
from .limits import reading_jobs
from .modes import Rule
from .paths import FilePath
from .policies import inputs, policies, protocol

_EPILOG = """\b
Examples:
  coreflens explain key.conll response.conll -m muc           how R, P and F1 are computed
  coreflens explain key.conll response.conll -m blanc --document nw/a_0
  coreflens explain key.conll response.conll --document nw/a_0 --entity K3     the share of one entity
  coreflens explain key.conll response.conll -m lea --limit 40     show more entities
  coreflens explain key.json response.json -m ceafe --format latex     for the appendix
"""


RULES = (
    Rule(
        ("average",),
        lambda asked: asked["document"] is None,
        "can't be combined with --document: one document has no average",
    ),
    Rule(("weights",), lambda asked: asked["metric"] == "mela", "needs -m mela"),
)


@command("explain", epilog=_EPILOG, rules=RULES)
@click.argument("key", type=FilePath())
@click.argument("response", type=FilePath())
@click.option(
    "-m",
    "--metric",
    default="conll",
    show_default=True,
    help="Metric to explain. `coreflens list metrics` lists them all.",
)
@click.option("--document", metavar="LABEL", help="Explain the score of this document only.")
@click.option(
    "--entity", metavar="K3", help="Explain what this entity earns: K1, K2, ... of the key, R1, ... of RESPONSE."
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    help="Rows of a table. In longer tables, the rows that lose most are shown and the rest is summed.",
)
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), help="Decimals of the scores: 2, or 3 with --paper-rounding.")
@click.option("--paper-rounding", is_flag=True, help="Compute F from the rounded P and R, as Cai & Strube 2010 did.")
@click.option(
    "--exact/--float",
    "exact",
    default=None,
    help="Show fractions or decimals. By default, fractions if there are few mentions.",
)
@protocol
@policies()
@click.option("--weights", metavar="METRIC=WEIGHT,...", help="Weights of the metrics in `mela`.")
@reading_jobs
@inputs
def explain_command(key: str, response: str, format_: str, **settings: Any) -> None:
    """Derive the score of RESPONSE against KEY, with the actual numbers.

    The entities, partitions, credits, alignments or links that the metric counts add up to the score that `coreflens
    score` reports. Small documents are shown in full. For large ones, the documents and entities that lose most are
    shown, and the rest as a sum.
    """
    if key == response == "-":
        raise UsageError("only one of key and response can come from stdin")
    explanation = explain(key, response, **settings)
    if format_ == "html":  # a whole page, not a fragment
        echo('<!doctype html><meta charset="utf-8"><title>coreflens</title>')
    echo(explanation.render(format_))
    notes(explanation.issues)
