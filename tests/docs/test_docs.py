"""What the documentation shows is what happens: its console sessions and Python blocks are run."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from command import Run
from places import ROOT
from sessions import agrees, blocks, furnish, output, sessions

Shown: TypeAlias = Callable[[str, Path], str]
STARTS_PROCESSES = {"--help", "--help-all", "-h", "--jobs", "--run", "spark"}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*/README.md"))


@pytest.fixture
def shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """What a command of a session prints. Most run in this process, which is faster than one process each.

    `docs/sessions.py` starts a process for each, and so do the README's sessions, the texts of --help, which name the
    program, and what starts processes itself.
    """

    def in_a_directory(command: str, cwd: Path) -> str:
        words = shlex.split(command)
        if words[0] != "coreflens" or STARTS_PROCESSES & {*words} or cwd.name == "README.md":
            return output(command, cwd)
        monkeypatch.chdir(cwd)
        monkeypatch.setenv("COLUMNS", "100")
        ran = run(*words[1:])
        return (ran.out + ran.err).rstrip("\n")

    return in_a_directory


def check(page: Path, cwd: Path, shown: Shown) -> int:
    """Run the console sessions of a page, one after the other in a directory; how many there are."""
    found = [session for _, block in blocks("console", [page]) for session in sessions(block)]
    for command, expected in found:
        printed = shown(command, cwd)
        assert agrees(expected, printed), f"{page.name}: $ {command}\n{printed}"
    return len(found)


WITH_SESSIONS = [page for page in PAGES if blocks("console", [page])]


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_SESSIONS, ids=lambda page: page.name)
def test_every_console_session(page: Path, tmp_path: Path, shown: Shown) -> None:
    """Each page in a directory of its own: it says all that a reader must do."""
    home = tmp_path / page.name
    home.mkdir()
    furnish(home)
    assert check(page, home, shown) >= 1


def test_there_are_console_sessions() -> None:
    assert len(WITH_SESSIONS) >= 10 and ROOT / "README.md" in WITH_SESSIONS


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda page: page.parent.name)
def test_every_example(example: Path, tmp_path: Path, shown: Shown) -> None:
    """In a copy of its directory, which must have all that it needs."""
    copy = tmp_path / "example"
    shutil.copytree(example.parent, copy)
    assert check(example, copy, shown) >= 1


@pytest.mark.parametrize(
    ("page", "block"), blocks("python", PAGES), ids=lambda x: x.name if isinstance(x, Path) else ""
)
def test_every_python_block(page: Path, block: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("demo", "--write", "example").code == 0
    exec(compile(block, str(page), "exec"), {})  # a block asserts what it claims


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*PAGES, *EXAMPLES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        prose = re.sub(r"(?s)```.*?```|`[^`\n]*`", "", page.read_text("utf-8"))  # brackets in code are no links
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", prose):
            assert (page.parent / target).exists(), f"{page.name} → {target}"
