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
    sentences = record.get("sentences") if isinstance(record, dict) else None
    clusters = record.get("mention_clusters") if isinstance(record, dict) else None
    if not (isinstance(sentences, list) and all(isinstance(s, list) for s in sentences) and isinstance(clusters, list)):
        what = f"fields {', '.join(record)[:80]}" if isinstance(record, dict) else f"{record!r:.40}"
        hint = "a document is {id, sentences, mention_clusters}; the last two are lists"
        source.report("syntax", f"this is not a document of PreCo: {what}", line=line, hint=hint)
        return
    if wrong := next((word for s in sentences for word in s if not isinstance(word, str)), None):
        source.report("syntax", f"a token must be a string, not {wrong!r:.40}", line=line)
        return
    name = record.get("id")
    builder.document(str(name) if name not in (None, "") else f"line-{line}", line=line)
    first: list[int] = []  # the place of each sentence in the document
    place = 0
    for sentence in sentences:
        first.append(place)
        if _is_break(sentence):
            continue
        builder.sentence()
        for word in sentence:
            builder.token(word, line=line)
        place += len(sentence)
    for number, cluster in enumerate(clusters):
        if not isinstance(cluster, list):
            source.report("syntax", f"a cluster must be a list of mentions, not {cluster!r:.40}", line=line)
            continue
        for mention in cluster:
            span = _span(source, mention, sentences, line)
            if span is not None:
                s, start, end = span
                builder.mention(first[s] + start, first[s] + end, (line, number), line=line)


def _is_break(sentence: list[str]) -> bool:
    """Whether this only separates two paragraphs."""
    return len(sentence) == 1 and not sentence[0].strip()


def _span(source: Source, mention: Any, sentences: list[list[str]], line: int) -> tuple[int, int, int] | None:
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
    if start < 0 or end > len(sentences[s]) or _is_break(sentences[s]):
        size = 0 if _is_break(sentences[s]) else len(sentences[s])
        message = f"mention {mention!r:.80} is not within its sentence of {size} tokens"
        source.report("span-range", message, line=line, hint="tokens are counted from 0, and the end is exclusive")
        return None
    return s, start, end - 1
