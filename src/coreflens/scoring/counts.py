"""S: documents × columns of additive counts. It is the only state, and everything else is computed from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..corpus.model import Document, IntArray
from ..errors import Issue, UsageError
from ..matching.alignment import Alignment
from ..matching.documents import blocks_of
from ..matching.matched import Matched
from ..metrics import METRICS, Average, Metric, spelled
from ..metrics.contingency import Array, Contingency
from ..metrics.repetitions import Overlap
from ..options import Options

if TYPE_CHECKING:
    from ..matching.labels import By


@dataclass(frozen=True, eq=False)
class Counts:
    """One row per document (or per block, if the scope is wider), one column per count.

    Columns are named `metric.count`. Rows can be added: the counts of two corpora are the rows of both.
    """

    labels: Sequence[str]
    columns: tuple[str, ...]
    values: Array
    documents: Sequence[Document] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def total(self) -> Array:
        """The sum of the rows, as one row."""
        if len(self) == 1:
            return self.values
        total: Array = self.values.sum(axis=0, keepdims=True) if len(self) else np.zeros((1, len(self.columns)))
        return total

    def of(self, metric: str, values: Array | Sequence[Array]) -> Mapping[str, Array]:
        """The columns of one metric, with the values of the given rows, or from a sequence of all columns."""
        columns = values.T if isinstance(values, np.ndarray) else values
        return {name: columns[place] for name, place in _places(self.columns)[metric]}

    def stacked(self, metrics: tuple[str, ...], row: Array) -> Mapping[str, Array]:
        """The columns of one row of values for several metrics whose columns have the same names, one metric per
        row."""
        names, places = _stacked(self.columns, metrics)
        return dict(zip(names, row[places], strict=True))

    def take(self, rows: IntArray) -> Counts:
        """Some of the rows."""
        documents = [self.documents[row] for row in rows] if len(self.documents) == len(self) else self.documents
        return Counts([self.labels[row] for row in rows], self.columns, self.values[rows], documents)

    def labelled(self, by: By, options: Options) -> list[str]:
        """The label of each row. If a row has several documents, they must have the same label."""
        from ..matching.labels import labels_of

        found = labels_of(self.documents, by)
        if options.scope == "document":
            return found
        if options.scope == by:
            return list(self.labels)
        block, _ = blocks_of(self.documents, options.scope)
        labels: dict[int, str] = {}
        for row, label in zip(block.tolist(), found, strict=True):
            if labels.setdefault(row, label) != label:
                what = f"'{labels[row]}' and '{label}' are both in {options.scope} '{self.labels[row]}'"
                raise UsageError(f"entities extend over the {options.scope} here, but {what}; use --scope {by}")
        return [labels[row] for row in range(len(self))]

    @classmethod
    def concatenate(cls, parts: Iterable[Counts]) -> Counts:
        """The rows of several counts of the same metrics together."""
        parts = list(parts)
        if len({p.columns for p in parts}) > 1:
            raise UsageError("counts of different metrics can't be combined")
        return cls(
            [label for p in parts for label in p.labels],
            parts[0].columns,
            np.concatenate([p.values for p in parts]),
            [d for p in parts for d in p.documents],
        )


def count(
    matched: Matched,
    metrics: Sequence[str],
    *,
    labels: Sequence[str] | None = None,
    exact: bool = False,
    insist: Iterable[str] = (),
    table: Callable[[Alignment, bool, Overlap, bool], Contingency] = Contingency.of,
) -> tuple[Counts, list[Issue]]:
    """The counts of matched mentions for all metrics, by block. Each contingency table is built once.

    `labels`: the labels of the rows, if the rows are not all blocks of the pairing.
    `insist`: metrics that must apply. Other metrics that need equal mention sets become n/a if the sets differ.
    `table`: what makes the contingency tables.
    """
    tables: dict[tuple[str, int, str, bool], tuple[Contingency, Contingency]] = {}
    documents = matched.pairing.documents if labels is None else ()
    labels = matched.pairing.labels if labels is None else labels

    repeating, has_splits = matched.repeating, matched.alignment.splits is not None

    def tables_for(metric: Metric) -> tuple[Contingency, Contingency]:
        overlap = metric.overlap if repeating else ""
        split = has_splits and metric.split
        which = metric.twinless, id(matched.scored(metric)), overlap, split
        if which not in tables:
            recall, precision = matched.halves(metric)
            first = table(recall, exact, overlap, split)
            tables[which] = first, first if precision is recall else table(precision, exact, overlap, split)
        return tables[which]

    def columns_of(metric: Metric) -> tuple[Array, ...]:
        found = columns_from(metric, *tables_for(metric))
        if repeating and metric.repeated:
            found = _with_repetitions(metric.repeated, matched, found)
        return found

    wanted = needed(metrics, matched.options)
    return gather(wanted, labels, documents, columns_of, lambda metric: tables_for(metric)[0], insist)


def columns_from(metric: Metric, for_recall: Contingency, for_precision: Contingency) -> tuple[Array, ...]:
    """The columns of a metric with two tables. Each table gives one half of the columns."""
    found = metric.count(for_recall)
    return found if for_precision is for_recall else (*found[:2], *metric.count(for_precision)[2:])


def gather(
    metrics: Iterable[Metric],
    labels: Sequence[str],
    documents: Sequence[Document],
    columns_of: Callable[[Metric], tuple[Array, ...]],
    table_of: Callable[[Metric], Contingency],
    insist: Iterable[str] = (),
) -> tuple[Counts, list[Issue]]:
    """The columns of all metrics side by side. Metrics that need equal mention sets are n/a if the sets differ."""
    names: list[str] = []
    columns: list[Array] = []
    issues: list[Issue] = []
    for metric in metrics:
        found = columns_of(metric)
        if metric.equal_mentions and (unequal := _unequal(table_of(metric))).any():
            differ = f"{unequal.sum()} of {len(labels)} documents differ"
            what = f"{metric.name} needs the same mentions on both sides, but {differ}"
            if metric.name in insist:
                raise UsageError(f"{what}; leave it out, or use a metric for system mentions such as blanc or pairs")
            issues.append(Issue("unequal-mentions", f"{what}: n/a", int(unequal.sum())))
            found = tuple(np.where(unequal, np.nan, column) for column in found)  # so every sum with them is n/a
        if metric.absent and metric.name in insist and not any(column.any() for column in found):
            issues.append(Issue("nothing-to-count", f"{metric.name}: {metric.absent}"))
        names += metric.headings
        columns += found
    values = np.zeros((len(labels), 0))
    if columns:  # one row is quickly joined
        values = np.concatenate(columns)[None] if len(labels) == 1 else np.stack(columns, axis=1)
    return Counts(labels, tuple(names), values, documents), issues


def _with_repetitions(
    repeated: Callable[[Sequence[Sequence[int]], Sequence[Sequence[int]]], Sequence[Any]],
    matched: Matched,
    columns: tuple[Array, ...],
) -> tuple[Array, ...]:
    """The columns with the counts of the blocks in which a mention occurs more than once on a side."""
    alignment, kept, mention = matched.alignment, matched.without_singletons, matched.alignment.mention
    order = np.argsort(alignment.block, kind="stable")
    columns = tuple(column.copy() for column in columns)
    for block in alignment.repeating_blocks.tolist():
        first, stop = np.searchsorted(alignment.block[order], (block, block + 1))
        rows, sides = order[first:stop], []
        for entity in (kept.key, kept.response):
            chains: dict[int, list[int]] = {}
            there = rows[entity[rows] >= 0]
            for number, m in zip(entity[there].tolist(), mention[there].tolist(), strict=True):
                chains.setdefault(number, []).append(m)
            sides.append(list(chains.values()))
        for column, number in zip(columns, repeated(*sides), strict=False):
            column[block] = number
    return columns


@lru_cache(maxsize=64)
def _places(columns: tuple[str, ...]) -> dict[str, list[tuple[str, int]]]:
    """Metric → the names and positions of its columns."""
    places: dict[str, list[tuple[str, int]]] = {}
    for place, column in enumerate(columns):
        metric, _, name = column.partition(".")
        places.setdefault(metric, []).append((name, place))
    return places


@lru_cache(maxsize=64)
def _stacked(columns: tuple[str, ...], metrics: tuple[str, ...]) -> tuple[list[str], IntArray]:
    """The names of the columns of these metrics, which are the same for all, and for each name its position for each
    metric."""
    places = [_places(columns)[metric] for metric in metrics]
    return [name for name, _ in places[0]], np.array([[place for _, place in some] for some in places]).T


def needed(metrics: Iterable[str], options: Options) -> list[Metric]:
    """The metrics to count, including those behind the averages."""
    found: dict[str, Metric] = {}
    for name in metrics:
        asked = METRICS[name]
        for part in asked.weights(options) if isinstance(asked, Average) else (name,):
            metric = METRICS[part if part in METRICS else spelled(part, METRICS)]
            if not isinstance(metric, Metric) or (isinstance(asked, Average) and "f1" not in metric.values):
                raise UsageError(f"{asked.name}: '{part}' is not a metric with an F1")
            found[metric.name] = metric
    return list(found.values())


def _unequal(t: Contingency) -> npt.NDArray[np.bool_]:
    """Blocks in which a mention is twinless."""
    key, response, both = t.keys(t.a), t.responses(t.b), t.cells(t.n)
    differ: npt.NDArray[np.bool_] = ((key != response) | (key != both)).astype(bool)
    return differ
