"""The documentation site: generated pages are up to date, and it builds without a warning."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from places import ROOT


@pytest.mark.slow
def test_generated_pages_are_up_to_date() -> None:
    run = subprocess.run([sys.executable, ROOT / "docs" / "pages.py", "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.slow
def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="sphinx builds the site")
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        ROOT / "docs",
        tmp_path,
    ]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "reference" / "metrics.html").exists()
