"""Modes of a command: the kinds of output that it has, each with the options that it takes.

An option that is given acts, or it is refused: with the name of the mode that does not take it, or with the name of
what it needs. Nothing is ignored. A mode is found, the other options are refused, and the mode runs; `run_mode` does
this. A command with one kind of output declares `rules` alone.

Options are named as the command line names them, without the dashes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, NamedTuple, TypeAlias

import click
from click.core import ParameterSource

from ..errors import UsageError
from ..files.limits import Limits
from ..options import CHOICES, HANDLING

Options: TypeAlias = frozenset[str]

# Groups of options that modes take together.
LIMITS: Options = frozenset(
    "allow-outside" if limit.name == "outside" else f"max-{limit.name}" for limit in fields(Limits)
)
FORMATS: Options = frozenset({"key-format", "response-format", "input-format", "coref-column", "encoding"})
ONE_SIDE: Options = FORMATS | LIMITS | {"repair", "jobs"}
READING: Options = ONE_SIDE | {"pair", "align", "extra", "layer", "full-key"}
POLICIES: Options = (
    frozenset(name.replace("_", "-") for name in (*CHOICES, *HANDLING)) | {"protocol", "min-share"}
) - READING
SHAPE: Options = frozenset({"format", "digits", "signature", "width"})
INTERVALS: Options = frozenset({"interval", "confidence", "seed", "unit"})
DRAWS: Options = INTERVALS | {"bootstrap", "stratify"}
GATES: Options = frozenset({"fail-under", "against", "fail-if-worse"})
ENGINE: Options = frozenset(
    {"engine", "columns", "key-columns", "response-columns", "memory-limit", "spill", "master", "no-ceaf"}
)
HELP: Options = frozenset({"help", "help-all", "codes"})  # they end the command before it runs


class Asked(Mapping[str, Any]):
    """What a user asked of a command: the value of each parameter, and which options were given."""

    def __init__(self, values: Mapping[str, Any], given: Sequence[str]) -> None:
        self.values_by_parameter = dict(values)
        self.given = given  # in the order of the command's help

    @classmethod
    def from_context(cls, context: click.Context, values: Mapping[str, Any] | None = None) -> Asked:
        """The values of a running command. Those that a decorator has changed are passed as `values`."""
        return cls(context.params if values is None else values, given_options(context))

    def __getitem__(self, parameter: str) -> Any:
        return self.values_by_parameter[parameter]

    def __iter__(self) -> Any:
        return iter(self.values_by_parameter)

    def __len__(self) -> int:
        return len(self.values_by_parameter)

    def gives(self, *options: str) -> bool:
        """Whether one of these options was given."""
        return any(option in self.given for option in options)

    def settings(self, *but: str) -> dict[str, Any]:
        """The values by parameter, without some of them."""
        return {name: value for name, value in self.items() if name not in but}


Condition: TypeAlias = Callable[[Asked], bool]


class Rule(NamedTuple):
    """Options that act under a condition only. Without it they are refused, and the message is `--option otherwise`."""

    options: tuple[str, ...]
    holds: Condition
    otherwise: str


def given(*options: str) -> Condition:
    """The condition that one of these options is given."""
    return lambda asked: asked.gives(*options)


def value(parameter: str, *values: object) -> Condition:
    """The condition that a parameter has one of these values."""
    return lambda asked: asked[parameter] in values


class Mode(ABC):
    """A kind of output of a command.

    name    the mode as messages name it, after "can't be combined with"
    takes   the options that it takes; every other option is refused
    rules   options that it takes under a condition only
    """

    name: ClassVar[str]
    takes: ClassVar[Options]
    rules: ClassVar[tuple[Rule, ...]] = ()
    hint: ClassVar[str] = ""  # what to do instead, at the end of a message

    @abstractmethod
    def when(self, asked: Asked) -> bool:
        """Whether this mode is asked for."""

    @abstractmethod
    def run(self, asked: Asked) -> None:
        """Print and write what is asked for."""

    def refusal(self, options: Sequence[str]) -> str:
        """The message about options that this mode does not take."""
        return f"{flags(options)} can't be combined with {self.name}{self.hint and f': {self.hint}'}"


def run_mode(values: Mapping[str, Any]) -> None:
    """Find the mode of the running command, refuse the options that can't act in it, and run it."""
    context = click.get_current_context()
    asked = Asked.from_context(context, values)
    modes: Sequence[Mode] = context.command.modes  # type: ignore[attr-defined]
    mode = chosen_mode(modes, asked)
    refuse_others(mode, asked)
    refuse_idle(mode.rules, asked)
    mode.run(asked)


def chosen_mode(modes: Iterable[Mode], asked: Asked) -> Mode:
    """The first mode that is asked for. The last one has no condition."""
    return next(mode for mode in modes if mode.when(asked))


def refuse_others(mode: Mode, asked: Asked) -> None:
    """A UsageError if an option is given that the mode does not take."""
    others = [option for option in asked.given if option not in mode.takes]
    if others:
        raise UsageError(mode.refusal(others))


def refuse_idle(rules: Iterable[Rule], asked: Asked) -> None:
    """A UsageError if an option is given without what it needs."""
    for rule in rules:
        idle = [option for option in asked.given if option in rule.options]
        if idle and not rule.holds(asked):
            raise UsageError(f"--{idle[0]} {rule.otherwise}")


def flags(options: Sequence[str]) -> str:
    """Options as people write them: `--by, --rpf and --exact`."""
    shown = [f"--{option}" for option in options]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def option_name(parameter: click.Parameter) -> str:
    """The longest name of an option, without the dashes."""
    return max(parameter.opts, key=len).lstrip("-")


def given_options(context: click.Context) -> list[str]:
    """The options on the command line, also those whose values go to no function."""
    return [
        option_name(parameter)
        for parameter in context.command.params
        if isinstance(parameter, click.Option)
        and context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    ]
