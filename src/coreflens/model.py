"""Documents, mentions and entities: columns of integers inside, friendly views outside.

A `Corpus` is one side, key or response, whole. Every mention is a row; rows of a document stand together, in the order
in which the mentions open. A mention is identified within its document by its token span (`start`, `end`, both
inclusive, counted from the document's first token, so that another sentence split changes nothing) or, in sources
without text such as tables and plain Python clusters, by its `name`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import Issue, counted

IntArray: TypeAlias = npt.NDArray[np.int64]


def file_stem(path: str) -> str:
    """A file's name without directory, `.gz` and its last suffix: what a document without a name is called."""
    return PurePath(path.removesuffix(".gz")).stem


class Document(NamedTuple):
    """One unit of annotation: a document, or a part of one."""

    name: str
    part: int | None = None
    tokens: int | None = None
    file: str = ""
    line: int = 0

    @property
    def label(self) -> str:
        """`name_part`, the way jsonlines spells a part; `part 0` and `part 000` are the same."""
        return self.name if self.part is None else f"{self.name}_{self.part}"

    @property
    def quoted(self) -> str:
        """The label for a message, not longer than a message should be."""
        return f"'{self.label}'" if len(self.label) <= 80 else f"'{self.label[:77]}...'"

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Mention(NamedTuple):
    """A view of one row."""

    document: Document
    start: int
    end: int
    name: Hashable | None
    entity: Hashable
    line: int

    @property
    def identity(self) -> Hashable:
        """What makes it the same mention on both sides: its name, else its span."""
        return (self.start, self.end) if self.name is None else self.name

    @property
    def place(self) -> str:
        return f"{self.document.file}:{self.line}" if self.line else self.document.file


@dataclass(frozen=True, eq=False)
class Corpus:
    """One side: its documents, and its mentions as columns.

    `doc` is non-decreasing and indexes `documents`. `entity` indexes `labels`; equal labels in two documents have the
    same number, and it is the scope of the evaluation that decides whether they are the same entity. `names` holds the
    mentions' names in sources that have no spans, and `line` (1-based, 0 unknown) where each mention opens.
    """

    documents: Sequence[Document]
    doc: IntArray
    start: IntArray
    end: IntArray
    entity: IntArray
    labels: Sequence[Hashable]
    names: Sequence[Hashable] | None = None
    line: IntArray | None = None
    source: str = ""
    format: str = ""
    issues: tuple[Issue, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.doc)

    def __repr__(self) -> str:
        what = f"{counted(self.documents, 'document')}, {counted(self, 'mention')}"
        return f"<Corpus {self.source or 'in memory'}: {what}>"

    def mention(self, row: int) -> Mention:
        return Mention(
            self.documents[self.doc[row]],
            int(self.start[row]),
            int(self.end[row]),
            None if self.names is None else self.names[row],
            self.labels[self.entity[row]],
            0 if self.line is None else int(self.line[row]),
        )

    def __iter__(self) -> Iterator[Mention]:
        return map(self.mention, range(len(self)))

    @cached_property
    def bounds(self) -> IntArray:
        """First row of each document, and the end: document d has rows bounds[d]:bounds[d+1]."""
        return np.searchsorted(self.doc, np.arange(len(self.documents) + 1))

    def clusters(self, document: int = 0) -> dict[Hashable, list[Hashable]]:
        """The entities of one document: label → identities of its mentions, in order of opening."""
        found: dict[Hashable, list[Hashable]] = {}
        for row in range(*self.bounds[document : document + 2]):
            mention = self.mention(row)
            found.setdefault(mention.entity, []).append(mention.identity)
        return found
