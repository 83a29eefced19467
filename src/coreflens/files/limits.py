"""The limits on the size of one input, and how to change them.

A file from a stranger can be small and unpack to terabytes, or be nested so deeply that the program fails. Input that
exceeds a limit is refused, and the message names the option that raises it. The same limits hold for the library:

    with coreflens.limits(unpacked=8 << 30):
        coreflens.read("large.conll.gz")

A limit holds within its `with` block, in the thread that entered it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from typing import Any, NoReturn

from ..errors import InputError, UsageError

_SPARE = 500  # levels of the call stack that the program itself may need


def _limit(default: int, about: str, unit: str = "") -> Any:
    return field(default=default, metadata={"about": about, "unit": unit})


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits, each with its default; `--max-unpacked` is `unpacked`, and so on."""

    unpacked: int = _limit(1 << 30, "Size of one packed file or archive member after unpacking.", "bytes")
    total: int = _limit(
        1 << 31, "Size of all packed files or members of an input, after unpacking, or of a pipe.", "bytes"
    )
    line: int = _limit(1 << 28, "Length of a line.", "bytes")
    nesting: int = _limit(200, "Depth to which JSON and XML may be nested.", "levels")
    digits: int = _limit(4300, "Digits of a whole number.", "digits")
    outside: bool = field(
        default=False,
        metadata={"about": "Follow names in a file, and links, to any other place, but not to the key.", "unit": ""},
    )


LOWEST = {"digits": 640}  # Python's own check begins at 640 digits
HIGHEST = {"nesting": 1000, "digits": 1_000_000}  # beyond these some version of Python fails (3.12: 1,490 levels)

DEFAULTS = Limits()
_readers: ContextVar[int | None] = ContextVar("readers", default=None)
_current: ContextVar[Limits] = ContextVar("limits", default=DEFAULTS)


def allowed() -> Limits:
    """The limits that hold here."""
    return _current.get()


def readers() -> int | None:
    """In how many processes the files of one input are read here. None: it was not said."""
    return _readers.get()


@contextmanager
def reading(jobs: int) -> Iterator[None]:
    """Read the files of a directory in so many processes within this block, in this thread."""
    token = _readers.set(jobs)
    try:
        yield
    finally:
        _readers.reset(token)


@contextmanager
def under(limit: Limits) -> Iterator[Limits]:
    """The limits of another process, within a `with` block."""
    with limits(**{name: getattr(limit, name) for name in limit.__dataclass_fields__}) as found:
        yield found


@contextmanager
def limits(
    *,
    unpacked: int | None = None,
    total: int | None = None,
    line: int | None = None,
    nesting: int | None = None,
    digits: int | None = None,
    outside: bool | None = None,
) -> Iterator[Limits]:
    """Other limits for what is read within a `with` block, in this thread; those not given stay as they are.

    unpacked  bytes of one packed file or archive member after unpacking
    total     bytes of all packed files or members of one input, after unpacking, or of a pipe
    line      bytes of a line
    nesting   levels to which JSON and XML may be nested
    digits    digits of a whole number
    outside   follow names in a file, and links, to any other place, but not to the key

        with limits(unpacked=8 << 30): read("large.conll.gz")
    """
    given = {"unpacked": unpacked, "total": total, "line": line, "nesting": nesting, "digits": digits}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name, value in changes.items():
        lowest = LOWEST.get(name, 1)
        if not isinstance(value, int) or not lowest <= value <= HIGHEST.get(name, value):
            most = f" to {HIGHEST[name]:,}" if name in HIGHEST else " up"
            raise UsageError(f"the limit '{name}' must be a whole number from {lowest}{most}, not {value!r}")
    chosen = replace(_current.get(), **changes, **({} if outside is None else {"outside": outside}))
    token = _current.set(chosen)
    recursion, longest = sys.getrecursionlimit(), sys.get_int_max_str_digits()
    if chosen.nesting > DEFAULTS.nesting:
        sys.setrecursionlimit(max(recursion, 3 * chosen.nesting + _SPARE))
    if chosen.digits != longest:
        sys.set_int_max_str_digits(chosen.digits)
    try:
        yield chosen
    finally:
        _current.reset(token)
        sys.setrecursionlimit(recursion)
        sys.set_int_max_str_digits(longest)


def refuse(
    limit: str, what: str, *, file: str | None = None, line: int | None = None, column: int | None = None
) -> NoReturn:
    """Input that exceeds a limit; the message names the option."""
    most = getattr(allowed(), limit)
    unit = next(f.metadata["unit"] for f in fields(Limits) if f.name == limit)
    shown = size(most) if unit == "bytes" else f"{most:,} {unit}"
    raise InputError(
        f"{what}: more than the limit of {shown}",
        file=file,
        line=line,
        column=column,
        hint=f"--max-{limit} raises the limit, if you trust this file",
        code="limit",
    )


def size(number: int) -> str:
    """`1 GB` for 1 << 30; in bytes if it is not a whole number of a unit."""
    for power, unit in ((30, "GB"), (20, "MB"), (10, "kB")):
        if number >= 1 << power and number % (1 << power) == 0:
            return f"{number >> power} {unit}"
    return f"{number:,} bytes"


class Budget:
    """The total unpacked size of the files of one input so far."""

    def __init__(self) -> None:
        self.used = 0

    def take(self, number: int, name: str) -> None:
        self.used += number
        if self.used > allowed().total:
            refuse("total", "the packed files of this input are too large when unpacked", file=name)


def check_lines(data: bytes, name: str) -> None:
    """Check that no line is longer than the limit; searching line ends from the back costs almost nothing."""
    most = allowed().line
    start = 0
    while len(data) - start > most:
        end = data.rfind(b"\n", start, start + most + 1)
        if end < 0:
            refuse("line", "a very long line", file=name, line=data.count(b"\n", 0, start) + 1)
        start = end + 1


def whole(digits: str, *, file: str | None = None, line: int | None = None) -> int:
    """A whole number from text that has only digits."""
    if len(digits) > allowed().digits:
        refuse("digits", f"a number of {len(digits):,} digits", file=file, line=line)
    return int(digits)
