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


def _records(source: Source) -> object:
    """The JSON of the file; a repair reads a file that is cut off up to its end."""
    try:
        return json_value(source.text, source.name, hint=_CLOSES)
    except InputError as error:
        if not (source.repairs or source.lenient) or error.code == "limit":
            raise
    text = source.text
    value, problems, _ = mended(text)
    for problem, at in problems:
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        source.report("syntax", problem, line=line, column=column, hint=_CLOSES)
    return value


def _document(source: Source, builder: Builder, record: Any) -> None:
    if not _is_document(record):
        source.fail(f"a document must be {{doc_id, tokens, clusters_token_offsets}}, not {record!r:.60}")
    name, tokens = record["doc_id"], record["tokens"]
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
            if _is_sound(source, span, name, len(tokens)):
                builder.mention(span[0], span[1], f"e{n}")


def _is_document(record: object) -> bool:
    if not isinstance(record, dict) or not isinstance(record.get("doc_id"), str):
        return False
    tokens = record.get("tokens")
    return isinstance(tokens, list) and all(isinstance(token, str) and token for token in tokens)


def _is_sound(source: Source, span: object, name: str, size: int) -> bool:
    """Whether this is a span within a document of that many tokens; anything else is reported."""
    if not isinstance(span, list) or len(span) != 2 or any(type(x) is not int for x in span):
        code, problem = "syntax", f"a mention must be [first, last], not {span!r:.40}"
    elif span[0] > span[1]:
        code, problem = "span-order", f"the mention {span} ends before it starts"
    elif span[0] < 0 or span[1] >= size:
        code, problem = "span-range", f"the mention {span} is not within the {size} tokens"
    else:
        return True
    source.report(code, f"document '{name[:80]}': {problem}", hint=_LEAVES)
    return False


def write(corpus: Corpus) -> Iterator[str]:
    """A list, one document per line; offsets are null if the corpus has no mentions."""
    if corpus.names is not None and (corpus.start < 0).any():
        raise InputError("offsets need spans, but these mentions have only names", file=corpus.source or None)
    for d, document in enumerate(corpus.documents):
        tokens = _tokens(corpus, d)
        record: dict[str, object] = {"doc_id": document.label, "tokens": tokens, "clusters_token_offsets": None}
        if len(corpus):
            clusters = _spans(corpus, d)
            record["clusters_token_offsets"] = clusters
            record["clusters_text_mentions"] = [
                [" ".join(tokens[start : end + 1]) for start, end in cluster] for cluster in clusters
            ]
        yield ("[" if not d else ",\n") + json.dumps(record, ensure_ascii=False)
    yield "]\n"


def _tokens(corpus: Corpus, d: int) -> list[str]:
    """The words of a document as they are written; one that would be read as something else is an error."""
    text = corpus.text
    here = text.document(d)
    tokens = []
    for t in range(here.start, here.stop):
        empty = text.empty is not None and bool(text.empty[t])
        token = word_of(text.words[t], empty)
        if not token or (token.startswith("##") and not empty):
            raise InputError(f"the word {token!r:.40} would be read as something else", file=corpus.source or None)
        tokens.append(token)
    return tokens


def _spans(corpus: Corpus, d: int) -> list[list[tuple[int, int]]]:
    """The spans of each entity of a document."""
    number = numbered(corpus, d)
    clusters: list[list[tuple[int, int]]] = [[] for _ in number]
    for row in range(*corpus.bounds[d : d + 2].tolist()):
        clusters[number[int(corpus.entity[row])] - 1].append(pieces_with_heads(corpus, row))
    return clusters
