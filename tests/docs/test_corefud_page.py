"""docs/corefud.md: every command on it runs, and what it claims of the tool's faults is so."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from corefud_cases import met_otherwise, rotated, written
from places import ROOT

PAGE = (ROOT / "docs" / "corefud.md").read_text("utf-8")
COMMANDS = [re.split("  +", line.strip())[0] for line in PAGE.splitlines() if line.startswith("    coreflens ")]
OPTIONS = sorted({*re.findall(r"`(--protocol corefud[^`]*)`", PAGE)})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    key, response = met_otherwise()
    written(key, tmp_path / "key.conllu")
    written(response, tmp_path / "system.conllu")
    for place, side in (("keys", key), ("systems/base", response), ("systems/new", key)):
        (tmp_path / place).mkdir(parents=True)
        for name in ("cs_pdt", "hu_korkor"):
            written(side, tmp_path / place / f"{name}.conllu")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(folder: Path, run: Run, command: str) -> None:
    arguments = shlex.split(command)[1:]
    ran = run(*arguments)
    assert ran.code == 0, ran.err
    assert ran.out.strip() or (folder / "page.html").exists()


@pytest.mark.parametrize("options", OPTIONS)
def test_settings_of_the_years_are_options(folder: Path, run: Run, options: str) -> None:
    assert run("score", "key.conllu", "system.conllu", *shlex.split(options)).code == 0


def test_the_page_has_commands_and_settings() -> None:
    assert len(COMMANDS) > 10
    assert len(OPTIONS) >= 3


def test_three_zeros_in_another_order(tmp_path: Path, run: Run) -> None:
    key, response = rotated()
    files = written(key, tmp_path / "k.conllu"), written(response, tmp_path / "r.conllu")
    assert cl.score(*files, protocol="corefud").conll == 1
    assert "CoNLL score: 38.89" in run("corefud-scorer", *files).out
    assert "give CoNLL 38.89 instead of 100" in " ".join(PAGE.split())


@pytest.mark.parametrize(
    ("entity", "says"),
    [
        ("(e1--3)", "the head is '3', but mention e1 has 1 word"),
        ("(e1--1-", "never closed"),
        ("e1)", "never opened"),
    ],
)
def test_what_the_page_says_is_refused(tmp_path: Path, run: Run, entity: str, says: str) -> None:
    row = "1\ta\t_\t_\t_\t_\t0\troot\t_\tEntity={}\n\n"
    header = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
    key, response = tmp_path / "k.conllu", tmp_path / "r.conllu"
    key.write_text(header + row.format("(e1--1)"), "utf-8")
    response.write_text(header + row.format(entity), "utf-8")
    ran = run("score", key, response, "--protocol", "corefud")
    assert ran.code == 3 and "r.conllu:3:" in ran.err and says in ran.err
