"""Is a database consistent? Checks keys between tables, spans within documents, and layers that must agree.

`keys` comes from the schema: each column that refers to another is looked up there. The other checks are queries. Each
returns its findings: the place in the source file, and a short message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..database.connection import info, reading
from ..database.marks import differences, unmarked
from ..database.schema import TABLES, Column, Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SHOWN = 1000  # how many findings of one check are listed


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding: the check, a message and a place. It is an error, or a warning if real corpora contain such cases."""

    check: str
    message: str
    place: str
    severity: str = "error"

    def __str__(self) -> str:
        return f"{self.place}: {self.message} [{self.check}]" if self.place else f"{self.message} [{self.check}]"

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return asdict(self)


_AT = "d.file || CASE WHEN {line} > 0 THEN ':' || {line} ELSE '' END"
_TOKEN_AT = _AT.format(line="coalesce(t.line, d.line, 0)")
_MENTION_AT = _AT.format(line="coalesce(m.line, d.line, 0)")
_DOCUMENT_AT = _AT.format(line="coalesce(d.line, 0)")
_MENTION = "'mention ' || coalesce(m.mention, '(' || m.start || ', ' || m.\"end\" || ')') || ' '"
_LENGTH = "(SELECT document, max(token) AS last FROM token GROUP BY document) l ON l.document = d.id"

# Name → severity, and a query that returns place and message.
CHECKS: dict[str, tuple[str, str]] = {
    "mention-range": (
        "error",
        f"SELECT {_MENTION_AT}, {_MENTION} || 'is outside its document' FROM mention m"
        f" JOIN document d ON d.id = m.document LEFT JOIN {_LENGTH}"
        ' WHERE m.start < 0 OR m."end" < m.start OR (d.text IS NULL AND m."end" > coalesce(l.last, d.tokens - 1))'
        ' OR (d.text IS NOT NULL AND m."end" >= length(d.text))',
    ),
    "head-outside": (
        "error",
        f"SELECT {_MENTION_AT}, {_MENTION} || 'has its head outside its span, token ' || m.head FROM mention m"
        ' JOIN document d ON d.id = m.document WHERE m.head < m.start OR m.head > m."end"',
    ),
    "empty-chain": (
        "error",
        f"SELECT {_DOCUMENT_AT}, 'entity ' || e.entity || ' has no mention' FROM entity e"
        " JOIN document d ON d.id = e.document WHERE e.mentions = 0",
    ),
    "chain-size": (
        "error",
        f"SELECT {_DOCUMENT_AT}, 'entity ' || e.entity || ' has ' || count(m.row) || ' mentions, but says '"
        " || e.mentions FROM entity e JOIN document d ON d.id = e.document"
        " LEFT JOIN mention m ON m.document = e.document AND m.entity = e.entity"
        " GROUP BY d.id, d.file, d.line, e.entity, e.mentions HAVING count(m.row) <> e.mentions",
    ),
    "name-constituent": (
        "warning",
        f"SELECT {_TOKEN_AT}, 'the name (' || n.start || ', ' || n.\"end\" || ') ' || n.type || ' is not a constituent'"
        " FROM name n JOIN document d ON d.id = n.document"
        " JOIN token t ON t.document = n.document AND t.token = n.start"
        ' WHERE n.node IS NULL AND n.start < n."end" AND n.document IN (SELECT document FROM node)',
    ),
    "argument-constituent": (
        "warning",
        f"SELECT {_TOKEN_AT}, 'the argument (' || a.start || ', ' || a.\"end\" || ') ' || a.label || ' is not a'"
        " || ' constituent' FROM argument a JOIN document d ON d.id = a.document"
        " JOIN token t ON t.document = a.document AND t.token = a.start"
        ' WHERE a.node IS NULL AND a.start < a."end" AND a.document IN (SELECT document FROM node)',
    ),
    "tree-tokens": (
        "error",
        f"SELECT {_TOKEN_AT}, 'the word ' || t.form || ' is in no tree' FROM token t"
        " JOIN document d ON d.id = t.document WHERE t.document IN (SELECT document FROM node) AND NOT EXISTS ("
        "SELECT 1 FROM node n WHERE n.document = t.document AND n.sentence = t.sentence AND n.start <= t.token"
        ' AND n."end" >= t.token)',
    ),
    "tree-sentence": (
        "error",
        f"SELECT {_TOKEN_AT}, 'the constituent ' || n.label || ' crosses the end of its sentence' FROM node n"
        " JOIN document d ON d.id = n.document JOIN token t ON t.document = n.document AND t.token = n.start"
        " JOIN sentence s ON s.document = n.document AND s.sentence = n.sentence"
        ' WHERE n.start < s.start OR n."end" > s."end"',
    ),
    "tree-brackets": (
        "error",
        f"SELECT {_TOKEN_AT}, 'brackets that open here: ' || b.opened || '; nodes that begin here: '"
        " || coalesce(c.nodes, 0) FROM"
        " (SELECT document, token, length(parse) - length(replace(parse, '(', '')) AS opened FROM token"
        " WHERE parse LIKE '%(%') b LEFT JOIN (SELECT document, start, count(*) AS nodes FROM node GROUP BY ALL) c"
        " ON c.document = b.document AND c.start = b.token JOIN document d ON d.id = b.document"
        " JOIN token t ON t.document = b.document AND t.token = b.token"
        " WHERE b.opened <> coalesce(c.nodes, 0) AND b.document IN (SELECT document FROM node)",
    ),
    "sentence-tokens": (
        "error",
        f"SELECT {_TOKEN_AT}, 'the word ' || t.form || ' is outside its sentence' FROM token t"
        " JOIN document d ON d.id = t.document"
        " JOIN sentence s ON s.document = t.document AND s.sentence = t.sentence"
        ' WHERE t.token < s.start OR t.token > s."end"',
    ),
    "document-length": (
        "error",
        f"SELECT {_DOCUMENT_AT}, 'document ' || d.label || ' has ' || (l.last + 1) || ' tokens, but says ' || d.tokens"
        f" FROM document d JOIN {_LENGTH} WHERE d.tokens IS NOT NULL AND l.last + 1 <> d.tokens",
    ),
    "document-twice": (
        "error",
        "SELECT min(file), 'side ' || side || ' has document ' || label || ' ' || count(*) || ' times'"
        " FROM document GROUP BY side, label HAVING count(*) > 1",
    ),
    "unscored": (
        "error",
        "SELECT '', 'the response ' || name || ' has no scores; db replace or db add computes them' FROM side"
        " WHERE role = 'response' AND signature IS NULL",
    ),
    "unread": (
        "error",
        "SELECT file, 'this file was not read to its end' FROM source WHERE state = 'reading'",
    ),
    "trees-left-out": (
        "warning",
        f"SELECT {_DOCUMENT_AT}, 'the trees of document ' || d.label || ' are invalid and left out' FROM document d"
        " WHERE d.id IN (SELECT document FROM token WHERE parse LIKE '%(%')"
        " AND d.id NOT IN (SELECT document FROM node)",
    ),
}


