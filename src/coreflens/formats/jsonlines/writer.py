"""The writer of jsonlines. Lists of words and layers are made of the bytes of the file, for many documents at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...corpus.model import Corpus, Text
from ...errors import InputError
from ..shared.excerpts import Excerpts, gathered
from .characters import FIELD, as_field
from .layout import STRUCTURE, WL_COREF

_TOKENS = 1 << 14  # tokens of the documents that are written at once: few enough for the caches
_TAILS = (b'", "', b'"], ["', b'"]]')  # after a word: within a sentence, at the end of one, at the end of a document
_SURROGATE = re.compile("[\ud800-\udfff]")  # halves of characters, which JSON can hold but UTF-8 can't
_QUOTE, _BACKSLASH, _BLANK = b'"\\ '


def write(corpus: Corpus) -> Iterator[str]:
    """One line per document; spans count tokens of `sentences`, or characters of `text`."""
    if corpus.names is not None and (corpus.start < 0).any():
        raise InputError("jsonlines needs spans, but these mentions have only names", file=corpus.source or None)
    text = corpus.text if corpus.has_text or corpus.unit == "character" else None
    if corpus.unit == "character" and (text is None or text.raw is None):
        raise InputError("jsonlines with character spans needs the text", file=corpus.source or None)
    fields = {name: "speakers" if name == "speaker" else name for name in (text.layers if text else ())}
    if wrong := sorted((set(fields.values()) & (STRUCTURE | WL_COREF | {"text"})) | ({"speakers"} & set(fields))):
        raise InputError(f"a layer '{wrong[0]}' would be taken for the field of this name", file=corpus.source or None)
    exclusive = corpus.unit == "character"
    for some in _batches(corpus, text):
        lists: dict[str, list[str]] = {}
        if text is not None and not exclusive:
            lists["sentences"] = _lists(text.words, text, some)
            lists |= {field: _lists(text.layers[layer], text, some, needed=False) for layer, field in fields.items()}
        for place, d in enumerate(some):
            document, rows = corpus.documents[d], range(*corpus.bounds[d : d + 2].tolist())
            record = {"doc_key": _json(document.label)} if document.label else {}
            if document.part is not None:
                record["part"] = _json(document.part)
            if exclusive and text is not None and text.raw is not None:
                record["text"] = _json(text.raw[d])
            record |= {field: listed for field, of in lists.items() if (listed := of[place])}
            record["clusters"] = _json(_clusters(corpus, rows, exclusive))
            if named := as_field(corpus, rows, exclusive):
                record[FIELD] = _json(named)
            line = "{" + ", ".join([f"{_json(field)}: {value}" for field, value in record.items()]) + "}"
            if not line.isascii() and _SURROGATE.search(line):
                line = json.dumps(json.loads(line))
            yield line + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _batches(corpus: Corpus, text: Text | None) -> Iterator[range]:
    """The documents in runs of about as many tokens."""
    if text is None or corpus.unit == "character":
        yield range(len(corpus.documents))
        return
    d = 0
    while d < len(corpus.documents):
        stop = max(int(np.searchsorted(text.first, text.first[d] + _TOKENS, side="right")) - 1, d + 1)
        yield range(d, stop)
        d = stop


def _clusters(corpus: Corpus, rows: range, exclusive: bool) -> list[list[tuple[int, int]]]:
    """The spans of each entity, in the order of their first mentions."""
    clusters: dict[int, list[tuple[int, int]]] = {}
    own = slice(rows.start, rows.stop)
    columns = corpus.entity[own], corpus.start[own], corpus.end[own] + exclusive
    for entity, *span in zip(*(column.tolist() for column in columns), strict=True):
        clusters.setdefault(entity, []).append((span[0], span[1]))
    return list(clusters.values())


def _lists(values: Sequence[str], text: Text, some: range, needed: bool = True) -> list[str]:
    """A list of the values of each sentence, for each document as JSON; "" if none has a value and it is not needed."""
    if isinstance(values, Excerpts) and values.plain and (found := _from_bytes(values, text, some, needed)) is not None:
        return found
    listed = []
    for d in some:
        stops = [*(text.starts(d) + text.first[d]).tolist(), int(text.first[d + 1])]
        there = needed or any(values[text.document(d)])
        listed.append(_json([list(values[a:b]) for a, b in pairwise(stops)]) if there else "")
    return listed


def _from_bytes(values: Excerpts, text: Text, some: range, needed: bool) -> list[str] | None:
    """The lists, from the bytes of the file; None if there is a control character, which JSON can't have."""
    bounds = text.first[some.start : some.stop + 1]
    tokens = slice(int(bounds[0]), int(bounds[-1]))
    begin, stop, none = values.begin[tokens], values.stop[tokens], values.empty(tokens)
    bounds = bounds - bounds[0]
    if none.all():
        low = high = 0
        begin = stop = np.zeros(len(none), np.int64)
    else:
        low, high = int(begin[~none].min()), int(stop.max())
        begin, stop = np.where(none, 0, begin - low), np.where(none, 0, stop - low)
    raw = np.frombuffer(values.data, np.uint8)[low:high]
    pools, used = [raw], len(raw)
    special = (raw == _QUOTE) | (raw == _BACKSLASH)
    if special.any():
        before = np.append(0, np.cumsum(special))
        rows = np.flatnonzero(before[stop] > before[begin])
        written = [_json(values.read_one(row))[1:-1].encode() for row in (rows + tokens.start).tolist()]
        size = np.fromiter(map(len, written), np.int64, len(written))
        stop[rows] = used + np.cumsum(size)
        begin[rows] = stop[rows] - size
        pools.append(np.frombuffer(b"".join(written), np.uint8))
        used += int(size.sum())
    tail = np.zeros(len(begin), np.int64)
    a, b = np.searchsorted(text.sentences, (tokens.start, tokens.stop)).tolist()
    tail[text.sentences[a:b][1:] - tokens.start - 1] = 1
    ends = bounds[1:][np.diff(bounds) > 0]
    tail[ends - 1] = 2
    sizes = np.array([*map(len, _TAILS)])
    places = used + np.append(0, np.cumsum(sizes))[:-1]
    pool = np.concatenate([*pools, np.frombuffer(b"".join(_TAILS), np.uint8)])
    size = np.stack((stop - begin, sizes[tail]), axis=1)
    found = gathered(pool, np.stack((begin, places[tail]), axis=1).ravel(), size.ravel())
    if len(found) and found.min() < _BLANK:
        return None
    cuts = np.append(0, np.cumsum(size.sum(axis=1)))[bounds].tolist()
    there = np.diff(np.append(0, np.cumsum(~none))[bounds]) > 0
    data = found.tobytes()
    return [
        "" if not (needed or known) else '[["' + data[a:b].decode() if b > a else "[]"
        for (a, b), known in zip(pairwise(cuts), there.tolist(), strict=True)
    ]
