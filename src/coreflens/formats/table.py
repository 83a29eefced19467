"""Membership tables: CSV or TSV with a header, one mention a row; or a JSON array of such records.

doc,mention,entity               mentions by name
doc,start,end,entity             by token offsets in the document, both ends inclusive
doc,start_char,end_char,entity   by character offsets, the end exclusive

`doc` may be missing: then all rows are one document. `part` is the number of a document's part. Where there are spans,
they identify the mention, and a column of mentions beside them is an attribute like all columns that are left. Columns
are found by their names in any order (document_id, record_id, cluster_id, ...; the first of the spellings that is
there), the delimiter is a tab if the header has one. In JSON: [{"doc_id": "a",
"mention_id": "m1", "coref_chain": "e1"}, ...].
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..model import Corpus, Document, IntArray
from .source import Source

Mask: TypeAlias = npt.NDArray[np.bool_]

HOLDS = frozenset(
    {"spans", "names", "labels", "documents", "document parts", "singletons", "crossing mentions", "repeated mentions"}
    | {"cross-document entities", "attribute *"}
)

_SPELLINGS = {
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
_CHUNK = 1 << 16  # rows at a time, so that only columns are ever held whole


def looks_like(head: bytes) -> bool:
    if head.lstrip()[:1] == b"[":
        return _json_header(head) is not None
    try:
        header = next(rows(head.lstrip().split(b"\n", 1)[0].decode(), ""), (1, []))[1]
    except (UnicodeDecodeError, InputError):
        return False
    return accepts(header)


def accepts(header: Sequence[str]) -> bool:
    """Whether these columns are those of a table."""
    return _identity(columns(header, _SPELLINGS)) is not None


def _json_header(head: bytes) -> list[str] | None:
    """The fields of the first record, if they are those of a table."""
    try:
        text = head.lstrip()[1:].decode(errors="ignore").lstrip()
        record, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    header = list(record) if isinstance(record, dict) else []
    return header if accepts(header) else None


def columns(header: Sequence[str], spellings: dict[str, tuple[str, ...]]) -> dict[str, int]:
    """Which column is which, by their names."""
    plain = [cell.strip().lower() for cell in header]
    found = {what: next((s for s in names if s in plain), None) for what, names in spellings.items()}
    return {what: plain.index(spelling) for what, spelling in found.items() if spelling}


def _identity(found: dict[str, int]) -> tuple[str, ...] | None:
    """The columns that identify a mention, spans before names."""
    return next((i for i in _IDENTITIES if set(i) <= set(found)), None) if "entity" in found else None


def read(source: Source) -> Corpus:
    header, lines, cells = load(source, accepts, "doc,mention,entity or doc,start,end,entity (doc may be missing)")
    found = columns(header, _SPELLINGS)
    identity = _identity(found)
    assert identity is not None
    good = _filled(source, lines, [cells[found[c]] for c in (*identity, "entity")])
    documents, doc, good = documents_of(source, found, cells, lines, good)
    unit = "character" if identity[0] == "start_char" else "token"
    start = end = np.full(len(lines), -1, dtype=np.int64)
    if len(identity) == 2:
        first, last = identity
        start, end, good = spans(source, lines, cells[found[first]], cells[found[last]], good, unit)
    known: dict[Hashable, int] = {}
    entity = np.array([known.setdefault(x, len(known)) for x in cells[found["entity"]]], dtype=np.int64)
    rows_ = np.flatnonzero(good)
    order = rows_[np.lexsort((-end[rows_], start[rows_], doc[rows_]))]
    wanted = order.tolist() if not np.array_equal(order, np.arange(len(lines))) else None
    used = {found["entity"], *(found[c] for c in ("doc", "part", *identity) if c in found)}

    def ordered(column: list[str]) -> list[str]:
        return column if wanted is None else [column[p] for p in wanted]

    return Corpus(
        documents=documents,
        doc=doc[order],
        start=start[order],
        end=end[order],
        entity=entity[order],
        labels=list(known),
        names=ordered(cells[found["mention"]]) if identity == ("mention",) else None,
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
    )


def load(
    source: Source, accepts: Callable[[Sequence[str]], bool], hint: str
) -> tuple[list[str], IntArray, list[list[str]]]:
    """The header, and the rest of a table as columns of cells, with the line of each row."""
    content = source.text
    if "\0" in content:
        source.fail("a NUL byte: this is not a text file", line=content.count("\n", 0, content.index("\0")) + 1)
    if content.lstrip()[:1] == "[":
        return _load_json(source, accepts, hint)
    rows_ = rows(content, source.name)
    header = next(rows_, (1, []))[1]
    if not accepts(header):
        source.fail("the first line must name the columns", line=1, hint=hint)
    cells: list[list[str]] = [[] for _ in header]
    lines: list[int] = []
    while chunk := list(islice(rows_, _CHUNK)):
        numbers, part = map(list, zip(*chunk, strict=True))
        if set(map(len, part)) != {len(header)}:
            numbers, part = _whole(source, header, numbers, part)
        for column, values in zip(cells, zip(*part, strict=False), strict=False):
            column += values
        lines += numbers
    if not lines:
        source.fail("a header, but no row", line=1)
    return header, np.array(lines, dtype=np.int64), cells


def _whole(source: Source, header: list[str], numbers: list[Any], part: list[Any]) -> tuple[list[int], list[list[str]]]:
    """The rows of the header's width; others are reported, but blank cells may be missing or too many at the end."""
    found = columns(header, _SPELLINGS)
    width = max((found[c] for c in found), default=len(header) - 1)
    kept: list[int] = []
    for p, (number, row) in enumerate(zip(numbers, part, strict=True)):
        if len(row) <= width:
            message = f"{len(row)} columns where the header has more"
            source.report("syntax", message, line=number, hint="cut off?")
        elif any(row[len(header) :]):
            message = f"{len(row)} columns where the header has {len(header)}"
            source.report("syntax", message, line=number, hint="is there a delimiter in a cell without quotes?")
        else:
            kept.append(p)
    return [numbers[p] for p in kept], [(part[p] + [""] * len(header))[: len(header)] for p in kept]


