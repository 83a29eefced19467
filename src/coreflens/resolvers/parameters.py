"""Parameters of the systems: fields of a frozen dataclass, typed, with bounds and a sentence about each.

@dataclass(frozen=True)
class Settings:
    window: int = parameter(3, "How many sentences back a pronoun is looked up.", low=0)

settings_of(Settings, {"window": "5"})      from the command line, `--set window=5`
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from ..errors import UsageError, choose

T = TypeVar("T")
_NAMES = {int: "whole number", float: "number"}


@dataclass(frozen=True)
class NoSettings:
    """The settings of systems without parameters."""


class Parameter(NamedTuple):
    """One parameter, for `coreflens show` and the pages."""

    name: str
    type: str  # whole number, number, one of ..., a list of ...
    default: str
    about: str


def parameter(default: T, about: str, *, low: float = -math.inf, high: float = math.inf) -> T:
    """A field of a settings class."""
    made: T = field(default=default, metadata={"about": about, "low": low, "high": high})
    return made


def parameters(settings: type) -> Iterator[Parameter]:
    """The parameters that can be set."""
    hints = get_type_hints(settings)
    for f in fields(settings):
        default = ",".join(f.default) if isinstance(f.default, tuple) else str(f.default)
        yield Parameter(f.name, _type(hints[f.name], f.metadata), default, f.metadata["about"])


def _type(hint: Any, bounds: Mapping[str, Any]) -> str:
    if get_origin(hint) is Literal:
        return " | ".join(get_args(hint))
    if get_origin(hint) is tuple:
        return f"some of {','.join(get_args(get_args(hint)[0]))}"
    low, high = bounds["low"], bounds["high"]
    span = f", {low:g} to {high:g}" if high < math.inf else f", {low:g} or more" if low > -math.inf else ""
    return _NAMES[hint] + span


def settings_of(settings: type[T], given: Mapping[str, object], system: str) -> T:
    """The settings with these values, which may be text. A wrong value is a UsageError."""
    hints = get_type_hints(settings)
    known = {f.name: f for f in fields(settings)}  # type: ignore[arg-type]
    values = {}
    for name, value in given.items():
        if not known:
            raise UsageError(f"{system} has no parameters, so '{name}' can't be set")
        plain = str(name).replace("-", "_")
        choose(plain, known, f"parameter of {system}")
        values[plain] = _value(plain, value, hints[plain], known[plain].metadata)
    return settings(**values)


def _value(name: str, value: Any, hint: Any, bounds: Mapping[str, Any]) -> Any:
    if get_origin(hint) is Literal:
        return choose(value, get_args(hint), f"value of {name}")
    if get_origin(hint) is tuple:
        members = value.split(",") if isinstance(value, str) else list(value)
        members = [m.strip() if isinstance(m, str) else m for m in members if m != ""]
        listed = [choose(member, get_args(get_args(hint)[0]), f"value of {name}") for member in members]
        if len(set(listed)) < len(listed):
            raise UsageError(f"{name} contains a value twice: {','.join(listed)}")
        return tuple(listed)
    try:
        number = hint(value)
        if hint is int and float(value) != number:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{name} must be a {_type(hint, bounds)}, not {value!r}") from None
    if not bounds["low"] <= number <= bounds["high"]:
        raise UsageError(f"{name} must be a {_type(hint, bounds)}, not {value}")
    return number
