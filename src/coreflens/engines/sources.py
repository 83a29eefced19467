"""Tables of mentions that an engine opens itself: their files, their kind, and the meaning of their columns.

The files of a path, and which of them are tables, are found as for tables that are read into memory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from ..errors import InputError, Issue, UsageError, choose, counted
from ..files.finding import File, find
from ..files.gzipped import Unzipped
from ..files.notation import delimiter
from ..files.opening import bytes_of, open_file, unreadable
from ..formats.reading import LEFT_OUT
from ..formats.registry import recognise
from ..formats.shared.cells import columns as spelled
from ..formats.shared.cells import first_record, header_of
from ..formats.shared.source import Source
from ..formats.table import SPELLINGS

Kind: TypeAlias = Literal["parquet", "csv", "json", "duckdb", "frame"]
Columns: TypeAlias = Mapping[str, str] | str
"""Which column is which: `{"mention": "record_id", "entity": "cluster"}`, or `mention=record_id,entity=cluster`."""

ColumnsOfSides: TypeAlias = Mapping[str, Mapping[str, str]]  # those of the key and of the response

NAMES = ("doc", "mention", "entity", "order")
KINDS: dict[str, Kind] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
}
SPANS = (("start", "end"), ("start_char", "end_char"))
_HEAD = 1 << 16
_GZIP = b"\x1f\x8b"
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")


class FileLayout(NamedTuple):
    """How a text file is to be read: files with the same layout can be read together.

    header      the columns of CSV; JSON has its names in each record
    skipped     blank lines before the header
    array       whether JSON is one array, and not one record per line
    """

    gzipped: bool = False
    header: tuple[str, ...] = ()
    delimiter: str = ","
    line_end: str = "\n"
    skipped: int = 0
    array: bool = False


@dataclass(frozen=True)
class TableSource:
    """A table as it was named: files of one kind, a table in a file of DuckDB, or a frame in memory.

    source      its name in messages
    files       the files, in the order of their names; a path on another machine is kept as it is
    several     whether the files were given together, as a folder or a pattern: each has a name of its own then
    layouts     how each file is to be read, for CSV and JSON on this machine
    skipped     other files that were given with them, which are empty or not tables
    issues      about what is not a file
    inner       the table's name in a file of DuckDB, if it was given
    frame       a DataFrame, a relation or an Arrow table
    """

    kind: Kind
    source: str
    files: tuple[str, ...] = ()
    several: bool = False
    layouts: tuple[FileLayout, ...] = ()
    skipped: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()
    inner: str = ""
    frame: Any = None

    @property
    def bytes(self) -> int:
        """The size of the files on disk, 0 if it is not known."""
        return bytes_of(self.files)

    @property
    def remote(self) -> bool:
        """Whether the path is on another machine, where only the engine looks."""
        return bool(self.files) and "://" in self.files[0]

    @property
    def groups(self) -> dict[FileLayout, list[int]]:
        """The places of the files that are read in the same way."""
        found: dict[FileLayout, list[int]] = {}
        for place, layout in enumerate(self.layouts or [FileLayout()] * len(self.files)):
            found.setdefault(layout, []).append(place)
        return found


def table_of(given: object, role: str, columns: Mapping[str, str] | None = None) -> TableSource:
    """The table behind a path, a pattern, a folder, `FILE.duckdb:TABLE` or a frame."""
    if not isinstance(given, (str, PathLike)):
        if not hasattr(given, "columns") and not hasattr(given, "column_names"):
            kind = type(given).__name__
            raise UsageError(f"the {role} is not a table of mentions but {kind}: an engine takes a path or a frame")
        return TableSource("frame", role, frame=given)
    path = fspath(given)
    if path == "-":
        raise UsageError("this engine reads only files; --engine memory also reads stdin")
    if "://" in path:
        suffix = _suffix(path)
        several = suffix not in KINDS or "*" in path
        return TableSource(KINDS.get(suffix, "parquet"), path, (path,), several)
    before, colon, inner = path.rpartition(":")
    if colon and not os.path.exists(path) and os.path.isfile(before):
        return TableSource("duckdb", path, (before,), inner=inner)
    return _table_of_files(path, columns or {})


def _table_of_files(path: str, columns: Mapping[str, str]) -> TableSource:
    found_files = find(path)
    if not all(file.on_disk for file in found_files.files):
        raise UsageError(f"{path} is an archive or a pipe, which needs --engine memory")
    tables: dict[str, bytes] = {}  # the first bytes of each
    skipped: list[str] = []
    for file in found_files.files:
        head = _head(file)
        if not found_files.several and head[8:12] == b"DUCK":
            return TableSource("duckdb", path, (file.name,))
        if _is_table(file, head, columns, found_files.several):
            tables[file.name] = head
        else:
            skipped.append(file.name)
    if not tables:
        raise InputError(f"there is no table here ({counted(found_files.files, 'file')})", file=path)
    kinds = {_kind(head) for head in tables.values()}
    if len(kinds) > 1:
        listed = ", ".join(sorted(kinds))
        raise UsageError(f"files of several kinds in {path} ({listed}) need --engine memory; a pattern chooses one")
    kind = kinds.pop()
    layouts = () if kind == "parquet" else tuple(_layout(name, head, kind) for name, head in tables.items())
    return TableSource(
        kind, path, tuple(tables), found_files.several, layouts, tuple(skipped), found_files.issues(path)
    )


def _is_table(file: File, head: bytes, columns: Mapping[str, str], several: bool) -> bool:
    """Whether a file is a table of mentions, as the reader in memory recognises it.

    If columns are named, a single file is a table in any case, and of several those whose suffix says so.
    """
    if head.startswith(_OTHER_ENCODINGS):
        raise UsageError(f"{file.name} is not UTF-8, and needs --engine memory")
    if columns:
        return not several or is_table_by_name(file.name, head)
    if head.startswith(b"PAR1"):
        return True
    try:
        format = recognise(Source(head, file.name)).name
    except InputError as error:
        if not several or error.code not in LEFT_OUT:
            raise
        return False
    if format == "table":
        return True
    raise UsageError(f"{file.name} is not a table of mentions but {format}, which needs --engine memory")


def is_table_by_name(name: str, data: bytes) -> bool:
    """Whether one of several files is a table, if the names of its columns are not the usual ones."""
    return data.startswith(b"PAR1") or KINDS.get(_suffix(name)) in ("csv", "json")


def _suffix(path: str) -> str:
    return Path(path.removesuffix(".gz")).suffix.lower()


def _kind(head: bytes) -> Kind:
    """By content, as in memory."""
    if head.startswith(b"PAR1"):
        return "parquet"
    return "json" if head.lstrip()[:1] == b"[" or first_record(head) is not None else "csv"


def _layout(name: str, head: bytes, kind: Kind) -> FileLayout:
    gzipped = _starts_with(name, _GZIP)
    if kind == "json":
        return FileLayout(gzipped, array=head.lstrip()[:1] == b"[")
    header = tuple(header_of(head))
    if not header:
        raise InputError("the first line must name the columns", file=name, line=1, code="syntax")
    text = head.decode(errors="ignore")
    before = text[: len(text) - len(text.lstrip())]
    first_line = text.lstrip().partition("\n")[0]
    end = "\r\n" if first_line.endswith("\r") else "\n"
    return FileLayout(gzipped, header, delimiter(text), end, before.count("\n"))


def _starts_with(name: str, magic: bytes) -> bool:
    with open_file(name) as file:
        return file.read(len(magic)) == magic


def _head(file: File) -> bytes:
    """The first bytes of a file, unpacked."""
    try:
        with open_file(file.name) as opened:
            head = opened.read(_HEAD)
            if head.startswith(_GZIP):
                opened.seek(0)
                head = Unzipped(opened, file.name, owns=False).read(_HEAD)
    except OSError as error:
        raise unreadable(error, file.name) from None
    return head.removeprefix(b"\xef\xbb\xbf")


def parse_columns(given: Columns | None) -> dict[str, str]:
    """Names of columns by their meaning; an empty name means that there is none."""
    if given is None:
        return {}
    if isinstance(given, str):
        pairs = [part.partition("=") for part in given.split(",") if part.strip()]
        if any(not equals for _, equals, _ in pairs):
            raise UsageError(f"columns are given as mention=NAME,entity=NAME, not '{given}'")
        given = {role.strip(): name.strip() for role, _, name in pairs}
    for role, name in given.items():
        choose(role, NAMES, "column")
        if not isinstance(name, str) or (not name and role in ("mention", "entity")):
            raise UsageError(f"the column of {role} needs a name")
    return dict(given)


def meaning(header: Sequence[str], given: Mapping[str, str], source: str) -> dict[str, str]:
    """The meaning of the columns of a table: those that were named, and the others by their usual spellings.

    A named column of mentions takes the place of spans, and a named column of documents that of parts.
    """
    listed = ", ".join(header)[:200]
    for meant, name in given.items():
        if name and name not in header:
            raise InputError(f"no column '{name}' for {meant} (there are {listed})", file=source)
    columns = _spelled_as_usual(header, given) | dict(given)
    name_of = {meant: name for meant, name in columns.items() if name}
    lacking = [meant for meant in ("mention", "entity") if meant not in name_of]
    if "mention" in lacking and spans_of(name_of):
        lacking.remove("mention")
    if lacking:
        hint = "--columns mention=NAME,entity=NAME names them"
        raise InputError(f"no column of {' and '.join(lacking)} (there are {listed})", file=source, hint=hint)
    return name_of


def _spelled_as_usual(header: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """The columns with usual names, without those that a named column replaces."""
    replaced: set[str] = set()
    if "mention" in given:
        replaced.update(*SPANS)
    if "doc" in given:
        replaced.add("part")
    places = spelled(header, SPELLINGS)
    return {meant: header[place] for meant, place in places.items() if meant not in replaced}


def spans_of(found: Mapping[str, str]) -> tuple[str, str] | None:
    """The columns of spans, which identify the mentions if they are there."""
    return next((pair for pair in SPANS if set(pair) <= set(found)), None)


def found_columns(header: Sequence[str], given: Mapping[str, str], table: TableSource) -> dict[str, str]:
    """The columns doc, mention, entity and order of a table that an engine can score. Others need memory."""
    if joint := [name for name in given.values() if "+" in name and name not in header]:
        raise UsageError(f"{table.source}: {joint[0]} joins columns, which needs --engine memory")
    if {"document_id", "sentences"} <= set(header) and not given:
        raise UsageError(f"{table.source}: documents with sentences need --engine memory")
    name_of = meaning(header, given, table.source)
    written = "as a file with --engine memory" if table.kind == "duckdb" else "with --engine memory"
    if spans := spans_of(name_of):
        raise UsageError(
            f"{table.source}: the mentions of this table are spans ({', '.join(spans)}), which are scored {written}; "
            "--columns mention=NAME names a column of identifiers"
        )
    if "part" in name_of and "doc" in name_of:
        raise UsageError(
            f"{table.source}: this table has a column for parts of documents, which is scored {written}; --columns "
            "doc=NAME names a column that distinguishes documents and parts"
        )
    return {role: name_of[role] for role in NAMES if role in name_of}


def check_spellings(header: Sequence[str], table: TableSource) -> None:
    """Check that no file of several can name a column in another way than the others, if all headers come together."""
    if len(table.files) < 2 and not table.remote:
        return
    plain = [name.strip().lower() for name in header]
    for column in ("doc", "mention", "entity"):
        spellings = [spelling for spelling in SPELLINGS[column] if spelling in plain]
        if len(spellings) > 1:
            raise UsageError(
                f"{table.source}: {' and '.join(spellings)} may both be the column of {column}, each in other files; "
                "--engine memory looks at each file"
            )
