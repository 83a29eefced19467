"""coreflens tune."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ..experiments import tune
from ..experiments.search import SEARCHES
from ..paper.writers import FORMATS, written
from ..report.tuning import tried, tuned
from ..resolvers import MENTIONS, SYSTEMS
from . import echo, note, notes, output
from .choices import PLOT, Choice
from .headings import command
from .modes import Rule, given, value
from .paths import FilePath
from .policies import inputs, policies, protocol

_EPILOG = """\b
Examples:
  coreflens tune key.conll --system salience --param decay=0:1:.1 --param window=1..8
  coreflens tune key.conll --system sieve --param window=0..9 --objective lea --folds 10
  coreflens tune key.conll --run './mine --w {w} {input} {output}' --param w=0:2:.25 --trials mine.jsonl
  coreflens tune key.conll --system salience --param decay=0:1:.05 --search ascent --plot tuned.svg
"""


def runs(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options about the runs: a system or a program, on which mentions, how long, and in how many processes."""
    about = "; ".join(f"{name}: {text}" for name, text in MENTIONS.items() if name != "constituents")
    for option in reversed(
        [
            click.option("--system", type=Choice([s for s in SYSTEMS if s != "oracle"]), help="A system of coreflens."),
            click.option("--run", metavar="COMMAND", help="A program: its command line, with {input} and {output}."),
            click.option(
                "--mentions",
                type=Choice([m for m in MENTIONS if m != "constituents"]),
                default="given",
                show_default=True,
                help=f"Mentions to resolve. {about}. With given, a program gets the key's spans, with detected none.",
            ),
            click.option("--set", "fixed", metavar="NAME=VALUE", multiple=True, help="A parameter with a fixed value."),
            click.option("--model", metavar="FILE", type=FilePath(), help="Model file of a system that learns."),
            click.option(
                "--time-limit",
                "limit",
                metavar="SECONDS",
                type=click.FloatRange(0, min_open=True),
                default=600,
                show_default=True,
                help="Seconds for one run of a program. A longer run is ended and reported.",
            ),
            click.option(
                "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Number of runs in parallel."
            ),
        ]
    ):
        command = option(command)
    return command


def run_settings(fixed: tuple[str, ...], model: str | None) -> dict[str, Any]:
    """`--set` and `--model` as arguments of the functions."""
    from ..resolvers.model import read_model

    pairs = [text.partition("=") for text in fixed]
    for name, equals, _ in pairs:
        if not equals or not name.strip():
            raise UsageError(f"--set takes NAME=VALUE, not '{name}'")
    return {
        "fixed": {name.strip(): value.strip() for name, _, value in pairs},
        "model": None if model is None else read_model(model),
    }


def save_plots(plots: dict[str, Any], target: str) -> None:
    """Write each plot to its own file, named after what it shows."""
    path = Path(target)
    for name, drawn in plots.items():
        place = path.with_name(f"{path.stem}{'-' if name else ''}{name}{path.suffix}")
        drawn.save(place)
        note(f"plot written to {place}")


# A system of coreflens runs in this process, without a limit of time, and writes no file.
PROGRAM = Rule(("time-limit", "response-format"), given("run"), "needs --run COMMAND")
_RULES = (
    PROGRAM,
    Rule(("tries",), value("search", "random"), "needs --search random"),
)


@command("tune", epilog=_EPILOG, rules=_RULES)
@click.argument("key", type=FilePath())
@runs
@click.option(
    "--param",
    "parameters",
    metavar="NAME=VALUES",
    multiple=True,
    required=True,
    help="A parameter to vary, with its values.",
)
@click.option(
    "--objective", default="conll", show_default=True, help="Metric to optimise, or a part of it, such as bcub.recall."
)
@click.option(
    "--search",
    type=Choice(list(SEARCHES)),
    default="grid",
    show_default=True,
    help=f"How to search. {'; '.join(f'{name}: {text}' for name, text in SEARCHES.items())}.",
)
@click.option(
    "--tries", type=click.IntRange(1), default=50, show_default=True, help="Number of settings for --search random."
)
@click.option(
    "--folds", type=click.IntRange(2), help="Parts for cross-validation. By default 5, if there are enough documents."
)
@click.option(
    "--held-out", metavar="DOCUMENT", multiple=True, help="Report on this document, or on all that match a pattern."
)
@click.option(
    "--trials",
    type=FilePath(dir_okay=False),
    help="Log of the runs (.jsonl). If it exists, the search continues from it.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option("--plot", type=PLOT, help="Write FILE-trace.svg and FILE-surface.svg (or .png, .pdf).")
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@protocol
@policies()
@inputs
def tune_command(
    key: str,
    fixed: tuple[str, ...],
    model: str | None,
    held_out: tuple[str, ...],
    plot: str | None,
    format_: str,
    digits: int,
    **settings: Any,
) -> None:
    """Try settings of a system on KEY, and report the best one on documents that were not used to choose it.

    VALUES are LOW:HIGH:STEP, LOW..HIGH for whole numbers, or a list A,B,C. Every setting is run once over all
    documents. For each fold, the setting that is best on the other folds is taken. All folds together give the figure
    to report, with a 95 % interval. A program is started without a shell, once for each setting. If a run fails, takes
    too long or writes unreadable output, it is reported, and the other runs continue.
    """
    found = tune(key, held_out=held_out, **run_settings(fixed, model), **settings)
    if plot is not None:
        save_plots(found.plots(), plot)
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        tables = [tried(found)] if format_ == "csv" else tuned(found, digits)
        output(written(tables, format_, found.signature), format_)
    resumed = sum(trial.resumed for trial in found.trials)
    if resumed:
        note(f"{resumed} of {len(found.trials)} trials were already in the log")
    notes(found.issues)
