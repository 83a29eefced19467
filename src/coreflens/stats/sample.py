"""What is resampled: units × columns of counts, and the scores of a weighted sum of units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from ..conditions import is_attribute
from ..corpus.model import IntArray
from ..errors import InputError, Issue, UsageError, counted
from ..integers import bincount
from ..matching.labels import By, number_labels
from ..metrics import METRICS, Metric
from ..metrics.contingency import Array
from ..metrics.registry import Values, ratio
from ..options import Options
from ..scoring.counts import Counts, needed
from ..scoring.finalize import average_values, finalize_values, stands_for
from ..scoring.parts import is_part, unit_counts

if TYPE_CHECKING:
    from ..scoring.result import Result

Unit: TypeAlias = Literal["document", "part", "topic", "entity"] | str  # or block:WORDS, or a label of documents
UNITS: dict[Unit, str] = {
    "document": "parts of one document are drawn together",
    "part": "every part is drawn by itself",
    "topic": "documents of one topic are drawn together; any other label, such as LABELS.csv:COLUMN, also works",
    "entity": "every entity of the key is drawn by itself, with what the response has of it; `block:1500` draws "
    "blocks of 1500 words",
}
NOISE = 1e-12  # sums in another order differ in the last bits: equal numbers must count as equal
FEW = 30  # with fewer documents, intervals are clearly too narrow (docs/statistics.md)


@dataclass(frozen=True, eq=False)
class Sample:
    """The counts of a result as units (documents, their parts together) that can be drawn, swapped or left out.

    A metric whose corpus score is a mean over documents has two columns per value here, the sum of the defined values
    and their number. So means also add up over units.
    """

    labels: Sequence[str]
    counts: Counts
    metrics: Sequence[str]
    options: Options
    stratum: IntArray
    word: str = field(default="document", kw_only=True)  # what a unit is
    divided: bool = field(default=False, kw_only=True)  # whether units are parts of documents: see scoring/parts.py

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def outputs(self) -> list[tuple[str, str]]:
        """(metric, value) of each column that `scores` gives."""
        return [(name, value) for name in self.metrics for value in METRICS[name].values]

    @property
    def mains(self) -> list[int]:
        """The places in `outputs` of the numbers to compare: F1, or the value."""
        return [place for place, (_, value) in enumerate(self.outputs) if value in ("f1", "value")]

    @cached_property
    def _main(self) -> list[tuple[str, str]]:
        """Of every metric, the number to compare."""
        return [(name, self.outputs[place][1]) for name, place in zip(self.metrics, self.mains, strict=True)]

    @property
    def total(self) -> Array:
        return self.counts.total

    @property
    def pieces(self) -> list[tuple[int, int, Array]]:
        """The counts as tables of some units, from one to before another; other units have 0 in these columns."""
        return [(0, len(self), self.counts.values)]

    def sums(self, rows: int, weights: Iterable[Array]) -> Array:
        """Sums of counts, with units weighted by each row of the blocks of weights."""
        gathered = Gathered.of({"": self}, rows, weights)
        return gathered.sums[gathered.places[""]].T

    def scores(self, sums: Array) -> Array:
        """One row of scores (see `outputs`) per row of sums of counts."""
        values = self.values(sums)
        return np.stack([np.asarray(values[name][0][value], float) for name, value in self.outputs]).T

    def compared(self, columns: Sequence[Array]) -> list[Array]:
        """The number to compare by each metric, from columns of sums of counts. Columns of one number are the same in
        all rows."""
        values = self.values(columns, main=True)
        return [np.asarray(values[name][0][value], float) for name, value in self._main]

    def values(self, sums: Array | Sequence[Array], *, main: bool = False) -> dict[str, tuple[Values, Values]]:
        """Values of each metric, or only the number to compare, and where they are undefined."""
        behind = needed(self.metrics, self.options)
        means = [m for m in behind if is_mean(m, self.options)]
        by_metric = finalize_values(self.counts, sums, [m.name for m in behind if m not in means], self.options, main)
        for metric in means:
            columns = self.counts.of(metric.name, sums)
            values = {v: ratio(columns[v], columns[f"{v}_documents"]) for v in metric.values}
            undefined = {v: x != x for v, x in values.items()}
            nowhere = stands_for(metric, self.options)
            values = {v: np.where(columns[f"{v}_documents"] == 0, nowhere[v], x) for v, x in values.items()}
            by_metric[metric.name] = values, undefined
        for name in self.metrics:
            if name not in by_metric:
                by_metric[name] = average_values(name, by_metric, self.options)
        return {name: by_metric[name] for name in self.metrics}

    def of_units(self) -> tuple[Array, Array]:
        """The number to compare, for every unit and metric, and where it is undefined."""
        found = self.values(self.counts.values, main=True)
        both = [np.stack([found[name][which][value] for name, value in self._main], axis=1) for which in (0, 1)]
        return both[0], both[1].astype(bool)

    def sizes(self) -> Array | None:
        """Mentions of each unit on both sides, if some metric counted them."""
        for metric in ("mentions", "bcub", "ceafm", "lea"):
            sides = [f"{metric}.{side}_den" for side in ("recall", "precision")]
            if set(sides) <= set(self.counts.columns):
                found: Array = self.counts.values[:, [self.counts.columns.index(s) for s in sides]].sum(axis=1)
                return found
        return None


def is_mean(metric: Metric, options: Options) -> bool:
    """Is the corpus score a mean over documents?"""
    return options.average == "macro" or metric.aggregation == "macro"


def sample(result: Result, unit: Unit = "document", stratify: By | None = None) -> Sample:
    """The units of a result; `stratify` names the label within which they are drawn."""
    counts, options = result.counts, result.options
    if not len(counts):
        raise UsageError("no counts to resample: a result read back from JSON has none (save them with save_counts)")
    if is_part(unit):
        return _of_parts(result, unit, stratify)
    codes, units = number_labels(_unit_names(counts, unit, options))
    stratum = np.zeros(len(units), dtype=np.int64)
    if stratify is not None:
        stratum = _strata(counts, codes, units, unit, counts.labelled(stratify, options))
    labels = _unit_labels(counts, codes, units, unit)
    rows = _rows(counts, result.signature.metrics, options)
    sums = np.zeros((len(units), len(rows.columns)))
    np.add.at(sums, codes, rows.values)
    unit_counts = Counts(labels, rows.columns, sums)
    return Sample(
        labels, unit_counts, result.signature.metrics, options, stratum, word=_unit_word(counts, unit, len(labels))
    )


def _is_by_document(counts: Counts) -> bool:
    """Whether the rows of counts are documents or their parts, and not blocks of several."""
    return len(counts.documents) == len(counts)


def _unit_names(counts: Counts, unit: Unit, options: Options) -> list[str]:
    """For each row of counts the name of its unit; an unnamed document, or one without parts, is a unit by itself."""
    if unit not in ("document", "part"):
        try:
            return counts.labelled(unit, options)
        except UsageError as error:
            raise UsageError(f"unit {unit}: {error}") from None
    if not _is_by_document(counts):
        return list(counts.labels)
    names = [f"row {row}" for row in range(len(counts))]
    if unit == "document":
        for row, document in enumerate(counts.documents):
            if document.part is not None:
                names[row] = f"name {document.name}"
    return names


def _strata(counts: Counts, codes: IntArray, units: Sequence[str], unit: Unit, labels: Sequence[str]) -> IntArray:
    """The stratum of each unit, from the labels of its rows; rows of one unit with different labels are an error."""
    stratum = np.zeros(len(units), dtype=np.int64)
    numbered = number_labels(labels)[0]
    stratum[codes] = numbered
    differing = np.flatnonzero(stratum[codes] != numbered)
    if len(differing):
        row = int(differing[0])
        if unit != "document":
            raise UsageError(f"documents of {unit} '{units[codes[row]]}' have different labels to stratify by")
        raise UsageError(f"parts of document '{counts.documents[row].name}' have different labels: --unit part")
    return stratum


def _unit_labels(counts: Counts, codes: IntArray, units: list[str], unit: Unit) -> list[str]:
    """What units are called: by their label, by the name of the document, or by the label of their first row."""
    if unit not in ("document", "part"):
        return units
    first_row = np.zeros(len(units), dtype=np.int64)
    first_row[codes[::-1]] = np.arange(len(counts))[::-1]
    labels = []
    for row in first_row.tolist():
        label = counts.labels[row] or f"document {row + 1}"
        if unit == "document" and _is_by_document(counts):
            label = counts.documents[row].name or label
        labels.append(label)
    return labels


def _unit_word(counts: Counts, unit: Unit, units: int) -> str:
    """What a unit is, in a word for messages: not a document, if the parts of some are one unit."""
    if unit in ("document", "part"):
        if not _is_by_document(counts):
            return "block"
        return "document" if units == len(counts) else "unit"
    return unit if unit.isalpha() else "unit"


def _of_parts(result: Result, unit: Unit, stratify: By | None) -> Sample:
    """The units that are parts of documents; metrics that can't be divided are n/a."""
    if stratify is not None:
        raise UsageError(f"--unit {unit} draws parts of documents, which have no labels to stratify by")
    means = [m.name for m in needed(result.signature.metrics, result.options) if is_mean(m, result.options)]
    if means:
        raise UsageError(f"{', '.join(means)}: a mean over documents can't be drawn by parts of them (--unit {unit})")
    counts, _, word = unit_counts(result, unit)
    there = np.flatnonzero((counts.values != 0).any(axis=1))  # a unit without a mention adds nothing
    counts = counts.take(there)
    stratum = np.zeros(len(counts), dtype=np.int64)
    return Sample(counts.labels, counts, result.signature.metrics, result.options, stratum, word=word, divided=True)


