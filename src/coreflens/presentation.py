"""Results are data. What shows a result is found by its class in one table: `WRITERS` of `coreflens/__init__.py`.

So `print(result)`, notebooks and methods such as `plot` work, and no room imports `report`. A writer is loaded when it
is first needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import WRITERS
from .errors import notes_of
from .wording import on_the_command_line


def writer_of(result: object) -> Any:
    """The module of `report` that writes a result: it has `text`, and `html`, `plot` and the like where they exist."""
    for cls in type(result).__mro__:
        place = f"{cls.__module__}.{cls.__qualname__}".removeprefix(f"{__package__}.")
        if place in WRITERS:
            return import_module(f".{WRITERS[place]}", __package__)
    raise TypeError(f"no writer shows {type(result).__qualname__}")


class Presented:
    """A result that its writer prints. In Python its notes come last; the command line has them on stderr."""

    __slots__ = ()

    def __str__(self) -> str:
        text: str = writer_of(self).text(self)
        issues = getattr(self, "issues", None)
        if not issues or on_the_command_line():
            return text
        return "\n".join([text, *(f"note: {message}" for message in notes_of(issues))])


class InNotebooks(Presented):
    """A result that its writer also shows in notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        html: str = writer_of(self).html(self)
        return html
