"""Windows: long documents are cut into pieces of text, each piece is scored as a document, and the counts are added up.

A window consists of whole sentences of the key, up to the given number of words. A longer sentence is a window of its
own. A mention is in the window in which it opens. Two matched mentions are in the window of the key's mention. So every
mention is in exactly one window. An entity with mentions in several windows is a separate entity in each window.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..corpus.model import Corpus, IntArray
from ..errors import InputError, Issue, UsageError, counted
from ..integers import repeat
from ..matching.alignment import Alignment
from ..matching.comparable import common
from ..matching.matched import Matched
from ..metrics import METRICS, Metric
from ..metrics.contingency import Array, Contingency
from ..metrics.registry import ratio
from .counts import Counts, count, needed


@dataclass(frozen=True, eq=False)
class Windows:
    """Where the windows of each document begin, in the places that both sides share, and the mentions by window.

    first      the number of each document's first window, and how many there are in all
    of         the window of each mention, a row of the alignment
    issues     messages about windows with too many words
    """

    first: IntArray
    of: IntArray
    issues: tuple[Issue, ...]

    def __len__(self) -> int:
        return int(self.first[-1])

    @property
    def document(self) -> IntArray:
        """The document of each window."""
        return repeat(np.arange(len(self.first) - 1), np.diff(self.first))


class Links(NamedTuple):
    """Pairs of mentions of one entity: those of both sides, of the key and of the response."""

    common: int
    key: int
    response: int

    @property
    def recall(self) -> float:
        """The share of the key's links that the response has."""
        return float(ratio(np.array(self.common), np.array(self.key)))

    @property
    def precision(self) -> float:
        """The share of the response's links that the key has."""
        return float(ratio(np.array(self.common), np.array(self.response)))

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return float(ratio(np.array(2 * self.common), np.array(self.key + self.response)))

    def without(self, inside: Links) -> Links:
        """The links that are not among these."""
        return Links(*(a - b for a, b in zip(self, inside, strict=True)))


def windows_of(matched: Matched, size: int) -> Windows:
    """The windows of at most `size` words."""
    if matched.options.scope != "document":
        raise UsageError(f"windows cut documents, but entities extend over the {matched.options.scope} here")
    alignment, documents = matched.alignment, len(matched.pairing.documents)
    corpus, row_of = _ruler(matched)
    text = corpus.text
    starts, rows, longer = [], [], 0
    for d, row in enumerate(row_of.tolist()):
        if row >= 0:
            found, over = _starts(text.starts(d), int(text.first[d + 1] - text.first[d]), size)
            longer += over
            starts.append(found)
            rows.append(np.full(len(found), row, dtype=np.int64))
    bare = np.setdiff1d(np.arange(documents), row_of)  # a document that only the other side has is one window
    starts.append(np.zeros(len(bare), dtype=np.int64))
    rows.append(bare)
    row, start = np.concatenate(rows), np.concatenate(starts)
    order = np.argsort(row, kind="stable")
    row, start = row[order], start[order]
    first = np.searchsorted(row, np.arange(documents + 1))
    place = _places(matched, corpus, row_of, row, start)
    key, response = alignment.sides
    on_key = alignment.key_rows >= 0

    def column(ours: IntArray, theirs: IntArray) -> IntArray:
        found = np.zeros(len(on_key), dtype=np.int64)
        found[on_key] = ours[alignment.key_rows[on_key]]
        found[~on_key] = theirs[alignment.response_rows[~on_key]]
        return found

    document, at = column(key.row, response.row), column(key.start, response.start)
    width = 1 + max(int(place.max(initial=0)), int(at.max(initial=0)))
    of = np.searchsorted(row * width + place, document * width + at, side="right") - 1
    issues = []
    if longer:
        what = f"{counted(range(longer), 'window')} of more than {size} words: a sentence is never cut"
        issues.append(Issue("long-window", what, longer))
    return Windows(first, of, tuple(issues))


def _ruler(matched: Matched) -> tuple[Corpus, IntArray]:
    """The side whose words and sentences are counted, and the row of each of its documents: the key, if it has text."""
    sides = ((matched.key, matched.pairing.key_row), (matched.response, matched.pairing.response_row))
    if any(corpus.names is not None for corpus, _ in sides):
        hint = "give files with the words of the documents"
        raise InputError("windows need the text, but these mentions have names and no places in a text", hint=hint)
    found = next((side for side in sides if side[0].has_text), None)
    if found is None:
        hint = "windows end at the ends of sentences: give a key in a format that has the words and sentences"
        raise InputError(
            "neither side has the text, so there is nothing to cut", file=matched.key.source or None, hint=hint
        )
    if found[0].unit != "token":
        hint = "`coreflens convert` to a format with words, such as CoNLL-U, makes words"
        raise InputError("windows are counted in words, but these texts have only characters", hint=hint)
    return found


