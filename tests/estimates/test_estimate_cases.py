"""The worked cases of estimates: values, standard errors, bias, limits and errors."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from command import Run

DATA = Path(__file__).parents[1] / "data" / "cases_estimates.json"
CASES = json.loads(DATA.read_text("utf-8"))["cases"]
METRICS = "pairs,bcub,muc,lea,entities"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any], tmp_path: Path, run: Run) -> None:
    (tmp_path / "labelled.csv").write_text(case["labelled"], "utf-8")
    (tmp_path / "response.csv").write_text(case["response"], "utf-8")
    files = [str(tmp_path / "labelled.csv"), str(tmp_path / "response.csv")]
    ran = run("estimate", *files, *case["args"], "-m", METRICS, "--format", "json")
    if "error" in case:
        assert ran.code in (2, 3), ran.out
        assert all(word in ran.err for word in case["error"])
        return
    found = ran.json["estimates"]
    for metric, parts in case["expected"].items():
        for part, wanted in parts.items():
            check(found[metric][part], wanted, f"{metric} {part}")


def check(found: dict[str, Any], wanted: dict[str, Any], what: str) -> None:
    """Values to 1e-9, limits to 1e-6."""
    close(found["value"], wanted["value"], 1e-9, what)
    close(None if found["se"] is None else found["se"] ** 2, wanted["variance"], 1e-9, f"{what} variance")
    close(found["bias"], wanted["bias"], 1e-9, f"{what} bias")
    close(found["low"], wanted["low"], 1e-6, f"{what} low")
    close(found["high"], wanted["high"], 1e-6, f"{what} high")
    if wanted["value"] is None:
        assert found["why"]


def close(found: float | None, wanted: str | float | None, within: float, what: str) -> None:
    if wanted is None:
        assert found is None, what
        return
    assert found is not None, what
    assert abs(found - float(Fraction(wanted))) <= within, what
