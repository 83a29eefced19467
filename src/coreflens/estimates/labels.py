"""The labelled records, as a person or `sample` wrote them: one row per record, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus.columns import numbered
from ..corpus.model import IntArray
from ..errors import InputError, Issue
from ..files.finding import find
from ..formats.reading import opened
from ..formats.shared.cells import columns as spelled
from ..formats.shared.cells import load
from ..formats.shared.source import Source
from ..formats.table import SPELLINGS
from .ratios import Numbers

Mask = npt.NDArray[np.bool_]
WEIGHING = ("weight", "probability", "population")
OWN = ("hits", *WEIGHING, "stratum", "by", "cluster", "complete")
FEW = 5  # how many records a message names
_NOT_TICKED = ("", "0", "no", "n", "false", "f", "none")
HINT = "the columns are record,entity and, as the design needs, hits, weight, probability or population, stratum, by"


@dataclass(frozen=True, eq=False)
class Labels:
    """The rows of a labelled sample. Each record occurs once.

    docs      the document of each record, if the table has a column for it
    entities  its entity, "" for none
    others    the other columns that mean something here, by name: hits, weight, ...
    """

    source: str
    lines: IntArray
    docs: Sequence[str] | None
    records: Sequence[str]
    entities: Sequence[str]
    others: Mapping[str, Sequence[str]]
    issues: tuple[Issue, ...] = ()

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def entity(self) -> tuple[IntArray, list[str]]:
        """The number of each row's entity, −1 for none, and the names of the entities."""
        codes, names = numbered(list(self.entities))
        labels = [str(name) for name in names]
        if "" not in labels:
            return codes, labels
        none = labels.index("")
        kept = [label for label in labels if label]
        place = np.cumsum([label != "" for label in labels]) - 1
        place[none] = -1
        return place[codes], kept

    @cached_property
    def ticked(self) -> Mask:
        """Which rows are ticked in the column `complete`; all, if there is no such column."""
        if "complete" not in self.others:
            return np.ones(len(self), dtype=bool)
        return np.array([cell.strip().lower() not in _NOT_TICKED for cell in self.others["complete"]], dtype=bool)

    def fail(self, message: str, row: int | None = None, hint: str = "") -> InputError:
        """An error about a row, or about the table."""
        line = None if row is None else int(self.lines[row]) or None
        return InputError(message, file=self.source or None, line=line, hint=hint)

    @cached_property
    def hits(self) -> IntArray:
        """How often each record was drawn. Empty cells are 0, as in rows that were added by hand."""
        hits = self._numbers("hits")
        hits[np.isnan(hits)] = 0
        for row, number in enumerate(hits.tolist()):
            if math.isinf(number) or number < 0 or number != int(number):
                raise self.fail(f"hits must be whole numbers from 0, not {self.others['hits'][row]}", row)
        if not hits.any():
            raise self.fail("all hits are 0: no record was drawn")
        return hits.astype(np.int64)

    def weighing(self) -> tuple[str, Numbers] | None:
        """The column that weighs the draws with its numbers, nan where a cell is empty; None if there is none."""
        present = [name for name in WEIGHING if name in self.others]
        if len(present) > 1:
            raise self.fail(f"the columns {present[0]} and {present[1]} both weigh the draws", hint="keep one of them")
        if not present:
            return None
        name = present[0]
        numbers = self._numbers(name)
        for row, number in enumerate(numbers.tolist()):
            if number <= 0 or math.isinf(number):
                raise self.fail(f"{name} must be above 0, not {self.others[name][row]}", row)
        return name, numbers

    def _numbers(self, name: str) -> Numbers:
        """A column as numbers; empty cells are nan."""
        cells = self.others[name]
        numbers = np.full(len(cells), np.nan)
        for row, cell in enumerate(cells):
            if not cell.strip():
                continue
            try:
                numbers[row] = float(cell)
            except ValueError:
                raise self.fail(f"{name} must be a number, not '{cell[:40]}'", row) from None
            if math.isnan(numbers[row]):
                raise self.fail(f"{name} must be a number, not '{cell[:40]}'", row)
        return numbers

    def named(self, rows: Sequence[int]) -> str:
        """The first records of some rows, for a message."""
        shown = ", ".join(str(self.records[row]) for row in rows[:FEW])
        return f"{shown}{', ...' if len(rows) > FEW else ''}"


