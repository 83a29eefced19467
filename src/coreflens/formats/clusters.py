"""Clusters of mentions that have only names, all in one document.

{"e1": ["m1", "m2"], "e2": ["m3"]}                                   entity → mentions (beard, INSPIRE)
{"e1": {"cluster_id": "e1", "signature_ids": ["m1", "m2"]}, ...}     the same in S2AND
{"type": "clusters", "clusters": {"e1": ["m1", "m2"]}}               scorch; `clusters` may also be a list
{"type": "graph", "mentions": ["m1", ...], "links": [["m1", "m2"]]}  scorch; the closure of the links
m1, m2                                                               one cluster per line (dblink), blanks are optional

Names that are numbers are read as text, as they are written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeGuard

import numpy as np

from ..corpus.model import Corpus, Document
from ..errors import InputError
from ..files.notation import json_value, repeated
from .links import components
from .shared.source import Source
from .table import labels_of, name_of

HOLDS = frozenset({"names", "labels", "singletons", "repeated mentions"})

_SCORCH = re.compile(rb'"type"\s*:\s*"(clusters|graph)"')
_JSON = re.compile(
    rb'\s*\{\s*"(?!tokens"|text")(?:[^"\\\n]|\\.)*"\s*:\s*(?:\[\s*["\d\]-]|\{\s*"(?:cluster_id|signature_ids)")'
)
_NAME = rb"[\w.:/#-]+"
_LINES = re.compile(rb"(?:%b(?:[ \t]*,[ \t]*%b)*[ \t]*\r?\n)+" % (_NAME, _NAME))


def looks_like(head: bytes) -> bool:
    if head.lstrip()[:1] == b"{":
        return bool(_SCORCH.search(head) or _JSON.match(head))
    return _looks_like_lines(head)


def _looks_like_lines(head: bytes) -> bool:
    """Whether there are only names and commas, more in some lines than in others. A table has the same in each line."""
    whole = head[: head.rfind(b"\n") + 1]
    return len({line.count(b",") for line in whole.split(b"\n") if line.strip()}) > 1 and bool(_LINES.fullmatch(whole))


def read(source: Source) -> Corpus:
    clusters = _json(source) if source.text.lstrip()[:1] == "{" else _lines(source)
    labels: dict[str, int] = {}
    entity: list[int] = []
    names: list[str] = []
    lines: list[int] = []
    for label, members, line in clusters:
        if label in labels:
            source.report("duplicate-id", f"the entity '{label[:40]}' occurs twice", line=line or None)
            continue
        number = labels.setdefault(label, len(labels))
        names += members
        entity += [number] * len(members)
        lines += [line] * len(members)
    nowhere = np.full(len(names), -1, dtype=np.int64)
    return Corpus(
        documents=[Document("", None, None, source.name, 1)],
        doc=np.zeros_like(nowhere),
        start=nowhere,
        end=nowhere,
        entity=np.array(entity, dtype=np.int64),
        labels=list(labels),
        names=names,
        line=np.array(lines, dtype=np.int64),
        source=source.name,
        format="clusters",
        issues=source.issues(),
    )


def _lines(source: Source) -> Iterator[tuple[str, list[str], int]]:
    for number, line in enumerate(source.text.split("\n"), start=1):
        if line.strip():
            members = [name.strip() for name in line.split(",")]
            if not all(members):
                source.report("syntax", "there is an empty name between commas", line=number)
            yield str(number), [name for name in members if name], number


def _json(source: Source) -> Iterator[tuple[str, list[str], int]]:
    whole = _pairs(source)
    fields = dict(whole)
    kind = fields.get("type")
    if isinstance(kind, str):
        _check_names(source, whole, line=1)
    if kind == "graph":
        yield from _graph(source, fields)
        return
    clusters = fields.get("clusters") if kind == "clusters" else whole
    for label, members in _labelled(source, clusters):
        if isinstance(members, _Pairs):
            _check_names(source, members)
            members = dict(members).get("signature_ids")
        if not _is_list(members):
            source.report("syntax", f"the cluster '{label[:40]}' is not a list of mentions", hint="entity → mentions")
            continue
        yield label, [_name(m) for m in members], 0


def _labelled(source: Source, clusters: object) -> list[tuple[str, object]]:
    """The clusters with their labels; in a list, these are their numbers."""
    if isinstance(clusters, _Pairs):
        return clusters
    if not isinstance(clusters, list):
        hint = '{"type": "clusters", "clusters": {"e1": ["m1", "m2"]}}'
        source.fail("'clusters' must have lists of mentions", hint=hint)
    return [(str(n), members) for n, members in enumerate(clusters)]


def _check_names(source: Source, pairs: _Pairs, line: int | None = None) -> None:
    """An error if a name occurs twice in an object."""
    if name := repeated([name for name, _ in pairs]):
        source.fail(f"the name '{name[:40]}' occurs twice in one object", line=line, code="duplicate-id")


def _is_list(value: object) -> TypeGuard[list[object]]:
    """Whether this is a list of JSON, and not an object."""
    return isinstance(value, list) and not isinstance(value, _Pairs)


class _Pairs(list[tuple[str, object]]):
    """A JSON object that keeps names that occur twice."""


def _pairs(source: Source) -> _Pairs:
    pairs = json_value(source.text, source.name, hint="is the file cut off?", pairs=_Pairs)
    if not isinstance(pairs, _Pairs):
        source.fail("a JSON object is expected: entity → mentions", line=1)
    return pairs


def _graph(source: Source, fields: dict[str, object]) -> Iterator[tuple[str, list[str], int]]:
    mentions, links = fields.get("mentions"), fields.get("links")
    if not isinstance(mentions, list) or not isinstance(links, list):
        hint = '{"type": "graph", "mentions": [...], "links": [[a, b]]}'
        source.fail("a graph must have 'mentions' and 'links'", hint=hint)
    number_of: dict[str, int] = {}
    for mention in mentions:
        number_of.setdefault(_name(mention), len(number_of))
    pairs: list[tuple[int, int]] = []
    for link in links:
        ends = [_name(x) for x in link] if _is_list(link) else []
        missing = [end for end in ends if end not in number_of]
        if len(ends) != 2:
            source.report("syntax", f"a link must be a pair of mentions, not {link!r:.40}")
        elif missing:
            source.report("dangling", f"a link has '{missing[0][:40]}', which is not among the mentions")
        else:
            pairs.append((number_of[ends[0]], number_of[ends[1]]))
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    roots = components(len(number_of), columns[:, 0], columns[:, 1]).tolist()
    members: dict[int, list[str]] = {}
    for name, root in zip(number_of, roots, strict=True):
        members.setdefault(root, []).append(name)
    for number, names in enumerate(members.values()):
        yield str(number), names, 0


def _name(thing: object) -> str:
    return thing if isinstance(thing, str) else json.dumps(thing, ensure_ascii=False)


def write(corpus: Corpus) -> Iterator[str]:
    """The JSON of scorch. The plain kind could be taken for it, if an entity had a label such as `type`."""
    if corpus.names is None or len(corpus.documents) > 1:
        problem = "these mentions have spans" if corpus.names is None else "there are several documents"
        message = f"clusters hold only names of mentions in one document, but {problem}"
        raise InputError(message, file=corpus.source or None, hint="a table can hold both")
    labels = labels_of(corpus)
    clusters: dict[str, list[str]] = {label: [] for label in labels}
    for name, entity in zip(corpus.names, corpus.entity.tolist(), strict=True):
        clusters[labels[entity]].append(name_of(name, "a mention", corpus))
    yield '{"type": "clusters", "clusters": {\n'
    kept = [(label, members) for label, members in clusters.items() if members]
    for place, (label, members) in enumerate(kept, start=1):
        comma = "," if place < len(kept) else ""
        yield f"{json.dumps(label)}: {json.dumps(members)}{comma}\n"
    yield "}}\n"