def _load_json(
    source: Source, accepts: Callable[[Sequence[str]], bool], hint: str
) -> tuple[list[str], IntArray, list[list[str]]]:
    """A JSON array of records as a table; a value that is not a word is kept as JSON spells it."""
    try:
        records = json.loads(source.text)
    except (ValueError, RecursionError) as error:
        source.fail(
            f"not valid JSON: {getattr(error, 'msg', 'a number or a nesting beyond reason')}",
            line=getattr(error, "lineno", None),
            column=getattr(error, "colno", None),
        )
    if not isinstance(records, list) or not all(isinstance(r, dict) for r in records):
        source.fail(
            "an array of records is expected", hint='[{"doc_id": "a", "mention_id": "m1", "entity": "e1"}, ...]'
        )
    if not records:
        source.fail("an array without any record", line=1)
    header = list(dict.fromkeys(field for record in records for field in record))
    if not accepts(header):
        source.fail(f"these fields are no table's: {', '.join(header)[:200]}", hint=hint)
    cells = [[_cell(record.get(field)) for record in records] for field in header]
    return header, np.zeros(len(records), dtype=np.int64), cells


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _filled(source: Source, lines: IntArray, needed: list[list[str]]) -> Mask:
    """Which rows have all of what they need; the others are reported."""
    good = np.ones(len(lines), dtype=bool)
    for column in needed:
        if not all(column):
            good &= np.fromiter(map(bool, column), bool, len(column))
    for row in np.flatnonzero(~good).tolist():
        source.report("syntax", "empty mention or entity", line=int(lines[row]) or None)
    return good


def documents_of(
    source: Source,
    found: dict[str, int],
    cells: list[list[str]],
    lines: IntArray,
    good: Mask,
) -> tuple[list[Document], IntArray, Mask]:
    """The documents of a table, the one of each row, and which rows are good."""
    if "doc" not in found:
        # Both sides are one document then; its name is no help, so it has none.
        return [Document("", None, None, source.name, int(lines[0]))], np.zeros(len(lines), dtype=np.int64), good
    known: dict[Any, int] = {}
    names: Sequence[Any] = cells[found["doc"]]
    parts = cells[found["part"]] if "part" in found else None
    if parts is not None:
        for row in [p for p, part in enumerate(parts) if part and not (part.isdecimal() and len(part) < 10)]:
            message = f"'{parts[row][:40]}' is no number of a part"
            source.report("syntax", message, line=int(lines[row]) or None)
            good[row], parts[row] = False, ""
        names = list(zip(names, parts, strict=True))
    doc = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
    where = np.full(len(known), 0, dtype=np.int64)
    where[doc[::-1]] = lines[::-1]
    pairs = [name if parts is not None else (name, "") for name in known]
    documents = [
        Document(name, int(part) if part else None, None, source.name, line)
        for (name, part), line in zip(pairs, where.tolist(), strict=True)
    ]
    return documents, doc, good


