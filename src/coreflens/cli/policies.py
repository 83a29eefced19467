"""Options of every command that takes a key and a response: how to read them, and how to score them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click

from ..options import CHOICES, HANDLING
from ..protocols import ALIASES, PROTOCOLS
from .choices import Choice
from .limits import reading

COREF_COLUMN = "Number (from 1) or name of the column with the coreference in CoNLL files, if it is not the last."

# Options with other values than those of options.CHOICES, or with several values at once.
_OPEN = {
    "scope": "document|corpus|topic|subtopic|genre|LABELS.csv",
    "only": "ATTRIBUTE=VALUE[,VALUE]",
    "without": "nonreferring|nested|verbs|ATTRIBUTE[=VALUE]",
}

# What each policy decides. `--help` shows only this sentence. `--help-all` also explains each value.
_DECIDES = {
    "match": "Which mentions of key and response match.",
    "ties": "Which of several equally good matches is taken.",
    "zeros": "How empty nodes match.",
    "duplicates": "Which of several equal mentions on one side counts.",
    "singletons": "What happens to entities with one mention.",
    "blanc": "How BLANC treats its boundary cases.",
    "undefined": "What 0/0 counts as.",
    "average": "How documents are averaged.",
    "mean": "How F1 is computed from P and R.",
    "extra": "What happens to documents that only the response has.",
    "scope": "How far an entity may extend.",
    "pair": "How documents of key and response are paired.",
    "align": "How spans are compared where tokens differ.",
    "split_antecedents": "Whether split antecedents count.",
    "layer": "Which annotation is scored.",
    "multi": "How often a mention of several entities counts.",
    "only": "Which mentions are scored.",
    "without": "Which mentions are left out.",
    "on": "Whose attributes --only and --without use.",
    "ids": "What entity ids mean across documents.",
    "no_common": "What happens to a response without any mention of the key.",
}


def decides(name: str) -> str:
    """The help of a policy: what it decides, and what its values mean."""
    values = "; ".join(f"{value}: {text}" for value, text in (CHOICES | HANDLING)[name].items())
    return f"{_DECIDES[name]} {values}."


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
        help = f"{_DECIDES[name]} {CHOICES[name]['all' if name == 'only' else 'none']}."
        metavar = _OPEN[name].replace("|verbs", "")
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
            kind = click.STRING if name in _OPEN else Choice(list(values))
            metavar = _OPEN.get(name)
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
