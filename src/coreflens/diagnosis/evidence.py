"""What a diagnosis knows about each mention of both sides: its place, text, head, type and entities.

Everything comes from the side that has words, the key if both have them. The response's own parse is never needed:
Kummerfeld & Klein (2013) also use the trees of the key for both sides.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..corpus.heads import FROM, Heads, heads, mention_types
from ..corpus.model import ZERO, Corpus, Document, IntArray
from ..corpus.trees import trees
from ..errors import PLACES, InputError, Issue, counted
from ..matching.alignment import Alignment
from ..matching.documents import Pairing
from ..matching.matched import Matched
from ..matching.strings import STRING
from ..metrics.repetitions import Overlap, meetings
from .mention_places import MentionPlaces


@dataclass(frozen=True, eq=False)
class Evidence:
    """The mentions of both sides, one row each, in the order of the text.

    `words` is the side whose text is used. `doc` is −1 for a document that this side lacks. `pronoun` marks mentions of
    one word that is a pronoun; if the source has no tags, no mention is marked. `whole` also has the singletons that
    are dropped, which `alignment` lacks: they are not errors, and only mention detection counts them.
    """

    matched: Matched

    @classmethod
    def of(cls, matched: Matched) -> Evidence:
        """Rows in the order of the text. If two mentions have the same start, the shorter comes first."""
        m = matched.alignment
        k, r = m.sides
        document = np.where(m.key_rows >= 0, _take(k.row, m.key_rows), _take(r.row, m.response_rows))
        order = np.lexsort((m.rank, document))
        columns = ("key", "response", "key_rows", "response_rows")
        whole = replace(m, **{name: getattr(m, name)[order] for name in columns})
        return cls(replace(matched, alignment=whole))

    @property
    def key(self) -> Corpus:
        return self.matched.key

    @property
    def response(self) -> Corpus:
        return self.matched.response

    @property
    def pairing(self) -> Pairing:
        return self.matched.pairing

    @property
    def whole(self) -> Alignment:
        return self.matched.alignment

    @property
    def alignment(self) -> Alignment:
        return self.matched.without_singletons

    @cached_property
    def attainable(self) -> IntArray:
        """The key entity of each mention that a response can have. It is −1 for repetitions that no response can
        have."""
        return np.where(self.whole.repeated, -1, self.alignment.key)

    def meetings(self, how: Overlap) -> IntArray:
        """The cell K · (response entities) + R of each mention that both sides have: see `Contingency`."""
        m = self.alignment
        if how and self.matched.repeating:
            return meetings(m.mention, m.key, m.response, len(m.response_block), once=how == "once")
        twins = (m.key >= 0) & (m.response >= 0)
        met: IntArray = m.key[twins] * len(m.response_block) + m.response[twins]
        return met

    def __len__(self) -> int:
        return len(self.alignment.key)

    @cached_property
    def members(self) -> list[IntArray]:
        """The mentions of each block."""
        block = self.whole.block
        order = np.argsort(block, kind="stable")
        stops = np.searchsorted(block[order], np.arange(1, self.pairing.blocks))
        return np.split(order, stops)

    def only_block(self, rows: IntArray) -> int | None:
        """The block of these mentions, if all are in one block."""
        blocks = self.whole.block[rows]
        return int(blocks[0]) if len(blocks) and (blocks == blocks[0]).all() else None

    def _column(self, name: str) -> IntArray:
        (k, r), m = self.alignment.sides, self.alignment
        on_key = m.key_rows >= 0
        found: IntArray = np.where(
            on_key, _take(getattr(k, name), m.key_rows), _take(getattr(r, name), m.response_rows)
        )
        return found

    @cached_property
    def row(self) -> IntArray:
        """The document pair of each mention."""
        return self._column("row")

    @cached_property
    def mention_places(self) -> MentionPlaces:
        """The places of the mentions in the text that is used."""
        own = 0 if self.source is self.key else 1
        return MentionPlaces(self.matched, own)

    @cached_property
    def _extents(self) -> tuple[IntArray, IntArray]:
        if self.mention_places.moved and self.source.has_text:
            return self.mention_places.extents()
        start, end = self._column("start"), self._column("end")
        if self.lost.any() and self.names is None:  # a string that is not in the text
            last = np.array([max((d.tokens or 1) - 1, 0) for d in self.documents], dtype=np.int64)[self.row]
            return np.where(self.lost, np.minimum(start, last), start), np.where(self.lost, np.minimum(end, last), end)
        return start, end

    @cached_property
    def lost(self) -> npt.NDArray[np.bool_]:
        """Which mentions are in text that the other side lacks."""
        found = np.zeros(len(self), dtype=bool)
        if self.matched.kept is not None:
            for side, lost in zip(("key", "response"), self.matched.kept.lost, strict=True):
                origin = self.origin(side)
                found |= (origin >= 0) & (_take(lost.astype(np.int64), origin) > 0)
        return found

    @property
    def start(self) -> IntArray:
        """The first token of each mention in the text that is used."""
        return self._extents[0]

    @property
    def end(self) -> IntArray:
        return self._extents[1]

    @cached_property
    def names(self) -> Sequence[Hashable] | None:
        by_name = all(side.names is not None for side in self.alignment.sides)
        return self.alignment.identities() if by_name else None

    @property
    def documents(self) -> Sequence[Document]:
        return self.pairing.documents

    @cached_property
    def source(self) -> Corpus:
        """The side whose words, trees and tags are used."""
        return self.response if not self.key.has_text and self.response.has_text else self.key

    @cached_property
    def doc(self) -> IntArray:
        """The document of each mention in the side whose words are used, −1 if it lacks it."""
        rows = self.pairing.key_row if self.source is self.key else self.pairing.response_row
        place = np.full(len(self.documents), -1, dtype=np.int64)
        place[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
        return place[self.row]

    def origin(self, side: str) -> IntArray:
        """The rows of the key's or the response's corpus, −1 for none."""
        ours = self.alignment.sides[0 if side == "key" else 1].origin
        rows = self.alignment.key_rows if side == "key" else self.alignment.response_rows
        found: IntArray = np.where(rows >= 0, _take(ours, rows), -1)
        return found

    @cached_property
    def issues(self) -> list[Issue]:
        """Limits of the diagnosis: repetitions that no response can find, and trees that can't be read."""
        return [*self._unattainable(), *self._unread]

    def _unattainable(self) -> Iterator[Issue]:
        rows = np.flatnonzero((self.alignment.key >= 0) & (self.attainable < 0)).tolist()
        if rows:
            what = counted(rows, "repeated mention")
            message = (
                f"{what} of the key can't be found by any response (--duplicates perl): they are not listed as "
                "errors, and scores stay below 100 even if every error is corrected"
            )
            places = (self.place(row, "key") for row in rows[:PLACES])
            yield Issue("unattainable", message, len(rows), tuple(filter(None, places)))

    @cached_property
    def _unread(self) -> list[Issue]:
        if self.by_character or not self.source.has_text:
            return []
        try:
            trees(self.source)
        except InputError as error:
            place = f"{error.file}:{error.line}" if error.file else ""
            return [Issue("trees", f"the trees are not used: {error.message}", places=(place,) if place else ())]
        return []

    @cached_property
    def _seen(self) -> tuple[Heads, list[str], IntArray]:
        """Heads and types of the rows whose document has words."""
        rows = np.flatnonzero(self.doc >= 0)
        head = np.full(len(self), -1, dtype=np.int64)
        for side, corpus in (("response", self.response), ("key", self.key)):
            if corpus.head is not None and (corpus is self.source or not self.mention_places.moved):
                origin = self.origin(side)
                head = np.where((origin >= 0) & (_take(corpus.head, origin) >= 0), _take(corpus.head, origin), head)
        together = replace(
            self.source,
            doc=self.doc[rows],
            start=self.start[rows],
            end=self.end[rows],
            entity=np.zeros(len(rows), dtype=np.int64),
            labels=[""],
            names=None if self.names is None else [self.names[row] for row in rows.tolist()],
            line=None,
            parts={},
            head=head[rows],
            attributes={},
            relations=(),
            texts=self.source.text if self.source.has_text else None,
        )
        if self._unread:
            known = self.source.text.layers
            layers = {name: known[name] for name in ("id", "head", "pos", "upos") if name in known}
            together = replace(together, texts=replace(self.source.text, layers=layers))
        found = heads(together)
        types = mention_types(together, found.token)
        if not self.by_character and together.has_text and (parsed := trees(together)) is not None:
            # if the span is not a constituent, Kummerfeld & Klein take its last word
            offset = together.text.first[together.doc]
            loose = (parsed.spanning(together.start + offset, together.end + offset) < 0) & (head[rows] < 0)
            found = found._replace(token=np.where(loose, together.end, found.token))
        return found, types, rows

    @cached_property
    def head(self) -> IntArray:
        """The head of each mention, a token of its document; −1 if there are no tokens."""
        found, _, rows = self._seen
        head = np.full(len(self), -1, dtype=np.int64) if self.by_character else self.end.copy()
        head[rows] = found.token
        return head

    @property
    def by_character(self) -> bool:
        return self.names is not None or self.source.unit == "character"

    @cached_property
    def types(self) -> list[str]:
        types = [""] * len(self)
        _, found, rows = self._seen
        for row, kind in zip(rows.tolist(), found, strict=True):
            types[row] = kind
        return types

    @cached_property
    def pronoun(self) -> npt.NDArray[np.bool_]:
        kind = np.fromiter((t == "pronoun" for t in self.types), bool, len(self))
        pronoun: npt.NDArray[np.bool_] = kind & (self.start == self.end)
        return pronoun

    @cached_property
    def known(self) -> str:
        """What heads and types come from, in words."""
        if self.names is not None:
            return "mentions have names only: no spans, heads or types"
        if self.source.unit == "character":
            return "spans of characters: no heads or types"
        sources = sorted(set(self._seen[0].source.tolist()))
        from_ = " and ".join(FROM[s] for s in sources) or FROM[-1]
        types = "tags" if any(self.types) else "unknown (no tags)"
        return f"heads: {from_}; types: {types}"

    # Texts for people.

    def text(self, row: int) -> str:
        """The words of a mention, with ` ... ` between its pieces. Without words, what identifies the mention."""
        if self.names is not None:
            return str(self.names[row])
        if self.lost[row] and (origin := self.origin_of("response", row)) >= 0:
            written = self.response.attributes.get(STRING)
            if written is not None or self.response.has_text:
                return written[origin] if written is not None else self.response.words(origin)
        if self.doc[row] < 0 or not self.source.has_text:
            return f"{self.start[row]}–{self.end[row]}"
        d, pieces = int(self.doc[row]), self.mention_places.pieces(row)
        return " ... ".join(self.source.text.span(d, a, b) if a <= b else ZERO for a, b in pieces)

    def origin_of(self, side: str, row: int) -> int:
        place = 0 if side == "key" else 1
        at = int((self.alignment.key_rows, self.alignment.response_rows)[place][row])
        return int(self.alignment.sides[place].origin[at]) if at >= 0 else -1

    def context(self, row: int) -> str:
        """The mention in brackets, with a few words of its sentence around it."""
        if self.doc[row] < 0 or not self.source.has_text or self.names is not None:
            return ""
        if self.lost[row] and self.origin_of("key", row) < 0:
            return ""
        return self.source.text.in_context(int(self.doc[row]), int(self.start[row]), int(self.end[row]))

    def place(self, row: int, side: str) -> str:
        """file:line on the given side, or else on the other side."""
        for which in (side, "response" if side == "key" else "key"):
            origin = self.origin_of(which, row)
            if origin >= 0:
                return (self.key if which == "key" else self.response).mention(origin).place
        return ""

    def label(self, side: str, row: int) -> str:
        """The name that a side gives to the entity of a mention; "" if the side lacks the mention."""
        origin = self.origin_of(side, row)
        corpus = self.key if side == "key" else self.response
        return str(corpus.labels[corpus.entity[origin]]) if origin >= 0 else ""


def _take(values: IntArray, rows: IntArray) -> IntArray:
    """values[rows], even if there are no values. Where a row is −1, the result has no meaning."""
    return values[rows] if len(values) else np.zeros(len(rows), dtype=np.int64)