def united(samples: Mapping[str, Sample]) -> dict[str, Sample]:
    """The samples with the units of all of them, in one order; a unit that a system lacks has counts of 0."""
    place = {label: row for row, label in enumerate(dict.fromkeys(x for s in samples.values() for x in s.labels))}
    same_units: dict[str, Sample] = {}
    for name, one in samples.items():
        values = np.zeros((len(place), one.counts.values.shape[1]))
        values[[place[label] for label in one.labels]] = one.counts.values
        counts = Counts(list(place), one.counts.columns, values)
        stratum = np.zeros(len(place), dtype=np.int64)
        same_units[name] = replace(one, labels=list(place), counts=counts, stratum=stratum)
    return same_units


def by_group(result: Result, by: By) -> dict[str, Result]:
    """The result of each group by itself."""
    if isinstance(by, str) and is_attribute(by):
        return result.parts(by)
    labels = list(result.group_by(by))  # an error if there are no groups
    codes = number_labels(result.counts.labelled(by, result.options))[0]
    new_result = type(result)  # `Result.bootstrap` is the door to this module, which therefore does not import it
    about = result.signature.metrics, result.options, result.signature.protocol
    results = {}
    for group, label in enumerate(labels):
        results[label] = new_result(result.counts.take(np.flatnonzero(codes == group)), *about)
    return results


