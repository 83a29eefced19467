"""Labels of documents, to group scores by: document, genre, part, a LABELS.csv, or a mapping."""

from __future__ import annotations

import csv
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

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
_ECB = re.compile(r"(?:.*/)?(\d+)_\d+(ecb|ecbplus)(?:\.xml)?")  # a document of ECB+: 36_10ecbplus


def labels_of(documents: Sequence[Document], by: By) -> list[str]:
    """One label per document, from the first of `SOURCES` that reads `by`."""
    source = next(source for source in SOURCES if source.reads(by, documents))
    return source.labels(by, documents)


class Source(ABC):
    """Where labels of documents come from."""

    @abstractmethod
    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        """Whether the labels that were asked for come from here."""

    @abstractmethod
    def labels(self, by: Any, documents: Sequence[Document]) -> list[str]:
        """One label per document."""


class Several(Source):
    """Several sources with commas between: `lists/,genre` gives labels such as `train nw`."""

    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        return isinstance(by, str) and "," in by and not Path(by).exists()

    def labels(self, by: str, documents: Sequence[Document]) -> list[str]:
        columns = [labels_of(documents, one.strip()) for one in by.split(",")]
        return [" ".join(labels) for labels in zip(*columns, strict=True)]


class ByDocument(Source):
    """`document`: each document is a group of its own."""

    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        return by == "document"

    def labels(self, by: str, documents: Sequence[Document]) -> list[str]:
        return [document.label for document in documents]


class ByPart(Source):
    """`part`: the number of the part."""

    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        return by == "part"

    def labels(self, by: str, documents: Sequence[Document]) -> list[str]:
        return ["" if document.part is None else str(document.part) for document in documents]


class FromMeta(Source):
    """What the file itself says of every document, such as `# meta::genre` in CoNLL-U."""

    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        return isinstance(by, str) and bool(documents) and all(by in dict(document.meta) for document in documents)

    def labels(self, by: str, documents: Sequence[Document]) -> list[str]:
        return [dict(document.meta)[by] for document in documents]


class FromName(Source):
    """A directory in the names of documents: `genre` is the first and `source` the second of `bc/cctv/00/cctv_0000`."""

    DIRECTORIES = ("genre", "source")

    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        return isinstance(by, str) and by in self.DIRECTORIES

    def labels(self, by: str, documents: Sequence[Document]) -> list[str]:
        place = self.DIRECTORIES.index(by)
        for document in documents:
            if document.name.count("/") <= place:
                raise _no_such_name(document, by, f"nothing {'before a' if place == 0 else 'between two'} '/'")
        return [document.name.split("/")[place] for document in documents]


class FromEcbName(Source):
    """The topics of documents that are named as in ECB+: `36_10ecbplus` has the topic `36`. The two halves of ECB+ are
    the subtopics of a topic, here `36_ecbplus`."""

    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        return by in ("topic", "subtopic")

    def labels(self, by: str, documents: Sequence[Document]) -> list[str]:
        labels = []
        for document in documents:
            parts = _ECB.fullmatch(document.name)
            if parts is None:
                raise _no_such_name(document, by, "ECB+ names them 36_10ecbplus")
            labels.append(parts[1] if by == "topic" else f"{parts[1]}_{parts[2]}")
        return labels


def _no_such_name(document: Document, by: str, why: str) -> UsageError:
    return UsageError(
        f"document '{document.label}' has no {by} in its name ({why}); "
        f"give the labels in a file instead: a LABELS.csv with columns document,{by}"
    )


class FromFunction(Source):
    """A function of the `Document`."""

    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        return callable(by)

    def labels(self, by: Callable[[Document], str], documents: Sequence[Document]) -> list[str]:
        return [by(document) for document in documents]


class FromMapping(Source):
    """A mapping from the names of documents to labels."""

    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        return isinstance(by, Mapping)

    def labels(self, by: Mapping[str, str], documents: Sequence[Document]) -> list[str]:
        return _looked_up(by, documents, "the labels given")


