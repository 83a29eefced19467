"""All layers of a corpus in one DuckDB database: built from files, queried in SQL, and used as input for scoring."""

from __future__ import annotations

from .building import Built, build, change, remove, side_names
from .checks import Finding, check
from .connection import is_corpus, is_database, split_side
from .queries import Answer, ask
from .sides import read_side

__all__ = [
    "Answer",
    "Built",
    "Finding",
    "ask",
    "build",
    "building",
    "change",
    "check",
    "checks",
    "connection",
    "is_corpus",
    "is_database",
    "loading",
    "queries",
    "read_side",
    "remove",
    "schema",
    "side_names",
    "split_side",
]