def _rows(counts: Counts, metrics: Sequence[str], options: Options) -> Counts:
    """Counts as floats; for means, the sums and numbers of defined values replace the counts."""
    names: list[str] = []
    columns: list[Array] = []
    values = np.asarray(counts.values, dtype=np.float64)
    for metric in needed(metrics, options):
        if is_mean(metric, options):
            found, undefined = finalize_values(counts, counts.values, [metric.name], options)[metric.name]
            own = np.stack([np.asarray(x, float) for x in counts.of(metric.name, values).values()], axis=1)
            inapplicable = (own != own).any(axis=1)
            for name in metric.values:
                gone = undefined[name].astype(bool) & ~inapplicable
                names += [f"{metric.name}.{name}", f"{metric.name}.{name}_documents"]
                columns += [np.where(gone, 0, found[name]).astype(float), (~gone).astype(float)]
        else:
            for name, column in counts.of(metric.name, values).items():
                names.append(f"{metric.name}.{name}")
                columns.append(column)
    return Counts(counts.labels, tuple(names), np.stack(columns, axis=1))


def _unlike(first: Result, second: Result) -> str:
    """What differs in the way two results were scored; if it is the metrics, only that they differ."""
    differences = [
        f"--{option.name.replace('_', '-')} {one} and {other}"
        for option in fields(Options)
        if (one := getattr(first.options, option.name)) != (other := getattr(second.options, option.name))
    ]
    if first.signature.metrics != second.signature.metrics:
        differences.append("other metrics (-m)")
    return ", ".join(differences)


