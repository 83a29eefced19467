"""Every result as a table of pandas, of Arrow, and of what reads Arrow."""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import coreflens as cl

KEY: Any = {"a": [["a", "b", "c"], ["d"]], "b": [["x", "y"]], "c": [["u", "v"], ["w"]]}
RESPONSE: Any = {"a": [["a", "b"], ["c", "d"]], "b": [["x", "y"]], "c": [["u"], ["v", "w"]]}


NAMES: tuple[str, ...] = (
    "Result",
    "Intervals",
    "Intervals by group",
    "Comparison",
    "Explanation",
    "Diagnosis",
    "Description",
)
NAMES += ("Agreement", "Correlations", "Sweep")


def results() -> dict[str, Any]:
    scored = cl.score(KEY, RESPONSE)
    return {
        "Result": scored,
        "Intervals": scored.bootstrap(50),
        "Intervals by group": scored.bootstrap(50, by=lambda document: "x"),
        "Comparison": cl.compare(KEY, {"one": RESPONSE, "two": KEY}, resamples=50),
        "Explanation": cl.explain(KEY, RESPONSE, "conll"),
        "Diagnosis": cl.diagnose(KEY, RESPONSE),
        "Description": cl.describe(KEY),
        "Agreement": cl.agree({"ann": KEY, "bob": RESPONSE}),
        "Correlations": cl.correlate(KEY, {"one": RESPONSE, "two": KEY, "three": {**RESPONSE, "a": KEY["a"]}}),
        "Sweep": cl.sweep(KEY, KEY, damage="merge"),
    }


@pytest.fixture(scope="module")
def exported() -> dict[str, Any]:
    return results()


@pytest.mark.parametrize("name", NAMES)
def test_every_result_is_a_table(exported: dict[str, Any], name: str) -> None:
    result = exported[name]
    records = result.records()
    assert records
    frame, table = result.to_frame().reset_index(), result.to_arrow()
    assert len(frame) == table.num_rows == len(records)
    assert set(table.column_names) <= set(frame.columns)
    assert pl.DataFrame(pa.RecordBatchReader.from_stream(result).read_all()).height == len(records)


def test_the_numbers_are_those_of_the_result(exported: dict[str, Any]) -> None:
    scored, intervals = exported["Result"], exported["Intervals"]
    rows = {row["metric"]: row for row in scored.to_arrow().to_pylist()}
    assert rows["muc"]["f1"] == scored["muc"].f1
    assert scored.to_arrow("document").num_rows == 3 * len(scored)
    frame = intervals.to_frame().set_index(["metric", "value"])
    assert frame.loc[("muc", "f1"), "low"] == intervals["muc"]["f1"].low
    errors = exported["Diagnosis"]
    assert [*errors.to_frame()["kind"]] == [error.kind for error in errors.errors()]
    assert exported["Description"].to_frame().iloc[-1]["mentions"] == 9
