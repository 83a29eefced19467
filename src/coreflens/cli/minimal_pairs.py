"""coreflens minimal-pairs."""

from __future__ import annotations

import json
from typing import Any

import click

from ..errors import UsageError
from ..paper.table import Table
from ..paper.writers import FORMATS, WRITERS
from ..studies.minimal_pairs import IDLE, RESAMPLES, MinimalPairs, minimal_pairs
from . import echo, note, output
from .choices import Choice
from .headings import command
from .paths import FilePath
from .policies import inputs, policies, protocol

_EPILOG = """\b
Examples:
  coreflens minimal-pairs key.conll response.conll --labels items.csv --template id --factor pronoun,case,stereotype
  coreflens minimal-pairs key.conllu response.conllu --template sentid --factor gender     labels from the file itself
  coreflens minimal-pairs key.conll response.conll --labels items.csv --template id --factor pronoun --format json
\b
items.csv:  document,id,pronoun,case,stereotype
            d1,accountant-1,she,nominative,against
            d2,accountant-1,he,nominative,with
"""


@command("minimal-pairs", epilog=_EPILOG)
@click.argument("key", type=FilePath())
@click.argument("response", type=FilePath())
@click.option("--template", required=True, metavar="LABEL", help="The label that variants of one text share.")
@click.option("--factor", "factors", required=True, metavar="A,B,...", help="The labels in which variants differ.")
@click.option(
    "--labels",
    type=FilePath(),
    help="A CSV or TSV file: the document in the first column, then one column per label.",
)
@click.option(
    "--bootstrap",
    "resamples",
    type=click.IntRange(100),
    default=RESAMPLES,
    show_default=True,
    help="Resamples of the templates for the intervals.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the intervals.")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@protocol
@policies(but=(*IDLE, "scope"))
@inputs
def minimal_pairs_command(key: str, response: str, format_: str, digits: int, **settings: Any) -> None:
    """Show how RESPONSE resolves texts of KEY that differ in one thing only, as in WinoBias, Winogender and WinoPron.

    Every document is a variant of a template. It is right if the response has the mentions of the key in the same
    entities as the key. Labels of the documents say which template each belongs to, and how it differs from the others.
    The tables show the accuracy of each combination of the factors, the differences between two values within the
    templates that have both, and how many templates are right in all their variants. Intervals resample templates.
    """
    if key == response == "-":
        raise UsageError("only one of key and response can come from stdin")
    found = minimal_pairs(key, response, resamples=settings.pop("resamples"), **settings)
    for issue in found.issues:
        note(str(issue))
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False))
        return
    if format_ == "csv":
        output(WRITERS["csv"](_records(found), ""), format_)
        note(f"signature: {found.signature}")
        return
    tables = found.tables(digits)
    for place, table in enumerate(tables):
        last = place == len(tables) - 1
        output(WRITERS[format_](table, found.signature if last else ""), format_)
        if not last:
            echo("")


def _records(found: MinimalPairs) -> Table:
    """Every number as one row: what it measures, the number of cases, the value and its interval."""
    rows = [[x if isinstance(x, str) else _number(x) for x in record.values()] for record in found.records()]
    return Table(["what", "of", "number", "value", "low", "high"], rows, frozenset({0, 1}))


def _number(x: float) -> str:
    return "" if x != x else repr(x)
