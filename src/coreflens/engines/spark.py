"""Spark: on this machine, on a cluster, or in an existing session."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import socket
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from ..corpus.model import IntArray
from ..errors import InputError, UsageError
from ..extras import extra
from ..metrics.assignment import assign
from ..metrics.contingency import Array
from .components import APART, solved_here
from .parts import FAILED, Kind, Part, Rows, SqlColumn, reading_as_memory
from .quotes import check_cells
from .relational import TableSide
from .solving import CHOSEN, Similarity, solver
from .sources import FileLayout, TableSource, check_spellings

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_KINDS: dict[str, Kind] = {"string": "text", "boolean": "boolean"}
_TEXTS = ("date", "timestamp", "timestamp_ntz", "decimal", "varchar", "char")  # as these are written
_LOCAL = "local[*]"
_PLACE, _FILE = "place of the row", "file of the row"
_ORIGIN = (_PLACE, _FILE)
_EMPTY = "''"
_CSV = {"quote": '"', "escape": '"', "multiLine": True, "mode": "FAILFAST"}
# Our own session: quiet, strict about overflow, and with few partitions if everything is on one machine.
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.skewJoin.enabled": "true",
}
_STRICT = {"spark.sql.ansi.enabled": "true", "spark.sql.execution.arrow.pyspark.enabled": "true"}


class Spark:
    """A session. Its tables are dropped when it is closed, and nothing else in the session is touched."""

    name = "spark"
    portion = 50_000

    def __init__(self, session: Any) -> None:
        self._package = extra("pyspark", "--engine spark", "spark")
        self._session = session
        self._views: set[str] = set()
        self._global: list[str] = []
        self._kept: dict[str, Any] = {}

    def close(self) -> None:
        for view in self._views:
            with suppress(Exception):
                self._session.catalog.dropTempView(view)
        for view in self._global:
            with suppress(Exception):
                self._session.catalog.dropGlobalTempView(view)
        for frame in self._kept.values():
            with suppress(Exception):
                frame.unpersist()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn Spark's errors about bad input into errors of coreflens."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            yield
        except (PySparkException, Py4JError) as error:
            raise InputError(f"Spark: {_reason(error)}", code=FAILED) from None

    def view(self, name: str, query: str) -> None:
        with self._told():
            self._session.sql(query).createOrReplaceTempView(name)
        self._views.add(name)

    def define(self, name: str, query: str) -> None:
        with self._told():
            self._keep(name, self._session.sql(query))

    def _keep(self, name: str, frame: Any) -> None:
        from pyspark import StorageLevel

        frame = self._cut(frame).persist(StorageLevel.MEMORY_AND_DISK)
        frame.createOrReplaceTempView(name)
        if name in self._kept:  # an earlier round of CEAF made it
            self._kept.pop(name).unpersist()
        self._kept[name] = frame
        self._views.add(name)

    def _cut(self, frame: Any) -> Any:
        """The frame without the plan that made it. Otherwise the plan would contain those of all earlier tables.

        The rows still know where they come from, so the rows of a dead worker can be computed again. A checkpoint would
        lose that, but Spark Connect has nothing else.
        """
        plan = getattr(frame, "_jdf", None)
        if plan is None:
            return frame.localCheckpoint() if hasattr(frame, "localCheckpoint") else frame
        rows = plan.queryExecution().toRdd()
        made = self._session._jsparkSession.internalCreateDataFrame(rows, plan.schema(), False)
        return type(frame)(made, self._session)

    def register(self, name: str, columns: Mapping[str, IntArray]) -> None:
        rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
        with self._told():
            frame = self._session.createDataFrame(rows, ", ".join(f"{column} bigint" for column in columns))
            frame.createOrReplaceTempView(name)
        self._views.add(name)

    def fetch(self, query: str) -> dict[str, Array]:
        with self._told():
            frame = self._session.sql(query)
            names, kinds = frame.columns, dict(frame.dtypes)
            rows = frame.collect()
        columns = zip(*rows, strict=True) if rows else ([] for _ in names)
        types: dict[str, Any] = {"double": np.float64, "string": object}
        return {
            name: np.array(column, dtype=types.get(kinds[name], np.int64))
            for name, column in zip(names, columns, strict=True)
        }

    def solve(
        self, portions: list[int], similarity: Similarity, exact: bool, say: Callable[[str], None]
    ) -> dict[str, IntArray]:
        """The workers solve whole portions. If their Python can't do that, it is done here."""
        where = "portion >= 0 OR portion = -1" if -1 in portions else "portion >= 0"
        columns = ", ".join(CHOSEN)
        try:
            with self._told(), _by_value(similarity):
                cells = self._session.table(APART).where(where).repartition("portion").sortWithinPartitions("portion")
                chosen = cells.mapInArrow(solver(similarity, exact), ", ".join(f"{name} bigint" for name in CHOSEN))
                chosen.createOrReplaceTempView("chosen")
                self._views.add("chosen")
                weights = self.fetch(f"SELECT {columns}, COUNT(*) AS weight FROM chosen GROUP BY {columns}")
        except (InputError, ImportError) as error:  # PySpark 3.5 imports a module that Python 3.12 does not have
            say(f"CEAF: the workers can't solve components, so they are solved here ({str(error)[:200]})")
            return solved_here(self, portions, similarity, exact)
        return {name: np.asarray(column, dtype=np.int64) for name, column in weights.items()}

    def open(self, table: TableSource, role: str, given: Mapping[str, str]) -> TableSide:
        """Give the rows of a table the name `<role>_rows`, with the columns doc, mention, entity and place."""
        check_cells(table)
        count_files = table.several and not table.remote
        with reading_as_memory(table), self._told():
            rows = Rows(table, self._parts(table, role), given, count_files)
            (self.define if table.kind in ("csv", "json") else self.view)(f"{role}_rows", rows.query)
        empty: set[str] = set()
        file = "file" if count_files else "''"
        if count_files or table.kind in ("csv", "json"):  # Spark reads them now, and says whether it can
            with reading_as_memory(table):
                file_names = self.fetch(f"SELECT DISTINCT {file} AS file FROM {role}_rows")["file"]
            present = {unquote(name) for name in file_names}
            empty = {name for name in table.files if count_files and os.path.abspath(name) not in present}
        return rows.side(role, empty)

    def _parts(self, table: TableSource, role: str) -> list[Part]:
        """The table as parts that are read in the same way."""
        if table.kind == "duckdb":
            raise UsageError(f"{table.source} is a file of DuckDB: --engine duckdb reads it")
        read = self._session.read
        if table.kind == "frame":
            return [self._part(self._frame(table.frame), f"{role}_source")]
        if table.kind == "parquet":
            frame = read.option("mergeSchema", table.several).parquet(*_urls(table.files))
            check_spellings(frame.columns, table)
            return [self._part(_with_origin(frame, "_metadata.row_index"), f"{role}_source", range(len(table.files)))]
        reader = self._csv if table.kind == "csv" else self._json
        parts = []
        for number, (layout, places) in enumerate(table.groups.items()):
            files = [table.files[place] for place in places]
            if not table.remote:
                _check_packing(files, layout)
            frame, columns = reader(table, layout, files)
            frame = _with_origin(frame, "MONOTONICALLY_INCREASING_ID()")
            parts.append(self._part(frame, f"{role}_source_{number}", places, columns, filled=table.kind == "csv"))
        return parts

    def _csv(self, table: TableSource, layout: FileLayout, files: Sequence[str]) -> tuple[Any, dict[str, str]]:
        """A frame, and the names in it of the table's columns: numbers, because names in a header may occur twice."""
        read = self._session.read
        if table.remote:
            frame = read.csv(_urls(files), header=True, sep="\t" if ".tsv" in table.source else ",", **_CSV)
            return frame, {name: name for name in frame.columns}
        columns: dict[str, str] = {}
        for place, title in enumerate(layout.header):
            columns.setdefault(title, f"c{place}")
        schema = ", ".join(f"c{place} string" for place in range(len(layout.header)))
        return read.csv(_urls(files), header=True, schema=schema, sep=layout.delimiter, **_CSV), columns

    def _json(self, table: TableSource, layout: FileLayout, files: Sequence[str]) -> tuple[Any, dict[str, str]]:
        """A frame of text, and the names in it of the table's columns."""
        options: dict[str, Any] = {"primitivesAsString": True, "multiLine": layout.array, "mode": "FAILFAST"}
        frame = self._session.read.json(_urls(files), **options)
        check_spellings(frame.columns, table)
        return frame, {name: name for name in frame.columns}

    def _part(
        self,
        frame: Any,
        name: str,
        places: Sequence[int] = (),
        columns: Mapping[str, str] | None = None,
        filled: bool = False,
    ) -> Part:
        """A frame as a part of a table. `filled`: rows without any value are left out, as empty lines of CSV are."""
        frame.createOrReplaceTempView(name)
        self._views.add(name)
        types = {title: type_ for title, type_ in frame.dtypes if title not in _ORIGIN}
        names = columns or {title: title for title in types}
        where = ""
        if filled:
            where = f" WHERE COALESCE({', '.join(f'NULLIF({_name(title)}, {_EMPTY})' for title in types)}) IS NOT NULL"
        has_files = _FILE in frame.columns
        return Part(
            name + where,
            {title: SqlColumn(_name(inner), types[inner], _kind(types[inner])) for title, inner in names.items()},
            place=_name(_PLACE) if has_files else "",
            places=places,
            file=_name(_FILE) if has_files else "''",
            stem=_stem(_name(_FILE)) if has_files else "''",
        )

    def _frame(self, frame: Any) -> Any:
        """A DataFrame in our session; a pandas frame is copied."""
        if not hasattr(frame, "createOrReplaceGlobalTempView"):
            return self._session.createDataFrame(frame)
        name = f"coreflens_{secrets.token_hex(8)}"
        frame.createOrReplaceGlobalTempView(name)
        self._global.append(name)
        return self._session.table(f"global_temp.{name}")


