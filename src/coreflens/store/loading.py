"""Loads files into a side: several processes read, one process writes, and each document is one transaction."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ..corpus.model import Corpus
from ..database.connection import split_side
from ..database.schema import OF_A_DOCUMENT
from ..database.sides import read_side
from ..errors import InputError, Issue, counted
from ..files.finding import File, FoundFiles, find
from ..formats.ontonotes.lexicon import is_lexicon, read_frames, read_inventory
from ..formats.reading import Circumstances, left_out, noting, opened, together, with_names
from ..formats.registry import prepared
from ..formats.shared.source import Source
from ..processes import each
from .columns import arrow
from .rows import Rows

if TYPE_CHECKING:
    import pyarrow
    from duckdb import DuckDBPyConnection

Mode: TypeAlias = Literal["build", "add", "replace"]
_HEAD = 1 << 12  # bytes by which a file is recognised
_AHEAD = 4  # files per process that are read ahead of writing


Statement: TypeAlias = tuple[str, list[Any]]


@dataclass
class _Numbers:
    """The next number of a file and of a document; there is one writer."""

    source: int
    document: int


class Reading(NamedTuple):
    """How the files of a side are read."""

    path: str
    role: str
    format: str | None = None
    encoding: str | None = None


class Loaded(NamedTuple):
    """A file as rows: tables as Arrow streams, traits, issues, and the other files that it read. No tables: skipped."""

    tables: Mapping[str, bytes]
    traits: Mapping[str, Any]
    issues: tuple[Issue, ...]
    used: tuple[str, ...]


def load(
    connection: DuckDBPyConnection,
    side: str,
    reading: Reading,
    *,
    mode: Mode = "build",
    jobs: int = 1,
    watch: Callable[[Iterable[Any]], Iterator[Any]] = iter,
) -> tuple[Issue, ...]:
    """Put the documents of a path into a side that is in the table `side`.

    build     files of an interrupted run are not read again, unless they have changed since then
    add       a document that the side already has is an error, before any document of its file is written
    replace   such a document is replaced by the new one, in the same transaction
    """
    _found.cache_clear()
    found = _found(reading.path)
    known = _known(connection, side) if mode == "build" else {}
    first = 0 if mode == "build" else _next(connection, "number", "source WHERE side = ?", [side])
    todo = [place for place, file in enumerate(found.files) if not _is_done(connection, known.get(file.name), file)]
    work = partial(_load, reading, Circumstances.here())
    jobs = max(min(jobs, len(todo)), 1)
    several = jobs > 1 and all(found.files[place].on_disk for place in todo)
    results = each(work, todo, jobs, ahead=_AHEAD * jobs) if several else map(work, todo)
    numbers = _Numbers(_next(connection, "id", "source"), _next(connection, "id", "document"))
    for place, loaded in zip(watch(todo), results, strict=True):
        file = found.files[place]
        _write(connection, side, first + place, file, loaded, mode, known.get(file.name), numbers)
    return _finish(connection, side, reading.path, found)


@lru_cache(maxsize=4)
def _found(path: str) -> FoundFiles:
    if split_side(path) is not None:
        return FoundFiles([File(path, lambda: b"", lambda _: None)])
    return find(path)


def _load(reading: Reading, here: Circumstances, place: int) -> Loaded:
    """The rows of one of the files behind a path. The limits are passed on to other processes."""
    with here.hold():
        found = _found(reading.path)
        file = found.files[place]
        used: set[str] = set()
        if (named := split_side(file.name)) is not None:
            return packed(read_side(*named), used)
        source = opened(replace(file, sibling=noting(file, used)), reading.encoding, reading.role)
        if found.several and is_lexicon(source.data[:_HEAD]):
            return _lexicon(source)
        try:
            chosen, source = prepared(source, reading.format)
        except InputError as error:
            if not found.several or error.code not in ("unknown-format", "empty-file"):
                raise
            return Loaded({}, {}, (), ())
        corpus = chosen.module.read(source)
        return packed(with_names(corpus, file.name) if found.several else corpus, used)


def _lexicon(source: Source) -> Loaded:
    """A sense inventory or a frame file: rows that belong to no document."""
    senses, frames = read_inventory(source), read_frames(source)
    tables = {}
    if senses:
        columns: dict[str, Any] = {name: [getattr(s, name) for s in senses] for name in ("lemma", "sense", "name")}
        tables["inventory"] = _bytes(arrow("inventory", {**columns, "file": [source.name] * len(senses)}))
    if frames:
        columns = {name: [getattr(f, name) for f in frames] for name in ("lemma", "frameset", "name")}
        roles = [list(f.roles) for f in frames]
        tables["frame"] = _bytes(arrow("frame", {**columns, "roles": roles, "file": [source.name] * len(frames)}))
    return Loaded(tables, {}, (), ())


def _bytes(table: pyarrow.Table) -> bytes:
    """A table as an Arrow stream."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def packed(corpus: Corpus, used: Iterable[str] = ()) -> Loaded:
    """A corpus as rows that can be sent to another process."""
    rows = Rows(corpus)
    tables = {name: _bytes(table) for name, table in rows.tables.items()}
    return Loaded(tables, rows.traits, (*corpus.issues, *rows.issues), tuple(sorted(used)))


