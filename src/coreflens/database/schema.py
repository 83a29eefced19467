"""The tables of the database, as data. They are created, documented, drawn and checked from here.

A document of a side has a number, `document.id`. All its rows have this number in the column `document`. Within a
document, sentences, tokens, nodes, names, propositions and mentions are counted from 0. `start` and `end` are tokens
(or characters, in sides that count characters), both included. `end` is a word of SQL, so queries write it in
quotation marks: `"end"`.

Keys between tables are described here and not declared in DuckDB. DuckDB would check them row by row on every
insertion and would refuse to replace a document within a transaction. `coreflens db check` checks whether they hold.
"""

from __future__ import annotations

from typing import NamedTuple

VERSION = 2
"""Increased by one whenever a table changes. `MIGRATIONS` then says how to update older files."""


class Column(NamedTuple):
    """A column. `key` is the `table.column` that its values refer to."""

    name: str
    type: str
    about: str
    key: str = ""


class Table(NamedTuple):
    """A table. No two rows have the same values in all columns of `unique`."""

    name: str
    about: str
    columns: tuple[Column, ...]
    unique: tuple[str, ...]

    @property
    def ddl(self) -> str:
        """The statement that creates it."""
        columns = ", ".join(f'"{c.name}" {c.type}' for c in self.columns)
        return f'CREATE TABLE "{self.name}" ({columns})'


def _document(about: str = "the document") -> Column:
    return Column("document", "INTEGER", about, "document.id")


def _span(of: str) -> tuple[Column, Column]:
    return Column("start", "INTEGER", f"first token of {of}"), Column("end", "INTEGER", f"last token of {of}, included")


_NODE = Column("node", "INTEGER", "the outermost constituent of exactly these tokens, or NULL", "node.node")

