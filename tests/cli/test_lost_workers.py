"""A process that shares the work is killed, at every point of its life: an error with exit code 3, and nobody waits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path(f"/proc/{os.getpid()}/task").is_dir(), reason="no /proc here"),
]
PROGRAM = """
import os, signal, sys, threading, time
from coreflens.cli import fail
from coreflens.errors import InputError
from coreflens.processes import each, meanwhile, together

def work(item):
    with open(f"{item}.part", "w") as file:
        file.write(str(os.getpid()))
    os.replace(f"{item}.part", item)
    if item == "long":
        time.sleep(600)
    if item == "large":
        os.kill(os.getppid(), signal.SIGSTOP)  # nobody reads what is sent now
        return b"x" * 50_000_000
    return item

def main(how, start, items):
    if start == "spawn":
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()  # a process with threads is not copied
    try:
        if how == "each":
            found = [len(str(result)) for result in each(work, items, 2)]
        elif how == "meanwhile":
            with meanwhile(work, items, 2) as results:
                found = [len(str(result)) for result in results()]
        else:
            found = [len(str(result)) for result in together(work, items, 3, lambda item: time.sleep(2) or item)]
    except InputError as error:
        fail(error.message, error.exit_code)
    print(found)

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
"""
LOST = "coreflens: error: a process ended before its work was done"


def _started(folder: Path, *words: str) -> subprocess.Popen[str]:
    (folder / "program.py").write_text(PROGRAM)
    command = [sys.executable, "program.py", *words]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def _workers(parent: int) -> list[int]:
    """The workers of a process. A helper of multiprocessing, which cleans up after it, is none."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(child) for child in children if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes()]


def _worker(folder: Path, item: str) -> int:
    """Who works, or has worked, on an item."""
    return int((folder / item).read_text())


def _until(condition: object, *arguments: object) -> None:
    patience = time.monotonic() + 60
    while not condition(*arguments):  # type: ignore[operator]
        assert time.monotonic() < patience
        time.sleep(0.005)


def _is_stopped(process: int) -> bool:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def _ends_with_an_error(process: subprocess.Popen[str]) -> None:
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (3, "") and err.startswith(LOST), (process.returncode, err)
    _until(_is_gone, process.pid)


def _is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("how", ["each", "meanwhile", "together"])
def test_killed_while_it_sends(how: str, start: str, tmp_path: Path) -> None:
    """Half a result is in the pipe, and its other half never comes."""
    process = _started(tmp_path, how, start, "short", "large")
    _until((tmp_path / "large").exists)
    _until(_is_stopped, process.pid)
    time.sleep(0.3)  # until the pipe is full
    os.kill(_worker(tmp_path, "large"), signal.SIGKILL)
    os.kill(process.pid, signal.SIGCONT)
    _ends_with_an_error(process)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_killed_while_it_works(start: str, tmp_path: Path) -> None:
    process = _started(tmp_path, "each", start, "long", "long")
    _until((tmp_path / "long").exists)
    os.kill(_worker(tmp_path, "long"), signal.SIGKILL)
    _ends_with_an_error(process)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_killed_while_it_waits_for_work(start: str, tmp_path: Path) -> None:
    """One has a long item, and the other one has finished."""
    process = _started(tmp_path, "each", start, "short", "long")
    _until((tmp_path / "long").exists)
    _until((tmp_path / "short").exists)
    time.sleep(0.3)
    os.kill(_worker(tmp_path, "short"), signal.SIGKILL)
    _ends_with_an_error(process)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_killed_while_it_starts(start: str, tmp_path: Path) -> None:
    process = _started(tmp_path, "each", start, "long", "long")
    _until(_workers, process.pid)
    os.kill(_workers(process.pid)[0], signal.SIGKILL)
    _ends_with_an_error(process)


def test_nobody_is_killed(tmp_path: Path) -> None:
    process = _started(tmp_path, "each", "fork", "short", "brief")
    assert process.communicate(timeout=60) == ("[5, 5]\n", "")
