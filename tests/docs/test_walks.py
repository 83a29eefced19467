"""docs/walks.md, which bench/walk.py makes by following the calls of six commands."""

from __future__ import annotations

import subprocess
import sys

from places import ROOT


def test_the_walks_are_up_to_date() -> None:
    run = subprocess.run([sys.executable, ROOT / "bench" / "walk.py", "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
