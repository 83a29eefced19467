"""Columns of a table of the database, in Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..corpus.model import IntArray
from ..database.schema import TABLES
from ..errors import InputError

if TYPE_CHECKING:
    import pyarrow

_ARROW = {"INTEGER": "int32", "BIGINT": "int64", "VARCHAR": "string", "BOOLEAN": "bool_", "DOUBLE": "float64"}


def arrow(name: str, columns: Mapping[str, Any]) -> pyarrow.Table:
    """Rows of a table of the database. Columns that are not given are NULL."""
    import pyarrow as pa

    def kind(type_: str) -> Any:
        if type_.startswith("MAP"):
            return pa.map_(pa.string(), pa.float64() if "DOUBLE" in type_ else pa.string())
        if type_.startswith("STRUCT"):
            return pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32())]))
        return getattr(pa, _ARROW[type_])()

    size = len(next(iter(columns.values())))
    try:
        return pa.table(
            {
                c.name: pa.array(columns[c.name], kind(c.type)) if c.name in columns else pa.nulls(size, kind(c.type))
                for c in TABLES[name].columns
            }
        )
    except UnicodeEncodeError as error:
        bad = error.object[error.start]
        raise InputError(f"half a surrogate pair, {bad!a}, can't be stored as UTF-8") from None


def optional(numbers: IntArray, missing: int = -1) -> Any:
    """Numbers with NULL for those that are missing."""
    import pyarrow as pa

    return pa.array(numbers, pa.int32(), mask=numbers == missing)


def filled(cells: Iterable[Any]) -> list[Any]:
    """Cells for a column in which an empty one is NULL."""
    return [cell or None for cell in cells]


def named_values(columns: Mapping[str, Sequence[Any]]) -> list[list[tuple[str, Any]] | None]:
    """For each row, the names and values of the columns in which it has one; NULL if it has none."""
    names = list(columns)
    return [_present(names, row) or None for row in zip(*columns.values(), strict=True)]


def _present(names: Sequence[str], row: Sequence[Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in zip(names, row, strict=True) if value]


def taken(values: Sequence[Any], places: IntArray) -> list[Any]:
    return [values[place] for place in places.tolist()]


def transposed(name: str, titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> pyarrow.Table | None:
    if not rows:
        return None
    return arrow(name, {title: [row[place] for row in rows] for place, title in enumerate(titles)})


def numbered(doc: IntArray) -> IntArray:
    """0, 1, 2, ... within each document."""
    return np.arange(len(doc)) - np.searchsorted(doc, doc)
