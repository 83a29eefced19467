"""The recipes of CONTRIBUTING.md work: each is followed in a copy of the code, and its commands are run there."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from following import commands, copy_code, follow, patched, recipes
from option_cases import document

RECIPES = recipes()
WANTED = {
    "Add a metric", "Add a format", "Add an option", "Add a protocol", "Add a match rule", "Add a class of errors",
    "Add a statistic", "Add a column to the database", "Add a writer of tables", "Add a command",
}  # fmt: skip

# What the commands of a recipe must print, among other things.
PRINTED = {
    "Add a metric": ("Mentions that belong to the majority", "purity"),
    "Add a format": ("100.00", "without words"),
    "Add an option": ("+paper_zeros:ignore", "metrics whose paper says so"),
    "Add a protocol": ("strict", "stays undefined"),
    "Add a match rule": ("+match:last-word",),
    "Add a class of errors": ("extra pronoun",),
    "Add a statistic": ("sign test",),
    "Add a column to the database": ("tokens",),
    "Add a writer of tables": ("|---+",),
    "Add a command": ("2 of 5 entities", "Count the entities"),
}


def tagged(text: str) -> str:
    """A CoNLL document with all columns, in which pronouns have their tag."""
    lines = []
    for line in text.splitlines():
        name, *place, word, cell = line.split("\t") if "\t" in line else ("", line, "")
        tag = "PRP" if word in ("She", "It", "it") else "NN"
        columns = [name, *place, word, tag, "*", "-", "-", "-", "-", "*", cell]
        lines.append("\t".join(columns) if name else line)
    return "\n".join([*lines, ""])


# Small files with what the recipes look at: entities of one mention, and a pronoun that only the response has.
_OTHERS = (
    document("bc/b", "The/(0 dog/0) saw it/(1) .", "It/(0) ran ."),
    document("nw/c", "Sue/(0) left .", "She/(0) ran ."),
)
TEXTS = {
    name: "".join(map(tagged, (document("nw/a", "Ann/(0) met Bob/(1) .", sentence), *_OTHERS)))
    for name, sentence in (
        ("key", "She/(0) saw it ."),
        ("response", "She/(0) saw it/(0) ."),
        ("other", "She/(1) saw it ."),
    )
}


def test_every_recipe_is_followed() -> None:
    assert set(RECIPES) == WANTED == set(PRINTED)


def test_a_diff_needs_one_place() -> None:
    assert patched(["a", "b", "c"], [" a", "+x", "@@", "-c", "+y"]) == ["a", "x", "b", "y"]
    for lines in (["a", "a"], ["b"]):
        with pytest.raises(AssertionError, match="places for"):
            patched(lines, [" a", "+x"])


@pytest.mark.slow
@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe(title: str, tmp_path: Path) -> None:
    copy_code(tmp_path)
    follow(RECIPES[title], tmp_path)
    printed = "".join(run(command, tmp_path) for command in commands(RECIPES[title]))
    for expected in PRINTED[title]:
        assert expected in printed


def run(command: str, folder: Path) -> str:
    """What a command of the copy prints, in a directory with three small files."""
    home = folder / "home"
    if not home.exists():
        home.mkdir()
        for name, text in TEXTS.items():
            (home / f"{name}.conll").write_text(text, "utf-8")
    program, *words = shlex.split(command)
    assert program == "coreflens"
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "COREFLENS_DEBUG": "1"}
    whole = [sys.executable, "-m", "coreflens", *words]
    ran = subprocess.run(whole, cwd=home, env=environment, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, f"{command}\n{ran.stderr}"
    return ran.stdout + ran.stderr


@pytest.mark.slow
def test_what_was_added_passes_the_tests_of_its_kind(tmp_path: Path) -> None:
    """All recipes in one copy, and there the tests that follow from what is declared."""
    copy_code(tmp_path)
    for blocks in RECIPES.values():
        follow(blocks, tmp_path)
    files = [
        f"tests/{name}.py" for name in ("house/test_typed_face", "metrics/test_properties", "diagnosis/test_prices")
    ]
    row = "tests/cli/test_matrix.py::test_every_option_has_a_row"
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src")}
    pytest_ = [sys.executable, "-m", "pytest", "--fast", "-p", "no:xdist", "-p", "no:cacheprovider"]
    kinds = "purity or option or type or classes or repetitions"
    command = [*pytest_, "--basetemp", str(tmp_path / "tmp"), *files, row, "-k", kinds]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-3000:]
