"""Commands run as processes of their own: their time, processor time and peak memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from typing import NamedTuple, TypeAlias

from table import Row

HERE = Path(__file__).parent
SOURCE = HERE / "out" / "source"
# A copy of coreflens, so that all of a run measures the same code; as installed, with byte code from the warm-up on.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
    "PYTHONPYCACHEPREFIX": str(HERE / "out" / "pycache"),
    "PYTHONPATH": str(SOURCE),
}

CLOCK = "cpu" if "--cpu" in sys.argv else "wall"

Command: TypeAlias = Sequence[str]


def snapshot() -> str:
    """Copy the package that is installed; a digest says which state of it was measured."""
    found = find_spec("coreflens")
    assert found is not None and found.origin is not None
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(Path(found.origin).parent, SOURCE / "coreflens", ignore=shutil.ignore_patterns("__pycache__"))
    digest = sha256()
    for path in sorted(SOURCE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


class Run(NamedTuple):
    seconds: float
    cpu: float
    megabytes: float
    output: str = ""
    finished: bool = True


def run(command: Command, cap: float | None = None) -> Run:
    """Run to the end, or for `cap` seconds; the peak memory is that of this one child."""
    with TemporaryFile() as output, TemporaryFile() as errors:
        started = perf_counter()
        child = subprocess.Popen(command, stdout=output, stderr=errors, env=ENVIRONMENT)
        timer = threading.Timer(cap or threading.TIMEOUT_MAX, child.kill)
        timer.daemon = True
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        wall = perf_counter() - started
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        stopped = cap is not None and wall >= cap
        output.seek(0)
        errors.seek(0)
        if child.returncode and not stopped:
            raise SystemExit(f"{' '.join(command)} failed:\n{errors.read().decode(errors='replace')}")
        megabytes = usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
        cpu = usage.ru_utime + usage.ru_stime
        return Run(cpu if CLOCK == "cpu" else wall, cpu, megabytes, output.read().decode(), not stopped)


def best(rounds: int, commands: Mapping[str, Command], cap: float | None = None) -> dict[str, Run]:
    """The fastest run of each command after a warm-up, taken in turns so that a busy moment hits them alike."""
    runs = {name: [run(command, cap)] for name, command in commands.items()}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(run(command, cap))
    return {name: min(some[1:] or some) for name, some in runs.items()}


def process(what: str, found: Run, limit: str = "") -> Iterator[Row]:
    """What one process took: time, processor time, memory."""
    yield Row(what, found.seconds)
    yield Row(f"{what}, processor time", found.cpu)
    yield Row(f"{what}, peak memory", found.megabytes, "MB", limit)
