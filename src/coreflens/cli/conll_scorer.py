"""coreflens conll-scorer."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import click

from ..compat.conll_scorer import run
from .headings import command

_EPILOG = """\b
Examples:
  coreflens conll-scorer all key.conll response.conll none         all metrics, totals alone
  coreflens conll-scorer muc key.conll response.conll              every document, then the total
  coreflens conll-scorer ceafe key.conll response.conll "(a); part 000"     one document
  coreflens conll-scorer --quiet all key.conll response.conll      without notes
\b
Exit codes are those of the original: 0 scored, but also an unknown metric; 1 refused because of repeated mentions;
2 no such file; 25 or 255 brackets that do not match.
"""


@command(
    "conll-scorer",
    epilog=_EPILOG,
    context_settings={"ignore_unknown_options": True},
)
@click.option("--quiet", is_flag=True, help="Do not report on stderr what the original does wrong.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="METRIC KEY RESPONSE [NAME]")
def conll_scorer_command(quiet: bool, arguments: tuple[str, ...]) -> None:
    """Do what scorer.pl v8.01 does: the same arguments, output (line for line) and exit codes.

    METRIC is muc, bcub, ceafm, ceafe, blanc or all. NAME is a document (all that follows "#begin document "), or none
    for the totals alone. Documents come in the order of the key, while their order in the original is random. What the
    original does wrong with these files is reported on stderr, with the right numbers. `coreflens score` gives only
    the right ones.
    """
    for stream in (sys.stdout, sys.stderr):  # names of documents stay unchanged in any encoding
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    sys.exit(run([*arguments, *(["--quiet"] if quiet else [])], sys.stdout, sys.stderr))
