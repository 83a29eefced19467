"""coreflens ablate."""

from __future__ import annotations

import json
from typing import Any

import click

from ..errors import UsageError
from ..experiments.ablation import LISTED, ablate
from ..paper.writers import FORMATS, written
from ..report.ablation import ablated, records
from . import echo, note, notes, output
from .choices import PLOT, Choice
from .headings import command
from .paths import FilePath
from .policies import inputs, policies, protocol
from .tune import PROGRAM, run_settings, runs

_EPILOG = """\b
Examples:
  coreflens ablate key.conll --system sieve                             each of its ten passes, left out and alone
  coreflens ablate key.conll --system sieve --leave-out -m lea          only left out, measured by LEA
  coreflens ablate dev.conll --system mention-pair --train train.conll  its twelve features
  coreflens ablate key.conll --run './mine --rules {parts} {input} {output}' --parts names,heads,pronouns
"""


@command("ablate", epilog=_EPILOG, rules=(PROGRAM,))
@click.argument("key", type=FilePath())
@runs
@click.option("--parts", metavar="A,B,...", help="Parts of the program, for {parts}, or some of the system's parts.")
@click.option("--leave-out", is_flag=True, help="Leave each part out in turn.")
@click.option("--alone", is_flag=True, help="Use each part alone. By default both are done.")
@click.option("-m", "--metric", default="conll", show_default=True, help="Metric to compare.")
@click.option("--train", "train_on", metavar="KEY", type=FilePath(), help="Key to train on, for mention-pair.")
@click.option(
    "--errors/--no-errors", default=True, show_default=True, help="Count the errors that each part mends and makes."
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of tests and intervals."
)
@click.option("--plot", type=PLOT, help="Draw the contribution of each part, as .svg, .png or .pdf.")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@protocol
@policies()
@inputs
def ablate_command(
    key: str,
    fixed: tuple[str, ...],
    model: str | None,
    parts: str | None,
    leave_out: bool,
    alone: bool,
    plot: str | None,
    format_: str,
    digits: int,
    **settings: Any,
) -> None:
    """Measure on KEY what each part of a system contributes, if it is left out and if it is used alone.

    Each difference has a 95 % interval and the p of a randomisation test, corrected for the number of parts (Holm).
    "mends" and "makes" count the errors that the part mends and makes, by the classes of `coreflens diagnose`.
    """
    if model is not None:
        raise UsageError(
            f"--model can't be used here: the systems with parts ({', '.join(LISTED)}) learn again (--train)"
        )
    how = [name for name, asked in (("left out", leave_out), ("alone", alone)) if asked] or ["left out", "alone"]
    found = ablate(
        key,
        parts=None if parts is None else parts.split(","),
        how=how,  # type: ignore[arg-type]
        fixed=run_settings(fixed, None)["fixed"],
        **settings,
    )
    if plot is not None:
        found.plot().save(plot)
        note(f"plot written to {plot}")
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        tables = [records(found)] if format_ == "csv" else ablated(found, digits)
        output(written(tables, format_, found.signature), format_)
    notes(found.issues)
