"""The command line: one file per group of commands, which is loaded when a command is called.

Data goes to stdout and messages to stderr. Exit codes: 0 scored, 1 a gate failed, 2 wrong usage, 3 input that can't be
read.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from .. import __version__
from ..errors import CoreflensError, Issue, notes_of, visible
from ..extras import memory_was_short
from ..files.opening import run
from ..wording import command_line

__all__ = ["main"]

for _library in ("OPENBLAS", "MKL"):  # numpy is not loaded yet, and starting threads costs time
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

# heading → command → its module, and the sentence about it. The list of commands is shown without loading the modules.
_GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Score and understand": {
        "score": ("score", "Score a response against a key."),
        "explain": ("explain", "Derive a score step by step."),
        "diagnose": ("diagnose", "Find the errors of a response and what they cost."),
        "view": ("view", "Look at key and responses in one HTML file."),
        "pair": ("pair", "Check whether key and response fit together."),
    },
    "Compare and publish": {
        "compare": ("compare", "Compare systems: rank them and test their differences."),
        "correlate": ("correlate", "Show how metrics correlate over systems."),
        "counts": ("counts", "Add up saved counts."),
        "history": ("history", "Show the progress of a system over its stages."),
        "check-submission": ("competition", "Check whether a submission to a shared task is valid."),
        "bundle": ("competition", "Make a scoring bundle for a competition on Codabench."),
    },
    "Files": {
        "validate": ("validate", "Find errors in corpus files, as a linter does."),
        "convert": ("convert", "Convert files from one format to another."),
        "describe": ("describe", "Describe a corpus in figures."),
        "db": ("db", "Keep a corpus with all its layers in a database."),
        "task": ("task", "Build and vary the data of the CoNLL-2011 shared task."),
    },
    "Samples": {
        "sample": ("sample", "Draw records of a response to be labelled."),
        "estimate": ("estimate", "Estimate scores from a labelled sample, with intervals."),
        "plan": ("plan", "Find how many records must be labelled."),
    },
    "People": {
        "agree": ("agree", "Measure the agreement of annotators, with F1 and alpha."),
        "quiz": ("quiz", "Multiple-choice questions about coreference."),
    },
    "Systems and experiments": {
        "resolve": ("resolve", "Resolve coreference: baselines, rules, a learned system."),
        "tune": ("tune", "Find the parameters with which a system scores best."),
        "ablate": ("ablate", "Measure what each part of a system contributes."),
        "curve": ("curve", "Score clusters at every threshold of scored links."),
        "minimal-pairs": ("minimal_pairs", "Evaluate minimal pairs: accuracy and consistency."),
        "sweep": ("sweep", "Damage a response step by step, and see how metrics react."),
        "probe": ("probe", "Probe metrics with all possible responses to a key."),
    },
    "Reference": {
        "list": ("reference", "List metrics, formats, protocols, options and other names."),
        "show": ("reference", "Explain what is listed, and the order of operations."),
        "demo": ("demo", "Score a small example, and show what to try next."),
        "conll-scorer": ("conll_scorer", "Score line for line as the scorer of CoNLL-2012 does."),
        "corefud-scorer": ("corefud_scorer", "Score line for line as the scorer of the CRAC tasks does."),
    },
}
_INTERRUPTED = "Query interrupted"  # DuckDB makes a RuntimeError of Ctrl-C
_COMMANDS = {name: command for group in _GROUPS.values() for name, command in group.items()}

EXIT_CODES = {
    0: "scored; notes report anything unusual",
    1: "a gate failed (`--fail-under`, `--fail-if-worse`), `validate`, `pair`, `check-submission` or `db check` found "
    "errors, or one of several failed",
    2: "wrong usage: an option, metric or argument that does not exist or does not fit",
    3: "input that can't be read or paired: nothing in common, a duplicate document, unequal token counts; or output "
    "that can't be written",
    70: "a bug in coreflens; `COREFLENS_DEBUG=1` shows where",
    130: "interrupted",
    141: "the reader of the output stopped reading",
}

_EPILOG = """\b
Examples:
  coreflens score key.conll response.conll
  coreflens score key.conll response.conll -m muc,lea --by genre
  coreflens compare key.conll base.conll new.conll --baseline base
  coreflens show ceafe
  coreflens demo

`coreflens COMMAND --help` explains a command.
"""


class _Commands(click.Group):
    """Commands are modules that are imported only when they are called, so the program starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, about = _COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f".{module}", __name__), f"{cmd_name.replace('-', '_')}_command")
        command.short_help = about
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, and then the few options."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, under headings and in the same two columns."""
        width = max(map(len, _COMMANDS))
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", about) for name, (_, about) in commands.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. It does not overwrite the files that it reads."""
        try:
            with run() as written:
                try:
                    with _own_errors():
                        return super().invoke(ctx)
                except (CoreflensError, KeyboardInterrupt, MemoryError, OSError):
                    _note_written(written)
                    raise
        except BrokenPipeError:  # click would exit with code 1
            raise _ReaderGone from None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from ..errors import choose

            choose(args[0], _COMMANDS, "command")
        return super().resolve_command(ctx, args)