def aligned(results: Mapping[str, Result], unit: Unit = "document", stratify: By | None = None) -> dict[str, Sample]:
    """Samples of several systems with the same units in the same order; documents must be the same."""
    first_name, first = next(iter(results.items()))
    samples: dict[str, Sample] = {}
    for name, result in results.items():
        if (result.signature.metrics, result.options) != (first.signature.metrics, first.options):
            raise UsageError(
                f"'{first_name}' and '{name}' were scored with different metrics or options: {_unlike(first, result)}"
            )
        samples[name] = sample(_reordered(first_name, first, name, result), unit, stratify)
    return united(samples) if is_part(unit) else samples


def _reordered(first_name: str, first: Result, name: str, result: Result) -> Result:
    """The result with its documents in the order of the first one; other documents, or another key, are an error."""
    labels, wanted = list(result.counts.labels), list(first.counts.labels)
    if labels != wanted:
        place = {label: row for row, label in enumerate(labels)}
        odd = _odd_label(labels, wanted)
        if odd is not None or len(place) < len(labels) or len(labels) != len(wanted):
            such_as = "names repeat" if odd is None else f"such as '{odd}'"
            raise InputError(
                f"'{first_name}' and '{name}' were scored on different documents, {such_as}",
                hint="a paired test needs the same documents for both; --extra ignore leaves out what the key lacks",
            )
        rows = np.array([place[label] for label in wanted], dtype=np.int64)
        result = result.narrowed(result.signature.metrics, result.counts.take(rows))
    _same_key(first_name, first.counts, name, result.counts)
    return result


def _odd_label(labels: Sequence[str], wanted: Sequence[str]) -> str | None:
    """A document that only one of the two has."""
    known = set(labels)
    lacking = next((label for label in wanted if label not in known), None)
    return lacking or next((label for label in labels if label not in wanted), None)


def _same_key(first_name: str, first: Counts, name: str, counts: Counts) -> None:
    """Check that sizes that depend only on the key are equal for all systems, to find counts saved against another
    key."""
    for column in ("mentions.recall_den", "muc.recall_den", "ceafe.recall_den"):
        if column in first.columns and column in counts.columns:
            a, b = (c.values[:, c.columns.index(column)] for c in (first, counts))
            if (odd := np.flatnonzero(a != b)).size:
                label = counts.labels[odd[0]]
                raise InputError(
                    f"'{first_name}' and '{name}' were scored against different keys: document '{label}' has "
                    f"{float(a[odd[0]]):g} and {float(b[odd[0]]):g} for {column}"
                )


