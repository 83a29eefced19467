"""The mentions of a CoNLL-U file, read all at once, if nothing is wrong with them.

The Entity cells are joined and cut into pieces and fields with numpy. Python code sees only one label per piece. If
anything is wrong, `mentions` gives up. Then the reader goes through the cells one by one and reports the error.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count, pairwise, zip_longest
from typing import NamedTuple

import numpy as np

from ...corpus.model import IntArray, Relation, Span
from ..shared.brackets import LABEL, VALUE, Brackets, Opened, parts_of, without_codes
from ..shared.excerpts import Bytes, Excerpts, laid
from .lines import RANGE, Lines
from .one_by_one import KEYS

_OPEN, _CLOSE, _NEWLINE, _HYPHEN = b"()\n-"
_DIGITS = 9  # the most digits of the number of a head


class Mentions(NamedTuple):
    """The columns of a corpus, in its order."""

    doc: IntArray
    start: IntArray
    end: IntArray
    entity: IntArray
    labels: list[str]
    line: IntArray
    head: IntArray | None
    parts: dict[int, tuple[Span, ...]]
    attributes: Attributes


class Attributes(Mapping[str, Sequence[str]]):
    """The other fields of the mentions, cut apart when one is first needed."""

    def __init__(self, fields: Sequence[str], texts: Sequence[str]) -> None:
        self.fields, self.texts = [f for f in fields if f not in ("eid", "head")], texts
        self._all = fields

    @cached_property
    def columns(self) -> dict[str, Sequence[str]]:
        split = [text.split("-", len(self._all) - 1) for text in self.texts]
        columns = dict(zip(self._all, zip_longest(*split, fillvalue=""), strict=False))
        return {
            name: [without_codes(v, VALUE) for v in values]
            for name, values in columns.items()
            if name in self.fields and any(values)
        }

    def __getitem__(self, name: str) -> Sequence[str]:
        if name not in self.fields:  # a frequent question, answered without reading the mentions
            raise KeyError(name)
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


class _Pieces(NamedTuple):
    """The pieces of all cells: the cell of each, what it does, and where it is in the bytes."""

    cell: IntArray
    opens: Bytes
    closes: Bytes
    char: Bytes
    begin: IntArray
    stop: IntArray

    def field(self, number: int, rows: IntArray | slice = slice(None)) -> tuple[IntArray, IntArray]:
        """Where a field of some pieces, from 0, begins and ends; empty if a piece has fewer fields."""
        begin, stop = self.begin[rows], self.stop[rows]
        hyphen = np.append(np.flatnonzero(self.char == _HYPHEN), len(self.char))
        after = np.searchsorted(hyphen, begin) + number
        end = np.minimum(hyphen.take(after, mode="clip"), stop)
        return (np.minimum(hyphen.take(after - 1, mode="clip") + 1, stop) if number else begin), end


def mentions(lines: Lines, fields: Sequence[str], first: IntArray) -> Mentions | None:
    """The mentions of all documents, whose first tokens are given; None if one of them is wrong."""
    line, begin, stop = lines.places(b"Entity")
    pieces = _cut(lines.data, begin, stop)
    if pieces is None or (lines.kind[line] == RANGE).any():
        return None
    ids: dict[str, int] = defaultdict(count().__next__)
    names = _names(pieces, fields.index("eid"))
    name = np.fromiter(map(ids.__getitem__, names), np.int64, len(names))
    token = lines.tokens[line[pieces.cell]]
    doc = np.searchsorted(first, token, side="right") - 1
    ends = _pair(doc * max(len(ids), 1) + name, pieces.opens, pieces.closes, token)
    if ends is None or "" in ids:
        return None
    discontinuous = _discontinuous(list(ids), name, doc, pieces, token - first[doc])
    if discontinuous is None:
        return None
    rows = np.flatnonzero(pieces.opens)  # each row is the piece that opens the first part of a mention
    rows = rows[~np.isin(rows, discontinuous.later)]
    start, end = token[rows] - first[doc[rows]], ends[rows] - first[doc[rows]]
    for piece, spans in discontinuous.parts.items():
        end[np.searchsorted(rows, piece)] = spans[-1][1]
    order = np.lexsort((-end, start, doc[rows]))
    rows, start, end = rows[order], start[order], end[order]
    parts = discontinuous.by_row(rows)
    head = _heads(pieces, fields, rows, start, end, parts)
    if head is None:
        return None
    labels, number = _labels(list(ids))
    return Mentions(
        doc[rows],
        start,
        end,
        number[name[rows]],
        labels,
        line[pieces.cell[rows]] + 1,
        head if (head >= 0).any() else None,
        parts,
        Attributes(fields, Excerpts(pieces.char.tobytes(), pieces.begin[rows], pieces.stop[rows])),
    )


def _labels(ids: Sequence[str]) -> tuple[list[str], IntArray]:
    """The labels of entities, and the place of each id's label among them."""
    place_of: dict[str, int] = {}
    decorated = any("]" in id or "%" in id for id in ids)
    places = []
    for id in ids:
        label = without_codes(parts_of(id)[0], LABEL) if decorated else id
        places.append(place_of.setdefault(label, len(place_of)))
    return list(place_of), np.array(places, dtype=np.int64)


