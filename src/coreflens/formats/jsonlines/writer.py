"""The writer of jsonlines. Lists of words and layers are made of the bytes of the file, for many documents at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

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
    text = _text(corpus)
    fields = _layer_fields(corpus, text)
    for batch in _batches(corpus, text):
        lists: dict[str, list[str]] = {}
        if text is not None and corpus.unit == "token":
            lists["sentences"] = _lists(text.words, text, batch)
            lists |= {field: _lists(text.layers[layer], text, batch, needed=False) for layer, field in fields.items()}
        for place, d in enumerate(batch):
            written_lists = {field: by_document[place] for field, by_document in lists.items()}
            yield _line(_record(corpus, text, d, written_lists))


def _text(corpus: Corpus) -> Text | None:
    """The text to write, if there is one. Names without places are an error, and so are characters without a text."""
    if corpus.names is not None and (corpus.start < 0).any():
        raise InputError("jsonlines needs spans, but these mentions have only names", file=corpus.source or None)
    if corpus.unit == "token":
        return corpus.text if corpus.has_text else None
    if corpus.text.raw is None:
        raise InputError("jsonlines with character spans needs the text", file=corpus.source or None)
    return corpus.text


def _layer_fields(corpus: Corpus, text: Text | None) -> dict[str, str]:
    """The field of each layer. A layer with the name of another field is an error."""
    layers = text.layers if text else {}
    fields = {layer: "speakers" if layer == "speaker" else layer for layer in layers}
    taken = set(fields.values()) & (STRUCTURE | WL_COREF | {"text"})
    if "speakers" in layers:
        taken.add("speakers")
    if taken:
        message = f"a layer '{min(taken)}' would be taken for the field of this name"
        raise InputError(message, file=corpus.source or None)
    return fields


def _record(corpus: Corpus, text: Text | None, d: int, written_lists: dict[str, str]) -> dict[str, str]:
    """The fields of a document, their values as JSON."""
    document, rows = corpus.documents[d], range(*corpus.bounds[d : d + 2].tolist())
    exclusive = corpus.unit == "character"
    record: dict[str, str] = {}
    if document.label:
        record["doc_key"] = _json(document.label)
    if document.part is not None:
        record["part"] = _json(document.part)
    if exclusive and text is not None and text.raw is not None:
        record["text"] = _json(text.raw[d])
    record |= {field: written for field, written in written_lists.items() if written}
    record["clusters"] = _json(_clusters(corpus, rows, exclusive))
    if characters := as_field(corpus, rows, exclusive):
        record[FIELD] = _json(characters)
    return record


def _line(record: dict[str, str]) -> str:
    line = "{" + ", ".join([f"{_json(field)}: {value}" for field, value in record.items()]) + "}"
    if not line.isascii() and _SURROGATE.search(line):
        line = json.dumps(json.loads(line))
    return line + "\n"


def _json(value: object) -> str:
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


def _lists(values: Sequence[str], text: Text, batch: range, needed: bool = True) -> list[str]:
    """A list of the values of each sentence, for each document as JSON; "" if none has a value and it is not needed."""
    if isinstance(values, Excerpts) and values.is_verbatim:
        from_bytes = _from_bytes(values, text, batch, needed)
        if from_bytes is not None:
            return from_bytes
    lists = []
    for d in batch:
        if not needed and not any(values[text.document(d)]):
            lists.append("")
            continue
        stops = [*(text.starts(d) + text.first[d]).tolist(), int(text.first[d + 1])]
        lists.append(_json([list(values[a:b]) for a, b in pairwise(stops)]))
    return lists


def _from_bytes(values: Excerpts, text: Text, batch: range, needed: bool) -> list[str] | None:
    """The lists, from the bytes of the file; None if there is a control character, which JSON can't have."""
    bounds = text.first[batch.start : batch.stop + 1]
    tokens = slice(int(bounds[0]), int(bounds[-1]))
    begin, stop, is_empty = values.begin[tokens], values.stop[tokens], values.empty(tokens)
    bounds = bounds - bounds[0]
    if is_empty.all():
        low = high = 0
        begin = stop = np.zeros(len(is_empty), np.int64)
    else:
        low, high = int(begin[~is_empty].min()), int(stop.max())
        begin, stop = np.where(is_empty, 0, begin - low), np.where(is_empty, 0, stop - low)
    raw = np.frombuffer(values.data, np.uint8)[low:high]
    pools, used = [raw], len(raw)
    special = (raw == _QUOTE) | (raw == _BACKSLASH)
    if special.any():
        before = np.append(0, np.cumsum(special))
        rows = np.flatnonzero(before[stop] > before[begin])
        escaped = [_json(values.read_one(row))[1:-1].encode() for row in (rows + tokens.start).tolist()]
        size = np.fromiter(map(len, escaped), np.int64, len(escaped))
        stop[rows] = used + np.cumsum(size)
        begin[rows] = stop[rows] - size
        pools.append(np.frombuffer(b"".join(escaped), np.uint8))
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
    written = gathered(pool, np.stack((begin, places[tail]), axis=1).ravel(), size.ravel())
    if len(written) and written.min() < _BLANK:
        return None
    cuts = np.append(0, np.cumsum(size.sum(axis=1)))[bounds].tolist()
    has_values = np.diff(np.append(0, np.cumsum(~is_empty))[bounds]) > 0
    data = written.tobytes()
    lists = []
    for (a, b), has_value in zip(pairwise(cuts), has_values.tolist(), strict=True):
        if not (needed or has_value):
            lists.append("")
        else:
            lists.append('[["' + data[a:b].decode() if b > a else "[]")
    return lists
