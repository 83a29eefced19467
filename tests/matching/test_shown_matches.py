"""Which key mention matched which response mention, and by what: shown by explain, diagnose and view."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from command import Run
from corefud_cases import met_otherwise, written


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    key, response = met_otherwise()
    return written(key, tmp_path / "k.conllu"), written(response, tmp_path / "r.conllu")


def test_explain(files: tuple[Path, Path], run: Run) -> None:
    text = run("explain", *files, "-m", "muc", "--protocol", "corefud").out
    assert "Of 3 matched mentions: 1 exact, 1 head, 1 zero." in text
    lines = [line.split("  ") for line in text.splitlines()]
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines if line[-1].strip() in ("head", "zero")]
    assert rows == [["the big dog [0]", "big dog [1]", "head"], ["∅ [5]", "∅ [6]", "zero"]]
    average = run("explain", *files, "-m", "conll", "--protocol", "corefud").out
    assert average.count("matched mentions") == 1
    assert "Matches" not in run("explain", files[0], files[0], "-m", "muc", "--protocol", "corefud").out


@pytest.mark.parametrize(("entity", "shown"), [("K1", ["the big dog [0]", "R1", "big dog [1] (by head)"])])
def test_explain_an_entity(files: tuple[Path, Path], run: Run, entity: str, shown: list[str]) -> None:
    text = run("explain", *files, "-m", "bcub", "--protocol", "corefud", "--entity", entity).out
    (row,) = [line for line in text.splitlines() if "by head" in line]
    assert [cell.strip() for cell in row.split("  ") if cell.strip()] == shown
    other = run("explain", *files, "-m", "bcub", "--protocol", "corefud", "--entity", "R1").out
    assert "big dog [1]" in other and "the big dog [0] (by head)" in other


def test_diagnose(files: tuple[Path, Path], run: Run) -> None:
    shown = run("diagnose", *files, "--protocol", "corefud", "--show", "matches").out
    assert "Matched: 1 exact, 1 head, 1 zero." in shown
    assert "“the big dog”" in shown and "“big dog”" in shown and "r.conllu:5" in shown
    plain = json.loads(run("diagnose", *files, "--protocol", "corefud", "--format", "json").out)
    assert plain["met"] == {"exact": 1, "head": 1, "zero": 1}
    assert [(m["key"], m["response"], m["by"]) for m in plain["matches"]] == [
        ("the big dog", "big dog", "head"),
        ("∅", "∅", "zero"),
    ]
    assert "Matched" not in run("diagnose", files[0], files[0], "--match", "exact", "--zeros", "linear").out


def test_view_shows_both_spans(files: tuple[Path, Path]) -> None:
    view = cl.view(*files, protocol="corefud")
    (document,) = view.content.chunk(range(1))["documents"]
    key: Any = document["key"]
    answer: Any = document["systems"][0]
    assert answer["by"] == {0: "head", 1: "zero"}
    spans = [
        (key["start"][k], key["end"][k], answer["start"][r], answer["end"][r]) for k, r in enumerate(answer["twins"])
    ]
    assert spans[0] == (0, 2, 1, 2)
    assert spans[1] == (5, 5, 7, 6)  # in the response it stands before the word that is the seventh of the key
    assert spans[2][:2] == spans[2][2:]
    assert view.content.index()["systems"][0]["known"].endswith("matched: 1 exact, 1 head, 1 zero")
