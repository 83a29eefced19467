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
from typing import Any, NamedTuple

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
    export = json_value(source.text, source.name, hint="is the file cut off?")
    left_out: Counter[str] = Counter()
    tasks: list[_Task] = []
    for number, task in enumerate(export if isinstance(export, list) else [export], start=1):
        if not isinstance(task, dict) or not isinstance(task.get("annotations"), list):
            source.report("syntax", f"task {number} is not an object with annotations", line=1)
            continue
        left_out["further annotations"] += max(len(task["annotations"]) - 1, 0)
        predictions = task.get("predictions")
        left_out["predictions"] += len(predictions) if isinstance(predictions, list) else 0
        tasks.append(_Task(number, task, _results(task)))
    has_named_links = any(_is_coref(relation) for task in tasks for relation in task.relations)
    builder = Builder(source, "labelstudio", "character")
    for task in tasks:
        _add(builder, source, task, has_named_links, left_out)
    for kind, count in left_out.items():
        if count:
            source.report("left-out", f"{kind}: {count} left out")
    return unlabelled(builder.build())


class _Task(NamedTuple):
    """A task, and the results of the annotation that is read."""

    number: int
    fields: dict[str, object]
    results: list[dict[str, object]]

    @property
    def relations(self) -> list[dict[str, object]]:
        return [result for result in self.results if result.get("type") == "relation"]


def _results(task: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of the first annotation that was not cancelled."""
    for annotation in task["annotations"]:
        if isinstance(annotation, dict) and not annotation.get("was_cancelled"):
            results = annotation.get("result")
            return [r for r in results if isinstance(r, dict)] if isinstance(results, list) else []
    return []


def _labels(result: dict[str, object]) -> list[str]:
    labels = result.get("labels")
    return [str(label) for label in labels] if isinstance(labels, list) else []


def _is_coref(relation: dict[str, object]) -> bool:
    return any(_COREF.search(label) for label in _labels(relation))


def _text(task: _Task) -> str | None:
    """The text that has the regions: the one they name, the field `text`, or the first text."""
    data = task.fields.get("data")
    if not isinstance(data, dict):
        return None
    regions = (result for result in task.results if result.get("type") == "labels")
    names = [str(region["to_name"]) for region in regions if region.get("to_name")]
    values = (data.get(name) for name in (*names[:1], "text"))
    return next((value for value in (*values, *data.values()) if isinstance(value, str)), None)


def _add(builder: Builder, source: Source, task: _Task, has_named_links: bool, left_out: Counter[str]) -> None:
    """Add the document of a task."""
    text = _text(task)
    if text is None:
        source.report("syntax", f"task {task.number} has no text in its data", line=1)
        return
    builder.document(str(task.fields.get("id", task.number)), line=1)
    builder.raw(text)
    regions: dict[str, tuple[Span, str]] = {}
    for result in task.results:
        if result.get("type") == "labels":
            _region(source, result, text, task.number, regions)
        elif result.get("type") != "relation":
            left_out[f"results of the type {result.get('type')!s:.20}"] += 1
    links = []
    for relation in task.relations:
        is_link = _is_coref(relation) if has_named_links else not _labels(relation)
        if not is_link:
            left_out["relations that are not coreference"] += 1
            continue
        ends = str(relation.get("from_id")), str(relation.get("to_id"))
        missing = next((end for end in ends if end not in regions), None)
        if missing is not None:
            message = f"task {task.number}: a relation refers to '{missing:.40}', which does not exist"
            source.report("dangling", message, line=1)
        else:
            links.append(ends)
    entity = closure(regions, links)
    for id, (span, labels) in regions.items():
        builder.mention(*span, (task.number, entity[id]), line=1, type=labels, id=id)


def _region(
    source: Source, result: dict[str, object], text: str, number: int, regions: dict[str, tuple[Span, str]]
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
