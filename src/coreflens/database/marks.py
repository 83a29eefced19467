"""The mark of a side: how many rows each table has for it, with a checksum. A side without a mark is incomplete."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import InputError, counted
from .refusals import duckdb
from .schema import OF_A_DOCUMENT, OF_A_RESPONSE

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_OF_DOCUMENTS = "t.document IN (SELECT id FROM document WHERE side = $side)"
_ROWS_OF_A_SIDE = {  # table → which of its rows belong to a side
    "side": "t.name = $side",
    "source": "t.side = $side",
    "document": "t.side = $side",
    **dict.fromkeys(OF_A_DOCUMENT, _OF_DOCUMENTS),
    **dict.fromkeys(OF_A_RESPONSE, "t.response = $side"),
}


def mark(connection: DuckDBPyConnection, side: str) -> None:
    """Say that a side is complete as it is now. This is the last step of every change."""
    unmark(connection, side)
    version = _version()
    for table in _ROWS_OF_A_SIDE:
        rows, checksum = _summed(connection, side, table)
        connection.execute("INSERT INTO mark VALUES (?, ?, ?, ?, ?)", [side, table, rows, checksum, version])


def unmark(connection: DuckDBPyConnection, side: str) -> None:
    """A side is about to change, or is gone."""
    connection.execute("DELETE FROM mark WHERE side = ?", [side])


def unmarked(connection: DuckDBPyConnection) -> list[str]:
    """The sides that are incomplete."""
    found = connection.execute("SELECT name FROM side WHERE name NOT IN (SELECT side FROM mark) ORDER BY number")
    return [name for (name,) in found.fetchall()]


def refuse_incomplete(connection: DuckDBPyConnection, state: str | None, path: str) -> None:
    """Refuse to read a database, or a side, that was never finished."""
    if state != "complete":
        hint = "the `coreflens db build` that was interrupted continues it"
        raise InputError("this database was never finished", file=path, hint=hint)
    if sides := unmarked(connection):
        named = ", ".join(f"'{side}'" for side in sides)
        hint = f"`coreflens db remove {path} {sides[0]}` removes it; then add it again"
        raise InputError(f"{counted(sides, 'side')} was never loaded to the end: {named}", file=path, hint=hint)


def differences(connection: DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    """Side and message for each table that is not as it was marked."""
    version = _version()
    marks = connection.execute('SELECT side, "table", rows, checksum, duckdb FROM mark ORDER BY ALL').fetchall()
    for side, table, rows, checksum, marked_by in marks:
        if table not in _ROWS_OF_A_SIDE:
            yield side, f"the mark of side '{side}' names a table that does not exist, {table}"
            continue
        rows_now, checksum_now = _summed(connection, side, table)
        if rows_now != rows:
            yield side, f"side '{side}' has {rows_now} rows of {table}, but was written with {rows}"
        elif marked_by == version and checksum_now != checksum:
            yield side, f"the rows of {table} of side '{side}' are not those that were written"


def _version() -> str:
    """The version of DuckDB: its checksums can only be compared with those of the same version."""
    return str(duckdb().__version__)


def _summed(connection: DuckDBPyConnection, side: str, table: str) -> tuple[int, str]:
    """How many rows a table has for a side, and a checksum that does not depend on their order."""
    sql = f'SELECT count(*), coalesce(sum(hash(t)), 0) FROM "{table}" t WHERE {_ROWS_OF_A_SIDE[table]}'
    rows, checksum = connection.execute(sql, {"side": side}).fetchall()[0]
    return int(rows), str(checksum)
