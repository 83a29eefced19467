"""Prodigy's JSONL with relations, as coref.manual and rel.manual write it: one task per line.

    {"text": "Ann left. She slept.", "_task_hash": 123, "answer": "accept",
     "tokens": [{"text": "Ann", "start": 0, "end": 3, "id": 0}, ...],
     "spans": [{"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "NP"}, ...],
     "relations": [{"head": 3, "child": 0, "label": "COREF", "head_span": {"start": 10, "end": 13, ...},
                    "child_span": {"start": 0, "end": 3, ...}}, ...]}

A task is a document, named by `doc_id`, `id` or `title` of its `meta`, otherwise by `_task_hash`, otherwise by its
number. Spans count characters, the end excluded. Relations with `coref` in their label link two mentions, and entities
are the closure of the links. If no relation of the file has such a label, relations without a label are links. Spans
without a link are singletons. Their label is their `type`. Other relations, and tasks that were rejected or ignored,
are left out and counted.

Definition: the pages on dependencies and relations, and on the API of interfaces, of Prodigy's documentation (prodi.gy,
version 1.10 and later). No real file was tried.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from ..corpus.model import Corpus, Span, file_stem
from ..files.notation import json_value
from .shared.builder import Builder, unlabelled
from .shared.closure import closure
from .shared.source import Source

_COREF = re.compile(r"coref", re.I)
_SPANS = re.compile(rb'"(?:head_span|_task_hash|_input_hash)"\s*:')


def looks_like(head: bytes) -> bool:
    return head.lstrip()[:1] == b"{" and b'"text"' in head and b'"relations"' in head and bool(_SPANS.search(head))


def read(source: Source) -> Corpus:
    tasks: list[tuple[int, dict[str, Any]]] = []
    left_out: Counter[str] = Counter()
    for number, line in enumerate(source.text.split("\n"), start=1):
        if not line.strip():
            continue
        task = json_value(line, source.name, first=number, hint="one JSON object per line; is the file cut off?")
        if not isinstance(task, dict) or not isinstance(task.get("text"), str):
            source.report("syntax", "this task has no text", line=number)
        elif task.get("answer", "accept") != "accept":
            left_out[f"tasks with the answer {json.dumps(task['answer']):.20}"] += 1
        else:
            tasks.append((number, task))
    relations = (relation for _, task in tasks for relation in _listed(task, "relations"))
    has_named_links = any(_COREF.search(str(relation.get("label"))) for relation in relations)
    builder = Builder(source, "prodigy", "character")
    for place, (number, task) in enumerate(tasks):
        builder.document(_name(task, source, place, len(tasks)), line=number)
        builder.raw(task["text"])
        _task(builder, source, task, number, has_named_links, left_out)
    for kind, count in left_out.items():
        source.report("left-out", f"{kind}: {count} left out")
    return unlabelled(builder.build())


def _listed(task: dict[str, object], field: str) -> list[dict[str, object]]:
    items = task.get(field)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _name(task: dict[str, object], source: Source, place: int, tasks: int) -> str:
    meta = task.get("meta")
    if isinstance(meta, dict):
        for key in ("doc_id", "id", "title"):
            if isinstance(meta.get(key), (str, int)) and str(meta[key]):
                return str(meta[key])
    if isinstance(task.get("_task_hash"), int):
        return str(task["_task_hash"])
    return file_stem(source.name) + (f"_{place + 1}" if tasks > 1 else "")


def _task(
    builder: Builder, source: Source, task: dict[str, Any], line: int, has_named_links: bool, left_out: Counter[str]
) -> None:
    size = len(task["text"])
    label_of: dict[Span, str] = {}
    for item in _listed(task, "spans"):
        span = _span(source, item, size, line)
        if span is not None:
            label_of.setdefault(span, str(item.get("label") or ""))
    links: list[tuple[Span, Span]] = []
    for relation in _listed(task, "relations"):
        label = relation.get("label")
        if not _is_link(label, has_named_links):
            left_out[f"relations {json.dumps(label):.40}"] += 1
            continue
        head = _span(source, relation.get("head_span"), size, line)
        child = _span(source, relation.get("child_span"), size, line)
        if head is not None and child is not None:
            label_of.setdefault(head, "")
            label_of.setdefault(child, "")
            links.append((head, child))
    entity = closure(label_of, links)
    for span, label in label_of.items():
        builder.mention(*span, (line, entity[span]), line=line, type=label)


def _is_link(label: object, has_named_links: bool) -> bool:
    """Whether a relation links mentions: by its label, or by having none if no label of the file names coreference."""
    if has_named_links:
        return bool(label) and _COREF.search(str(label)) is not None
    return not label


def _span(source: Source, item: object, size: int, line: int) -> Span | None:
    start, end = (item.get("start"), item.get("end")) if isinstance(item, dict) else (None, None)
    if type(start) is not int or type(end) is not int:
        source.report("syntax", f"{json.dumps(item)[:60]} has no start and end", line=line)
    elif end <= start:
        source.report("span-order", f"the span [{start}, {end}) is empty or ends before it starts", line=line)
    elif start < 0 or end > size:
        source.report("span-range", f"the span [{start}, {end}) is not within the {size} characters", line=line)
    else:
        return start, end - 1
    return None