@contextmanager
def _own_errors() -> Iterator[None]:
    """What other libraries make of Ctrl-C and of too little memory, as the errors that these are."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == _INTERRUPTED:
            raise KeyboardInterrupt from None
        raise
    except ImportError as error:
        if memory_was_short(error):
            raise MemoryError from None
        raise


def _note_written(files: Sequence[str]) -> None:
    """Say which files a command wrote before it failed: others of the same set are missing."""
    if len(files) == 1:
        note(f"written before this: {files[0]}")
    elif files:
        note(f"written before this: {len(files)} files, the last one is {files[-1]}; others may be missing")


class _ReaderGone(Exception):
    """The reader of the output has stopped reading, as `head` does."""


@click.group(
    cls=_Commands,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="coreflens")
def cli() -> None:
    """Evaluate coreference resolution, with every metric, exactly and with explanations."""


def _keep_memory() -> None:
    """Make the C library of Linux keep the memory of arrays that are freed, and not return it to the system each time.

    It returns blocks that are larger than the largest one freed so far, with a limit of 32 MB. So a block of nearly 32
    MB is reserved and freed. It is never touched and takes no memory.
    """
    with suppress(MemoryError):
        bytes(31 << 20)


def _collect_rarely() -> None:
    """Make Python search for garbage less often. A command keeps most of what it makes, so there is little to find."""
    gc.set_threshold(100_000, 20, 20)


def main() -> None:
    """Run the command line. Errors become messages and exit codes, never tracebacks."""
    if sys.stderr is None:  # stderr is closed, so messages are lost
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open until the end of the process
    if sys.stdout is None:
        fail("standard output is closed", 3)
    for stream in (sys.stdout, sys.stderr):  # a terminal without "³" shows "?" instead
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with command_line():
            _run()
    finally:
        _end_messages()


def _run() -> None:
    """Run the command line, and end the process with its exit code."""
    try:
        _keep_memory()
        _collect_rarely()
        try:
            code = cli.main(standalone_mode=False)
        finally:
            sys.stdout.flush()
    except (_ReaderGone, BrokenPipeError):
        _silence()
        sys.exit(141)
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
    except OSError as error:  # from writing to stdout: files have their own messages
        _silence()
        place = f"{error.filename}: " if error.filename else ""
        fail(f"{place}can't be read or written: {error.strerror or error}", 3)
    except Exception as error:
        if os.environ.get("COREFLENS_DEBUG"):
            raise
        fail(f"a bug in coreflens: {type(error).__name__}: {error} (COREFLENS_DEBUG=1 shows where)", 70)
    if code:  # of `context.exit`; a command itself returns nothing
        sys.exit(code)


def _end_messages() -> None:
    """Flush stderr, so that Python does not fail at its end where it is full: messages are lost then."""
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open until the end of the process


def _silence() -> None:
    """Replace stdout, so that nothing is flushed into a closed pipe at exit."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - open until the end of the process


def fail(message: str, code: int) -> NoReturn:
    say(f"coreflens: error: {message}")
    sys.exit(code)


def note(message: str) -> None:
    say(f"coreflens: note: {message}")


def notes(issues: Iterable[Issue]) -> None:
    """Print the issues as notes, one note per code."""
    for message in notes_of(issues):
        note(message)


def say(message: str) -> None:
    """Print a message on stderr. If stderr is closed or full, the result stays the same."""
    from .colours import message_in_colour, wanted

    with suppress(OSError, ValueError):
        shown = visible(message, keep="\n")
        in_colour = wanted(sys.stderr)
        click.echo(message_in_colour(shown) if in_colour else shown, err=True, color=in_colour)


def echo(text: str) -> None:
    """Print the result of a command on stdout. Control characters from files are made visible."""
    click.echo(visible(text, keep="\n\t"))


def output(text: str, format: str) -> None:
    """Print the result of a command: HTML as a whole page, and tables in colour on a terminal."""
    from .colours import table_in_colour, wanted

    if format == "html":
        from ..paper.web import page

        text = page(text)
    if format == "table" and wanted(sys.stdout):
        click.echo(table_in_colour(visible(text.rstrip("\n"), keep="\n\t")), color=True)
    else:
        echo(text.rstrip("\n"))


def bar(label: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """A progress bar on stderr for long loops, if stderr is a terminal."""

    def watched(items: Iterable[Any]) -> Iterator[Any]:
        items = list(items)
        if not sys.stderr.isatty() or len(items) < 20:
            yield from items
            return
        with click.progressbar(items, label=label, file=sys.stderr) as shown:
            yield from shown

    return watched
