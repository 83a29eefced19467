"""Membership tables, CSV or TSV: a header and one mention a row.

doc,mention,entity          `doc` may be missing: then all rows are one document. Other columns are left alone.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Iterator

import numpy as np

from ..errors import InputError
from ..model import Corpus, Document, file_stem
from .source import Source

_SPELLINGS = {
    "doc": ("doc", "document", "doc_id", "document_id", "docid", "doc_key"),
    "mention": ("mention", "mention_id", "record", "record_id", "rec_id", "id", "item"),
    "entity": ("entity", "entity_id", "unique_id", "cluster", "cluster_id", "chain", "chain_id", "label"),
}


def looks_like(head: bytes) -> bool:
    try:
        header = next(_rows(head.lstrip().split(b"\n", 1)[0].decode(), ""), (1, []))[1]
    except (UnicodeDecodeError, InputError):
        return False
    return {"mention", "entity"} <= set(_columns(header))


def _columns(header: list[str]) -> dict[str, int]:
    plain = [cell.strip().lower() for cell in header]
    found = {what: next((s for s in spellings if s in plain), None) for what, spellings in _SPELLINGS.items()}
    return {what: plain.index(spelling) for what, spelling in found.items() if spelling}


def read(source: Source) -> Corpus:
    name, content = source.name, source.text
    if "\0" in content:
        line = content.count("\n", 0, content.index("\0")) + 1
        raise InputError("a NUL byte: this is not a text file", file=name, line=line)
    rows_of = _rows(content, name)
    columns = _columns(next(rows_of, (1, []))[1])
    if not {"mention", "entity"} <= set(columns):
        raise InputError(
            "the first line must name the columns", file=name, line=1, hint="doc,mention,entity (doc may be missing)"
        )
    width = max(columns.values())
    documents: dict[str, int] = {}
    entities: dict[Hashable, int] = {}
    rows: list[tuple[int, int, int, str]] = []
    at_doc, at_mention, at_entity = columns.get("doc"), columns["mention"], columns["entity"]
    for line, row in rows_of:
        if len(row) <= width:
            raise InputError(f"{len(row)} columns where the header has more", file=name, line=line, hint="cut off?")
        mention, entity = row[at_mention], row[at_entity]
        if not mention or not entity:
            raise InputError("empty mention or entity", file=name, line=line)
        document = documents.setdefault(row[at_doc] if at_doc is not None else file_stem(name), len(documents))
        rows.append((document, entities.setdefault(entity, len(entities)), line, mention))
    if not rows:
        raise InputError("a header, but no row", file=name, line=1)
    numbers = np.array([row[:3] for row in rows], dtype=np.int64)
    order = np.argsort(numbers[:, 0], kind="stable")
    doc, entity_of, lines = numbers[order].T
    where = dict(zip(doc[::-1].tolist(), lines[::-1].tolist(), strict=True))
    # Without a document column both sides are one document; its name is no help, so it has none.
    names = documents if at_doc is not None else {"": 0}
    return Corpus(
        documents=[Document(label, None, None, name, where[d]) for label, d in names.items()],
        doc=doc,
        start=np.full(len(rows), -1, dtype=np.int64),
        end=np.full(len(rows), -1, dtype=np.int64),
        entity=entity_of,
        labels=list(entities),
        names=[rows[p][3] for p in order.tolist()],
        line=lines,
        source=name,
        format="table",
    )


def _rows(content: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every row that is not blank, the header first."""
    delimiter = "\t" if "\t" in content.lstrip().split("\n", 1)[0] else ","
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"not a table: {error}", file=name, line=reader.line_num) from None
        if any(cell.strip() for cell in row):
            yield reader.line_num, row
