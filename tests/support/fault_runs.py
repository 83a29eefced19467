"""Runs commands under faults of the world around, and says what they left: for `bench/faults.py` and tests.

Each run is a copy of this process (fork), in a session of its own, so that whatever it leaves running can be found.
This process has no threads, and it has loaded what the commands load, so that a run is short.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import DEVNULL, run
from typing import Any, NamedTuple

from coreflens.cli import main
from fault_examples import EARLIER, FRESH, LOGS, MADE, OLD, command_of, write_inputs, write_tables

SECONDS = 60  # after which a run counts as one that does not end
# As docs/promises.md says, and beside a database what its builder and its changes leave.
TEMPORARY = re.compile(r"\.coreflens-[0-9a-f]{16}|.+\.duckdb\.((building|changing)(\.wal)?|lock)")
# Beside those of all commands: validate counts what can't be read as an error, and the scorer has the original's codes.
OWN_CODES = {"validate": (1,), "conll-scorer": (2, 13)}
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHANGES = {"os.rename", "os.remove", "os.truncate", "os.mkdir", "os.chmod", "os.chown"}
_THREADED = {"duckdb", "pyarrow", "polars", "pandas"}  # what starts threads is loaded by each run for itself
_FORK = multiprocessing.get_context("fork")

Files = Mapping[str, bytes]
Prepare = Callable[[], None]


class Ran(NamedTuple):
    """How a run ended: the exit code, or the negative number of the signal; and what is in out/."""

    line: str
    code: int | None  # None: it did not end
    out: str
    err: str
    seconds: float
    left: int  # processes that were still there
    files: dict[str, bytes]


class Good(NamedTuple):
    """What a line does without a fault."""

    code: int
    seconds: float
    before: dict[str, bytes]
    after: dict[str, bytes]
    changes: int  # how often it changes something on the disk
    differs: frozenset[str]  # files whose bytes differ from run to run


def changes_to_disk(act: Callable[[int], None]) -> None:
    """Call `act` with 1, 2, 3, ... before each change to a file of out/."""
    count = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        changed = event in _CHANGES or (event == "open" and len(arguments) > 2 and (arguments[2] or 0) & _WRITES)
        if changed and isinstance(arguments[0], (str, Path)) and "out" in Path(arguments[0]).parts:
            count += 1
            act(count)

    sys.addaudithook(hook)


class Process:
    """A command in a process of its own."""

    def __init__(self, home: Path, line: str, prepare: Prepare | None = None) -> None:
        self.home, self.line = home, line
        self.said = [home / f"{name}.{time.monotonic_ns()}" for name in ("stdout", "stderr")]
        receiver, sender = os.pipe()
        self._process = _FORK.Process(target=self._main, args=(prepare, receiver, sender))
        self.started = time.monotonic()
        self._process.start()
        os.close(sender)
        os.read(receiver, 1)  # it has begun
        os.close(receiver)

    @property
    def pid(self) -> int:
        pid = self._process.pid
        assert pid is not None
        return pid

    def _main(self, prepare: Prepare | None, receiver: int, sender: int) -> None:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.close(receiver)
        for number, path in enumerate([Path(os.devnull), *self.said]):
            opened = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            os.dup2(opened, number)
            os.close(opened)
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - they are those of the process
            for number, mode in enumerate("rww")
        )
        os.chdir(self.home)
        sys.argv = ["coreflens", *self.line.split()]
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if prepare is not None:
            prepare()
        os.write(sender, b".")
        os.close(sender)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            main()
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def interrupt(self, how: signal.Signals) -> None:
        """As a terminal does it: Ctrl-C goes to all processes of the session, other signals to this one."""
        with suppress(ProcessLookupError):
            if how == signal.SIGINT:
                os.killpg(self.pid, how)
            else:
                os.kill(self.pid, how)

    def workers(self) -> list[int]:
        return [pid for pid in session_of(self.pid) if pid != self.pid]

    def end(self) -> Ran:
        """Wait for the end, and end what is left."""
        self._process.join(SECONDS)
        code = self._process.exitcode
        seconds = time.monotonic() - self.started
        deadline = time.monotonic() + (3 if code is not None else 0)
        while (left := session_of(self.pid, code is None)) and time.monotonic() < deadline:
            time.sleep(0.02)
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.join()
        out, err = (path.read_text("utf-8", "replace") if path.exists() else "" for path in self.said)
        for path in self.said:
            path.unlink(missing_ok=True)
        return Ran(self.line, code, out, err, seconds, len(left), contents(self.home / "out"))


def session_of(pid: int, itself: bool = True) -> list[int]:
    """The living processes of a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, _, session = (folder / "stat").read_text().rpartition(") ")[2].split()[:4]
            if int(session) == pid and state != "Z" and (itself or int(folder.name) != pid):
                found.append(int(folder.name))
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


