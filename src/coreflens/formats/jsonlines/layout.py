"""The text of a record of jsonlines, and what its spans count; `jsonlines` describes how this is decided."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from ...corpus.model import Text
from ..shared.source import Source

CLUSTERS = ("clusters", "predicted_clusters")
NAMES = ("doc_key", "document_id", "doc_id")
STRUCTURE = {*CLUSTERS, *NAMES, "sentences", "tokens", "document", "part", "subtoken_map", "sentence_map", "characters"}
WL_COREF = {"cased_words", "sent_id", "part_id", "span_clusters", "word_clusters", "head2span"}
_SPECIAL = {"[CLS]", "[SEP]", "<s>", "</s>", "[SPL]"}


@dataclass(frozen=True, slots=True)
class RecordLayout:
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


def layout_of(record: dict[str, Any], source: Source, number: int) -> RecordLayout | None:
    """What the spans of a record count; None if its words are not lists of words, which is reported."""
    sentences, words = record.get("sentences"), record.get("cased_words", _flat(record))
    if sentences is not None and not _is_list_of_lists(sentences):
        source.report("syntax", f"'sentences' must be a list of lists of tokens, not {sentences!r:.40}", line=number)
        return None
    if words is not None and not _is_flat_list(words):
        source.report("syntax", f"'tokens' must be a list of words, not {words!r:.40}", line=number)
        return None
    if record.get("cased_words") is not None and words is not None:
        return RecordLayout(len(words), exclusive=True, shape=(len(words),))
    if sentences is not None:
        shape = tuple(map(len, sentences))
        if isinstance(record.get("subtoken_map"), list):
            return _subtokens(record, shape, source, number)
        return RecordLayout(sum(shape), shape=shape)
    if words is not None:
        return RecordLayout(len(words), shape=(len(words),))
    if isinstance(record.get("text"), str):
        return RecordLayout(len(record["text"]), "character", exclusive=True)
    return RecordLayout(None)


def _is_list_of_lists(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, list) for item in value)


def _is_flat_list(value: object) -> bool:
    return isinstance(value, list) and not any(isinstance(item, list) for item in value)


def _flat(record: dict[str, Any]) -> Any:
    """The words without sentence borders, which AllenNLP calls `document`."""
    return record.get("tokens", record["document"] if isinstance(record.get("document"), list) else None)


def _subtokens(record: dict[str, Any], shape: tuple[int, ...], source: Source, number: int) -> RecordLayout | None:
    words, size = record["subtoken_map"], sum(shape)
    if len(words) != size:
        message = f"'subtoken_map' has {len(words)} entries for {size} subtokens of 'sentences'"
        source.report("syntax", message, line=number, hint="there must be one entry per subtoken")
        return None
    are_numbers = all(type(w) is int and 0 <= w <= size for w in words)
    if not are_numbers or any(a > b for a, b in pairwise(words)):
        message = "'subtoken_map' must have the number of a word for each subtoken, ascending"
        source.report("syntax", message, line=number)
        return None
    return RecordLayout(size, shape=shape, words=words)


def layers_of(record: dict[str, object], layout: RecordLayout) -> dict[str, list[object]]:
    """The fields that have one value per token of the layout, which may be a subtoken, as flat lists."""
    layers: dict[str, list[object]] = {}
    if not layout.size:
        return layers
    not_layers = STRUCTURE | WL_COREF
    if "cased_words" in record:
        not_layers = not_layers | {"head"}  # counts the words of the document, not of the sentence
    for name, value in record.items():
        if name in not_layers or not isinstance(value, list):
            continue
        flat = _without_sentences(value, layout)
        if len(flat) == layout.size and not any(isinstance(x, (list, dict)) for x in flat):
            layers[name] = flat
    return layers


def _without_sentences(values: list[Any], layout: RecordLayout) -> list[Any]:
    """The values of all sentences as one list, if they are given by sentence; empty if they do not fit the words."""
    if len(values) != len(layout.shape) or not _is_list_of_lists(values):
        return values
    if tuple(map(len, values)) != layout.shape:
        return []
    return list(chain.from_iterable(values))


def text_of(source: Source, places: list[tuple[int, int, int]]) -> Text:
    """The words, or the raw text, of the records. Each place is where a record begins and stops, and its line."""
    words: list[str] = []
    first, sentences, raw = [0], [], []
    layers: dict[str, list[str]] = {}
    lines: list[int] = []
    for begin, stop, number in places:
        record = json.loads(source.text[begin:stop])
        layout = layout_of(record, source, number)
        assert layout is not None  # these records were good when they were first read
        if layout.unit == "character":
            raw.append(record["text"])
            first.append(0)
            continue
        text = _tokens(record, layout)
        for name, values in layers_of(record, layout).items():
            column = layers.setdefault("speaker" if name == "speakers" else name, [])
            column += [""] * (len(words) - len(column))
            column += ["" if values[p] is None else str(values[p]) for p in text.places]
        sentences += [len(words) + border for border in text.borders]
        words += text.words
        lines += [number] * len(text.words)
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


class _Words(NamedTuple):
    """The words of a record, the place of each in the record's lists, and which of them start a sentence."""

    words: list[str]
    places: list[int]
    borders: list[int]


def _tokens(record: dict[str, Any], layout: RecordLayout) -> _Words:
    if record.get("cased_words") is not None:
        words = list(map(str, record["cased_words"]))
        return _Words(words, list(range(len(words))), _changes(record.get("sent_id"), len(words)))
    if record.get("sentences") is None:
        words = list(map(str, _flat(record)))
        return _Words(words, list(range(len(words))), _changes(None, len(words)))
    pieces = list(map(str, chain.from_iterable(record["sentences"])))
    if layout.words is not None:
        return _joined(record, layout, layout.words, pieces)
    starts = accumulate(layout.shape, initial=0)
    borders = [start for start, size in zip(starts, layout.shape, strict=False) if size]
    return _Words(pieces, list(range(len(pieces))), borders)


def _joined(record: dict[str, object], layout: RecordLayout, word_of_piece: list[int], pieces: list[str]) -> _Words:
    """The words that the subtokens make. Each has the place of its first subtoken."""
    size = layout.tokens or 0
    places, words = [-1] * size, [""] * size
    for place, (word, piece) in enumerate(zip(word_of_piece, pieces, strict=True)):
        if piece in _SPECIAL:
            continue
        if places[word] < 0:
            places[word] = place
        words[word] += piece.removeprefix("##").removeprefix("▁").removeprefix("Ġ")
    given, marks = record.get("tokens"), record.get("sentence_map")
    if isinstance(given, list) and len(given) == size:
        words = list(map(str, given))
    places = [max(place, 0) for place in places]
    if not isinstance(marks, list) or len(marks) != layout.size:
        return _Words(words, places, _changes(None, size))
    return _Words(words, places, _changes([marks[place] for place in places], size))


def _changes(marks: object, size: int) -> list[int]:
    """Where sentences begin: at the first word, and at each word whose mark differs from that of the word before."""
    if not isinstance(marks, list) or len(marks) != size:
        return [0] if size else []
    return [p for p in range(size) if not p or marks[p] != marks[p - 1]]
