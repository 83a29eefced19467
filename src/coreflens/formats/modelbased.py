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
from typing import Any, TypeAlias

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
    entries = _entries(source)
    builder = Builder(source, "modelbased", "character")
    side = "a2" if source.role == "response" else "a1"
    empty = questions = place = 0
    line = 1
    for id, entry in entries.items():
        place, lines = _at(source.text, id, place)
        line += lines
        paragraph = entry.get("paragraph") if isinstance(entry, dict) else None
        if not isinstance(paragraph, str):
            source.report("syntax", f"document '{id:.60}' has no paragraph", line=line)
            continue
        annotation = entry.get(side) or {}
        items = annotation.get("para_ann", []) if isinstance(annotation, dict) else None
        if not isinstance(items, list):
            source.report("syntax", f"document '{id:.60}' has no list para_ann of {side}", line=line)
            continue
        if not annotation:
            empty += 1
        elif annotation.get("q_ann"):
            questions += 1
        builder.document(id, line=line)
        builder.raw(paragraph)
        _Paragraph(source, id, paragraph, line).add(builder, items)
    if questions:
        source.report("left-out", f"annotation of questions in {questions} documents: left out")
    if empty and builder.documents:
        source.report("no-coreference", f"{empty} documents have no annotation by {side}: without mentions")
    return builder.build()


def _entries(source: Source) -> dict[str, Any]:
    """The entries by the ids of their documents; a name that occurs twice is reported."""
    repeated_names: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            repeated_names.extend(name for name, count in counts.items() if count > 1)
        return fields

    entries = json_value(source.text, source.name, hint="is the file cut off?", pairs=unique)
    if not isinstance(entries, dict):
        source.fail("an object of documents by their ids is expected", line=1)
    if repeated_names:
        name = repeated_names[0]
        source.report("duplicate-id", f"'{name:.60}' occurs twice", line=_at(source.text, name, 0)[1])
    return entries


def _at(text: str, id: str, start: int) -> tuple[int, int]:
    """The place of a document's id in the text, and how many lines further that is."""
    at = text.find(f'"{id}"', start)
    return (at, text.count("\n", start, at)) if at >= 0 else (start, 0)


_Node: TypeAlias = Span | str  # a place, or the words of an antecedent


class _Paragraph:
    """The annotated text of a document."""

    def __init__(self, source: Source, id: str, text: str, line: int) -> None:
        self.source, self.id, self.text, self.line = source, id, text, line
        self.lower = _same_length_lower(text)
        self.places: dict[str, list[int]] = {}  # words of antecedents → where they occur

    def add(self, builder: Builder, items: list[Any]) -> None:
        """Add the mentions of a list of [offset, words, antecedent]."""
        antecedents = dict(sorted(self._antecedents(items).items()))
        non_referring = {span for span, words in antecedents.items() if _NOTHING.fullmatch(words)}
        nodes: dict[_Node, None] = dict.fromkeys(antecedents)
        links: list[tuple[_Node, _Node]] = []
        for span, words in antecedents.items():
            if span in non_referring:
                continue
            nodes[words] = None
            links.append((words, span))
            place = self._place_of(words, span)
            if place is not None:
                nodes[place] = None
                links.append((words, place))
        if non_referring:
            self._report("non-referring", f"{len(non_referring)} mentions that refer to nothing")
        labels_first = [n for n in nodes if isinstance(n, str)] + [n for n in nodes if not isinstance(n, str)]
        entity = closure(labels_first, links)
        for node in nodes:
            if isinstance(node, str):
                continue
            is_referring = node not in non_referring
            builder.mention(
                *node,
                self._label(entity[node]),
                line=self.line,
                referring="" if is_referring else "no",
                antecedent=antecedents.get(node, "") if is_referring else "",
            )

    def _antecedents(self, items: list[Any]) -> dict[Span, str]:
        """The words of the antecedent of each mention; the first counts."""
        antecedents: dict[Span, str] = {}
        for item in items:
            span = _mention(self.source, self.id, self.text, item, self.line)
            if span is None:
                continue
            if antecedents.setdefault(span, item[2]) != item[2]:
                mention = self.text[span[0] : span[1] + 1]
                self._report("left-out", f"'{mention:.40}' has two antecedents: the first counts")
        return antecedents

    def _place_of(self, words: str, mention: Span) -> Span | None:
        """Where the antecedent of a mention is; None if it is not in the text, or at the same place."""
        if words not in self.places:
            self.places[words] = _places(self.lower, words.lower())
        place = _antecedent(self.places[words], len(words.lower()), mention[0])
        if place is None:
            self._report("left-out", f"the antecedent '{words:.60}' is not in the paragraph")
        elif place != mention:
            self._report("antecedent-place", f"'{words:.60}' at {place[0]}")
            return place
        return None

    def _label(self, node: _Node) -> str:
        if isinstance(node, str):
            return node
        return f"{self.text[node[0] : node[1] + 1]}@{node[0]}"

    def _report(self, code: str, message: str) -> None:
        self.source.report(code, f"document '{self.id:.60}': {message}", line=self.line)


def _same_length_lower(text: str) -> str:
    """The text in lower case, except rare letters whose lower case is longer."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _mention(source: Source, id: str, text: str, item: Any, line: int) -> Span | None:
    """The span of [offset, words, antecedent]."""
    if not _is_item(item):
        message = f"document '{id:.60}': {item!r:.60} is not a list of offset, words and antecedent"
        source.report("syntax", message, line=line)
        return None
    start, words = int(item[0]), item[1]
    words_there = text[start : start + len(words)]
    if words_there != words:
        message = f"document '{id:.60}': '{words:.40}' should be at {start}, where '{words_there:.40}' is"
        source.report("text-mismatch", message, line=line)
        return None
    return start, start + len(words) - 1


def _is_item(item: object) -> bool:
    if not isinstance(item, list) or len(item) != 3 or not all(isinstance(x, str) for x in item):
        return False
    offset, words, _ = item
    return offset.isascii() and offset.isdecimal() and len(offset) < 12 and words != ""


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