def _starts(sentences: IntArray, words: int, size: int) -> tuple[IntArray, int]:
    """Where the windows of a document begin, and how many of them are longer than they should be."""
    borders = np.append(sentences, words)
    if not len(sentences) or borders[0] > 0:
        borders = np.append(0, borders)
    places, longer, at = [0], 0, 0
    while borders[at] < words:
        following = int(np.searchsorted(borders, borders[at] + size, side="right")) - 1
        if following <= at:
            following, longer = at + 1, longer + 1
        at = following
        places.append(int(borders[at]))
    return np.array(places[:-1] or [0], dtype=np.int64), longer


def _places(matched: Matched, corpus: Corpus, row_of: IntArray, row: IntArray, start: IntArray) -> IntArray:
    """The beginnings as places of the alignment, which differ if tokens or empty nodes differ."""
    moved = (matched.alignment.sides[0].corpus, matched.alignment.sides[1].corpus)
    if moved[0] is matched.key and moved[1] is matched.response:
        return start
    document = np.full(len(matched.pairing.documents), -1, dtype=np.int64)
    document[row_of[row_of >= 0]] = np.flatnonzero(row_of >= 0)
    there = np.flatnonzero((document[row] >= 0) & (start > 0))
    marks = replace(
        corpus,
        doc=document[row[there]],
        start=start[there],
        end=start[there],
        entity=np.zeros(len(there), dtype=np.int64),
        labels=[0],
        line=None,
        parts={},
        head=None,
        attributes={},
        relations=(),
    )
    sides = (marks, matched.response) if corpus is matched.key else (matched.key, marks)
    carried = common(*sides, matched.pairing, matched.options, strict=False)
    place = np.zeros(len(start), dtype=np.int64)
    place[there] = (carried.key if corpus is matched.key else carried.response).start
    return place


def cut(matched: Matched, windows: Windows) -> Matched:
    """The same with a block for each window. Every entity is divided by the windows."""

    def parted(entity: IntArray) -> tuple[IntArray, IntArray]:
        new = entity.copy()
        has = np.flatnonzero(entity >= 0)
        code, number = np.unique(entity[has] * max(len(windows), 1) + windows.of[has], return_inverse=True)
        new[has] = number.reshape(-1)
        return new, code % max(len(windows), 1)

    alignment = matched.alignment
    key, key_block = _by_block(*parted(alignment.key))
    response, response_block = _by_block(*parted(alignment.response))
    alignment = replace(
        alignment,
        key=key,
        response=response,
        key_block=key_block,
        response_block=response_block,
        blocks=len(windows),
        splits=None,
    )
    return matched.rearranged(alignment, key=True)  # a part with one mention is a singleton in its window


def _by_block(entity: IntArray, block: IntArray) -> tuple[IntArray, IntArray]:
    """Entities numbered in the order of their blocks."""
    order = np.argsort(block, kind="stable")
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order], place[-1] = np.arange(len(order)), -1
    return place[entity], block[order]


def count_windows(
    matched: Matched, metrics: Sequence[str], *, exact: bool = False, insist: Iterable[str] = ()
) -> tuple[Counts, list[Issue]]:
    """The counts of the windows that the options define, summed by document."""
    windows = windows_of(matched, int(matched.options.window))
    issues = list(windows.issues)
    refused = [m.name for m in needed(metrics, matched.options) if not _adds(m)]
    if refused:
        raise UsageError(f"{', '.join(refused)}: can't be scored in windows, because it is not a sum over entities")
    if matched.alignment.splits is not None:
        message = "split antecedents are left out in windows, because they may lie in other windows "
        "(--split-antecedents drop)"
        issues.append(Issue("split-antecedents", message))
    numbers = [str(n) for n in range(len(windows))]
    parted, more = count(cut(matched, windows), metrics, labels=numbers, exact=exact, insist=insist)
    values = np.zeros((len(matched.pairing.documents), parted.values.shape[1]), dtype=parted.values.dtype)
    np.add.at(values, windows.document, parted.values)
    return Counts(matched.pairing.labels, parted.columns, values, matched.pairing.documents), [*issues, *more]


def _adds(metric: Metric) -> bool:
    return metric.aggregation == "sum" and not metric.other_anaphora


def links(alignment: Alignment) -> Links:
    """The pairs of mentions of one entity."""
    pairs = METRICS["pairs"]
    assert isinstance(pairs, Metric)
    both, ours, _, theirs = (_whole(column) for column in pairs.count(Contingency.of(alignment)))
    return Links(both, ours, theirs)


def _whole(column: Array) -> int:
    return round(float(column.sum()))
