"""`score`: the engine that was named, or that fits the inputs, is chosen first, and then it computes the score."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from ..corpus.model import Corpus
from ..errors import CoreflensError, UsageError, choose
from ..extras import extra
from ..files.limits import size
from ..formats import Frame, Input
from ..formats.reading import is_side
from ..keywords import known_keywords
from ..metrics import select
from ..scoring.result import Result
from ..scoring.scorer import Scorer, settled
from ..scoring.settings import ENGINES, EngineName, EngineSettings, ScoreSettings, Settings

if TYPE_CHECKING:
    from pathlib import Path

    from .scored import Opening
    from .tables import Columns, Table

# Memory on the way from a table to its scores, per byte of the file: measured, see docs/scale.md.
PER_BYTE = {"csv": 10, "json": 30, "parquet": 25}
_POLICIES = frozenset(
    {"metrics", "protocol", "exact", "encoding", "key_format", "response_format", "unlabelled"}
)  # settings that are not policies
_READING = ("encoding", "key_format", "response_format")
ENGINE_SETTINGS = tuple(EngineSettings.__annotations__)


@known_keywords
def score(key: Input | Frame, response: Input | Frame, **settings: Unpack[ScoreSettings]) -> Result:
    """Score a response against a key.

    Both are paths (files, directories, `-`; formats recognised by content), plain clusters `[{"a", "b"}, {"c"}]`,
    mention → entity maps, label arrays, or dicts of documents of these; see `Input`. `Settings` lists the keyword
    arguments: `metrics`, `protocol`, `exact`, how to read files, and the options, such as `singletons="drop"`.
    Tables of mentions can be scored by DuckDB or Spark: `EngineSettings` has `engine` and its settings.

    Input that can't be read or paired is an InputError. `issues` of the result has messages about unusual input.

        result = score("key.conll", "response.conll", metrics="conll", singletons="drop")
        print(result); result["muc"].f1; result.conll; result.by_document()
    """
    where: dict[str, Any] = {name: settings.pop(name) for name in ENGINE_SETTINGS if name in settings}  # type: ignore[misc]
    return score_by_engine(key, response, settings, **where)


def score_by_engine(
    key: Any,
    response: Any,
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
    name, tables = chosen(key, response, engine, named, limit, say)
    if name != "spark" and (master is not None or session is not None):
        raise UsageError(f"a master or a session is only for --engine spark, but the engine is {name}")
    if name != "duckdb" and (spill is not None or (memory_limit is not None and engine != "auto")):
        raise UsageError(f"a memory limit and a spill folder are only for --engine duckdb, but the engine is {name}")
    if name == "memory":
        if any(is_frame(side) for side in (key, response)):
            raise UsageError(
                "--engine memory does not score frames: write them to files, such as Parquet or CSV, or use --engine "
                "duckdb or spark"
            )
        if not ceaf:
            raise UsageError(
                "--no-ceaf is only for --engine duckdb and spark; to leave out CEAF, name the metrics to compute"
            )
        key, response = _with_columns(key, response, named, settings)
        return Scorer(key, **settings)(response)
    for what in _READING:
        if settings.get(what):
            raise UsageError(
                f"--{what.replace('_', '-')} is only for --engine memory; the other engines read UTF-8 tables"
            )
    from .scored import Asked, score_tables
    from .tables import table_of

    metrics, asked_by_name = select(settings.get("metrics"))
    policies: Any = {option: value for option, value in settings.items() if option not in _POLICIES}
    protocol, options = settled(settings.get("protocol"), policies, metrics)
    asked = Asked(metrics, asked_by_name, protocol, options, bool(settings.get("exact")), ceaf)
    ours, theirs = tables or (
        table_of(key, "key", named["key"]),
        table_of(response, "response", named["response"]),
    )
    return score_tables(_connection(name, limit, spill, master, session), ours, theirs, named, asked, say)


def _with_columns(key: Any, response: Any, named: Mapping[str, Mapping[str, str]], settings: Settings) -> Any:
    """The sides, read into memory where their columns are named."""
    if not any(named.values()):
        return key, response
    from .memory import read_table

    sides = ((key, named["key"]), (response, named["response"]))
    return tuple(read_table(side, columns, settings) if columns else side for side, columns in sides)


def _named(columns: Columns | None) -> dict[str, str]:
    if columns is None:
        return {}
    from .tables import parse_columns

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


def chosen(
    key: Any,
    response: Any,
    engine: EngineName,
    columns: Mapping[str, Mapping[str, str]],
    limit: int | None,
    say: Callable[[str], None],
) -> tuple[str, tuple[Table, Table] | None]:
    """The engine, and the tables if they have already been found."""
    choose(engine, ENGINES, "engine")
    if engine != "auto":
        return engine, None
    frames = [side for side in (key, response) if is_frame(side)]
    if frames:
        spark = any(type(side).__module__.startswith("pyspark.") for side in frames)
        return ("spark" if spark else "duckdb"), None
    if not all(_may_be_table(side) for side in (key, response)):
        return "memory", None
    if any(is_side(str(side)) for side in (key, response)):  # corpora with all their layers
        return "memory", None
    from .tables import table_of

    try:
        tables = table_of(key, "key", columns["key"]), table_of(response, "response", columns["response"])
    except CoreflensError:  # reading them later reports what is wrong
        return "memory", None
    if any(table.kind == "duckdb" for table in tables):
        from ..database.connection import is_database

        ours = any(table.kind == "duckdb" and is_database(table.files[0]) for table in tables)
        return ("memory", None) if ours else ("duckdb", tables)  # `coreflens db` made it: its sides are corpora
    taken = sum(PER_BYTE[table.kind] * table.bytes for table in tables)
    free = limit or _free() // 2
    if taken <= free:
        return "memory", None
    try:
        extra("duckdb", "--engine duckdb")
    except UsageError as error:
        say(str(error))
        return "memory", None
    if not all(map(_is_mentions, tables, (columns["key"], columns["response"]))):
        return "memory", None
    say(f"the tables may take {_about(taken)} in memory, and {_about(free)} are available: using --engine duckdb")
    return "duckdb", tables


def is_frame(given: Any) -> bool:
    if isinstance(given, (str, PathLike, Corpus)) or not hasattr(given, "columns"):
        return False
    return hasattr(given, "dtypes") or hasattr(given, "column_names")  # the second is Arrow's


def _may_be_table(given: Any) -> bool:
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


def _is_mentions(table: Table, columns: Mapping[str, str]) -> bool:
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
            found = re.search(r"MemAvailable:\s+(\d+) kB", info.read())
        if found:
            return int(found[1]) * 1024
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
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,3})?)\s*([kmgt]?)i?b?", str(given).strip().lower())
    number = float(found[1]) * (1 << {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}[found[2]]) if found else 0
    if number < 1:
        raise UsageError(f"'{given}' is not a size, such as 500M or 4G")
    return int(number)
