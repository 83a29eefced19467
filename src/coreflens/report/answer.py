"""The answer to a question, on paper: a table, or a plot of two columns; and the questions that have a name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import UsageError
from ..paper.plot import Plot, Series
from ..paper.table import Table
from ..paper.writers import WRITERS
from ..store.queries import Answer, Recipe


def text(answer: Answer) -> str:
    """The rows, for a terminal."""
    return WRITERS["table"](table(answer), "")


def table(answer: Answer, digits: int = 4) -> Table:
    """The rows as text, with numbers aligned to the right."""
    import pyarrow as pa

    kinds = [field.type for field in answer.arrow.schema]
    number = [pa.types.is_integer(k) or pa.types.is_floating(k) or pa.types.is_decimal(k) for k in kinds]
    rows = [[_cell(value, digits) for value in row] for row in answer.rows]
    left = frozenset(n for n, is_number in enumerate(number) if not is_number)
    return Table(answer.columns, rows, left=left, name="Rows of the query")


def plot(answer: Answer, title: str = "") -> Plot:
    """A plot of the second column against the first: bars for names, a line for numbers."""
    if len(answer.columns) != 2:
        raise UsageError(f"a plot needs two columns, but the query returns {len(answer.columns)}")
    x, y = ([row[n] for row in answer.rows] for n in (0, 1))
    if not y or not all(isinstance(value, (int, float)) for value in y):
        raise UsageError("a plot needs rows, and numbers in the second column")
    if all(isinstance(value, (int, float)) for value in x):
        return Plot("line", title, answer.columns[0], answer.columns[1], [Series(answer.columns[1], x, y)])
    names = [_cell(value) or "none" for value in x]
    return Plot("bar", title, answer.columns[1], "", [Series(answer.columns[1], [0.0] * len(y), y, labels=names)])


def _cell(value: Any, digits: int = 4) -> str:
    if value is None:
        return ""
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def recipe_table(some: Iterable[Recipe]) -> Table:
    """Recipes as a table: name, what it answers, parameters."""
    rows = [[r.name, r.title, " ".join(f"${p}" for p in r.parameters)] for r in some]
    return Table(["recipe", "question", "parameters"], rows, left=frozenset({0, 1, 2}))
