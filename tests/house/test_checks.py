"""bin/test: the environment in which it runs the checks, and how it ends. Here its tools are scripts that say so."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from places import ROOT

pytestmark = pytest.mark.slow  # every test starts processes
PATH = os.environ["PATH"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in which every tool is fine and says nothing, but pytest writes its environment and arguments."""
    (tmp_path / "bin").mkdir()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    shutil.copy(ROOT / "bin" / "test", tmp_path / "bin")
    for tool in ("bin/setup", ".venv/bin/ruff", ".venv/bin/mypy"):
        write_tool(tmp_path, tool, "exit 0")
    write_tool(tmp_path, ".venv/bin/pytest", 'env > environment; printf "%s " "$@" > arguments')
    return tmp_path


def write_tool(checkout: Path, tool: str, script: str) -> None:
    path = checkout / tool
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def checked(checkout: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(checkout / "bin" / "test"), *arguments]
    return subprocess.run(command, env={"PATH": PATH, **environment}, capture_output=True, text=True, timeout=60)


def test_settings_of_a_shell_stay_outside(checkout: Path) -> None:
    shell = {"PYTHONUNBUFFERED": "1", "COLUMNS": "200", "NO_COLOR": "1", "FORCE_COLOR": "1", "LC_ALL": "tr_TR.UTF-8"}
    needed = {"HOME": "/home/x", "PIP_FIND_LINKS": "/a b/'c' \"$d\"", "https_proxy": "http://p:1", "COREFLENS_X": "é"}
    ran = checked(checkout, **shell, **needed, CI="true", LANG="tr_TR.UTF-8")
    assert ran.returncode == 0, ran.stderr
    lines = (checkout / "environment").read_text("utf-8").splitlines()
    seen = dict(line.split("=", 1) for line in lines)
    assert not set(shell) & set(seen)
    assert needed.items() <= seen.items()
    assert seen["CI"] == "true" and seen["LANG"] == "C.UTF-8" and seen["PYTHONHASHSEED"] == "0"


def test_arguments_go_to_pytest(checkout: Path) -> None:
    assert checked(checkout, "tests/metrics", "-k", "lea").returncode == 0
    assert (checkout / "arguments").read_text("utf-8").endswith(" tests/metrics -k lea ")


@pytest.mark.parametrize("tool", ["ruff", "mypy", "pytest"])
def test_each_tool_can_fail_the_run(checkout: Path, tool: str) -> None:
    write_tool(checkout, f".venv/bin/{tool}", f"echo {tool} is not content; exit 1")
    ran = checked(checkout)
    assert ran.returncode == 1
    assert f"{tool} is not content" in ran.stdout


def test_the_quick_tests_do_without_mypy(checkout: Path) -> None:
    write_tool(checkout, ".venv/bin/mypy", "exit 1")
    assert checked(checkout, "--fast").returncode == 0
    assert "--fast" in (checkout / "arguments").read_text("utf-8")


def test_exploring_names_its_seed(checkout: Path) -> None:
    ran = checked(checkout, "--explore", COREFLENS_SEED="7")
    assert ran.returncode == 0 and "COREFLENS_SEED=7" in ran.stdout
    seen = (checkout / "environment").read_text("utf-8")
    assert "COREFLENS_SEED=7\n" in seen and "PYTHONHASHSEED" not in seen
    assert "--explore" in (checkout / "arguments").read_text("utf-8")