def _known(connection: DuckDBPyConnection, side: str) -> dict[str, int]:
    """File → its number, for a side whose loading was interrupted."""
    return dict(connection.execute("SELECT file, id FROM source WHERE side = ?", [side]).fetchall())


def _next(connection: DuckDBPyConnection, column: str, where: str, values: Sequence[Any] = ()) -> int:
    """The number after the highest in a column."""
    row = connection.execute(f"SELECT coalesce(max({column}) + 1, 0) FROM {where}", list(values)).fetchone()
    return int((row or (0,))[0])


def _status(file: File) -> tuple[int | None, int | None]:
    """Size and time of a file on disk, which show whether it is still the same."""
    if not file.on_disk:
        return None, None
    status = os.stat(file.name)
    return status.st_size, status.st_mtime_ns


def _is_done(connection: DuckDBPyConnection, source: int | None, file: File) -> bool:
    """Whether a file was read to its end. A file that changed since then is removed, to be read again."""
    if source is None:
        return False
    row = connection.execute("SELECT bytes, modified, state FROM source WHERE id = ?", [source]).fetchone()
    size, modified, state = row or (None, None, "")
    if (size, modified) == _status(file) and size is not None:
        return state in ("read", "skipped", "lexicon")
    delete_source(connection, source)
    return False


def delete_source(connection: DuckDBPyConnection, source: int) -> None:
    """Remove a file with its documents, in one transaction."""
    connection.execute("BEGIN")
    for (document,) in connection.execute("SELECT id FROM document WHERE source = ?", [source]).fetchall():
        delete_document(connection, document)
    connection.execute("DELETE FROM source WHERE id = ?", [source])
    connection.execute("COMMIT")


def delete_document(connection: DuckDBPyConnection, document: int) -> None:
    """Remove a document with all its rows, within a transaction."""
    for table in OF_A_DOCUMENT:
        connection.execute(f'DELETE FROM "{table}" WHERE document = ?', [document])
    connection.execute("DELETE FROM document WHERE id = ?", [document])


def _write(
    connection: DuckDBPyConnection,
    side: str,
    number: int,
    file: File,
    loaded: Loaded,
    mode: Mode,
    source: int | None,
    numbers: _Numbers,
) -> None:
    """Write the documents of a file that are not there yet, each in one transaction.

    The transaction of the first document also adds the file, and that of the last document marks it as read.
    """
    import pyarrow as pa

    tables = {name: pa.ipc.open_stream(data).read_all() for name, data in loaded.tables.items()}
    if tables and "document" not in tables:
        _write_lexicon(connection, side, number, file, tables, numbers)
        return
    source = _continued(connection, source, tables)
    written = set() if source is None else _written(connection, source)
    if tables and mode == "add":
        _refuse_known(connection, side, file.name, tables["document"].column("label").to_pylist())
    begin: list[Statement] = []
    if source is None:
        source = numbers.source
        numbers.source += 1
        begin = [_added(source, side, number, file, loaded)]
    if not tables:
        _execute(connection, begin)
        return
    end: list[Statement] = [("UPDATE source SET state = 'read' WHERE id = ?", [source])]
    left = [(d, pieces) for d, pieces in enumerate(_by_document(tables)) if d not in written]
    for d, pieces in left:
        last = end if d == left[-1][0] else []
        _insert(connection, side, source, numbers.document, pieces, mode == "replace", (begin, last))
        begin = []
    if not left:
        _execute(connection, [*begin, *end])
    numbers.document += len(tables["document"])


