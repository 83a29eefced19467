"""One side as a corpus in memory, whatever `score` accepts: a file of any format, a table in DuckDB, a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from ..corpus.columns import TextColumn
from ..corpus.model import Corpus
from ..errors import InputError
from ..formats import read
from ..formats.frames import is_frame
from ..formats.shared.source import Source
from ..formats.table import from_cells
from ..metrics.contingency import Array
from .memory import read_table
from .sources import TableSource, table_of


def load_side(
    given: Any, role: Literal["key", "response"], columns: Mapping[str, str], settings: Mapping[str, Any]
) -> Corpus:
    """The corpus of a path, a frame or Python clusters. `settings` has `encoding` and the formats of the sides."""
    if is_frame(given) or _is_in_duckdb(given):
        return _of_engine(table_of(given, role, columns), role, columns)
    if columns:
        return read_table(given, columns, {"encoding": settings.get("encoding")}, role)
    return read(given, format=settings.get(f"{role}_format"), encoding=settings.get("encoding"), role=role)


def _is_in_duckdb(given: Any) -> bool:
    """Whether a path names a table in a file of DuckDB that `coreflens db` did not make."""
    if not isinstance(given, (str, PathLike)):
        return False
    from ..database.connection import is_corpus, is_database, split_side

    path = fspath(given)
    return (is_database(path) or split_side(path) is not None) and not is_corpus(path)


def _of_engine(table: TableSource, role: str, columns: Mapping[str, str]) -> Corpus:
    """The rows of a table that DuckDB opens."""
    from .duck import connected

    with connected() as engine:
        side = engine.open(table, role, columns)
        found = engine.fetch(f"SELECT {', '.join(side.kinds)} FROM {role}_rows")
    if not len(found["mention"]):
        raise InputError("this table has no rows", file=table.source)
    header = list(side.kinds)
    lines = np.arange(1, len(found["mention"]) + 1)
    return from_cells(Source(b"", table.source), header, lines, [_cells(found[name]) for name in header])


def _cells(values: Array) -> Sequence[str]:
    """A column of an answer as text; a missing value is empty."""
    if values.dtype.kind in "iu":
        return TextColumn(values.astype(np.int64))
    return ["" if value is None else str(value) for value in values.tolist()]
