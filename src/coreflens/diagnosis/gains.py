"""What each error costs: the exact change of the CoNLL average when it alone is corrected, computed for all errors.

A repair changes a few response entities of one block. MUC and B³ are sums over these. CEAFe is solved again, starting
from the current alignment (rematching.py). So the time for a price depends on what the repair changes, not on the size
of the document.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..metrics import METRICS, Average
from ..metrics.contingency import Array
from ..options import Options
from ..scoring.counts import Counts
from ..scoring.finalize import average_values, finalize_values
from .classes import Errors
from .evidence import Evidence
from .moves import NEW, Cells, Moves
from .prices import Prices
from .rematching import Matching

# The counts that a repair can change, in the order of `Changes.of`. Those of the key stay as they are.
COUNTS = (
    ("muc.recall_num", "muc.precision_num"),
    ("muc.precision_den",),
    ("bcub.recall_num",),
    ("bcub.precision_num",),
    ("bcub.precision_den",),
    ("ceafe.precision_den",),
    ("ceafe.recall_num", "ceafe.precision_num"),
)

# For a response entity: b, Σ_i (n − 1), Σ_i n²/a, Σ_i n². The sums are over the key entities that share mentions with
# it. If repetitions count as in scorer.pl, n² is n times the overlap, as in `bcub`.
NOTHING: Cells = {}
Sums: TypeAlias = tuple[int, int, float, int]


def gains(evidence: Evidence, errors: Errors) -> Array:
    """The change of the CoNLL average for each error; n/a counts as 0, as in `Prices.change`."""
    if not len(errors):
        return np.zeros(0)
    options, start = evidence.matched.options, Prices(evidence, ["conll"]).start
    changes = Changes(evidence, errors, options.singletons == "keep")
    found = np.array([changes.of(error) for error in range(len(errors))])
    rows = np.zeros((len(errors) + 1, len(start.columns)))  # the first row is without a repair
    for change, names in zip(found.T, COUNTS, strict=True):
        for name in names:
            rows[1:, start.columns.index(name)] = change
    block = np.append(0, evidence.whole.block[errors.lead])
    conll = np.nan_to_num((_macro if options.average == "macro" else _micro)(start, rows, block, options))
    gain: Array = conll[1:] - conll[0]
    return gain


class Changes:
    """The changes of counts by single repairs. If singletons are dropped, an entity of one mention does not count."""

    def __init__(self, evidence: Evidence, errors: Errors, singletons: bool) -> None:
        m, self.singletons = evidence.alignment, singletons
        self.moves = Moves(evidence, errors)
        a, b = m.sizes
        self.a = a.tolist()
        self.home, self.once, times = self.moves.tables
        cells = [(j, i, n) for j, met in times.items() for i, n in met.items() if i >= 0]
        j, i, n = np.array(sorted(cells), dtype=np.int64).reshape(-1, 3).T
        self.matching = Matching(i, j, n, a, b)
        self.sums: dict[int, Sums] = {j: self._start(j, size) for j, size in enumerate(b.tolist())}
        self.sums[NEW] = (0, 0, 0.0, 0)

    def of(self, error: int) -> tuple[float, ...]:
        """By how much the `COUNTS` change."""
        gone, made, change = [], [], [0.0] * 6
        home, once, times = self.moves.differences(error)
        for entity, differences in home.items():
            before, after = self.sums[entity], self._changed(entity, differences, once.get(entity, {}))
            for place, (old, new) in enumerate(zip(self._worth(before), self._worth(after), strict=True)):
                change[place] += new - old
            if entity != NEW:
                gone.append(entity)
            if self._counts(after[0]):
                known = {i: n for i, n in times.get(entity, {}).items() if i >= 0 and n}
                made.append(self.matching.offers(None if entity == NEW else entity, after[0], known))
        return (*change, self.matching.change(gone, made))

    def _start(self, entity: int, size: int) -> Sums:
        cells, met = self.home.get(entity, NOTHING), self.once.get(entity, NOTHING)
        found = [(n, n * met[i], self.a[i]) for i, n in cells.items() if i >= 0]
        return size, sum(n - 1 for n, _, _ in found), sum(s / a for _, s, a in found), sum(s for _, s, _ in found)

    def _changed(self, entity: int, more: Cells, overlapping: Cells) -> Sums:
        b, kept, recall, squares = self.sums[entity]
        cells, met = self.home.get(entity, NOTHING), self.once.get(entity, NOTHING)
        b += sum(more.values())
        for i in overlapping:
            old, new = cells.get(i, 0), cells.get(i, 0) + more.get(i, 0)
            if i >= 0:
                change = new * (met.get(i, 0) + overlapping[i]) - old * met.get(i, 0)
                kept += max(new - 1, 0) - max(old - 1, 0)
                recall += change / self.a[i]
                squares += change
        return b, kept, recall, squares

    def _counts(self, b: int) -> bool:
        return b > 1 or (b == 1 and self.singletons)

    def _worth(self, sums: Sums) -> tuple[float, ...]:
        """MUC's links kept and possible, B³'s numerators of R and P, mentions, entities."""
        b, kept, recall, squares = sums
        return (kept, b - 1, recall, squares / b, b, 1) if self._counts(b) else (0, 0, 0, 0, 0, 0)


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
        none = np.nan if options.undefined == "nan" else 0.0
        mean = np.where(defined > 0, total / np.maximum(defined, 1), none)
        means[metric] = {"f1": mean}, {"f1": defined == 0}
    return average_values("conll", means, options)[0]["f1"]
