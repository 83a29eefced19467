"""jsonlines as neural coreference code writes it: one document a line.

    {"doc_key": "bc/cctv/00/cctv_0000_0", "sentences": [["The", "cat"], ...], "clusters": [[[0, 1], [5, 5]], ...]}

Spans are token offsets in the document, both ends inclusive. A response that also has `predicted_clusters` is read
from there, because `clusters` then is a copy of the key.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..errors import InputError, Issue
from ..model import Corpus, Document, file_stem
from .source import Source

_MOST_TOKENS = 1 << 40
_CLUSTERS = ("clusters", "predicted_clusters")


def looks_like(head: bytes) -> bool:
    first = head.lstrip()[:1]
    return first == b"{" and any(f'"{name}"'.encode() in head for name in (*_CLUSTERS, "sentences"))


def read(source: Source) -> Corpus:
    name, role = source.name, source.role
    documents: list[Document] = []
    doc: list[int] = []
    spans: list[tuple[int, int]] = []
    entity: list[int] = []
    line_of: list[int] = []
    entities = 0
    predicted = 0
    for number, line in enumerate(source.text.split("\n"), start=1):
        if not line.strip():
            continue
        record = _record(line, name, number)
        field = _field(record, role, name, number)
        predicted += role == "response" and field == "predicted_clusters" and "clusters" in record
        sentences = record.get("sentences")
        tokens = _count_tokens(sentences, name, number) if sentences is not None else None
        label = str(record.get("doc_key", ""))
        label = label or file_stem(name) + (f"_{number - 1}" if number > 1 else "")
        rows: list[tuple[tuple[int, int], int]] = []
        for cluster in record[field]:
            rows += [(_span(m, tokens, name, number), entities) for m in _cluster(cluster, name, number)]
            entities += 1
        rows.sort(key=lambda row: (row[0][0], -row[0][1]))  # in order of opening, the longer first
        doc += [len(documents)] * len(rows)
        line_of += [number] * len(rows)
        spans += [span for span, _ in rows]
        entity += [e for _, e in rows]
        documents.append(Document(label, None, tokens, name, number))
    if not documents:
        raise InputError("no document in this file", file=name)
    columns = np.array(spans, dtype=np.int64).reshape(-1, 2)
    issues: tuple[Issue, ...] = ()
    if predicted:
        message = f"{name}: the response is read from 'predicted_clusters', not from 'clusters'"
        issues = (Issue("predicted-clusters", message, predicted),)
    return Corpus(
        documents=documents,
        doc=np.array(doc, dtype=np.int64),
        start=columns[:, 0],
        end=columns[:, 1],
        entity=np.array(entity, dtype=np.int64),
        labels=range(entities),
        line=np.array(line_of, dtype=np.int64),
        source=name,
        format="jsonlines",
        issues=issues,
    )


def _record(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"not valid JSON: {getattr(error, 'msg', 'a number or a nesting beyond reason')}",
            file=name,
            line=number,
            column=getattr(error, "colno", None),
            hint="one JSON object a line, not spread over several (`jq -c . FILE` joins them); is the file cut off?",
        ) from None
    if not isinstance(record, dict):
        raise InputError(f"a JSON object is expected, not a {type(record).__name__}", file=name, line=number)
    return record


def _field(record: dict[str, Any], role: str, name: str, number: int) -> str:
    wanted = _CLUSTERS[::-1] if role == "response" else _CLUSTERS
    for field in wanted:
        if isinstance(record.get(field), list):
            return field
    found = next((field for field in wanted if field in record), None)
    raise InputError(
        f"'{found}' is a {type(record[found]).__name__}, not a list"
        if found
        else f"no clusters (fields: {', '.join(record)})",
        file=name,
        line=number,
        hint="'clusters' (or 'predicted_clusters') holds lists of [start, end]",
    )


def _count_tokens(sentences: Any, name: str, number: int) -> int:
    if not isinstance(sentences, list) or not all(isinstance(s, list) for s in sentences):
        found = f", not {sentences!r:.40}"
        raise InputError(f"'sentences' is a list of lists of tokens{found}", file=name, line=number)
    return sum(map(len, sentences))


def _cluster(cluster: Any, name: str, number: int) -> list[Any]:
    if not isinstance(cluster, list):
        raise InputError(f"a cluster is a list of [start, end], not {cluster!r:.40}", file=name, line=number)
    return cluster


def _span(mention: Any, tokens: int | None, name: str, number: int) -> tuple[int, int]:
    if not (isinstance(mention, list) and len(mention) >= 2 and all(type(x) is int for x in mention[:2])):
        raise InputError(f"a mention is [start, end], not {mention!r:.40}", file=name, line=number)
    start, end = mention[:2]
    if end < start:
        raise InputError(f"span {mention!r} ends before it starts", file=name, line=number, hint="ends are inclusive")
    if start < 0 or end >= (_MOST_TOKENS if tokens is None else tokens):
        raise InputError(
            f"span {mention!r:.80} is outside the document{'' if tokens is None else f' of {tokens} tokens'}",
            file=name,
            line=number,
            hint="offsets count tokens of the document from 0, and the end is inclusive",
        )
    return start, end