def read_labels(given: Any, columns: Mapping[str, str], encoding: str | None = None) -> Labels:
    """The labelled records of a file in CSV, TSV, JSON or Parquet, or of a frame of pandas or Arrow.

    Columns that were named count where the table has them; otherwise the usual names do.
    """
    source, header, lines, cells = _loaded(given, columns, encoding)
    places = _places(header, columns)
    docs = list(cells[places["doc"]]) if "doc" in places else None
    others = {name: list(cells[places[name]]) for name in OWN if name in places and any(cells[places[name]])}
    if "cluster" in others and places.get("cluster") == places["entity"]:
        del others["cluster"]
    if "hits" in places:
        others.setdefault("hits", list(cells[places["hits"]]))
    if "complete" in places:
        others.setdefault("complete", list(cells[places["complete"]]))
    entities = [cell.strip() for cell in cells[places["entity"]]]
    labels = Labels(source, lines, docs, list(cells[places["record"]]), entities, others)
    for row, record in enumerate(labels.records):
        if not str(record).strip():
            raise labels.fail("this row has no record", row)
    return _once(labels)


def _loaded(
    given: Any, columns: Mapping[str, str], encoding: str | None
) -> tuple[str, list[str], IntArray, list[Sequence[str]]]:
    """Name, header, lines and cells of the table."""

    def needed(header: Sequence[str]) -> set[int]:
        places = _places(header, columns)
        return {places["record"], places["entity"]} if {"record", "entity"} <= set(places) else set()

    if not isinstance(given, (str, PathLike)):
        header, cells = _of_frame(given)
        if not needed(header):
            raise InputError("the labelled records need the columns record and entity", hint=HINT)
        return "", header, np.arange(1, len(cells[0]) + 1), cells
    found = find(fspath(given))
    if found.several:
        raise InputError("labelled records must be in one file", file=fspath(given))
    source: Source = opened(found.files[0], encoding)
    if source.data.startswith(b"PAR1"):
        from ..formats.parquet import load_cells

        header, lines, cells = load_cells(source, needed)
        if not needed(header):
            source.fail(f"no columns of records and entities (there are {', '.join(header)[:200]})", hint=HINT)
    else:
        header, lines, cells = load(source, needed, HINT)
    return source.name, header, lines, cells


def _of_frame(frame: Any) -> tuple[list[str], list[Sequence[str]]]:
    """The cells of a frame of pandas or polars, or of an Arrow table."""
    if not hasattr(frame, "columns") and not hasattr(frame, "column_names"):
        raise InputError(f"labelled records are a path or a frame, not {type(frame).__name__}")
    names = list(getattr(frame, "column_names", None) or frame.columns)
    columns = [frame[name].to_pylist() if hasattr(frame, "column_names") else list(frame[name]) for name in names]
    return [str(name) for name in names], [[_cell(value) for value in column] for column in columns]


def _cell(value: Any) -> str:
    """A value as text; None, NaN and the like are empty, and a whole float has no decimals."""
    if value is None or value != value or str(value) == "<NA>":
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _places(header: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    """The place of each column that means something here."""
    spellings = {name: (name,) for name in OWN} | {"doc": SPELLINGS["doc"], "entity": SPELLINGS["entity"]}
    spellings["record"] = ("record", *(name for name in SPELLINGS["mention"] if name != "record"))
    places = spelled(header, spellings)
    for meaning, name in columns.items():
        if name in header:
            places["record" if meaning == "mention" else meaning] = list(header).index(name)
    if columns.get("doc") == "":
        places.pop("doc", None)
    return places


def _once(labels: Labels) -> Labels:
    """Each record once. The same row twice is noted; a record with two labels is an error."""
    first: dict[tuple[str, str], int] = {}
    kept: list[int] = []
    for row, record in enumerate(labels.records):
        name = ("" if labels.docs is None else labels.docs[row], record)
        before = first.setdefault(name, row)
        if before == row:
            kept.append(row)
            continue
        one, two = labels.entities[before], labels.entities[row]
        if one != two:
            shown = " and ".join(entity or "none" for entity in (one, two))
            raise labels.fail(f"the record {record} is in two entities, {shown}", row, "each record has one entity")
        for column, cells in labels.others.items():
            if cells[before] != cells[row]:
                raise labels.fail(f"the record {record} is labelled twice, with other values of {column}", row)
    if len(kept) == len(labels):
        return labels
    extra = len(labels) - len(kept)
    issue = Issue("repeated-labels", f"{extra} records are labelled twice in the same way: they count once", extra)
    return replace(
        labels,
        lines=labels.lines[kept],
        docs=None if labels.docs is None else [labels.docs[row] for row in kept],
        records=[labels.records[row] for row in kept],
        entities=[labels.entities[row] for row in kept],
        others={name: [cells[row] for row in kept] for name, cells in labels.others.items()},
        issues=(issue,),
    )
