"""Packages that coreflens can do without: each is imported when it is needed, and its extra is named where it lacks."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import UsageError

_NO_MEMORY = ("failed to map segment", "annot allocate memory")  # as the system says where a library can't be loaded


def extra(package: str, what: str, name: str | None = None) -> Any:
    """The package, imported; where it is not installed a UsageError says what needs it and how to get it.

    `name` is that of the extra, if it is not the package's own.

        duckdb = extra("duckdb", "--engine duckdb")
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package.partition(".")[0]:
            raise  # it is there, and something else is wrong
    raise UsageError(
        f"{what} needs {package}, which is not installed: pip install 'coreflens[{name or package}]'"
    ) from None


def memory_was_short(error: ImportError) -> bool:
    """Whether a package is there, but memory did not suffice to load it."""
    return any(sign in str(error) for sign in _NO_MEMORY)
