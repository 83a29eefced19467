"""jsonlines as neural coreference code writes it: one document per line, or all of them in one JSON array.

    {"doc_key": "bc/cctv/00/cctv_0000_0", "sentences": [["The", "cat"], ...], "clusters": [[[0, 1], [5, 5]], ...]}

What a span counts depends on the fields of its record. The first of these that it has decides:

    cased_words    words of wl-coref, the spans in `span_clusters` or `clusters`: token offsets, the end exclusive
    subtoken_map   `sentences` are segments of subtokens (e2e, SpanBERT, coref-hoi), and offsets count subtokens, both
                   ends inclusive; they are mapped to words, which are `tokens`, or subtokens that are joined
    sentences      token offsets in the document, both ends inclusive
    tokens         the same, without borders of sentences (AllenNLP: `document`)
    text           character offsets, the end exclusive (fastcoref)
    none           token offsets, both ends inclusive; there is no text

The field `characters` of BOOKCOREF names clusters. These names become the attribute `character` of the mentions; see
characters.py.
A span may have a third element, kept as `type` if it is a word and as `score` if it is a number. Lists with one value
per token, flat or by sentence, become layers (`speakers` the layer speaker). Other fields are left out and named.
`part` is the number of a part, if doc_key ends with it. A doc_key may also look like CoNLL's begin line, `(name); part
000`. If a response has `predicted_clusters`, these are read, because then `clusters` is a copy of the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...corpus.model import Corpus, Document, file_stem
from ...errors import InputError, Issue, counted
from ...files.notation import check_nesting, json_value, json_value_at
from ..shared.source import Source
from .characters import ATTRIBUTE, FIELD, Names, characters_of
from .layout import (
    CLUSTERS,
    NAMES,
    STRUCTURE,
    WL_COREF,
    RecordLayout,
    layers_of,
    layout_of,
    text_of,
)
from .writer import write

__all__ = ["APPENDS", "DOCUMENT", "HOLDS", "UNITS", "looks_like", "read", "write"]

UNITS = ("token", "character")  # the writer can count both
HOLDS = frozenset(
    {"words", "sentences", "text", "spans", "documents", "document parts", "documents without mentions", "singletons"}
    | {"crossing mentions", "repeated mentions", "layer *", f"attribute {ATTRIBUTE}"}
    | {f"not layer {name}" for name in (*STRUCTURE, *WL_COREF, "text", "speakers")}  # names of other fields
)

DOCUMENT = re.compile(rb"^\{", re.MULTILINE)
APPENDS = True
_MOST_TOKENS = 1 << 40
_FIELDS = (*CLUSTERS, "sentences", "doc_key", "cased_words", "span_clusters")
_SCORCH = re.compile(rb'"type"\s*:\s*"(?:clusters|graph)"')  # another format
_BEGIN = re.compile(r"\((.*)\); part (\d{1,9})")
_OPENING = re.compile(r"\s*(\[)\s*")
_NEXT = re.compile(r"\s*(,|\]\s*\Z)\s*")
_ONE_A_LINE = "each JSON object must be on one line (`jq -c . FILE` joins its lines); is the file cut off?"


def looks_like(head: bytes) -> bool:
    if re.match(rb"\s*\[\s*\{", head):
        return any(field in head for field in (b'"clusters"', b'"predicted_clusters"', b'"sentences"'))
    if not head.lstrip().startswith(b"{") or _SCORCH.search(head):
        return False
    fields: tuple[str, ...] = _FIELDS
    if len(head) >= 1 << 16 and b"\n" not in head:
        fields += ("text", "tokens")  # fields after a long text are not in the head
    return any(f'"{name}"'.encode() in head for name in fields)


def read(source: Source) -> Corpus:
    collected = _Collected(source)
    for record in _records(source):
        collected.add(record)
    if not collected.documents:
        raise InputError("there is no document in this file", file=source.name)
    return collected.corpus()


class _Record(NamedTuple):
    """A record: its number, from 0, its line, where it begins and stops in the text, and its fields."""

    place: int
    line: int
    begin: int
    stop: int
    fields: dict[str, Any]


class _Collected:
    """The documents and mentions of the records so far, and what is left out of them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.documents: list[Document] = []
        self.mentions: list[tuple[int, int, int, int, int]] = []  # doc, start, end, entity, line
        self.attributes: dict[str, dict[int, str]] = {"type": {}, "score": {}, ATTRIBUTE: {}}
        self.entities = 0
        self.text_places: list[tuple[int, int, int]] = []  # where the good records are, for their text
        self.first_records: dict[tuple[str, int | None], _Record] = {}
        self.units: dict[str, int] = {}  # what spans count → the first line where they do
        self.left_out: dict[str, list[int]] = {}  # field → the lines of its records
        self.predicted = 0  # records whose predicted clusters are read although they have others

    def add(self, record: _Record) -> None:
        """Add the document of a record."""
        fields, line = record.fields, record.line
        layout = layout_of(fields, self.source, line)
        field = _field(fields, self.source, line)
        if layout is None or field is None:
            return
        self._check_unit(layout.unit, line)
        if self.source.role == "response" and field == "predicted_clusters" and "clusters" in fields:
            self.predicted += 1
        name, part = _name(fields, self.source, record.place)
        if self._is_duplicate(name, part, record):
            return
        span_of = partial(_span, layout=layout, source=self.source, number=line)
        characters, problem = characters_of(fields, span_of)
        if problem:
            self.source.report("left-out", f"the field '{FIELD}' of document {name}: {problem}", line=line)
        self._note_left_out(record, layout)
        for cluster in fields[field]:
            self._add_cluster(_cluster(cluster, self.source, line), layout, characters, line)
        self.documents.append(Document(name, part, layout.tokens, self.source.name, line))
        self.text_places.append((record.begin, record.stop, line))

    def _check_unit(self, unit: str, line: int) -> None:
        self.units.setdefault(unit, line)
        if len(self.units) > 1:
            first, first_line = next(iter(self.units.items()))
            message = f"spans count {unit}s here, but those of line {first_line} count {first}s"
            self.source.fail(message, line=line)

    def _is_duplicate(self, name: str, part: int | None, record: _Record) -> bool:
        """Whether an earlier record has this name and part, which is reported."""
        first = self.first_records.setdefault((name, part), record)
        if first.place == record.place:
            return False
        message = f"there is already a document {Document(name, part).quoted} at line {first.line}"
        hint = "each doc_key must occur only once"
        self.source.report("duplicate-document", message, line=record.line, hint=hint)
        return True

    def _note_left_out(self, record: _Record, layout: RecordLayout) -> None:
        """Remember the fields that have values but are not read."""
        for name in record.fields.keys() - layers_of(record.fields, layout).keys() - STRUCTURE - WL_COREF:
            is_raw_text = name == "text" and layout.unit == "character"
            if not is_raw_text and _says(record.fields[name]):
                self.left_out.setdefault(name, []).append(record.line)

    def _add_cluster(self, cluster: list[Any], layout: RecordLayout, characters: Names, line: int) -> None:
        """Add the mentions of an entity to the document that comes next."""
        for mention in cluster:
            span = _span(mention, layout, self.source, line)
            if span is None:
                continue
            row = len(self.mentions)
            if len(mention) > 2:
                attribute = "type" if isinstance(mention[2], str) else "score"
                self.attributes[attribute][row] = str(mention[2])
            if span in characters:
                self.attributes[ATTRIBUTE][row] = characters[span]
            self.mentions.append((len(self.documents), *span, self.entities, line))
        self.entities += 1

    def corpus(self) -> Corpus:
        """All documents; the mentions are in the order of opening, the longer first."""
        source = self.source
        for name, lines in sorted(self.left_out.items()):
            message = f"the field '{name}' of {counted(lines, 'record')}: not one value per token"
            source.report("left-out", message, line=lines[0])
        columns = np.array(self.mentions, dtype=np.int64).reshape(-1, 5)
        order = np.lexsort((-columns[:, 2], columns[:, 1], columns[:, 0]))
        doc, start, end, entity, line = columns[order].T
        rows = order.tolist()
        text_places = self.text_places
        has_text = all(document.tokens is not None for document in self.documents)
        return Corpus(
            documents=self.documents,
            doc=doc,
            start=start,
            end=end,
            entity=entity,
            labels=range(self.entities),
            line=line,
            source=source.name,
            format="jsonlines",
            issues=source.issues() + self._predicted_note(),
            unit=next(iter(self.units)),
            attributes={name: [v.get(row, "") for row in rows] for name, v in self.attributes.items() if v},
            texts=(lambda: text_of(source, text_places)) if has_text else None,
        )

    def _predicted_note(self) -> tuple[Issue, ...]:
        if not self.predicted:
            return ()
        message = f"{self.source.name}: the response is read from 'predicted_clusters', not from 'clusters'"
        return (Issue("predicted-clusters", message, self.predicted),)


