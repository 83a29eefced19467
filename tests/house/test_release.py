"""What a release needs: one version everywhere, archives that are sound, and a wheel that works with nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

import coreflens as cl
from places import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_one_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == cl.__version__
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)[1] == cl.__version__  # type: ignore[index]


def test_the_changelog_begins_with_scores_that_change() -> None:
    for version in re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.M)[1:]:
        headings = re.findall(r"^### (.*)", version, re.M)
        assert headings[0] == "Scores that change"
        assert len(headings) == len(set(headings))
    lines = [line for line in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines() if line.startswith("- ")]
    assert len(lines) == len(set(lines)), "an entry stands twice"


def test_governance_is_short() -> None:
    assert (ROOT / "GOVERNANCE.md").read_text("utf-8").count("\n- ") <= 10


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert all("uses" in step or "run" in step for step in steps)
    if path.stem == "release":
        assert workflow["jobs"]["publish"]["permissions"] == {"id-token": "write"}
        assert "token" not in path.read_text("utf-8").replace("id-token", "").replace("no token", "")


@pytest.mark.slow
def test_archives_and_the_wheel_in_a_bare_environment(tmp_path: Path) -> None:
    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    built = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", ROOT)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,), (source,) = (list((tmp_path / "dist").glob(pattern)) for pattern in ("*.whl", "*.tar.gz"))
    checked = run(sys.executable, "-m", "twine", "check", "--strict", wheel, source)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    assert {name.split("/")[0] for name in names} == {"coreflens", f"coreflens-{cl.__version__}.dist-info"}
    with tarfile.open(source) as archive:
        names = archive.getnames()
    assert any(name.endswith("/CITATION.cff") for name in names) and not any(".venv" in name for name in names)

    bare = tmp_path / "bare"
    assert run(sys.executable, "-m", "venv", "--without-pip", bare).returncode == 0
    python = bare / "bin" / "python"
    installed = run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", wheel)
    if installed.returncode and "No matching distribution" in installed.stderr:
        pytest.skip("numpy and click can't be had here")
    assert installed.returncode == 0, installed.stderr
    shown = run(bare / "bin" / "coreflens", "demo")
    assert shown.returncode == 0 and "CoNLL" in shown.stdout, shown.stderr
