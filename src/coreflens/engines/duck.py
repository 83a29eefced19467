"""DuckDB: in this process, on all cores, and on the disk if memory is short."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus.model import IntArray
from ..errors import InputError
from ..extras import extra
from ..files.writing import make_directory
from ..metrics.contingency import Array
from .components import solved_here
from .relational import Side
from .solving import Similarity
from .tables import Table, found_columns, identifying

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_TEXTS = ("VARCHAR", "UUID", "DATE", "HUGEINT", "UHUGEINT", "UBIGINT", "BOOLEAN")
_SHARE = (
    0.75  # share of the limit for DuckDB; the rest is for Python, the answers and memory that DuckDB does not count
)
_PER_FILE = 1 << 40  # more rows than any file has
_WATCH = 'cat >/dev/null; rm -rf -- "$1"'


class Duck:
    """A separate connection, in memory. Its tables disappear when it is closed."""

    name = "duckdb"
    portion = 500_000

    def __init__(self, spill: str, memory_limit: int | None = None) -> None:
        self._package = extra("duckdb", "--engine duckdb")
        self._connection = self._package.connect(":memory:")
        self._run(f"SET temp_directory = {_text(spill)}")
        self._run("SET preserve_insertion_order = true")
        if memory_limit is not None:
            self._run(f"SET memory_limit = '{int(memory_limit * _SHARE)}B'")

    def close(self) -> None:
        self._connection.close()

    def _run(self, query: str) -> Any:
        """Run a query. DuckDB's errors about bad input or too little memory become errors of coreflens."""
        try:
            return self._connection.execute(query)
        except self._package.OutOfMemoryException as error:
            hint = "--memory-limit gives DuckDB more; --spill names a folder on a larger disk"
            raise InputError(f"DuckDB has too little memory: {_first_line(error)}", hint=hint) from None
        except self._package.Error as error:
            raise InputError(f"DuckDB: {_first_line(error)}") from None

    def view(self, name: str, query: str) -> None:
        self._run(f"CREATE OR REPLACE TEMP VIEW {name} AS {query}")

    def define(self, name: str, query: str) -> None:
        self._run(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}")

    def register(self, name: str, columns: Mapping[str, IntArray]) -> None:
        self._connection.register(f"{name}_given", dict(columns))
        self.define(name, f"SELECT * FROM {name}_given")
        self._connection.unregister(f"{name}_given")

    def fetch(self, query: str) -> dict[str, Array]:
        answer = self._run(query)
        try:
            columns: dict[str, Array] = answer.fetchnumpy()
        except self._package.Error as error:
            raise InputError(f"DuckDB: {_first_line(error)}") from None
        return {name: _without_mask(column) for name, column in columns.items()}

    def solve(
        self, portions: list[int], similarity: Similarity, exact: bool, say: Callable[[str], None]
    ) -> dict[str, IntArray]:
        """DuckDB runs in this process, so the cells come here, one portion after the other."""
        return solved_here(self, portions, similarity, exact)

    def header(self, table: Table) -> list[str]:
        """The names of a table's columns."""
        rows, _, _ = self._rows(table, "header")
        return [name for name, *_ in self._run(f"DESCRIBE SELECT * FROM {rows}").fetchall()]

    def open(self, table: Table, role: str, given: Mapping[str, str]) -> Side:
        """Give the rows of a table the name `<role>_rows`, with the columns doc, mention, entity and place."""
        rows, place, once = self._rows(table, role)
        described = self._run(f"DESCRIBE SELECT * FROM {rows}").fetchall()
        types = {name: kind for name, kind, *_ in described}
        found = found_columns(list(types), given, table.source)
        if "order" in found:
            place = _name(found.pop("order"))
        if table.kind == "json":
            rows = f"read_json({_list(table.files)}, columns={{{', '.join(f'{_text(c)}: VARCHAR' for c in types)}}})"
            types = dict.fromkeys(types, "VARCHAR")
        if table.kind == "csv":  # a line with only delimiters counts as an empty line
            rows = f"{rows} WHERE COALESCE({', '.join(map(_name, types))}) IS NOT NULL"
        kinds = {what: _kind(types[name], what, table.source) for what, name in found.items()}
        columns = [
            f"{_name(name)} AS {what}" if _plain(types[name]) else f"CAST({_name(name)} AS VARCHAR) AS {what}"
            for what, name in found.items()
        ]
        if place:
            columns.append(f"{place} AS place")
        (self.define if once else self.view)(f"{role}_rows", f"SELECT {', '.join(columns)} FROM {rows}")
        return Side(role, table.source, kinds, ordered=bool(place))

    def _rows(self, table: Table, role: str) -> tuple[str, str, bool]:
        """A table for FROM, what orders its rows, and whether it should be read only once."""
        if table.kind == "parquet":
            return f"read_parquet({_list(table.files)})", f"file_index * {_PER_FILE} + file_row_number", False
        if table.kind == "csv":
            how = f"all_varchar=true, header=true, delim={_text(table.delimiter)}, quote='\"', escape='\"'"
            return f"read_csv({_list(table.files)}, {how})", "ROW_NUMBER() OVER ()", True
        if table.kind == "json":
            return f"read_json({_list(table.files)})", "ROW_NUMBER() OVER ()", True
        if table.kind == "frame":
            frame = table.frame
            if isinstance(frame, self._package.DuckDBPyRelation):  # it belongs to another connection
                frame = frame.to_arrow_table()
            try:
                self._connection.register(f"{role}_frame", frame)
            except self._package.Error as error:
                raise InputError(f"DuckDB does not know this kind of table ({role}): {_first_line(error)}") from None
            return f"{role}_frame", "ROW_NUMBER() OVER ()", True
        return self._attached(table, role)

    def _attached(self, table: Table, role: str) -> tuple[str, str, bool]:
        """A table or view in a DuckDB file, which is opened read-only."""
        self._run(f"ATTACH {_text(table.files[0])} AS {role}_file (READ_ONLY)")
        listed = self._run(
            f"""SELECT table_schema, table_name, table_type FROM information_schema.tables
            WHERE table_catalog = '{role}_file' ORDER BY table_schema, table_name"""
        ).fetchall()
        names = {row[1] if row[0] == "main" else f"{row[0]}.{row[1]}": row for row in listed}
        wanted = table.inner or (next(iter(names)) if len(names) == 1 else "")
        if wanted not in names:
            known = ", ".join(names)[:200] or "none"
            what = f"no table '{wanted}' here" if wanted else "there are several tables here, and none is named"
            raise InputError(f"{what} (there are {known})", file=table.files[0], hint="FILE.duckdb:TABLE names one")
        schema, name, kind = names[wanted]
        return f"{role}_file.{_name(schema)}.{_name(name)}", "rowid" if kind == "BASE TABLE" else "", False


