"""Results as tables of other libraries: `to_frame()` for pandas, `to_arrow()` for polars, DuckDB and others.

A result gives its rows with `records()`: each maps a column to a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from .errors import UsageError
from .presentation import writer_of

if TYPE_CHECKING:
    import pandas
    import pyarrow

Record: TypeAlias = dict[str, Any]


class Exported:
    """A result with rows for other libraries."""

    __slots__ = ()

    def records(self) -> list[Record]:
        """The rows as dicts: those that `--format csv` writes."""
        table = writer_of(self).records(self)
        return rows_of(table.header, table.rows)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame of `records()`."""
        return frame_of(self.records())

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table of `records()`."""
        return arrow_of(self.records())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The same for libraries that read streams of Arrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def frame_of(records: Sequence[Mapping[str, Any]]) -> pandas.DataFrame:
    """Records as a pandas DataFrame."""
    try:
        import pandas
    except ImportError:
        raise UsageError("to_frame needs pandas: pip install 'coreflens[pandas]'") from None
    return pandas.DataFrame([*map(_plain, records)])


def arrow_of(records: Sequence[Mapping[str, Any]]) -> pyarrow.Table:
    """Records as an Arrow table. A column with values of several types is text."""
    try:
        import pyarrow
    except ImportError:
        raise UsageError("Arrow tables need pyarrow: pip install 'coreflens[parquet]'") from None
    rows = [*map(_plain, records)]
    header = dict.fromkeys(name for row in rows for name in row)
    columns = {name: _column([row.get(name) for row in rows]) for name in header}
    return pyarrow.table(columns)


def rows_of(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Record]:
    """The rows of a table for CSV. A column whose cells are all numbers or empty has numbers."""
    columns = [_numbers([row[place] for row in rows]) for place in range(len(header))]
    return [dict(zip(header, values, strict=True)) for values in zip(*columns, strict=True)]


def _numbers(cells: list[str]) -> list[Any]:
    try:
        return [None if cell == "" else float(cell) for cell in cells] if any(cells) else [*cells]
    except ValueError:
        return [*cells]


def _column(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2 or kinds == {int, float}:
        return values
    return [None if value is None else str(value) for value in values]


def _plain(record: Mapping[str, Any]) -> Record:
    """A record with values that every library knows: exact numbers as floats, tuples as text."""
    return {name: _value(value) for name, value in record.items()}


def _value(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, (tuple, list, set, frozenset, dict)):
        return str(value)
    return value
