"""A mean of F1s of which one is 0/0, and the column by which systems are ranked."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run

SINGLETONS = {"d": [[(0, 0)], [(2, 2)]]}
NOTE = "° MUC is 0/0, counted in the mean as --undefined zero says"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A document of singletons, twice."""
    rows = ["d\t0\t0\tAnna\t(0)", "d\t0\t1\tsaw\t-", "d\t0\t2\tBob\t(1)"]
    text = "\n".join(["#begin document (d); part 000", *rows, "", "#end document", ""])
    for name in ("key", "response"):
        (tmp_path / f"{name}.conll").write_text(text, "utf-8")
    return tmp_path / "key.conll", tmp_path / "response.conll"


def test_the_score_says_which_part_is_undefined() -> None:
    conll = cl.score(SINGLETONS, SINGLETONS)["conll"]
    assert conll.counted == ("muc",)
    assert cl.Scores.parse({"conll": conll.to_dict()})["conll"].counted == ("muc",)
    assert cl.score(SINGLETONS, SINGLETONS, undefined="nan")["conll"].counted == ()


@pytest.mark.parametrize("format_", ["table", "markdown", "html"])
@pytest.mark.parametrize("command", [["score"], ["score", "--by", "document"], ["diagnose"], ["explain"]])
def test_such_a_mean_is_marked(command: list[str], format_: str, files: tuple[Path, Path], run: Run) -> None:
    ran = run(*command, *files, "--format", format_)
    assert "66.67" in ran.out and NOTE in ran.out
    assert "°" not in run(*command, *files, "--format", format_, "--undefined", "nan").out


def test_such_a_mean_is_marked_in_comparisons(files: tuple[Path, Path], run: Run) -> None:
    ran = run("compare", files[0], f"A={files[1]}", f"B={files[0]}")
    assert ran.out.count("66.67°") == 2 and NOTE in ran.out


@pytest.mark.parametrize("format_", ["markdown", "latex", "html"])
def test_the_headline_of_a_diagnosis_is_in_every_format(format_: str, files: tuple[Path, Path], run: Run) -> None:
    assert "no errors in 1 document" in run("diagnose", *files, "--format", format_).out


def test_columns_are_in_the_order_in_which_they_were_asked_for(run: Run, tmp_path: Path) -> None:
    for name, second in (("key", 2), ("good", 2), ("bad", 3)):
        rows = [f"d{n},{place},{place},1" for n in range(3) for place in (0, second)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["doc,start,end,entity", *rows, ""]), "utf-8")
    table = run("compare", *(tmp_path / f"{name}.csv" for name in ("key", "bad", "good")), "-m", "muc,bcub").out
    assert ["system", "MUC", "▼", "B³"] in [line.split() for line in table.splitlines()]
    assert "▼ the systems are ranked by MUC" in table
    published = run("compare", "--from-table", "conll-2012/english", "-m", "muc,bcub").out
    assert ["system", "MUC", "B³"] in [line.split() for line in published.splitlines()]
