"""Documents at random: each place has a key entity, a response entity, both or neither."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from hypothesis import strategies as st

Doc: TypeAlias = list[tuple[int | None, int | None]]  # mention p: its key entity and its response entity, or None

Clusters: TypeAlias = list[list[Any]]

_entity, _lacking = st.integers(0, 3), st.none() | st.integers(0, 3)

docs: st.SearchStrategy[Doc] = st.lists(st.tuples(_lacking, _lacking), max_size=9)

equal_docs: st.SearchStrategy[Any] = st.lists(st.tuples(_entity, _entity), max_size=9)

corpora = st.lists(docs, min_size=1, max_size=4)

equal_corpora = st.lists(equal_docs, min_size=1, max_size=4)


def sides(doc: Doc, name: Callable[[int], Any] = lambda p: p) -> tuple[Clusters, Clusters]:
    """The two partitions of a document, its mentions called as `name` says."""
    clusters: tuple[dict[int, list[Any]], dict[int, list[Any]]] = ({}, {})
    for p, labels in enumerate(doc):
        for side, label in zip(clusters, labels, strict=True):
            if label is not None:
                side.setdefault(label, []).append(name(p))
    return list(clusters[0].values()), list(clusters[1].values())


def both(corpus: list[Doc]) -> tuple[dict[str, Clusters], dict[str, Clusters]]:
    pairs = {f"d{number}": sides(doc) for number, doc in enumerate(corpus)}
    return {d: k for d, (k, _) in pairs.items()}, {d: r for d, (_, r) in pairs.items()}
