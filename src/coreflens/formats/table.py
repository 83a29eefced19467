"""Membership tables: CSV or TSV with a header and one mention per row, or such records in JSON.

doc,mention,entity               mentions by name
doc,start,end,entity             by token offsets in the document, both ends inclusive
doc,start_char,end_char,entity   by character offsets, the end exclusive

`doc` may be missing: then all rows of a file are one document. `part` is the number of a document's part. If there
are spans, they identify the mention. Then a column of mentions is an attribute, as are all other columns. Columns are
found by their names in any order (document_id, record_id, cluster_id, ...; the first known spelling counts). The
delimiter is a tab if the header has one. In JSON: [{"doc_id": "a", "mention_id": "m1", "coref_chain": "e1"}, ...], or
one such record per line, without the brackets and commas around them.

Several files, as in a directory, are one table: the rows of a document may be in any of them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from ..corpus.columns import blank, numbered, taken
from ..corpus.model import Corpus, IntArray
from ..errors import InputError
from .shared.cells import Mask, columns, documents_of, first_record, header_of, load, spans
from .shared.source import Source

UNITS = ("token", "character")  # the writer can count both
WIDE = True
HOLDS = frozenset(
    {"spans", "names", "labels", "documents", "document parts", "singletons", "crossing mentions", "repeated mentions"}
    | {"cross-document entities", "attribute *"}
)

SPELLINGS = {
    "doc": ("doc", "document", "doc_id", "document_id", "docid", "doc_key"),
    "part": ("part",),
    "start": ("start", "start_token", "token_start"),
    "end": ("end", "end_token", "token_end"),
    "start_char": ("start_char", "char_start", "start_offset"),
    "end_char": ("end_char", "char_end", "end_offset"),
    "mention": ("mention", "mention_id", "record", "record_id", "rec_id", "id", "item"),
    "entity": (
        "entity",
        "entity_id",
        "unique_id",
        "cluster",
        "cluster_id",
        "chain",
        "chain_id",
        "coref_chain",
        "label",
    ),
}
_IDENTITIES = (("start", "end"), ("start_char", "end_char"), ("mention",))


def looks_like(head: bytes) -> bool:
    if head.lstrip()[:1] == b"[":
        return _json_header(head) is not None
    record = first_record(head)
    return bool(needed(header_of(head) if record is None else _plain_fields(record)))


def needed(header: Sequence[str]) -> set[int]:
    """The columns that a table must have; empty if this is not the header of a table."""
    places = columns(header, SPELLINGS)
    identity = _identity(places)
    return {places[c] for c in ("doc", "part", *identity, "entity") if c in places} if identity else set()


def _json_header(head: bytes) -> list[str] | None:
    """The fields of the first record, if they are those of a table."""
    try:
        text = head.lstrip()[1:].decode(errors="ignore").lstrip()
        record, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    header = list(record) if isinstance(record, dict) else []
    return header if needed(header) else None


def _plain_fields(record: dict[str, Any]) -> list[str]:
    """The fields of a record that hold a single value."""
    return [field for field, value in record.items() if not isinstance(value, (list, dict))]


def _identity(places: dict[str, int]) -> tuple[str, ...] | None:
    """The columns that identify a mention; spans are preferred to names."""
    return next((i for i in _IDENTITIES if set(i) <= set(places)), None) if "entity" in places else None


def read(source: Source) -> Corpus:
    return from_cells(source, *load(source, needed, "doc,mention,entity or doc,start,end,entity (doc may be missing)"))


def from_cells(source: Source, header: Sequence[str], lines: IntArray, cells: list[Sequence[str]]) -> Corpus:
    """The corpus of a table that is given by its columns."""
    places = columns(header, SPELLINGS)
    identity = _identity(places)
    assert identity is not None
    good = _filled(source, lines, [cells[places[c]] for c in (*identity, "entity")])
    documents, doc, good = documents_of(source, places, cells, lines, good)
    unit = "character" if identity[0] == "start_char" else "token"
    start = end = None
    if len(identity) == 2:
        first, last = identity
        start, end, good = spans(source, lines, cells[places[first]], cells[places[last]], good, unit)
    entity, labels = numbered(cells[places["entity"]])
    order = _order(good, doc, start, end)
    used = needed(header)
    mentions = int(np.count_nonzero(good))
    none = np.broadcast_to(np.int64(-1), mentions)  # takes no memory

    def ordered(column: Sequence[str]) -> Sequence[str]:
        return column if isinstance(order, slice) else taken(column, order)

    return Corpus(
        documents=documents,
        doc=doc[order],
        start=none if start is None else start[order],
        end=none if end is None else end[order],
        entity=entity[order],
        labels=labels,
        names=ordered(cells[places["mention"]]) if identity == ("mention",) else None,
        line=lines[order],
        source=source.name,
        format="table",
        issues=source.issues(),
        unit=unit,
        attributes={
            title.strip() or f"column {c + 1}": ordered(cells[c])
            for c, title in enumerate(header)
            if c not in used and any(cells[c])
        },
        by_file="doc" not in places,
    )


def _order(good: Mask, doc: IntArray, start: IntArray | None, end: IntArray | None) -> IntArray | slice:
    """The good rows by document, then by span if there are spans; a slice of all rows, if they have this order."""
    if start is None and good.all() and (doc[1:] >= doc[:-1]).all():
        return slice(None)
    rows = np.flatnonzero(good)
    by_span = () if start is None or end is None else (-end[rows], start[rows])
    order: IntArray = rows[np.lexsort((*by_span, doc[rows]))]
    return slice(None) if np.array_equal(order, np.arange(len(good))) else order


def _filled(source: Source, lines: IntArray, wanted: list[Sequence[str]]) -> Mask:
    """Which rows have all required cells; the others are reported."""
    good = np.ones(len(lines), dtype=bool)
    for column in wanted:
        good &= ~blank(column)
    for row in np.flatnonzero(~good).tolist():
        source.report("syntax", "empty mention or entity", line=int(lines[row]) or None)
    return good


def write(corpus: Corpus) -> Iterator[str]:
    """The columns doc, part if there are any, the mention, its entity and its attributes."""
    header, prefix = identified(corpus)
    check_attributes(corpus)
    yield line_of([*header, "entity", *corpus.attributes])
    labels = labels_of(corpus)
    values = list(corpus.attributes.values())
    for row, cells in enumerate(prefix):
        yield line_of([*cells, labels[corpus.entity[row]], *(column[row] for column in values)])


def check_attributes(corpus: Corpus) -> None:
    """Check that no attribute has a name that a reader would take for another column."""
    taken = {title.lower() for title in SPELLINGS}
    for title in corpus.attributes:
        if title.strip() != title or not title or title.lower() in taken or set(title) & set("\t\n\r\0"):
            raise InputError(f"a table can't have an attribute with the name {title!r}", file=corpus.source or None)


def identified(corpus: Corpus) -> tuple[list[str], Iterator[list[str]]]:
    """The columns that identify the document and the mention of a row, and their cells, row by row."""
    parts = any(d.part is not None for d in corpus.documents)
    bare = not parts and len(corpus.documents) == 1 and not corpus.documents[0].name
    before = ["doc", "part"] if parts else ["doc"]
    if bare:
        before = []
    keys = [[d.name, "" if d.part is None else str(d.part)][: len(before)] for d in corpus.documents]
    names = corpus.names
    if names is not None:
        return [*before, "mention"], (
            [*keys[d], name_of(names[row], "a mention", corpus)] for row, d in enumerate(corpus.doc.tolist())
        )
    ends = corpus.end + (corpus.unit == "character")
    spans_ = zip(corpus.doc.tolist(), map(str, corpus.start.tolist()), map(str, ends.tolist()), strict=True)
    title = ["start_char", "end_char"] if corpus.unit == "character" else ["start", "end"]
    return [*before, *title], ([*keys[d], a, b] for d, a, b in spans_)


def name_of(thing: Hashable, what: str, corpus: Corpus) -> str:
    """A label or name as it is written; a name that would be read differently is refused."""
    text = str(thing) if isinstance(thing, str) or type(thing) is int else ""
    if not text.strip() or "\0" in text:
        message = f"{what} has the name {thing!r:.40}, which a table can't hold"
        raise InputError(message, file=corpus.source or None, hint="names must be text and not blank")
    return text


def labels_of(corpus: Corpus) -> list[str]:
    """The entities' labels as they are written; pairs, which number the entities of several files, get a dot."""
    dotted = [".".join(map(str, x)) if isinstance(x, tuple) else x for x in corpus.labels]
    labels = [name_of(label, "an entity", corpus) for label in dotted]
    if len(set(labels)) < len(labels):
        raise InputError("two entities have labels that are written the same way", file=corpus.source or None)
    return labels


def line_of(cells: Sequence[str]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerow(cells)  # so that cells with CR or LF are quoted
    return out.getvalue()[:-2] + "\n"