def _records(source: Source) -> Iterator[_Record]:
    text = source.text
    if text.lstrip()[:1] == "[":
        yield from _array(source)
        return
    begin, number = 0, 0
    while begin < len(text):
        stop = text.find("\n", begin)
        stop = len(text) if stop < 0 else stop
        number += 1
        line = text[begin:stop]
        fields = _fields_of(line, source, number) if line.strip() else None
        if fields is not None:
            yield _Record(source.offset + number - 1, number, begin, stop, fields)
        begin = stop + 1


def _fields_of(line: str, source: Source, number: int) -> dict[str, Any] | None:
    """The record in a line; None if there is a mistake, which is reported."""
    try:
        fields = json_value(line, source.name, first=number)
    except InputError as error:
        hint = error.hint or _ONE_A_LINE
        source.report(error.code, error.message, line=number, column=error.column, hint=hint)
        return None
    return fields if _is_record(fields, source, number) else None


def _array(source: Source) -> Iterator[_Record]:
    """The records of a JSON array, one by one."""
    text = source.text
    check_nesting(text, source.name)
    place, line, begin = 0, 1, 0
    gap = _OPENING.match(text)
    while gap is not None and gap[1][0] != "]":
        line += text.count("\n", begin, gap.end())
        begin = gap.end()
        fields, stop = json_value_at(text, begin, source.name, hint="is the file cut off?")
        if _is_record(fields, source, line):
            yield _Record(place, line, begin, stop, fields)
        place += 1
        gap = _NEXT.match(text, stop)
    if gap is None:
        source.fail("the array of records is not closed after this one", line=line, hint="is the file cut off?")


