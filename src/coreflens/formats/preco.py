"""PreCo: one document per line of JSON (Chen et al. 2018).

    {"id": "d", "sentences": [["Ann", "slept", "."], [" "], ["She", "snored", "."]],
     "mention_clusters": [[[0, 0, 1], [2, 0, 1]]]}

A mention is [sentence, first, end], counted from 0; `first` and `end` are tokens of the sentence, and the end is
exclusive. A sentence of one blank separates two paragraphs. It is not a word, and has no mention. Entities have
no names. Singletons are annotated.
"""

from __future__ import annotations

import re
from typing import Any

from ..corpus.model import Corpus
from ..errors import InputError
from ..files.notation import json_value
from .shared.builder import Builder, unlabelled
from .shared.source import Source

_HEAD = re.compile(rb"\s*\{")
_FIELD = b'"mention_clusters"'


def looks_like(head: bytes) -> bool:
    return bool(_HEAD.match(head)) and _FIELD in head and b'"sentences"' in head


def read(source: Source) -> Corpus:
    builder = Builder(source, "preco")
    for number, line in enumerate(source.text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json_value(line, source.name, first=number)
        except InputError as error:
            hint = error.hint or "one JSON object per line; is the file cut off?"
            source.report(error.code, error.message, line=number, column=error.column, hint=hint)
        else:
            _document(builder, source, record, number)
    return unlabelled(builder.build())


def _document(builder: Builder, source: Source, record: Any, line: int) -> None:
    if not _is_document(record):
        given = f"fields {', '.join(record)[:80]}" if isinstance(record, dict) else f"{record!r:.40}"
        hint = "a document is {id, sentences, mention_clusters}; the last two are lists"
        source.report("syntax", f"this is not a document of PreCo: {given}", line=line, hint=hint)
        return
    sentences = record["sentences"]
    words = (word for sentence in sentences for word in sentence)
    if wrong := next((word for word in words if not isinstance(word, str)), None):
        source.report("syntax", f"a token must be a string, not {wrong!r:.40}", line=line)
        return
    name = record.get("id")
    builder.document(str(name) if name not in (None, "") else f"line-{line}", line=line)
    first = _add_words(builder, sentences, line)
    for number, cluster in enumerate(record["mention_clusters"]):
        if not isinstance(cluster, list):
            source.report("syntax", f"a cluster must be a list of mentions, not {cluster!r:.40}", line=line)
            continue
        for mention in cluster:
            place = _place(source, mention, sentences, line)
            if place is not None:
                sentence, start, end = place
                builder.mention(first[sentence] + start, first[sentence] + end, (line, number), line=line)


def _is_document(record: object) -> bool:
    if not isinstance(record, dict) or not isinstance(record.get("mention_clusters"), list):
        return False
    sentences = record.get("sentences")
    return isinstance(sentences, list) and all(isinstance(sentence, list) for sentence in sentences)


def _add_words(builder: Builder, sentences: list[list[str]], line: int) -> list[int]:
    """Add the words of a document; returns the place of each sentence in it."""
    first: list[int] = []
    place = 0
    for sentence in sentences:
        first.append(place)
        if _is_break(sentence):
            continue
        builder.sentence()
        for word in sentence:
            builder.token(word, line=line)
        place += len(sentence)
    return first


def _is_break(sentence: list[str]) -> bool:
    """Whether this only separates two paragraphs."""
    return len(sentence) == 1 and not sentence[0].strip()


def _place(source: Source, mention: object, sentences: list[list[str]], line: int) -> tuple[int, int, int] | None:
    """Sentence, first and last token of a mention; an impossible place is reported, and the result is None."""
    if not (isinstance(mention, list) and len(mention) == 3 and all(type(x) is int for x in mention)):
        source.report("syntax", f"a mention must be [sentence, first, end], not {mention!r:.40}", line=line)
        return None
    s, start, end = mention
    if not 0 <= s < len(sentences):
        message = f"mention {mention!r:.80} is in sentence {s}, but there are {len(sentences)}, counted from 0"
        source.report("span-range", message, line=line)
        return None
    if start >= end:
        source.report("span-order", f"mention {mention!r:.80} has no token", line=line, hint="ends are exclusive here")
        return None
    size = 0 if _is_break(sentences[s]) else len(sentences[s])
    if start < 0 or end > size:
        message = f"mention {mention!r:.80} is not within its sentence of {size} tokens"
        source.report("span-range", message, line=line, hint="tokens are counted from 0, and the end is exclusive")
        return None
    return s, start, end - 1