class FromLists(Source):
    """A directory with one list of documents per label: `train.txt` and so on, as `task split` writes them."""

    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        return Path(str(by)).is_dir()

    def labels(self, by: str | Path, documents: Sequence[Document]) -> list[str]:
        return _looked_up(_read_lists(str(by)), documents, str(by))


class FromTable(Source):
    """A CSV or TSV file with documents in its first column and labels in its second, or in the column that is named:
    `LABELS.csv:topic`. The output of `task split` needs no header."""

    def reads(self, by: By, documents: Sequence[Document]) -> bool:
        return True

    def labels(self, by: str | Path, documents: Sequence[Document]) -> list[str]:
        table = _LabelTable(str(by), documents)
        return _looked_up(table.read(), documents, str(by), header=table.first_cell_of_header)


SOURCES: tuple[Source, ...] = (
    Several(),
    ByDocument(),
    ByPart(),
    FromMeta(),
    FromName(),
    FromEcbName(),
    FromFunction(),
    FromMapping(),
    FromLists(),
    FromTable(),
)


def _looked_up(label_of: Mapping[str, str], documents: Sequence[Document], source: str, header: str = "") -> list[str]:
    """The label of each document, by its label or else by its name. `header` is the first cell of a table's header."""
    labels = []
    for document in documents:
        name = document.label if document.label in label_of else document.name
        if name not in label_of:
            is_header = header and header in (document.label, document.name)
            hint = "line 1 is read as the header, but it contains this document: put `document,label` above it"
            raise InputError(
                f"{source}: no label for document '{document.name}'",
                hint=hint if is_header else "",
            )
        labels.append(label_of[name])
    return labels


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


class _LabelTable:
    """A CSV or TSV file of labels, named `PATH` or `PATH:COLUMN`."""

    def __init__(self, name: str, documents: Sequence[Document]) -> None:
        self.path, self.column = name, ""
        if ":" in name and not Path(name).exists():
            self.path, _, self.column = name.rpartition(":")
        if not Path(self.path).is_file():
            raise UsageError(
                f"'{name}' is neither document, genre, source, part, topic or subtopic nor a file or directory with "
                "labels; attributes of mentions are entity.NAME and mention.NAME"
            )
        self.document_names = {name for document in documents for name in (document.label, document.name)}
        self.first_cell_of_header = ""  # stays empty if the file has no header

    def read(self) -> dict[str, str]:
        """Document → label."""
        content = content_of(self.path)
        reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter(content))
        labels: dict[str, str] = {}
        try:
            header = [cell.strip() for cell in next(reader, [])]
            place = self._place_of_labels(header)
            if header[1] in SPLITS and header[0] in self.document_names:  # written by `task split`
                labels[header[0]] = header[place]
            else:
                self.first_cell_of_header = header[0]
            for row in filter(None, reader):
                document, label = self._cells(row, header, place, reader.line_num)
                if labels.setdefault(document, label) != label:
                    raise InputError(f"document '{document}' has two labels", file=self.path, line=reader.line_num)
        except csv.Error as error:
            raise InputError(f"not a table: {error}", file=self.path, line=reader.line_num) from None
        return labels

    def _place_of_labels(self, header: Sequence[str]) -> int:
        """The place of the column that has the labels."""
        if len(header) < 2:
            raise InputError("needs a header and two columns, document and label", file=self.path, line=1)
        if not self.column:
            return 1
        if self.column not in header:
            raise UsageError(f"{self.path} has no column '{self.column}' (it has {', '.join(header)})")
        return header.index(self.column)

    def _cells(self, row: Sequence[str], header: Sequence[str], place: int, line: int) -> tuple[str, str]:
        """The document and the label of a row."""
        if len(row) > len(header):
            what = f"{len(row)} cells where the header has {len(header)}"
            raise InputError(what, file=self.path, line=line, hint="is there a delimiter without quotes?")
        if len(row) <= place or not row[place].strip():
            raise InputError("no label here", file=self.path, line=line)
        return row[0].strip(), row[place].strip()


def number_labels(labels: Iterable[str]) -> tuple[IntArray, list[str]]:
    """Number labels in order of first occurrence: the number of each, and the distinct ones."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(str(label), len(numbers)) for label in labels]
    return np.array(codes, dtype=np.int64), list(numbers)
