"""coreflens sweep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from ..paper.writers import FORMATS, written
from ..report.sweep import records, swept
from ..resolvers import SYSTEMS
from ..studies.damage import DAMAGES
from ..studies.sweeps import sweep
from . import bar, echo, note, notes, output
from .choices import PLOT, Choice
from .headings import command
from .modes import Rule
from .paths import FilePath
from .policies import inputs, policies, protocol

_EPILOG = """\b
Examples:
  coreflens sweep key.conll response.conll                        Cai & Strube's artificial setting
  coreflens sweep key.conll response.conll --plot figure.svg      as their figures: figure-b3.svg, figure-ceaf.svg
  coreflens sweep key.conll key.conll --damage split -m conll     what cut links cost a perfect response
  coreflens sweep key.conll response.conll --format csv           every number of every repetition
  coreflens sweep key.conll response.conll --write steps/         one response per step
  coreflens sweep key.conll key.conll --damage pronouns-alone     what pronouns are worth (1998, Table 2)
  coreflens sweep key.conll found.conll --retrain mention-pair    trained again at each step (2010, Figures 1, 2)
  coreflens sweep key.conll r0.conll r1.conll r2.conll            one response per step, of a system retrained for each
"""


_DAMAGED = Rule(
    ("damage", "steps", "repeats", "seed", "write", "retrain"),
    lambda asked: len(asked["response"]) == 1,
    "needs a single RESPONSE: several are the steps themselves, and none is damaged",
)


@command("sweep", epilog=_EPILOG, rules=(_DAMAGED,))
@click.argument("key", type=FilePath())
@click.argument("response", type=FilePath(), nargs=-1, required=True, metavar="RESPONSE...")
@click.option("--damage", type=Choice(list(DAMAGES)), default="twinless", show_default=True, help="Its kind.")
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="A,B,...",
    help="Metrics or sets, by default those of the paper's two figures.",
)
@click.option(
    "--steps",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of steps from 0 % to 100 % of the damage.",
)
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Random orders.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the orders.")
@click.option("--plot", type=PLOT, help="Write an .svg, .png or .pdf file, or two with the default metrics.")
@click.option(
    "--write", type=FilePath(file_okay=False), help="Write the responses of the first random order to this directory."
)
@click.option(
    "--retrain",
    type=Choice([name for name, system in SYSTEMS.items() if system.training is not None]),
    help="Train this system again at each step on the damaged mentions, and score its output.",
)
@click.option("--format", "format_", type=Choice(FORMATS), default="table", show_default=True, help="Output format.")
@click.option("--digits", type=click.IntRange(0, 15), default=2, show_default=True, help="Decimals of the scores.")
@protocol
@policies()
@inputs
def sweep_command(
    key: str,
    response: tuple[str, ...],
    metrics: tuple[str, ...],
    plot: str | None,
    format_: str,
    digits: int,
    **settings: Any,
) -> None:
    """Damage RESPONSE more and more, at random, and score each step against KEY.

    By default twinless mentions, those that the key lacks, are removed in steps of 10 %, as in the artificial setting
    of Cai & Strube (2010). The table has the mean F1 over several random orders. The plot also has a band from the
    lowest to the highest F1. If there are several RESPONSEs, each is a step, and none is damaged. With --retrain, the
    system learns from the mentions of each step, with the key's entities, and resolves documents that it has not
    learned from.
    """
    source = response[0] if len(response) == 1 else response
    watched = bar("retraining" if settings["retrain"] else "sweeping")
    found = sweep(key, source, metrics=",".join(metrics) if metrics else None, progress=watched, **settings)
    if plot is not None:
        for name, drawn in found.plots().items():
            path = Path(plot)
            suffix = {"B³ variants": "-b3", "CEAF variants": "-ceaf"}.get(name, "")
            path = path.with_name(f"{path.stem}{suffix}{path.suffix}")
            drawn.save(path)
            note(f"plot written to {path}")
    if format_ == "json":
        echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        table = records(found) if format_ == "csv" else swept(found, digits)
        output(written([table], format_, found.signature), format_)
    if format_ == "csv":
        note(f"signature: {found.signature}")
    notes(found.issues)
