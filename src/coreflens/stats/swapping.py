"""The randomisation test: in each assignment, two systems exchange their counts of some units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from math import log2
from typing import Any, TypeAlias

import numpy as np

from ..metrics.contingency import Array
from .sample import NOISE, Gathered, Sample
from .weights import blocks, chunks, swaps

Pair: TypeAlias = tuple[str, str]
Progress: TypeAlias = Callable[[Iterable[Any]], Iterable[Any]]
Tally: TypeAlias = dict[Pair, Array]
# the p of each pair by each metric, and the pairs where it is exact
Chances: TypeAlias = tuple[dict[Pair, Array], set[Pair]]

_AT_ONCE = 5000  # about so many assignments are scored at once, of two systems each: few enough for the cache
_PAIRS = 4  # of one system, that are compared at once
_MANY = 1_000_000  # assignments that make other processes worth their start


@contextmanager
def randomised(
    samples: Mapping[str, Sample],
    differences: Mapping[Pair, Array],
    resamples: int,
    seed: int,
    progress: Progress,
    jobs: int | None,
) -> Iterator[Callable[[], Chances]]:
    """A function that gives the p of each pair by each metric, and the pairs for which all assignments were tried.

    p = (c + 1)/(n + 1), where c assignments of n have a difference as large; c/2ⁿ where all 2ⁿ can be tried. Units on
    which both systems have the same counts can't change anything and are not counted among the n.

    Other processes, if there are several, work during the block. Otherwise the function does it all.
    """
    observed = {pair: np.abs(difference) for pair, difference in differences.items()}
    units = {pair: _differ(*(samples[name].counts.values for name in pair)) for pair in observed}
    few = {pair: rows for pair, rows in units.items() if len(rows) <= log2(resamples)}
    rest = [pair for pair in observed if pair not in few]
    work = partial(_tallied, samples, rest, resamples, seed, observed)
    with _shares(work, len(rest) * resamples, progress, jobs) as tallies:

        def found() -> Chances:
            p = {
                pair: _enumerated([samples[name] for name in pair], rows, observed[pair]) for pair, rows in few.items()
            }
            if rest:
                every = tallies()
                p |= {pair: (np.sum([tally[pair] for tally in every], axis=0) + 1) / (resamples + 1) for pair in rest}
            return p, set(few)

        yield found


def _differ(a: Array, b: Array) -> Array:
    """The units whose counts differ; values that do not apply (nan) do not differ."""
    return np.flatnonzero(((a != b) & (a == a)).any(axis=1))


@contextmanager
def _shares(
    work: Callable[..., Tally], size: int, progress: Progress, jobs: int | None
) -> Iterator[Callable[[], list[Tally]]]:
    """A function that gives what each process makes of its share of the work."""
    if size and jobs != 1:
        from ..processes import chosen, meanwhile

        if (number := chosen(jobs, size >= _MANY)) > 1:
            with meanwhile(work, [(share, number) for share in range(number)], number) as found:
                yield found
            return
    yield lambda: [work((0, 1), progress)]


def _enumerated(pair: Sequence[Sample], rows: Array, observed: Array) -> Array:
    """The share of all assignments of these units whose difference is as large, by metric."""
    masks = (np.arange(2 ** len(rows))[:, None] >> np.arange(len(rows)) & 1).astype(float)
    known: dict[bytes, int] = {}
    first, second = (
        _Sums(
            one,
            [*(masks @ one.counts.values[rows]).T],
            [known.setdefault(column.tobytes(), len(known)) for column in one.counts.values.T],
        )
        for one in pair
    )
    beyond = _beyond(pair[0], first, first.kept(), [second], [observed])
    shares: Array = beyond[0] / len(masks)
    return shares


def _tallied(
    samples: Mapping[str, Sample],
    pairs: Sequence[Pair],
    resamples: int,
    seed: int,
    observed: Mapping[Pair, Array],
    share: tuple[int, int],
    progress: Progress = iter,
) -> Tally:
    """How many assignments have a difference as large, by pair and metric: a share of them, such as (0, 2) of two."""
    rng = np.random.default_rng(seed)
    tested = {name: samples[name] for pair in pairs for name in pair}
    tally = {pair: np.zeros(len(observed[pair])) for pair in pairs}
    groups = [group for _, of_first in groupby(pairs, key=lambda pair: pair[0]) for group in _batches([*of_first])]
    sums: dict[str, _Sums] = {}
    kept: list[Array] = []  # what the first system of the last pairs keeps
    kept_by: str | None = None
    for rows, group in progress([(rows, group) for rows in chunks(resamples) for group in groups]):
        first = group[0][0]
        if group is groups[0]:
            sums = _given_away(tested, rng, rows, share)
            kept_by = None
        if kept_by != first:
            kept_by, kept = first, sums[first].kept()
        others = [sums[second] for _, second in group]
        found = _beyond(samples[first], sums[first], kept, others, [observed[pair] for pair in group])
        for pair, beyond in zip(group, found, strict=True):
            tally[pair] += beyond
    return tally


def _given_away(
    samples: Mapping[str, Sample], rng: np.random.Generator, rows: int, share: tuple[int, int]
) -> dict[str, _Sums]:
    """What each system gives away in a share of so many assignments."""
    units = len(next(iter(samples.values())))
    own = sum(blocks(rows, units)[share[0] :: share[1]])
    given = Gathered.of(samples, own, swaps(rng, units, rows, share))
    return {name: _Sums(sample, given.columns(name), given.places[name]) for name, sample in samples.items()}


def _batches(pairs: list[Pair]) -> Iterator[list[Pair]]:
    """A few pairs at a time: one call of numpy for all of them costs less than one for each."""
    for start in range(0, len(pairs), _PAIRS):
        yield pairs[start : start + _PAIRS]


class _Sums:
    """The sums of a system's counts over the units that it gives away in each assignment."""

    def __init__(self, sample: Sample, given: Sequence[Array], numbers: Sequence[int]) -> None:
        # columns with the same number are the same, also in other systems
        self.totals, self.given, self.numbers = sample.total[0].tolist(), given, numbers

    def kept(self) -> list[Array]:
        """The sums over the other units."""
        found = {n: total - column for n, total, column in zip(self.numbers, self.totals, self.given, strict=True)}
        return [found[n] for n in self.numbers]


