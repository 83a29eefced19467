"""bin/setup and bin/coreflens: where the environment is made. Here Python and pip are scripts that install nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from places import ROOT

pytestmark = pytest.mark.slow  # every test starts processes
PYTHON = """#!/bin/sh
case "$1 $2" in
  "-m venv")
    mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
    printf '#!/bin/sh\\necho "$0: $*"\\n' >"$3/bin/coreflens" && chmod +x "$3/bin/coreflens" ;;
  "-m pip") echo "$*" >>"$(dirname "$0")/pip" ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in a path with blanks and other letters."""
    folder = tmp_path / "ein Weg" / "ü"
    (folder / "bin").mkdir(parents=True)
    for name in ("setup", "coreflens"):
        shutil.copy(ROOT / "bin" / name, folder / "bin")
    (folder / "pyproject.toml").write_text("", "utf-8")
    os.utime(folder / "pyproject.toml", (0, 0))
    (tmp_path / "python").write_text(PYTHON, "utf-8")
    (tmp_path / "python").chmod(0o755)
    return folder


def ordinary() -> list[str]:
    """What makes a command one of an ordinary user, who owns our files: nothing, unless we are root."""
    if os.geteuid():
        return []
    command = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    if shutil.which("unshare") is None or subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("root can't become an ordinary user here")
    return command


def ran(checkout: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    python = checkout.parents[1] / "python"
    (checkout.parents[1] / "tmp").mkdir(exist_ok=True)
    usual = {"PATH": os.environ["PATH"], "COREFLENS_PYTHON": "python", "TMPDIR": str(checkout.parents[1] / "tmp")}
    usual["PATH"] = f"{python.parent}:{usual['PATH']}"
    command = [*ordinary(), str(checkout / "bin" / "coreflens"), *words]
    umask = 0o077
    return subprocess.run(
        command, env=usual | environment, capture_output=True, text=True, encoding="utf-8", umask=umask
    )


def test_beside_the_code(checkout: Path) -> None:
    for _ in range(2):
        done = ran(checkout, "score", "a b")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"{checkout}/.venv/bin/coreflens: score a b\n"
    assert (checkout / ".venv" / "bin" / "pip").read_text("utf-8").count("install") == 1


@pytest.mark.parametrize("name", ["else where/é", "/TMP/an/absolute path"])
def test_where_the_user_says(checkout: Path, name: str) -> None:
    name = name.replace("/TMP", str(checkout.parents[1]))
    done = ran(checkout, COREFLENS_VENV=name)
    assert done.stdout == f"{checkout / name}/bin/coreflens: \n" and not done.stderr


@pytest.mark.parametrize("where", ["XDG_CACHE_HOME", "HOME", "no home", "a home that is not there"])
def test_a_checkout_that_can_not_be_written_to(checkout: Path, where: str) -> None:
    home = checkout.parents[1] / "home ä"
    home.mkdir()
    cache = {"XDG_CACHE_HOME": home, "HOME": home / ".cache"}.get(where, checkout.parents[1] / "tmp")
    environment = {where: str(home)} if where in ("XDG_CACHE_HOME", "HOME") else {}
    if where == "a home that is not there":
        home.chmod(0o555)
        environment = {"HOME": str(home / "gone")}
    checkout.chmod(0o555)
    try:
        first, second = (ran(checkout, "demo", **environment) for _ in range(2))
    finally:
        checkout.chmod(0o755)
    assert first.returncode == 0, first.stderr
    assert "can't be written to: the environment is made in " in first.stderr and str(cache) in first.stderr
    assert first.stdout.startswith(f"{cache}/") and first.stdout.endswith("/bin/coreflens: demo\n")
    assert (second.stdout, second.stderr) == (first.stdout, "")
    assert not (checkout / ".venv").exists()


def test_an_environment_beside_code_that_can_not_be_written_to_is_used(checkout: Path) -> None:
    ran(checkout)
    checkout.chmod(0o555)
    try:
        done = ran(checkout)
    finally:
        checkout.chmod(0o755)
    assert done.stdout == f"{checkout}/.venv/bin/coreflens: \n" and not done.stderr


def test_extras_are_marked_one_by_one(checkout: Path) -> None:
    setup = [str(checkout / "bin" / "setup"), "test,spark"]
    path = f"{checkout.parents[1]}:{os.environ['PATH']}"
    for words in (setup, setup, [setup[0], "test"], [setup[0], "spark"], [setup[0]]):
        subprocess.run(words, env={"PATH": path, "COREFLENS_PYTHON": "python"}, check=True)
    assert (checkout / ".venv" / "bin" / "pip").read_text("utf-8").count("install") == 1
