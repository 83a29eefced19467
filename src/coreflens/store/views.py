"""The database in Python: documents, sentences, mentions and entities as views that fetch data on demand.

db = open_db("corpus.duckdb")
for document in db.documents():
    for entity in document.entities:
        print([mention.text for mention in entity.mentions])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..corpus.model import Corpus
from ..database.connection import reading
from ..database.refusals import failures
from ..database.sides import side_corpus, sides
from ..errors import UsageError, choose
from .queries import Answer, answer

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def open_db(path: str | Path) -> Database:
    """Open a database that `coreflens db build` made, to read.

    Close it with a `with` block or with `close`. If the database is changed meanwhile, this one stays as it was opened.

        with open_db("corpus.duckdb") as db:
            db.sides; db.documents(); db.sql("SELECT count(*) FROM mention").rows; db.corpus("key")
    """
    return Database(str(path))


class Database:
    """A database that is open to read.

    path    the file
    sides   the names of its sides: keys first, then responses
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._open = reading(path)
        self._connection: DuckDBPyConnection | None = self._open.__enter__()
        self.sides = sides(self._connection)

    def __repr__(self) -> str:
        return f"<Database {self.path}: {', '.join(self.sides)}>"

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Its views cannot fetch anything after that."""
        if self._connection is not None:
            self._connection = None
            self._open.__exit__(None, None, None)

    @property
    def connection(self) -> DuckDBPyConnection:
        """The connection itself, for everything that `sql` cannot do."""
        if self._connection is None:
            raise UsageError(f"{self.path} was closed")
        return self._connection

    def sql(self, question: str, **parameters: str) -> Answer:
        """The answer to SQL or to a recipe: `.arrow`, `.pandas()`, `.polars()`, `.rows`. Parameters are given by
        name."""
        with failures(self.path):
            return answer(self.connection, question, parameters)

    def corpus(self, side: str) -> Corpus:
        """A side as a corpus, the same as `read` returns for its files."""
        with failures(self.path):
            return side_corpus(self.connection, self.path, side)

    def documents(self, side: str | None = None, *, genre: str | None = None) -> list[DocumentView]:
        """The documents of a side (by default the first side): all of them, or those of a genre."""
        chosen = choose(side, self.sides, "side") if side is not None else next(iter(self.sides), "")
        found = self.fetch(
            "SELECT d.id, d.name, d.part, d.label, d.genre, d.tokens, d.file, d.line FROM document d"
            " JOIN source s ON s.id = d.source WHERE d.side = ? AND (? IS NULL OR d.genre = ?)"
            " ORDER BY s.number, s.id, d.number",
            chosen,
            genre,
            genre,
        )
        return [DocumentView(self, chosen, *row) for row in found]

    def document(self, label: str, side: str | None = None) -> DocumentView:
        """A document by its label, `name_part`, or its name."""
        known = self.documents(side)
        for document in known:
            if label in (document.label, document.name):
                return document
        choose(label, [document.label for document in known], "document")
        raise AssertionError

    def fetch(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of a query with `?` for values."""
        with failures(self.path):
            rows: list[tuple[Any, ...]] = self.connection.execute(sql, list(values)).fetchall()
            return rows


@dataclass(frozen=True)
class DocumentView:
    """A document of a side."""

    database: Database = field(repr=False)
    side: str
    id: int
    name: str
    part: int | None
    label: str
    genre: str | None
    length: int | None
    file: str
    line: int

    @cached_property
    def tokens(self) -> tuple[TokenView, ...]:
        """Its tokens."""
        rows = self._rows("token", "token, sentence, form, lemma, tag, upos, features, speaker, line")
        return tuple(TokenView(self, *row) for row in rows)

    @cached_property
    def sentences(self) -> tuple[SentenceView, ...]:
        """Its sentences."""
        return tuple(SentenceView(self, *row) for row in self._rows("sentence", 'sentence, start, "end"'))

    @cached_property
    def mentions(self) -> tuple[MentionView, ...]:
        """Its mentions, in order of opening."""
        columns = 'row, start, "end", entity, mention, text, type, sentence, head, node, coalesce(line, 0), attributes'
        rows = self.database.fetch(f"SELECT {columns} FROM mention WHERE document = ? ORDER BY row", self.id)
        return tuple(MentionView(self, *row) for row in rows)

    @cached_property
    def entities(self) -> tuple[EntityView, ...]:
        """Its entities, in the order of their labels in the file."""
        rows = self.database.fetch("SELECT entity FROM entity WHERE document = ? ORDER BY number", self.id)
        return tuple(EntityView(self, label) for (label,) in rows)

    @cached_property
    def nodes(self) -> tuple[NodeView, ...]:
        """The constituents of its trees, in order of opening; empty if it has no trees."""
        rows = self._rows("node", 'node, parent, label, function, start, "end", head')
        return tuple(NodeView(self, *row) for row in rows)

    @cached_property
    def names(self) -> tuple[NameView, ...]:
        """Its named entities."""
        return tuple(NameView(self, *row) for row in self._rows("name", 'name, type, start, "end"'))

    def entity(self, label: str) -> EntityView:
        """An entity by its label."""
        choose(label, [entity.label for entity in self.entities], "entity")
        return EntityView(self, label)

    def _rows(self, table: str, columns: str) -> list[tuple[Any, ...]]:
        return self.database.fetch(f'SELECT {columns} FROM "{table}" WHERE document = ? ORDER BY "{table}"', self.id)


