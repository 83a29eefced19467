"""Connections to a database: to read it, to build it, and to change it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import InputError, MissingFile
from ..files.opening import glimpse
from .copies import CLOSED, copy_to_change
from .marks import mark, refuse_incomplete
from .refusals import duckdb, failures
from .schema import MIGRATIONS, TABLES, VERSION

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_MAGIC = b"DUCK"  # after a checksum of eight bytes
_READ_TO_THE_END = (  # sides without a mark, from before there were marks
    "SELECT name FROM side WHERE issues IS NOT NULL AND name NOT IN (SELECT side FROM mark)"
    " AND name NOT IN (SELECT side FROM source WHERE state = 'reading')"
)
_held: dict[str, list[tuple[int, int]]] = {}  # files that are open in this process → their device and number


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
    try:
        with failures(file), duckdb().connect(file, read_only=True, config=CLOSED) as connection:
            found = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    except InputError:
        return True
    return {"side", "info"} <= {name for (name,) in found}


@contextmanager
def reading(path: str, *, unfinished: bool = False) -> Iterator[DuckDBPyConnection]:
    """A connection that can read this file and no other. It must be complete, unless `unfinished` is fine."""
    _refuse_replaced(path)
    with failures(path):
        connection = _opened(path, read_only=True)
        held = _identity(path)
        _held.setdefault(os.path.realpath(path), []).append(held)
        try:
            if not unfinished:
                refuse_incomplete(connection, info(connection).get("state"), path)
            yield connection
        finally:
            _held[os.path.realpath(path)].remove(held)
            connection.close()


@contextmanager
def writing(working: str, path: str) -> Iterator[DuckDBPyConnection]:
    """A connection that changes a working file for this database. At the end it is one file, without a log."""
    with failures(path):
        connection = _opened(working, read_only=False)
        try:
            yield connection
            connection.execute("CHECKPOINT")
        finally:
            connection.close()


@contextmanager
def changing(path: str) -> Iterator[DuckDBPyConnection]:
    """A connection that changes a copy of this database, which replaces it at the end unless something fails before."""
    with reading(path, unfinished=True):
        pass  # it is one of ours, of this version
    with copy_to_change(path) as working, writing(working, path) as connection:
        yield connection


def _refuse_replaced(path: str) -> None:
    """DuckDB gives all connections of a process to one path the same state. Refuse to read one that was replaced."""
    held = _held.get(os.path.realpath(path))
    if held and held[0] != _identity(path):
        hint = "close what `open_db` returned, and open it again"
        message = "the database was changed, and this program still reads its earlier state"
        raise InputError(message, file=path, hint=hint)


def _identity(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def create(path: str, info: dict[str, str]) -> None:
    """A new file with all tables, empty."""
    with failures(path), duckdb().connect(path) as connection:
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
    if not os.path.exists(path):
        raise MissingFile(path, "no such file", "`coreflens db build` makes one")
    if not is_database(path):
        size = os.path.getsize(path) if os.path.isfile(path) else -1
        hint = "`coreflens db build` makes one" if size else "the file is empty"
        raise InputError("this is not a database of coreflens", file=path, hint=hint)
    for _ in range(2):
        config = CLOSED if read_only else {}
        connection: DuckDBPyConnection = duckdb().connect(path, read_only=read_only, config=config)
        try:
            version = _version(connection, path)
        except BaseException:
            connection.close()
            raise
        if version == VERSION:
            _settle(connection, read_only)
            return connection
        connection.close()
        _migrate(path, version)
    raise InputError(f"this database still has version {version} of the schema", file=path, hint="try again")


def _settle(connection: DuckDBPyConnection, read_only: bool) -> None:
    """Turn off the progress bar, because it would go to stdout, and do not let a query change its own permissions."""
    locked = connection.execute("SELECT current_setting('lock_configuration')").fetchone()
    if locked and locked[0]:  # another connection of this process has done it
        return
    connection.execute("SET enable_progress_bar = false")
    if read_only:
        connection.execute("SET lock_configuration = true")


def _version(connection: DuckDBPyConnection, path: str) -> int:
    """The version of the schema of a file."""
    try:
        found = info(connection).get("version", "")
    except duckdb().CatalogException:
        hint = "it has no table `info`; `coreflens db build` builds a database from a corpus"
        raise InputError("coreflens did not make this DuckDB file", file=path, hint=hint) from None
    if not found.isdecimal():
        hint = "build it again from its files"
        raise InputError("the database has no version number", file=path, hint=hint)
    if int(found) > VERSION:
        message = f"the database has version {found} of the schema, but this program only knows version {VERSION}"
        raise InputError(message, file=path, hint="a newer coreflens made it: upgrade coreflens, or build it again")
    return int(found)


def _migrate(path: str, version: int) -> None:
    """Bring an older file up to date: a copy of it, which replaces it."""
    with copy_to_change(path) as working, duckdb().connect(working) as connection:
        for step in range(version, VERSION):
            for statement in MIGRATIONS[step]:
                connection.execute(statement)
        set_info(connection, "version", str(VERSION))
        for (side,) in connection.execute(_READ_TO_THE_END).fetchall():
            mark(connection, side)
        connection.execute("CHECKPOINT")
