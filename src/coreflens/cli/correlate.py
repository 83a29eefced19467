"""coreflens correlate."""

from __future__ import annotations

import json
from typing import Any

import click

from ..corpora.naming import spread
from ..errors import UsageError
from ..paper.writers import FORMATS, written
from ..report.correlation import correlated, records
from ..studies.correlation import Correlations, correlate
from . import echo, note, notes, output
from .choices import PLOT, Choice
from .headings import command
from .modes import POLICIES, READING, SHAPE, Asked, Mode, run_mode
from .policies import inputs, policies, protocol

_EPILOG = """\b
Examples:
  coreflens correlate key.conll a.conll b.conll c.conll           all pairs of metrics, over three systems
  coreflens correlate key.conll outputs/ --against blanc          BLANC with the others, as in Luo et al. (2014)
  coreflens correlate --tables scores.csv --plot figure.svg       from a table with one row per system
  coreflens correlate --tables conll-2011/english conll-2012/english --against blanc     published tables
  coreflens correlate --tables a.json b.json c.json               from results of `coreflens score --format json`
  coreflens correlate --tables by-document.csv                    over documents: `score --by document --format csv`
"""


class FromTables(Mode):
    """Correlations of scores that tables have."""

    name = "--tables, whose scores are not computed here"
    takes = (SHAPE | {"tables", "against", "metrics", "plot"}) - {"signature"}

    def when(self, asked: Asked) -> bool:
        return bool(asked["tables"])

    def run(self, asked: Asked) -> None:
        _show(correlate(asked["files"], **_metrics(asked)), asked)


class OfSystems(Mode):
    """Correlations of the scores of systems."""

    name = "systems"
    takes = READING | POLICIES | SHAPE | {"against", "metrics", "plot"}

    def when(self, asked: Asked) -> bool:
        return True

    def run(self, asked: Asked) -> None:
        if len(asked["files"]) < 2:
            raise UsageError("give a key and systems, or --tables and tables of results")
        key, *systems = asked["files"]
        settings = asked.settings("files", "tables", "metrics", "plot", "format_", "digits", "against")
        _show(correlate(key, spread(systems), **_metrics(asked), **settings), asked)


def _metrics(asked: Asked) -> dict[str, Any]:
    return {"against": asked["against"], "metrics": ",".join(asked["metrics"]) if asked["metrics"] else None}


def _show(found: Correlations, asked: Asked) -> None:
    notes(found.issues)
    format_ = asked["format_"]
    if asked["plot"] is not None:
        found.plot().save(asked["plot"])
        note(f"plot written to {asked['plot']}")
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False))
        return
    table = records(found) if format_ == "csv" else correlated(found, asked["digits"])
    output(written([table], format_, found.about), format_)
    if format_ == "csv" and found.board.signature:
        note(f"signature: {found.board.signature}")


MODES = (FromTables(), OfSystems())


@command("correlate", epilog=_EPILOG, modes=MODES)
@click.argument("files", nargs=-1, required=True, metavar="KEY SYSTEM...")
@click.option("--tables", is_flag=True, help="The files are tables of results (CSV or JSON), not key and systems.")
@click.option("--against", metavar="METRIC", help="Compare this metric with the others, instead of all pairs.")
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="A,B,...",
    help="Metrics or sets, by default the default set, or all of the table.",
)
@click.option("--plot", type=PLOT, help="Draw a scatter plot of F1, as .svg, .png or .pdf.")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=3, show_default=True, help="Decimals of coefficients.")
@protocol
@policies()
@inputs
def correlate_command(**values: Any) -> None:
    """Show Pearson's, Spearman's and Kendall's correlations between metrics over systems, for R, P and F1.

    The SYSTEMs are scored against KEY, or their scores come from tables. A system is a file, NAME=PATH, or one file or
    subdirectory of a directory. The p-values are two-sided:
    by the t distribution for Pearson; for Spearman exact up to 8 systems, then by the t distribution; for Kendall's
    tau-b exact up to 8 systems, or 60 without ties, then by the normal approximation.
    """
    run_mode(values)
