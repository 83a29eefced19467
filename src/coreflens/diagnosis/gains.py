"""What each error costs: the exact change of the CoNLL average when it alone is corrected, computed for all errors.

A repair changes a few response entities of one block (changed_entities.py). MUC and B³ are sums over these. CEAFe is
solved again, starting from the current alignment (ceafe_rematching.py). So the time for a price depends on what the
repair changes, not on the size of the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..integers import bincount
from ..metrics import METRICS, Average, Metric
from ..metrics.contingency import Array
from ..options import Options
from ..scoring.counts import Counts
from ..scoring.finalize import average_values, finalize_values, stands_for
from .ceafe_rematching import Matching, Offers, ranges, similarity
from .changed_entities import ChangedEntities
from .classes import Errors
from .evidence import Evidence
from .prices import Prices

# The counts that a repair can change, in the order of `Changes.every`. Those of the key stay as they are.
COUNTS = (
    ("muc.recall_num", "muc.precision_num"),
    ("muc.precision_den",),
    ("bcub.recall_num",),
    ("bcub.precision_num",),
    ("bcub.precision_den",),
    ("ceafe.precision_den",),
    ("ceafe.recall_num", "ceafe.precision_num"),
)
AT_ONCE = 1 << 19  # cells that are in memory at the same time


def gains(evidence: Evidence, errors: Errors, prices: Prices) -> Array:
    """The change of the CoNLL average for each error; n/a counts as 0, as in `Prices.change`."""
    if not len(errors):
        return np.zeros(0)
    options, start = evidence.matched.options, prices.start
    found = Changes(evidence, errors).every()
    rows = np.zeros((len(errors) + 1, len(start.columns)))  # the first row is without a repair
    for change, names in zip(found.T, COUNTS, strict=True):
        for name in names:
            rows[1:, start.columns.index(name)] = change
    block = np.append(0, evidence.whole.block[errors.lead])
    conll = np.nan_to_num((_macro if options.average == "macro" else _micro)(start, rows, block, options))
    gain: Array = conll[1:] - conll[0]
    return gain


class Cells(NamedTuple):
    """The cells K_i ∩ R_j of response entities, sorted by (j, i), and the number of their mentions.

    A mention counts in the key entity that is its home, or in every key entity that has it, either once or as often as
    the entity has it. These numbers differ only if repetitions count as in scorer.pl.
    """

    j: IntArray
    i: IntArray
    home: IntArray
    once: IntArray
    times: IntArray


class Changes:
    """The changes of counts by single repairs. If singletons are dropped, an entity of one mention does not count.

    With `--singletons e2e`, the metrics differ: B³ ignores singletons of both sides, CEAFe those of the response, and
    MUC never counts any.
    """

    def __init__(self, evidence: Evidence, errors: Errors) -> None:
        policy = evidence.matched.options.singletons
        self.errors, self.least = len(errors), 1 if policy == "keep" else 2
        self.changed = ChangedEntities.of(evidence, errors)
        self.a, self.b = evidence.alignment.sizes
        self.bcubed = self.a > (1 if policy == "e2e" else 0)  # the key's entities that B³ counts
        self.met = _met(evidence)
        response = evidence.alignment.response
        rows = np.flatnonzero(response >= 0)
        self.cells = self._cells(response[rows], rows, np.ones_like(rows), Cells(*[rows[:0]] * 5))
        self.first = np.searchsorted(self.cells.j, np.arange(len(self.b) + 1))
        self.worth = self._worth(self.cells, self.b)
        there = self._counts(self.b)[self.cells.j]
        i, j, times = (x[there] for x in (self.cells.i, self.cells.j, self.cells.times))
        self.matching = Matching(i, j, times, self.a, self.b)

    def every(self) -> Array:
        """By how much the `COUNTS` change, for each error."""
        return np.concatenate([self._some(*bounds) for bounds in self._parts()])

    def _parts(self) -> Iterator[tuple[int, int]]:
        """The errors in parts, so that the cells of their entities fit into memory."""
        m = self.changed
        cost = bincount(m.error[m.row_of], minlength=self.errors)
        cost += bincount(m.error[m.source_of], np.diff(self.first)[m.source], self.errors).astype(np.int64)
        part = (np.cumsum(cost) - cost) // AT_ONCE
        bounds = np.flatnonzero(np.diff(part, prepend=-1, append=-1))
        yield from zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)

    def _some(self, start: int, stop: int) -> Array:
        """The changes of the errors from `start` to `stop`."""
        m = self.changed
        new = slice(*np.searchsorted(m.error, (start, stop)))
        sources, rows = (slice(*np.searchsorted(of, (new.start, new.stop))) for of in (m.source_of, m.row_of))
        error, source, sign = m.error[new] - start, m.source[sources], m.sign[rows]
        source_of, row_of = m.source_of[sources] - new.start, m.row_of[rows] - new.start
        b = bincount(source_of, self.b[source], len(error)) + bincount(row_of, sign, len(error))
        b = b.astype(np.int64)
        which, at = ranges(self.first[source], self.first[source + 1])
        cells = self._cells(row_of, m.row[rows], sign, Cells(source_of[which], *(x[at] for x in self.cells[1:])))
        worth, change = self._worth(cells, b), np.zeros((stop - start, len(COUNTS)))
        np.subtract.at(worth, source_of, self.worth[source])
        np.add.at(change[:, :-1], error, worth)
        offered = np.flatnonzero(self._counts(b)[cells.j] & (cells.times > 0))
        j, i = cells.j[offered], cells.i[offered]
        offers = Offers(error, j, i, similarity(cells.times[offered], self.a[i], b[j]))
        change[:, -1] = self.matching.changes(stop - start, error[source_of], source, offers)
        return change

    def _cells(self, entity: IntArray, row: IntArray, sign: IntArray, old: Cells) -> Cells:
        """The cells of entities that gain or lose mentions (`sign`), in addition to their old cells."""
        keys = max(len(self.a), 1)
        moved = []
        for key, first, stop in self.met:
            which, at = ranges(first[row], stop[row])
            moved.append((entity[which] * keys + key[at], sign[which]))
        code, place = np.unique(np.concatenate((old.j * keys + old.i, *(c for c, _ in moved))), return_inverse=True)
        before, *after = np.split(place, np.cumsum([len(old.j), *(len(c) for c, _ in moved)])[:-1])
        numbers = [
            (bincount(before, n, len(code)) + bincount(at, change, len(code))).astype(np.int64)
            for n, at, (_, change) in zip(old[2:], after, moved, strict=False)
        ]
        return Cells(code // keys, code % keys, *(numbers if len(numbers) > 1 else numbers * 3))

    def _counts(self, b: IntArray) -> npt.NDArray[np.bool_]:
        counts: npt.NDArray[np.bool_] = b >= self.least
        return counts

    def _worth(self, cells: Cells, b: IntArray) -> Array:
        """By entity: MUC's links kept and possible, B³'s numerators of R and P, mentions, entities."""
        squares = cells.home * cells.once * self.bcubed[cells.i]
        kept, recall, precision = (
            bincount(cells.j, x, len(b)) for x in (np.maximum(cells.home - 1, 0), squares / self.a[cells.i], squares)
        )
        worth = np.stack((kept, b - 1, recall, precision / np.maximum(b, 1), b, np.ones_like(b)), axis=1)
        return worth * self._counts(b)[:, np.newaxis]


def _met(evidence: Evidence) -> list[tuple[IntArray, IntArray, IntArray]]:
    """For the numbers in `Cells` (or one for all, if they don't differ): key entities, and where those of each mention
    begin and end."""
    key = evidence.alignment.key
    known, every = np.flatnonzero(key >= 0), np.arange(len(key))
    found = [(key[known], np.searchsorted(known, every), np.searchsorted(known, every + 1))]
    if evidence.matched.repeating:
        mention = evidence.alignment.mention
        order = known[np.lexsort((key[known], mention[known]))]
        pair = np.stack((mention[order], key[order]))
        new = (np.diff(pair, axis=1, prepend=-1) != 0).any(axis=0)
        for chosen in (new, np.ones_like(new)):
            ours, entity = pair[:, chosen]
            found.append((entity, np.searchsorted(ours, mention), np.searchsorted(ours, mention, "right")))
    return found


def _micro(start: Counts, changes: Array, block: Array, options: Options) -> Array:
    """CoNLL averages of the summed counts."""
    sums = np.maximum(start.total + changes, 0)  # rounding may make a difference of 0 slightly negative
    return finalize_values(start, sums, ["conll"], options)["conll"][0]["f1"]


def _macro(start: Counts, changes: Array, block: Array, options: Options) -> Array:
    """CoNLL averages of the means over blocks. A repair changes one block: see `finalize._mean`."""
    average = METRICS["conll"]
    assert isinstance(average, Average)
    metrics = list(average.weights(options))
    every = finalize_values(start, start.values, metrics, options)
    changed = finalize_values(start, np.maximum(start.values[block] + changes, 0), metrics, options)
    means = {}
    for metric in metrics:
        (values, undefined), (new, gone) = (
            (v["f1"], u["f1"].astype(bool)) for v, u in (every[metric], changed[metric])
        )
        old = np.where(undefined, 0, values)
        total = old.sum() - old[block] + np.where(gone, 0, new)
        defined = (~undefined).sum() - ~undefined[block] + ~gone
        known = METRICS[metric]
        assert isinstance(known, Metric)
        mean = np.where(defined > 0, total / np.maximum(defined, 1), stands_for(known, options)["f1"])
        means[metric] = {"f1": mean}, {"f1": defined == 0}
    return average_values("conll", means, options)[0]["f1"]
