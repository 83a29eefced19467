r"""Clusters as JSON, as language models write them: lists of strings or spans, alone, in a fence, or between remarks.

    [["Ada", "her"], ["her aunt"]]                          clusters of strings, which have no places
    [[[0, 0], [3, 3]], [[3, 4]]]                            clusters of spans: first and last token, from 0
    {"clusters": ...}, {"Ada": ["Ada", "her"]}, [{"entity": "Ada", "mentions": ["Ada", "her"]}]
    {"doc1": [["Ada", "her"]], "doc2": [...]}               several documents by their names

A record with words, in `tokens` or `sentences`, is read as the format that it has (crac-json, jsonlines). Strings get
their places from the text of the other side: see `matching.strings`. If several values look like clusters, the last one
counts. The text around it is left out as remarks of the model. Both are reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...corpus.model import file_stem
from ...errors import InputError
from ...files.notation import check_nesting, json_value
from ..shared.builder import Builder
from ..shared.source import Source
from ..shared.tolerant import mended

_FENCE = re.compile(r"(?m)^[ \t]*```[^\n`]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL)
_BEGIN = re.compile(
    r"""\[\s*\[\s*(?:["']|\[\s*\d|\])"""  # [["Ada", [[[0,
    r"""|\{\s*["'][^"'\n]{0,80}["']\s*:\s*(?:\[\s*["'\[{]|\{\s*["'][^"'\n]{0,80}["']\s*:\s*\[)"""  # {"clusters": [[
    r"""|\[\s*\{[^\[\]{}]{0,200}["'](?:mentions|members|spans|tokens|sentences)["']\s*:"""  # [{"entity": 1, "mentions":
    r"""|\{\s*["'](?:doc_id|doc_key)["']\s*:"""  # a record with its words
)
_WHOLE = ("clusters", "entities", "coreference", "chains", "coreference_clusters", "answer")
_MEMBERS = ("mentions", "members", "spans")
_TEXT = ("text", "mention", "span", "string")
_LABEL = ("id", "entity", "label", "name", "cluster", "cluster_id")
_WORDS = ("tokens", "sentences", "cased_words")
REPAIR = "--repair closes a value that is cut off, and reports it"
SHAPE = 'clusters are lists of mentions, such as [["Ada", "her"], ["her aunt"]]; --repair leaves out everything else'


class Place(NamedTuple):
    """Where a value begins and stops in the text, and the line (from 1) of its first character."""

    begin: int
    stop: int
    line: int


def find(text: str) -> list[Place]:
    """The places of values that look like clusters: those in fences, if there are any, otherwise the first one."""
    places = []
    for fence in _FENCE.finditer(text):
        inside = fence[1]
        if (match := _BEGIN.search(inside)) and not inside[: match.start()].strip():
            places.append((fence.start(1) + match.start(), fence.end(1)))
    if not places and (match := _BEGIN.search(text)):
        places = [(match.start(), len(text))]
    return [Place(begin, stop, text.count("\n", 0, begin) + 1) for begin, stop in places]


def begins(head: str) -> bool:
    """Whether the text has a value that looks like clusters of strings or spans, not like the record of a format."""
    return bool(find(head))


def read_lists(source: Source, builder: Builder, text: str, above: int, kinds: set[str]) -> None:
    """Add the clusters of one document to the builder; `above` is the number of lines before the text.

    `kinds` has the kinds of mentions in the file so far: strings or spans.
    """
    places = find(text)
    if not places:
        if not builder.documents:
            builder.document(file_stem(source.name), line=1)
        if text.strip():
            source.report("left-out", "a remark without an answer", line=above + 1)
        return
    for other in places[:-1]:
        source.report("left-out", "earlier clusters: the last ones count", line=above + other.line)
    last = places[-1]
    line = above + last.line
    value, stop = _value(source, text[last.begin : last.stop], line)
    _talk(source, text, last.begin, last.begin + stop, above)
    if not builder.documents:  # the value has the names of documents, if there are any
        if _are_documents(value):
            for name, clusters in value.items():
                builder.document(name, line=line)
                _add(source, builder, clusters, line, kinds)
            return
        builder.document(file_stem(source.name), line=1)
    _add(source, builder, value, line, kinds)


def _are_documents(value: object) -> bool:
    """Whether an object is document → clusters, and not entity → mentions: its lists are one level deeper."""
    if not isinstance(value, dict) or any(name in value for name in _WHOLE):
        return False
    documents = list(value.values())
    if not all(isinstance(clusters, list) for clusters in documents) or not any(documents):
        return False
    return all(_is_cluster(cluster) for clusters in documents for cluster in clusters)


def _is_cluster(value: object) -> bool:
    """Whether a list may be one of mentions; a list with a number may be a mention."""
    return isinstance(value, list) and not any(type(member) is int for member in value)


def _add(source: Source, builder: Builder, value: object, line: int, kinds: set[str]) -> None:
    """Add the clusters of a document to the builder."""
    for label, members in _clusters(source, value, line):
        for member in members:
            mention = _mention(source, member, line)
            if mention is None:
                continue
            kinds.add(type(mention).__name__)
            if len(kinds) > 1:
                source.fail("some mentions are strings and some are spans", line=line, hint=SHAPE)
            if isinstance(mention, str):
                builder.mention(-1, -1, label, line=line, name=mention)
            else:
                builder.mention(*mention, label, line=line)


def record_in(source: Source) -> Source | None:
    """The only value of a file, if it is a record with words, as a source for its format."""
    places = find(source.text)
    if not places:
        return None
    last = places[-1]
    piece = source.text[last.begin : last.stop]
    if not any(re.search(rf'[{{,]\s*"{name}"\s*:', piece) for name in _WORDS):
        return None
    value, stop = _value(source, piece, last.line)
    records = value if isinstance(value, list) else [value]
    if not all(_has_words(record) for record in records):
        return None
    _talk(source, source.text, last.begin, last.begin + stop, 0)
    data = ("\n" * (last.line - 1) + json.dumps(records)).encode()
    return replace(source, data=data, problems=source.problems)


def _has_words(record: object) -> bool:
    return isinstance(record, dict) and any(isinstance(record.get(name), list) for name in _WORDS)


def _value(source: Source, text: str, line: int) -> tuple[Any, int]:
    """The value at the beginning of a text, and where it stops."""
    stop = _closing(text)
    piece = text[:stop]
    check_nesting(piece, source.name, line)
    try:
        return json_value(piece, source.name, first=line, hint=REPAIR), stop
    except InputError as error:
        if error.code == "limit":
            raise
        if not (source.repairs or source.lenient):
            raise
        value, problems, behind = mended(text)
        for message, at in problems:
            row = line + text.count("\n", 0, at)
            source.report("syntax", message, line=row, column=at - text.rfind("\n", 0, at), hint=REPAIR)
        return value, behind


def _closing(text: str) -> int:
    """Where the brackets at the beginning of the text are closed; the end of the text if they never are."""
    depth, within = 0, False
    for match in re.finditer(r'\\.|["\[\]{}]', text, re.DOTALL):
        mark = match[0]
        if mark == '"':
            within = not within
        elif not within and mark in "[{":
            depth += 1
        elif not within and mark in "]}":
            depth -= 1
            if not depth:
                return match.end()
    return len(text)


def _talk(source: Source, text: str, begin: int, stop: int, above: int) -> None:
    """Report each line of text around the value, except fences."""
    outside = text[:begin] + re.sub(r"[^\n]", " ", text[begin:stop]) + text[stop:]
    for n, line in enumerate(outside.split("\n"), start=above + 1):
        if line.strip() and not line.lstrip().startswith("```"):
            source.report("left-out", "a remark before or after the answer, not part of it", line=n)


def _clusters(source: Source, value: Any, line: int) -> Iterator[tuple[str, list[Any]]]:
    """Label → mentions, for all shapes."""
    while isinstance(value, dict) and (name := _first_field(value, _WHOLE, (list, dict))):
        value = value[name]
    labelled: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        labelled = value.items()
    elif isinstance(value, list):
        labelled = enumerate(value, start=1)
    else:
        source.report("syntax", f"clusters must be a list, not {value!r:.40}", line=line, hint=SHAPE)
    for label, cluster in labelled:
        members = cluster
        if isinstance(cluster, dict):
            label_field = _first_field(cluster, _LABEL, (str, int))
            if label_field and isinstance(value, list):
                label = cluster[label_field]
            members_field = _first_field(cluster, _MEMBERS, (list,))
            members = cluster[members_field] if members_field else cluster
        if not isinstance(members, list):
            source.report("syntax", f"the cluster '{label!s:.40}' is not a list of mentions", line=line, hint=SHAPE)
            continue
        yield str(label), members


def _first_field(value: dict[str, Any], names: Sequence[str], types: tuple[type, ...]) -> str:
    """The first of these fields that has a value of these types; empty if there is none."""
    return next((name for name in names if isinstance(value.get(name), types)), "")


def _mention(source: Source, given: object, line: int) -> str | tuple[int, int] | None:
    """A string or a span; anything else is reported, and the result is None."""
    if isinstance(given, dict) and (field := _first_field(given, _TEXT, (str, list))):
        given = given[field]
    if isinstance(given, str) and given.strip():
        return " ".join(given.split())
    if isinstance(given, list) and len(given) == 2 and all(type(x) is int for x in given):
        return _span(source, given, line)
    source.report("syntax", f"a mention must be a string or [first, last], not {given!r:.40}", line=line, hint=SHAPE)
    return None


def _span(source: Source, given: list[int], line: int) -> tuple[int, int] | None:
    first, last = given
    if 0 <= first <= last:
        return first, last
    code = "span-order" if last < first else "span-range"
    message = f"the span {given} ends before it starts, or starts before the text"
    source.report(code, message, line=line, hint="--repair leaves it out, and reports it")
    return None