class Workshop:
    """A directory with the inputs, and what each line does there without a fault."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._good: dict[str, Good] = {}
        write_inputs(home)
        tables = _FORK.Process(target=write_tables, args=(home,))
        tables.start()
        tables.join()
        assert tables.exitcode == 0
        for line in MADE:
            ran = self.run(line)
            assert ran.code == 0, ran
        self.home.chmod(0o755)

    def fresh(self, before: Files) -> None:
        """out/ with nothing but these files."""
        out = self.home / "out"
        out.mkdir(exist_ok=True)
        for path in out.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        for name, data in before.items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_bytes(data)

    def run(self, line: str, prepare: Prepare | None = None) -> Ran:
        return Process(self.home, line, prepare).end()

    def good(self, line: str) -> Good:
        """The line without a fault, over what was there before; its modules are loaded here as well."""
        if line not in self._good:
            self._good[line] = self._tried(line)
        return self._good[line]

    def _tried(self, line: str) -> Good:
        earlier = {Path(out).name: (self.home / source).read_bytes() for out, source in EARLIER.items() if out in line}
        self.fresh(earlier)
        first = self.run(line, self._load_as_it_does)
        before = earlier
        if command_of(line) not in FRESH:
            before = dict.fromkeys(first.files, OLD) | earlier
        self._load()
        self.fresh(before)
        counted = self.home / "changes"
        counted.write_text("0")
        ran = self.run(line, lambda: changes_to_disk(lambda count: _noted(counted, count)))
        if ran.code not in (0, 1) or ran.code != first.code:
            raise AssertionError(f"{line}: {first.code}, then {ran.code}: {ran.err}")
        differs = frozenset(name for name in ran.files if ran.files[name] != first.files.get(name))
        return Good(ran.code, ran.seconds, before, ran.files, int(counted.read_text()), differs)

    def _load_as_it_does(self) -> None:
        target = self.home / "modules"

        def leave() -> None:
            target.write_text(json.dumps(sorted(sys.modules)))

        multiprocessing.util.Finalize(None, leave, exitpriority=0)

    def _load(self) -> None:
        names = json.loads((self.home / "modules").read_text())
        if _THREADED & set(names):
            return
        for name in names:
            if name.split(".")[0] in ("coreflens", "numpy"):
                with suppress(ImportError):
                    importlib.import_module(name)


def _noted(path: Path, count: int) -> None:
    number = os.open(path.with_name("changes"), os.O_WRONLY)
    os.write(number, str(count).encode())
    os.close(number)


# ----- what has to hold


def faults(good: Good, ran: Ran, codes: tuple[int, ...], temporary: bool = False) -> Iterator[str]:
    """What is wrong with a run. `codes` are those that the fault may lead to, beside that of the run without it."""
    if ran.code is None:
        yield f"it did not end in {SECONDS} s"
    elif ran.code not in (good.code, *codes, *OWN_CODES.get(command_of(ran.line), ())):
        yield f"exit code {ran.code}: {ran.err[-600:]}"
    if "Traceback" in ran.err or "bug in coreflens" in ran.err or "Exception ignored" in ran.err:
        yield ran.err[-1500:]
    if ran.left:
        yield f"{ran.left} processes are left"
    if ran.code == 3 and "coreflens: error: " not in ran.err:
        yield "exit code 3 without a message"
    if ran.code in (3, 130) and _is_part(good, ran.files) and "written before this" not in ran.err:
        yield f"a part of the files was written, without a word about it: {ran.err}"
    for name, data in ran.files.items():
        if TEMPORARY.fullmatch(Path(name).name):
            if not temporary:
                yield f"{name} is left"
        elif not _whole(name, data, good):
            yield f"{name} is neither the earlier file nor the new one: {len(data)} bytes"
    for name in good.before:
        if name not in ran.files and name in good.after:
            yield f"{name} is gone"
    if ran.code == good.code and set(good.after) - set(ran.files):
        yield f"lost: {sorted(set(good.after) - set(ran.files))}"
    if ran.code == good.code:
        stale = [name for name, old in good.before.items() if ran.files.get(name) == old != good.after.get(name)]
        if stale:
            yield f"not written, but exit code {ran.code}: {stale}"


def _is_part(good: Good, files: Files) -> bool:
    """Whether some files are new and others are not."""
    new = [files.get(name) == data for name, data in good.after.items() if data != good.before.get(name)]
    return any(new) and not all(new)


def _whole(name: str, data: bytes, good: Good) -> bool:
    """Whether a file has its earlier content or the new one; a log has its earlier lines, and then new ones."""
    old, new = good.before.get(name), good.after.get(name)
    if data in (old, new):
        return True
    if Path(name).name in LOGS:
        return data.startswith(old or b"") and all(line.startswith(b"{") for line in data.splitlines())
    if name in good.differs and new is not None:
        return abs(len(data) - len(new)) <= len(new) // 20
    return False


# ----- the faults


def killed(shop: Workshop, line: str, chance: random.Random) -> list[str]:
    """A signal, at a random time or before a random change to a file."""
    good = shop.good(line)
    shop.fresh(good.before)
    how = chance.choice((signal.SIGKILL, signal.SIGKILL, *_SIGNALS))
    if good.changes and chance.random() < 0.5:
        at = chance.randint(1, good.changes)

        def end(count: int) -> None:
            if count == at:
                os.kill(os.getpid(), how)

        ran = shop.run(line, lambda: changes_to_disk(end))
        where = f"{how.name} before change {at}"
    else:
        process = Process(shop.home, line)
        after = chance.uniform(0, 1.05 * good.seconds)
        time.sleep(after)
        process.interrupt(how)
        ran, where = process.end(), f"{how.name} after {after:.3f} s"
    codes = (130,) if how == signal.SIGINT else (-how,)
    return [f"{where}: {fault}" for fault in faults(good, ran, codes, temporary=how != signal.SIGINT)]


def worker_killed(shop: Workshop, line: str, chance: random.Random) -> list[str]:
    """One of the other processes is killed."""
    good = shop.good(line)
    shop.fresh(good.before)
    process = Process(shop.home, line)
    deadline = time.monotonic() + good.seconds
    while not (workers := process.workers()) and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(chance.uniform(0, good.seconds / 2))
    if workers := process.workers() or workers:
        with suppress(ProcessLookupError):
            os.kill(chance.choice(workers), signal.SIGKILL)
    return [f"worker killed: {fault}" for fault in faults(good, process.end(), (3,))]


@contextmanager
def small_disk(shop: Workshop) -> Iterator[bool]:
    """out/ on a disk of its own, where one may be mounted."""
    out = shop.home / "out"
    out.mkdir(exist_ok=True)
    able = shutil.which("mount") is not None and os.geteuid() == 0
    command = ["mount", "-t", "tmpfs", "-o", "size=64M", "tmpfs", str(out)]
    if not able or run(command, stdout=DEVNULL, stderr=DEVNULL).returncode:
        yield False
        return
    owner = os.getpid()
    try:
        yield True
    finally:
        if os.getpid() == owner:
            run(["umount", str(out)], check=True)


def disk_full(shop: Workshop, line: str, chance: random.Random) -> list[str]:
    """out/ is a full disk, but for some room; else files may not grow."""
    good = shop.good(line)
    if not good.changes:
        return []
    with small_disk(shop) as mounted:
        shop.fresh(good.before)
        sizes = sum(-(-len(data) // 4096) * 4096 for data in good.after.values())
        room = chance.randrange(sizes // 4096 + 1) * 4096
        prepare = None
        filler = shop.home / "out" / ".coreflens-0123456789abcdef"
        if mounted:
            _fill(filler, room)
        else:
            limit = chance.randrange(1 + max(map(len, good.after.values()), default=0))

            def prepare() -> None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        ran = shop.run(line, prepare)
        ran.files.pop(filler.name, None)
        found = [f"{room} bytes left on disk: {fault}" for fault in faults(good, ran, (3, 1))]
        if not found and ran.code != good.code and not re.search(r"No space left|File too large|can't be", ran.err):
            found.append(f"it does not say what failed: {ran.err}")
    return found


def _fill(path: Path, room: int) -> None:
    """Fill the disk but for so many bytes."""
    with open(path, "wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 16))
    with open(path, "ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 12))
    size = path.stat().st_size
    os.truncate(path, max(0, size // 4096 * 4096 - room))


def memory_short(shop: Workshop, line: str, chance: random.Random) -> list[str]:
    """So many bytes may be taken beside what the process has at its start."""
    good = shop.good(line)
    shop.fresh(good.before)
    more = chance.randint(1 << 20, 100 << 20)

    def prepare() -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return [f"{more >> 20} MB: {fault}" for fault in faults(good, shop.run(line, prepare), (3, 1))]


def without_rights() -> None:
    """Become an ordinary user in what counts here: the modes of files hold, also if root started this."""
    import ctypes

    class Header(ctypes.Structure):
        _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))

    none = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable capabilities, twice 32 bits
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(28, 1, 0, 0, 0)  # PR_SET_SECUREBITS, SECBIT_NOROOT: programs that it starts get no rights either
    if library.capset(ctypes.byref(Header(0x20080522, 0)), none):
        raise OSError(ctypes.get_errno(), "capset")


def read_only(shop: Workshop, line: str, chance: random.Random) -> list[str]:
    """An ordinary user may not write to out/."""
    good = shop.good(line)
    if not good.changes:
        return []
    shop.fresh(good.before)
    folders = [shop.home / "out", *(path for path in (shop.home / "out").rglob("*") if path.is_dir())]
    for path in (shop.home / "out").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for folder in folders:
        folder.chmod(0o555)
    try:
        ran = shop.run(line, without_rights)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    found = [f"read-only: {fault}" for fault in faults(good, ran, (3, 1))]
    if ran.files != good.before:
        found.append("read-only: out/ was changed")
    return found


def unreadable(shop: Workshop, line: str, chance: random.Random) -> list[str]:
    """An ordinary user may not read one of the inputs."""
    inputs = [word.partition("=")[2] or word for word in line.split() if "in/" in word]
    if not inputs:
        return []
    secret = shop.home / chance.choice(inputs)
    good = shop.good(line)
    shop.fresh(good.before)
    (shop.home / "out").chmod(0o777)
    mode = secret.stat().st_mode & 0o777
    secret.chmod(0)
    try:
        ran = shop.run(line, without_rights)
    finally:
        secret.chmod(mode)
        (shop.home / "out").chmod(0o755)
    if ran.code == 1 and f"{secret.name}: can't be read" in ran.err:  # one of several failed
        return []
    found = [f"{secret.name} unreadable: {fault}" for fault in faults(good, ran, (3,))]
    if not found and ran.code == good.code:
        found.append(f"{secret.name} is unreadable, but the exit code is {ran.code}")
    return found


def two_writers(shop: Workshop, line: str, chance: random.Random) -> list[str]:
    """The same line twice at the same time."""
    good = shop.good(line)
    if not good.changes:
        return []
    shop.fresh(good.before)
    first = Process(shop.home, line)
    time.sleep(chance.uniform(0, good.seconds / 2))
    second = Process(shop.home, line)
    ran, other = first.end(), second.end()
    found = []
    files = contents(shop.home / "out")
    for one in (ran, other):
        found += [f"two writers: {fault}" for fault in faults(good, one._replace(files=files), (2, 3))]
    if good.code not in (ran.code, other.code):
        found.append(f"two writers: both failed: {ran.err} {other.err}")
    return found


def closed(shop: Workshop, line: str, chance: random.Random) -> list[str]:
    """stdin, or stdout, is closed."""
    good = shop.good(line)
    number = chance.choice((0, 1))
    shop.fresh(good.before)

    def prepare() -> None:
        if number:
            sys.stdout.close()
            sys.stdout = None
        else:
            sys.stdin.close()
            sys.stdin = None
        os.close(number)

    ran = shop.run(line, prepare)
    if number == 0:
        return [f"stdin closed: {fault}" for fault in faults(good, ran, ())]
    found = [f"stdout closed: {fault}" for fault in faults(good, ran, (3,))]
    if ran.code != 3 or "standard output is closed" not in ran.err:
        found.append(f"stdout closed: {ran.code}: {ran.err}")
    if ran.files != good.before:
        found.append("stdout closed: out/ was changed")
    return found


KINDS: dict[str, Callable[[Workshop, str, random.Random], list[str]]] = {
    "killed": killed,
    "worker killed": worker_killed,
    "disk full": disk_full,
    "memory short": memory_short,
    "read-only": read_only,
    "unreadable": unreadable,
    "two writers": two_writers,
    "closed": closed,
}


def applies(kind: str, line: str) -> bool:
    """Whether a kind of fault can happen to a line at all."""
    return "--jobs 2" in line if kind == "worker killed" else True


def damaged_input(shop: Workshop, name: str, line: str, chance: random.Random) -> list[str]:
    """A file that is not text, damaged."""
    from fuzz_readers import damaged

    name = name.strip()
    target = shop.home / "in" / f"damaged{Path(name).suffix}"
    target.write_bytes(damaged((shop.home / name).read_bytes(), chance))
    shop.fresh({})
    line = line.format(f"in/{target.name}")
    good = Good(0, 0, {}, {}, 0, frozenset())
    ran = shop.run(line)
    files = {} if ran.code == 0 else ran.files
    return [f"damaged: {fault}" for fault in faults(good, ran._replace(files=files), (1, 2, 3))]
