"""Opens the file to read or to write, and explains DuckDB's errors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import InputError, MissingFile
from ..extras import extra
from ..files.opening import glimpse
from .schema import MIGRATIONS, TABLES, VERSION

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_MAGIC = b"DUCK"  # after a checksum of eight bytes
_CLOSED = {  # a query can read this file and no other
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
_LOCKED = re.compile(r"lock", re.IGNORECASE)
_PID = re.compile(r"PID (\d+)")


def duckdb() -> Any:
    """The module, imported when it is needed. If it is missing, a UsageError says how to install it."""
    extra("pyarrow", "the database", "duckdb")  # rows are exchanged as Arrow tables
    return extra("duckdb", "the database")


def is_database(path: str) -> bool:
    """Whether this is a DuckDB file."""
    return os.path.isfile(path) and glimpse(path, 12)[8:] == _MAGIC


def split_side(path: str) -> tuple[str, str] | None:
    """File and side of `corpus.duckdb:key`; None for any other path."""
    if os.path.lexists(path):
        return None
    file, colon, side = path.rpartition(":")
    return (file, side) if colon and side and is_database(file) else None


def is_corpus(path: str) -> bool:
    """Whether this is a database of coreflens or a side of one, not another file or table of DuckDB.

    A file that can't be opened counts as one. Reading it then reports the reason.
    """
    named = split_side(path)
    file = path if named is None else named[0]
    if not is_database(file):
        return False
    module = duckdb()
    try:
        with module.connect(file, read_only=True, config=_CLOSED) as connection:
            found = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    except module.Error:
        return True
    return {"side", "info"} <= {name for (name,) in found}


@contextmanager
def reading(path: str) -> Iterator[DuckDBPyConnection]:
    """A connection that can read this file and no other."""
    connection = _opened(path, read_only=True)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def writing(path: str) -> Iterator[DuckDBPyConnection]:
    """A connection that changes this file."""
    connection = _opened(path, read_only=False)
    try:
        with failures(path):
            yield connection
    finally:
        connection.close()


@contextmanager
def failures(path: str) -> Iterator[None]:
    """Turn DuckDB's errors about disks and files into an InputError."""
    module = duckdb()
    try:
        yield
    except (module.IOException, module.FatalException, module.InternalException, module.OutOfMemoryException) as error:
        raise _refusal(error, path) from None


def create(path: str, info: dict[str, str]) -> None:
    """A new file with all tables, empty."""
    module = duckdb()
    try:
        connection = module.connect(path)
    except module.Error as error:
        raise _refusal(error, path) from None
    with failures(path), connection:
        connection.execute("BEGIN")
        for table in TABLES.values():
            connection.execute(table.ddl)
        for name, value in {"version": str(VERSION), **info}.items():
            connection.execute("INSERT INTO info VALUES (?, ?)", [name, value])
        connection.execute("COMMIT")


def info(connection: DuckDBPyConnection) -> dict[str, str]:
    """The table `info` of the database."""
    return dict(connection.execute("SELECT name, value FROM info").fetchall())


def set_info(connection: DuckDBPyConnection, name: str, value: str) -> None:
    """Store a value in the table `info`."""
    connection.execute("DELETE FROM info WHERE name = ?", [name])
    connection.execute("INSERT INTO info VALUES (?, ?)", [name, value])


def _opened(path: str, *, read_only: bool) -> DuckDBPyConnection:
    module = duckdb()
    if not os.path.exists(path):
        raise MissingFile(path, "no such file", "`coreflens db build` makes one")
    if not is_database(path):
        size = os.path.getsize(path) if os.path.isfile(path) else -1
        hint = "`coreflens db build` makes one" if size else "the file is empty"
        raise InputError("this is not a database of coreflens", file=path, hint=hint)
    migrated = False
    while True:
        try:
            connection: DuckDBPyConnection = module.connect(
                path, read_only=read_only, config=_CLOSED if read_only else {}
            )
        except module.Error as error:
            raise _refusal(error, path) from None
        try:
            version = _version(connection, path)
        except BaseException:
            connection.close()
            raise
        if version == VERSION:
            _settle(connection, read_only)
            return connection
        connection.close()
        if migrated:
            raise InputError(f"this database still has version {version} of the schema", file=path)
        _migrate(path, version)
        migrated = True


def _settle(connection: DuckDBPyConnection, read_only: bool) -> None:
    """Turn off the progress bar, because it would go to stdout, and do not let a query change its own permissions."""
    locked = connection.execute("SELECT current_setting('lock_configuration')").fetchone()
    if locked and locked[0]:  # another connection of this process has done it
        return
    connection.execute("SET enable_progress_bar = false")
    if read_only:
        connection.execute("SET lock_configuration = true")


def _version(connection: DuckDBPyConnection, path: str) -> int:
    module = duckdb()
    try:
        found = info(connection).get("version", "")
    except module.Error as error:
        if "does not exist" in str(error):
            hint = "it has no table `info`; `coreflens db build` builds a database from a corpus"
            raise InputError("coreflens did not make this DuckDB file", file=path, hint=hint) from None
        raise _refusal(error, path) from None
    if not found.isdecimal():
        raise InputError("the database has no version number", file=path)
    if int(found) > VERSION:
        message = f"the database has version {found} of the schema, but this program only knows version {VERSION}"
        raise InputError(message, file=path, hint="a newer coreflens made it: upgrade coreflens, or build it again")
    return int(found)


def _migrate(path: str, version: int) -> None:
    """Bring an older file up to date, with all steps in one transaction."""
    module = duckdb()
    try:
        connection = module.connect(path)
    except module.Error as error:
        raise _refusal(error, path) from None
    with failures(path), connection:
        connection.execute("BEGIN")
        for step in range(version, VERSION):
            for statement in MIGRATIONS[step]:
                connection.execute(statement)
        set_info(connection, "version", str(VERSION))
        connection.execute("COMMIT")


def _refusal(error: Exception, path: str) -> InputError:
    """A message for DuckDB's error, for the user who gave this path."""
    text = " ".join(str(error).split())
    if _LOCKED.search(text):
        pid = _PID.search(text)
        who = f"another process ({pid[1]})" if pid else "another process"
        return InputError(
            f"{who} is working on this database", file=path, hint="wait until it has finished, and try again"
        )
    if "version number" in text or "storage version" in text:
        return InputError(f"another version of DuckDB wrote this file: {text[:200]}", file=path, hint="upgrade duckdb")
    if "No space left" in text or "disk" in text.lower():
        return InputError(f"can't be written: {text[:200]}", file=path, hint="what was there before is unchanged")
    if isinstance(error, duckdb().OutOfMemoryException):
        return InputError(f"not enough memory: {text[:200]}", file=path)
    if "Permission denied" in text or "read-only" in text.lower():
        return InputError(f"can't be opened: {text[:200]}", file=path)
    hint = "build it again from its files, or use a copy"
    return InputError(f"the database is damaged or can't be read: {text[:200]}", file=path, hint=hint)
