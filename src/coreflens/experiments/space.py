"""The space of a search: parameters, each with the values to try.

    decay=0:1:.1         from 0 to 1 in steps of .1, both ends included
    window=1..8          whole numbers from 1 to 8
    words=english,none   these values

Values are kept as text, exactly as on a command line. So 0.3 is 0.3 in every log and every call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product
from math import isfinite, prod
from typing import TypeAlias

from ..errors import UsageError

Setting: TypeAlias = tuple[str, ...]  # one value for each axis, in their order
MOST = 100_000  # values of one axis, or points of a grid
_NAME = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True)
class Axis:
    """A parameter and its values, in the order in which they were given."""

    name: str
    values: tuple[str, ...]

    @property
    def numbers(self) -> list[float] | None:
        """The values as numbers; None if one is a word."""
        try:
            found = [float(value) for value in self.values]
        except ValueError:
            return None
        return found if all(map(isfinite, found)) else None


@dataclass(frozen=True)
class Space:
    """All combinations of the values of some parameters."""

    axes: tuple[Axis, ...]

    def __len__(self) -> int:
        return prod(len(axis.values) for axis in self.axes)

    def __iter__(self) -> Iterator[Setting]:
        return product(*(axis.values for axis in self.axes))

    def named(self, setting: Setting) -> dict[str, str]:
        """A setting as name → value."""
        return {axis.name: value for axis, value in zip(self.axes, setting, strict=True)}

    def text(self, setting: Setting) -> str:
        """A setting in a line: `decay=0.3 window=5`."""
        return " ".join(f"{name}={value}" for name, value in self.named(setting).items())


def space_of(parameters: Sequence[str] | Mapping[str, str | Sequence[object]]) -> Space:
    """The space of `NAME=VALUES` texts, or of a mapping from names to texts or lists of values."""
    if isinstance(parameters, Mapping):
        axes = [_axis(name, values) for name, values in parameters.items()]
    else:
        pairs = [text.partition("=") for text in parameters]
        for name, equals, _ in pairs:
            if not equals:
                raise UsageError(f"--param takes NAME=VALUES, such as decay=0:1:.1, not '{name}'")
        axes = [_axis(name.strip(), values) for name, _, values in pairs]
    if not axes:
        raise UsageError("nothing to vary: give --param NAME=VALUES, such as --param decay=0:1:.1")
    names = [axis.name for axis in axes]
    if len(set(names)) < len(names):
        raise UsageError(f"a parameter is given twice: {', '.join(names)}")
    return Space(tuple(axes))


def _axis(name: str, values: str | Sequence[object]) -> Axis:
    if not _NAME.fullmatch(name) or name in ("input", "output", "parts"):
        raise UsageError(f"'{name}' can't be the name of a parameter")
    listed = _listed(name, values) if isinstance(values, str) else [str(value) for value in values]
    listed = list(dict.fromkeys(listed))
    if not listed or "" in listed:
        raise UsageError(f"{name} has no values, or an empty one")
    return Axis(name, tuple(listed))


def _listed(name: str, text: str) -> list[str]:
    if ".." in text:
        low, high = (_number(name, part) for part in text.split("..", 1))
        if low % 1 or high % 1:
            raise UsageError(f"{name}={text}: LOW..HIGH is for whole numbers; use LOW:HIGH:STEP for others")
        return _steps(name, text, low, high, Decimal(1))
    if text.count(":") == 2:
        low, high, step = (_number(name, part) for part in text.split(":"))
        return _steps(name, text, low, high, step)
    if ":" in text:
        raise UsageError(f"{name}={text}: a range needs a step, LOW:HIGH:STEP, such as 0:1:.1")
    return [value.strip() for value in text.split(",")]


def _steps(name: str, text: str, low: Decimal, high: Decimal, step: Decimal) -> list[str]:
    if step <= 0 or high < low:
        raise UsageError(f"{name}={text}: the range must go up, in steps of more than 0")
    count = int((high - low) / step) + 1
    if count > MOST:
        raise UsageError(f"{name}={text}: more than {MOST:,} values")
    return [f"{(low + k * step).normalize() + 0:f}" for k in range(count)]


def _number(name: str, text: str) -> Decimal:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        raise UsageError(f"{name}: '{text.strip()}' is not a number") from None
    if not number.is_finite() or abs(number) > Decimal(10) ** 15:
        raise UsageError(f"{name}: '{text.strip()}' is not a finite number")
    return number
