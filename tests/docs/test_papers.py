"""docs/papers.md: it has every table, figure and equation of the five papers, and each of its commands works."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

import papers_page
from cases import CASES
from command import Run
from places import ROOT

ROWS = papers_page.rows()
COMMANDS = [(key, row) for key, rows in ROWS.items() for row in rows]
PAGE = ROOT / "docs" / "papers.md"
# What the papers number, as their texts name it.
NUMBERED = {
    "popescu1998": {"Table": 5},
    "cai2010": {"Table": 15, "Figure": 2, "Algorithm": 2, "eq.": 6},
    "pradhan2011": {"Table": 23, "Figure": 3, "Algorithm": 1},
    "pradhan2014": {"Table": 1, "Figure": 1},
    "luo2014": {"Table": 3, "Figure": 1, "eq.": 19},
}


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_numbered_thing_has_a_row(paper: str) -> None:
    found: dict[str, set[int]] = {}
    for row in ROWS[paper]:
        for word, numbers in re.findall(r"(Table|Figure|Algorithm|eq\.)s? (\d+(?:(?:, | to | and )\d+)*)", row.item):
            ends = [int(n) for n in re.findall(r"\d+", numbers)]
            found.setdefault(word, set()).update(range(ends[0], ends[-1] + 1) if " to " in numbers else ends)
    for word, last in NUMBERED[paper].items():
        assert found[word] >= set(range(1, last + 1)), word


def test_every_worked_example_has_a_line_and_none_differs_without_a_reason() -> None:
    text = PAGE.read_text("utf-8")
    assert "DIFFERS" not in text
    for case in CASES:
        if not case["id"].startswith("perl"):
            assert case["source"].partition(", ")[2] in text, case["id"]
    assert text.count("as printed |") > 80
    for key, row in COMMANDS:
        assert row.what and row.result, (key, row.item)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the page says its commands need: the example of the task, one of Pradhan et al. (2014), a manifest."""
    root = tmp_path_factory.mktemp("papers") / "x"
    shutil.copytree(ROOT / "examples" / "conll2011", root)
    case = next(case for case in CASES if case["id"] == "002-sec4")
    for name in ("key", "response"):
        entities = {f"{name[0]}{n}": entity.split() for n, entity in enumerate(case[name])}
        (root / f"{name}.json").write_text(json.dumps(entities))
    (root / "small.json").write_text(json.dumps({"1": ["a", "b"], "2": ["c", "d"]}))
    (root / "manifest.toml").write_text(
        'key = "gold"\n'
        '[[system]]\nname = "soon"\ntagger = "SM1"\nfiles = "systems/alpha.conll"\nlearning = "decision trees"\n'
        '[[system]]\nname = "soon"\ntagger = "SM2"\nfiles = "systems/beta.conll"\nlearning = "decision trees"\n'
    )
    return root


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "row"), COMMANDS, ids=[f"{key} {row.item}" for key, row in COMMANDS])
def test_every_command_works(
    paper: str, row: papers_page.Row, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    if "lists" in row.command and not row.command.startswith("task split"):
        assert run("task", "split", "gold", "lists").code == 0
    if "todo.csv" in row.command:
        listed = run("agree", "systems/alpha.conll", "systems/beta.conll", "--differences", "--format", "csv").out
        lines = listed.splitlines()
        Path("todo.csv").write_text(
            "\n".join([f"{lines[0]},category", *(f"{line},error" for line in lines[1:])]) + "\n"
        )
    ran = run(*shlex.split(row.command))
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err and (ran.out.strip() or ran.err.strip())