def _beyond(
    sample: Sample, first: _Sums, kept: Sequence[Array], others: Sequence[_Sums], observed: Sequence[Array]
) -> Array:
    """How many assignments have a difference at least as large as the one observed, by pair and metric.

    The pairs are the first system with each of the others. `kept`: what the first system keeps.
    """
    beyond = np.zeros((len(others), len(observed[0])))
    rows = len(kept[0])
    pieces = max(1, round(rows / _AT_ONCE))
    for piece in range(pieces):
        start, stop = rows * piece // pieces, rows * (piece + 1) // pieces
        columns = _Exchanged(first, kept, others, slice(start, stop))
        for m, scores in enumerate(sample.compared(columns)):
            every = np.broadcast_to(scores, 2 * len(others) * (stop - start))  # it may be one number for all of them
            for pair, (a, b) in enumerate(every.reshape(len(others), 2, -1)):
                difference = b - a
                np.abs(difference, out=difference)
                beyond[pair, m] += np.count_nonzero(difference >= observed[pair][m] - NOISE)
    return beyond


class _Exchanged(Sequence[Array]):
    """The columns of sums in some assignments. A column is made when a metric asks for it, and kept only if another one
    is the same, so that all that a metric works with stays in the cache.

    For each of the other systems: those of the first system, then those of the other, which has the rest of what both
    have. Columns that are the same in both, such as sizes of the key, do not change. If this is so for all pairs, a
    column is one number.
    """

    def __init__(self, first: _Sums, kept: Sequence[Array], others: Sequence[_Sums], rows: slice) -> None:
        self.first, self.kept, self.others, self.rows = first, kept, others, rows
        self._which = [*zip(first.numbers, *(other.numbers for other in others), strict=True)]
        self._known: dict[tuple[int, ...], Array] = {}

    def __len__(self) -> int:
        return len(self._which)

    def __getitem__(self, place: Any) -> Any:
        which = self._which[place]
        found = self._known.get(which)
        if found is None:
            found = self._made(place, which)
            if self._which.count(which) > 1:
                self._known[which] = found
        return found

    def _made(self, place: int, which: tuple[int, ...]) -> Array:
        total = self.first.totals[place]
        if which.count(which[0]) == len(which):
            return np.array([total])
        kept = self.kept[place][self.rows]
        every = np.empty((len(self.others), 2, len(kept)))
        for other, number, (ours, theirs) in zip(self.others, which[1:], every, strict=True):
            if number == which[0]:
                ours[:] = theirs[:] = total
            else:
                np.add(kept, other.given[place][self.rows], out=ours)
                np.subtract(total + other.totals[place], ours, out=theirs)
        return every.reshape(-1)
