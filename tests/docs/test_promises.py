"""docs/promises.md: every promise names tests that exist, and the table of limits is that of the code."""

from __future__ import annotations

import ast
import re
from dataclasses import fields

from coreflens.files.limits import DEFAULTS, Limits, size
from places import ROOT

PAGE = (ROOT / "docs" / "promises.md").read_text("utf-8")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_every_promise_names_a_test_that_exists() -> None:
    promises = [row for row in rows() if len(row) == 2 and row[0] != "promise"]
    assert len(promises) > 30
    for promise, kept in promises:
        found = TEST.findall(kept)
        assert found, f"no test is named for: {promise}"
        for path, name in found:
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{path}::{name}"


def test_the_table_of_limits_is_true() -> None:
    shown = {row[0]: row[1:] for row in rows() if len(row) == 3 and row[0].startswith("`--max-")}
    expected = {}
    for limit in fields(Limits):
        if limit.name != "outside":
            value, unit = getattr(DEFAULTS, limit.name), limit.metadata["unit"]
            default = size(value) if unit == "bytes" else f"{value:,} {unit}"
            expected[f"`--max-{limit.name}`"] = [default, limit.metadata["about"]]
    assert shown == expected


def test_security_says_how_to_report() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    assert "Report a vulnerability" in text and "docs/promises.md" in text
