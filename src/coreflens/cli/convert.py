"""coreflens convert."""

from __future__ import annotations

import sys

import click

from ..corpora.conversion import convert
from ..errors import Issue
from ..formats import FORMATS, FormatName
from . import note
from .choices import Choice
from .headings import command
from .limits import reading
from .policies import coref_column, selection

_WRITTEN = [f.name for f in FORMATS.values() if f.writes]

_EPILOG = """\b
Examples:
  coreflens convert gold.conll gold.jsonl                     the name tells the format
  coreflens convert gold.conll - --to jsonlines               to stdout
  coreflens convert corpus/ converted/ --to conllu            each file of a directory
  coreflens convert corpus.zip all.conll                      an archive into one file
  coreflens convert gold.conllu gold.conll --strict           only if nothing is left out
  coreflens convert gold.conll with.conll --add-singletons    noun phrases that are in no chain, too
  coreflens convert gold.conllu skeleton.conllu --blind       without mentions
  coreflens convert ecb/ events.conll --only kind=event       events alone
\b
Exit codes: 0 written, 2 usage, 3 input that can't be read or does not fit the format.
"""


@command("convert", epilog=_EPILOG, short_help="Convert files from one format to another.")
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@click.option("--to", metavar="FORMAT", type=Choice(_WRITTEN), help=f"One of {', '.join(_WRITTEN)}.")
@click.option("--strict", is_flag=True, help="Write nothing if the format has no room for all of it.")
@click.option(
    "--add-singletons",
    is_flag=True,
    help="Add an entity for each noun phrase and possessive determiner that is no mention yet, as SemEval-2010 did.",
)
@click.option("--blind", is_flag=True, help="Without mentions: a skeleton for those who are to find them.")
@click.option("--lossy", is_flag=True, hidden=True, help="Changes nothing; it was needed in version 0.1.")
@selection
@coref_column("input_format")
@click.option("--input-format", metavar="FORMAT", help="If content does not tell; see `coreflens list formats`.")
@click.option("--encoding", help="Of the input, if not UTF-8; what is written is.")
@reading
def convert_command(
    source: str,
    target: str,
    to: FormatName | None,
    strict: bool,
    blind: bool,
    lossy: bool,
    add_singletons: bool,
    only: tuple[str, ...],
    without: tuple[str, ...],
    input_format: FormatName | None,
    encoding: str | None,
) -> None:
    """Convert IN (a file, directory, glob, zip archive or - for stdin) to OUT (a file, a directory, or - for stdout).

    What the format of OUT has no room for is left out, and a note lists it; --strict refuses instead. A directory, an
    archive or a glob becomes one file if OUT names a file, else a directory with a file for each of the input.
    """
    convert(
        source,
        target,
        to=to,
        strict=strict,
        blind=blind,
        format=input_format,
        encoding=encoding,
        add_singletons=add_singletons,
        only=only,
        without=without,
        progress=_tell,
        report=_odd,
    )


def _odd(issue: Issue) -> None:
    note(str(issue))


def _tell(name: str) -> None:
    if sys.stderr.isatty() and name != "-":
        note(f"wrote {name}")
