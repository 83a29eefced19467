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
from typing import Any

import numpy as np

from ...corpus.model import Corpus, Document, file_stem
from ...errors import InputError, Issue
from ...files.notation import check_nesting, json_value, json_value_at
from ..shared.source import Source
from .characters import ATTRIBUTE, FIELD, characters_of
from .layout import (
    CLUSTERS,
    NAMES,
    STRUCTURE,
    WL_COREF,
    Layout,
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
        return b'"clusters"' in head or b'"predicted_clusters"' in head or b'"sentences"' in head
    if not head.lstrip().startswith(b"{") or _SCORCH.search(head):
        return False
    long = len(head) >= 1 << 16 and b"\n" not in head  # fields after a long text are not in the head
    return any(f'"{name}"'.encode() in head for name in (*_FIELDS, *(("text", "tokens") if long else ())))


def read(source: Source) -> Corpus:
    documents: list[Document] = []
    known: dict[tuple[str, int | None], tuple[int, int]] = {}
    kept: list[tuple[int, int, int]] = []  # places of the good records, for their text
    rows: list[tuple[int, int, int, int, int]] = []  # doc, start, end, entity, line
    more: dict[str, dict[int, str]] = {"type": {}, "score": {}, ATTRIBUTE: {}}
    left: dict[str, list[int]] = {}
    units: dict[str, int] = {}
    entities = predicted = 0
    for place, number, begin, stop, record in _records(source):
        layout, field = layout_of(record, source, number), _field(record, source, number)
        if layout is None or field is None:
            continue
        if units.setdefault(layout.unit, number) and len(units) > 1:
            first = next(iter(units))
            what = f"spans count {layout.unit}s here, but those of line {units[first]} count {first}s"
            source.fail(what, line=number)
        predicted += source.role == "response" and field == "predicted_clusters" and "clusters" in record
        name, part = _name(record, source, place)
        if known.setdefault((name, part), (place, number))[0] != place:
            document = Document(name, part)
            message = f"there is already a document {document.quoted} at line {known[name, part][1]}"
            source.report("duplicate-document", message, line=number, hint="each doc_key must occur only once")
            continue
        names, wrong = characters_of(record, partial(_span, layout=layout, source=source, number=number))
        if wrong:
            source.report("left-out", f"the field '{FIELD}' of document {name}: {wrong}", line=number)
        for extra in record.keys() - layers_of(record, layout).keys() - STRUCTURE:
            if extra not in WL_COREF and not (extra == "text" and layout.unit == "character") and _says(record[extra]):
                left.setdefault(extra, []).append(number)
        for cluster in record[field]:
            for mention in _cluster(cluster, source, number):
                span = _span(mention, layout, source, number)
                if span is not None:
                    if len(mention) > 2:
                        more["type" if isinstance(mention[2], str) else "score"][len(rows)] = str(mention[2])
                    if span in names:
                        more[ATTRIBUTE][len(rows)] = names[span]
                    rows.append((len(documents), *span, entities, number))
            entities += 1
        documents.append(Document(name, part, layout.tokens, source.name, number))
        kept.append((begin, stop, number))
    if not documents:
        raise InputError("there is no document in this file", file=source.name)
    for extra, numbers in sorted(left.items()):
        what = f"the field '{extra}' of {len(numbers)} record{'s' * (len(numbers) > 1)}: not one value per token"
        source.report("left-out", what, line=numbers[0])
    columns = np.array(rows, dtype=np.int64).reshape(-1, 5)
    order = np.lexsort((-columns[:, 2], columns[:, 1], columns[:, 0]))  # in order of opening, the longer first
    doc, start, end, entity, lines = columns[order].T
    issues = source.issues()
    if predicted:
        message = f"{source.name}: the response is read from 'predicted_clusters', not from 'clusters'"
        issues += (Issue("predicted-clusters", message, predicted),)
    return Corpus(
        documents=documents,
        doc=doc,
        start=start,
        end=end,
        entity=entity,
        labels=range(entities),
        line=lines,
        source=source.name,
        format="jsonlines",
        issues=issues,
        unit=next(iter(units)),
        attributes={name: [v.get(row, "") for row in order.tolist()] for name, v in more.items() if v},
        texts=None if any(d.tokens is None for d in documents) else lambda: text_of(source, kept),
    )


def _records(source: Source) -> Iterator[tuple[int, int, int, int, dict[str, Any]]]:
    """The records: each with its number, from 0, its line, and where it begins and stops in the text."""
    text = source.text
    if text.lstrip()[:1] == "[":
        yield from _array(source)
        return
    begin, number = 0, 0
    while begin < len(text):
        stop = text.find("\n", begin)
        stop = len(text) if stop < 0 else stop
        line, number = text[begin:stop], number + 1
        if line.strip():
            try:
                record = json_value(line, source.name, first=number)
            except InputError as error:
                hint = error.hint or _ONE_A_LINE
                source.report(error.code, error.message, line=number, column=error.column, hint=hint)
            else:
                if _is_record(record, source, number):
                    yield source.offset + number - 1, number, begin, stop, record
        begin = stop + 1


def _array(source: Source) -> Iterator[tuple[int, int, int, int, dict[str, Any]]]:
    """The records of a JSON array, one by one."""
    text = source.text
    check_nesting(text, source.name)
    place, number, at = 0, 1, 0
    gap = _OPENING.match(text)
    while gap is not None and gap[1][0] != "]":
        number, at = number + text.count("\n", at, gap.end()), gap.end()
        record, stop = json_value_at(text, at, source.name, hint="is the file cut off?")
        if _is_record(record, source, number):
            yield place, number, at, stop, record
        place, gap = place + 1, _NEXT.match(text, stop)
    if gap is None:
        source.fail("the array of records is not closed after this one", line=number, hint="is the file cut off?")


def _is_record(record: Any, source: Source, number: int) -> bool:
    if not isinstance(record, dict):
        source.report("syntax", f"a JSON object is expected, not a {type(record).__name__}", line=number)
    return isinstance(record, dict)


def _name(record: dict[str, Any], source: Source, place: int) -> tuple[str, int | None]:
    name = next((str(record[field]) for field in NAMES if record.get(field) is not None), "")
    part = next(
        (record[field] for field in ("part", "part_id") if type(record.get(field)) is int and record[field] >= 0), None
    )
    if not name:
        return file_stem(source.name) + (f"_{place}" if place else ""), None
    if "part_id" in record:
        return name, part
    if header := _BEGIN.fullmatch(name):
        return header[1], int(header[2])
    return (name.removesuffix(f"_{part}"), part) if part is not None and name.endswith(f"_{part}") else (name, None)


def _field(record: dict[str, Any], source: Source, number: int) -> str | None:
    wanted: tuple[str, ...] = CLUSTERS[::-1] if source.role == "response" else CLUSTERS
    if "cased_words" in record:
        wanted = ("span_clusters", *wanted)
    for field in wanted:
        if isinstance(record.get(field), list):
            return field
    found = next((field for field in wanted if field in record), None)
    source.report(
        "syntax",
        f"'{found}' is a {type(record[found]).__name__}, not a list"
        if found
        else f"there are no clusters (fields: {', '.join(record)[:200]})",
        line=number,
        hint="'clusters' (or 'predicted_clusters') must have lists of [start, end]",
    )
    return None


def _says(value: Any) -> bool:
    """Whether a field that is left out has any value."""
    return any(map(_says, value)) if isinstance(value, list) else value not in (None, "", {})


def _cluster(cluster: Any, source: Source, number: int) -> list[Any]:
    if isinstance(cluster, list):
        return cluster
    source.report("syntax", f"a cluster must be a list of [start, end], not {cluster!r:.40}", line=number)
    return []


def _span(mention: Any, layout: Layout, source: Source, number: int) -> tuple[int, int] | None:
    if not (isinstance(mention, list) and len(mention) >= 2 and all(type(x) is int for x in mention[:2])):
        strings = "write offsets, not strings: in fastcoref get_clusters(as_strings=False)"
        hint = strings if isinstance(mention, str) else ""
        source.report("syntax", f"a mention must be [start, end], not {mention!r:.40}", line=number, hint=hint)
        return None
    start, end = mention[0], mention[1] - layout.exclusive
    if end < start:
        what = "is empty" if end == start - 1 and layout.exclusive else "ends before it starts"
        hint = "ends are exclusive here" if layout.exclusive else "ends are inclusive"
        source.report("span-order", f"span {mention[:2]!r:.80} {what}", line=number, hint=hint)
        return None
    if start < 0 or end >= (_MOST_TOKENS if layout.size is None else layout.size):
        unit = "subtoken" if layout.words else layout.unit
        source.report(
            "span-range",
            f"span {mention!r:.80} is not within the document"
            + ("" if layout.size is None else f" of {layout.size} {unit}s"),
            line=number,
            hint=f"offsets count {unit}s of the document from 0, and the end is "
            + ("exclusive" if layout.exclusive else "inclusive"),
        )
        return None
    return (start, end) if layout.words is None else (layout.words[start], layout.words[end])
