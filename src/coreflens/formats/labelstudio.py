"""Label Studio's JSON export: tasks with labelled regions of a text and relations between them.

    [{"id": 7, "data": {"text": "Ann left. She slept."},
      "annotations": [{"id": 1, "was_cancelled": false, "result": [
        {"id": "a1", "from_name": "label", "to_name": "text", "type": "labels",
         "value": {"start": 0, "end": 3, "text": "Ann", "labels": ["Person"]}},
        {"from_id": "b2", "to_id": "a1", "type": "relation", "direction": "right", "labels": ["coref"]}]}]}, ...]

A task is a document, named by its id. Its text is the value of `data` that the regions' `to_name` or the field `text`
names. Regions of the type `labels` are mentions, with their labels as `type`, and count characters, the end excluded.
Relations with `coref` in their label link two of them. If no relation of the file has such a label, relations without a
label are links. Entities are the closure of the links, and regions without a link are singletons. The first annotation
of a task that was not cancelled is read. Further annotations, predictions, other relations and other types of result
are left out and counted. The export JSON-MIN has no relations and is not this format.

Definition: the page on the task format in Label Studio's guide (labelstud.io). No real file was tried.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ..corpus.model import Corpus, Span
from ..files.notation import json_value
from .shared.builder import Builder, unlabelled
from .shared.closure import closure
from .shared.source import Source

_COREF = re.compile(r"coref", re.I)
_RESULT = re.compile(rb'"result"\s*:\s*\[')


def looks_like(head: bytes) -> bool:
    return head.lstrip()[:1] in (b"[", b"{") and b'"annotations"' in head and bool(_RESULT.search(head))


def read(source: Source) -> Corpus:
    given = json_value(source.text, source.name, hint="is the file cut off?")
    tasks = given if isinstance(given, list) else [given]
    left_out: Counter[str] = Counter()
    chosen: list[tuple[dict[str, Any], list[dict[str, Any]], int]] = []
    for number, task in enumerate(tasks, start=1):
        if not isinstance(task, dict) or not isinstance(task.get("annotations"), list):
            source.report("syntax", f"task {number} is not an object with annotations", line=1)
            continue
        kept = [a for a in task["annotations"] if isinstance(a, dict) and not a.get("was_cancelled")]
        left_out["further annotations"] += max(len(task["annotations"]) - 1, 0)
        left_out["predictions"] += len(task["predictions"]) if isinstance(task.get("predictions"), list) else 0
        results = kept[0].get("result") if kept else []
        chosen.append((task, [r for r in results if isinstance(r, dict)] if isinstance(results, list) else [], number))
    named = any(_coref(r) for _, results, _ in chosen for r in results if r.get("type") == "relation")
    builder = Builder(source, "labelstudio", "character")
    for task, results, number in chosen:
        _task(builder, source, task, results, number, named, left_out)
    for what, count in left_out.items():
        if count:
            source.report("left-out", f"{what}: {count} left out")
    return unlabelled(builder.build())


def _labels(result: dict[str, Any]) -> list[str]:
    found = result.get("labels")
    return [str(label) for label in found] if isinstance(found, list) else []


def _coref(relation: dict[str, Any]) -> bool:
    return any(_COREF.search(label) for label in _labels(relation))


def _text(task: dict[str, Any], results: list[dict[str, Any]]) -> str | None:
    """The text that has the regions."""
    data = task.get("data")
    if not isinstance(data, dict):
        return None
    names = [str(r["to_name"]) for r in results if r.get("type") == "labels" and r.get("to_name")]
    values = [data.get(name) for name in (*names[:1], "text")]
    texts = [value for value in (*values, *data.values()) if isinstance(value, str)]
    return texts[0] if values and isinstance(values[0], str) else next(iter(texts), None)


def _task(
    builder: Builder,
    source: Source,
    task: dict[str, Any],
    results: list[dict[str, Any]],
    number: int,
    named: bool,
    left_out: Counter[str],
) -> None:
    text = _text(task, results)
    if text is None:
        source.report("syntax", f"task {number} has no text in its data", line=1)
        return
    builder.document(str(task.get("id", number)), line=1)
    builder.raw(text)
    regions: dict[str, tuple[Span, str]] = {}
    for result in results:
        if result.get("type") == "labels":
            _region(source, result, text, number, regions)
        elif result.get("type") != "relation":
            left_out[f"results of the type {result.get('type')!s:.20}"] += 1
    links = []
    for relation in (r for r in results if r.get("type") == "relation"):
        if not _coref(relation) if named else _labels(relation):
            left_out["relations that are not coreference"] += 1
            continue
        ends = str(relation.get("from_id")), str(relation.get("to_id"))
        missing = next((end for end in ends if end not in regions), None)
        if missing is not None:
            what = f"task {number}: a relation refers to '{missing:.40}', which does not exist"
            source.report("dangling", what, line=1)
        else:
            links.append(ends)
    entity = closure(regions, links)
    for id, (span, labels) in regions.items():
        builder.mention(*span, (number, entity[id]), line=1, type=labels, id=id)


def _region(
    source: Source, result: dict[str, Any], text: str, number: int, regions: dict[str, tuple[Span, str]]
) -> None:
    value, id = result.get("value"), result.get("id")
    start, end = (value.get("start"), value.get("end")) if isinstance(value, dict) else (None, None)
    where = f"task {number}: region '{id!s:.40}'"
    if type(start) is not int or type(end) is not int or not isinstance(value, dict) or not isinstance(id, str):
        source.report("syntax", f"{where} has no id, start and end", line=1)
    elif id in regions:
        source.report("duplicate-id", f"{where} occurs twice", line=1)
    elif end <= start:
        source.report("span-order", f"{where}: [{start}, {end}) is empty or ends before it starts", line=1)
    elif start < 0 or end > len(text):
        source.report("span-range", f"{where}: [{start}, {end}) is not within {len(text)} characters", line=1)
    elif isinstance(value.get("text"), str) and value["text"].split() != text[start:end].split():
        message = f"{where} quotes '{value['text']:.40}', but the text has '{text[start:end]:.40}'"
        source.report("text-mismatch", message, line=1)
    else:
        regions[id] = ((start, end - 1), ",".join(_labels(value)))
