"""What the documentation shows is what happens: its console sessions and Python blocks are run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from command import Run
from places import ROOT
from sessions import agrees, blocks, furnish, output, sessions

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*/README.md"))


def check(page: Path, cwd: Path) -> int:
    """Run the console sessions of a page, one after the other in a directory; how many there are."""
    found = [session for _, block in blocks("console", [page]) for session in sessions(block)]
    for command, expected in found:
        shown = output(command, cwd)
        assert agrees(expected, shown), f"{page.name}: $ {command}\n{shown}"
    return len(found)


WITH_SESSIONS = [page for page in PAGES if blocks("console", [page])]


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_SESSIONS, ids=lambda page: page.name)
def test_every_console_session(page: Path, tmp_path: Path) -> None:
    """Each page in a directory of its own: it says all that a reader must do."""
    furnish(tmp_path)
    assert check(page, tmp_path) >= 1


def test_there_are_console_sessions() -> None:
    assert len(WITH_SESSIONS) >= 10 and ROOT / "README.md" in WITH_SESSIONS


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda page: page.parent.name)
def test_every_example(example: Path, tmp_path: Path) -> None:
    """In a copy of its directory, which must have all that it needs."""
    copy = tmp_path / "example"
    shutil.copytree(example.parent, copy)
    assert check(example, copy) >= 1


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
