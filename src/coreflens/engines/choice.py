"""`score`: the engine that was named, or that fits the inputs, is chosen first, and then it computes the score."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from ..errors import CoreflensError, UsageError, choose, warn_of
from ..extras import extra
from ..files.boundary import refuse_links_to_the_key
from ..files.limits import size
from ..formats import Frame, Input
from ..formats.frames import is_frame
from ..formats.reading import is_side
from ..keywords import known_keywords
from ..metrics import select
from ..scoring.result import ExactResult, Result
from ..scoring.scorer import Scorer, settled
from ..scoring.settings import ENGINES, EngineName, EngineSettings, ExactSettings, ScoreSettings, Settings

if TYPE_CHECKING:
    from pathlib import Path

    from .scored import Opening, Request
    from .sources import Columns, ColumnsOfSides, TableSource

# Memory on the way from a table to its scores, per byte of the file: measured, see docs/scale.md.
PER_BYTE = {"csv": 10, "json": 30, "parquet": 25}
_READING = ("encoding", "key_format", "response_format")
_NOT_OPTIONS = frozenset({"metrics", "protocol", "exact", "unlabelled", *_READING})
ENGINE_SETTINGS = tuple(EngineSettings.__annotations__)


@overload
def score(
    key: Input | Frame, response: Input | Frame, *, exact: Literal[True], **settings: Unpack[ExactSettings]
) -> ExactResult: ...
@overload
def score(key: Input | Frame, response: Input | Frame, **settings: Unpack[ScoreSettings]) -> Result: ...
@known_keywords
def score(key: Input | Frame, response: Input | Frame, **settings: Unpack[ScoreSettings]) -> Result:
    """Score a response against a key.

    Both are paths (files, directories, `-`; formats recognised by content), plain clusters `[{"a", "b"}, {"c"}]`,
    mention → entity maps, label arrays, lists or dicts of documents of these, or tables in memory; see `Input`.
    `Settings` lists the keyword arguments: `metrics`, `protocol`, `exact`, how to read files, and the options, such as
    `singletons="drop"`. Tables of mentions can be scored by DuckDB or Spark: `EngineSettings` has `engine` and its
    settings.

    Input that can't be read or paired is an InputError. `issues` of the result has messages about unusual input.

        result = score("key.conll", "response.conll", metrics="conll", singletons="drop")
        print(result); result["muc"].f1; result.conll; result.by_document()
    """
    where: dict[str, Any] = {name: settings.pop(name) for name in ENGINE_SETTINGS if name in settings}  # type: ignore[misc]
    result = score_by_engine(key, response, settings, **where)
    warn_of(result.issues)
    return result


def score_by_engine(
    key: object,
    response: object,
    settings: Settings,
    *,
    engine: EngineName = "auto",
    columns: Columns | None = None,
    key_columns: Columns | None = None,
    response_columns: Columns | None = None,
    memory_limit: int | str | None = None,
    spill: str | Path | None = None,
    master: str | None = None,
    session: Any = None,
    ceaf: bool = True,
    say: Callable[[str], None] | None = None,
) -> Result:
    """The result of scoring with the chosen engine; `EngineSettings` explains the arguments."""
    say = say or (lambda message: None)
    both = _named(columns)
    named = {"key": both | _named(key_columns), "response": both | _named(response_columns)}
    limit = parse_size(memory_limit)
    name, tables = chosen_engine(key, response, engine, named, limit, say)
    if name != "spark" and (master is not None or session is not None):
        raise UsageError(f"a master or a session is only for --engine spark, but the engine is {name}")
    if name != "duckdb" and (spill is not None or (memory_limit is not None and engine != "auto")):
        raise UsageError(f"a memory limit and a spill folder are only for --engine duckdb, but the engine is {name}")
    if name == "memory":
        return _score_in_memory(key, response, settings, named, ceaf)
    from .scored import score_tables
    from .sources import table_of

    request = _request(settings, ceaf)
    key_table, response_table = tables or (
        table_of(key, "key", named["key"]),
        table_of(response, "response", named["response"]),
    )
    refuse_links_to_the_key(key_table.files, response_table.files)
    connection = _connection(name, limit, spill, master, session)
    return score_tables(connection, key_table, response_table, named, request, say)


def _score_in_memory(key: Any, response: Any, settings: Settings, columns: ColumnsOfSides, ceaf: bool) -> Result:
    if not ceaf:
        raise UsageError(
            "--no-ceaf is only for --engine duckdb and spark; to leave out CEAF, name the metrics to compute"
        )
    if any(columns.values()):
        from .memory import read_table

        if columns["key"]:
            key = read_table(key, columns["key"], settings, "key")
        if columns["response"]:
            response = read_table(response, columns["response"], settings, "response")
    scorer = Scorer(key, **settings)
    return scorer.result(scorer.match(response))


def _request(settings: Settings, ceaf: bool) -> Request:
    """What is to be computed, for engines that read tables."""
    for name in _READING:
        if settings.get(name):
            raise UsageError(
                f"--{name.replace('_', '-')} is only for --engine memory; the other engines read UTF-8 tables"
            )
    from .scored import Request

    metrics, asked_by_name = select(settings.get("metrics"))
    given: Any = {option: value for option, value in settings.items() if option not in _NOT_OPTIONS}
    protocol, options = settled(settings.get("protocol"), given, metrics)
    return Request(metrics, asked_by_name, protocol, options, bool(settings.get("exact")), ceaf)


def _named(columns: Columns | None) -> dict[str, str]:
    if columns is None:
        return {}
    from .sources import parse_columns

    return parse_columns(columns)


def _connection(
    name: str,
    limit: int | None,
    spill: str | Path | None,
    master: str | None,
    session: Any,
) -> AbstractContextManager[Opening]:
    if name == "duckdb":
        from .duck import connected

        return connected(limit, spill)
    from .spark import connected as started

    return started(master, session)


def chosen_engine(
    key: object,
    response: object,
    engine: EngineName,
    columns: ColumnsOfSides,
    limit: int | None,
    say: Callable[[str], None],
) -> tuple[str, tuple[TableSource, TableSource] | None]:
    """The engine, and the tables if they have already been found."""
    choose(engine, ENGINES, "engine")
    if engine != "auto":
        return engine, None
    owner = _owner(key) or _owner(response)
    if owner is not None:
        return owner, None
    tables = _tables_on_disk(key, response, columns)
    if tables is None:
        return "memory", None
    if any(table.kind == "duckdb" for table in tables):
        return ("memory", None) if any(map(_is_corpus_database, tables)) else ("duckdb", tables)
    if _fits_in_memory_or_must(tables, columns, limit, say):
        return "memory", None
    return "duckdb", tables


def _tables_on_disk(key: object, response: object, columns: ColumnsOfSides) -> tuple[TableSource, TableSource] | None:
    """Both sides as tables of mentions. None if a side is something else, or is wrong: reading it later reports
    that."""
    if not all(_may_be_table(side) for side in (key, response)):
        return None
    if any(is_side(str(side)) for side in (key, response)):  # corpora with all their layers
        return None
    from .sources import table_of

    try:
        return table_of(key, "key", columns["key"]), table_of(response, "response", columns["response"])
    except CoreflensError:
        return None


def _is_corpus_database(table: TableSource) -> bool:
    """Whether `coreflens db` made this database: its sides are corpora."""
    from ..database.connection import is_database

    return table.kind == "duckdb" and is_database(table.files[0])


def _fits_in_memory_or_must(
    tables: tuple[TableSource, TableSource], columns: ColumnsOfSides, limit: int | None, say: Callable[[str], None]
) -> bool:
    """Whether tables are scored in memory: because they fit, or because DuckDB can't read them."""
    taken = sum(PER_BYTE[table.kind] * table.bytes for table in tables)
    free = limit or _free() // 2
    if taken <= free:
        return True
    try:
        extra("duckdb", "--engine duckdb")
    except UsageError as error:
        say(str(error))
        return True
    if not all(map(_is_mentions, tables, (columns["key"], columns["response"]))):
        return True
    say(f"the tables may take {_about(taken)} in memory, and {_about(free)} are available: using --engine duckdb")
    return False


