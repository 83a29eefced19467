"""How a database is changed: in a file beside it, which replaces it in one step.

There is one writer at a time: it holds the lock of `FILE.lock`, which the system releases if it is killed. Readers see
the earlier database until the new one replaces it. What an interrupted writer leaves behind is removed, or continued,
by the next one.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..errors import InputError
from ..files.writing import put_in_place, take_away, unwritable
from .refusals import damaged, duckdb, failures, in_use

CLOSED = {  # a connection that reads: it, and its queries, can read this file and no other
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
_LOCK_AT = 1 << 20  # on Windows: the byte that is locked, behind the number of the process


@contextmanager
def locked(path: str) -> Iterator[None]:
    """This process is the only one that writes this database. If another one does, an InputError says so."""
    name = f"{os.path.realpath(path)}.lock"
    number = _acquired(name, path)
    try:
        yield
    finally:
        with suppress(OSError):  # Windows removes no file that is open
            os.unlink(name)
        os.close(number)


def _acquired(name: str, path: str) -> int:
    """The descriptor of the lock. A file that its owner removed meanwhile is no lock, so it is made again."""
    while True:
        try:
            number = os.open(name, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError as error:
            raise unwritable(error, path) from None
        try:
            if not _is_ours(number):
                pid = os.read(number, 20).decode("ascii", "replace").strip()
                raise in_use(path, pid if pid.isdecimal() else None)
            if os.path.exists(name) and os.path.samestat(os.fstat(number), os.stat(name)):
                os.truncate(number, 0)
                os.write(number, str(os.getpid()).encode())
                return number
        except FileNotFoundError:  # removed just now
            pass
        except OSError as error:
            os.close(number)
            raise unwritable(error, path) from None
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def _is_ours(number: int) -> bool:
    """Whether the lock of this file could be taken."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(number, _LOCK_AT, os.SEEK_SET)
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
            os.lseek(number, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def working_file(path: str, purpose: str) -> str:
    """The file beside a database in which the next state of it is made."""
    return f"{os.path.realpath(path)}.{purpose}"


def discard(working: str) -> None:
    """Remove a working file, with its log and DuckDB's temporary files."""
    for file in (working, f"{working}.wal"):
        take_away(file)
    shutil.rmtree(f"{working}.tmp", ignore_errors=True)


@contextmanager
def copy_to_change(path: str) -> Iterator[str]:
    """A copy of the database. It replaces the database at the end of the block, unless something fails before."""
    working = working_file(path, "changing")
    with locked(path):
        discard(working)
        try:
            settle(path)
            _copy(path, working)
            yield working
            replace_by(working, path)
        finally:
            discard(working)


def settle(path: str) -> None:
    """Write the log that another program may have left beside the database into it."""
    if not os.path.exists(f"{path}.wal"):
        return
    with failures(path), duckdb().connect(path) as connection:
        connection.execute("CHECKPOINT")


def replace_by(working: str, path: str) -> None:
    """Replace the database, in one step, by a working file that was closed."""
    if os.path.exists(f"{working}.wal"):
        raise damaged("its log could not be written into it", path)
    take_away(f"{os.path.realpath(path)}.wal")
    put_in_place(working, path)


def _copy(path: str, working: str) -> None:
    try:
        with failures(path), duckdb().connect(path, read_only=True, config=CLOSED):  # nobody else changes it meanwhile
            shutil.copyfile(path, working)
    except OSError as error:
        if isinstance(error, InputError):
            raise
        raise unwritable(error, path) from None
