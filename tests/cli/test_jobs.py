"""Real processes that share the work. Where they can be copies of the first one (Linux), they are copies here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import conll
from coreflens import processes

CELLS = ["(0)", "(1", "1)", "(2)", "(0)", "-", "(1)", "(2)"]
WRONG = {"key": {}, "one": {"(2)": "(9)"}, "two": {"(0)": "-"}}  # what a file has instead in every other document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, wrong in WRONG.items():
        documents = [[wrong.get(cell, cell) if n % 2 else cell for cell in CELLS] for n in range(12)]
        text = "".join(conll(*cells, name=f"nw/{n}") for n, cells in enumerate(documents))
        (tmp_path / f"{name}.conll").write_text(text)
    (tmp_path / "wrong.conll").write_text(conll("(0", "-"))
    return tmp_path


def coreflens(*words: str, cwd: Path) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-m", "coreflens", *words], cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "compare key.conll one.conll two.conll wrong.conll gone.conll --match exact,partial",
        "compare gone.conll one.conll two.conll",
        "view key.conll one.conll two.conll page.html",
        "validate . --format json",
        "score . . -f json",
    ],
)
def test_the_number_of_processes_changes_nothing(folder: Path, words: str) -> None:
    found = []
    for jobs in ("1", "2", "5"):
        page = folder / "page.html"
        found.append((coreflens(*words.split(), "--jobs", jobs, cwd=folder), page.exists() and page.read_bytes()))
    assert found[0] == found[1] == found[2]


def test_all_cores_are_for_large_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 6)
    for possible in (True, False):
        monkeypatch.setattr(processes, "can_copy", lambda possible=possible: possible)
        assert processes.chosen(None, is_large=False) == 1
        assert processes.chosen(None, is_large=True) == (6 if possible else 1)
        assert processes.chosen(3, is_large=False) == processes.chosen(3, is_large=True) == 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")
def test_only_a_process_without_threads_is_copied() -> None:
    program = """
from threading import Event, Thread
from coreflens.processes import can_copy, each
print(can_copy(), [*each(lambda x: x + 1, [1, 2, 3], 2)])  # a lambda can't be sent, only inherited
done = Event()
Thread(target=done.wait).start()
print(can_copy(), [*each(abs, [-1, 2, -3], 2)])
done.set()
"""
    found = subprocess.run([sys.executable, "-c", _guarded(program)], capture_output=True, text=True, timeout=120)
    assert found.stdout.splitlines() == ["True [2, 3, 4]", "False [1, 2, 3]"], found.stderr


def _guarded(program: str) -> str:
    """New processes run a program again, but not what only the main one does."""
    inside = "\n".join(f"    {line}" for line in program.splitlines())
    return f"if __name__ == '__main__':\n{inside}\n"


@pytest.mark.slow
@pytest.mark.skipif(not Path(f"/proc/{os.getpid()}/task").is_dir(), reason="no /proc here")
def test_a_killed_process_leaves_no_other(folder: Path) -> None:
    big = "".join(conll(*CELLS * 40, name=f"nw/{n}") for n in range(120))
    for name in ("key", "one"):
        (folder / f"{name}.conll").write_text(big)
    words = ["view", "key.conll", "one.conll", "page.html", "--jobs", "2"]
    started = subprocess.Popen([sys.executable, "-m", "coreflens", *words], cwd=folder, start_new_session=True)
    children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
    patience = time.monotonic() + 300
    while started.poll() is None and not children.read_text().strip() and time.monotonic() < patience:
        time.sleep(0.01)
    started.kill()
    assert started.wait() == -signal.SIGKILL, "it was over before it could be killed"
    with pytest.raises(ProcessLookupError):  # nobody is left
        for _ in range(1000):
            os.killpg(started.pid, 0)
            time.sleep(0.02)
    assert not (folder / "page.html").exists()