@dataclass(frozen=True)
class TokenView:
    """A token; `number` counts within the document."""

    document: DocumentView = field(repr=False)
    number: int
    sentence: int
    form: str
    lemma: str | None
    tag: str | None
    upos: str | None
    features: str | None
    speaker: str | None
    line: int | None

    def __str__(self) -> str:
        return self.form


@dataclass(frozen=True)
class SentenceView:
    """A sentence, from its first token to its last."""

    document: DocumentView = field(repr=False)
    number: int
    start: int
    end: int

    @property
    def tokens(self) -> Sequence[TokenView]:
        """Its tokens."""
        return self.document.tokens[self.start : self.end + 1]

    def __iter__(self) -> Iterator[TokenView]:
        return iter(self.tokens)

    def __str__(self) -> str:
        return " ".join(token.form for token in self.tokens)

    @property
    def mentions(self) -> list[MentionView]:
        """The mentions that open in it."""
        return [mention for mention in self.document.mentions if mention.sentence_number == self.number]


@dataclass(frozen=True)
class MentionView:
    """A mention; `row` counts within the document."""

    document: DocumentView = field(repr=False)
    row: int
    start: int | None
    end: int | None
    label: str
    name: str | None
    text: str | None
    type: str | None
    sentence_number: int | None
    head_number: int | None
    node_number: int | None
    line: int
    said: dict[str, str] | None = field(repr=False, hash=False)

    @property
    def attributes(self) -> dict[str, str]:
        """All other attributes in the source."""
        return dict(self.said or {})

    @property
    def head(self) -> TokenView | None:
        """Its head word."""
        return None if self.head_number is None or not self.document.tokens else self.document.tokens[self.head_number]

    @property
    def tokens(self) -> Sequence[TokenView]:
        """Its tokens, from the first to the last."""
        return () if self.start is None or self.end is None else self.document.tokens[self.start : self.end + 1]

    @property
    def sentence(self) -> SentenceView | None:
        """The sentence in which it opens."""
        return None if self.sentence_number is None else self.document.sentences[self.sentence_number]

    @property
    def node(self) -> NodeView | None:
        """The constituent of exactly its tokens."""
        return None if self.node_number is None else self.document.nodes[self.node_number]

    @property
    def entity(self) -> EntityView:
        """Its entity."""
        return EntityView(self.document, self.label)

    @property
    def antecedent(self) -> MentionView | None:
        """The mention of its entity that opens before it."""
        before = [mention for mention in self.entity.mentions if mention.row < self.row]
        return before[-1] if before else None

    @property
    def place(self) -> str:
        """`file:line` where it opens."""
        return f"{self.document.file}:{self.line}" if self.line else self.document.file


@dataclass(frozen=True)
class EntityView:
    """An entity of a document."""

    document: DocumentView = field(repr=False)
    label: str

    @property
    def mentions(self) -> tuple[MentionView, ...]:
        """Its mentions, in order of opening."""
        return tuple(mention for mention in self.document.mentions if mention.label == self.label)

    def __len__(self) -> int:
        return len(self.mentions)


@dataclass(frozen=True)
class NodeView:
    """A constituent."""

    document: DocumentView = field(repr=False)
    number: int
    parent_number: int | None
    label: str
    function: str | None
    start: int
    end: int
    head_number: int | None

    @property
    def parent(self) -> NodeView | None:
        """The constituent around it."""
        return None if self.parent_number is None else self.document.nodes[self.parent_number]

    @property
    def children(self) -> list[NodeView]:
        """The constituents directly inside it."""
        return [node for node in self.document.nodes if node.parent_number == self.number]

    @property
    def head(self) -> TokenView | None:
        """Its head word."""
        return None if self.head_number is None else self.document.tokens[self.head_number]

    @property
    def tokens(self) -> Sequence[TokenView]:
        """Its tokens."""
        return self.document.tokens[self.start : self.end + 1]


@dataclass(frozen=True)
class NameView:
    """A named entity."""

    document: DocumentView = field(repr=False)
    number: int
    type: str
    start: int
    end: int

    @property
    def tokens(self) -> Sequence[TokenView]:
        """Its tokens."""
        return self.document.tokens[self.start : self.end + 1]
