"""coreflens describe."""

from __future__ import annotations

import json

import click

from ..corpora.description import Pool, describe
from ..corpora.naming import is_named, named
from ..corpora.taggers import taggers
from ..errors import UsageError
from ..formats import FormatName
from ..options import CHOICES, Align, Pair
from ..protocols import resolve
from ..report.tables import WRITERS, titled
from . import echo, notes
from .choices import Choice
from .headings import command
from .limits import reading, reading_jobs
from .policies import coref_column, selection

_EPILOG = """\b
Examples:
  coreflens describe corpus/                          documents, mentions, entities, sizes
  coreflens describe dev.conll --by genre             one row per genre
  coreflens describe mentions.conll --against key.conll   how many of the key's mentions it has
  coreflens describe SM1=a/ SM2=b/ --against gold/ --by lists/    several mention taggers, by train and test
  coreflens task split corpus/ lists/; coreflens describe corpus/ --by lists/,genre --categories ontonotes
  coreflens describe llm.txt --against key.conll --align characters   words that differ a little from the key's
  coreflens describe corpus/ --format latex           tables for the paper
  coreflens describe ecb/ --only kind=event           events alone
  coreflens describe records.csv --names given,surname    records: how many share a name, how many have several
"""


@command("describe", epilog=_EPILOG)
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "--by",
    metavar="document|genre|source|part|LABELS.csv|LISTS/",
    help="Groups, separated by commas. By default genre, if the names have one.",
)
@click.option("--against", metavar="KEY", type=click.Path(), help="Show how many mentions of KEY the files have.")
@click.option("--rate", is_flag=True, help="Show the coreference rate: mentions per entity.")
@click.option(
    "--categories",
    "pool",
    type=Choice(["all", "ontonotes"]),
    default="all",
    show_default=True,
    help="Syntactic categories. ontonotes: all verbs as V* and rare categories as other, as corpus papers print them.",
)
@click.option(
    "--names",
    metavar="COLUMN,...",
    help="The columns of a table that form the name of a record.  [default: name, if there is such a column]",
)
@click.option(
    "--pair", type=Choice(list(CHOICES["pair"])), default="name", help="How documents are paired with those of KEY."
)
@click.option(
    "--align", type=Choice(list(CHOICES["align"])), default="none", help="How tokens are compared with those of KEY."
)
@click.option(
    "--format",
    "format_",
    type=Choice([*WRITERS, "json"]),
    default="table",
    show_default=True,
    help="Output format.",
)
@selection
@coref_column("input_format")
@click.option(
    "--input-format",
    metavar="FORMAT",
    help="Format of the files, if it is not recognised; see `coreflens list formats`.",
)
@click.option("--encoding", help="Encoding of the files, if it is not UTF-8.")
@reading_jobs
@reading
def describe_command(
    files: tuple[str, ...],
    by: str | None,
    against: str | None,
    rate: bool,
    pool: Pool,
    names: str | None,
    pair: Pair,
    align: Align,
    format_: str,
    only: tuple[str, ...],
    without: tuple[str, ...],
    input_format: FormatName | None,
    encoding: str | None,
) -> None:
    """Describe FILES (or directories, globs, zip archives) as one corpus.

    The tables count documents, sentences, tokens, mentions, entities, links (mentions − entities) and singletons. They
    show the sizes of entities and the lengths of mentions, and, if there are tags or trees, the categories of mentions.
    NAME=PATH with --against KEY compares the mentions of several systems with those of KEY instead. For records with a
    column of names, the tables also show homonymy (how many entities share a name with another) and name variation (how
    many have several names).
    """
    if any(map(is_named, files)):
        if against is None:
            raise UsageError("NAME=PATH names a mention tagger to compare with a key, so it needs --against KEY")
        if names:
            raise UsageError("--names works with one table of records, not with several systems")
        options = resolve(extra="ignore", pair=pair, align=align, only=only, without=without)[1]
        compared = taggers(named(files), against, by=by, format=input_format, encoding=encoding, options=options)
        notes(compared.issues)
        if format_ == "json":
            echo(json.dumps(compared.to_dict(), ensure_ascii=False, indent=1))
        else:
            echo(WRITERS[format_](compared.table(), "").rstrip("\n"))
        return
    found = describe(
        *files,
        by=by,
        against=against,
        pair=pair,
        align=align,
        format=input_format,
        encoding=encoding,
        pool=pool,
        names=names.split(",") if names else None,
        only=only,
        without=without,
    )
    notes(found.issues)
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1))
        return
    pieces = []
    for title, table in found.tables(bars=format_ not in ("csv", "latex"), commas=format_ != "csv", rate=rate).items():
        pieces.append(titled(title, table, format_))
    echo("\n\n".join(pieces))