def spans(
    source: Source,
    lines: IntArray,
    starts: list[str],
    ends: list[str],
    good: Mask,
    unit: str,
) -> tuple[IntArray, IntArray, Mask]:
    """Columns of offsets as numbers; ends of characters are exclusive in a file, and inclusive here."""
    start, end = _numbers(source, lines, starts, good), _numbers(source, lines, ends, good) - (unit == "character")
    for row in np.flatnonzero(good & (end < start)).tolist():
        hint = "ends of characters are exclusive" if unit == "character" else "ends of tokens are inclusive"
        message = f"span {starts[row]}, {ends[row]} ends before it starts"
        source.report("span-order", message, line=int(lines[row]) or None, hint=hint)
    return start, end, good & (end >= start)


def _numbers(source: Source, lines: IntArray, column: list[str], good: Mask) -> IntArray:
    """Whole numbers from 0 on; what is none is reported, and its row is not good."""
    numbers = np.zeros(len(column), dtype=np.int64)
    for row, cell in enumerate(column):
        if cell.isdecimal() and len(cell) < 16:
            numbers[row] = int(cell)
        elif good[row]:
            message = f"'{cell[:40]}' is no offset"
            source.report("span-range", message, line=int(lines[row]) or None, hint="offsets are counted from 0")
            good[row] = False
    return numbers


def rows(content: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every row that is not blank, the header first."""
    start = len(content) - len(content.lstrip())
    stop = content.find("\n", start)
    delimiter = "\t" if "\t" in content[start : stop if stop >= 0 else len(content)] else ","
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    while True:
        try:
            for row in reader:
                if any(row) and any(map(str.strip, row)):
                    yield reader.line_num, row
            return
        except csv.Error as error:
            raise InputError(f"not a table: {error}", file=name, line=reader.line_num) from None


def write(corpus: Corpus) -> Iterator[str]:
    """doc, part if there are any, the mention, its entity and its attributes."""
    header, prefix = identified(corpus)
    titles = [*header, "entity", *corpus.attributes]
    taken = {title.lower() for title in _SPELLINGS}
    for title in corpus.attributes:
        if title.strip() != title or not title or title.lower() in taken or set(title) & set("\t\n\r\0"):
            raise InputError(f"a table can't have a column of attributes called {title!r}", file=corpus.source or None)
    yield line_of(titles)
    labels = labels_of(corpus)
    values = list(corpus.attributes.values())
    for row, cells in enumerate(prefix):
        yield line_of([*cells, labels[corpus.entity[row]], *(column[row] for column in values)])


def identified(corpus: Corpus) -> tuple[list[str], Iterator[list[str]]]:
    """The columns that say which document and mention a row is of, and their cells, row by row."""
    parts = any(d.part is not None for d in corpus.documents)
    bare = not parts and len(corpus.documents) == 1 and not corpus.documents[0].name
    before = [] if bare else ["doc", "part"] if parts else ["doc"]
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
    """A label or name as it is written; one that would not come back the same is refused."""
    text = thing if isinstance(thing, str) else str(thing) if type(thing) is int else ""
    if not text.strip() or "\0" in text:
        message = f"{what} is called {thing!r:.40}, which a table can't hold"
        raise InputError(message, file=corpus.source or None, hint="names are text that is not blank")
    return text


def labels_of(corpus: Corpus) -> list[str]:
    """The entities' labels as they are written; pairs, which number the entities of several files, with a dot."""
    dotted = [".".join(map(str, x)) if isinstance(x, tuple) else x for x in corpus.labels]
    labels = [name_of(label, "an entity", corpus) for label in dotted]
    if len(set(labels)) < len(labels):
        raise InputError("two entities have labels that are written alike", file=corpus.source or None)
    return labels


def line_of(cells: Sequence[str]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()
