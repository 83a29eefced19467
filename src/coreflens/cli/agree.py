"""coreflens agree."""

from __future__ import annotations

import json
from typing import Any

import click

from ..errors import UsageError
from ..paper.plot import Plot, Series
from ..paper.table import Table
from ..paper.writers import FORMATS, written
from ..report.agreement import agreed, differing, differing_by_kind, differing_in_words, records
from ..studies.agreement import Agreement, agree
from ..studies.categories import categories as categories_of
from . import echo, note, notes, output
from .choices import PLOT, Choice
from .headings import command
from .limits import reading
from .modes import POLICIES, READING, SHAPE, Asked, Mode, Rule, given, run_mode, value
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


class Categories(Mode):
    """Categories of differences, counted."""

    name = "--categories, which counts what its file has"
    takes = frozenset({"categories", "plot", "format", "digits", "width"})

    def when(self, asked: Asked) -> bool:
        return asked["categories"] is not None

    def run(self, asked: Asked) -> None:
        if asked["files"]:
            raise UsageError(
                "--categories counts the categories in its file, so it can't be combined with FILES or other lists"
            )
        found = categories_of(asked["categories"])
        notes(found.issues)
        if asked["plot"] is not None:
            found.plot().save(asked["plot"])
            note(f"plot written to {asked['plot']}")
        if asked["format_"] == "json":
            echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1))
        else:
            output(written([found.table(max(asked["digits"] - 1, 0))], asked["format_"], ""), asked["format_"])


class Differences(Mode):
    """Every mention and link that differs. JSON has the scores as well."""

    name = "--differences"
    takes = (READING | POLICIES | {"differences", "adjudicated", "format", "width", "signature", "metrics", "by"}) - {
        "split-antecedents"
    }
    rules = (
        Rule(
            ("singletons",),
            lambda asked: asked["singletons"] in ("keep", "drop-before") or asked["format_"] == "json",
            "can't be combined with --differences, where drop-before alone leaves out singletons",
        ),
        Rule(
            ("metrics", "by", "blanc", "undefined", "average", "mean"),
            value("format_", "json"),
            "can't be combined with --differences, unless --format json has the scores as well",
        ),
    )

    def when(self, asked: Asked) -> bool:
        return bool(asked["differences"])

    def run(self, asked: Asked) -> None:
        found = _agreement(asked)
        notes(found.issues)
        if not found.differences:
            note("no differences")
        table = differing(found.differences)
        if asked["format_"] == "json":
            differences = [dict(zip(table.header, row, strict=True)) for row in table.rows]
            _echo_json(found.to_dict() | {"differences": differences})
        elif asked["format_"] == "csv":
            _show([table], found, asked)
        elif found.differences:
            _show([differing_by_kind(found.differences), differing_in_words(found.differences)], found, asked)


class Scores(Mode):
    """F1 between annotators, and alpha."""

    name = "the agreement of annotators"
    takes = READING | POLICIES | SHAPE | {"metrics", "by", "plot", "adjudicated"}
    rules = (Rule(("plot",), given("by"), "draws alpha by group, so it needs --by"),)

    def when(self, asked: Asked) -> bool:
        return True

    def run(self, asked: Asked) -> None:
        found = _agreement(asked)
        notes(found.issues)
        if asked["plot"] is not None:
            _plot_by_group(found, asked).save(asked["plot"])
            note(f"plot written to {asked['plot']}")
        if asked["format_"] == "json":
            _echo_json(found.to_dict())
        elif asked["format_"] == "csv":
            _show([records(found)], found, asked)
        else:
            _show(agreed(found, asked["digits"]), found, asked)


_NOT_SETTINGS = ("files", "metrics", "differences", "categories", "plot", "format_", "digits", "input_format")


def _agreement(asked: Asked) -> Agreement:
    if len(asked["files"]) < 2:
        raise UsageError("give at least two FILES (or --categories CSV)")
    metrics = ",".join(asked["metrics"]) if asked["metrics"] else None
    return agree(*asked["files"], metrics=metrics, format=asked["input_format"], **asked.settings(*_NOT_SETTINGS))


def _show(tables: list[Table], found: Agreement, asked: Asked) -> None:
    output(written(tables, asked["format_"], found.signature), asked["format_"])
    if asked["format_"] == "csv":
        note(f"signature: {found.signature}")


def _echo_json(plain: dict[str, Any]) -> None:
    echo(json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False))


def _plot_by_group(found: Agreement, asked: Asked) -> Plot:
    groups = {**found.by, "all": found}
    bars = Series("alpha", [0] * len(groups), [group.alpha for group in groups.values()], labels=list(groups))
    about = f"Agreement of {len(asked['files'])} annotators by {asked['by']}"
    return Plot("bar", about, "Krippendorff's alpha", "", [bars], height=110 + 34 * len(groups))


MODES = (Categories(), Differences(), Scores())


@command("agree", epilog=_EPILOG, modes=MODES)
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
    type=PLOT,
    help="Draw alpha by group (--by), or the shares of --categories, as .svg, .png or .pdf.",
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
@policies(but=("extra",))  # extra documents are always left out
@coref_column("input_format")
@click.option(
    "--input-format",
    metavar="FORMAT",
    help="Format of the files, if it is not recognised; see `coreflens list formats`.",
)
@click.option("--encoding", help="Encoding of the files, if it is not UTF-8.")
@reading
def agree_command(**values: Any) -> None:
    """Measure how well the FILES of two or more annotators agree, with one matrix per metric.

    Rows are keys and columns are responses. Alpha is Krippendorff's, with the distance between sets of Passonneau
    (2004). A mention's value is its entity, and a mention that an annotator lacks counts as a singleton. NAME=FILE
    names an annotator.
    """
    run_mode(values)
