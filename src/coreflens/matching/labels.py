"""Labels of documents, to group scores by: document, genre, part, a LABELS.csv, or a mapping."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ..corpus.model import Document, IntArray
from ..errors import InputError, UsageError
from ..files.encoding import content as content_of
from ..files.notation import delimiter

By: TypeAlias = str | Path | Mapping[str, str] | Callable[[Document], str]
"""What documents are grouped by: `document`, `genre`, `part`, a LABELS.csv (or `LABELS.csv:COLUMN`), a mapping from
document to label, or a function of the `Document`."""


def labels_of(documents: Sequence[Document], by: By) -> list[str]:
    """One label a document.

    What the file says of all documents, such as `# meta::genre` in CoNLL-U, comes first. Else `genre` is the first part
    of a document's name before a slash (`bc/cctv/00/cctv_0000` → `bc`). A CSV or TSV file has
    a header, documents in its first column and the labels in its second, or in the one named: `LABELS.csv:topic`.
    """
    if by == "document":
        return [d.label for d in documents]
    if by == "part":
        return ["" if d.part is None else str(d.part) for d in documents]
    if isinstance(by, str) and documents and all(by in dict(d.meta) for d in documents):
        return [dict(d.meta)[by] for d in documents]
    if by == "genre":
        lacking = next((d for d in documents if "/" not in d.name), None)
        if lacking is not None:
            raise UsageError(
                f"document '{lacking.label}' has no genre in its name (nothing before a '/'); "
                "give the labels in a file instead: a LABELS.csv with columns document,genre"
            )
        return [d.name.split("/", 1)[0] for d in documents]
    if callable(by):
        return [by(d) for d in documents]
    source = "the labels given"
    if not isinstance(by, Mapping):
        source, (first, by) = str(by), _read_labels(str(by))
    else:
        first = ""
    lacking = next((d for d in documents if d.label not in by and d.name not in by), None)
    if lacking is not None:
        hint = "line 1 is read as the header, and it names this document: put `document,label` above it"
        named = first and first in (lacking.label, lacking.name)
        raise InputError(f"{source}: no label for document '{lacking.name}'", hint=hint if named else "")
    return [by[d.label] if d.label in by else by[d.name] for d in documents]


def _read_labels(by: str) -> tuple[str, dict[str, str]]:
    """The first cell of the header, and document → label."""
    path, _, column = by.rpartition(":") if ":" in by and not Path(by).exists() else (by, "", "")
    if not Path(path).is_file():
        raise UsageError(f"'{by}' is neither document, genre or part nor a file with labels")
    content = content_of(path)
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter(content))
    labels: dict[str, str] = {}
    try:
        header = [cell.strip() for cell in next(reader, [])]
        if len(header) < 2:
            raise InputError("needs a header and two columns, document and label", file=path, line=1)
        if column and column not in header:
            raise UsageError(f"{path} has no column '{column}' (it has {', '.join(header)})")
        place = header.index(column) if column else 1
        for row in filter(None, reader):
            if len(row) > len(header):
                what = f"{len(row)} cells where the header has {len(header)}"
                raise InputError(what, file=path, line=reader.line_num, hint="is there a delimiter without quotes?")
            if len(row) <= place or not row[place].strip():
                raise InputError("no label here", file=path, line=reader.line_num)
            document, label = row[0].strip(), row[place].strip()
            if labels.setdefault(document, label) != label:
                raise InputError(f"document '{document}' has two labels", file=path, line=reader.line_num)
    except csv.Error as error:
        raise InputError(f"not a table: {error}", file=path, line=reader.line_num) from None
    return header[0], labels


def number_labels(labels: Iterable[str]) -> tuple[IntArray, list[str]]:
    """Number labels in order of first occurrence: the number of each, and the distinct ones."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(str(label), len(numbers)) for label in labels]
    return np.array(codes, dtype=np.int64), list(numbers)
