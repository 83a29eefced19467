"""Tables read into memory, from files or frames, with the columns that were named."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from ..corpus.model import Corpus
from ..errors import InputError, UsageError, counted
from ..files.finding import File, find
from ..formats.frames import from_table, is_frame
from ..formats.reading import LEFT_OUT, as_one, left_out, opened, with_names
from ..formats.shared.cells import load
from ..formats.shared.source import Source
from ..formats.table import SPELLINGS, from_cells, needed
from ..scoring.settings import Settings
from .sources import is_table_by_name, meaning


def read_table(given: Any, columns: Mapping[str, str], settings: Settings, role: str) -> Corpus:
    """A table from one file, several, or a frame, read into memory with the columns that were named."""
    in_memory = not isinstance(given, (str, PathLike))
    if in_memory and not (is_frame(given) or isinstance(given, (list, Mapping))):
        raise UsageError("columns can only be named for a table")
    if columns.get("order"):
        raise UsageError(
            "rows are read in the order of the file: --columns order= is only for --engine duckdb and spark"
        )
    if in_memory:
        whole = from_table(given, role, settings.get("unlabelled", "error"), _Renamed(columns, role))
        return _one_document(whole) if columns.get("doc") == "" else whole
    path = fspath(given)
    found_files = find(path)
    encoding = settings.get("encoding")
    if not found_files.several:
        return _read(opened(found_files.files[0], encoding), columns)
    tables: list[Corpus] = []
    skipped: list[str] = []
    for file in found_files.files:
        corpus = _one_of_several(file, columns, encoding)
        if corpus is None:
            skipped.append(file.name)
        else:
            tables.append(corpus)
    if not tables:
        raise InputError(f"there is no table here ({counted(found_files.files, 'file')})", file=path)
    whole = as_one(tables, path, left_out(skipped, path) + found_files.issues(path))
    return _one_document(whole) if columns.get("doc") == "" else whole


def _one_of_several(file: File, columns: Mapping[str, str], encoding: str | None) -> Corpus | None:
    """The table in one of several files; None if it is not a table, or has no rows."""
    source = opened(file, encoding)
    if not is_table_by_name(file.name, source.data):
        return None
    try:
        return with_names(_read(source, columns), file.name)
    except InputError as error:
        if error.code not in LEFT_OUT:
            raise
        return None


def _one_document(corpus: Corpus) -> Corpus:
    """The corpus with all its rows in one document without a name."""
    first = corpus.documents[0]._replace(name="", part=None)
    document = first if len(corpus.documents) == 1 else first._replace(file=corpus.source, line=0)
    line = corpus.line if len(corpus.documents) == 1 else None
    return replace(corpus, documents=[document], doc=np.zeros(len(corpus), dtype=np.int64), line=line)


def _read(source: Source, columns: Mapping[str, str]) -> Corpus:
    """The table in one file."""
    renamed, joint = _Renamed(columns, source.name), _Joint(columns)
    if source.data.startswith(b"PAR1"):
        from ..formats.parquet import load_cells

        header, lines, cells = load_cells(source, joint.needed(renamed))
    else:
        hint = "--columns mention=NAME,entity=NAME names the columns"
        header, lines, cells = load(source, joint.needed(renamed), hint)
    return from_cells(source, renamed(joint.header(header)), lines, joint.cells(header, cells))


class _Joint:
    """Columns such as `source+number`, which are made of several columns of a table.

    Parts are joined by `+`; `+` and `%` in them are written as in URLs, so that different ids stay different.
    """

    def __init__(self, columns: Mapping[str, str]) -> None:
        self._wanted = [name for name in columns.values() if "+" in name]

    def parts(self, header: Sequence[str]) -> dict[str, list[int]]:
        """The places of the parts of each joint column that the table does not have itself."""
        plain = list(header)
        names = {name: name.split("+") for name in self._wanted if name not in plain}
        return {name: [plain.index(p) for p in parts] for name, parts in names.items() if {*parts} <= {*plain}}

    def header(self, header: Sequence[str]) -> list[str]:
        """The header with the joint columns at its end."""
        return [*header, *self.parts(header)]

    def cells(self, header: Sequence[str], cells: Sequence[Sequence[str]]) -> list[Sequence[str]]:
        """The cells with those of the joint columns at their end. A row without one of the parts has no id."""
        joint = [
            [_joined(row) for row in zip(*(cells[place] for place in places), strict=True)]
            for places in self.parts(header).values()
        ]
        return [*cells, *joint]

    def needed(self, renamed: Callable[[Any], list[str]]) -> Callable[[Sequence[str]], set[int]]:
        """The columns that a table must have, with the parts in the place of joint columns."""

        def places(header: Sequence[str]) -> set[int]:
            of_joint = list(self.parts(header).values())
            found: set[int] = set()
            for place in needed(renamed(self.header(header))):
                found |= {place} if place < len(header) else {*of_joint[place - len(header)]}
            return found

        return places


def _joined(parts: Sequence[str]) -> str:
    if not all(part.strip() for part in parts):
        return ""
    return "+".join(part.replace("%", "%25").replace("+", "%2B") for part in parts)


class _Renamed:
    """A header in which only the columns that were named have the usual names."""

    def __init__(self, columns: Mapping[str, str], source: str) -> None:
        self._columns, self._source = columns, source

    def __call__(self, header: Any) -> list[str]:
        found = meaning(list(header), self._columns, self._source)
        usual = {name: what for what, name in found.items()}
        names = {spelling for spellings in SPELLINGS.values() for spelling in spellings}
        return [usual.get(name) or (f"{name} (column)" if name.strip().lower() in names else name) for name in header]