def _cut(data: bytes, begin: IntArray, stop: IntArray) -> _Pieces | None:
    """The pieces of the cells data[begin:stop]."""
    char, border = laid(np.frombuffer(data, np.uint8), begin, stop, _NEWLINE)
    opening, closing = char == _OPEN, char == _CLOSE
    special = opening | closing | (char == _NEWLINE)
    after_special = np.append(True, special)[: len(special)]
    content = np.flatnonzero(~special & after_special)
    after = np.flatnonzero(special & ~after_special)
    opens, closes = opening[content - 1] & (content > 0), closing[after]
    brackets = np.count_nonzero(opening) + np.count_nonzero(closing)
    if brackets != np.count_nonzero(opens) + np.count_nonzero(closes) or not (opens | closes).all():
        return None
    return _Pieces(np.searchsorted(border, content, side="right"), opens, closes, char, content, after)


def _names(pieces: _Pieces, at: int) -> list[str]:
    """The labels, with the numbers of parts; a closing piece has only the label, or all fields."""
    begin, stop = pieces.field(at)
    if at:
        there = begin > pieces.field(at - 1)[1]  # whether there is a field of this number
        whole = pieces.field(0)
        begin, stop = np.where(there, begin, whole[0]), np.where(there, stop, whole[1])
    return Excerpts(pieces.char.tobytes(), begin, stop).read_all()


def _pair(key: IntArray, opens: Bytes, closes: Bytes, token: IntArray) -> IntArray | None:
    """The last token of every mention, at its opening piece; a piece closes the last mention that its key opened."""
    end = token.copy()
    half = np.flatnonzero(opens != closes)
    key = key[half]
    order = np.argsort(key, kind="stable")
    half, key = half[order], key[order]
    depth = np.cumsum(np.where(opens[half], 1, -1))
    if len(half) and (depth.min() < 0 or depth[-1] or depth[:-1][key[1:] != key[:-1]].any()):
        return None
    level = depth + ~opens[half]  # on every level opening and closing pieces alternate
    half = half[np.lexsort((level, key))]
    end[half[0::2]] = token[half[1::2]]
    return end


class _Several(NamedTuple):
    """The discontinuous mentions: the pieces that open later parts, and all parts by the piece that opens the first."""

    later: list[int]
    parts: dict[int, list[Span]]

    def by_row(self, rows: IntArray) -> dict[int, tuple[Span, ...]]:
        """The parts by the mention's place in `rows`, which has the pieces that open first parts."""
        if not self.parts:
            return {}
        row_of = {piece: row for row, piece in enumerate(rows.tolist()) if piece in self.parts}
        return {row_of[piece]: tuple(spans) for piece, spans in self.parts.items()}


def _discontinuous(
    ids: Sequence[str], name: IntArray, doc: IntArray, pieces: _Pieces, token: IntArray
) -> _Several | None:
    """The discontinuous mentions; None if one is wrong. `name`, `doc` and `token` belong to the pieces."""
    discontinuous = _Several([], {})
    numbered = [n for n, id in enumerate(ids) if id.endswith("]")]
    if not all(_is_part(ids[n]) for n in numbered):
        return None
    if not numbered:
        return discontinuous
    of_parts = np.flatnonzero(np.isin(name, numbered))
    borders = np.flatnonzero(np.diff(doc[of_parts])) + 1
    for in_document in np.split(of_parts, borders):
        brackets, first_pieces = Brackets(), list[int]()
        for i in in_document.tolist():
            id = ids[name[i]]
            if pieces.opens[i]:
                if brackets.opens(id, int(token[i])) is None:
                    return None
                is_first = len(brackets.mentions) > len(first_pieces)
                (first_pieces if is_first else discontinuous.later).append(i)
            if pieces.closes[i]:
                brackets.closes(id, int(token[i]))
        for piece, mention in zip(first_pieces, brackets.mentions, strict=True):
            if not _is_whole(mention):
                return None
            discontinuous.parts[piece] = mention.parts
    return discontinuous


