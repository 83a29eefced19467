"""A response without any mention of the key: a true zero is scored, and a likely mistake refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import Run, conll

KEY = conll("(1)", "-", "(1)", "-", "(2)", "-", "(2)", "-")
ZERO = conll("-", "(1)", "-", "-", "-", "-", "-", "(1)")

CELLS = ["-", "(1)", *"-----", "(1)"]
NUMBERS = "#begin document (nw/a); part 000\n" + "".join(f"{i}\t{cell}\n" for i, cell in enumerate(CELLS))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    key, response = tmp_path / "a.conll", tmp_path / "b.conll"
    key.write_text(KEY, "utf-8")
    response.write_text(ZERO, "utf-8")
    return key, response


def test_a_true_zero(files: tuple[Path, Path], run: Run) -> None:
    ran = run("score", *files, "--format", "json")
    assert ran.json["scores"]["conll"]["f1"] == 0
    assert "no mention in common: none of 2 response mentions is among 4 key mentions" in ran.err
    assert "[twinless]" in ran.err
    assert "no_common" not in ran.json["signature"]


def test_either_way(files: tuple[Path, Path], run: Run) -> None:
    ran = run("score", *files, "--no-common", "refuse")
    assert ran.code == 3 and "no mention in common" in ran.err and "--no-common score" in ran.err
    files[1].write_text(ZERO.replace("w1", "other"), "utf-8")
    assert run("score", *files, "--no-common", "score").code == 0


@pytest.mark.parametrize(
    ("response", "why"),
    [
        (ZERO.replace("w1", "other"), "the texts of document"),
        (conll("-", "(1)", "-", "(1)", "-", "(2)", "-", "(2)"), "does the response count from 1?"),
        (NUMBERS, "same documents"),
    ],
)
def test_what_looks_wrong_stays_an_error(files: tuple[Path, Path], run: Run, response: str, why: str) -> None:
    files[1].write_text(response, "utf-8")
    ran = run("score", *files)
    assert ran.code == 3 and "no mention in common" in ran.err and why in ran.err


def test_names_that_are_swapped(tmp_path: Path, run: Run) -> None:
    key, response = tmp_path / "system.conll", tmp_path / "gold.conll"
    key.write_text(KEY, "utf-8")
    response.write_text(ZERO, "utf-8")
    ran = run("score", key, response)
    assert ran.code == 3 and "swapped" in ran.err


def test_compare_keeps_such_a_system(files: tuple[Path, Path], run: Run) -> None:
    ran = run("compare", files[0], f"good={files[0]}", f"zero={files[1]}", "--format", "json")
    assert ran.code == 0, ran.err
    assert "zero" in ran.out


def test_a_response_without_mentions(files: tuple[Path, Path], run: Run) -> None:
    files[1].write_text(conll(*"--------"), "utf-8")
    ran = run("score", *files, "--format", "json")
    assert ran.json["scores"]["conll"]["f1"] == 0 and "[empty-response]" in ran.err
    assert run("score", *files, "--no-common", "refuse").code == 3
    files[1].write_text(conll(*"--------").replace("w1", "other"), "utf-8")
    ran = run("score", *files)
    assert ran.code == 3 and "the texts of document" in ran.err
    assert run("score", *files, "--no-common", "score").code == 0
