"""All layers of a corpus in one DuckDB database: built from files, queried in SQL, and used as input for scoring."""

from __future__ import annotations

from .building import Built, build, change, remove
from .checks import Finding, check
from .queries import Answer, ask

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
    "loading",
    "queries",
    "remove",
]
