"""Matchers: which response mention is which key mention, one to one.

A matcher is a list of steps. Each step matches some of the mentions that are still free. A matcher that is added to
`MATCHERS` is an option everywhere. The steps of CorefUD are those of its scorer: first zeros by their dependencies,
then exact matches, then the one-to-one match of the rest with the largest total weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.model import Corpus, IntArray
from ..errors import PLACES, Issue, counted
from ..integers import repeat
from ..options import Options
from .mentions import Side, absent, first_places, has_heads, identify, number_entities, spanned
from .one_to_one import one_to_one
from .places import Ground, may_have_zeros
from .words import Words, starting_within

if TYPE_CHECKING:
    from ..corpus.heads import Heads
    from .optimal import Bools, Candidates

Step: TypeAlias = Callable[["Matching"], None]
BY = (
    "",
    "exact",
    "head-word",
    "head",
    "partial",
    "share",
    "zero",
    "min",
    "craft",
)  # the rules by which mentions match


@dataclass(eq=False)
class Matching:
    """Two sides whose mentions are being matched.

    Two mentions have the same code exactly if they are the same mention of the same document. `block` has the block of
    each pair of documents: entities are those of a block. `found` has the row of the key mention for each response
    mention, or −1. `by` has the rule of the match. `taken` says which key mentions are not free.
    """

    key: Side
    response: Side
    codes: tuple[IntArray, IntArray]
    options: Options
    ground: Ground
    block: IntArray
    blocked: IntArray | None = None
    issues: list[Issue] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.found: IntArray = absent(len(self.response.row))
        self.by: npt.NDArray[np.uint8] = np.zeros(len(self.response.row), dtype=np.uint8)
        self.taken: Bools = np.zeros(len(self.key.row), dtype=bool)
        self.begun = self.blocked is not None  # whether some mention is not free
        if self.blocked is not None:
            self.taken[self.blocked] = True

    def take(self, key: IntArray, response: IntArray, by: str) -> None:
        """Record that these mentions match."""
        self.found[response], self.by[response], self.taken[key] = key, BY.index(by), True
        self.begun = True

    @property
    def free(self) -> tuple[IntArray, IntArray]:
        """The rows of each side that are not matched."""
        return (~self.taken).nonzero()[0], (self.found < 0).nonzero()[0]

    @cached_property
    def words(self) -> Words:
        return Words(*spanned(self.key, self.response), self.ground)

    @cached_property
    def mentions(self) -> tuple[IntArray, IntArray]:
        """A number for each mention of either side. Repetitions of one mention have the same number."""
        return identify(self.key, self.response)

    @cached_property
    def zeros(self) -> tuple[Bools, Bools]:
        """Which mentions of either side are zeros."""
        from .zeros import zeros

        return zeros(self.key), zeros(self.response)

    @cached_property
    def order(self) -> tuple[IntArray, IntArray]:
        """The rank of each mention among those of its side."""
        return self.words.ranks((_ordering_head(self.key), _ordering_head(self.response)))

    def heads(self, which: int, rows: IntArray) -> IntArray:
        """The places of the heads of some mentions of the key (0) or the response (1), −1 where unknown."""
        side = (self.key, self.response)[which]
        if side.head is not None:
            return side.head[rows]
        found, issues = head_places(side, rows, ("key", "response")[which], self.options)
        self.issues += issues
        return found


def head_places(side: Side, rows: IntArray, name: str, options: Options) -> tuple[IntArray, list[Issue]]:
    """The places of the heads of some mentions, and what to report about heads that no column gives."""
    head = np.full(len(rows), -1, dtype=np.int64)
    if side.names is not None or not len(rows):
        return head, []
    assert side.corpus is not None
    if has_heads(side.corpus):
        assert side.corpus.head is not None
        head = side.corpus.head[side.origin[rows]]
    missing = np.flatnonzero(head < 0)
    if not len(missing):
        return head, []
    from ..corpus.heads import heads

    found = heads(side.corpus, side.origin[rows[missing]])
    head[missing] = found.token
    return head, list(_derived(side, rows[missing], found, name, options))


def _derived(side: Side, rows: IntArray, found: Heads, name: str, options: Options) -> Iterator[Issue]:
    """Report how many mentions have a head that no column gives: it is derived, guessed, or unknown."""
    from ..corpus.heads import FROM, GUESS

    assert side.corpus is not None
    unknown, longer = found.token < 0, side.end[rows] > side.start[rows]  # the head of a single word is certain
    sources = {
        "no-heads": (unknown, "without a head, matched exactly: the source has no words"),
        "guessed-heads": (
            ~unknown & longer & (found.source == GUESS),
            "whose head is a guess, the last word: the source has no trees, dependencies or heads",
        ),
    }
    if options.match not in ("head-word", "head-either"):
        derived = ~unknown & longer & (found.source > 0) & (found.source != GUESS)
        origins = " and ".join(FROM[n] for n in np.unique(found.source[derived]).tolist())
        sources["derived-heads"] = derived, f"whose head is not given: it comes from the {origins}"
    for code, (odd, what) in sources.items():
        if odd.any():
            origin = side.origin[rows[odd]].tolist()
            places = tuple(filter(None, (side.corpus.mention(row).place for row in origin[:PLACES])))
            message = f"{counted(origin, f'{name} mention')} {what} (--match {options.match})"
            yield Issue(code, message, len(origin), places)


def has_choice(options: Options, corpora: Iterable[Corpus]) -> bool:
    """Whether several one-to-one matches can be equally good."""
    weighed = options.match in ("head", "partial", "share", "min", "craft")
    with_zeros = options.zeros == "dependent" and all(map(may_have_zeros, corpora))
    return weighed or options.multi == "each" or with_zeros


def run(m: Matching) -> None:
    """All steps of the match that the options name."""
    sources = m.key.source, m.response.source
    if m.options.zeros == "dependent" and m.key.names is None and all(map(may_have_zeros, sources)):
        from .zeros import by_dependencies

        by_dependencies(m)
    if m.options.multi == "each":
        _copies(m)
    for step in MATCHERS[m.options.match]:
        step(m)


def _copies(m: Matching) -> None:
    """Mentions of several entities: copies with the same words are matched one to one, by the mentions that their
    entities share.

        w(k, s) = 1 + the number of mentions that the entities of k and s share and that have one entity on each side

    If that leaves a choice, the earliest copies are matched.
    """
    times = [np.unique(codes, return_inverse=True, return_counts=True) for codes in m.codes]
    single = [counts[inverse.reshape(-1)] == 1 for _, inverse, counts in times]
    many = np.union1d(*(values[counts > 1] for values, _, counts in times))
    ours, theirs = (np.flatnonzero(np.isin(codes, many)) for codes in m.codes)
    ours = ours[~m.taken[ours]]
    if not len(ours) or not len(theirs):
        return
    order = np.argsort(m.codes[1][theirs], kind="stable")
    wanted = m.codes[1][theirs][order]
    low, high = (np.searchsorted(wanted, m.codes[0][ours], side) for side in ("left", "right"))
    which = repeat(np.arange(len(ours)), high - low)
    k = ours[which]
    r = theirs[order[repeat(high - np.cumsum(high - low), high - low) + np.arange(len(which))]]
    _, i, j = np.intersect1d(m.codes[0][single[0]], m.codes[1][single[1]], return_indices=True)
    entity = [number_entities(m.block[side.row], side.entity)[0] for side in (m.key, m.response)]
    width = int(entity[1].max(initial=-1)) + 1
    shared = np.sort(entity[0][single[0]][i] * width + entity[1][single[1]][j])
    cell = entity[0][k] * width + entity[1][r]
    weight = 1 + np.searchsorted(shared, cell, side="right") - np.searchsorted(shared, cell)
    one = np.ones(len(k), dtype=np.int64)
    from .optimal import Candidates, Weight

    one_to_one(m, Candidates(k, r, Weight(weight, one), Weight(one * 0, one)), "exact")


def exact(m: Matching) -> None:
    """The same span, or the same name, in the same document. In head match, also with the same head."""
    k, r = m.codes
    if not m.begun and len(k) == len(r) and np.array_equal(k, r):
        everything = np.arange(len(k))
        m.take(everything, everything, "exact")
        return
    allowed, wanted = m.free if m.begun else (None, None)  # without a choice, all are free
    place = first_places(k if allowed is None else k[allowed], r if wanted is None else r[wanted])
    same = (place >= 0).nonzero()[0]
    ours = place[same]
    m.take(ours if allowed is None else allowed[ours], same if wanted is None else wanted[same], "exact")


def _head_word(m: Matching) -> None:
    from .head_word import head_word

    head_word(m)


def _head_either(m: Matching) -> None:
    from .head_word import head_either

    head_either(m)


def head(m: Matching) -> None:
    """Mentions with the same head word. If there are several, the one that covers most of the key mention.

        w(k, s) = |k ∩ s| / |k| if the heads are the same word, else 0

    A response mention that is longer than the key's is not punished (CRAC 2023 shared task, Žabokrtský et al. 2023).
    Equal spans with different heads do not match.
    """
    ours, theirs = m.free
    a, b = m.heads(0, ours), m.heads(1, theirs)
    ours, a, theirs, b = ours[a >= 0], a[a >= 0], theirs[b >= 0], b[b >= 0]
    if not len(ours) or not len(theirs):
        return
    width = 1 + max(int(a.max()), int(b.max()))
    a, b = m.key.row[ours] * width + a, m.response.row[theirs] * width + b
    order = np.argsort(b, kind="stable")
    low, high = np.searchsorted(b[order], a), np.searchsorted(b[order], a, side="right")
    which = repeat(np.arange(len(a)), high - low)
    k = ours[which]
    r = theirs[order[repeat(high - np.cumsum(high - low), high - low) + np.arange(len(which))]]
    one_to_one(m, _weighed(m, k, r, m.words.sizes[0][k]), "head")


def partial(m: Matching) -> None:
    """Response mentions within the key mention that contain its head word. Longer ones are better.

        w(k, s) = |s| / |k| if head(k) ∈ s ⊆ k, else 0

    The head of the response mention does not count (CRAC 2022 shared task, Žabokrtský et al. 2022).
    """
    ours, theirs = m.free
    place = m.heads(0, ours)
    ours, place = ours[place >= 0], place[place >= 0]
    keys, responses = [ours[:0]], [theirs[:0]]
    head_of = np.full(len(m.key.row), -1, dtype=np.int64)
    head_of[ours] = place
    for k, r in starting_within(m.key, m.response, ours, theirs, place):
        inside = (m.response.end[r] <= m.key.end[k]) & (head_of[k] <= m.response.end[r])
        k, r = k[inside], r[inside]
        inside = m.words.holds(r, m.key.row[k], head_of[k]) & (m.words.common(k, r) == m.words.sizes[1][r])
        keys.append(k[inside])
        responses.append(r[inside])
    k, r = np.concatenate(keys), np.concatenate(responses)
    one_to_one(m, _weighed(m, k, r, m.words.sizes[0][k]), "partial")


def given_minimum(m: Matching) -> None:
    """Response mentions within the key mention that contain its minimum span. Longer ones are better.

        w(k, s) = |s| / |k| if Min(k) ⊆ s ⊆ k, else 0

    The key gives Min. A key mention without Min only matches exactly (MUC, ARRAU, Universal Anaphora).
    """
    from .minimum import given

    ours, theirs = m.free
    first, last, issues = given(m.key, ours, m.ground)
    m.issues += issues
    ours, first, last = ours[first >= 0], first[first >= 0], last[first >= 0]
    starts, ends = (np.full(len(m.key.row), -1, dtype=np.int64) for _ in range(2))
    starts[ours], ends[ours] = first, last
    keys, responses = [ours[:0]], [theirs[:0]]
    apart = m.words.response.pieces  # the minimum may lie in a gap of these
    for k, r in starting_within(m.key, m.response, ours, theirs, first):
        inside = (m.response.end[r] <= m.key.end[k]) & (ends[k] <= m.response.end[r])
        k, r = k[inside], r[inside]
        inside = m.words.common(k, r) == m.words.sizes[1][r]
        for n in np.flatnonzero(np.isin(r, list(apart))).tolist() if apart else ():
            inside[n] &= any(a <= starts[k[n]] and ends[k[n]] <= b for a, b in apart[int(r[n])])
        keys.append(k[inside])
        responses.append(r[inside])
    k, r = np.concatenate(keys), np.concatenate(responses)
    one_to_one(m, _weighed(m, k, r, m.words.sizes[0][k]), "min")


def craft(m: Matching) -> None:
    """Each response mention, in order, with the first key mention whose first part contains a whole part of it.

    Key mentions that were matched exactly take no part. If an earlier response mention has taken this key mention, the
    response mention is not matched at all. Zeros are never matched (CRAFT shared task 2019, Baumgartner et al.).
    """
    zero = np.flatnonzero(m.zeros[1] & (m.found >= 0))
    m.taken[m.found[zero]] = False
    m.found[zero], m.by[zero] = -1, 0
    ours, theirs = m.free
    ours, theirs = ours[~m.zeros[0][ours]], theirs[~m.zeros[1][theirs]]
    end = m.key.end.copy()
    for p, pieces in m.key.pieces.items():
        end[p] = pieces[0][1]
    parts = [(int(r), a, b) for r in theirs.tolist() if r in m.response.pieces for a, b in m.response.pieces[r]]
    whole = theirs[~np.isin(theirs, [r for r, _, _ in parts])]
    more = np.array(parts, dtype=np.int64).reshape(-1, 3)
    of = np.concatenate((whole, more[:, 0]))
    start, stop = (
        np.concatenate((column[whole], more[:, c])) for column, c in ((m.response.start, 1), (m.response.end, 2))
    )
    inner = replace(m.response, row=m.response.row[of], start=start, end=stop)
    ranks = m.order
    best_rank = np.full(len(m.response.row), len(m.key.row), dtype=np.int64)
    for k, part in starting_within(replace(m.key, end=end), inner, ours, np.arange(len(of))):
        inside = stop[part] <= end[k]
        np.minimum.at(best_rank, of[part[inside]], ranks[0][k[inside]])
    by_rank = np.empty(len(m.key.row) + 1, dtype=np.int64)
    by_rank[ranks[0]] = np.arange(len(m.key.row))
    found = theirs[best_rank[theirs] < len(m.key.row)]
    found = found[np.argsort(ranks[1][found])]
    keys = by_rank[best_rank[found]]
    _, first = np.unique(keys, return_index=True)
    m.take(keys[first], found[first], "craft")


def share(m: Matching) -> None:
    """Mentions that share at least a given part of their words, regardless of their heads.

    w(k, s) = |k ∩ s| / |k ∪ s| if that is at least --min-share, else 0
    """
    from fractions import Fraction

    least = Fraction(repr(m.options.min_share))
    keys, responses = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for k, r in m.words.overlapping(*m.free):
        common = m.words.common(k, r)
        union = m.words.sizes[0][k] + m.words.sizes[1][r] - common
        enough = (common > 0) & (common * least.denominator >= union * least.numerator)
        keys.append(k[enough])
        responses.append(r[enough])
    k, r = np.concatenate(keys), np.concatenate(responses)
    common = m.words.common(k, r)
    one_to_one(m, _weighed(m, k, r, m.words.sizes[0][k] + m.words.sizes[1][r] - common), "share")


def _weighed(m: Matching, k: IntArray, r: IntArray, out_of: IntArray) -> Candidates:
    """Pairs of rows with the weights |k ∩ s| / out of, and |k ∩ s| / |k ∪ s| to break ties."""
    common = m.words.common(k, r)
    union = m.words.sizes[0][k] + m.words.sizes[1][r] - common
    from .optimal import Candidates, Weight

    return Candidates(k, r, Weight(common, out_of), Weight(common, union))


def _ordering_head(side: Side) -> IntArray | None:
    """What distinguishes equal spans in the order of mentions: the heads that are given."""
    if side.head is not None or side.corpus is None or side.corpus.head is None:
        return side.head
    return side.corpus.head[side.origin]


HEADS = {
    "head-word": (0,),
    "head-either": (0, 1),
    "head": (0, 1),
    "partial": (0,),
}  # the sides whose heads a match uses
MATCHERS: dict[str, Iterable[Step]] = {
    "exact": (exact,),
    "head-word": (exact, _head_word),
    "head-either": (exact, _head_either),
    "head": (exact, head),
    "partial": (exact, partial),
    "share": (exact, share),
    "min": (exact, given_minimum),
    "mina": (exact,),
    "craft": (exact, craft),
}
