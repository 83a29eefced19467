"""The one table: how many mentions each key entity shares with each response entity.

Notation, here and in every metric: K_i key entities, R_j response entities, n_ij = |K_i ∩ R_j|, a_i = |K_i|,
b_j = |R_j|; sizes include twinless mentions. Only the cells with n_ij > 0 are kept, for the whole corpus at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..integers import bincount
from ..matching.alignment import Alignment
from ..matching.other_anaphora import OtherAnaphora
from .assignment import assign
from .repetitions import Overlap, meetings
from .weights import NOTHING, Places, Weights

if TYPE_CHECKING:
    from .split import Split

# int64 or float64 for speed, or Fractions in an object array: metrics are written once for both.
Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Contingency:
    """Cells (i, j, n) sorted by (i, j), entity sizes a and b, and the block of each entity.

    `cells`, `keys` and `responses` sum a value per cell, per key entity or per response entity, one number per block.
    `mentions` are the mentions behind the table, for the few metrics that need their words or their order.

    `overlap` is n if every mention occurs once on a side. If repetitions count as in scorer.pl v8.01, n counts each
    response mention only in one key entity, its home, and `overlap` counts it in all of its key entities.
    """

    i: IntArray
    j: IntArray
    n: Array
    overlap: Array
    a: Array
    b: Array
    key_block: IntArray
    response_block: IntArray
    blocks: int
    ranks: Callable[[], tuple[IntArray, IntArray]] = field(repr=False)
    mentions: Mentions = field(repr=False)
    antecedents: Split | None = field(default=None, repr=False)
    single: int = 0  # links of an entity of one mention: 1 in the small tables of split antecedents

    @classmethod
    def of(cls, alignment: Alignment, exact: bool = False, repeated: Overlap = "", split: bool = False) -> Self:
        """The table of an alignment, without entities that a policy emptied.

        repeated   how repetitions count in `overlap`: `once`, or as many `times` as the key entity has the mention
        split      with split antecedents
        """
        in_key, in_response = alignment.key >= 0, alignment.response >= 0
        key, key_block, a, key_sizes = _without_empty(alignment.key, alignment.key_block, in_key)
        response, response_block, b, response_sizes = _without_empty(
            alignment.response, alignment.response_block, in_response
        )
        twins = in_key & in_response
        width = max(len(response_block), 1)
        codes = key[twins]
        codes *= width  # in place: with millions of mentions a copy is large
        codes += response[twins]
        cells, n = _counted(codes)
        del codes
        overlap = n
        if repeated and alignment.repeating:
            met, overlap = _counted(meetings(alignment.mention, key, response, width, once=repeated == "once"))
            home = np.zeros_like(overlap)
            home[np.searchsorted(met, cells)] = n
            cells, n = met, home
        i, j = np.divmod(cells, width)

        def ranks() -> tuple[IntArray, IntArray]:
            return _earliest(key, alignment.rank, len(a)), _earliest(response, alignment.rank, len(b))

        splits, small, cell, places = None, None, i[:0], None
        if split and alignment.splits:
            from .split import small_tables, within

            splits = within(alignment.splits, (_numbered(key_sizes), _numbered(response_sizes)))
            np.add.at(a, splits.key.entity, 1)
            np.add.at(b, splits.response.entity, 1)
            small = small_tables(splits)
            pairs = splits.key.entity[small.key] * width + splits.response.entity[small.response]
            every = np.union1d(cells, pairs)
            wider = np.zeros((2, len(every)), dtype=np.int64)
            wider[:, np.searchsorted(every, cells)] = n, overlap
            n, overlap = wider[0], wider[0] if overlap is n else wider[1]
            (i, j), cell = np.divmod(every, width), np.searchsorted(every, pairs)
            places = _places(cell, i, j, n, overlap, a, b, key_block)
        if exact:
            once = overlap is n
            n, overlap, a, b = (
                np.array([Fraction(x) for x in v.tolist()] or [], dtype=object) for v in (n, overlap, a, b)
            )
            overlap = n if once else overlap
        mentions = Mentions(alignment, key, response, exact)
        antecedents = None
        if splits is not None and small is not None and places is not None:
            from .split import Split

            table = Contingency(*small[:9], ranks, mentions, single=1)
            of_sets = splits.key.block, splits.response.block
            entities = splits.key.entity, splits.response.entity
            sets = splits.key, splits.response
            antecedents = Split(table, *small[9:], cell, len(n), of_sets, entities, exact, sets, places)
        return cls(i, j, n, overlap, a, b, key_block, response_block, alignment.blocks, ranks, mentions, antecedents)

    def split(self, count: Callable[[Contingency], Sequence[Array]]) -> Weights:
        """How much split antecedents share according to a metric, per cell. 0 if there are none."""
        return NOTHING if self.antecedents is None else self.antecedents.weights(count)

    # Per cell: the sizes of its two entities, and the block.

    @cached_property
    def ai(self) -> Array:
        return self.a[self.i]

    @cached_property
    def bj(self) -> Array:
        return self.b[self.j]

    @cached_property
    def block(self) -> IntArray:
        return self.key_block[self.i]

    # Per entity: mentions that the other side also has, and the largest part that one entity of the other side holds.

    @cached_property
    def key_common(self) -> Array:
        return self.by_key(self.n)

    @cached_property
    def response_common(self) -> Array:
        return self.by_response(self.n)

    def by_key(self, values: Array) -> Array:
        """The sum of the values of the cells of each key entity."""
        return add_up(self.i, values, len(self.a))

    def by_response(self, values: Array) -> Array:
        return add_up(self.j, values, len(self.b))

    @cached_property
    def key_largest(self) -> Array:
        return _largest(self.i, self.n, len(self.a))

    @cached_property
    def response_largest(self) -> Array:
        return _largest(self.j, self.n, len(self.b))

    def cells(self, values: Array) -> Array:
        return self._totals[0] if values is self.n else self._cell_sums(values)

    def _cell_sums(self, values: Array) -> Array:
        """The sum of the values of the cells of each block. With one block, it is not asked for the block of each."""
        return add_up(self.block if self.blocks > 1 else self.i, values, self.blocks)

    def keys(self, values: Array) -> Array:
        return self._totals[1] if values is self.a else add_up(self.key_block, values, self.blocks)

    def responses(self, values: Array) -> Array:
        return self._totals[2] if values is self.b else add_up(self.response_block, values, self.blocks)

    @cached_property
    def _totals(self) -> tuple[Array, Array, Array]:
        """The mentions of each block, which most metrics need: common ones, those of the key, of the response."""
        in_key = add_up(self.key_block, self.a, self.blocks)
        return self._cell_sums(self.n), in_key, add_up(self.response_block, self.b, self.blocks)

    @property
    def other_anaphora(self) -> OtherAnaphora:
        """What is annotated in addition to the entities."""
        return self.mentions.alignment.other_anaphora

    def items(self, block: IntArray, values: Array) -> Array:
        """The sum by block of values of things that are not cells or entities."""
        if self.mentions.exact:
            values = np.array([Fraction(int(x)) for x in values.tolist()] or [], dtype=object)
        return add_up(block, values, self.blocks)

    def links_among(self, sums: Callable[[Array], Array], values: Array) -> Array:
        """The links x(x−1)/2 among the x mentions of each block; `sums` is `cells`, `keys` or `responses`."""
        x = sums(values)
        pairs: Array = (x * x - x) / 2  # x * (x - 1) of 0.0 is -0.0
        return pairs

    def best_alignment(self, similarity: Array) -> Array:
        """Σ of the similarities of the best one-to-one alignment of key and response entities, one number per block."""
        chosen = assign(self.i, self.j, similarity, len(self.a), len(self.b))
        return self.cells(np.where(chosen, similarity, 0))


class Mentions:
    """The mentions behind a table: one row per mention, with the number of its entity in the table, −1 for none.

    `by_key` and `by_response` sum values of the rows by entity. If a twinless policy or a repair added a mention to a
    side, it has the words of the other side (`borrowed`).
    """

    def __init__(self, alignment: Alignment, key: IntArray, response: IntArray, exact: bool = False) -> None:
        self.alignment = alignment
        self.key = key
        self.response = response
        self.exact = exact

    def by_key(self, values: Array) -> Array:
        return self._by(self.key, values)

    def by_response(self, values: Array) -> Array:
        return self._by(self.response, values)

    def _by(self, entity: IntArray, values: Array) -> Array:
        has = entity >= 0
        groups = int(entity.max(initial=-1)) + 1
        total = bincount(entity[has], weights=values[has].astype(np.float64), minlength=groups)
        return np.array([Fraction(int(x)) for x in total.tolist()] or [], dtype=object) if self.exact else total

    @cached_property
    def borrowed(self) -> npt.NDArray[np.bool_]:
        """Rows where a side has an entity but no mention of its own."""
        rows = self.alignment
        return ((self.key >= 0) & (rows.key_rows < 0)) | ((self.response >= 0) & (rows.response_rows < 0))

    def _both(self, ours: Array, theirs: Array) -> tuple[Array, Array]:
        """Values of the sides' mentions by row. A borrowed mention has the value of the other side."""
        key, response = self.alignment.key_rows, self.alignment.response_rows
        return _either(ours, key, theirs, response), _either(theirs, response, ours, key)

    @cached_property
    def sizes(self) -> tuple[Array, Array]:
        """The number of words of each mention on the key's and on the response's side."""
        matching = self.alignment.matching
        if matching.words.key.names is not None:
            return np.ones(len(self.key), dtype=np.int64), np.ones(len(self.key), dtype=np.int64)
        return self._both(*matching.words.sizes)

    @cached_property
    def document(self) -> IntArray:
        """The pair of documents to which each mention belongs."""
        key, response = self.alignment.sides
        return _either(key.row, self.alignment.key_rows, response.row, self.alignment.response_rows)

    @cached_property
    def codes(self) -> tuple[Array, Array]:
        """Numbers that are equal exactly if two mentions have the same words in the same document."""
        return self._both(*self.alignment.matching.words.codes)

    @cached_property
    def zeros(self) -> tuple[Array, Array]:
        """Which mentions are zeros."""
        return self._both(*self.alignment.matching.zeros)

    @cached_property
    def order(self) -> tuple[Array, Array]:
        """The rank of each mention on its side. If a mention is borrowed, the ranks are those of both sides
        together."""
        if self.alignment.matching.key.names is not None or self.borrowed.any():
            return self.alignment.rank, self.alignment.rank
        return self._both(*self.alignment.matching.order)

    @cached_property
    def types(self) -> IntArray:
        """The type of each mention, an index of `TYPES`; −1 if unknown."""
        return self._looked(*(kinds.type for kinds in self.alignment.other_anaphora.kinds))

    @cached_property
    def pronouns(self) -> IntArray:
        """The kind of each pronoun, an index of `KINDS`; −1 for the other mentions."""
        return self._looked(*(kinds.pronoun for kinds in self.alignment.other_anaphora.kinds))

    def _looked(self, ours: IntArray, theirs: IntArray) -> IntArray:
        """Values of the key's mention of each row, or of the response's mention if the key has none."""
        key, response = self.alignment.origins
        return _either(ours, key, theirs, response) if len(ours) or len(theirs) else np.full(len(key), -1)

    def overlaps(self, ours: IntArray, theirs: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Pairs of a key mention and a response mention, as positions in these rows, and how many words they share."""
        words = self.alignment.matching.words
        if words.key.names is not None:
            return ours[:0], ours[:0], ours[:0]
        keys, responses, counts = [ours[:0]], [ours[:0]], [ours[:0]]
        k, r = self.alignment.key_rows[ours], self.alignment.response_rows[theirs]
        places = np.zeros(len(words.key.row), dtype=np.int64), np.zeros(len(words.response.row), dtype=np.int64)
        places[0][k], places[1][r] = np.arange(len(k)), np.arange(len(r))
        for i, j in words.overlapping(k, r):
            common = words.common(i, j)
            some = common > 0
            keys.append(places[0][i[some]])
            responses.append(places[1][j[some]])
            counts.append(common[some])
        return np.concatenate(keys), np.concatenate(responses), np.concatenate(counts)


def _places(
    cell: IntArray,
    i: IntArray,
    j: IntArray,
    n: IntArray,
    overlap: IntArray,
    a: IntArray,
    b: IntArray,
    key_block: IntArray,
) -> Places:
    """Where pairs of split antecedents lie, given by their cells."""
    block = key_block[i]
    by_key, by_response, by_block = (bincount(of, weights=n).astype(np.int64) for of in (i, j, block))
    elsewhere = by_block[block] - by_key[i] - by_response[j] + n
    return Places(n[cell], overlap[cell], a[i[cell]], b[j[cell]], elsewhere[cell])


def _counted(codes: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct codes in order, and how often each occurs. The codes are sorted in place."""
    codes.sort()
    if not len(codes):
        return codes, codes
    starts = np.empty(len(codes) + 1, dtype=bool)
    starts[0] = starts[-1] = True  # the last one is past the end
    np.not_equal(codes[1:], codes[:-1], out=starts[1:-1])
    bounds = starts.nonzero()[0]
    return codes[bounds[:-1]], bounds[1:] - bounds[:-1]


def _either(values: Array, rows: IntArray, others: Array, other_rows: IntArray) -> Array:
    """Values of the rows. Rows without one (−1) have the other value."""
    if not len(values):
        values = np.zeros(1, dtype=others.dtype)
    if not len(others):
        others = np.zeros(1, dtype=values.dtype)
    found: Array = np.where(rows >= 0, values[rows], others[other_rows])
    return found


def add_up(group: IntArray, values: Array, groups: int) -> Array:
    """Sum of the values of each group; exact for Fractions, and for integers below 2⁵³."""
    exact = values.dtype.hasobject
    if groups == 1 and not exact:
        return np.add.reduce(values, keepdims=True).astype(np.float64, copy=False)
    if exact:
        total = np.full(groups, Fraction(0), dtype=object)
        np.add.at(total, group if groups > 1 else np.zeros_like(group), values)
        return total
    return bincount(group, weights=values, minlength=groups)


def _largest(group: IntArray, values: Array, groups: int) -> Array:
    largest = np.full(groups, Fraction(0), dtype=object) if values.dtype == object else np.zeros(groups, values.dtype)
    np.maximum.at(largest, group, values)
    return largest


def _earliest(entity: IntArray, rank: IntArray, entities: int) -> IntArray:
    """Rank of the first mention of each entity."""
    first = np.full(entities, len(entity), dtype=np.int64)
    has = entity >= 0
    np.minimum.at(first, entity[has], rank[has])
    return first


def _without_empty(
    entity: IntArray, block: IntArray, has: npt.NDArray[np.bool_]
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Renumber without gaps if some entities have no mention left. `has`: which mentions have an entity.

    The third column has the size of each entity, the last one that of all, also of those without a mention.
    """
    every = size = bincount(entity[has], minlength=len(block))
    if np.count_nonzero(size) < len(block):
        used = size > 0
        entity, block, size = np.append(_numbered(size), -1)[entity], block[used], size[used]  # −1 for entity −1
    return entity, block, size, every


def _numbered(sizes: IntArray) -> IntArray:
    """The number of each entity among those with a mention, −1 for the others."""
    return np.where(sizes > 0, np.cumsum(sizes > 0) - 1, -1)
