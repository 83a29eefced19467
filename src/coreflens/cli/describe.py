"""coreflens describe."""

from __future__ import annotations

import json
from typing import Any

import click

from ..corpora.description import describe
from ..corpora.naming import is_named, named
from ..corpora.taggers import taggers
from ..errors import UsageError
from ..options import CHOICES
from ..paper.writers import WRITERS, titled
from ..protocols import resolve
from . import echo, notes
from .choices import Choice
from .headings import command
from .limits import reading, reading_jobs
from .modes import ONE_SIDE, Asked, Mode, Rule, given, run_mode
from .paths import FilePath
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


_ONE_CORPUS = ONE_SIDE | {"by", "names", "only", "without", "format", "width"}


class Taggers(Mode):
    """The mentions of several systems against those of a key."""

    name = "NAME=PATH, which compares mention taggers"
    takes = (_ONE_CORPUS | {"against", "pair", "align"}) - {"names"}

    def when(self, asked: Asked) -> bool:
        return any(map(is_named, asked["files"]))

    def run(self, asked: Asked) -> None:
        if asked["against"] is None:
            raise UsageError("NAME=PATH names a mention tagger to compare with a key, so it needs --against KEY")
        chosen = {name: asked[name] for name in ("pair", "align", "only", "without")}
        options = resolve(extra="ignore", **chosen)[1]
        reading = {"format": asked["input_format"], "encoding": asked["encoding"]}
        compared = taggers(named(asked["files"]), asked["against"], by=asked["by"], options=options, **reading)
        notes(compared.issues)
        if asked["format_"] == "json":
            echo(json.dumps(compared.to_dict(), ensure_ascii=False, indent=1))
        else:
            echo(WRITERS[asked["format_"]](compared.table(), "").rstrip("\n"))


class Description(Mode):
    """The figures of one corpus."""

    name = "the description of a corpus"
    takes = _ONE_CORPUS | {"rate", "categories", "against", "pair", "align"}
    rules = (Rule(("pair", "align"), given("against"), "needs --against KEY"),)

    def when(self, asked: Asked) -> bool:
        return True

    def run(self, asked: Asked) -> None:
        names = asked["names"]
        found = describe(
            *asked["files"],
            format=asked["input_format"],
            names=names.split(",") if names else None,
            **{name: asked[name] for name in _SETTINGS},
        )
        notes(found.issues)
        format_ = asked["format_"]
        if format_ == "json":
            echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1))
            return
        tables = found.tables(bars=format_ not in ("csv", "latex"), commas=format_ != "csv", rate=asked["rate"])
        echo("\n\n".join(titled(title, table, format_) for title, table in tables.items()))


_SETTINGS = ("by", "against", "pair", "align", "encoding", "pool", "only", "without")
MODES = (Taggers(), Description())


@command("describe", epilog=_EPILOG, modes=MODES)
@click.argument("files", nargs=-1, required=True, type=FilePath())
@click.option(
    "--by",
    metavar="document|genre|source|part|LABELS.csv|LISTS/",
    help="Groups, separated by commas. By default genre, if the names have one.",
)
@click.option("--against", metavar="KEY", type=FilePath(), help="Show how many mentions of KEY the files have.")
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
def describe_command(**values: Any) -> None:
    """Describe FILES (or directories, globs, zip archives) as one corpus.

    The tables count documents, sentences, tokens, mentions, entities, links (mentions − entities) and singletons. They
    show the sizes of entities and the lengths of mentions, and, if there are tags or trees, the categories of mentions.
    NAME=PATH with --against KEY compares the mentions of several systems with those of KEY instead. For records with a
    column of names, the tables also show homonymy (how many entities share a name with another) and name variation (how
    many have several names).
    """
    run_mode(values)
