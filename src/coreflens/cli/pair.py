"""coreflens pair."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click

from ..corpora.compatibility import Twinless, pair
from ..errors import UsageError
from ..files.writing import save
from ..options import CHOICES, Pair
from ..paper.table import Table
from ..paper.writers import WRITERS
from . import echo
from .choices import Choice
from .headings import command
from .paths import FilePath
from .policies import inputs

_EPILOG = """\b
Examples:
  coreflens pair key.conll response.conll                      before the first score, or after a strange one
  coreflens pair key.conll response.conll --format json        every document, for scripts
  coreflens pair key.conll response.conll --twinless list.csv  the mentions that only one side has
  coreflens pair key.conll response.jsonl --align characters   compare by the text if tokens differ
\b
Exit codes: 0 everything is paired, 1 something is wrong, 2 usage, 3 input that can't be read or paired.
"""


def _about(option: str) -> str:
    return "; ".join(f"{value}: {text}" for value, text in CHOICES[option].items())


@command("pair", epilog=_EPILOG)
@click.argument("key", type=FilePath())
@click.argument("response", type=FilePath())
@click.option(
    "--format", "format_", type=Choice(["text", "json"]), default="text", show_default=True, help="Output format."
)
@click.option("--pair", "pair_", type=Choice(list(CHOICES["pair"])), help=_about("pair"))
@click.option("--align", type=Choice(list(CHOICES["align"])), help=_about("align"))
@click.option(
    "--twinless",
    type=FilePath(),
    metavar="FILE",
    help="Write a CSV list of the mentions that only one side has, both singletons and resolved ones.",
)
@inputs
def pair_command(
    key: str, response: str, format_: str, pair_: Pair | None, twinless: str | None, **settings: Any
) -> None:
    """Check whether KEY and RESPONSE fit together, without scoring them.

    The report lists which documents are paired, missing or extra. It shows where tokens, words or sentences first
    differ, with file and line of both, and how many mentions both sides have in common. It names likely mistakes with
    the evidence: swapped files, exclusive ends, counting from 1, exchanged texts, one file given twice.
    """
    if key == response == "-":
        raise UsageError("only one of key and response can come from stdin")
    pairs = pair(key, response, pair=pair_, **settings)
    if twinless is not None:
        save([WRITERS["csv"](_listed(pairs.twinless), "")], twinless)
    echo(pairs.to_json() if format_ == "json" else str(pairs))
    if not pairs.ok:
        sys.exit(1)


def _listed(twinless: Iterable[Twinless]) -> Table:
    header = ["side", "kind", "document", "mention", "words", "entity", "place"]
    rows = [
        [t.side, t.kind, t.mention.document.label, t.mention.span, t.words, str(t.mention.entity), t.mention.place]
        for t in twinless
    ]
    return Table(header, rows)
