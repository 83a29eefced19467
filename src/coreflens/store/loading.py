"""Loads files into a side: several processes read, and one process writes, many documents at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ..corpus.model import Corpus
from ..database.connection import split_side
from ..database.schema import OF_A_DOCUMENT
from ..database.sides import read_side
from ..errors import InputError, Issue, counted
from ..files.finding import File, FoundFiles, find
from ..formats.ontonotes.lexicon import is_lexicon, read_frames, read_inventory
from ..formats.reading import Circumstances, as_one, left_out, noting, opened, together, with_names
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
_BATCH = 200_000  # rows that are written in one transaction, or those of one file


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
    add       a document that the side already has is an error
    replace   such a document is replaced by the new one

    A file is written whole, with the other files of its batch, in one transaction.
    """
    _found.cache_clear()
    found = _found(reading.path)
    known = _known(connection, side, found) if mode == "build" else set()
    first = 0 if mode == "build" else _next(connection, "number", "source WHERE side = ?", [side])
    todo = [place for place, file in enumerate(found.files) if file.name not in known]
    work = partial(_load, reading, Circumstances.here())
    jobs = max(min(jobs, len(todo)), 1)
    several = jobs > 1 and all(found.files[place].on_disk for place in todo)
    results = each(work, todo, jobs, ahead=_AHEAD * jobs) if several else map(work, todo)
    writer = Writer(connection, side, mode)
    for place, loaded in zip(watch(todo), results, strict=True):
        writer.add(first + place, found.files[place], loaded)
    writer.write()
    _join_tables(connection, writer, reading, found)
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


def _known(connection: DuckDBPyConnection, side: str, found: FoundFiles) -> set[str]:
    """The files that an interrupted run has read. Those that have changed since then, or are gone, are removed."""
    now = {file.name: _status(file) for file in found.files}
    known: set[str] = set()
    lost: list[int] = []
    rows = connection.execute("SELECT id, file, bytes, modified, state FROM source WHERE side = ?", [side]).fetchall()
    for source, file, size, modified, state in rows:
        if state != "reading" and size is not None and now.get(file) == (size, modified):
            known.add(file)
        else:
            lost.append(source)
    delete_sources(connection, lost)
    return known


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


def delete_sources(connection: DuckDBPyConnection, sources: Sequence[int]) -> None:
    """Remove files with their documents, in one transaction."""
    if not sources:
        return
    connection.execute("BEGIN")
    found = connection.execute("SELECT id FROM document WHERE source IN (SELECT unnest(?))", [sources]).fetchall()
    delete_documents(connection, [document for (document,) in found])
    connection.execute("DELETE FROM source WHERE id IN (SELECT unnest(?))", [sources])
    connection.execute("COMMIT")


def delete_documents(connection: DuckDBPyConnection, documents: Sequence[int]) -> None:
    """Remove documents with all their rows."""
    if not documents:
        return
    for table in OF_A_DOCUMENT:
        connection.execute(f'DELETE FROM "{table}" WHERE document IN (SELECT unnest(?))', [documents])
    connection.execute("DELETE FROM document WHERE id IN (SELECT unnest(?))", [documents])


class _Pending(NamedTuple):
    """A file that waits for the rest of its batch."""

    source: int
    file: str
    values: list[Any]
    tables: dict[str, pyarrow.Table]


