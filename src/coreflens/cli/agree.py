"""coreflens agree."""

from __future__ import annotations

import json
from typing import Any

import click

from ..errors import UsageError
from ..formats import FormatName
from ..report import FORMATS
from ..report.plots import Plot, Series
from ..studies.agreement import agree
from ..studies.categories import categories as categories_of
from ..studies.tables import agreed, agreed_records, differing, differing_by_kind, differing_in_words, written
from . import echo, note, notes, output
from .choices import Choice
from .headings import command
from .limits import reading
from .policies import coref_column, policies, protocol

_EPILOG = """\b
Examples:
  coreflens agree ann.conll bob.conll                         F1 between the two, and Krippendorff's alpha
  coreflens agree A=ann/ B=bob/ C=cid/ --adjudicated gold/    three annotators, named, and the final version
  coreflens agree ann.conll bob.conll -m muc,lea --by genre   other metrics, by genre
  coreflens agree ann.conll bob.conll --differences           every mention and link that differs, in context
  coreflens agree ann.conll bob.conll --differences --format csv > todo.csv
  coreflens agree --categories todo.csv --plot figure.svg     count categories, after you add a column `category`
  coreflens agree ann.conll bob.conll --by genre --plot a.svg alpha by genre
  coreflens agree ann.conll brat/ cid.tsv --align characters  annotators whose tokens differ, or who have none
"""


@command("agree", epilog=_EPILOG)
@click.argument("files", nargs=-1, metavar="FILES...")
@click.option(
    "--adjudicated",
    metavar="FILE",
    help="The final version, to compare with each annotator. It does not count for alpha.",
)
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="A,B,...",
    help="Metrics or sets, by default mentions and the CoNLL average.",
)
@click.option("--by", metavar="document|genre|source|part|LABELS.csv|LISTS/", help="Show agreement by group.")
@click.option("--differences", is_flag=True, help="List the mentions and links that differ instead.")
@click.option(
    "--categories",
    metavar="CSV",
    help="Instead of FILES: count the categories that you added to the output of --differences --format csv.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    help="Draw alpha by group (--by), or the shares of --categories, as .svg or .pdf.",
)
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option(
    "--digits",
    type=click.IntRange(0, 14),
    default=2,
    show_default=True,
    help="Decimals of the scores. Alpha has one more.",
)
@protocol
@policies()
@coref_column("input_format")
@click.option(
    "--input-format",
    metavar="FORMAT",
    help="Format of the files, if it is not recognised; see `coreflens list formats`.",
)
@click.option("--encoding", help="Encoding of the files, if it is not UTF-8.")
@reading
def agree_command(
    files: tuple[str, ...],
    metrics: tuple[str, ...],
    differences: bool,
    categories: str | None,
    plot: str | None,
    format_: str,
    digits: int,
    input_format: FormatName | None,
    **settings: Any,
) -> None:
    """Measure how well the FILES of two or more annotators agree, with one matrix per metric.

    Rows are keys and columns are responses. Alpha is Krippendorff's, with the distance between sets of Passonneau
    (2004). A mention's value is its entity, and a mention that an annotator lacks counts as a singleton. NAME=FILE
    names an annotator.
    """
    if categories is not None:
        if files or differences or settings["by"]:
            raise UsageError(
                "--categories counts the categories in its file, so it can't be combined with FILES or other lists"
            )
        _count(categories, plot, format_, max(digits - 1, 0))
        return
    if len(files) < 2:
        raise UsageError("give at least two FILES (or --categories CSV)")
    if plot is not None and settings["by"] is None:
        raise UsageError("--plot draws alpha by group, so it needs --by")
    found = agree(*files, metrics=",".join(metrics) if metrics else None, format=input_format, **settings)
    notes(found.issues)
    if differences and not found.differences:
        note("no differences")
    if plot is not None:
        groups = {**found.by, "all": found}
        bars = Series("alpha", [0] * len(groups), [g.alpha for g in groups.values()], labels=list(groups))
        about = f"Agreement of {len(files)} annotators by {settings['by']}"
        Plot("bar", about, "Krippendorff's alpha", "", [bars], height=110 + 34 * len(groups)).save(plot)
        note(f"plot written to {plot}")
    if format_ == "json":
        plain = found.to_dict()
        if differences:
            table = differing(found.differences)
            plain["differences"] = [dict(zip(table.header, row, strict=True)) for row in table.rows]
        echo(json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False))
        return
    if format_ == "csv":
        tables = [differing(found.differences) if differences else agreed_records(found)]
    elif not differences:
        tables = agreed(found, digits)
    elif found.differences:
        tables = [differing_by_kind(found.differences), differing_in_words(found.differences)]
    else:
        return
    output(written(tables, format_, found.signature), format_)
    if format_ == "csv":
        note(f"signature: {found.signature}")


def _count(path: str, plot: str | None, format_: str, digits: int) -> None:
    found = categories_of(path)
    notes(found.issues)
    if plot is not None:
        found.plot().save(plot)
        note(f"plot written to {plot}")
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1))
    else:
        output(written([found.table(digits)], format_, ""), format_)
