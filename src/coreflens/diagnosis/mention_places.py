"""Where the mentions of both sides are in the text of one side.

Mentions are matched in coordinates that both sides share (`places.common`). If the tokens or the zeros differ, these
are not the coordinates of either text. A mention that the side of the text lacks is converted to that text by the
places of its tokens in the shared coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..corpus.model import Corpus, IntArray, Span
from ..integers import repeat
from ..matching.alignment import Alignment
from ..matching.comparable import common
from ..matching.documents import Pairing
from ..matching.matched import Matched


@dataclass(frozen=True, eq=False)
class MentionPlaces:
    """`own` is 0 if the text is the key's, 1 if it is the response's."""

    matched: Matched
    own: int

    @property
    def alignment(self) -> Alignment:
        return self.matched.alignment

    @property
    def pairing(self) -> Pairing:
        return self.matched.pairing

    @property
    def corpora(self) -> tuple[Corpus, Corpus]:
        return self.matched.key, self.matched.response

    @cached_property
    def moved(self) -> bool:
        """Whether the shared coordinates differ from those of the files."""
        sides = zip(self.alignment.sides, self.corpora, strict=True)
        return any(side.corpus is not corpus for side, corpus in sides)

    def pieces(self, row: int, of: int | None = None) -> tuple[Span, ...]:
        """The pieces of a mention in the text. The end is before the start if the mention is between two tokens.

        `of`: whether the key's mention (0) or the response's (1) is meant, if both have it and they differ.
        """
        m, first = self.alignment, self.own if of is None else of
        for which in (first, 1 - first):
            at = int((m.key_rows, m.response_rows)[which][row])
            if at < 0:
                continue
            side, origin = m.sides[which], int(m.sides[which].origin[at])
            if which == self.own or not self.moved:
                return self.corpora[which].pieces(origin)
            assert side.corpus is not None
            return tuple(self._back(int(side.row[at]), piece) for piece in side.corpus.pieces(origin))
        return ()

    def extents(self) -> tuple[IntArray, IntArray]:
        """First and last token of every mention. A mention between two tokens gets the next token (or the last one)."""
        whole = [(min(a for a, _ in p), max(b for _, b in p)) for p in map(self.pieces, range(len(self.alignment.key)))]
        start, end = np.array(whole, dtype=np.int64).reshape(-1, 2).T
        last = np.array([len(first) - 1 for first in self._places[0]], dtype=np.int64)[self._rows]
        start = np.minimum(start, np.maximum(last, 0))
        return start, np.maximum(end, start)

    @cached_property
    def _rows(self) -> IntArray:
        """The document pair of each mention."""
        m, (k, r) = self.alignment, self.alignment.sides
        row = np.zeros(len(m.key), dtype=np.int64)
        for rows, side in ((m.response_rows, r), (m.key_rows, k)):
            row[rows >= 0] = side.row[rows[rows >= 0]]
        return row

    def _back(self, row: int, piece: Span) -> Span:
        first, last = self._places[0][row], self._places[1][row]
        return int(np.searchsorted(last, piece[0])), int(np.searchsorted(first, piece[1], side="right")) - 1

    @cached_property
    def _places(self) -> tuple[list[IntArray], list[IntArray]]:
        """By document pair, the first and last place of every token. Each token is converted as if it were a
        mention."""
        source, rows = self.corpora[self.own], (self.pairing.key_row, self.pairing.response_row)[self.own]
        text = source.text
        sizes = np.array([len(x) for x in text.raw]) if text.raw is not None else np.diff(text.first)
        ordinal = np.concatenate([np.arange(size) for size in sizes.tolist()] or [np.zeros(0, dtype=np.int64)])
        every = replace(
            source,
            doc=repeat(np.arange(len(sizes)), sizes),
            start=ordinal,
            end=ordinal,
            entity=np.zeros(len(ordinal), dtype=np.int64),
            labels=[""],
            names=None,
            line=None,
            head=None,
            parts={},
            attributes={},
            relations=(),
        )
        both = (every, self.corpora[1]) if self.own == 0 else (self.corpora[0], every)
        carried = common(*both, self.pairing, self.matched.options, strict=False)[:2][self.own]
        none = np.zeros(0, dtype=np.int64)
        first, last = [none] * len(self.pairing.documents), [none] * len(self.pairing.documents)
        for d, row in enumerate(rows.tolist()):
            if row >= 0:
                here = slice(*carried.bounds[d : d + 2].tolist())
                first[row], last[row] = carried.start[here], carried.end[here]
        return first, last
