"""Tables as columns of cells: CSV, TSV or JSON records, for the formats that have a header."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...corpus.columns import Growing, numbered
from ...corpus.model import Document, IntArray
from ...errors import InputError
from ...files.notation import delimiter, json_value
from .source import Source

Mask: TypeAlias = npt.NDArray[np.bool_]
_BREAK = re.compile("\r\n|\r|\n")
_CHUNK = 1 << 16  # rows at a time, so that memory holds only whole columns
NO_ROWS = "no-rows"  # the code of the error about a table that has no row


def columns(header: Sequence[str], spellings: dict[str, tuple[str, ...]]) -> dict[str, int]:
    """The place of each known column, found by its name."""
    plain = [cell.strip().lower() for cell in header]
    found = {what: next((s for s in names if s in plain), None) for what, names in spellings.items()}
    return {what: plain.index(spelling) for what, spelling in found.items() if spelling}


def load(
    source: Source, needed: Callable[[Sequence[str]], set[int]], hint: str
) -> tuple[list[str], IntArray, list[Sequence[str]]]:
    """The header, and the rest of a table as columns of cells, with the line of each row.

    `needed` returns the columns that a reader must have, or none if the header is not of its format.
    """
    content = source.text
    if "\0" in content:
        source.fail(
            "there is a NUL byte: this is not a text file", line=content.count("\n", 0, content.index("\0")) + 1
        )
    if content.lstrip()[:1] == "[":
        return _of_records(source, *_array(source), needed, hint)
    if first_record(source.data[:_CHUNK]) is not None:
        return _of_records(source, *_json_lines(source), needed, hint)
    reader = _reader(source.data)
    header = next(_chunks(reader, source.name, 1), ([], [[]]))[1][0]
    if not needed(header):
        source.fail("the first line must name the columns", line=1, hint=hint)
    cells = [Growing() for _ in header]
    lines: list[IntArray] = []
    for numbers, chunk in _chunks(reader, source.name, _CHUNK):
        if set(map(len, chunk)) != {len(header)}:
            numbers, chunk = _whole(source, header, 1 + max(needed(header)), numbers, chunk)
        for column, values in zip(cells, zip(*chunk, strict=True), strict=False):
            column.add(values)
        lines.append(np.array(numbers, dtype=np.int64))
    if not any(map(len, lines)):
        source.fail("there is a header, but no row", line=1, code=NO_ROWS)
    return header, np.concatenate(lines), [column.whole() for column in cells]


def _reader(data: bytes) -> object:
    content = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    return csv.reader(content, delimiter=delimiter(data[:_CHUNK].decode(errors="ignore")), strict=True)


def _chunks(reader: Any, name: str, size: int) -> Iterator[tuple[Sequence[int], list[list[str]]]]:
    """Chunks of at most `size` rows that are not blank, and the line where each row ends."""
    while True:
        line = reader.line_num
        try:
            chunk = list(islice(reader, size))
        except csv.Error as error:
            raise InputError(f"not a table: {error}", file=name, line=reader.line_num) from None
        if not chunk:
            return
        numbers: Sequence[int] = range(line + 1, reader.line_num + 1)
        if len(numbers) > len(chunk):  # line breaks in quoted cells
            breaks = [1 + sum(len(_BREAK.findall(cell)) for cell in row) for row in chunk]
            numbers = [line + n for n in accumulate(breaks)]
        if not all(map(any, chunk)):
            kept = [p for p, row in enumerate(chunk) if any(row)]
            numbers, chunk = [numbers[p] for p in kept], [chunk[p] for p in kept]
        if chunk:
            yield numbers, chunk


def header_of(head: bytes) -> list[str]:
    """The cells of the first line; none if it is not the line of a table."""
    try:
        line = head.lstrip().split(b"\n", 1)[0].decode()
        return next(_chunks(_reader(line.encode()), "", 1), ([], [[]]))[1][0]
    except (UnicodeDecodeError, InputError):
        return []


def _whole(
    source: Source, header: list[str], width: int, numbers: Sequence[int], part: list[list[str]]
) -> tuple[list[int], list[list[str]]]:
    """The rows with as many cells as the header. Other rows are reported, unless only cells that are not needed are
    missing, or the extra cells are blank."""
    kept: list[int] = []
    for p, (number, row) in enumerate(zip(numbers, part, strict=True)):
        if len(row) < width:
            message = f"this row has {len(row)} columns, but the header has more"
            source.report("syntax", message, line=number, hint="is the file cut off?")
        elif any(row[len(header) :]):
            message = f"this row has {len(row)} columns, but the header has {len(header)}"
            source.report("syntax", message, line=number, hint="is there a delimiter in a cell without quotes?")
        else:
            kept.append(p)
    return [numbers[p] for p in kept], [(part[p] + [""] * len(header))[: len(header)] for p in kept]


def first_record(head: bytes) -> dict[str, object] | None:
    """The record in the first line of a file that has one JSON object per line; None if it is not such a file."""
    if head.lstrip()[:1] != b"{":
        return None
    try:
        record = json.loads(head.lstrip().split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _array(source: Source) -> tuple[list[dict[str, object]], IntArray]:
    """The records of a JSON array, whose lines are not known."""
    records = json_value(source.text, source.name)
    if not isinstance(records, list) or not all(isinstance(r, dict) for r in records):
        source.fail(
            "an array of records is expected", hint='[{"doc_id": "a", "mention_id": "m1", "entity": "e1"}, ...]'
        )
    if not records:
        source.fail("this array has no records", line=1, code=NO_ROWS)
    return records, np.zeros(len(records), dtype=np.int64)


def _json_lines(source: Source) -> tuple[list[dict[str, object]], IntArray]:
    """The records of a file that has one per line, and their lines."""
    records: list[dict[str, object]] = []
    lines: list[int] = []
    for number, line in enumerate(source.text.split("\n"), start=1):
        if not line.strip():
            continue
        record = json_value(line, source.name, first=number)
        if not isinstance(record, dict):
            hint = '{"doc_id": "a", "mention_id": "m1", "entity": "e1"}'
            source.fail("one record per line is expected", line=number, hint=hint)
        records.append(record)
        lines.append(number)
    return records, np.array(lines, dtype=np.int64)


def _of_records(
    source: Source,
    records: list[dict[str, object]],
    lines: IntArray,
    needed: Callable[[Sequence[str]], set[int]],
    hint: str,
) -> tuple[list[str], IntArray, list[Sequence[str]]]:
    """Records as a table; a value that is not a string is kept as JSON."""
    header = list(dict.fromkeys(field for record in records for field in record))
    if not needed(header):
        source.fail(f"these are not the fields of a table: {', '.join(header)[:200]}", hint=hint)
    cells: list[Sequence[str]] = [[_cell(record.get(field)) for record in records] for field in header]
    return header, lines, cells


def _cell(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def documents_of(
    source: Source,
    found: dict[str, int],
    cells: list[Sequence[str]],
    lines: IntArray,
    good: Mask,
) -> tuple[list[Document], IntArray, Mask]:
    """The documents of a table, the one of each row, and which rows are good."""
    if "doc" not in found:
        # Then both sides are one document, and it needs no name.
        return [Document("", None, None, source.name, int(lines[0]))], np.broadcast_to(np.int64(0), len(lines)), good
    names: Sequence[object] = cells[found["doc"]]
    parts = list(cells[found["part"]]) if "part" in found else None
    if parts is not None:
        for row in [p for p, part in enumerate(parts) if part and not (part.isdecimal() and len(part) < 10)]:
            message = f"'{parts[row][:40]}' is not the number of a part"
            source.report("syntax", message, line=int(lines[row]) or None)
            good[row], parts[row] = False, ""
        names = list(zip(names, parts, strict=True))
    doc, known = numbered(names)
    where = np.full(len(known), 0, dtype=np.int64)
    where[doc[::-1]] = lines[::-1]
    pairs = [name if parts is not None else (name, "") for name in known]
    documents = [
        Document(name, int(part) if part else None, None, source.name, line)
        for (name, part), line in zip(pairs, where.tolist(), strict=True)
    ]
    return documents, doc, good


def spans(
    source: Source,
    lines: IntArray,
    starts: Sequence[str],
    ends: Sequence[str],
    good: Mask,
    unit: str,
) -> tuple[IntArray, IntArray, Mask]:
    """Columns of offsets as numbers. In a file the ends of character spans are exclusive; here they are inclusive."""
    start, end = _numbers(source, lines, starts, good), _numbers(source, lines, ends, good) - (unit == "character")
    for row in np.flatnonzero(good & (end < start)).tolist():
        hint = "ends in characters are exclusive" if unit == "character" else "ends in tokens are inclusive"
        message = f"span {starts[row]}, {ends[row]} ends before it starts"
        source.report("span-order", message, line=int(lines[row]) or None, hint=hint)
    return start, end, good & (end >= start)


def _numbers(source: Source, lines: IntArray, column: Sequence[str], good: Mask) -> IntArray:
    """Whole numbers from 0; other cells are reported, and their rows are marked as not good."""
    if all(map(str.isdecimal, column)) and max(map(len, column), default=0) < 16:
        return np.fromiter(map(int, column), np.int64, len(column))
    numbers = np.zeros(len(column), dtype=np.int64)
    for row, cell in enumerate(column):
        if cell.isdecimal() and len(cell) < 16:
            numbers[row] = int(cell)
        elif good[row]:
            message = f"'{cell[:40]}' is not an offset"
            source.report("span-range", message, line=int(lines[row]) or None, hint="offsets are counted from 0")
            good[row] = False
    return numbers
