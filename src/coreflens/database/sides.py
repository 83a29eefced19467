"""Reads a side of the database as a corpus again: exactly what was read from the files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..corpus.model import Corpus, Document, IntArray, Relation, Span, Text
from ..errors import InputError, Issue, choose
from ..files.opening import open_file
from .connection import info, reading
from .marks import differences
from .refusals import damaged, failures
from .schema import COLUMNS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Again: TypeAlias = "Callable[[], AbstractContextManager[DuckDBPyConnection]]"

_IN_ORDER = "FROM document d JOIN source s ON s.id = d.source WHERE d.side = ? ORDER BY s.number, s.id, d.number"
_ENTITIES = "(SELECT DISTINCT d.source, e.entity, e.number FROM entity e JOIN document d ON d.id = e.document)"
_TOKEN = ("t.form", "CAST(t.empty AS INTEGER)", "t.line", "t.number")
_OF = "document IN (SELECT id FROM document WHERE side = ?)"


def read_side(path: str, side: str) -> Corpus:
    """The side of a database. Words and layers are fetched when they are needed."""
    with open_file(path), reading(path) as connection:
        choose(side, sides(connection), "side")
        return _rebuilt(connection, path, side, partial(reading, path))


def sides(connection: DuckDBPyConnection) -> list[str]:
    """The names of the sides, in the order in which they were given."""
    return [name for (name,) in connection.execute("SELECT name FROM side ORDER BY number").fetchall()]


def side_corpus(connection: DuckDBPyConnection, path: str, side: str) -> Corpus:
    """The same through an open connection."""
    choose(side, sides(connection), "side")
    return _rebuilt(connection, path, side, partial(nullcontext, connection))


def _rebuilt(connection: DuckDBPyConnection, path: str, side: str, again: Again) -> Corpus:
    """The corpus of a side. Rows that do not fit together are damage if they are not those that were written."""
    try:
        return _Side(connection, path, side, again).corpus()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, InputError) or side not in {changed for changed, _ in differences(connection)}:
            raise
        raise damaged(f"the rows of '{side}' are not those that were written", path) from None


def document_ids(connection: DuckDBPyConnection, side: str) -> IntArray:
    """The numbers in the database of the documents of a side, in its order."""
    rows = connection.execute(f"SELECT d.id {_IN_ORDER}", [side]).fetchall()
    return np.array([row[0] for row in rows], dtype=np.int64)


class _Side:
    """A side that is being read; `again` opens a connection for later reads."""

    def __init__(self, connection: DuckDBPyConnection, path: str, side: str, again: Again) -> None:
        self.connection, self.path, self.side, self.again = connection, path, side, again
        self.changes = info(connection).get("changes", "0")
        found = self.fetch("SELECT id, traits FROM source WHERE side = ? AND state = 'read' ORDER BY number, id")
        used = set(self.column("SELECT DISTINCT source FROM document WHERE side = ?"))
        kept = [(source, json.loads(traits)) for source, traits in found if source in used]
        self.sources = [source for source, _ in kept]
        self.traits: list[dict[str, Any]] = [traits for _, traits in kept]
        self.documents = self.fetch(f"SELECT d.id, d.name, d.part, d.tokens, d.file, d.line, d.source {_IN_ORDER}")
        ids = np.array([row[0] for row in self.documents], dtype=np.int64)
        self.place = np.full(int(ids.max(initial=-1)) + 2, -1, dtype=np.int64)
        self.place[ids] = np.arange(len(ids))

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self.connection.execute(sql, [self.side]).fetchall()
        return rows

    def column(self, sql: str) -> list[Any]:
        return [row[0] for row in self.fetch(sql)]

    def arrays(self, sql: str) -> dict[str, Any]:
        """Columns of numbers, −1 for NULL."""
        found = self.connection.execute(sql, [self.side]).fetchnumpy()
        return {
            name: values.filled(-1) if isinstance(values, np.ma.MaskedArray) else values
            for name, values in found.items()
        }

    def any(self, trait: str) -> bool:
        return any(traits[trait] for traits in self.traits)

    def corpus(self) -> Corpus:
        rows = self.arrays(
            "SELECT m.document, m.row, m.start, m.\"end\", m.head, m.line, m.head_from = 'head column' AS given,"
            " e.number AS entity, d.source FROM mention m JOIN document d ON d.id = m.document"
            " JOIN entity e ON e.document = m.document AND e.entity = m.entity WHERE d.side = ?"
        )
        doc = self.place[rows["document"].astype(np.int64)]
        order = np.lexsort((rows["row"], doc))
        doc = doc[order]
        columns = {name: values[order].astype(np.int64) for name, values in rows.items()}
        numbers, labels = self.labels()
        entity = self.numbered(columns["source"], columns["entity"], numbers)
        bounds = np.searchsorted(doc, np.arange(len(self.documents) + 1))
        issues = json.loads(self.column("SELECT issues FROM side WHERE name = ?")[0] or "[]")
        return Corpus(
            documents=self.model_documents(),
            doc=doc,
            start=columns["start"],
            end=columns["end"],
            entity=entity,
            labels=labels,
            names=self.names(),
            line=np.maximum(columns["line"], 0) if self.any("line") or len(self.sources) > 1 else None,
            source=f"{self.path}:{self.side}",
            format=self.traits[0]["format"] if self.traits else "",
            issues=tuple(Issue(**(issue | {"places": tuple(issue["places"])})) for issue in issues),
            unit=next((traits["unit"] for traits in self.traits), "token"),
            parts=self.parts(bounds),
            head=np.where(columns["given"] > 0, columns["head"], -1) if self.any("head") else None,
            attributes=self.attributes(),
            relations=self.relations(bounds, numbers),
            texts=self.text() if self.traits and all(traits["text"] for traits in self.traits) else None,
        )

    def model_documents(self) -> list[Document]:
        meta: dict[int, list[tuple[str, str]]] = {}
        for document, name, value in self.fetch(f"SELECT document, name, value FROM label WHERE {_OF} ORDER BY rowid"):
            meta.setdefault(document, []).append((name, value))
        return [
            Document(name, part, tokens, file, line, tuple(meta.get(id_, ())))
            for id_, name, part, tokens, file, line, _ in self.documents
        ]

    # Entities are numbered as in `concatenate`: by the first appearance of their labels in the files.

    def labels(self) -> tuple[dict[tuple[int, int], int], Sequence[Any]]:
        """(file, number in it) → number, and the labels."""
        if len(self.sources) == 1 and self.traits[0]["range"] is not None:
            size = self.traits[0]["range"]
            return {(self.sources[0], n): n for n in range(size)}, range(size)
        found = self.fetch(
            "SELECT DISTINCT d.source, e.number, e.entity, e.kind FROM entity e"
            " JOIN document d ON d.id = e.document WHERE d.side = ?"
        )
        turn = {source: place for place, source in enumerate(self.sources)}
        known: dict[Any, int] = {}
        numbers: dict[tuple[int, int], int] = {}
        for source, number, label, kind in sorted(found, key=lambda row: (turn[row[0]], row[1])):
            plain = int(label) if kind == "number" else label
            whole = self.traits[turn[source]]["range"] is not None
            numbers[source, number] = known.setdefault((turn[source], plain) if whole else plain, len(known))
        return numbers, list(known)

    def numbered(self, source: IntArray, number: IntArray, numbers: Mapping[tuple[int, int], int]) -> IntArray:
        width = int(number.max(initial=0)) + 1
        codes, inverse = np.unique(source * width + number, return_inverse=True)
        known = np.array([numbers[int(c) // width, int(c) % width] for c in codes], dtype=np.int64)
        return known[inverse] if len(known) else np.zeros(0, np.int64)

    # Data that few corpora have.

    def mentions(self, column: str) -> list[Any]:
        """A column of the mentions, in their order."""
        found = self.fetch(f"SELECT document, row, {column} FROM mention WHERE {_OF}")
        return [value for _, _, value in sorted(found, key=lambda row: (self.place[row[0]], row[1]))]

    def names(self) -> Sequence[Any] | None:
        kinds = {traits["names"] for traits in self.traits} - {None}
        if not kinds:
            return None
        found = self.mentions("mention")
        return [_frozen(json.loads(name)) for name in found] if kinds == {"json"} else found

    def attributes(self) -> dict[str, Sequence[str]]:
        titles = list(dict.fromkeys(title for traits in self.traits for title in traits["attributes"]))
        if not titles:
            return {}
        found: list[dict[str, str]] = [dict(value or {}) for value in self.mentions("attributes")]
        return {title: [values.get(title, "") for values in found] for title in titles}

    def parts(self, bounds: IntArray) -> dict[int, tuple[Span, ...]]:
        found = self.fetch(f"SELECT document, row, pieces FROM mention WHERE pieces IS NOT NULL AND {_OF}")
        rows = sorted((int(bounds[self.place[document]]) + row, pieces) for document, row, pieces in found)
        return {row: tuple((piece["start"], piece["end"]) for piece in pieces) for row, pieces in rows}

    def relations(self, bounds: IntArray, numbers: Mapping[tuple[int, int], int]) -> list[Relation]:
        found = self.fetch(
            "SELECT d.source, l.number, l.kind, l.label, a.number, b.number, l.document, l.mention, l.anchor_document,"
            " l.anchor FROM link l JOIN document d ON d.id = l.document"
            f" LEFT JOIN {_ENTITIES} a ON a.source = d.source AND a.entity = l.source"
            f" LEFT JOIN {_ENTITIES} b ON b.source = d.source AND b.entity = l.target WHERE d.side = ?"
        )
        turn = {source: place for place, source in enumerate(self.sources)}

        def row(document: int | None, mention: int | None) -> int:
            return -1 if document is None or mention is None else int(bounds[self.place[document]]) + mention

        return [
            Relation(
                kind,
                -1 if a is None else numbers[source, a],
                -1 if b is None else numbers[source, b],
                row(document, mention),
                row(anchor_document, anchor),
                label or "",
            )
            for source, _, kind, label, a, b, document, mention, anchor_document, anchor in sorted(
                found, key=lambda link: (turn[link[0]], link[1])
            )
        ]

    # The text, fetched when it is needed.

    def text(self) -> Callable[[], Text]:
        sizes = self.connection.execute(
            f"SELECT document, count(*) FROM token WHERE {_OF} GROUP BY document", [self.side]
        ).fetchall()
        tokens = np.zeros(len(self.documents), dtype=np.int64)
        for document, size in sizes:
            tokens[self.place[document]] = size
        first = np.concatenate(([0], np.cumsum(tokens)))
        layers = list(dict.fromkeys(layer for traits in self.traits for layer in traits["layers"]))
        flags = {name: self.any(name) for name in ("empty", "token line", "raw", "number")}
        flags["token line"] |= len(self.sources) > 1
        flags["number"] = flags["empty"] and all(t["number"] for t in self.traits if t["empty"])
        return _Later(self, first, layers, flags)


class _Later:
    """The parts of a side that are read when they are needed."""

    def __init__(self, side: _Side, first: IntArray, layers: Sequence[str], flags: Mapping[str, bool]) -> None:
        self.again, self.path, self.side, self.changes = side.again, side.path, side.side, side.changes
        self.first, self.layers, self.flags = first, layers, flags

    def __call__(self) -> Text:
        """The text; its layers are fetched one by one."""
        with self.opened() as connection:
            words, empty, line, number = self.fetch(connection, "token", _TOKEN)
            documents, starts = self.fetch(connection, "sentence", ["d.id", "t.start"])
            ids, raw = self.fetch(connection, "document", ["d.id", "d.text"])
        place = np.full(int(ids.max(initial=-1)) + 1, -1, dtype=np.int64)
        place[ids] = np.arange(len(ids))
        return Text(
            _strings(words),
            self.first,
            _numbers(starts) + self.first[place[_numbers(documents)]] if len(starts) else np.zeros(0, np.int64),
            _Layers(self.layers, self.layer),
            _numbers(empty).astype(bool) if self.flags["empty"] else None,
            _numbers(line) if self.flags["token line"] else None,
            _strings(raw) if self.flags["raw"] else None,
            _numbers(number) if self.flags["number"] else None,
        )

    def layer(self, name: str) -> list[str]:
        """A layer of all tokens."""
        column = next((column for column, layer in COLUMNS.items() if layer == name), None)
        quoted = name.replace("'", "''")
        with self.opened() as connection:
            expression = f't."{column}"' if column else f"map_extract(t.layers, '{quoted}')[1]"
            return _strings(self.fetch(connection, "token", [expression])[0])

    @contextmanager
    def opened(self) -> Iterator[DuckDBPyConnection]:
        with failures(self.path), self.again() as connection:
            if info(connection).get("changes", "0") != self.changes:
                raise InputError("the database was changed while it was read", file=self.path, hint="start again")
            yield connection

    def fetch(self, connection: DuckDBPyConnection, table: str, expressions: Sequence[str]) -> list[Any]:
        """Columns of the tokens, sentences or documents of a side, in order."""
        order = "" if table == "document" else f", t.{table}"
        joined = "" if table == "document" else f'JOIN "{table}" t ON t.document = d.id'
        columns = ", ".join(f"{expression} AS c{n}" for n, expression in enumerate(expressions))
        found = connection.execute(
            f"SELECT {columns} FROM document d JOIN source s ON s.id = d.source {joined}"
            f" WHERE d.side = ? ORDER BY s.number, s.id, d.number{order}",
            [self.side],
        ).fetchnumpy()
        return [found[f"c{n}"] for n in range(len(expressions))]


def _frozen(name: Any) -> Any:
    """A name as it was before JSON turned its tuples into lists."""
    return tuple(map(_frozen, name)) if isinstance(name, list) else name


def _strings(found: Any) -> list[str]:
    values = found.filled("") if isinstance(found, np.ma.MaskedArray) else found
    return ["" if value is None else value for value in values.tolist()]


def _numbers(found: Any) -> IntArray:
    values = found.filled(0) if isinstance(found, np.ma.MaskedArray) else found
    return np.asarray(values, dtype=np.int64)


class _Layers(Mapping[str, Sequence[str]]):
    """The layers of a side, each fetched when it is needed."""

    def __init__(self, names: Sequence[str], fetch: Callable[[str], list[str]]) -> None:
        self._names, self._fetch = names, fetch
        self._known: dict[str, list[str]] = {}

    def __getitem__(self, name: str) -> Sequence[str]:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._known:
            self._known[name] = self._fetch(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def side_names(path: str) -> list[str]:
    """The sides of a database."""
    with reading(path) as connection:
        return sides(connection)
