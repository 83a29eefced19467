"""Faults by the hundred: what is left of a database, and of a command whose workers are killed.

python bench/database_faults.py [kills|full|flips|pairs|workers] [COUNT]

kills    `db build`, `add`, `replace`, `remove` ended by Ctrl-C, TERM or KILL at random moments
full     the same where files may not grow beyond a random size
flips    one byte of a database changed, then `db check` and `score`
pairs    two `db build` to one output
workers  a worker of a command killed at a random moment, or while it sends its result

Asserted: exit codes as documented and never 70; after every fault the database is the earlier one or the new one, to
the byte where it is the earlier one, and `db check` finds nothing; a lost worker ends the command within a second.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "src")]
os.environ["PYTHONPATH"] = str(ROOT / "src")

LIMITED = (
    "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2); del sys.argv[1];"
    "from coreflens.cli import main; main()"
)
CHANGES = {
    "build": "build new.duckdb key=many --response lee=many --jobs 1",
    "add": "add a.duckdb key=many --jobs 2",
    "add a response": "add a.duckdb --response perfect=key --jobs 1",
    "replace": "replace a.duckdb --response lee=key --jobs 1",
    "remove": "remove a.duckdb lee",
}


def prepared(folder: Path) -> bytes:
    """Corpora in a folder, and the bytes of a database of them."""
    from coreflens.store import build
    from databases import key, response

    for name, content, count in (("key", key, 4), ("lee", response, 4), ("many", key, 40)):
        (folder / name).mkdir()
        for n in range(count):
            label = f"bc/{n}" if name == "many" else f"nw/{n}"
            (folder / name / f"{n}.conll").write_text(content(label) + content(label, 1), "utf-8")
    build(str(folder / "a.duckdb"), {"key": str(folder / "key")}, {"lee": str(folder / "lee")})
    return (folder / "a.duckdb").read_bytes()


def restored(folder: Path, whole: bytes) -> None:
    """The database as it was, without what a killed writer has left."""
    for path in [*folder.glob("a.duckdb*"), *folder.glob("new.duckdb*")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (folder / "a.duckdb").write_bytes(whole)


def started(folder: Path, words: str, limit: int | None = None) -> subprocess.Popen[str]:
    """A command; with a limit, its files may not grow beyond so many bytes."""
    begin = ["-m", "coreflens"] if limit is None else ["-c", LIMITED, str(limit)]
    command = [sys.executable, *begin, *words.split()]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def sound(folder: Path, change: str, whole: bytes, code: int) -> str:
    """What a writer has left: `earlier` or `new`."""
    from coreflens.store import check

    path = folder / ("new.duckdb" if change == "build" else "a.duckdb")
    if change == "build" and not path.exists():
        assert code != 0
        continued = started(folder, f"db {CHANGES['build']}")
        _, err = continued.communicate()
        assert continued.returncode == 0, err
        assert check(str(path)) == []
        return "earlier, and continued"
    if path.read_bytes() == whole:
        assert code != 0
        return "earlier"
    assert check(str(path)) == []
    return "new"


def kills(rng: random.Random, folder: Path, whole: bytes) -> str:
    change = rng.choice([*CHANGES])
    restored(folder, whole)
    process = started(folder, f"db {CHANGES[change]}")
    sent = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
    working = folder / ("new.duckdb.lock" if change == "build" else "a.duckdb.lock")
    while process.poll() is None and not working.exists():
        time.sleep(0.005)
    time.sleep(rng.random() * 0.8)
    if process.poll() is None:
        process.send_signal(sent)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (0, 130, -sent), (change, process.returncode, err)
    return f"{change}, {sent.name}: {sound(folder, change, whole, process.returncode)}"


def full(rng: random.Random, folder: Path, whole: bytes) -> str:
    change = rng.choice([*CHANGES])
    restored(folder, whole)
    process = started(folder, f"db {CHANGES[change]}", int(len(whole) * rng.uniform(0.1, 1.6)))
    _, err = process.communicate(timeout=120)
    assert process.returncode in (0, 3), (change, process.returncode, err)
    return f"{change}: exit {process.returncode}, {sound(folder, change, whole, process.returncode)}"


def flips(rng: random.Random, folder: Path, whole: bytes) -> str:
    data = bytearray(whole)
    used = [place for place in range(0, len(data), 64) if any(data[place : place + 64])]
    place = rng.choice(used) + rng.randrange(64)
    data[place] ^= rng.randrange(1, 256)
    (folder / "flipped.duckdb").write_bytes(data)
    good = started(folder, "score key lee --format json")
    expected = good.communicate()[0]
    codes = []
    for words in ("db check flipped.duckdb", "score flipped.duckdb:key flipped.duckdb:lee --format json"):
        process = started(folder, words)
        out, err = process.communicate(timeout=120)
        assert process.returncode in (0, 1, 3), (place, words, process.returncode, err)
        assert process.returncode != 3 or "hint:" in err, (place, err)
        codes.append(process.returncode)
    if codes[1] == 0:
        found, wanted = (text[text.index('"scores"') :] for text in (out, expected))
        assert found.split('"by"')[0] == wanted.split('"by"')[0], place
    return f"check {codes[0]}, score {codes[1]}"


def pairs(rng: random.Random, folder: Path, whole: bytes) -> str:
    restored(folder, whole)
    processes = []
    for _ in range(2):
        processes.append(started(folder, f"db {CHANGES['build']}"))
        time.sleep(rng.random() * 0.4)
    codes = []
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode in (0, 3), err
        codes.append(process.returncode)
    assert 0 in codes
    sound(folder, "build", whole, 0)
    return f"exit {sorted(codes)}"


def workers(rng: random.Random, folder: Path, whole: bytes) -> str:
    """Killed at a random moment; in half of the cases while the parent is stopped, so that results are half sent."""
    words = rng.choice(
        [
            "compare many x=many y=many --jobs 2",
            "view many many page.html --jobs 2",
            "validate many --jobs 2",
            "score many many --jobs 2",
            "db build new.duckdb key=many --jobs 2",
        ]
    )
    restored(folder, whole)
    process = started(folder, words)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    found: list[int] = []
    while process.poll() is None and not found:
        time.sleep(0.002)
        found = [int(child) for child in children.read_text().split() if _is_worker(child)]
    time.sleep(rng.random() * 0.5)
    stopped = rng.random() < 0.5
    if stopped:
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
    alive = process.poll() is None and found and Path(f"/proc/{found[-1]}").exists()
    if alive:
        os.kill(rng.choice(found), signal.SIGKILL)
    process.send_signal(signal.SIGCONT)
    begin = time.monotonic()
    _, err = process.communicate(timeout=60)
    took = time.monotonic() - begin
    assert process.returncode in (0, 1, 3), (words, process.returncode, err)
    lost = "a process ended" in err
    assert not lost or took < 1, (words, took)
    return f"{words.split()[0]}, {'stopped' if stopped else 'running'}: {'lost' if lost else 'whole'}"


def _is_worker(child: str) -> bool:
    try:
        return b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes()
    except OSError:
        return False


FAULTS: dict[str, Callable[[random.Random, Path, bytes], str]] = {
    "kills": kills,
    "full": full,
    "flips": flips,
    "pairs": pairs,
    "workers": workers,
}


def main() -> int:
    which = sys.argv[1:2] or [*FAULTS]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    failures = 0
    for name in which:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            whole = prepared(folder)
            outcomes: Counter[str] = Counter()
            for number in range(count):
                try:
                    outcomes[FAULTS[name](random.Random(number), folder, whole)] += 1
                except (AssertionError, subprocess.TimeoutExpired) as error:
                    failures += 1
                    print(f"{name} {number}: {error}", flush=True)
            for outcome, times in sorted(outcomes.items()):
                print(f"{name}: {outcome}: {times}")
    print(f"{failures} failures")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
