"""The cells of the last column, as they are written: all mentions of a corpus become cells at once.

The pieces of a cell have the order that `conll` describes. If one mention of an entity ends at the token where another
starts, the end comes first. Apart from that, brackets of one entity can't cross, because they would be read as nested.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...corpus.model import Corpus, IntArray
from ...errors import InputError
from ...integers import repeat
from ..shared.excerpts import Bytes, gathered

_BEFORE, _OPENS, _CLOSES = range(3)  # the order of the pieces of a cell


class CorefCells(NamedTuple):
    """The cells of the tokens at which mentions begin or end, by document and token: text[begin:stop]."""

    doc: IntArray
    token: IntArray
    text: Bytes
    begin: IntArray
    stop: IntArray

    def of(self, d: int) -> dict[int, str]:
        """Token → cell, for one document."""
        a, b = np.searchsorted(self.doc, (d, d + 1)).tolist()
        places = zip(self.token[a:b].tolist(), self.begin[a:b].tolist(), self.stop[a:b].tolist(), strict=True)
        text = self.text.tobytes()
        return {token: text[begin:stop].decode(errors="surrogatepass") for token, begin, stop in places}


def written(corpus: Corpus, labels: Sequence[str]) -> CorefCells:
    """The cells of a corpus whose entities have these labels; an InputError if mentions of one entity cross."""
    doc, start, end, entity = corpus.doc, corpus.start, corpus.end, corpus.entity
    rows, long_rows = np.arange(len(doc)), np.flatnonzero(end > start)
    rank, forms, size = _forms(labels, entity)
    width = int(end.max(initial=0)) + 2
    places, at = np.unique(np.concatenate((doc * width + start, (doc * width + end)[long_rows])), return_inverse=True)
    opening, closing = at[: len(rows)], at[len(rows) :]  # the place where each mention begins, and where long ones end
    _check(corpus, labels, long_rows, rank)
    code = len(labels) + 1
    again = np.isin(closing * code + entity[long_rows], (opening * code + entity)[long_rows])
    single = end == start
    # Openings are sorted by whether the mention ends here, label and row; ends backwards by label, start and row.
    keys = (
        np.concatenate((rows, -long_rows)),
        np.concatenate((rank[entity], -start[long_rows])),
        np.concatenate((single, -rank[entity[long_rows]])),
        np.concatenate((np.full(len(rows), _OPENS), np.where(again, _BEFORE, _CLOSES))),
        at,
    )
    order = np.lexsort(keys)
    length = size[entity]
    begin = np.concatenate((np.where(single, 2 * length + 4, 0), length[long_rows] + 2))
    begin += forms[1][np.concatenate((entity, entity[long_rows]))]
    pieces = np.concatenate((length + 2 + single, length[long_rows] + 2))
    begin, pieces, at = begin[order], pieces[order], at[order]
    stop = np.cumsum(pieces)[np.flatnonzero(np.diff(at, append=-1))]
    return CorefCells(
        places // width, places % width, gathered(forms[0], begin, pieces), np.append(0, stop)[:-1], stop - 1
    )


def _forms(labels: Sequence[str], entity: IntArray) -> tuple[IntArray, tuple[Bytes, IntArray], IntArray]:
    """By entity: its rank among the labels, where its pieces `(1|1)|(1)|` begin, and the length of its label."""
    used = np.unique(entity)
    names = [labels[e] for e in used.tolist()]
    order = sorted(range(len(names)), key=lambda i: (len(names[i]), names[i]))
    rank, begin, size = (np.zeros(len(labels), np.int64) for _ in range(3))
    rank[used[order]] = np.arange(len(used))
    texts = [name.encode(errors="surrogatepass") for name in names]
    size[used] = np.fromiter(map(len, texts), np.int64, len(texts))
    begin[used] = np.append(0, np.cumsum(3 * size[used] + 7))[:-1]
    pool = b"".join([b"(%b|%b)|(%b)|" % (text, text, text) for text in texts])
    return rank, (np.frombuffer(pool, np.uint8), begin), size


def _check(corpus: Corpus, labels: Sequence[str], long_rows: IntArray, rank: IntArray) -> None:
    """An InputError if a bracket would close another mention of its entity than the one that ends there."""
    if not len(long_rows):
        return
    doc, start, end, entity = (c[long_rows] for c in (corpus.doc, corpus.start, corpus.end, corpus.entity))
    row = np.concatenate((long_rows, long_rows))
    opens = repeat([True, False], len(long_rows))
    key = np.concatenate((doc, doc)) * (len(labels) + 1) + np.concatenate((entity, entity))
    token = np.concatenate((start, end))
    later = np.where(opens, row, -row)  # mentions that end at one token: the one that begins last comes first
    order = np.lexsort((later, np.where(opens, 0, -corpus.start[row]), opens, token, key))
    row, opens, key = row[order], opens[order], key[order]
    level = np.cumsum(np.where(opens, 1, -1)) + ~opens
    if level.max() > 1:
        row = row[np.lexsort((level, key))]  # on every level, opening and closing brackets alternate
    wrong = row[1::2][corpus.start[row[0::2]] != corpus.start[row[1::2]]]
    if len(wrong):
        begins, ends = -corpus.start[wrong], corpus.end[wrong]
        at = int(wrong[np.lexsort((-wrong, begins, -rank[corpus.entity[wrong]], ends, corpus.doc[wrong]))[0]])
        document = corpus.documents[corpus.doc[at]]
        message = f"two mentions of entity {labels[corpus.entity[at]]} in document {document.quoted} cross"
        hint = "brackets can't show which of them ends first; conllu and jsonlines can"
        raise InputError(f"{message} at token {corpus.end[at]}", file=corpus.source or None, hint=hint)