def _is_record(record: object, source: Source, number: int) -> bool:
    if not isinstance(record, dict):
        source.report("syntax", f"a JSON object is expected, not a {type(record).__name__}", line=number)
    return isinstance(record, dict)


def _name(record: dict[str, object], source: Source, place: int) -> tuple[str, int | None]:
    """The name of a document and the number of its part."""
    name = next((str(record[field]) for field in NAMES if record.get(field) is not None), "")
    if not name:
        return file_stem(source.name) + (f"_{place}" if place else ""), None
    part = _part(record)
    if "part_id" in record:
        return name, part
    if header := _BEGIN.fullmatch(name):
        return header[1], int(header[2])
    if part is not None and name.endswith(f"_{part}"):
        return name.removesuffix(f"_{part}"), part
    return name, None


def _part(record: dict[str, object]) -> int | None:
    for field in ("part", "part_id"):
        number = record.get(field)
        if type(number) is int and number >= 0:
            return number
    return None


def _field(record: dict[str, object], source: Source, number: int) -> str | None:
    """The field with the clusters; None if there is none, which is reported."""
    wanted: tuple[str, ...] = CLUSTERS[::-1] if source.role == "response" else CLUSTERS
    if "cased_words" in record:
        wanted = ("span_clusters", *wanted)
    present = [field for field in wanted if field in record]
    for field in present:
        if isinstance(record[field], list):
            return field
    if present:
        message = f"'{present[0]}' is a {type(record[present[0]]).__name__}, not a list"
    else:
        message = f"there are no clusters (fields: {', '.join(record)[:200]})"
    hint = "'clusters' (or 'predicted_clusters') must have lists of [start, end]"
    source.report("syntax", message, line=number, hint=hint)
    return None


def _says(value: object) -> bool:
    """Whether a field that is left out has any value."""
    return any(map(_says, value)) if isinstance(value, list) else value not in (None, "", {})


def _cluster(cluster: object, source: Source, number: int) -> list[object]:
    if isinstance(cluster, list):
        return cluster
    source.report("syntax", f"a cluster must be a list of [start, end], not {cluster!r:.40}", line=number)
    return []


def _span(mention: Any, layout: RecordLayout, source: Source, number: int) -> tuple[int, int] | None:
    """The place of a mention; None if it has none, which is reported."""
    if not _is_span(mention):
        strings = "write offsets, not strings: in fastcoref get_clusters(as_strings=False)"
        hint = strings if isinstance(mention, str) else ""
        source.report("syntax", f"a mention must be [start, end], not {mention!r:.40}", line=number, hint=hint)
        return None
    start, end = mention[0], mention[1] - layout.exclusive
    if end < start:
        problem = "is empty" if end == start - 1 and layout.exclusive else "ends before it starts"
        hint = "ends are exclusive here" if layout.exclusive else "ends are inclusive"
        source.report("span-order", f"span {mention[:2]!r:.80} {problem}", line=number, hint=hint)
        return None
    if start < 0 or end >= (_MOST_TOKENS if layout.size is None else layout.size):
        _report_range(mention, layout, source, number)
        return None
    return (start, end) if layout.words is None else (layout.words[start], layout.words[end])


def _is_span(mention: object) -> bool:
    if not isinstance(mention, list) or len(mention) < 2:
        return False
    return type(mention[0]) is int and type(mention[1]) is int


def _report_range(mention: object, layout: RecordLayout, source: Source, number: int) -> None:
    unit = "subtoken" if layout.words else layout.unit
    message = f"span {mention!r:.80} is not within the document"
    if layout.size is not None:
        message += f" of {layout.size} {unit}s"
    end = "exclusive" if layout.exclusive else "inclusive"
    hint = f"offsets count {unit}s of the document from 0, and the end is {end}"
    source.report("span-range", message, line=number, hint=hint)