@contextmanager
def connected(master: str | None = None, session: Any = None) -> Iterator[Spark]:
    """A session, as `_connected` says, without PySpark's warning about the version of pandas."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        with _connected(master, session) as spark:
            yield spark


@contextmanager
def _connected(master: str | None, session: Any) -> Iterator[Spark]:
    """A session: the one that is given, the active one, or our own, which ends after scoring.

    Our own runs on the master, by default on all cores of this machine. `sc://HOST` is Spark Connect.
    """
    package = extra("pyspark", "--engine spark", "spark")
    from pyspark.sql import SparkSession

    if session is not None and master is not None:
        raise UsageError("a session already has its master: give only one of the two")
    remote = master is not None and master.startswith("sc://")
    own = None
    if session is None and master is None:
        session = SparkSession.getActiveSession()
    if session is None:
        own = session = _started(package, SparkSession, master, remote)
    inner = session if remote or not hasattr(session, "newSession") else _separate(session)
    spark = Spark(inner)
    try:
        for name, value in _STRICT.items():
            with suppress(Exception):  # a server may not allow it; the sums are the same without it
                inner.conf.set(name, value)
        yield spark
    finally:
        spark.close()
        if own is not None:
            own.stop()


@contextmanager
def _by_value(similarity: Similarity) -> Iterator[None]:
    """Send our functions to the workers as code, because coreflens is not installed there."""
    from pyspark import cloudpickle

    modules = [sys.modules[name] for name in (solver.__module__, assign.__module__, similarity.__module__)]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _separate(session: Any) -> Any:
    """A session with its own names, or the session itself if that is not possible, as in Spark Connect."""
    try:
        return session.newSession()
    except Exception:  # each version has a different message
        return session


def _started(package: Any, builder: Any, master: str | None, remote: bool) -> Any:
    if remote:
        return _connect(package, builder, str(master))
    home = os.environ.get("JAVA_HOME")
    if not (home and os.path.exists(os.path.join(home, "bin", "java"))) and not shutil.which("java"):
        hint = "apt-get install openjdk-17-jre-headless, or set JAVA_HOME"
        raise UsageError(f"--engine spark needs Java 17, which was not found: {hint}")
    place = master or _LOCAL
    settings = dict(_SETTINGS)
    is_local = place.startswith("local")
    if is_local:
        settings["spark.sql.shuffle.partitions"] = str(2 * (os.cpu_count() or 1))
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = "127.0.0.1"
    started = builder.builder.appName("coreflens").master(place)
    for name, value in settings.items():
        started = started.config(name, value)
    with _workers_with_our_packages() if is_local else nullcontext():
        try:
            session = started.getOrCreate()
        except Exception as error:  # Java is too old, or there is no such master
            raise UsageError(f"Spark did not start: {_reason(error)}") from None
    session.sparkContext.setLogLevel("OFF")
    logging.getLogger("SQLQueryContextLogger").disabled = True  # we report the error in one line
    return session


def _connect(package: Any, builder: Any, master: str) -> Any:
    """A session of Spark Connect."""
    _check_answer(master)
    try:
        return builder.builder.remote(master).getOrCreate()
    except ImportError as error:
        raise UsageError(f"Spark Connect: {error}; pip install 'pyspark[connect]'") from None
    except package.errors.PySparkException as error:
        raise UsageError(f"Spark Connect at {master}: {str(error).splitlines()[0][:200]}") from None


@contextmanager
def _workers_with_our_packages() -> Iterator[None]:
    """Local workers run the Python of this process, unless the user has named one."""
    if os.environ.get("PYSPARK_PYTHON"):
        yield
        return
    before = os.environ.get("PYSPARK_PYTHON")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYSPARK_PYTHON"]


def _check_answer(master: str) -> None:
    """Check that a server answers at `sc://HOST:PORT`. Otherwise PySpark would try for ten minutes."""
    place = urlsplit(master.replace("sc://", "http://", 1))
    try:
        socket.create_connection((place.hostname or "", place.port or 15002), 20).close()
    except (OSError, ValueError) as error:
        raise UsageError(f"Spark Connect at {master}: {error}") from None


def _reason(error: Exception) -> str:
    """The message of a Spark error, without the Java trace."""
    lines = [line.strip(" :") for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    first = lines[1] if lines[0].startswith("An error occurred while calling") and lines[1:] else lines[0]
    cause = next((line for line in lines if line.startswith("Caused by:")), "")
    return f"{first[:300]} {cause[:200]}".strip()


def _kind(type_: str) -> Kind:
    """How values of a type of Spark are compared."""
    if type_ in _INTEGERS:
        return "integer"
    if type_ in _KINDS:
        return _KINDS[type_]
    return "other" if type_.startswith(_TEXTS) else "none"


def _with_origin(frame: Any, number: str) -> Any:
    """The frame with the file of each row and its place. A view would not show where its rows come from."""
    place = f"STRUCT(_metadata.file_path, _metadata.file_block_start, {number})"
    file = "REGEXP_REPLACE(_metadata.file_path, '^file:/+', '/')"
    return frame.selectExpr("*", f"{file} AS {_name(_FILE)}", f"{place} AS {_name(_PLACE)}")


def _stem(path: str) -> str:
    """The name of a file without directory, `.gz` and its last suffix."""
    name = f"URL_DECODE(REPLACE(REGEXP_EXTRACT({path}, '[^/]*$', 0), '+', '%2B'))"
    return f"REGEXP_REPLACE(REGEXP_REPLACE({name}, '[.]gz$', ''), '[.][^.]+$', '')"


def _urls(files: Sequence[str]) -> list[str]:
    return [file if "://" in file else "file://" + _escaped(os.path.abspath(file)) for file in files]


def _check_packing(files: Sequence[str], layout: FileLayout) -> None:
    """Check that the names say which files are packed, because Spark looks only at names."""
    for file in files:
        if file.endswith(".gz") != layout.gzipped:
            raise UsageError(
                f"{file}: its name does not say that it is packed, or says it wrongly: use --engine memory"
            )


def _name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _escaped(path: str) -> str:
    """A path for Spark, which treats it as a pattern."""
    return "".join(f"\\{c}" if c in "*?[]{}\\" else c for c in path)
