"""The JSON that the CRAC tasks give to language models: a list of documents.

[{"doc_id": "d", "tokens": ["Los", "jugadores", "prefieren", "##"],
  "clusters_token_offsets": [[[0, 1], [3, 3]]],
  "clusters_text_mentions": [["Los jugadores", "##"]]}]

A mention is [first, last], with tokens counted from 0. Tokens that were never written (zeros, empty nodes) begin with
`##`. Entities have no names: they are e1, e2, ... in their order. If the offsets are null or missing, there are no
mentions, as in the blind files of the tasks. The texts of mentions are not read. It can hold the same things as
`crac-text`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..corpus.model import Corpus
from ..errors import InputError
from ..files.notation import json_value
from .crac_text import numbered, pieces_with_heads, word_of
from .shared.builder import Builder
from .shared.repairs import repairing
from .shared.source import Source
from .shared.tolerant import mended

__all__ = ["HOLDS", "looks_like", "read", "write"]

HOLDS = frozenset(
    {"words", "spans", "documents", "documents without mentions", "singletons", "crossing mentions"}
    | {"repeated mentions", "zeros"}
)

_CLOSES = "--repair closes a value that is cut off, and reports it"
_LEAVES = "--repair leaves it out, and reports it"
_OTHER = re.compile(rb'"(?:predicted_)?clusters"')
_HEAD = re.compile(rb'\s*\[\s*\{\s*"doc_id"\s*:')


def looks_like(head: bytes) -> bool:
    """Whether it is a list of records that begin with `doc_id` and have tokens, but no clusters under another name."""
    return bool(_HEAD.match(head)) and b'"tokens"' in head and not _OTHER.search(head)


def read(source: Source) -> Corpus:
    source.repairs = repairing()
    builder = Builder(source, "crac-json")
    records = _records(source)
    if not isinstance(records, list):
        source.fail("a list of documents is expected")
    for record in records:
        _document(source, builder, record)
    return builder.build()


def _records(source: Source) -> Any:
    """The JSON of the file; a repair reads a file that is cut off up to its end."""
    try:
        return json_value(source.text, source.name, hint=_CLOSES)
    except InputError as error:
        if not (source.repairs or source.lenient) or error.code == "limit":
            raise
    text = source.text
    value, problems, _ = mended(text)
    for what, at in problems:
        source.report(
            "syntax", what, line=text.count("\n", 0, at) + 1, column=at - text.rfind("\n", 0, at), hint=_CLOSES
        )
    return value


def _document(source: Source, builder: Builder, record: Any) -> None:
    name = record.get("doc_id") if isinstance(record, dict) else None
    tokens = record.get("tokens") if isinstance(record, dict) else None
    if not isinstance(name, str) or not isinstance(tokens, list) or not all(isinstance(t, str) and t for t in tokens):
        source.fail(f"a document must be {{doc_id, tokens, clusters_token_offsets}}, not {record!r:.60}")
    builder.document(name)
    for token in tokens:
        empty = token.startswith("##")
        builder.token((token.removeprefix("##") or "_") if empty else token, empty=empty)
    clusters = record.get("clusters_token_offsets")
    if clusters is None:
        return
    if not isinstance(clusters, list):
        source.fail(f"the clusters of document '{name[:80]}' must be a list, not {clusters!r:.40}")
    for n, cluster in enumerate(clusters, start=1):
        for span in cluster if isinstance(cluster, list) else [cluster]:
            if not isinstance(span, list) or len(span) != 2 or any(type(x) is not int for x in span):
                message = f"document '{name[:80]}': a mention must be [first, last], not {span!r:.40}"
                source.report("syntax", message, hint=_LEAVES)
            elif span[0] > span[1]:
                message = f"document '{name[:80]}': the mention {span} ends before it starts"
                source.report("span-order", message, hint=_LEAVES)
            elif span[0] < 0 or span[1] >= len(tokens):
                message = f"document '{name[:80]}': the mention {span} is not within the {len(tokens)} tokens"
                source.report("span-range", message, hint=_LEAVES)
            else:
                builder.mention(span[0], span[1], f"e{n}")


def write(corpus: Corpus) -> Iterator[str]:
    """A list, one document per line; offsets are null if the corpus has no mentions."""
    if corpus.names is not None and (corpus.start < 0).any():
        raise InputError("offsets need spans, but these mentions have only names", file=corpus.source or None)
    text = corpus.text
    for d, document in enumerate(corpus.documents):
        here = text.document(d)
        tokens = [
            word_of(text.words[t], text.empty is not None and bool(text.empty[t])) for t in range(here.start, here.stop)
        ]
        for token, t in zip(tokens, range(here.start, here.stop), strict=True):
            if not token or (token.startswith("##") and (text.empty is None or not text.empty[t])):
                raise InputError(f"the word {token!r:.40} would be read as something else", file=corpus.source or None)
        number = numbered(corpus, d)
        spans: list[list[list[int]]] = [[] for _ in number]
        for row in range(*corpus.bounds[d : d + 2].tolist()):
            spans[number[int(corpus.entity[row])] - 1].append(list(pieces_with_heads(corpus, row)))
        words = [[" ".join(tokens[start : end + 1]) for start, end in cluster] for cluster in spans]
        marked = {"clusters_token_offsets": spans, "clusters_text_mentions": words} if len(corpus) else {}
        record = {"doc_id": document.label, "tokens": tokens, "clusters_token_offsets": None, **marked}
        yield ("[" if not d else ",\n") + json.dumps(record, ensure_ascii=False)
    yield "]\n"