@contextmanager
def connected(memory_limit: int | None = None, spill: str | Path | None = None) -> Iterator[Duck]:
    """A connection that spills to its own folder below `spill`.

    The folder is deleted at the end, even if this process is killed: a shell waits at the other end of a pipe, which
    the system closes in any case.
    """
    if spill is not None:
        make_directory(spill)
    try:
        folder = tempfile.mkdtemp(prefix="coreflens-", dir=spill)
    except OSError as error:
        raise InputError(f"can't make a spill folder here: {error.strerror}", file=str(spill or "")) from None
    watch = None
    if os.path.exists("/bin/sh"):
        command = ["/bin/sh", "-c", _WATCH, "coreflens-spill", folder]
        watch = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
    try:
        duck = Duck(folder, memory_limit)
        try:
            yield duck
        finally:
            duck.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if watch is not None and watch.stdin is not None:
            with suppress(OSError):
                watch.stdin.close()
            watch.wait()


def _without_mask(column: Any) -> Array:
    """A column of an answer, None for NULL."""
    mask = getattr(column, "mask", None)
    if mask is None:
        return np.asarray(column)
    if not np.any(mask):
        return np.asarray(column.data)
    values = np.asarray(column.data).astype(object)
    values[mask] = None
    return values


def _kind(type_: str, what: str, source: str) -> str:
    is_text = type_ in _TEXTS or type_.startswith(("DECIMAL", "TIMESTAMP", "ENUM"))
    return identifying(type_, what, source, is_integer=type_ in _INTEGERS, is_text=is_text)


def _plain(type_: str) -> bool:
    """Whether values of this type are compared without conversion."""
    return type_ in _INTEGERS or type_ == "VARCHAR"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _list(files: tuple[str, ...]) -> str:
    """Files for a reader of DuckDB, which treats each name as a pattern unless its brackets are escaped."""
    literal = (file if "://" in file else "".join(f"[{c}]" if c in "*?[" else c for c in file) for file in files)
    return f"[{', '.join(map(_text, literal))}]"


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:300]
