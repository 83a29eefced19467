"""The command line: one file a group of commands, loaded when called.

Data goes to stdout and messages to stderr. Exit codes: 0 scored, 1 a gate failed, 2 usage, 3 input that can't be read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from .. import __version__
from ..errors import CoreflensError

__all__ = ["main"]

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy is not loaded yet, and starting threads costs time

_COMMANDS = {
    "score": "score",
    "explain": "explain",
    "diagnose": "diagnose",
    "view": "view",
    "compare": "compare",
    "pair": "pair",
    "validate": "validate",
    "convert": "convert",
    "describe": "describe",
    "agree": "agree",
    "correlate": "correlate",
    "sweep": "sweep",
    "resolve": "resolve",
    "task": "task",
    "list": "reference",
    "show": "reference",
    "demo": "demo",
    "conll-scorer": "conll_scorer",
}

EXIT_CODES = {
    0: "scored; oddities were reported",
    1: "a gate failed (`--fail-under`, `--fail-if-worse`), `validate` or `pair` found errors, or one of several failed",
    2: "usage: an option, metric or argument that does not exist or does not fit",
    3: "input that can't be read or paired: nothing in common, a duplicate document, unequal token counts",
    70: "a bug in coreflens; `COREFLENS_DEBUG=1` shows where",
    130: "interrupted",
    141: "the reader of the output went away",
}

_EPILOG = """\b
Examples:
  coreflens score key.conll response.conll
  coreflens score key.conll response.conll -m muc,lea --by genre
  coreflens compare key.conll base.conll new.conll --baseline base
  coreflens show ceafe
  coreflens demo
"""


class _Commands(click.Group):
    """Commands are modules, imported when asked for, so that starting costs next to nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f".{_COMMANDS[cmd_name]}", __name__)
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader of our output went away, as `head` does; click would call it exit code 1
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - nothing may be flushed into the broken pipe at exit
            sys.exit(141)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from ..errors import choose

            choose(args[0], _COMMANDS, "command")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Commands,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="coreflens")
def cli() -> None:
    """Evaluate coreference resolution: how good, by every metric, exactly and explained."""


def main() -> None:
    """Run the command line; errors become messages and exit codes, never tracebacks."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks "³" shows "?" rather than nothing
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        cli.main(standalone_mode=False)
    except CoreflensError as error:
        fail(str(error), error.exit_code)
    except click.ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # click 8.1 has no such class
            click.echo(error.format_message())
            sys.exit(2)
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        fail("interrupted", 130)
    except MemoryError:
        fail("out of memory", 3)
    except Exception as error:
        if os.environ.get("COREFLENS_DEBUG"):
            raise
        fail(f"a bug in coreflens: {type(error).__name__}: {error} (COREFLENS_DEBUG=1 shows where)", 70)


def fail(message: str, code: int) -> None:
    click.echo(f"coreflens: error: {message}", err=True)
    sys.exit(code)


def note(message: str) -> None:
    click.echo(f"coreflens: note: {message}", err=True)


def output(text: str, format: str) -> None:
    """Print what a command found; HTML as a page of its own, not a fragment."""
    if format == "html":
        click.echo('<!doctype html><meta charset="utf-8"><title>coreflens</title>')
    click.echo(text.rstrip("\n"))


def bar(label: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Progress on stderr, if somebody looks, over whatever is many and takes a while."""

    def watched(items: Iterable[Any]) -> Iterator[Any]:
        items = list(items)
        if not sys.stderr.isatty() or len(items) < 20:
            yield from items
            return
        with click.progressbar(items, label=label, file=sys.stderr) as shown:
            yield from shown

    return watched
