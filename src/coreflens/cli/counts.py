"""coreflens counts: add up saved counts."""

from __future__ import annotations

import click

from ..errors import InputError, UsageError, counted
from ..paper.writers import FORMATS
from ..report.score import render
from ..scoring.counts_file import are_counts
from ..scoring.loading import load_counts
from . import note, notes, output
from .choices import Choice
from .headings import group
from .paths import FilePath

_EPILOG = """\b
Examples:
  coreflens score k1.parquet r1.parquet --save-counts 1.counts.gz
  coreflens score k2.parquet r2.parquet --save-counts 2.counts.gz
  coreflens counts merge 1.counts.gz 2.counts.gz all.counts.gz    as if both were scored at once
"""


@group("counts", epilog=_EPILOG)
def counts_command() -> None:
    """Work with counts that `--save-counts` wrote. They add up, even if they come from several runs or machines."""


@counts_command.command("merge", epilog=_EPILOG, short_help="Add up the counts of shards.")
@click.argument("files", nargs=-1, required=True, metavar="FILE... OUT", type=FilePath())
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
def merge_command(files: tuple[str, ...], format_: str, digits: int) -> None:
    """Write the counts of all FILEs to OUT, and print the scores of the whole.

    The files are shards of one corpus, scored with the same metrics and options. No document may be in two of them. A
    shard whose entities extend over documents can't be added to another, because the shards may share entities.
    """
    *shards, out = files
    if len(shards) < 2:
        raise UsageError("give the counts of at least two shards, and then the file to write")
    if are_counts(out):
        hint = "the last file is the one to write; name a file that does not exist, or remove this one"
        raise InputError("these are saved counts, which are not overwritten", file=out, hint=hint)
    result = load_counts(*shards)
    result.save_counts(out)
    output(render(result, format_, digits=digits), format_)
    notes(result.issues)
    note(f"{out}: counts of {counted(result.counts.labels, 'document')} from {len(shards)} files")
