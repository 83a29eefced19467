"""A short run of tests/fuzz.py, which says what it does; docs/real-files.md has a long one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from coreflens.formats import FORMATS


def test_damaged_files_are_read_or_refused() -> None:
    """In a process of its own: it limits time and memory."""
    script = Path(__file__).with_name("fuzz.py")
    command = [sys.executable, script, "--count", str(40 * len(FORMATS)), "--seed", "7"]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    assert " 0 failures" in run.stdout