def check(path: str) -> list[Finding]:
    """All findings about a database. It is not changed."""
    with reading(path, unfinished=True) as connection:
        return list(_findings(connection))


def _findings(connection: DuckDBPyConnection) -> Iterator[Finding]:
    have = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if missing := [name for name in TABLES if name not in have]:
        for name in missing:
            yield Finding("table", f"there is no table {name}", "")
        return
    if info(connection).get("state") != "complete":
        yield Finding("state", "the database was never finished; db build continues it", "")
    for side in unmarked(connection):
        yield Finding("incomplete", f"side '{side}' was never loaded to the end; db remove takes it away", "")
    for _, message in differences(connection):
        yield Finding("changed", message, "")
    for table in TABLES.values():
        yield from _repeated(connection, table)
        for column in table.columns:
            if column.key:
                yield from _lost(connection, table, column)
    for name, (severity, sql) in CHECKS.items():
        for place, message in connection.execute(f"{sql} LIMIT {_SHOWN}").fetchall():
            yield Finding(name, message, place or "", severity)


def _repeated(connection: DuckDBPyConnection, table: Table) -> Iterator[Finding]:
    """Rows that occur twice."""
    columns = ", ".join(f'"{c}"' for c in table.unique)
    sql = f'SELECT {columns}, count(*) FROM "{table.name}" GROUP BY {columns} HAVING count(*) > 1 LIMIT {_SHOWN}'
    for *values, count in connection.execute(sql).fetchall():
        which = ", ".join(f"{c} {v}" for c, v in zip(table.unique, values, strict=True))
        yield Finding("unique", f"{table.name}: {count} rows of {which}", "")


def _lost(connection: DuckDBPyConnection, table: Table, column: Column) -> Iterator[Finding]:
    """Values that refer to a missing row of another table."""
    there, _, name = column.key.partition(".")
    same = f'o."{name}" = h."{column.name}"'
    if any(c.name == "document" for c in TABLES[there].columns) and there != "document":
        same += " AND o.document = h.document"
    known = " AND h.document IN (SELECT document FROM token)" if there == "token" else ""  # some sources have no words
    sql = (
        f'SELECT h."{column.name}", count(*) FROM "{table.name}" h WHERE h."{column.name}" IS NOT NULL'
        f' AND NOT EXISTS (SELECT 1 FROM "{there}" o WHERE {same}){known} GROUP BY ALL LIMIT {_SHOWN}'
    )
    for value, count in connection.execute(sql).fetchall():
        what = f"{table.name}.{column.name} refers to {value} {count} times, and {column.key} does not have it"
        yield Finding("key", what, "")
