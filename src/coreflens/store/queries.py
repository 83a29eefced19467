"""Questions to a database: SQL, a file of SQL, or a recipe. The answer is a table in many formats."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from ..database.connection import reading
from ..database.refusals import duckdb
from ..database.sides import sides
from ..errors import InputError, UsageError, choose, did_you_mean
from ..files.encoding import content
from ..presentation import Presented, writer_of

if TYPE_CHECKING:
    import pyarrow
    from duckdb import DuckDBPyConnection

    from ..paper.plot import Plot
    from ..paper.table import Table

_PARAMETER = re.compile(r"\$(\w+)")
_LITERALS = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*")


class Recipe(NamedTuple):
    """A question with a name. `defaults` has its parameters. A side that is not given is the first key or response."""

    name: str
    title: str
    about: str
    sql: str
    defaults: Mapping[str, str]

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters."""
        return parameters_of(self.sql)


def parameters_of(sql: str) -> list[str]:
    """The parameters of a statement, such as `$side`, outside comments and quoted text."""
    return list(dict.fromkeys(_PARAMETER.findall(_LITERALS.sub("", sql))))


@cache
def recipes() -> dict[str, Recipe]:
    """The recipes by name, in order: one .sql file each, whose first line is its title."""
    found = {}
    for file in sorted(files(__package__).joinpath("recipes").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".sql"):
            recipe = _recipe(file.name.removesuffix(".sql"), file.read_text("utf-8"))
            found[recipe.name] = recipe
    return found


def _recipe(name: str, text: str) -> Recipe:
    """A title, lines about it and `name = value` lines of defaults, all in comments; then the statement."""
    comments, lines = [], text.splitlines()
    while lines and lines[0].startswith("--"):
        comments.append(lines.pop(0).removeprefix("--").strip())
    found = (line.removeprefix("$").partition(" = ") for line in comments if line.startswith("$"))
    defaults = {parameter: value for parameter, _, value in found}
    about = " ".join(line for line in comments[1:] if line and not line.startswith("$"))
    return Recipe(name, comments[0], about, "\n".join(lines).strip(), defaults)


@dataclass(frozen=True)
class Answer(Presented):
    """The rows that a query returned, as Arrow. `str()` is a table."""

    arrow: pyarrow.Table

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.arrow.column_names)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows as Python tuples."""
        return list(zip(*(column.to_pylist() for column in self.arrow.columns), strict=True))

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    def pandas(self) -> Any:
        """A DataFrame of pandas."""
        _need("pandas")
        return self.arrow.to_pandas()

    def polars(self) -> Any:
        """A DataFrame of polars."""
        return _need("polars").from_arrow(self.arrow)

    def table(self, digits: int = 4) -> Table:
        """The rows as text, with numbers aligned to the right."""
        found: Table = writer_of(self).table(self, digits)
        return found

    def json(self) -> str:
        """A list of objects, one per row."""
        titles = self.columns
        plain = [dict(zip(titles, row, strict=True)) for row in self.rows]
        return json.dumps(plain, ensure_ascii=False, indent=1, default=str)

    def parquet(self) -> bytes:
        """The bytes of a Parquet file."""
        from pyarrow import parquet

        sink = io.BytesIO()
        parquet.write_table(self.arrow, sink)
        return sink.getvalue()

    def plot(self, title: str = "") -> Plot:
        """A plot of the second column against the first: bars for names, a line for numbers."""
        drawn: Plot = writer_of(self).plot(self, title)
        return drawn


def _need(package: str) -> Any:
    from ..extras import extra

    return extra(package, f"the answer as {package}")


def ask(path: str, question: str, given: Mapping[str, str] | None = None) -> Answer:
    """The answer of a database to SQL, to a recipe, or to the SQL in a file. `given` has the values of its parameters.

    The file is opened read-only, and the query cannot read any other file.
    """
    with reading(path) as connection:
        return answer(connection, question, given or {})


def answer(connection: DuckDBPyConnection, question: str, given: Mapping[str, str]) -> Answer:
    """The same through an open connection."""
    sql, defaults = _statement(question)
    names = parameters_of(sql)
    for name in given:
        choose(name, names, "parameter")
    values = {name: given.get(name) or _default(connection, name, defaults) for name in names}
    module = duckdb()
    try:
        found = connection.sql(sql, params=values or None)
        if found is None:
            raise UsageError("the query returns no table")
        arrow = found.to_arrow_table()
    except (
        module.IOException,
        module.FatalException,
        module.InternalException,
        module.InterruptException,
        module.OutOfMemoryException,
        module.SerializationException,
    ):  # errors of the file and of the machine, not of the query
        raise
    except module.Error as error:
        raise UsageError(f"the query failed: {_short(error)}") from None
    return Answer(arrow)


def _short(error: Exception) -> str:
    """DuckDB's message about a query, without its drawing of the place."""
    lines = [line for line in str(error).strip().splitlines() if line.strip() and not set(line.strip()) <= {"^", "~"}]
    return "; ".join(lines)[:500]


def _statement(question: str) -> tuple[str, Mapping[str, str]]:
    if question in recipes():
        return recipes()[question].sql, recipes()[question].defaults
    if question.endswith(".sql") and "\n" not in question:
        return content(question), {}
    if not question.strip():
        raise UsageError("the query is empty; `coreflens db recipes` lists some queries")
    if not re.search(r"\s", question.strip()):
        known = did_you_mean(question, recipes())
        if not os.path.exists(question):
            raise UsageError(f"there is no recipe '{question}'{known} (`coreflens db recipes` lists them)")
        raise InputError("the name of a file with a query must end in .sql", file=question)
    return question, {}


def _default(connection: DuckDBPyConnection, name: str, defaults: Mapping[str, str]) -> str:
    """The value of a parameter that is not given: a recipe's own, or the first side of that role."""
    if name in defaults:
        return defaults[name]
    role = {"side": "key", "key": "key", "response": "response", "other": "response"}.get(name)
    if role is None:
        raise UsageError(f"the query needs a value for ${name}: --set {name}=VALUE")
    place = 1 if name == "other" else 0
    rows = connection.execute("SELECT name FROM side WHERE role = ? ORDER BY number", [role]).fetchall()
    if len(rows) <= place:
        have = ", ".join(sides(connection))
        lacks = "a second response" if place else f"a {role}"
        raise UsageError(f"the query needs {lacks}, but this database has none (it has {have})")
    return str(rows[place][0])
