"""coreflens compare: its options. Systems, saved counts and published tables are modes in files of their own."""

from __future__ import annotations

from typing import Any

import click

from ...paper.writers import FORMATS
from ..choices import Choice
from ..headings import command
from ..limits import jobs
from ..modes import run_mode
from ..paths import FilePath
from ..policies import inputs, min_share, policies, protocol
from .counts import SavedCounts
from .published import PublishedTable
from .systems import ScoredSystems

__all__ = ["compare_command"]

MODES = (PublishedTable(), SavedCounts(), ScoredSystems())

_EPILOG = """\b
Examples:
  coreflens compare key.conll base.conll new.conll            ranked, all pairs tested
  coreflens compare key.conll outputs/                        each file or subdirectory is a system
  coreflens compare key.conll base=a.conll new=b/ --baseline base
  coreflens compare manifest.toml --by genre                  systems by track, language, condition
  coreflens compare base.counts new.counts                    counts saved before, without any key
  coreflens compare key.conll outputs/ --rpf --format latex   R, P and F1, for the paper
  coreflens compare keys/ base/ new/ --macro dataset          the mean over datasets, as at CRAC
  coreflens compare key.conll outputs/ --plot ranks=ranks.pdf  a figure: forest, ranks, metrics, groups
  coreflens compare key.conll A='a/run*.json' B='b/run*.json'  several runs of each system
  coreflens compare --from-table published.csv                a table of published numbers
  coreflens compare key.conll mine.conll --beside conll-2012/english     ranked among published systems
  coreflens compare --from-table conll-2011/english --beside conll-2011/official     how the ranks shift
  coreflens compare key.conll outputs/ --by genre --show all  every metric by genre, for each system
\b
A manifest is TOML: `key = "gold.conll"` or `[keys]` by language or condition, then for each system
`[[system]]` with name, files, and optionally track, language, condition, dataset, notes, key, tagger. Any other name is
a column of the table of approaches. \b Exit codes: 0 all scored, 1 a system failed and the others went on, 2 usage, 3
the key can't be read.
"""

TESTS = ("randomisation", "bootstrap", "t", "wilcoxon")


@command("compare", epilog=_EPILOG, modes=MODES)
@click.argument("key", type=FilePath(), required=False)
@click.argument("systems", nargs=-1, type=FilePath())
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="A,B,...",
    help="Metrics or sets. `coreflens list metrics` lists them all.",
)
@click.option("--baseline", metavar="NAME", help="Test every system against this one instead of all pairs.")
@click.option(
    "--by",
    metavar="document|genre|topic|part|LABELS.csv|entity.type|mention.type|entity.size|distance",
    help="Show the systems by group.",
)
@click.option(
    "--macro",
    type=Choice(("dataset",)),
    help="Rank by the plain mean over datasets. A dataset is named by `dataset` in the manifest, or it is a file or "
    "subdirectory of KEY and of each system. A dataset that a system lacks is scored as empty.",
)
@click.option("--rpf", is_flag=True, help="Show recall and precision beside F1.")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--title", metavar="TEXT", default="", help="Name of the data, for captions and plots.")
@click.option("--digits", type=click.IntRange(0, 15), help="Decimals of the scores: 2, or 3 with --paper-rounding.")
@click.option(
    "--show",
    type=Choice(("official", "all")),
    default="official",
    show_default=True,
    help="Whether tables by group and by tagger show the official score or all metrics.",
)
@click.option(
    "--paper-rounding",
    is_flag=True,
    help="Show R, P and F as shares, and compute F from the rounded P and R, as Cai & Strube 2010 did.",
)
@click.option("--test", type=Choice(TESTS), default="randomisation", show_default=True, help="The paired test.")
@click.option(
    "--resamples",
    type=click.IntRange(0),
    default=10_000,
    show_default=True,
    help="Resamples of the test. 0 means no tests.",
)
@click.option(
    "--max-pairs",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    metavar="N",
    help="The most pairs of systems that are tested. More are refused before anything is scored.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option(
    "--interval",
    type=Choice(("percentile", "bca")),
    default="percentile",
    show_default=True,
    help="Kind of interval for differences and for means over datasets.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(1, 99.99),
    default=95,
    show_default=True,
    help="Confidence level of intervals, in percent.",
)
@click.option(
    "--correction",
    type=Choice(("holm", "bh", "none")),
    default="holm",
    show_default=True,
    help="How p is corrected for the number of systems. bh: Benjamini–Hochberg.",
)
@click.option(
    "--unit",
    metavar="document|part|topic|LABELS.csv|block:WORDS|entity",
    default="document",
    show_default=True,
    help="Unit of resampling. document: all parts of a document together; topic, or another label: all documents with "
    "that label; block:1500: blocks of 1500 words; entity: each entity of the key.",
)
@click.option(
    "--plot",
    "plots",
    multiple=True,
    metavar="[KIND=]FILE",
    help="Draw an .svg, .png or .pdf file: forest (differences with intervals), ranks, metrics, groups. Without KIND, "
    "the most informative one. Repeat the option for several plots.",
)
@click.option("--save-counts", type=FilePath(file_okay=False), help="Write DIR/NAME.counts for every system.")
@click.option(
    "--from-table",
    metavar="TABLE",
    help="Show published numbers instead: CSV or JSON with one row per system, or one of `coreflens list tables`.",
)
@click.option(
    "--beside",
    metavar="TABLE",
    help="Rank the systems among these published numbers. With --from-table: compare the ranks of both tables.",
)
@protocol
@policies(but=("match",))
@click.option(
    "--match", metavar="A,B,...", help="Which mentions match, as for `score`. Several values are shown side by side."
)
@min_share
@click.option(
    "--window",
    metavar="WORDS|all",
    help="Cut documents into windows of at most this many words, at the ends of sentences, and add up their counts.",
)
@click.option("--weights", metavar="METRIC=WEIGHT,...", help="Weights of the metrics in `mela`.")
@jobs
@inputs
def compare_command(**values: Any) -> None:
    """Score SYSTEMS against KEY, rank them, and test which differences are more than chance.

    A system is a file, or NAME=PATH with a file or a directory of files. In a directory of systems, each file or
    subdirectory is a system. Without a baseline, all pairs are tested, and systems that share a letter do not differ
    significantly.
    """
    run_mode(values)
