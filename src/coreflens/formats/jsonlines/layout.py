"""The text of a record of jsonlines, and what its spans count; `jsonlines` describes how this is decided."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from ...corpus.model import Text
from ..shared.source import Source

CLUSTERS = ("clusters", "predicted_clusters")
NAMES = ("doc_key", "document_id", "doc_id")
STRUCTURE = {*CLUSTERS, *NAMES, "sentences", "tokens", "document", "part", "subtoken_map", "sentence_map", "characters"}
WL_COREF = {"cased_words", "sent_id", "part_id", "span_clusters", "word_clusters", "head2span"}
_SPECIAL = {"[CLS]", "[SEP]", "<s>", "</s>", "[SPL]"}


@dataclass(frozen=True, slots=True)
class Layout:
    """What the spans of a record count. `shape` has the sizes of the pieces of its text, `words` the word of each
    subtoken."""

    size: int | None
    unit: str = "token"
    exclusive: bool = False
    shape: tuple[int, ...] = ()
    words: list[int] | None = None

    @property
    def tokens(self) -> int | None:
        return self.size if self.words is None else max(self.words, default=-1) + 1


def layout_of(record: dict[str, Any], source: Source, number: int) -> Layout | None:
    sentences, words = record.get("sentences"), record.get("cased_words", _flat(record))
    if sentences is not None and not (isinstance(sentences, list) and all(isinstance(s, list) for s in sentences)):
        source.report("syntax", f"'sentences' must be a list of lists of tokens, not {sentences!r:.40}", line=number)
        return None
    if words is not None and not (isinstance(words, list) and not any(isinstance(w, list) for w in words)):
        source.report("syntax", f"'tokens' must be a list of words, not {words!r:.40}", line=number)
        return None
    if record.get("cased_words") is not None and words is not None:
        return Layout(len(words), exclusive=True, shape=(len(words),))
    shape = tuple(map(len, sentences)) if sentences is not None else () if words is None else (len(words),)
    if isinstance(record.get("subtoken_map"), list) and sentences is not None:
        return _subtokens(record, shape, source, number)
    if shape or sentences is not None or words is not None:
        return Layout(sum(shape), shape=shape)
    if isinstance(record.get("text"), str):
        return Layout(len(record["text"]), "character", exclusive=True)
    return Layout(None)


def _flat(record: dict[str, Any]) -> Any:
    """The words without sentence borders, which AllenNLP calls `document`."""
    return record.get("tokens", record["document"] if isinstance(record.get("document"), list) else None)


def _subtokens(record: dict[str, Any], shape: tuple[int, ...], source: Source, number: int) -> Layout | None:
    words, size = record["subtoken_map"], sum(shape)
    if len(words) != size:
        message = f"'subtoken_map' has {len(words)} entries for {size} subtokens of 'sentences'"
        source.report("syntax", message, line=number, hint="there must be one entry per subtoken")
        return None
    if not all(type(w) is int and 0 <= w <= size for w in words) or any(a > b for a, b in pairwise(words)):
        what = "'subtoken_map' must have the number of a word for each subtoken, ascending"
        source.report("syntax", what, line=number)
        return None
    return Layout(size, shape=shape, words=words)


def layers_of(record: dict[str, Any], layout: Layout) -> dict[str, list[Any]]:
    """The fields that have one value per token of the layout, which may be a subtoken, as flat lists."""
    found = {}
    for name, value in record.items():
        wl_head = name == "head" and "cased_words" in record  # counts the words of the document, not of the sentence
        if name in STRUCTURE or name in WL_COREF or not isinstance(value, list) or not layout.size or wl_head:
            continue
        flat = value
        if len(value) == len(layout.shape) and all(isinstance(row, list) for row in value):
            flat = list(chain.from_iterable(value)) if tuple(map(len, value)) == layout.shape else []
        if len(flat) == layout.size and not any(isinstance(x, (list, dict)) for x in flat):
            found[name] = flat
    return found


def text_of(source: Source, kept: list[tuple[int, int, int]]) -> Text:
    """The words, or the raw text, of the records."""
    words: list[str] = []
    first, sentences, raw = [0], [], []
    layers: dict[str, list[str]] = {}
    lines: list[int] = []
    for begin, stop, number in kept:
        record = json.loads(source.text[begin:stop])
        layout = layout_of(record, source, number)
        assert layout is not None  # these records were good when they were first read
        if layout.unit == "character":
            raw.append(record["text"])
            first.append(0)
            continue
        pick, found, borders = _tokens(record, layout)
        for name, values in layers_of(record, layout).items():
            column = layers.setdefault("speaker" if name == "speakers" else name, [])
            column += [""] * (len(words) - len(column))
            column += ["" if values[p] is None else str(values[p]) for p in pick]
        sentences += [len(words) + b for b in borders]
        words += found
        lines += [number] * len(found)
        first.append(len(words))
    for column in layers.values():
        column += [""] * (len(words) - len(column))
    return Text(
        words,
        np.array(first, dtype=np.int64),
        np.array(sentences, dtype=np.int64),
        layers,
        None,
        np.array(lines, dtype=np.int64) if lines else None,
        raw or None,
    )


def _tokens(record: dict[str, Any], layout: Layout) -> tuple[list[int], list[str], list[int]]:
    """The place of each word in the record's lists, the words, and which of them start a sentence."""
    if record.get("cased_words") is not None:
        words, marks = list(map(str, record["cased_words"])), record.get("sent_id")
        return list(range(len(words))), words, _changes(marks, len(words))
    if record.get("sentences") is None:
        words = list(map(str, _flat(record)))
        return list(range(len(words))), words, _changes(None, len(words))
    pieces = list(map(str, chain.from_iterable(record["sentences"])))
    if layout.words is None:
        borders = [at for at, n in zip(accumulate(layout.shape, initial=0), layout.shape, strict=False) if n]
        return list(range(len(pieces))), pieces, borders
    size = layout.tokens or 0
    pick, joined = [-1] * size, [""] * size
    for place, (word, piece) in enumerate(zip(layout.words, pieces, strict=True)):
        if piece not in _SPECIAL:
            pick[word] = place if pick[word] < 0 else pick[word]
            joined[word] += piece.removeprefix("##").removeprefix("▁").removeprefix("Ġ")
    given, marks = record.get("tokens"), record.get("sentence_map")
    if isinstance(given, list) and len(given) == size:
        joined = list(map(str, given))
    pick = [max(p, 0) for p in pick]
    marks = [marks[p] for p in pick] if isinstance(marks, list) and len(marks) == layout.size else None
    return pick, joined, _changes(marks, size)


def _changes(marks: Any, size: int) -> list[int]:
    """Where sentences begin: at the first word, and at each word whose mark differs from that of the word before."""
    if not isinstance(marks, list) or len(marks) != size:
        return [0] if size else []
    return [p for p in range(size) if not p or marks[p] != marks[p - 1]]
