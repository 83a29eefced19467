"""Tables of mentions that an engine opens itself: their files, their kind, and the meaning of their columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..errors import InputError, UsageError, choose
from ..files.finding import find
from ..files.gzipped import Unzipped
from ..files.notation import delimiter
from ..files.opening import bytes_of, open_file, unreadable
from ..formats.shared.cells import columns as spelled
from ..formats.table import SPELLINGS

Kind: TypeAlias = Literal["parquet", "csv", "json", "duckdb", "frame"]
Columns: TypeAlias = Mapping[str, str] | str
"""Which column is which: `{"mention": "record_id", "entity": "cluster"}`, or `mention=record_id,entity=cluster`."""

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
_HEAD = 1 << 16


@dataclass(frozen=True)
class Table:
    """A table as it was named: files of one kind, a table in a file of DuckDB, or a frame in memory.

    source      its name in messages
    files       the files, in the order of their names; a path on another machine is kept as it is
    delimiter   of CSV
    inner       the table's name in a file of DuckDB, if it was given
    frame       a DataFrame, a relation or an Arrow table
    """

    kind: Kind
    source: str
    files: tuple[str, ...] = ()
    delimiter: str = ","
    inner: str = ""
    frame: Any = None

    @property
    def bytes(self) -> int:
        """The size of the files on disk, 0 if it is not known."""
        return bytes_of(self.files)


def table_of(given: Any, role: str) -> Table:
    """The table behind a path, a pattern, a folder, `FILE.duckdb:TABLE` or a frame."""
    if not isinstance(given, (str, PathLike)):
        if not hasattr(given, "columns") and not hasattr(given, "column_names"):
            kind = type(given).__name__
            raise UsageError(f"the {role} is not a table of mentions but {kind}: an engine takes a path or a frame")
        return Table("frame", role, frame=given)
    path = fspath(given)
    if path == "-":
        raise UsageError("this engine reads only files; --engine memory also reads stdin")
    if "://" in path:
        return Table(KINDS.get(_suffix(path), "parquet"), path, (path,), "\t" if ".tsv" in path else ",")
    before, colon, inner = path.rpartition(":")
    if colon and not os.path.exists(path) and os.path.isfile(before):
        return Table("duckdb", path, (before,), inner=inner)
    files = _files(path)
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        raise InputError(
            f"files of several kinds: {', '.join(sorted(kinds))}", file=path, hint="choose one kind with a pattern"
        )
    kind = kinds.pop()
    between = delimiter(_head(files[0]).decode(errors="replace")) if kind == "csv" else ","
    return Table(kind, path, tuple(files), between)


def _files(path: str) -> list[str]:
    """The files of a table. In a folder these are all files with the suffix of a table, except hidden and `_` files."""
    if os.path.isdir(path):
        found = [
            os.path.join(folder, name)
            for folder, _, names in os.walk(path)
            for name in names
            if name[0] not in "._" and _suffix(name) in KINDS
        ]
        if not found:
            raise InputError(f"no table here: no file that ends in {', '.join(KINDS)}", file=path)
        return sorted(found)
    if not os.path.exists(path) and has_magic(path):
        found = sorted(file for file in glob(path, recursive=True) if os.path.isfile(file))
        if not found:
            raise InputError("there is no such file", file=path)
        return found
    return [file.name for file in find(path).files] if not os.path.isfile(path) else [path]


def _suffix(path: str) -> str:
    return Path(path.removesuffix(".gz").removesuffix(".zst")).suffix.lower()


def _kind(file: str) -> Kind:
    """By content if possible, else by name."""
    head = _head(file)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head[8:12] == b"DUCK":
        return "duckdb"
    by_name = KINDS.get(_suffix(file))
    if by_name in ("csv", "json"):
        return by_name
    if by_name is not None:
        raise InputError(
            f"this is not a {by_name} file, although its name says so", file=file, hint="is the file cut off?"
        )
    return "json" if head.lstrip()[:1] in (b"[", b"{") else "csv"


def _head(file: str) -> bytes:
    try:
        with open_file(file) as opened:
            head = opened.read(_HEAD)
            if head.startswith(b"\x1f\x8b"):
                opened.seek(0)
                head = Unzipped(opened, file, owns=False).read(_HEAD)
    except OSError as error:
        raise unreadable(error, file) from None
    return head.removeprefix(b"\xef\xbb\xbf")


def parse_columns(given: Columns | None) -> dict[str, str]:
    """Names of columns by their meaning; an empty name means that there is none."""
    if given is None:
        return {}
    if isinstance(given, str):
        pairs = [part.partition("=") for part in given.split(",") if part.strip()]
        if any(not equals for _, equals, _ in pairs):
            raise UsageError(f"columns are given as mention=NAME,entity=NAME, not '{given}'")
        given = {what.strip(): name.strip() for what, _, name in pairs}
    for what, name in given.items():
        choose(what, NAMES, "column")
        if not isinstance(name, str) or (not name and what in ("mention", "entity")):
            raise UsageError(f"the column of {what} needs a name")
    return dict(given)


def found_columns(header: Sequence[str], given: Mapping[str, str], source: str) -> dict[str, str]:
    """The meaning of the columns of a table: those that were named, and the others by their usual spellings."""
    for what, name in given.items():
        if name and name not in header:
            shown = ", ".join(header)[:200]
            raise InputError(f"no column '{name}' for {what} (there are {shown})", file=source)
    usual = {what: header[place] for what, place in spelled(header, SPELLINGS).items()}
    found = {what: usual[what] for what in ("doc", "mention", "entity") if what in usual} | dict(given)
    found = {what: name for what, name in found.items() if name}
    lacking = [what for what in ("mention", "entity") if what not in found]
    spans = next((f"{a}, {b}" for a, b in (("start", "end"), ("start_char", "end_char")) if {a, b} <= set(usual)), "")
    if spans and "mention" not in given:
        raise InputError(
            f"the mentions of this table are spans ({spans})",
            file=source,
            hint="--engine memory scores them; --columns mention=NAME names a column of identifiers",
        )
    if lacking:
        shown = ", ".join(header)[:200]
        hint = "--columns mention=NAME,entity=NAME names them"
        raise InputError(f"no column of {' and '.join(lacking)} (there are {shown})", file=source, hint=hint)
    if "part" in usual and "doc" in found and "doc" not in given:
        hint = "--engine memory reads it; --columns doc=NAME names a column that distinguishes documents and parts"
        raise InputError("this table has a column for parts of documents", file=source, hint=hint)
    return found


def identifying(type_: str, what: str, source: str, *, is_integer: bool, is_text: bool) -> str:
    """How a column is compared: `integer` or `text`. Columns of other types are an InputError."""
    if is_integer or is_text:
        return "integer" if is_integer else "text"
    raise InputError(
        f"the column of {what} has the type {type_[:60]}, which can't identify anything",
        file=source,
        hint="use whole numbers or text",
    )