def _owner(side: object) -> str | None:
    """The engine that a frame belongs to: Spark or DuckDB; None for frames in memory and everything else."""
    package = type(side).__module__.partition(".")[0] if is_frame(side) else ""
    return {"pyspark": "spark", "duckdb": "duckdb", "_duckdb": "duckdb"}.get(package)


def _may_be_table(given: object) -> bool:
    """A path to something on disk. Inputs that can be read only once are not opened."""
    if not isinstance(given, (str, PathLike)):
        return False
    path = os.fspath(given)
    if path == "-" or "\n" in path or "\0" in path:
        return False
    plain = path.rpartition(":")[0] if ":" in path and not os.path.exists(path) else path
    suffixes = (".parquet", ".pq", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".duckdb", ".ddb")
    if os.path.isdir(plain):
        return any(name.endswith((".parquet", ".pq")) for name in os.listdir(plain))
    return plain.lower().removesuffix(".gz").endswith(suffixes) and (os.path.isfile(plain) or "*" in plain)


def _is_mentions(table: TableSource, columns: Mapping[str, str]) -> bool:
    """Whether a file has the columns of a table of mentions; DuckDB reads its header."""
    from .duck import connected

    try:
        with connected() as duck:
            duck.check_columns(table, columns)
    except CoreflensError:
        return False
    return True


def _free() -> int:
    """Free memory, as far as the system reports it."""
    try:
        with open("/proc/meminfo", encoding="ascii") as info:
            available = re.search(r"MemAvailable:\s+(\d+) kB", info.read())
        if available:
            return int(available[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 4 << 30


def _about(number: int) -> str:
    """A size in round figures."""
    power = 30 if number >= 1 << 30 else 20
    return size(max(round(number / (1 << power)), 1) << power)


def parse_size(given: int | str | None) -> int | None:
    """A number of bytes, also as `500M` or `4G`."""
    if given is None or isinstance(given, int):
        if given is not None and given < 1:
            raise UsageError(f"a memory limit must be a size above 0, not {given}")
        return given
    size_match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,3})?)\s*([kmgt]?)i?b?", str(given).strip().lower())
    number = (
        float(size_match[1]) * (1 << {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}[size_match[2]]) if size_match else 0
    )
    if number < 1:
        raise UsageError(f"'{given}' is not a size, such as 500M or 4G")
    return int(number)