def _continued(connection: DuckDBPyConnection, source: int | None, tables: Mapping[str, pyarrow.Table]) -> int | None:
    """The file that an interrupted run has begun; None if it has to be written again."""
    if source is None or not (_is_gone(connection, source) or _crossing(tables)):
        return source
    delete_source(connection, source)  # it changed, or its links refer to document numbers of that run
    return None


def _added(source: int, side: str, number: int, file: File, loaded: Loaded) -> Statement:
    """The statement that adds a file. Without documents, it is one that was left out."""
    issues = [issue.to_dict() for issue in loaded.issues]
    traits = json.dumps({**loaded.traits, "issues": issues, "used": loaded.used})
    state = "reading" if loaded.tables else "skipped"
    values = [source, side, number, file.name, *_status(file), state, traits]
    return "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values


def _written(connection: DuckDBPyConnection, source: int) -> set[int]:
    """The documents of a file that an interrupted run has written, by their numbers in it."""
    return {n for (n,) in connection.execute("SELECT number FROM document WHERE source = ?", [source]).fetchall()}


def _execute(connection: DuckDBPyConnection, statements: Iterable[Statement]) -> None:
    for statement, values in statements:
        connection.execute(statement, values)


def _write_lexicon(
    connection: DuckDBPyConnection,
    side: str,
    number: int,
    file: File,
    tables: Mapping[str, pyarrow.Table],
    numbers: _Numbers,
) -> None:
    """Write the entries of a lexicon file. They replace earlier entries from this file or for the same words."""
    connection.execute("BEGIN")
    for name, rows in tables.items():
        second = "sense" if name == "inventory" else "frameset"
        assert rows is not None
        connection.execute(f'DELETE FROM "{name}" WHERE (lemma, {second}) IN (SELECT (lemma, {second}) FROM rows)')
        connection.execute(f'INSERT INTO "{name}" SELECT DISTINCT ON (lemma, {second}) * FROM rows')
    connection.execute("DELETE FROM source WHERE side = ? AND file = ?", [side, file.name])
    values = [numbers.source, side, number, file.name, *_status(file), "lexicon", "{}"]
    connection.execute("INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    connection.execute("COMMIT")
    numbers.source += 1


def _is_gone(connection: DuckDBPyConnection, source: int) -> bool:
    """Whether a file was removed because it had changed."""
    return connection.execute("SELECT 1 FROM source WHERE id = ?", [source]).fetchone() is None


def _crossing(tables: Mapping[str, pyarrow.Table]) -> bool:
    """Whether a link leads from one document to another."""
    if "link" not in tables:
        return False
    rows = zip(*(tables["link"].column(name).to_pylist() for name in ("document", "anchor_document")), strict=True)
    return any(there is not None and here != there for here, there in rows)


def _refuse_known(connection: DuckDBPyConnection, side: str, file: str, labels: Sequence[str]) -> None:
    """Refuse to add a document that is already there."""
    known = {x for (x,) in connection.execute("SELECT label FROM document WHERE side = ?", [side]).fetchall()}
    if again := [label for label in labels if label in known]:
        more = f" and {len(again) - 1} more" if len(again) > 1 else ""
        message = f"'{side}' already has document '{again[0][:80]}'{more}"
        raise InputError(message, file=file, hint="`coreflens db replace` replaces it")


def _by_document(tables: Mapping[str, pyarrow.Table]) -> Iterator[dict[str, pyarrow.Table]]:
    """The rows of each document: tables are ordered by it."""
    count = len(tables["document"])
    cuts = {}
    for name, table in tables.items():
        of = table.column("id" if name == "document" else "document").to_numpy()
        cuts[name] = np.searchsorted(of, np.arange(count + 1))
    for d in range(count):
        yield {
            name: table.slice(int(cuts[name][d]), int(cuts[name][d + 1] - cuts[name][d]))
            for name, table in tables.items()
            if cuts[name][d] < cuts[name][d + 1]
        }


_SHIFTED = {"document": ("id",), "link": ("document", "anchor_document")}


def _insert(
    connection: DuckDBPyConnection,
    side: str,
    source: int,
    base: int,
    pieces: Mapping[str, pyarrow.Table],
    replacing: bool,
    around: tuple[Sequence[Statement], Sequence[Statement]],
) -> None:
    """Write a document whole or not at all; it may replace the one with the same name.

    `around` are statements before and after it, in the same transaction.
    """
    connection.execute("BEGIN")
    try:
        _execute(connection, around[0])
        if replacing:
            label = pieces["document"].column("label")[0].as_py()
            same = connection.execute("SELECT id FROM document WHERE side = ? AND label = ?", [side, label])
            for (document,) in same.fetchall():
                delete_document(connection, document)
        for name, rows in pieces.items():  # DuckDB finds the rows by the name of the variable
            shifted = ", ".join(f"{column} + {base} AS {column}" for column in _SHIFTED.get(name, ("document",)))
            if name == "document":
                shifted += f", $side AS side, {source} AS source"
            parameters = {"side": side} if name == "document" else {}
            assert rows is not None
            connection.execute(f'INSERT INTO "{name}" SELECT * REPLACE ({shifted}) FROM rows', parameters)
        _execute(connection, around[1])
        connection.execute("COMMIT")
    except BaseException:
        with suppress(Exception):  # DuckDB may have ended the transaction itself
            connection.execute("ROLLBACK")
        raise


class _Source(NamedTuple):
    """A file as the database knows it; `traits` are properties of its corpus, and what it has read besides."""

    id: int
    file: str
    state: str
    traits: Mapping[str, Any]


def _finish(connection: DuckDBPyConnection, side: str, path: str, found: FoundFiles) -> tuple[Issue, ...]:
    """Remove files that others have read as their parts, and store the issues."""
    rows = connection.execute(
        "SELECT id, file, state, traits FROM source WHERE side = ? ORDER BY number, id", [side]
    ).fetchall()
    sources = [_Source(source, file, state, json.loads(traits)) for source, file, state, traits in rows]
    used = {place for source in sources for place in source.traits.get("used", ())}
    read = [source for source in sources if source.state == "read"]
    if not read:
        raise InputError(f"no coreference file here ({counted(found.files, 'file')})", file=path)
    if found.several:
        read = _without_parts(connection, read, used)
    _same_kind(connection, side, [source.traits for source in read], path)
    issues = tuple(_issue(plain) for source in read for plain in source.traits["issues"])
    if found.several:
        issues = together(issues) + left_out(_skipped(sources, used), path) + found.issues(path)
    noted = json.dumps([issue.to_dict() for issue in issues])
    connection.execute("UPDATE side SET issues = ? WHERE name = ?", [noted, side])
    return issues


def _without_parts(connection: DuckDBPyConnection, read: list[_Source], used: set[str]) -> list[_Source]:
    """The files that no other has read as its part; the others are removed, unless nothing would be left."""
    parts = [source for source in read if normpath(source.file) in used]
    if not 0 < len(parts) < len(read):
        return read
    for source in parts:
        delete_source(connection, source.id)
    return [source for source in read if source not in parts]


def _skipped(sources: Sequence[_Source], used: set[str]) -> list[str]:
    """The files that are in no known format, without those that others have read as their parts."""
    return [source.file for source in sources if source.state == "skipped" and normpath(source.file) not in used]


def _issue(plain: Mapping[str, Any]) -> Issue:
    """An issue from JSON."""
    return Issue(**{**plain, "places": tuple(plain["places"])})


def _same_kind(connection: DuckDBPyConnection, side: str, traits: Sequence[Mapping[str, Any]], path: str) -> None:
    """All files of a side must count tokens, or all characters, and all must have names, or all spans."""
    if len({t["unit"] for t in traits}) > 1:
        raise InputError("some of the files count tokens, and others count characters", file=path)
    if len({t["names"] is not None for t in traits}) > 1:
        raise InputError("some of the files identify mentions by name, and others by span", file=path)