class Writer:
    """Writes the rows of files into a side, in batches, each of which is one transaction."""

    def __init__(self, connection: DuckDBPyConnection, side: str, mode: Mode) -> None:
        self.connection, self.side, self.mode = connection, side, mode
        self.source = self.first = _next(connection, "id", "source")
        self.document = _next(connection, "id", "document")
        self.pending: list[_Pending] = []
        self.rows = 0
        before = connection.execute("SELECT label, id FROM document WHERE side = ?", [side]).fetchall()
        self.known: dict[str, int] = {} if mode == "build" else dict(before)

    def add(self, number: int, file: File, loaded: Loaded) -> None:
        """A file to be written, as the `number`-th of its side."""
        import pyarrow as pa

        tables = {name: pa.ipc.open_stream(data).read_all() for name, data in loaded.tables.items()}
        state = "skipped" if not tables else "read" if "document" in tables else "lexicon"
        if state == "read":
            if self.mode == "add":
                self._refuse_known(file.name, tables["document"].column("label").to_pylist())
            tables = {name: self._numbered(name, rows) for name, rows in tables.items()}
            self.document += len(tables["document"])
        traits = {**loaded.traits, "issues": [i.to_dict() for i in loaded.issues], "used": loaded.used}
        noted = json.dumps(traits if state != "lexicon" else {})
        values = [self.source, self.side, number, file.name, *_status(file), state, noted]
        self.pending.append(_Pending(self.source, file.name, values, tables))
        self.source += 1
        self.rows += sum(map(len, tables.values()))
        if self.rows >= _BATCH:
            self.write()

    def write(self) -> None:
        """Write the batch whole or not at all."""
        import pyarrow as pa

        connection = self.connection
        connection.execute("BEGIN")
        try:
            together: dict[str, list[pyarrow.Table]] = {}
            for pending in self.pending:
                if pending.tables and "document" not in pending.tables:
                    _write_lexicon(connection, self.side, pending.file, pending.tables)
                    continue
                for name, table in pending.tables.items():
                    together.setdefault(name, []).append(table)
            if self.mode == "replace" and "document" in together:
                self._make_room(together["document"])
            for name, tables in together.items():
                rows = pa.concat_tables(tables)  # DuckDB finds the rows by the name of the variable
                assert rows is not None
                connection.execute(f'INSERT INTO "{name}" SELECT * FROM rows')
            for pending in self.pending:
                connection.execute("INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?)", pending.values)
            connection.execute("COMMIT")
        except BaseException:
            with suppress(Exception):  # DuckDB may have ended the transaction itself
                connection.execute("ROLLBACK")
            raise
        self.pending.clear()
        self.rows = 0

    def _numbered(self, name: str, rows: pyarrow.Table) -> pyarrow.Table:
        """Rows with the numbers that their documents have in the database."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for column in _SHIFTED.get(name, ("document",)):
            shifted = pc.add(rows.column(column), pa.scalar(self.document, pa.int32()))
            rows = rows.set_column(rows.schema.get_field_index(column), column, shifted)
        if name == "document":
            for column, value in (("side", pa.scalar(self.side)), ("source", pa.scalar(self.source, pa.int32()))):
                index = rows.schema.get_field_index(column)
                rows = rows.set_column(index, column, pa.array([value.as_py()] * len(rows), value.type))
        return rows

    def _refuse_known(self, file: str, labels: Sequence[str]) -> None:
        """Refuse to add a document that is already there."""
        if again := [label for label in labels if label in self.known]:
            more = f" and {len(again) - 1} more" if len(again) > 1 else ""
            message = f"'{self.side}' already has document '{again[0][:80]}'{more}"
            raise InputError(message, file=file, hint="`coreflens db replace` replaces it")

    def _make_room(self, documents: Sequence[pyarrow.Table]) -> None:
        """Remove the documents that are replaced, so that later files of this run find them gone."""
        labels = [label for table in documents for label in table.column("label").to_pylist()]
        old = [self.known.pop(label) for label in labels if label in self.known]
        delete_documents(self.connection, old)


_SHIFTED = {"document": ("id",), "link": ("document", "anchor_document")}


def _write_lexicon(connection: DuckDBPyConnection, side: str, file: str, tables: Mapping[str, pyarrow.Table]) -> None:
    """Write the entries of a lexicon file. They replace earlier entries from this file or for the same words."""
    for name, rows in tables.items():
        second = "sense" if name == "inventory" else "frameset"
        assert rows is not None
        connection.execute(f'DELETE FROM "{name}" WHERE (lemma, {second}) IN (SELECT (lemma, {second}) FROM rows)')
        connection.execute(f'INSERT INTO "{name}" SELECT DISTINCT ON (lemma, {second}) * FROM rows')
    connection.execute("DELETE FROM source WHERE side = ? AND file = ?", [side, file])


def _join_tables(connection: DuckDBPyConnection, writer: Writer, reading: Reading, found: FoundFiles) -> None:
    """Load files of the format `table` again, as one, if the rows of a document are in several of them."""
    if not found.several:
        return
    new = connection.execute(
        "SELECT id, number, file FROM source WHERE side = ? AND id >= ? AND state = 'read'"
        ' AND traits LIKE \'%"format": "table"%\' ORDER BY number, id',
        [writer.side, writer.first if writer.mode != "build" else 0],
    ).fetchall()
    sources = [source for source, _, _ in new]
    repeated = connection.execute(
        "SELECT 1 FROM document WHERE source IN (SELECT unnest(?)) GROUP BY label HAVING count(*) > 1 LIMIT 1",
        [sources],
    ).fetchone()
    if repeated is None:
        return
    files = {file for _, _, file in new}
    corpora = [_corpus(reading, file) for file in found.files if file.name in files]
    delete_sources(connection, sources)
    whole = File(reading.path, lambda: b"", lambda _: None)
    writer.add(new[0][1], whole, packed(as_one(corpora, reading.path, ())))
    writer.write()


def _corpus(reading: Reading, file: File) -> Corpus:
    source = opened(file, reading.encoding, reading.role)
    chosen, source = prepared(source, reading.format)
    return with_names(chosen.module.read(source), file.name)


def _finish(connection: DuckDBPyConnection, side: str, path: str, found: FoundFiles) -> tuple[Issue, ...]:
    """Remove files that others have read as their parts, and store the issues."""
    rows = connection.execute(
        "SELECT id, file, state, traits FROM source WHERE side = ? ORDER BY number, id", [side]
    ).fetchall()
    traits = {source: json.loads(text) for source, _, _, text in rows}
    read = [(source, file) for source, file, state, _ in rows if state == "read"]
    if not read:
        raise InputError(f"no coreference file here ({counted(found.files, 'file')})", file=path)
    used = {place for source in traits for place in traits[source].get("used", ())}
    read = _without_parts(connection, read, used, found.several)
    _same_kind(connection, side, [traits[source] for source, _ in read], path)
    issues: list[Issue] = []
    for source, _ in read:
        issues += [Issue(**{**stored, "places": tuple(stored["places"])}) for stored in traits[source]["issues"]]
    whole = tuple(issues)
    if found.several:
        skipped = [file for _, file, state, _ in rows if state == "skipped" and normpath(file) not in used]
        whole = together(issues) + left_out(skipped, path) + found.issues(path)
    noted = json.dumps([issue.to_dict() for issue in whole])
    connection.execute("UPDATE side SET issues = ? WHERE name = ?", [noted, side])
    return whole


def _without_parts(
    connection: DuckDBPyConnection, read: list[tuple[int, str]], used: set[str], several: bool
) -> list[tuple[int, str]]:
    """The files of a folder without those that others have read as their parts, which are removed."""
    parts = [(source, file) for source, file in read if normpath(file) in used]
    if not several or not parts or len(parts) == len(read):
        return read
    delete_sources(connection, [source for source, _ in parts])
    return [source_and_file for source_and_file in read if source_and_file not in parts]


def _same_kind(connection: DuckDBPyConnection, side: str, traits: Sequence[Mapping[str, Any]], path: str) -> None:
    """All files of a side must count tokens, or all characters, and all must have names, or all spans."""
    if len({t["unit"] for t in traits}) > 1:
        raise InputError("some of the files count tokens, and others count characters", file=path)
    if len({t["names"] is not None for t in traits}) > 1:
        raise InputError("some of the files identify mentions by name, and others by span", file=path)