class Gathered(NamedTuple):
    """Sums of counts with the same weights for several systems: distinct columns of counts × rows of weights.

    Systems share columns, such as the sizes of the key, and so do metrics. Each is summed once. `places` has the rows
    of `sums` that are the columns of each system.
    """

    sums: Array
    places: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, samples: Mapping[str, Sample], rows: int, weights: Iterable[Array]) -> Gathered:
        """So many rows of weights, in blocks."""
        tables: dict[tuple[int, int], dict[bytes, tuple[int, Array]]] = {}  # by units: number and column
        found: dict[str, list[tuple[tuple[int, int], int]]] = {name: [] for name in samples}
        for name, one in samples.items():
            for start, stop, table in one.pieces:
                known = tables.setdefault((start, stop), {})
                for column in table.T:
                    number, _ = known.setdefault(column.tobytes(), (len(known), column))
                    found[name].append(((start, stop), number))
        *borders, height = accumulate(map(len, tables.values()), initial=0)
        sums = np.empty((height, rows))
        first = dict(zip(tables, borders, strict=True))
        parts = [
            (*units, np.stack([column for _, column in known.values()]), sums[first[units] : first[units] + len(known)])
            for units, known in tables.items()
        ]
        at = 0
        for block in weights:
            for start, stop, table, own in parts:
                np.matmul(table, block[:, start:stop].T, out=own[:, at : at + len(block)])
            at += len(block)
        places = {name: [first[units] + number for units, number in of] for name, of in found.items()}
        return cls(sums, places)

    def columns(self, name: str) -> list[Array]:
        """The sums of each count of a system."""
        return [self.sums[place] for place in self.places[name]]


def _even(sizes: Array) -> float:
    """How many units of equal size would vary as much: (Σ s)² / Σ s²."""
    return float(sizes.sum() ** 2 / max((sizes**2).sum(), 1e-9))


def doubts(units: Sample, what: str) -> list[Issue]:
    """Why an interval or a test on these units should not be trusted."""
    return [*_doubts_of_size(units, what), *_doubts_of_strata(units, what), *_doubts_of_metrics(units, what)]


def _doubts_of_size(units: Sample, what: str) -> Iterator[Issue]:
    """Few units, units that are parts, and units of uneven size."""
    n = len(units)
    if n < FEW:
        yield Issue("few-documents", f"{what} on {counted(units.labels, units.word)}: too few to trust it", n)
    if units.divided:
        holds = "docs/statistics.md says when that holds"
        message = f"{what} over parts of documents: it is about more text of this kind, not about other texts; {holds}"
        yield Issue("parts", message)
    sizes = units.sizes()
    if sizes is None:
        return
    if n > 2 and sizes.sum() and sizes.max() > sizes.sum() / 2:
        share = 100 * sizes.max() / sizes.sum()
        label = units.labels[int(sizes.argmax())]
        yield Issue("one-document", f"{what}: {units.word} '{label}' alone has {share:.0f}% of the mentions")
    if units.divided and n >= FEW and (even := _even(sizes)) < FEW:
        message = f"{what}: a few units have most mentions, which is worth {even:.0f} equal units: too few to trust it"
        yield Issue("uneven-units", message)


def _doubts_of_strata(units: Sample, what: str) -> Iterator[Issue]:
    """Strata of one document."""
    alone = int((bincount(units.stratum) == 1).sum())
    if alone and units.stratum.any():
        yield Issue("lonely-strata", f"{what}: {alone} labels have one document, which is always drawn", alone)


def _doubts_of_metrics(units: Sample, what: str) -> Iterator[Issue]:
    """Metrics whose score is no sum over documents."""
    behind = needed(units.metrics, units.options)
    means = [metric.name for metric in behind if is_mean(metric, units.options)]
    pooled = [metric.name for metric in behind if metric.aggregation == "pooled" and metric.name not in means]
    if means and units.options.average != "macro":
        yield Issue("not-additive", f"{', '.join(means)}: {what} of the mean over documents")
    if pooled:
        yield Issue("not-additive", f"{', '.join(pooled)}: {what} over documents, pooled in each resample")
