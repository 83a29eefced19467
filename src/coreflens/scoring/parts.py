"""Scores by part: by size and spread of entities, by distance of mentions, by blocks of text, by entity.

    entity.size     how many mentions an entity has
    entity.spread   how many words lie between the beginnings of its first and its last mention
    distance        how many words after the mention before it of its entity a mention begins

The counts of every metric are divided among the mentions (metrics/division.py), so the parts of a document add up to
the document. Recall uses the entities and mentions of the key, precision those of the response. For example, recall for
`entity.size` 2 is how much of the key's pairs is found, and precision how much of the response's pairs is right. For
blocks and entities as units of resampling, both use the key. A response mention that the key lacks belongs to the block
of its place, or to the unit of most mentions of its entity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..corpus.model import IntArray
from ..errors import InputError, Issue, UsageError
from ..integers import bincount
from ..matching.alignment import Alignment
from ..matching.matched import Matched
from ..metrics import Metric
from ..metrics.contingency import Array
from ..metrics.division import Divided
from ..metrics.influence import contributions
from ..metrics.registry import RECALL_PRECISION
from .counting import count
from .counts import Counts, columns_from, needed
from .windows import windows_of

if TYPE_CHECKING:
    from .result import Result

STRATA = ("entity.size", "entity.spread", "distance")
_SIZES = (1, 2, 5, 10, 50, 100)
_WORDS = (10, 50, 100, 500, 1500, 10_000)
ONE, FIRST = "one mention", "first mention"


@dataclass(frozen=True, eq=False)
class Parts:
    """The group of every mention of both sides, in the order of `Alignment.sides`, and the labels of the groups."""

    key: IntArray
    response: IntArray
    labels: Sequence[str]

    def rows(self, alignment: Alignment) -> tuple[IntArray, IntArray]:
        """The groups of the rows of an alignment on both sides. A mention that a policy added has the group that it has
        on the other side."""
        ours, theirs = (
            _at(g, rows) for g, rows in ((self.key, alignment.key_rows), (self.response, alignment.response_rows))
        )
        return np.where(alignment.key_rows >= 0, ours, theirs), np.where(alignment.response_rows >= 0, theirs, ours)


def _at(groups: IntArray, rows: IntArray) -> IntArray:
    return groups[rows] if len(groups) else np.zeros(len(rows), dtype=np.int64)


# ---- strata


def strata_of(result: Result, by: str, *, of_key: bool = False) -> dict[str, Result]:
    """The result of each stratum, in order. Strata without a mention on either side (with `of_key`: in the key) are
    left out."""
    matched = _matched(result, f"--by {by}")
    alignment = matched.alignment
    values = [_VALUES[by](matched, side) for side in (0, 1)]
    (ours, names), (theirs, _) = values
    documents, width = len(matched.pairing.documents), len(names)
    codes = [side.row * width + group for side, group in zip(alignment.sides, (ours, theirs), strict=True)]
    parts = Parts(codes[0], codes[1], range(documents * width))  # type: ignore[arg-type]
    counts, issues = divided(matched, result, parts, by_sides=True)
    shaped = counts.values.reshape(documents, width, -1)
    used = bincount(ours if of_key else np.concatenate((ours, theirs)), minlength=width) > 0
    new_result = type(result)  # `Result.parts` is the door to this module, which therefore does not import it
    about = result.signature.metrics, result.options, result.signature.protocol
    found: dict[str, Result] = {}
    for place in np.flatnonzero(used).tolist():
        part = Counts(matched.pairing.labels, counts.columns, shaped[:, place], matched.pairing.documents)
        found[names[place]] = new_result(part, *about, issues)
    return found


def _entities(alignment: Alignment, side: int) -> IntArray:
    """The entity of each mention of a side."""
    entity, rows = ((alignment.key, alignment.key_rows), (alignment.response, alignment.response_rows))[side]
    found = np.full(len(alignment.sides[side].row), -1, dtype=np.int64)
    found[rows[rows >= 0]] = entity[rows >= 0]
    return found


def _binned(numbers: IntArray, ends: Sequence[int], last: str) -> tuple[IntArray, list[str]]:
    """The interval of each number: up to the first end, up to the second end and so on, or above all ends."""
    starts = [1, *(end + 1 for end in ends)]
    names = [f"{a}" if a == b else f"{a}–{b}" for a, b in zip(starts, ends, strict=False)]
    return np.searchsorted(np.array(ends), numbers, side="left"), [*names, f"over {ends[-1]}{last}"]


def _sizes(matched: Matched, side: int) -> tuple[IntArray, list[str]]:
    entity = _entities(matched.alignment, side)
    group, names = _binned(_at(matched.alignment.sizes[side], entity), _SIZES, "")
    return group, [f"{name} mention{'s' * (name != '1')}" for name in names]


def _spreads(matched: Matched, side: int) -> tuple[IntArray, list[str]]:
    entity, start = _entities(matched.alignment, side), _starts(matched, side)
    number = int(entity.max(initial=-1)) + 1
    first, last = np.full(number, np.iinfo(np.int64).max), np.full(number, -1)
    np.minimum.at(first, entity, start)
    np.maximum.at(last, entity, start)
    group, names = _binned(_at(last - first, entity), _WORDS, "")
    single = _at(matched.alignment.sizes[side], entity) == 1
    return np.where(single, 0, group + 1), [ONE, *(f"{_upto(name)} words" for name in names)]


def _distances(matched: Matched, side: int) -> tuple[IntArray, list[str]]:
    entity, start = _entities(matched.alignment, side), _starts(matched, side)
    order = np.lexsort((start, entity))
    gap = np.zeros(len(entity), dtype=np.int64)
    first = np.ones(len(entity), dtype=bool)
    if len(order):
        gap[order[1:]] = np.diff(start[order])
        first[order[1:]] = np.diff(entity[order]) != 0
    group, names = _binned(gap, _WORDS, "")
    return np.where(first, 0, group + 1), [FIRST, *(f"{_upto(name)} words" for name in names)]


def _upto(name: str) -> str:
    """The first interval begins with 0, because two mentions may begin at the same word."""
    return name.replace("1–", "0–", 1) if name.startswith("1–") else name


_VALUES = {"entity.size": _sizes, "entity.spread": _spreads, "distance": _distances}


def _starts(matched: Matched, side: int) -> IntArray:
    """The word at which each mention of a side begins, counted in its own document."""
    corpus = (matched.key, matched.response)[side]
    if corpus.names is not None or corpus.unit != "token":
        hint = "give files with the words of the documents"
        raise InputError("distances are counted in words, but these mentions have no places in a text", hint=hint)
    return corpus.start[matched.alignment.sides[side].origin]


# ---- units of resampling


def unit_counts(result: Result, unit: str) -> tuple[Counts, list[Issue], str]:
    """The counts of a result by blocks of text (`block:1500`) or by entity, and the name of the unit."""
    matched = _matched(result, f"--unit {unit}")
    if result.options.scope != "document" and unit != "entity":
        raise UsageError(f"entities extend over the {result.options.scope} here; blocks of text need --scope document")
    kind, _, size = unit.partition(":")
    parts = _blocks(matched, size) if kind == "block" else _by_entity(matched)
    counts, issues = divided(matched, result, parts, whole_entities=kind == "entity")
    return counts, issues, kind


def is_part(unit: str) -> bool:
    """Whether units are parts of documents."""
    return unit == "entity" or unit.partition(":")[0] == "block"


def _blocks(matched: Matched, size: str) -> Parts:
    if not (size.isascii() and size.isdecimal() and int(size) > 0):
        raise UsageError("--unit block:WORDS needs the number of words of a block, such as block:1500")
    found = windows_of(matched, int(size))
    number = np.arange(len(found)) - found.first[found.document]
    labels = [matched.pairing.labels[d] for d in found.document.tolist()]
    return Parts(
        *_by_row(matched.alignment, found.of), [f"{d} block {n}" for d, n in zip(labels, number.tolist(), strict=True)]
    )


def _by_entity(matched: Matched) -> Parts:
    """Groups by key entity. A mention that the key lacks belongs to the group that most mentions of its response entity
    have (ties go to the first).

    A response entity without any mention of the key is its own unit, named after its first mention.
    """
    alignment = matched.alignment
    keys = len(alignment.key_block)
    both = (alignment.key >= 0) & (alignment.response >= 0)
    cells, n = np.unique(alignment.response[both] * max(keys, 1) + alignment.key[both], return_counts=True)
    response, key = np.divmod(cells, max(keys, 1))
    home = np.full(len(alignment.response_block), -1, dtype=np.int64)
    order = np.lexsort((-key, n))
    home[response[order]] = key[order]
    strange = np.flatnonzero(home < 0)
    home[strange] = keys + np.arange(len(strange))
    group = np.where(alignment.key >= 0, alignment.key, home[alignment.response])
    first = np.full(keys + len(strange), len(group), dtype=np.int64)
    np.minimum.at(first, group, np.arange(len(group)))
    identities, block = alignment.identities(), alignment.block
    labels = [
        f"{matched.pairing.labels[block[row]]} {'key' if g < keys else 'response'} {identities[row]}"
        if row < len(group)
        else f"none {g}"
        for g, row in enumerate(first.tolist())
    ]
    return Parts(*_by_row(alignment, group), labels)


def _by_row(alignment: Alignment, group: IntArray) -> tuple[IntArray, IntArray]:
    """Groups of rows, converted to groups of the mentions of both sides."""
    sides = []
    for side, rows in zip(alignment.sides, (alignment.key_rows, alignment.response_rows), strict=True):
        found = np.zeros(len(side.row), dtype=np.int64)
        found[rows[rows >= 0]] = group[rows >= 0]
        sides.append(found)
    return sides[0], sides[1]


# ---- counts


def divided(
    matched: Matched, result: Result, parts: Parts, *, by_sides: bool = False, whole_entities: bool = False
) -> tuple[Counts, list[Issue]]:
    """The counts of a result by groups of mentions. Metrics that can't be divided are n/a, which is reported.

    By default they show how the counts change with the weights of the mentions, for resampling. They are even shares in
    two cases: with `whole_entities`, where a group has all mentions of its entities and is drawn with them, and with
    `by_sides`, where recall uses the key's groups and precision the response's.
    """
    if matched.repeating:
        raise UsageError("mentions that occur twice can't be divided into parts: use --duplicates first")
    if matched.alignment.splits is not None:
        raise UsageError("split antecedents can't be divided into parts: use --split-antecedents drop")
    exact, groups = by_sides and result.counts.values.dtype == object, len(parts.labels)
    whole = count(matched, result.signature.metrics)[0]
    tables: dict[tuple[str, int], tuple[Divided, Divided]] = {}

    def tables_for(metric: Metric) -> tuple[Divided, Divided]:
        which = metric.twinless, id(matched.scored(metric))
        if which not in tables:
            recall, precision = matched.halves(metric)
            first = Divided.by(recall, *parts.rows(recall), groups, exact, recall=True)
            same = precision is recall and not by_sides
            other = first if same else Divided.by(precision, *parts.rows(precision), groups, exact, recall=not by_sides)
            tables[which] = first, other
        return tables[which]

    def shared(metric: Metric) -> Sequence[Array] | None:
        if metric.aggregation != "sum" or metric.other_anaphora or (by_sides and metric.columns != RECALL_PRECISION):
            return None
        first, other = tables_for(metric)
        if by_sides or whole_entities:
            found = columns_from(metric, first, other) if len(metric.columns) == 4 else metric.count(first)
        else:
            found = contributions(metric, first)
            found = found if first is other else (*found[:2], *contributions(metric, other)[2:])
        return found if _same(found, metric, whole) else None

    names: list[str] = []
    columns: list[Array] = []
    undivided: list[str] = []
    for metric in needed(result.signature.metrics, result.options):
        names += [f"{metric.name}.{column}" for column in metric.columns]
        if (found := shared(metric)) is None:
            undivided.append(metric.name)
            found = [np.full(groups, np.nan) for _ in metric.columns]
        columns += found
    values = np.stack(columns, axis=1) if columns else np.zeros((groups, 0))
    issues = []
    if undivided:
        message = f"{', '.join(undivided)}: can't be divided into parts of a document, so n/a there"
        issues.append(Issue("undivided", message, len(undivided)))
    return Counts(list(map(str, parts.labels)), tuple(names), values), issues


def _same(columns: Sequence[Array], metric: Metric, whole: Counts) -> bool:
    """Whether the parts add up to the whole."""
    total: Any = whole.of(metric.name, whole.total)
    pairs: list[tuple[Any, Any]] = [
        (column.sum(), total[name][0]) for name, column in zip(metric.columns, columns, strict=True)
    ]
    return all(abs(float(a) - float(b)) <= 1e-6 * max(1.0, abs(float(b))) for a, b in pairs)


def _matched(result: Result, what: str) -> Matched:
    if result.matched is None:
        raise UsageError(f"{what} needs the mentions, but this result has only counts: score the files again")
    result.matched.whole(what)
    return result.matched
