"""Columns of Arrow give the same answers as lists of the same names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from coreflens.corpus import columns
from coreflens.corpus.columns import TextColumn, blank, identified, numbered, padded, taken

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: columns of Arrow are not tested")

WORDS = st.lists(st.text("ab é\t\u2003漢", max_size=3), max_size=12)
NUMBERS = st.lists(st.sampled_from([0, 1, 7, -3, 2**62, -(2**63), 2**63 - 1]), max_size=12)


def column(names: list[Any]) -> TextColumn:
    """In two chunks, as a file may have it."""
    kind = pa.int64() if names and isinstance(names[0], int) else pa.string()
    half = len(names) // 2
    return TextColumn.of_arrow(pa.chunked_array([pa.array(names[:half], kind), pa.array(names[half:], kind)], kind))


@given(WORDS | NUMBERS)
def test_one_column(names: list[Any]) -> None:
    ours, texts = column(names), [str(name) for name in names]
    assert ours == texts and list(ours) == texts and [ours[p] for p in range(-len(ours), 0)] == texts
    assert list(ours[1:4]) == texts[1:4]
    rows = np.arange(len(names))[::-2]
    assert list(taken(ours, rows)) == taken(texts, rows)
    assert blank(ours).tolist() == blank(texts).tolist() == [not text.strip() for text in texts]
    assert padded(ours) == padded(texts)
    (codes, known), (others, all_known) = numbered(ours), numbered(texts)
    assert codes.tolist() == others.tolist() and list(known) == all_known


@given(WORDS | NUMBERS, WORDS | NUMBERS, st.booleans())
def test_two_columns(one: list[Any], other: list[Any], divided: bool) -> None:
    """Codes are equal exactly where the names are, however many there are and whatever their types."""
    before = columns._MANY
    columns._MANY = 0 if divided else before
    try:
        for pair in ((column(one), column(other)), (column(one), [*map(str, other)])):
            ours, theirs, above = identified(*pair)
            codes, names = [*ours.tolist(), *theirs.tolist()], [*map(str, one), *map(str, other)]
            assert all(0 <= code < above for code in codes)
            assert [a == b for a in codes for b in codes] == [a == b for a in names for b in names]
    finally:
        columns._MANY = before


def test_a_place_that_is_none() -> None:
    with pytest.raises(IndexError):
        column(["a", "b"])[2]


def test_missing_values_and_unusual_types() -> None:
    assert list(TextColumn.of_arrow(pa.chunked_array([[1, None]]))) == ["1", ""]
    assert list(TextColumn.of_arrow(pa.chunked_array([["a", None]]))) == ["a", ""]
    assert list(TextColumn.of_arrow(pa.chunked_array([pa.array([2**64 - 1], pa.uint64())]))) == [str(2**64 - 1)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["number", "text", "category"])
def test_a_table_in_text_and_in_parquet_is_one_corpus(kind: str, tmp_path: Path) -> None:
    """Rows of the documents out of order, and more of them than a piece of CSV has."""
    from pyarrow.parquet import write_table

    number = np.random.default_rng(2).integers(0, 70_000, 70_000)
    rows: dict[str, Any] = {"doc": number % 3, "mention": number, "entity": number // 4, "town": number % 5}
    if kind != "number":
        rows = {name: [f"{name} {x}" for x in values.tolist()] for name, values in rows.items()}
    table = pa.table(rows)
    lines = [",".join(rows), *(",".join(map(str, row)) for row in zip(*table.to_pydict().values(), strict=True))]
    (tmp_path / "table.csv").write_text("\n".join(lines), "utf-8")
    if kind == "category":
        table = pa.table({name: values.dictionary_encode() for name, values in zip(rows, table.columns, strict=True)})
    write_table(table, tmp_path / "table.parquet", row_group_size=20_000)
    text, parquet = (cl.read(tmp_path / f"table.{suffix}") for suffix in ("csv", "parquet"))
    assert isinstance(text.names, TextColumn) and isinstance(parquet.names, TextColumn)
    assert list(text.names) == list(parquet.names) and list(text.labels) == list(parquet.labels)
    assert list(text.attributes["town"]) == list(parquet.attributes["town"])
    assert [d.label for d in text.documents] == [d.label for d in parquet.documents]
    for name in ("doc", "entity", "start", "end"):
        assert getattr(text, name).tolist() == getattr(parquet, name).tolist()
    assert text.line is not None and parquet.line is not None
    assert (text.line == parquet.line + 1).all()
