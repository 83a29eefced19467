"""DuckDB: in this process, on all cores, and on the disk if memory is short."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np

from ..corpus.model import IntArray, file_stem
from ..errors import InputError
from ..extras import extra
from ..files.writing import make_directory
from ..metrics.contingency import Array
from .components import solved_here
from .parts import FAILED, Kind, Part, Rows, SqlColumn, reading_as_memory
from .quotes import check_cells
from .relational import TableSide
from .solving import Similarity
from .sources import FileLayout, TableSource, check_spellings, found_columns

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_PLAIN_JSON = (*_INTEGERS, "VARCHAR", "BOOLEAN", '"NULL"', "UUID", "DATE", "TIME", "HUGEINT", "UBIGINT", "JSON")
_KINDS: dict[str, Kind] = {"VARCHAR": "text", "BOOLEAN": "boolean"}
_TEXTS = ("UUID", "DATE", "HUGEINT", "UHUGEINT", "UBIGINT", "DECIMAL", "TIMESTAMP", "ENUM")  # as these are written
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
            raise InputError(f"DuckDB: {_first_line(error)}", code=FAILED) from None

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

    def check_columns(self, table: TableSource, given: Mapping[str, str]) -> None:
        """Check that a table has the columns of a table of mentions that an engine can score."""
        for part in self._parts(table, "header"):
            found_columns(list(part.columns), given, table)

    def open(self, table: TableSource, role: str, given: Mapping[str, str]) -> TableSide:
        """Give the rows of a table the name `<role>_rows`, with the columns doc, mention, entity and place."""
        check_cells(table)
        empty = self._empty_parquet(table)
        read_once = table.kind in ("csv", "json", "frame")
        count_files = read_once and table.several and not table.remote
        rows = Rows(table, self._parts(table, role, empty), given, count_files)
        with reading_as_memory(table):
            (self.define if read_once else self.view)(f"{role}_rows", rows.query)
        if count_files:
            present = set(self.fetch(f"SELECT DISTINCT file FROM {role}_rows")["file"].tolist())
            empty = {file for place, file in enumerate(table.files) if place not in present}
        return rows.side(role, empty)

    def _empty_parquet(self, table: TableSource) -> set[str]:
        """The files of a table in Parquet that have no rows, if there are several files."""
        if table.kind != "parquet" or not table.several or table.remote:
            return set()
        rows = self._run(f"SELECT file_name, num_rows FROM parquet_file_metadata({_list(table.files)})").fetchall()
        return {name for name, number in rows if not number}

    def _parts(self, table: TableSource, role: str, empty: Collection[str] = ()) -> list[Part]:
        """The table as parts that are read in the same way. Files without rows are left out if others have some."""
        if table.kind == "frame":
            return [self._part(self._frame(table, role), place="ROW_NUMBER() OVER ()")]
        if table.kind == "duckdb":
            rows, place = self._attached(table, role)
            return [self._part(rows, place=place)]
        if table.kind == "parquet":
            return [self._parquet(table, places) for places in self._alike(table, empty)]
        if table.kind == "csv" and table.remote:
            return [self._remote_csv(table)]
        reader = self._csv if table.kind == "csv" else self._json
        return [reader(table, layout, places) for layout, places in table.groups.items()]

    def _part(self, rows: str, place: str = "", **of_files: Unpack[_OfFiles]) -> Part:
        described = self._run(f"DESCRIBE SELECT * FROM {rows}").fetchall()
        columns = {name: SqlColumn(_name(name), type_, _kind(type_)) for name, type_, *_ in described}
        return Part(rows, columns, place, **of_files)

    def _alike(self, table: TableSource, empty: Collection[str]) -> list[list[int]]:
        """The places of files in Parquet that have the same columns."""
        wanted = [place for place, file in enumerate(table.files) if file not in empty] or list(range(len(table.files)))
        if len(wanted) == 1:
            return [wanted]
        columns: dict[str, list[Any]] = {}
        schema = self._run(
            f"""SELECT file_name, name, type, num_children, converted_type, logical_type
            FROM parquet_schema({_list(tuple(table.files[place] for place in wanted))})"""
        )
        for name, *column in schema.fetchall():
            columns.setdefault(name, []).append(column)
        groups: dict[str, list[int]] = {}
        for place in wanted:
            groups.setdefault(repr(columns.get(table.files[place])), []).append(place)
        return [*groups.values()]

    def _parquet(self, table: TableSource, places: list[int]) -> Part:
        unlike = ", union_by_name=true" if table.remote else ""
        rows = f"read_parquet({_files(table, places)}, hive_partitioning=false{unlike})"
        return self._part(rows, place=_row_place(table, places, "file_row_number"), **_of_files(table, places))

    def _csv(self, table: TableSource, layout: FileLayout, places: list[int]) -> Part:
        """The columns have numbers instead of names, because names may occur twice."""
        names = [f"c{number}" for number in range(len(layout.header))]
        how = [
            "auto_detect=false, header=true, quote='\"', escape='\"', nullstr=''",
            f"delim={_text(layout.delimiter)}",
            f"skip={layout.skipped}",
            f"compression='{'gzip' if layout.gzipped else 'none'}'",
            f"columns={{{', '.join(f'{_text(name)}: VARCHAR' for name in names)}}}",
        ]
        if layout.line_end == "\r\n":
            how.append("new_line='\\r\\n'")
        rows = f"read_csv({_files(table, places)}, {', '.join(how)})"
        filled = f"{rows} WHERE COALESCE({', '.join(names)}) IS NOT NULL"  # a line with only delimiters is empty
        columns: dict[str, SqlColumn] = {}
        for title, name in zip(layout.header, names, strict=True):
            columns.setdefault(title, SqlColumn(name, "VARCHAR", "text"))
        place = _row_place(table, places, "ROW_NUMBER() OVER ()")
        return Part(filled, columns, place, **_of_files(table, places))

    def _json(self, table: TableSource, layout: FileLayout, places: list[int]) -> Part:
        """Every value as text, as it is written."""
        how = "union_by_name=true"
        if not table.remote:
            how += f", format='{'array' if layout.array else 'newline_delimited'}'"
            how += f", compression='{'gzip' if layout.gzipped else 'none'}'"
        files = _files(table, places)
        with reading_as_memory(table):
            given = self._part(f"read_json({files}, {how}, sample_size=-1, convert_strings_to_integers=false)")
        check_spellings(list(given.columns), table)
        names = ", ".join(f"{_text(name)}: VARCHAR" for name in given.columns)
        columns = {
            name: SqlColumn(_name(name), column.type, "text" if column.type.startswith(_PLAIN_JSON) else "none")
            for name, column in given.columns.items()
        }
        place = _row_place(table, places, "ROW_NUMBER() OVER ()")
        return Part(f"read_json({files}, {how}, columns={{{names}}})", columns, place, **_of_files(table, places))

    def _remote_csv(self, table: TableSource) -> Part:
        """CSV on another machine, whose header only DuckDB sees."""
        delim = "\t" if ".tsv" in table.source else ","
        how = f"all_varchar=true, header=true, quote='\"', escape='\"', delim='{delim}', union_by_name=true"
        place = _row_place(table, [0], "ROW_NUMBER() OVER ()")
        return self._part(f"read_csv({_list(table.files)}, {how})", place=place, **_of_files(table, [0]))

    def _frame(self, table: TableSource, role: str) -> str:
        frame = table.frame
        if isinstance(frame, self._package.DuckDBPyRelation):  # it belongs to another connection
            frame = frame.to_arrow_table()
        try:
            self._connection.register(f"{role}_frame", frame)
        except self._package.Error as error:
            raise InputError(f"DuckDB does not know this kind of table ({role}): {_first_line(error)}") from None
        return f"{role}_frame"

    def _attached(self, table: TableSource, role: str) -> tuple[str, str]:
        """A table or view in a DuckDB file, which is opened read-only, and what orders its rows."""
        self._run(f"ATTACH {_text(table.files[0])} AS {role}_file (READ_ONLY)")
        listed = self._run(
            f"""SELECT table_schema, table_name, table_type FROM information_schema.tables
            WHERE table_catalog = '{role}_file' ORDER BY table_schema, table_name"""
        ).fetchall()
        names = {row[1] if row[0] == "main" else f"{row[0]}.{row[1]}": row for row in listed}
        wanted = table.inner or (next(iter(names)) if len(names) == 1 else "")
        if wanted not in names:
            known = ", ".join(names)[:200] or "none"
            message = f"no table '{wanted}' here" if wanted else "there are several tables here, and none is named"
            raise InputError(f"{message} (there are {known})", file=table.files[0], hint="FILE.duckdb:TABLE names one")
        schema, name, kind = names[wanted]
        return f"{role}_file.{_name(schema)}.{_name(name)}", "rowid" if kind == "BASE TABLE" else ""


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


def _kind(type_: str) -> Kind:
    """How values of a type of DuckDB are compared."""
    if type_ in _INTEGERS:
        return "integer"
    if type_ in _KINDS:
        return _KINDS[type_]
    return "other" if type_.startswith(_TEXTS) else "none"


def _files(table: TableSource, places: Sequence[int]) -> str:
    return _list(tuple(table.files[place] for place in places))


class _OfFiles(TypedDict, total=False):
    """The fields of a part that say which file a row comes from."""

    places: Sequence[int]
    file: str
    stem: str


def _of_files(table: TableSource, places: Sequence[int]) -> _OfFiles:
    """How a row of some files of a table knows its file."""
    if table.remote:
        name = "regexp_replace(regexp_extract(filename, '[^/]*$'), '\\.gz$', '')"
        return {"places": places, "stem": f"regexp_replace({name}, '\\.[^.]*$', '')"}
    stems = ", ".join(_text(file_stem(table.files[place])) for place in places)
    number = "CAST(file_index AS BIGINT) + 1"
    return {"places": places, "file": f"([{', '.join(map(str, places))}])[{number}]", "stem": f"([{stems}])[{number}]"}


def _row_place(table: TableSource, places: Sequence[int], number: str) -> str:
    """The place of a row among the rows of all files."""
    if len(table.files) == 1 and not table.remote:
        return number
    file = "file_index" if table.remote else _of_files(table, places)["file"]
    return f"CAST({file} AS BIGINT) * {_PER_FILE} + {number}"


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
