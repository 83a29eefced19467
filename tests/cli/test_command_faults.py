"""Every command of the registry under faults: a short form of `bench/faults.py`, which does it all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fault_examples import EXAMPLES, READERS, command_of, lacking
from places import ROOT
from registry import commands

FAULTS = ROOT / "bench" / "faults.py"
LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked at as Linux shows them")


def test_every_command_has_an_example() -> None:
    """A new command needs a line in tests/support/fault_examples.py."""
    assert not lacking(commands())
    assert {command_of(line) for line in (*EXAMPLES, *READERS.values())} <= set(commands())


def harness(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FAULTS), *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=600)


@LINUX
@pytest.mark.slow
def test_each_command_meets_a_fault() -> None:
    ran = harness("--short", "--seed", "1", "--no-store")  # tests/store has those of databases
    assert ran.returncode == 0 and " 0 failures" in ran.stdout, ran.stderr[-3000:]


@LINUX
@pytest.mark.endurance
def test_each_command_meets_every_fault() -> None:
    ran = harness("--rounds", "2", "--seed", "1")
    assert ran.returncode == 0 and " 0 failures" in ran.stdout, ran.stderr[-3000:]
