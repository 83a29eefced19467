"""coreflens compare."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ..report import FORMATS
from . import bar, note, notes, output, say
from .choices import Choice
from .headings import command
from .limits import jobs
from .policies import inputs, min_share, policies, protocol

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


@command("compare", epilog=_EPILOG)
@click.argument("key", type=click.Path(), required=False)
@click.argument("systems", nargs=-1, type=click.Path())
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
    help="Draw an .svg or .pdf file: forest (differences with intervals), ranks, metrics, groups. Without KIND, the "
    "most informative one. Repeat the option for several plots.",
)
@click.option("--save-counts", type=click.Path(file_okay=False), help="Write DIR/NAME.counts for every system.")
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
def compare_command(
    key: str | None,
    systems: tuple[str, ...],
    metrics: tuple[str, ...],
    rpf: bool,
    format_: str,
    digits: int | None,
    show: str,
    paper_rounding: bool,
    plots: tuple[str, ...],
    confidence: float,
    save_counts: str | None,
    from_table: str | None,
    **settings: Any,
) -> None:
    """Score SYSTEMS against KEY, rank them, and test which differences are more than chance.

    A system is a file, or NAME=PATH with a file or a directory of files. In a directory of systems, each file or
    subdirectory is a system. Without a baseline, all pairs are tested, and systems that share a letter do not differ
    significantly.
    """
    asked = ",".join(metrics) or None
    how: dict[str, Any] = {"digits": digits, "rpf": rpf, "show": show}
    how["paper_rounding"] = paper_rounding
    if from_table is not None:
        if key is not None:
            raise UsageError("--from-table shows published numbers, so it takes no key and no systems")
        from ..comparison.beside import stand_beside
        from ..comparison.published import read_published

        table = read_published(from_table, asked)
        if (other := settings["beside"]) is not None:
            table = stand_beside(table, read_published(other, asked), other)
        if settings["title"]:
            table = replace(table, data=settings["title"])
        output(table.render(format_, **how), format_)
        notes(table.issues)
        return
    from ..comparison import compare

    drawn = []
    if plots:
        from ..comparison.plots import chosen

        drawn = [chosen(given) for given in plots]
    gold, listed = _arguments(key, systems, whole=settings["macro"] is not None)
    if settings["weights"]:
        asked = f"{asked or 'default'},mela"
    found = compare(gold, listed, metrics=asked, confidence=confidence / 100, progress=bar("testing"), **settings)
    if save_counts is not None:
        found.save_counts(save_counts)
    for kind, path in drawn:
        for target in found.plot(path, kind):
            note(f"wrote {target}")
    if found.sections:
        output(found.render(format_, **how), format_)
    notes(found.issues)
    if format_ == "csv":
        for section in found.sections:
            note(f"signature: {section.signature}")
    for name, message in found.failures.items():
        say(f"coreflens: error: {name}: {message}")
    if found.failures:
        sys.exit(1)


def _arguments(key: str | None, systems: tuple[str, ...], *, whole: bool) -> tuple[str | None, Any]:
    """The key and the systems. There is no key if the first argument is already a system (a manifest, or saved
    counts)."""
    from ..comparison.systems import from_arguments
    from ..scoring.counts_file import are_counts

    if key is None:
        raise UsageError("nothing to compare: give KEY SYSTEM..., a manifest, or files of saved counts")
    path = key.partition("=")[2] if "=" in key and not Path(key).exists() else key
    inside = [p for p in Path(key).iterdir() if not p.name.startswith(".")] if Path(key).is_dir() else []
    if key.endswith(".toml") or path != key or are_counts(path) or (inside and all(map(are_counts, inside))):
        return None, from_arguments([key, *systems], whole=whole)
    if not systems:
        raise UsageError("no system given: coreflens compare KEY SYSTEM...")
    return key, from_arguments(systems, whole=whole)
