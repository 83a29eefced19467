"""Tables in memory as a corpus: DataFrames of pandas and polars, Arrow tables, records, and dicts of columns.

The columns are those of the format `table` (formats/table.py): doc, a mention or a span, entity. Values become text as
in a file. A whole number in a column of floats, which pandas makes where a value is missing, is a whole number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from ..corpus.model import Corpus
from ..errors import PLACES, InputError, Issue, choose, counted
from .shared.cells import NO_ROWS
from .shared.cells import columns as places_of
from .shared.source import Source
from .table import SPELLINGS, from_cells, needed

Rename = Callable[[Sequence[str]], list[str]]
_MISSING = ("NAType", "NaTType")


def is_frame(given: Any) -> bool:
    """Whether this is a table with columns: of pandas, polars, Arrow, DuckDB or Spark."""
    kind = type(given)  # a lazy frame of polars would compute its columns
    if isinstance(given, (str, PathLike, Corpus, list, dict)) or not hasattr(kind, "columns"):
        return False
    return hasattr(kind, "dtypes") or hasattr(kind, "column_names")  # the second is Arrow's


def is_header(names: Iterable[Any]) -> bool:
    """Whether these are the names of columns of a table of mentions."""
    header = list(names)
    return all(isinstance(name, str) for name in header) and bool(needed(header))


def is_table(source: Any) -> bool:
    """Whether Python data is a table: a frame, records, or a dict of columns."""
    if isinstance(source, list):
        if not source or type(source[0]) in (list, set, tuple):  # clusters, by far the most usual
            return False
        if not all(isinstance(record, Mapping) for record in source):
            return False
        return is_header(dict.fromkeys(field for record in source for field in record))
    if isinstance(source, Mapping):
        return is_header(source) and all(_is_column(value) for value in source.values())
    return is_frame(source)


def _is_column(value: Any) -> bool:
    """Whether this is a column of values, and no cluster or document."""
    if isinstance(value, np.ndarray) or hasattr(value, "__array__"):
        return True
    if not isinstance(value, (list, tuple)):
        return False
    return not any(isinstance(cell, (list, tuple, set, frozenset, dict)) for cell in value)


def from_table(source: Any, role: str = "", unlabelled: str = "error", rename: Rename | None = None) -> Corpus:
    """The corpus of a table in memory. `rename` gives the columns their usual names."""
    choose(unlabelled, ("error", "absent"), "value of unlabelled")
    where = Source(b"", role or "table")
    header, values = _columns(source, where.name)
    usual = rename(header) if rename else header
    if not needed(usual):
        message = f"these are not the columns of a table of mentions: {', '.join(header)[:200]}"
        hint = 'columns={"mention": NAME, "entity": NAME} names them; doc,start,end,entity are spans'
        raise InputError(message, file=where.name, hint=hint, code="shape")
    if not values or not len(values[0]):
        raise InputError("this table has no rows", file=where.name, code=NO_ROWS)
    required = needed(usual)
    cells: list[Sequence[str]] = []
    for place, column in enumerate(values):
        cells.append(_texts(column, header[place] if place in required else None, where.name))
    lines = np.arange(1, len(cells[0]) + 1, dtype=np.int64)
    issues: tuple[Issue, ...] = ()
    if unlabelled == "absent":
        entity = cells[places_of(usual, SPELLINGS)["entity"]]
        kept = [row for row, label in enumerate(entity) if label]
        if len(kept) < len(entity):
            issues = (_absent([row for row, label in enumerate(entity) if not label], role),)
            cells, lines = [[column[row] for row in kept] for column in cells], lines[kept]
    corpus = from_cells(where, usual, lines, cells)
    return replace(corpus, issues=(*corpus.issues, *issues), format="python")


def _absent(rows: list[int], role: str) -> Issue:
    message = f"{counted(rows, 'mention')} of the {role or 'input'} without a label: left out"
    return Issue("unlabelled", message, len(rows), tuple(f"row {row + 1}" for row in rows[:PLACES]))


def _columns(source: Any, where: str) -> tuple[list[str], list[list[Any]]]:
    """The names of the columns, and their values."""
    if isinstance(source, list):
        header = list(dict.fromkeys(field for record in source for field in record))
        return header, [[record.get(field) for record in source] for field in header]
    if isinstance(source, Mapping):
        header, values = list(source), [_values(column) for column in source.values()]
    else:
        header, values = _columns_of_frame(source, where)
    if len({*map(len, values)}) > 1:
        sizes = ", ".join(f"{name} {len(column)}" for name, column in zip(header, values, strict=True))
        raise InputError(f"the columns of this table have different lengths: {sizes[:200]}", file=where, code="shape")
    return header, values


def _columns_of_frame(source: Any, where: str) -> tuple[list[str], list[list[Any]]]:
    """The columns of a frame, each kind by the methods that it alone has."""
    if hasattr(source, "collect_schema") and hasattr(source, "collect"):  # polars, perhaps a lazy frame
        source = source.lazy().collect()
    if hasattr(source, "iloc"):  # pandas
        header = [str(name) for name in source.columns]
        return header, [source.iloc[:, place].tolist() for place in range(len(header))]
    if hasattr(source, "get_columns"):  # polars
        return list(source.columns), [column.to_list() for column in source.get_columns()]
    if hasattr(source, "to_pydict"):  # Arrow
        return list(source.column_names), [column.to_pylist() for column in source.columns]
    rows_of = getattr(source, "fetchall", None) or getattr(source, "collect", None)  # DuckDB; Spark
    if rows_of is None:
        message = f"{type(source).__name__} is not a table that can be read into memory"
        raise InputError(message, file=where, code="shape")
    header = list(source.columns)
    rows = rows_of()
    return header, [list(column) for column in zip(*rows, strict=True)] or [[] for _ in header]


def _values(column: Any) -> list[Any]:
    if hasattr(column, "tolist"):
        return list(column.tolist())
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column)


def _texts(column: list[Any], required: str | None, where: str) -> list[str]:
    """The values of a column as text. `required` is its name, if what it holds identifies mentions."""
    kinds = {*map(type, column)}
    if kinds == {str}:
        return column
    if kinds == {int}:
        return [*map(str, column)]
    return [_text(value, required, where, row) for row, value in enumerate(column, start=1)]


def _text(value: Any, required: str | None, where: str, row: int) -> str:
    if isinstance(value, str):
        return value
    if value is None or type(value).__name__ in _MISSING or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    if required is None:
        return str(value)
    kind = type(value).__name__
    message = f"the column {required[:60]} has a value of the type {kind}, which can't identify anything: {value!r:.40}"
    raise InputError(message, file=where, line=row, hint="use whole numbers or text", code="shape")
