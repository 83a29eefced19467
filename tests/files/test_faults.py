"""Faults of the world around: kills, full disks, folders that can't be written to, others who write the same file."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from command import conll

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")]
OLD = "what was there before\n"
WRITER = """
import sys
from coreflens.files.writing import save
target, letters = sys.argv[1], sys.argv[2]
print("ready", flush=True)
while True:
    for letter in letters:
        save((letter * 1000 for _ in range(500)), target)
"""


def whole(path: Path, letters: str) -> bool:
    content = path.read_bytes()
    return len(content) == 500_000 and content == content[:1] * 500_000 and content[:1].decode() in letters


def writing(target: Path, letters: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(target), letters], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    return process


def stop(process: subprocess.Popen[bytes], how: int = signal.SIGKILL) -> None:
    process.send_signal(how)
    process.wait(300)
    assert process.stdout is not None
    process.stdout.close()


def test_kills_at_random_moments(tmp_path: Path) -> None:
    """What was there before is there after: one of the whole contents, never a part."""
    target = tmp_path / "out"
    target.write_text("a" * 500_000)
    chance = random.Random(3)
    for how in [signal.SIGKILL] * 6 + [signal.SIGTERM, signal.SIGINT]:
        process = writing(target, "ab")
        time.sleep(chance.uniform(0, 0.1))
        stop(process, how)
        assert whole(target, "ab")
    assert all(path.name == "out" or path.name.startswith(".coreflens-") for path in tmp_path.iterdir())


def test_several_who_write_one_file(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("a" * 500_000)
    processes = [writing(target, letter) for letter in "abc"]
    end = time.monotonic() + 1
    looked = 0
    while time.monotonic() < end or looked < 5:
        assert whole(target, "abc")
        looked += 1
    for process in processes:
        stop(process)
    assert whole(target, "abc")


def convert(folder: Path, before: str, target: str = "out.conll") -> subprocess.CompletedProcess[str]:
    """`coreflens convert` in a process that first runs some Python."""
    modules = "cli.convert, coreflens.formats.conll, coreflens.formats.conll.writer"  # before rights are given up
    script = f"import os, resource, coreflens.{modules}\n{before}\ncoreflens.cli.main()"
    command = [sys.executable, "-c", script, "convert", str(folder / "in.conll"), str(folder / target), "--to", "conll"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others may enter as well."""
    made = Path(tempfile.mkdtemp(prefix="coreflens-faults-"))
    made.chmod(0o755)
    (made / "in.conll").write_text("".join(conll(*["(1)"] * 200, name=f"nw/{i}") for i in range(50)))
    (made / "out.conll").write_text(OLD)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


def untouched(ran: subprocess.CompletedProcess[str], folder: Path) -> None:
    assert ran.returncode == 3, ran.stderr
    assert "out.conll: can't be written" in ran.stderr and "Traceback" not in ran.stderr
    assert (folder / "out.conll").read_text() == OLD
    assert not [path for path in folder.iterdir() if path.name.startswith(".coreflens-")]


def test_a_file_that_may_not_grow(folder: Path) -> None:
    untouched(convert(folder, "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))"), folder)


def test_a_full_disk(folder: Path) -> None:
    """A small tmpfs, where one may be mounted."""
    disk = folder / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if os.geteuid() or shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted here; a limit to the size of files is tested beside this")
    try:
        (disk / "out.conll").write_text(OLD)
        (disk / "filler").write_bytes(bytes(100_000))
        ran = convert(folder, "", "disk/out.conll")
        assert ran.returncode == 3 and "No space left" in ran.stderr
        assert (disk / "out.conll").read_text() == OLD
        assert sorted(path.name for path in disk.iterdir()) == ["filler", "out.conll"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_folder_that_cannot_be_written_to(folder: Path) -> None:
    folder.chmod(0o555)
    somebody = "os.setegid(65534); os.seteuid(65534)" if os.geteuid() == 0 else ""
    untouched(convert(folder, somebody), folder)


def test_a_file_that_is_read_only(folder: Path) -> None:
    (folder / "out.conll").chmod(0o444)
    folder.chmod(0o777)
    somebody = "os.setegid(65534); os.seteuid(65534)" if os.geteuid() == 0 else ""
    untouched(convert(folder, somebody), folder)


def test_a_slow_reader_gets_everything(folder: Path) -> None:
    command = [sys.executable, "-m", "coreflens", "convert", str(folder / "in.conll"), "-", "--to", "conll"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = process.stdout.read(10)
        time.sleep(0.5)
        rest = process.stdout.read()
        assert process.wait(60) == 0
    assert len((first + rest).splitlines()) >= 50 * 200


def test_a_part_of_a_folder_is_said(folder: Path) -> None:
    """The names of what was written before the disk was full."""
    (folder / "in.conll").write_text("".join(conll(*["(1)"] * 10 ** (i + 1), name=f"nw/{i}") for i in range(4)))
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))"
    modules = "import coreflens.cli.convert, coreflens.formats.brat"
    script = f"import resource\n{modules}\n{limit}\ncoreflens.cli.main()"
    command = [sys.executable, "-c", script, "convert", str(folder / "in.conll"), f"{folder}/brat/", "--to", "brat"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    written = sorted(path.name for path in (folder / "brat").iterdir())
    assert ran.returncode == 3 and 1 < len(written) < 8
    assert f"written before this: {len(written)} files, the last one is " in ran.stderr
