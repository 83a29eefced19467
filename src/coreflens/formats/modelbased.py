"""JSON of "Model-based Annotation of Coreference": mentions and the words of their antecedents, by two annotators.

    {"<id>": {"title": "...", "paragraph": "...", "entities": [...], "qas": {...},
              "a1": {"para_ann": [["161", "who", "messoud ould boulkheir"], ["326", "as", "$no_ref$"]], "q_ann": {}},
              "a2": {...}}, ...}

(Aralikatte and Søgaard 2020; wiki-span.json and quac-span.json.) An entry is a document. The key is read from the first
annotator, a1, and the response from the second, a2, which is empty if only one annotated the text. So `coreflens score
file.json file.json` gives their agreement. A mention begins at a character of the paragraph. If there are several
entries for one place, the first is read, as in the authors' script.

Only the words of an antecedent are known, in lower case. The antecedent is their last occurrence before the mention,
otherwise their first one after it, which is reported (`antecedent-place`). All mentions with the same antecedent words
are one entity, labelled by these words. Words that are not in the paragraph do not become a mention, and are reported.
`$no_ref$` marks words that refer to nothing. They become a mention with the attribute `referring` "no", which is
reported.

In wiki-grounded.json the antecedents are names of entities, which need not be in the text. Annotation of questions
(q_ann) and the list of entities are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import Any

from ..corpus.model import Corpus, Span
from ..files.notation import json_value
from .shared.builder import Builder
from .shared.closure import closure
from .shared.source import Source

_LOOKS = re.compile(rb'\s*\{\s*"[^"\\]*"\s*:\s*\{\s*"(?:title|paragraph|entities|qas|a1)"')
_NOTHING = re.compile(r"\$\w+\$")


def looks_like(head: bytes) -> bool:
    return _LOOKS.match(head) is not None and b'"paragraph"' in head


def read(source: Source) -> Corpus:
    twice: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice.extend(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return found

    entries = json_value(source.text, source.name, hint="is the file cut off?", pairs=unique)
    if not isinstance(entries, dict):
        source.fail("an object of documents by their ids is expected", line=1)
    builder = Builder(source, "modelbased", "character")
    if twice:
        source.report("duplicate-id", f"'{twice[0]:.60}' occurs twice", line=_at(source.text, twice[0], 0)[1])
    side = "a2" if source.role == "response" else "a1"
    empty = questions = at = 0
    line = 1
    for id, entry in entries.items():
        at, lines = _at(source.text, id, at)
        line += lines
        paragraph = entry.get("paragraph") if isinstance(entry, dict) else None
        if not isinstance(paragraph, str):
            source.report("syntax", f"document '{id:.60}' has no paragraph", line=line)
            continue
        given = entry.get(side) or {}
        listed = given.get("para_ann", []) if isinstance(given, dict) else None
        if not isinstance(listed, list):
            source.report("syntax", f"document '{id:.60}' has no list para_ann of {side}", line=line)
            continue
        empty += not given
        questions += bool(given and given.get("q_ann"))
        builder.document(id, line=line)
        builder.raw(paragraph)
        _annotation(builder, source, id, paragraph, listed, line)
    if questions:
        source.report("left-out", f"annotation of questions in {questions} documents: left out")
    if empty and builder.documents:
        source.report("no-coreference", f"{empty} documents have no annotation by {side}: without mentions")
    return builder.build()


def _at(text: str, id: str, start: int) -> tuple[int, int]:
    """The place of a document's id in the text, and how many lines further that is."""
    at = text.find(f'"{id}"', start)
    return (at, text.count("\n", start, at)) if at >= 0 else (start, 0)


def _annotation(builder: Builder, source: Source, id: str, text: str, listed: list[Any], line: int) -> None:
    lower = text.lower()
    if len(lower) != len(text):  # rare letters whose lower case is longer
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    mentions: dict[Span, str] = {}
    for item in listed:
        span = _mention(source, id, text, item, line)
        if span is None:
            continue
        if span in mentions:
            if mentions[span] != item[2]:
                message = (
                    f"document '{id:.60}': '{text[span[0] : span[1] + 1]:.40}' has two antecedents: the first counts"
                )
                source.report("left-out", message, line=line)
            continue
        mentions[span] = item[2]
    spans: dict[Span, None] = dict.fromkeys(sorted(mentions))
    nodes: dict[Span | str, None] = dict.fromkeys(spans)
    links: list[tuple[Span | str, Span | str]] = []
    known: dict[str, list[int]] = {}
    for span in spans:
        words = mentions[span]
        if _NOTHING.fullmatch(words):
            continue
        nodes[words] = None
        links.append((words, span))
        if words not in known:
            known[words] = _places(lower, words.lower())
        place = _antecedent(known[words], len(words.lower()), span[0])
        if place is None or place == span:
            if place is None:
                message = f"document '{id:.60}': the antecedent '{words:.60}' is not in the paragraph"
                source.report("left-out", message, line=line)
            continue
        source.report("antecedent-place", f"document '{id:.60}': '{words:.60}' at {place[0]}", line=line)
        nodes[place] = None
        links.append((words, place))
    nothing = {span for span in spans if _NOTHING.fullmatch(mentions[span])}
    if nothing:
        message = f"document '{id:.60}': {len(nothing)} mentions that refer to nothing"
        source.report("non-referring", message, line=line)
    order = [n for n in nodes if isinstance(n, str)] + [n for n in nodes if not isinstance(n, str)]
    entity = closure(order, links)
    for node in nodes:
        if not isinstance(node, str):
            label = entity[node]
            shown = label if isinstance(label, str) else f"{text[label[0] : label[1] + 1]}@{label[0]}"
            builder.mention(
                *node,
                shown,
                line=line,
                referring="no" if node in nothing else "",
                antecedent="" if node in nothing else mentions.get(node, ""),
            )


def _mention(source: Source, id: str, text: str, item: Any, line: int) -> Span | None:
    """The span of [offset, words, antecedent]."""
    right = isinstance(item, list) and len(item) == 3 and all(isinstance(x, str) for x in item)
    if not right or not (item[0].isascii() and item[0].isdecimal() and len(item[0]) < 12) or not item[1]:
        message = f"document '{id:.60}': {item!r:.60} is not a list of offset, words and antecedent"
        source.report("syntax", message, line=line)
        return None
    start = int(item[0])
    found = text[start : start + len(item[1])]
    if found != item[1]:
        message = f"document '{id:.60}': '{item[1]:.40}' should be at {start}, where '{found:.40}' is"
        source.report("text-mismatch", message, line=line)
        return None
    return start, start + len(item[1]) - 1


def _places(lower: str, words: str) -> list[int]:
    """Where words occur in a text; only as whole words, if there are such places."""
    if not words:
        return []
    places = [found.start() for found in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", lower)]
    return places or [found.start() for found in re.finditer(re.escape(words), lower)]


def _antecedent(places: list[int], size: int, before: int) -> Span | None:
    """The last place that ends before another place, otherwise the first one after it."""
    if not places:
        return None
    at = places[max(bisect_left(places, before - size + 1) - 1, 0)]
    return at, at + size - 1
