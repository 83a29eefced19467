"""coreflens corefud-scorer."""

from __future__ import annotations

import sys

import click

from ..compat.corefud_scorer import METRICS, Match, ZeroMatch, run
from .headings import Command, command
from .paths import FilePath

_EPILOG = """\b
Examples:
  coreflens corefud-scorer key.conllu system.conllu                the official score of CRAC 2024 and 2025
  coreflens corefud-scorer key.conllu system.conllu -s -a exact    with singletons, exact match
  coreflens corefud-scorer -m muc bcub ceafe -- key.conllu system.conllu
\b
Exit codes: 0 scored, 2 usage, 3 input that can't be read or paired.
"""


class _Several(Command):
    """Accepts several values after one option, as in `-m muc bcub`, like the original."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread: list[str] = []
        open_ = False
        for place, argument in enumerate(args):
            if argument == "--":
                spread += args[place + 1 :] if open_ or "--" not in spread else args[place:]
                break
            if argument in ("-m", "--metrics"):
                open_ = True
            elif open_ and argument in ("all", *METRICS):
                spread += ["-m", argument]
            else:
                open_ = False
                spread.append(argument)
        return super().parse_args(ctx, spread)


@command(
    "corefud-scorer",
    cls=_Several,
    epilog=_EPILOG,
)
@click.argument("key", type=FilePath())
@click.argument("system", type=FilePath(), metavar="SYS")
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="METRIC...",
    help=f"Metrics to print: all, {', '.join(METRICS)}.  [default: all]",
)
@click.option("-s", "--keep-singletons", is_flag=True, help="Score singletons, which are dropped by default.")
@click.option(
    "-a", "--match", type=click.Choice(("exact", "partial", "head")), default="head", show_default=True,
    help="How mentions are matched.",
)  # fmt: skip
@click.option("-x", "--exact-match", is_flag=True, help="The same as `-a exact`.")
@click.option(
    "-z", "--zero-match-method", "zeros", type=click.Choice(("linear", "dependent")), default="dependent",
    show_default=True, help="Whether zeros are matched by their place or by their dependencies.",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="Do not report on stderr where the definition gives another number.")
def corefud_scorer_command(
    key: str,
    system: str,
    metrics: tuple[str, ...],
    keep_singletons: bool,
    match: Match,
    exact_match: bool,
    zeros: ZeroMatch,
    quiet: bool,
) -> None:
    """Do what corefud-scorer 1.2 does: the same arguments and the same output, line for line, including its faults.

    KEY and SYS are CoNLL-U files with the coreference of CorefUD. Where the scorer's own definition gives another
    number, a note on stderr says so; `coreflens score --protocol corefud` gives those numbers alone.
    """
    unknown = [name for name in metrics if name not in ("all", *METRICS)]
    if unknown:
        raise click.BadParameter(f"'{unknown[0]}' is not one of all, {', '.join(METRICS)}", param_hint="-m")
    run(
        key,
        system,
        sys.stdout,
        None if quiet else sys.stderr,
        metrics=metrics or ("all",),
        match="exact" if exact_match else match,
        keep_singletons=keep_singletons,
        zeros=zeros,
    )
