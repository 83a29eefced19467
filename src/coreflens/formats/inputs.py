"""The types of a key or a response. shapes.py has the grammar of Python objects; python.py makes a corpus of them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, TypeAlias

import numpy.typing as npt

from ..corpus.model import Corpus


class SpacyDoc(Protocol):
    """A document of spaCy, recognised by its attributes."""

    @property
    def text(self) -> str: ...
    @property
    def spans(self) -> Any: ...
    @property
    def _(self) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...


class Frame(Protocol):
    """A table in memory or of an engine, recognised by its columns: pandas, polars, DuckDB, Spark."""

    @property
    def columns(self) -> Any: ...
    @property
    def dtypes(self) -> Any: ...


Clusters: TypeAlias = Iterable[Collection[Hashable | Sequence[Any] | npt.NDArray[Any]]]
"""The entities of a document, each a collection of mentions: `[{"a", "b"}, {"c"}]`, `[[(0, 1), (5, 5)], [(3, 3)]]`.

A mention is anything hashable; a list or an array, such as `[3, 5]`, counts as the tuple of the same values.
"""

Entities: TypeAlias = Clusters | Mapping[Any, Hashable] | npt.NDArray[Any] | SpacyDoc
"""One document in memory: clusters, a map from mention to entity, an array of labels, or a document of spaCy."""

Documents: TypeAlias = Mapping[Any, Entities] | Sequence[Entities]
"""Several documents in memory: by name, or one after another."""

Columns: TypeAlias = Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any] | npt.NDArray[Any]]
"""A table in memory: records, or columns by name."""

Input: TypeAlias = str | PathLike[str] | Corpus | Entities | Documents | Columns | Frame
"""What `score` and the other functions take as a key or a response.

A path (of a file, a directory or an archive, a pattern, or `-` for stdin), a `Corpus`, one document in memory, a
mapping from names to such documents, a list of them, or a table in memory; docs/shapes.md has the grammar.
"""