_LIST = (
    Table(
        "side",
        "One annotation of a corpus: a key, or the response of a system.",
        (
            Column("name", "VARCHAR", "its name in `FILE.duckdb:NAME`"),
            Column("role", "VARCHAR", "key or response"),
            Column("key", "VARCHAR", "for a response: the side that it is scored against", "side.name"),
            Column("path", "VARCHAR", "the path that it was read from"),
            Column("number", "INTEGER", "order in which sides were given"),
            Column("signature", "VARCHAR", "for a response: how its scores were computed"),
            Column("issues", "VARCHAR", "issues of the files, as JSON"),
        ),
        ("name",),
    ),
    Table(
        "source",
        "A file that was read.",
        (
            Column("id", "INTEGER", "its number in the database"),
            Column("side", "VARCHAR", "the side", "side.name"),
            Column("number", "INTEGER", "order of the files of a side"),
            Column("file", "VARCHAR", "its path, as it was found"),
            Column("bytes", "BIGINT", "its size when it was read, NULL if it is not a file on disk"),
            Column("modified", "BIGINT", "its time of modification, in nanoseconds"),
            Column("state", "VARCHAR", "reading, read, skipped (no corpus) or lexicon"),
            Column("traits", "VARCHAR", "what the format holds (unit, layers, attributes), as JSON"),
        ),
        ("id",),
    ),
    Table(
        "document",
        "A document of a side, or a part of one.",
        (
            Column("id", "INTEGER", "its number in the database"),
            Column("side", "VARCHAR", "the side", "side.name"),
            Column("source", "INTEGER", "the file", "source.id"),
            Column("number", "INTEGER", "order in the file"),
            Column("name", "VARCHAR", "its name"),
            Column("part", "INTEGER", "number of the part, NULL if there are no parts"),
            Column("label", "VARCHAR", "name and part in one word, the same in all sides"),
            Column(
                "genre", "VARCHAR", "the genre that the file gives, or else the part of the name before the first slash"
            ),
            Column("tokens", "INTEGER", "its length, NULL if the source does not say"),
            Column("file", "VARCHAR", "the file that messages about it name"),
            Column("line", "INTEGER", "where it begins in its file"),
            Column("text", "VARCHAR", "running text, for sources that count characters"),
        ),
        ("id",),
    ),
    Table(
        "label",
        "A label that a file gives a document, such as its genre.",
        (_document(), Column("name", "VARCHAR", "such as genre"), Column("value", "VARCHAR", "such as news")),
        ("document", "name"),
    ),
    Table(
        "sentence",
        "A sentence.",
        (_document(), Column("sentence", "INTEGER", "its number in the document"), *_span("it")),
        ("document", "sentence"),
    ),
    Table(
        "token",
        "A word or punctuation mark. Layers are NULL where the file has no value.",
        (
            _document(),
            Column("token", "INTEGER", "its number in the document"),
            Column("sentence", "INTEGER", "the sentence", "sentence.sentence"),
            Column("form", "VARCHAR", "the word"),
            Column("lemma", "VARCHAR", "lemma; in CoNLL-2012 only for predicates"),
            Column("tag", "VARCHAR", "language-specific part of speech (pos)"),
            Column("upos", "VARCHAR", "universal part of speech"),
            Column("features", "VARCHAR", "morphological features"),
            Column("speaker", "VARCHAR", "who speaks or writes"),
            Column(
                "start_char",
                "INTEGER",
                "first character, in the text as coreflens writes it, with blanks between tokens",
            ),
            Column("end_char", "INTEGER", "last character, included"),
            Column("empty", "BOOLEAN", "true for something that is not written: a zero pronoun or an empty node"),
            Column("number", "INTEGER", "for an empty token: its number after the preceding word"),
            Column("line", "INTEGER", "its line in the file"),
            Column("parse", "VARCHAR", "its part of the constituent tree; as a table: node"),
            Column("head", "VARCHAR", "number of the syntactic head; as a table: dependency"),
            Column("deprel", "VARCHAR", "relation to the syntactic head"),
            Column("deps", "VARCHAR", "enhanced dependencies"),
            Column("names", "VARCHAR", "bracketed named entities; as a table: name"),
            Column("frameset", "VARCHAR", "frameset of a predicate; as a table: proposition"),
            Column("arguments", "VARCHAR", "bracketed arguments; as a table: argument"),
            Column("sense", "VARCHAR", "word sense; as a table: sense"),
            Column("misc", "VARCHAR", "the other values of CoNLL-U's last column"),
            Column("layers", "MAP(VARCHAR, VARCHAR)", "layers with other names"),
        ),
        ("document", "token"),
    ),
    Table(
        "node",
        "A constituent of a tree.",
        (
            _document(),
            Column("node", "INTEGER", "its number in the document, in order of opening"),
            Column("parent", "INTEGER", "the constituent around it, NULL for a root", "node.node"),
            Column("sentence", "INTEGER", "the sentence", "sentence.sentence"),
            Column("label", "VARCHAR", "such as NP, without function tags"),
            Column("function", "VARCHAR", "function tags and indices, such as SBJ-1"),
            *_span("it"),
            Column("head", "INTEGER", "its head word", "token.token"),
        ),
        ("document", "node"),
    ),
    Table(
        "dependency",
        "A word and what it depends on.",
        (
            _document(),
            Column("token", "INTEGER", "the dependent", "token.token"),
            Column("head", "INTEGER", "what it depends on, NULL for the root", "token.token"),
            Column("relation", "VARCHAR", "such as nsubj"),
        ),
        ("document", "token"),
    ),
    Table(
        "name",
        "A named entity.",
        (
            _document(),
            Column("name", "INTEGER", "its number in the document"),
            Column("type", "VARCHAR", "such as PERSON"),
            *_span("it"),
            _NODE,
        ),
        ("document", "name"),
    ),
    Table(
        "proposition",
        "A predicate with its arguments.",
        (
            _document(),
            Column("proposition", "INTEGER", "its number in the document"),
            Column("token", "INTEGER", "the predicate", "token.token"),
            Column("lemma", "VARCHAR", "lemma of the predicate"),
            Column("frameset", "VARCHAR", "such as 01"),
        ),
        ("document", "proposition"),
    ),
    Table(
        "argument",
        "An argument of a proposition. The predicate itself (V) is also one.",
        (
            _document(),
            Column("proposition", "INTEGER", "the proposition", "proposition.proposition"),
            Column("argument", "INTEGER", "its number in the proposition"),
            Column("label", "VARCHAR", "such as ARG0"),
            *_span("it"),
            _NODE,
        ),
        ("document", "proposition", "argument"),
    ),
    Table(
        "sense",
        "The sense of a word.",
        (
            _document(),
            Column("token", "INTEGER", "the word", "token.token"),
            Column("lemma", "VARCHAR", "its lemma"),
            Column("tag", "VARCHAR", "its part of speech"),
            Column("sense", "VARCHAR", "number in the inventory"),
        ),
        ("document", "token"),
    ),
    Table(
        "mention",
        "A mention; doc, part, start, end, mention and entity are the columns of the `table` format.",
        (
            _document(),
            Column("row", "INTEGER", "its number in the document"),
            Column("doc", "VARCHAR", "name of the document"),
            Column("part", "INTEGER", "its part"),
            *_span("it"),
            Column("mention", "VARCHAR", "its name, in sources without spans"),
            Column("entity", "VARCHAR", "label of its entity", "entity.entity"),
            Column("line", "INTEGER", "where it opens in its file"),
            Column("text", "VARCHAR", "its words"),
            Column("sentence", "INTEGER", "the sentence in which it opens", "sentence.sentence"),
            Column("head", "INTEGER", "its head word", "token.token"),
            Column("head_from", "VARCHAR", "head column, trees, dependencies or last token"),
            Column("type", "VARCHAR", "name, nominal, pronoun, verb or other, by the tag of its head"),
            _NODE,
            Column("pieces", 'STRUCT("start" INTEGER, "end" INTEGER)[]', "the pieces of a discontinuous mention"),
            Column("minimum", "VARCHAR", "minimum span, as written in the source"),
            Column("min_start", "INTEGER", "first token of the minimum span, if its words are found"),
            Column("min_end", "INTEGER", "last token of the minimum span"),
            Column("attributes", "MAP(VARCHAR, VARCHAR)", "all other attributes in the source"),
        ),
        ("document", "row"),
    ),
    Table(
        "entity",
        "An entity of a document: a chain of mentions.",
        (
            _document(),
            Column(
                "entity", "VARCHAR", "its label; with a wide scope, equal labels in two documents mean the same entity"
            ),
            Column("number", "INTEGER", "order of the labels in the file"),
            Column("kind", "VARCHAR", "type of the label in the source: text or number"),
            Column("mentions", "INTEGER", "how many"),
        ),
        ("document", "entity"),
    ),
    Table(
        "link",
        "A relation other than identity: bridging, split-antecedent, deixis, apposition.",
        (
            _document(),
            Column("number", "INTEGER", "order in the file"),
            Column("kind", "VARCHAR", "such as bridging"),
            Column("label", "VARCHAR", "its name in the source"),
            Column("source", "VARCHAR", "entity of the anaphor", "entity.entity"),
            Column("mention", "INTEGER", "the anaphor, NULL if the whole entity is meant", "mention.row"),
            Column("target", "VARCHAR", "entity of the antecedent, NULL if it has none"),
            Column("anchor_document", "INTEGER", "document of the antecedent", "document.id"),
            Column("anchor", "INTEGER", "the antecedent, NULL if the whole entity is meant"),
        ),
        ("document", "number"),
    ),
    Table(
        "alignment",
        "Which mention of a response matches which mention of the key. Without a match, the other side is NULL.",
        (
            Column("response", "VARCHAR", "the response", "side.name"),
            _document("the key's document, or the response's that the key lacks"),
            Column("key_row", "INTEGER", "mention of the key"),
            Column("response_document", "INTEGER", "the response's document", "document.id"),
            Column("response_row", "INTEGER", "mention of the response"),
            Column("by", "VARCHAR", "how they were matched, such as exact"),
        ),
        ("response", "document", "key_row", "response_document", "response_row"),
    ),
    Table(
        "score",
        "A score of a response, by document and metric. If the document is NULL, it is the score of the whole corpus.",
        (
            Column("response", "VARCHAR", "the response", "side.name"),
            _document("the key's document, or the response's that the key lacks"),
            Column("metric", "VARCHAR", "such as muc"),
            Column("recall", "DOUBLE", "0 to 1; NULL if it is not defined"),
            Column("precision", "DOUBLE", "0 to 1"),
            Column("f1", "DOUBLE", "0 to 1"),
            Column("value", "DOUBLE", "for metrics without recall and precision"),
            Column("counts", "MAP(VARCHAR, DOUBLE)", "numerators and denominators"),
        ),
        ("response", "document", "metric"),
    ),
    Table(
        "error",
        "An error of a response, as `coreflens diagnose` finds it, with its price.",
        (
            Column("response", "VARCHAR", "the response", "side.name"),
            _document("the key's document, or the response's that the key lacks"),
            Column("number", "INTEGER", "its number in the response"),
            Column("kind", "VARCHAR", "such as missing mention"),
            Column("turn", "INTEGER", "0, or more if the same mention has several errors of one kind"),
            *_span("its first mention"),
            Column("mention", "VARCHAR", "name of its first mention, in sources without spans"),
            Column("key_row", "INTEGER", "that mention in the key"),
            Column("response_row", "INTEGER", "that mention in the response"),
            Column("text", "VARCHAR", "words of the mention"),
            Column("entity", "VARCHAR", "label of the entity that is wrong"),
            Column("of", "VARCHAR", "words of a mention that represents this entity"),
            Column("mentions", "INTEGER", "how many mentions it concerns"),
            Column("type", "VARCHAR", "type of the mention"),
            Column("length", "VARCHAR", "number of words of the mention, in bins"),
            Column("size", "VARCHAR", "number of mentions of the entity, in bins"),
            Column("distance", "VARCHAR", "sentences since the last mention of the entity, in bins"),
            Column("position", "VARCHAR", "quarter of the document"),
            Column("speaker", "VARCHAR", "who says it"),
            Column("context", "VARCHAR", "the mention with some words around it"),
            Column("place", "VARCHAR", "file and line"),
            Column("price", "DOUBLE", "what the CoNLL average gains, 0 to 1, if only this error is corrected"),
        ),
        ("response", "number"),
    ),
    Table(
        "inventory",
        "The senses of a word, from the sense inventories of a corpus.",
        (
            Column("lemma", "VARCHAR", "lemma and part of speech, such as say-v"),
            Column("sense", "VARCHAR", "number of the sense"),
            Column("name", "VARCHAR", "what it means"),
            Column("file", "VARCHAR", "the file that contains it"),
        ),
        ("lemma", "sense"),
    ),
    Table(
        "frame",
        "The framesets of a predicate, from the frame files of a corpus.",
        (
            Column("lemma", "VARCHAR", "lemma of the predicate"),
            Column("frameset", "VARCHAR", "its number, such as 01"),
            Column("name", "VARCHAR", "what it means"),
            Column("roles", "MAP(VARCHAR, VARCHAR)", "number and meaning of each role"),
            Column("file", "VARCHAR", "the file that contains it"),
        ),
        ("lemma", "frameset"),
    ),
    Table(
        "mark",
        "What the rows of a side were when it was complete. A side without a mark is not read.",
        (
            Column("side", "VARCHAR", "the side", "side.name"),
            Column("table", "VARCHAR", "a table with rows of this side"),
            Column("rows", "BIGINT", "how many rows it has for this side"),
            Column("checksum", "VARCHAR", "sum of their hashes"),
            Column("duckdb", "VARCHAR", "version of DuckDB that computed the checksum"),
        ),
        ("side", "table"),
    ),
    Table(
        "info",
        "About the database itself: version, program, state, plan and settings.",
        (Column("name", "VARCHAR", "such as version"), Column("value", "VARCHAR", "such as 1")),
        ("name",),
    ),
)

TABLES: dict[str, Table] = {table.name: table for table in _LIST}

MIGRATIONS: dict[int, tuple[str, ...]] = {1: (TABLES["mark"].ddl,)}
"""Version → the statements that turn it into the next version. Then the sides that are complete are marked."""

OF_A_DOCUMENT = tuple(
    t.name for t in _LIST if t.columns[0].name == "document" and t.name not in ("alignment", "score", "error")
)
"""Tables whose rows are added and removed with a document."""

OF_A_RESPONSE = ("alignment", "score", "error")
"""Tables whose rows are added and removed with a response."""

COLUMNS = {
    "lemma": "lemma",
    "tag": "pos",
    "upos": "upos",
    "features": "feats",
    "speaker": "speaker",
    **{name: name for name in ("parse", "head", "deprel", "deps", "names", "frameset", "arguments", "sense", "misc")},
}
"""Columns of `token` → layers of a text."""
