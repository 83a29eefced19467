"""Labels of documents, to group scores by: document, genre, part, a LABELS.csv, or a mapping."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ..corpus.model import Document, IntArray
from ..errors import InputError, UsageError
from ..files.encoding import content as content_of
from ..files.notation import delimiter

By: TypeAlias = str | Path | Mapping[str, str] | Callable[[Document], str]
"""What documents are grouped by: `document`, `genre`, `source`, `part`, `topic`, `subtopic`, a LABELS.csv
(or `LABELS.csv:COLUMN`), a directory with lists of documents, several of these with commas between, a mapping from
document to label, or a function of the `Document`."""

SPLITS = ("train", "development", "test")  # what `task split` divides a corpus into
_IN_NAME = {"genre": 0, "source": 1}  # which directory of a document's name, such as bc/cctv/00/cctv_0000
_TOPICS = ("topic", "subtopic")
_ECB = re.compile(r"(?:.*/)?(\d+)_\d+(ecb|ecbplus)(?:\.xml)?")  # a document of ECB+: 36_10ecbplus


def labels_of(documents: Sequence[Document], by: By) -> list[str]:
    """One label per document.

    If the file gives the label of all documents, such as `# meta::genre` in CoNLL-U, that is used. Otherwise `genre` is
    the first part of a document's name before a slash, and `source` the second (`bc/cctv/00/cctv_0000` → `bc`, `cctv`).
    `topic` and `subtopic` are taken from names as in ECB+ (`36_10ecbplus` → `36`, `36_ecbplus`). A CSV or TSV file has
    documents in its first column and labels in its second, or in the column that is named: `LABELS.csv:topic`. The
    output of `task split` needs no header. A directory has one list of documents per label: `train.txt` and so on, as
    `task split` writes them. Several sources, as in `lists/,genre`, give labels such as `train nw`.
    """
    if isinstance(by, str) and "," in by and not Path(by).exists():
        return [
            " ".join(labels)
            for labels in zip(*(labels_of(documents, one.strip()) for one in by.split(",")), strict=True)
        ]
    if by == "document":
        return [d.label for d in documents]
    if by == "part":
        return ["" if d.part is None else str(d.part) for d in documents]
    if isinstance(by, str) and documents and all(by in dict(d.meta) for d in documents):
        return [dict(d.meta)[by] for d in documents]
    if isinstance(by, str) and by in _IN_NAME:
        return _in_names(documents, by)
    if isinstance(by, str) and by in _TOPICS:
        return _topics(documents, by)
    if callable(by):
        return [by(d) for d in documents]
    source, first = "the labels given", ""
    if not isinstance(by, Mapping):
        source = str(by)
        first, by = ("", _read_lists(source)) if Path(source).is_dir() else _read_labels(source, documents)
    lacking = next((d for d in documents if d.label not in by and d.name not in by), None)
    if lacking is not None:
        hint = "line 1 is read as the header, but it contains this document: put `document,label` above it"
        named = first and first in (lacking.label, lacking.name)
        raise InputError(f"{source}: no label for document '{lacking.name}'", hint=hint if named else "")
    return [by[d.label] if d.label in by else by[d.name] for d in documents]


def _in_names(documents: Sequence[Document], by: str) -> list[str]:
    place = _IN_NAME[by]
    lacking = next((d for d in documents if d.name.count("/") <= place), None)
    if lacking is not None:
        where = "nothing before a '/'" if by == "genre" else "nothing between two '/'"
        raise UsageError(
            f"document '{lacking.label}' has no {by} in its name ({where}); "
            f"give the labels in a file instead: a LABELS.csv with columns document,{by}"
        )
    return [d.name.split("/")[place] for d in documents]


def _topics(documents: Sequence[Document], by: str) -> list[str]:
    """The topics of documents that are named as in ECB+. The two halves of ECB+ are the subtopics of a topic."""
    found = [_ECB.fullmatch(d.name) for d in documents]
    lacking = next((d for d, match in zip(documents, found, strict=True) if match is None), None)
    if lacking is not None:
        raise UsageError(
            f"document '{lacking.label}' has no {by} in its name (ECB+ names them 36_10ecbplus); "
            f"give the labels in a file instead: a LABELS.csv with columns document,{by}"
        )
    return [match[1] if by == "topic" else f"{match[1]}_{match[2]}" for match in found if match is not None]


def _read_lists(directory: str) -> dict[str, str]:
    """Document → the name of the list that contains it."""
    labels: dict[str, str] = {}
    for path in sorted(Path(directory).glob("*.txt")):
        for number, line in enumerate(content_of(path).splitlines(), start=1):
            document = line.strip()
            if document and labels.setdefault(document, path.stem) != path.stem:
                message = f"document '{document}' is also in {labels[document]}.txt"
                raise InputError(message, file=str(path), line=number)
    if not labels:
        hint = "`coreflens task split CORPUS DIRECTORY` writes such lists"
        raise InputError("no list of documents (LABEL.txt, one document per line)", file=directory, hint=hint)
    return labels


def _read_labels(by: str, documents: Sequence[Document]) -> tuple[str, dict[str, str]]:
    """The first cell of the header, and document → label. The output of `task split` has no header."""
    path, _, column = by.rpartition(":") if ":" in by and not Path(by).exists() else (by, "", "")
    if not Path(path).is_file():
        raise UsageError(
            f"'{by}' is neither document, genre, source, part, topic or subtopic nor a file or directory with "
            "labels; attributes of mentions are entity.NAME and mention.NAME"
        )
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
        no_header = header[1] in SPLITS and header[0] in {name for d in documents for name in (d.label, d.name)}
        for row in filter(None, chain([header] if no_header else [], reader)):
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
    return "" if no_header else header[0], labels


def number_labels(labels: Iterable[str]) -> tuple[IntArray, list[str]]:
    """Number labels in order of first occurrence: the number of each, and the distinct ones."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(str(label), len(numbers)) for label in labels]
    return np.array(codes, dtype=np.int64), list(numbers)
