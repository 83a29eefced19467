"""coreflens score: its options. Each kind of table that it makes is a mode in a file of its own."""

from __future__ import annotations

from typing import Any

import click

from ...errors import UsageError
from ...paper.writers import FORMATS
from ..choices import PLOT, Choice
from ..engines import engines
from ..headings import command
from ..limits import meant, reading_jobs
from ..modes import run_mode
from ..paths import FilePath
from ..policies import decides, inputs, min_share, policies, protocol
from .leniency import LeniencyTable
from .major import MajorEntities
from .matches import SeveralMatches
from .plain import OneScore
from .supplement import Supplement
from .tables import OtherEngine
from .windows import WindowTable

__all__ = ["score_command"]

MODES = (SeveralMatches(), LeniencyTable(), MajorEntities(), Supplement(), WindowTable(), OtherEngine(), OneScore())

_EPILOG = """\b
Examples:
  coreflens score key.conll response.conll                    all default metrics
  coreflens score key.conll response.conll -m conll           the CoNLL average and its parts
  coreflens score key.conll response.conll --by genre         one line per genre
  coreflens score ecb/ out/ --by entity.kind                  events and entities separately
  coreflens score ecb/ out/ --only kind=event --scope topic   events alone, across the documents of a topic
  coreflens score ecb/ out/ --only kind=event --leniency      the usual ways to score, in one table
  coreflens score key.conll response.conll --format latex     a table for the paper
  coreflens score gold/ predicted/ --fail-under conll=70      a gate for CI: exit code 1 if it is below 70
  coreflens score key.conll response.conll --bootstrap 10000  with confidence intervals
  coreflens score key.conll response.conll --bootstrap 10000 --by genre
  coreflens score key.conll new.conll --against last.counts --fail-if-worse 0.5
  coreflens score book.conll found.conll --window 500,1500,all --plot windows.svg
  coreflens score book.jsonl found.jsonl --major 10           the ten largest entities, one by one
  coreflens score book.conll found.conll --by entity.spread   entities by how far they reach
  coreflens score book.conll found.conll --bootstrap 1000 --unit block:1500
  zcat out.conll.gz | coreflens score key.conll -             the response from stdin
  coreflens score run-a.conll run-b.conll --heads gold/       two outputs, without regard to boundaries
  coreflens score key.conll response.conll --excerpt 1:500    the first 500 tokens of each document
  coreflens score truth.parquet found/ --engine duckdb --memory-limit 4G
  coreflens score truth.csv found.csv --columns mention=record_id,entity=cluster
\b
Exit codes: 0 scored (notes on stderr report anything unusual), 1 a gate failed, 2 usage,
3 input that can't be read or paired.
"""


@command("score", epilog=_EPILOG, modes=MODES)
@click.argument("key", type=FilePath())
@click.argument("response", type=FilePath())
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="A,B,...",
    help="Metrics or sets. `coreflens list metrics` lists them all.",
)
@click.option(
    "--by",
    metavar="GROUP",
    help="Show scores by group. GROUP is document, part, genre, source, topic, a table (LABELS.csv) or lists (LISTS/) "
    "of documents, entity.type, entity.kind, entity.size, entity.spread, mention.type or distance.",
)
@click.option("--rpf", is_flag=True, help="With --by or --window: show R and P of each row beside F1.")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@click.option("--exact", is_flag=True, help="Compute with exact fractions, and show them.")
@click.option(
    "--fail-under",
    multiple=True,
    metavar="METRIC=POINTS",
    help="Exit with code 1 if a score is lower. `muc.recall=60` also works.",
)
@click.option(
    "--bootstrap",
    type=click.IntRange(1),
    metavar="N",
    help="Show confidence intervals from N resamples, also for groups.",
)
@click.option(
    "--interval",
    type=Choice(("percentile", "bca")),
    help="Kind of interval for --bootstrap.  [default: percentile]",
)
@click.option(
    "--confidence", type=click.FloatRange(1, 99.99), help="Confidence level for --bootstrap, in percent.  [default: 95]"
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for --bootstrap and --against."
)
@click.option("--stratify", metavar="genre|LABELS.csv", help="Resample documents within each label.")
@click.option(
    "--unit",
    metavar="document|part|topic|LABELS.csv|block:WORDS|entity",
    default="document",
    show_default=True,
    help="Unit of resampling. document: all parts of a document together; topic, or another label: all documents with "
    "that label. For a few long documents, block:1500: blocks of 1500 words; entity: each entity of the key.",
)
@click.option(
    "--rate-plot",
    type=PLOT,
    metavar="FILE",
    help="Draw the score of each document, or group of --by, against its mentions per entity, as .svg, .png or .pdf.",
)
@click.option(
    "--major",
    type=click.IntRange(1),
    metavar="N",
    help="Show R, P and F1 of the N largest entities of each document of the key, with the response entity that each "
    "is assigned, instead of the metrics.",
)
@click.option(
    "--entities",
    type=FilePath(dir_okay=False),
    metavar="FILE",
    help="Show the same table for the entities that FILE names: one name or id of the key per line.",
)
@click.option(
    "--window",
    metavar="WORDS,...|all",
    help="Cut documents into windows of at most this many words, at the ends of sentences, and add up their counts. "
    "Prints one row per size, and the links inside and across windows.",
)
@click.option(
    "--plot",
    type=PLOT,
    metavar="FILE",
    help="With --window: draw F1 by size of the windows, as .svg, .png or .pdf.",
)
@click.option(
    "--save-counts",
    type=FilePath(),
    metavar="FILE",
    help="Save the counts of this run, without any text, for --against.",
)
@click.option(
    "--against",
    type=FilePath(),
    metavar="FILE",
    help="Show the differences to an earlier run, from its saved counts.",
)
@click.option(
    "--fail-if-worse",
    multiple=True,
    metavar="POINTS",
    help="Exit with code 1 if the official score lost more points than this. `lea=0.5` names another metric.",
)
@protocol
@policies(but=("match",))
@click.option(
    "--match",
    metavar="A,B,...",
    help=f"{decides('match')} Several values give one table of F1, with one row per value.",
)
@min_share
@click.option(
    "--supplement",
    is_flag=True,
    help="With --protocol corefud: show the supplementary scores of the CRAC tasks in one table.",
)
@click.option(
    "--excerpt",
    metavar="FROM:TO",
    help="Score a part of each document: on both sides, the mentions within these tokens, counted from 1.",
)
@click.option(
    "--heads",
    metavar="GOLD",
    type=FilePath(),
    help="Take the heads of both sides from the same documents with trees. This compares two system outputs without "
    "regard to boundaries. --match head-word then works in both directions (head-either).",
)
@click.option(
    "--leniency",
    is_flag=True,
    help="Show usual ways to score across documents in one table: with and without singletons, topic and corpus scope, "
    "predicted and gold mentions.",
)
@click.option("--alignment", is_flag=True, help="With --format json: list which mentions matched, and by which rule.")
@click.option("--weights", metavar="METRIC=WEIGHT,...", help="Weights of the metrics in `mela`.")
@engines
@meant
@reading_jobs
@inputs
def score_command(**values: Any) -> None:
    """Score RESPONSE (what the system found) against KEY (what is right).

    Both are files, directories or - for stdin. Their format is recognised by content (`coreflens list formats`).
    """
    if values["key"] == values["response"] == "-":
        raise UsageError("only one of key and response can come from stdin")
    run_mode(values)
