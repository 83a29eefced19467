"""The rows of a table for an engine: parts whose files are read in the same way, put together in one query."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from ..errors import InputError, UsageError
from ..formats.reading import left_out
from ..matching.filters import NONREFERRING
from .relational import TableSide
from .sources import TableSource, found_columns

Kind: TypeAlias = Literal["integer", "text", "boolean", "other", "none"]
"""How the values of a column are compared. `other`: as text that is made from them; `none`: not at all."""


FAILED = "engine"  # the code of an error in which the engine says that it can't go on


@contextmanager
def reading_as_memory(table: TableSource) -> Iterator[None]:
    """Refuse what an engine can't read, although the reader in memory may: this is not an InputError.

    These are text files, and several files whose columns have different types.
    """
    try:
        yield
    except InputError as error:
        if error.code != FAILED or not (table.kind in ("csv", "json") or len(table.files) > 1):
            raise
        raise UsageError(
            f"{table.source}: {error.message}; --engine memory reads it, or says what is wrong with it"
        ) from None


class SqlColumn(NamedTuple):
    """A column of a table in SQL, the engine's name of its type, and how its values are compared."""

    sql: str
    type: str
    kind: Kind

    def compared(self, as_text: bool) -> str:
        """The column in a type that can be compared."""
        if self.kind == "boolean":
            return f"CASE WHEN {self.sql} THEN 'True' WHEN NOT {self.sql} THEN 'False' END"
        return self.sql if self.kind == "text" or (self.kind == "integer" and not as_text) else self.as_text

    @property
    def as_text(self) -> str:
        return f"CAST({self.sql} AS STRING)"


@dataclass(frozen=True)
class Part:
    """Rows of a table that are read in the same way.

    rows        for FROM
    columns     by the name in the table
    place       what orders the rows; empty if nothing does
    places      the numbers of its files in the table
    file        the number of the file of a row, or another expression that is different for each file
    stem        the name of the file of a row, without directory and suffix
    """

    rows: str
    columns: Mapping[str, SqlColumn]
    place: str = ""
    places: Sequence[int] = ()
    file: str = "0"
    stem: str = "''"

    @property
    def marks(self) -> str:
        """Which rows are marked as referring to nothing; empty if the table has no such column."""
        marked = [
            f"COALESCE({column.as_text} = '{NONREFERRING[name.strip()]}', FALSE)"
            for name, column in self.columns.items()
            if name.strip() in NONREFERRING
        ]
        return " OR ".join(marked)


@dataclass(frozen=True)
class Rows:
    """The parts of a table as one view with the columns doc, mention, entity, stem, file, marked and place.

    Some of them may be missing: `side` says which are there. `file` is there if `count_files` is set.
    """

    table: TableSource
    parts: Sequence[Part]
    given: Mapping[str, str]
    count_files: bool = False

    @cached_property
    def meanings(self) -> list[dict[str, str]]:
        """The columns doc, mention, entity and order of each part."""
        return [found_columns(list(part.columns), self.given, self.table) for part in self.parts]

    @cached_property
    def kinds(self) -> dict[str, str]:
        """How the columns are compared: as whole numbers if they are that in all parts, otherwise as text."""
        kinds: dict[str, str] = {}
        for part, meaning in zip(self.parts, self.meanings, strict=True):
            for role, name in meaning.items():
                if role == "order":
                    continue
                kind = _compared(part.columns[name], role, self.table)
                kinds[role] = kind if kinds.get(role, kind) == kind else "text"
        if "doc" in kinds and not all("doc" in meaning for meaning in self.meanings):
            kinds["doc"] = "text"
        return kinds

    @property
    def spellings(self) -> dict[str, frozenset[str]]:
        """The types of the columns whose values are compared as text that the engine makes from them."""
        return {
            what: frozenset(
                part.columns[meaning[what]].type
                for part, meaning in zip(self.parts, self.meanings, strict=True)
                if what in meaning and part.columns[meaning[what]].kind == "other"
            )
            for what in self.kinds
        }

    @property
    def by_file(self) -> bool:
        """Whether a row without a document has the name of its file."""
        return self.table.several and self.given.get("doc") != ""

    @property
    def marked(self) -> bool:
        return any(part.marks for part in self.parts)

    @property
    def ordered(self) -> bool:
        return bool(self.given.get("order")) or all(part.place for part in self.parts)

    @property
    def query(self) -> str:
        """The rows of all parts."""
        return " UNION ALL ".join(
            self._query(part, meaning) for part, meaning in zip(self.parts, self.meanings, strict=True)
        )

    def _query(self, part: Part, meaning: Mapping[str, str]) -> str:
        selected: dict[str, str] = {}
        for role, kind in self.kinds.items():
            column = part.columns[meaning[role]] if role in meaning else None
            selected[role] = "CAST(NULL AS STRING)" if column is None else column.compared(kind == "text")
        if self.by_file:
            selected["stem"] = part.stem
        if self.count_files:
            selected["file"] = part.file
        if self.marked:
            selected["marked"] = part.marks or "FALSE"
        if self.ordered:
            selected["place"] = part.columns[meaning["order"]].sql if "order" in meaning else part.place
        return f"SELECT {', '.join(f'{sql} AS {name}' for name, sql in selected.items())} FROM {part.rows}"

    def side(self, role: str, empty: Collection[str]) -> TableSide:
        """The side that these rows are, apart from files without rows."""
        table = self.table
        nameless = [
            table.files[place]
            for part, meaning in zip(self.parts, self.meanings, strict=True)
            for place in part.places
            if "doc" not in meaning and table.files[place] not in empty
        ]
        files = tuple(file for file in table.files if file not in empty)
        filled = [
            meaning
            for part, meaning in zip(self.parts, self.meanings, strict=True)
            if not part.places or any(table.files[place] not in empty for place in part.places)
        ]
        return TableSide(
            role,
            table.source,
            self.kinds,
            self.ordered,
            files=files if self.by_file else None,
            by_file=all("doc" not in meaning for meaning in filled),
            nameless=tuple(sorted(nameless)) if self.by_file else (),
            marked=self.marked,
            spellings=self.spellings,
            issues=left_out(sorted([*table.skipped, *empty]), table.source) + table.issues,
        )


def _compared(column: SqlColumn, what: str, table: TableSource) -> str:
    """How a column that identifies something is compared: as `integer` or as `text`."""
    if column.kind == "none" and table.kind == "json":
        raise UsageError(f"{table.source}: {what}s that are {column.type[:60]} need --engine memory")
    if column.kind == "none":
        raise InputError(
            f"the column of {what} has the type {column.type[:60]}, which can't identify anything",
            file=table.source,
            hint="use whole numbers or text",
        )
    return "integer" if column.kind == "integer" else "text"