def _is_part(id: str) -> bool:
    """Whether the id of a part of a mention, such as `e3[1/2]`, has a label and a possible number."""
    label, number, total = parts_of(id)
    return label != id and number <= total


def _is_whole(mention: Opened) -> bool:
    """Whether a mention has all parts, with gaps between them."""
    if len(mention.parts) < mention.total:
        return False
    return all(end + 1 < start for (_, end), (start, _) in pairwise(mention.parts))


def _heads(
    pieces: _Pieces,
    fields: Sequence[str],
    rows: IntArray,
    start: IntArray,
    end: IntArray,
    parts: dict[int, tuple[Span, ...]],
) -> IntArray | None:
    """The tokens with these numbers; None if one is not a number, or is too large."""
    if "head" not in fields:
        return np.full(len(start), -1)
    begin, stop = pieces.field(fields.index("head"), rows)
    size, number = stop - begin, np.zeros(len(rows), dtype=np.int64)
    if int(size.max(initial=0)) > _DIGITS:
        return None
    for k in range(int(size.max(initial=0))):
        inside = k < size
        digit = pieces.char.take(begin + k, mode="clip") - np.uint8(ord("0"))
        if (inside & (digit > 9)).any():
            return None
        number = np.where(inside, number * 10 + digit, number)
    given = size > 0
    head = start + number - 1
    wrong = given & ((number < 1) | (head > end))
    for row, spans in parts.items():
        if given[row]:
            words = [token for first, last in spans for token in range(first, last + 1)]
            wrong[row] = not 1 <= number[row] <= len(words)
            head[row] = -1 if wrong[row] else words[number[row] - 1]
    return None if wrong.any() else np.where(given, head, -1)


def relations(lines: Lines, mentions: Mentions, first: IntArray) -> list[Relation] | None:
    """Bridging and split antecedents, each at the last opened mention of its anaphor; None if one is wrong."""
    cells = sorted((n, order, text) for order, key in enumerate(KEYS) if order for n, _, text in lines.cells(key))
    anaphors = _Anaphors(mentions)
    links = []
    for line, order, text in cells:
        if lines.kind[line] == RANGE:
            return None
        token = lines.tokens[line]
        doc = int(np.searchsorted(first, token, side="right")) - 1
        for link in text.split(","):
            relation = anaphors.relation(link, order == 1, doc, int(token - first[doc]))
            if relation is None:
                return None
            links.append(relation)
    return links


class _Anaphors:
    """The mentions, sorted by entity within each document, to find those that relations start from."""

    def __init__(self, mentions: Mentions) -> None:
        self.number = {label: n for n, label in enumerate(mentions.labels)}
        key = mentions.doc * max(len(self.number), 1) + mentions.entity
        self.rows = np.argsort(key, kind="stable")
        self.key, self.start = key[self.rows], mentions.start[self.rows]

    def relation(self, link: str, bridging: bool, doc: int, token: int) -> Relation | None:
        """The relation of a text such as `e1<e5:part` at a token; None if it is wrong."""
        target, _, rest = link.partition("<")
        anaphor, _, label = rest.partition(":") if bridging else (rest, "", "")
        source, goal = (self.number.get(without_codes(name, LABEL), -1) for name in (anaphor, target))
        key = doc * len(self.number) + source
        low, high = np.searchsorted(self.key, [key, key + 1])
        at = low + int(np.searchsorted(self.start[low:high], token, side="right")) - 1
        if source < 0 or goal < 0 or source == goal or at < low:
            return None
        kind = "bridging" if bridging else "split-antecedent"
        return Relation(kind, source, goal, int(self.rows[at]), -1, without_codes(label, LABEL))
