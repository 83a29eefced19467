"""Spark: on this machine, on a cluster, or in an existing session."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import socket
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from ..corpus.model import IntArray
from ..errors import InputError, UsageError
from ..extras import extra
from ..files.opening import glimpse
from ..metrics.assignment import assign
from ..metrics.contingency import Array
from .components import APART, solved_here
from .relational import Side
from .solving import CHOSEN, Similarity, solver
from .tables import Table, found_columns, identifying

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_TEXTS = ("string", "date", "boolean", "timestamp", "timestamp_ntz")
_LOCAL = "local[*]"
_PLACE = "place of the row"
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
            raise InputError(f"Spark: {_reason(error)}") from None

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
                found = self.fetch(f"SELECT {columns}, COUNT(*) AS weight FROM chosen GROUP BY {columns}")
        except (InputError, ImportError) as error:  # PySpark 3.5 imports a module that Python 3.12 does not have
            say(f"CEAF: the workers can't solve components, so they are solved here ({str(error)[:200]})")
            return solved_here(self, portions, similarity, exact)
        return {name: np.asarray(column, dtype=np.int64) for name, column in found.items()}

    def open(self, table: Table, role: str, given: Mapping[str, str]) -> Side:
        """Give the rows of a table the name `<role>_rows`, with the columns doc, mention, entity and place."""
        with self._told():
            source, place = self._source(table, role)
            types = {name: type_ for name, type_ in self._session.table(source).dtypes if name != _PLACE}
        found = found_columns(list(types), given, table.source)
        if "order" in found:
            place = _name(found.pop("order"))
        kinds = {what: _kind(types[name], what, table.source) for what, name in found.items()}
        columns = [
            f"{_name(name)} AS {what}" if _plain(types[name]) else f"CAST({_name(name)} AS STRING) AS {what}"
            for what, name in found.items()
        ]
        if place:
            columns.append(f"{place} AS place")
        query = f"SELECT {', '.join(columns)} FROM {source}"
        if table.kind == "csv":  # a line with only delimiters counts as an empty line
            query = f"{query} WHERE COALESCE({', '.join(map(_name, types))}) IS NOT NULL"
        (self.define if table.kind in ("csv", "json") else self.view)(f"{role}_rows", query)
        return Side(role, table.source, kinds, ordered=bool(place))

    def _source(self, table: Table, role: str) -> tuple[str, str]:
        """The name of a view of the unchanged table, and what orders its rows."""
        if table.kind == "duckdb":
            raise InputError("a file of DuckDB", file=table.source, hint="--engine duckdb reads it")
        files = [file if "://" in file else "file://" + _escaped(os.path.abspath(file)) for file in table.files]
        read = self._session.read
        place = "STRUCT(INPUT_FILE_NAME(), INPUT_FILE_BLOCK_START(), MONOTONICALLY_INCREASING_ID())"
        if table.kind == "frame":
            frame, place = self._frame(table.frame), ""
        elif table.kind == "parquet":
            place = _name(_PLACE)  # a view does not show where its rows come from, so their origin becomes a column
            where = f"STRUCT(_metadata.file_path, _metadata.row_index) AS {place}"
            frame = read.parquet(*files).selectExpr("*", where)
        elif table.kind == "csv":
            how = {"sep": table.delimiter, "quote": '"', "escape": '"', "multiLine": True, "mode": "FAILFAST"}
            frame = read.csv(files, header=True, **how)
        else:
            lines = not _starts_with_bracket(table.files[0])
            frame = read.json(files, primitivesAsString=True, multiLine=not lines, mode="FAILFAST")
        source = f"{role}_source"
        frame.createOrReplaceTempView(source)
        self._views.add(source)
        return source, place

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
        _check_answer(str(master))
        try:
            return builder.builder.remote(master).getOrCreate()
        except ImportError as error:
            raise UsageError(f"Spark Connect: {error}; pip install 'pyspark[connect]'") from None
        except package.errors.PySparkException as error:
            raise UsageError(f"Spark Connect at {master}: {str(error).splitlines()[0][:200]}") from None
    home = os.environ.get("JAVA_HOME")
    if not (home and os.path.exists(os.path.join(home, "bin", "java"))) and not shutil.which("java"):
        hint = "apt-get install openjdk-17-jre-headless, or set JAVA_HOME"
        raise UsageError(f"--engine spark needs Java 17, which was not found: {hint}")
    started = builder.builder.appName("coreflens").master(master or _LOCAL)
    if (master or _LOCAL).startswith("local"):
        started = started.config("spark.sql.shuffle.partitions", str(2 * (os.cpu_count() or 1)))
        started = started.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    for name, value in _SETTINGS.items():
        started = started.config(name, value)
    python = os.environ.get("PYSPARK_PYTHON")
    try:
        if (master or _LOCAL).startswith("local"):  # its workers have the same packages as this process
            os.environ["PYSPARK_PYTHON"] = python or sys.executable
        session = started.getOrCreate()
    except Exception as error:  # Java is too old, or there is no such master
        raise UsageError(f"Spark did not start: {_reason(error)}") from None
    finally:
        if python is None:
            os.environ.pop("PYSPARK_PYTHON", None)
    session.sparkContext.setLogLevel("OFF")
    logging.getLogger("SQLQueryContextLogger").disabled = True  # we report the error in one line
    return session


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


def _kind(type_: str, what: str, source: str) -> str:
    is_text = type_ in _TEXTS or type_.startswith(("decimal", "varchar", "char"))
    return identifying(type_, what, source, is_integer=type_ in _INTEGERS, is_text=is_text)


def _plain(type_: str) -> bool:
    return type_ in _INTEGERS or type_ == "string"


def _name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _escaped(path: str) -> str:
    """A path for Spark, which treats it as a pattern."""
    return "".join(f"\\{c}" if c in "*?[]{}\\" else c for c in path)


def _starts_with_bracket(file: str) -> bool:
    return glimpse(file, 64).lstrip()[:1] == b"["
