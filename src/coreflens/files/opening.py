"""The one way in which files are opened for reading, and a record of the files that a run has read.

An output must not be one of the inputs. Within `run()` every regular file that is opened is recorded by its device and
number, so links and other spellings of its path make no difference. `writing.save` refuses to replace such a file.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import UnsupportedOperation
from typing import IO, TYPE_CHECKING

from ..errors import InputError, MissingFile
from .limits import allowed, refuse

if TYPE_CHECKING:
    from pathlib import Path

_read: ContextVar[set[tuple[int, int]] | None] = ContextVar("read", default=None)
_written: ContextVar[list[str] | None] = ContextVar("written", default=None)


@contextmanager
def run() -> Iterator[list[str]]:
    """A command, or a call that reads and writes; it does not overwrite files that it has read.

    The list has the files that it has written so far.
    """
    outer = _written.get()
    if outer is not None:
        yield outer
        return
    written: list[str] = []
    tokens = _read.set(set()), _written.set(written)
    try:
        yield written
    finally:
        _read.reset(tokens[0])
        _written.reset(tokens[1])


def was_written(name: str) -> None:
    """Record a file that is complete."""
    written = _written.get()
    if written is not None:
        written.append(name)


def was_read(status: os.stat_result) -> bool:
    """Whether this file was read in the current run."""
    return (status.st_dev, status.st_ino) in (_read.get() or ())


def open_file(path: str | Path) -> IO[bytes]:
    """A file, opened to read its bytes; an InputError if it can't be opened."""
    try:
        file = open(path, "rb")  # noqa: SIM115 - the caller closes it
        status = os.fstat(file.fileno())
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise unreadable(error, str(path)) from None
    try:
        _refuse_device(file.fileno(), status, str(path))
    except InputError:
        file.close()
        raise
    seen = _read.get()
    if seen is not None and stat.S_ISREG(status.st_mode):
        seen.add((status.st_dev, status.st_ino))
    return file


def load(path: str | Path) -> bytes:
    """The bytes of a file."""
    try:
        with open_file(path) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
            return _of_pipe(file, str(path))
    except OSError as error:
        raise unreadable(error, str(path)) from None


def bytes_of(paths: Iterable[str | Path]) -> int:
    """The size of those of the paths that are files. A file that is gone counts 0; reading it says what is wrong."""
    total = 0
    for path in paths:
        with suppress(OSError, ValueError):
            total += os.path.getsize(path) if os.path.isfile(path) else 0
    return total


def glimpse(path: str | Path, size: int) -> bytes:
    """The first bytes of a file, to recognise its format. This alone does not make it an input."""
    try:
        with open(path, "rb") as file:
            return file.read(size)
    except (OSError, ValueError):
        return b""


def stdin() -> bytes:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise InputError("standard input is closed", file="stdin")
    try:
        with suppress(UnsupportedOperation):  # in a notebook or a test, stdin may be no file
            number = sys.stdin.fileno()
            _refuse_device(number, os.fstat(number), "stdin")
        return _of_pipe(sys.stdin.buffer, "stdin")
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise unreadable(error, "stdin") from None


def _of_pipe(pipe: IO[bytes], name: str) -> bytes:
    """All bytes of a pipe, which may never end."""
    most = allowed().total
    data = pipe.read(most + 1)
    if len(data) > most:
        refuse("total", "the pipe has too much to read", file=name)
    return data


def _refuse_device(number: int, status: os.stat_result, name: str) -> None:
    """Refuse a device such as /dev/zero, which never ends. A terminal and an empty device are no danger."""
    is_device = stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
    if not is_device or os.isatty(number) or status.st_rdev == os.stat(os.devnull).st_rdev:
        return
    raise InputError("this is a device, and is not read", file=name, hint="give a file, or - for stdin")


def unreadable(error: OSError | ValueError, name: str) -> InputError:
    """The error of the operating system as an InputError for this path; one that is already an InputError stays."""
    if isinstance(error, InputError):
        return error
    if isinstance(error, FileNotFoundError):
        return MissingFile(name)
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(f"can't be read: {reason}", file=str(getattr(error, "filename", None) or name)[:200])
