"""DuckDB's errors as messages with a remedy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import InputError
from ..extras import extra

_LOCKED = re.compile(r"could not set lock|conflicting lock|being used by another process", re.IGNORECASE)
_PID = re.compile(r"PID (\d+)")
_NO_SPACE = re.compile(r"no space left|file too large|quota exceeded|failed to allocate space|could not write", re.I)
_SHOWN = 200  # characters of DuckDB's message


def duckdb() -> Any:
    """The module, imported when it is needed. If it is missing, a UsageError says how to install it."""
    extra("pyarrow", "the database", "duckdb")  # rows are exchanged as Arrow tables
    return extra("duckdb", "the database")


@contextmanager
def failures(path: str) -> Iterator[None]:
    """Turn every error of DuckDB into an InputError about this file. Ctrl-C during a query stays Ctrl-C."""
    try:
        yield
    except duckdb().InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:  # so DuckDB calls an interrupt in Python
        if "interrupted" not in str(error):
            raise
        raise KeyboardInterrupt from None
    except duckdb().Error as error:
        raise refusal(error, path) from None
    except UnicodeDecodeError:
        raise damaged("text that is not UTF-8", path) from None


def in_use(path: str, pid: str | None) -> InputError:
    """Another process is the one that writes."""
    who = f"another process ({pid})" if pid else "another process"
    hint = "wait until it has finished, and try again"
    return InputError(f"{who} is working on this database", file=path, hint=hint, code="in-use")


def damaged(reason: str, path: str) -> InputError:
    """The file is not as it was written."""
    hint = "build it again from its files, or use a copy"
    return InputError(
        f"the database is damaged or can't be read: {reason[:_SHOWN]}", file=path, hint=hint, code="damaged"
    )


def refusal(error: Exception, path: str) -> InputError:
    """A message for DuckDB's error, for the user who gave this path."""
    text = " ".join(str(error).split())
    shown = text[:_SHOWN]
    module = duckdb()
    if _LOCKED.search(text):
        pid = _PID.search(text)
        return in_use(path, pid[1] if pid else None)
    if "different configuration" in text:
        hint = "close the other connection first"
        return InputError("this program has the database open in another way", file=path, hint=hint, code="in-use")
    if "version number" in text or "storage version" in text:
        return InputError(f"another version of DuckDB wrote this file: {shown}", file=path, hint="upgrade duckdb")
    if isinstance(error, module.OutOfMemoryException):
        hint = "give it more memory, or close other programs"
        return InputError(f"not enough memory: {shown}", file=path, hint=hint)
    if _NO_SPACE.search(text):
        hint = "make room and try again; what was there before is unchanged"
        return InputError(f"can't be written: {shown}", file=path, hint=hint)
    if "Permission denied" in text or "read-only" in text.lower():
        return InputError(f"can't be opened: {shown}", file=path, hint="check the rights of the file and its folder")
    return damaged(shown, path)
