"""Options of every command that takes a key and a response: how to read them, and how to score them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click

from ..options import ABOUT, CHOICES, HANDLING
from ..protocols import ALIASES, PROTOCOLS
from .choices import Choice
from .limits import reading

COREF_COLUMN = "Number (from 1) or name of the column with the coreference in CoNLL files, if it is not the last."


def decides(name: str) -> str:
    """The help of a policy: what it decides, and what its values mean."""
    values = "; ".join(f"{value}: {text}" for value, text in (CHOICES | HANDLING)[name].items())
    return f"{ABOUT[name].decides} {values}."


def inputs(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options for reading key and response if their format is not recognised."""
    return _read_sides("key", "response")(command)


def key_input(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same options for commands that read a key alone."""
    return _read_sides("key")(command)


def _read_sides(*sides: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        command = reading(command)
        command = click.option("--encoding", help="Encoding of the files, if it is not UTF-8.")(command)
        for side in reversed(sides):
            about = f"Format of the {side}, if it is not recognised; see `coreflens list formats`."
            command = click.option(f"--{side}-format", metavar="FORMAT", help=about)(command)
        return coref_column(*(f"{side}_format" for side in sides))(command)

    return decorate


def coref_column(*formats: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--coref-column`, which is added to the names of these formats."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_column(*args: Any, coref_column: str | None, **options: Any) -> Any:
            if coref_column is not None:
                options |= {name: f"{options[name] or 'conll'}:{coref_column}" for name in formats}
            return command(*args, **options)

        return click.option("--coref-column", metavar="N|NAME", help=COREF_COLUMN)(with_column)

    return decorate


def protocol(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--protocol`, which has many values."""
    return click.option(
        "--protocol",
        type=Choice([*PROTOCOLS, *ALIASES]),
        metavar="NAME[:VARIANT]",
        help="A named recipe for the options below. `coreflens list protocols` lists all recipes.",
    )(command)


def selection(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--only` and `--without` for commands that read one corpus."""
    for name in ("without", "only"):
        help = f"{ABOUT[name].decides} {CHOICES[name]['all' if name == 'only' else 'none']}."
        metavar = ABOUT[name].values.replace("|verbs", "")
        command = click.option(f"--{name}", multiple=True, metavar=metavar, help=help)(command)
    return command


def min_share(command: Callable[..., Any]) -> Callable[..., Any]:
    """The number that belongs to `--match share`."""
    return click.option(
        "--min-share",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="PART",
        help="With --match share: the smallest share of common words among all words of two mentions.  [default: 0.5]",
    )(command)


def policies(but: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """One option per policy, with the values and meanings of options.CHOICES, and `--signature`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        command = command if "signature" in but else _signature(command)
        for name, values in reversed((CHOICES | HANDLING).items()):
            metavar = ABOUT[name].values or None
            kind = click.STRING if metavar else Choice(list(values))
            several = name in ("only", "without")
            if name == "ties" and "match" not in but:
                command = min_share(command)
            if name not in but:
                flag = f"--{name.replace('_', '-')}"
                command = click.option(flag, type=kind, metavar=metavar, help=decides(name), multiple=several)(command)
        return command

    return decorate


def _signature(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--signature`, for the line below tables. JSON and saved counts always have the full one."""

    def settle(ctx: click.Context, parameter: click.Parameter, value: str) -> None:
        from ..scoring.signature import full_signatures

        ctx.with_resource(full_signatures(value == "full"))

    return click.option(
        "--signature",
        type=Choice(["short", "full"]),
        default="short",
        show_default=True,
        expose_value=False,
        callback=settle,
        help="The line below tables that records how they were computed. short: the protocol and the options that "
        "differ from it; full: every option.",
    )(command)
