"""Tables read into memory with the columns that were named."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from ..corpus.model import Corpus
from ..errors import InputError, UsageError
from ..files.finding import find
from ..formats.reading import opened
from ..formats.shared.cells import load
from ..formats.table import SPELLINGS, from_cells, needed
from ..scoring.settings import Settings
from .tables import found_columns


def read_table(given: Any, columns: Mapping[str, str], settings: Settings) -> Corpus:
    """A table from one file, read into memory with the columns that were named."""
    if not isinstance(given, (str, PathLike)):
        raise UsageError("columns can only be named for a table in a file")
    if columns.get("order"):
        raise UsageError(
            "rows are read in the order of the file: --columns order= is only for --engine duckdb and spark"
        )
    found = find(fspath(given))
    if found.several:
        hint = "--engine duckdb reads several as one table"
        raise InputError("there are several files, and --columns is for one", file=fspath(given), hint=hint)
    source = opened(found.files[0], settings.get("encoding"))
    renamed = _Renamed(columns, source.name)
    if source.data.startswith(b"PAR1"):
        from ..formats.parquet import load_cells

        header, lines, cells = load_cells(source, lambda header: needed(renamed(header)))
    else:
        hint = "--columns mention=NAME,entity=NAME names the columns"
        header, lines, cells = load(source, lambda header: needed(renamed(header)), hint)
    return from_cells(source, renamed(header), lines, cells)


class _Renamed:
    """A header in which only the columns that were named have the usual names."""

    def __init__(self, columns: Mapping[str, str], source: str) -> None:
        self._columns, self._source = columns, source

    def __call__(self, header: Any) -> list[str]:
        found = found_columns(list(header), self._columns, self._source)
        usual = {name: what for what, name in found.items()}
        names = {spelling for spellings in SPELLINGS.values() for spelling in spellings}
        return [usual.get(name) or (f"{name} (column)" if name.strip().lower() in names else name) for name in header]
