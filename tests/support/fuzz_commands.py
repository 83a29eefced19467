"""Runs all commands with random options on good, damaged and odd files: `python bench/fuzz.py --minutes 10`.

Whatever is given to a command, it ends with one of the exit codes that are documented, in time, in bounded memory, and
leaves its inputs as they were. Seed and number tell each run; options come from the commands themselves, so that a new
one is covered at once.
"""

from __future__ import annotations

import gzip
import io
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import click

from command import conll
from coreflens.cli import main
from fuzz_readers import damaged
from registry import commands
from samples import OWN

SECONDS = 20  # of the processor, for one run
MEMORY = 4 << 30
CODES = (0, 1, 2, 3)
SCORER_CODES = tuple(range(256))  # conll-scorer has those of the original, among them errors of the system
WRITERS = ("convert", "resolve", "task", "conll-scorer", "diagnose", "bundle")  # whose stdout may be a file's text
LEFT_OUT = {"open_", "jobs", "again"}  # they start a browser or other processes
_KEY = conll("(1)|(2", "(3)", "2)", "-", "(1)", name="nw/a") + conll("(1)", "(1)", "(2)", name="bc/b", part=1)
_RESPONSE = conll("(1)", "(3)", "(2)", "(1)", "(1)", name="nw/a") + conll("(1)", "-", "(1)", name="bc/b", part=1)
_FILES = {
    "key.conll": _KEY,
    "response.conll": _RESPONSE,
    "other.conll": _RESPONSE.replace("(3)", "(1)"),
    "labels.csv": "document,topic\nnw/a,x\nbc/b,y\n",
    "manifest.toml": 'key = "key.conll"\n[[system]]\nname = "a"\nfiles = "response.conll"\n',
    "published.csv": "system,track,MUC,blanc.f1,AVG\nlee,closed,59.6,60,51.5\n",
    "scores.csv": "system,muc,bcub,lea\na,50,60,70\nb,51,61,71\nc,49,66,68\n",
    "ids.txt": "bc/cctv/00/cctv_0000\nbc/cctv/00/cctv_0001\nnw/wsj/00/wsj_0001\n",
    "skeletons/a.v4_gold_skel": "#begin document (nw/a); part 000\nnw/a 0 0 [WORD] NN (1)\n\n#end document\n",
    "trees/nw/a.parse": "(TOP (NN dog))\n",
    "layers/a.coref": '<DOC DOCNO="a"><TEXT PARTNO="000">\n<COREF ID="1" TYPE="IDENT">dog</COREF>\n</TEXT></DOC>\n',
    "layers/a.parse": "(TOP (NN dog))\n",
}
_WORDS = (
    "",
    "-",
    "0",
    "1",
    "-1",
    "nan",
    "1e999",
    "9" * 5000,
    "x",
    "a=b",
    "conll",
    "muc=50",
    "lea=0.5",
    "\x1b[2J",
    "é" * 300,
)
_NUMBERS = ("0", "1", "2", "3", "7", "20", "-1", "1.5", "x")
_NAMES = ("metrics", "formats", "sets", "muc", "ceafe", "table", "conll-2012", "x")  # what `list` and `show` know
_PLACES = (
    "out.conll",
    "out.jsonl",
    "out.html",
    "out.svg",
    "out.csv",
    "out.gz",
    "out/",
    "-",
    "sub/out.conll",
    "/dev/null",
)
_ODD = ("none", "", "-", ".", "*.conll", "no/x", "key.conll/x", "/dev/null", "dir", "a" * 300, "[")


class Run(NamedTuple):
    number: int
    arguments: list[str]
    code: object
    out: str
    err: str
    seconds: float


class Workshop:
    """A directory with files to read, good and damaged."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        for name, text in _FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        (folder / "dir").mkdir()
        for n, text in enumerate((_KEY, _RESPONSE.replace("nw/a", "nw/c").replace("bc/b", "bc/d"))):
            (folder / "dir" / f"{n}.conll").write_text(text)
        (folder / "key.conll.gz").write_bytes(gzip.compress(_KEY.encode()))
        with zipfile.ZipFile(folder / "key.zip", "w", chance.choice((0, 8, 12, 14))) as archive:
            archive.writestr("key.conll", _KEY)
        self.good = [*_FILES, "dir", "key.conll.gz", "key.zip", "skeletons", "trees", "layers"]
        self.damaged: list[str] = []
        for n in range(6):
            name = chance.choice([x for x in self.good if (folder / x).is_file()])
            self.damaged.append(f"damaged{n}{''.join(Path(name).suffixes)}")
            (folder / self.damaged[-1]).write_bytes(damaged((folder / name).read_bytes(), chance))
        for n, sample in enumerate(chance.sample(list(OWN), 3)):
            data = damaged(sample.data, chance) if chance.random() < 0.5 else sample.data
            (folder / f"sample{n}").write_bytes(data)
            self.damaged.append(f"sample{n}")

    def any(self, chance: random.Random) -> str:
        kinds: list[Sequence[str]] = [("key.conll", "response.conll"), self.good, self.damaged, _ODD]
        return chance.choice(chance.choices(kinds, (40, 20, 33, 7))[0])

    def content(self) -> dict[str, bytes]:
        """What may not change; outputs are called `out` something."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file()
            and not any(part.startswith("out") or part == "sub" for part in path.relative_to(self.folder).parts)
        }


def value(option: click.Parameter, workshop: Workshop, chance: random.Random) -> str:
    """Something for an option, fitting or not."""
    kind = option.type
    if chance.random() < 0.1:
        return chance.choice(_WORDS)
    if isinstance(kind, click.Choice):
        return chance.choice([str(choice) for choice in kind.choices])
    if isinstance(kind, (click.types.IntParamType, click.types.FloatParamType)) or kind.name == "size":
        return chance.choice(_NUMBERS)
    if isinstance(kind, click.Path):
        written = option.name in ("plot", "target", "save_counts", "write", "directory")
        return chance.choice(_PLACES) if written else workshop.any(chance)
    if option.name in ("by", "stratify", "scope"):
        return chance.choice(("document", "genre", "part", "labels.csv", "labels.csv:topic", workshop.any(chance)))
    if option.name in ("metrics", "against", "match"):
        return chance.choice(("muc", "conll", "all", "lea,blanc", "nonsense", "exact", workshop.any(chance)))
    return chance.choice(_WORDS)


def arguments(seed: int, number: int, workshop: Workshop, chance: random.Random) -> list[str]:
    """The words of a command line."""
    known = commands()
    name = list(known)[number % len(known)]
    words = name.split()
    given: list[str] = []
    for parameter in known[name].params:
        if isinstance(parameter, click.Argument):
            many = chance.choice((1, 2, 3)) if parameter.nargs < 0 else 1
            output = parameter.name in ("target", "out")
            words_of = name in ("list", "show") and chance.random() < 0.8
            choices = _PLACES if output else _NAMES
            given += [chance.choice(choices) if output or words_of else workshop.any(chance) for _ in range(many)]
            continue
        assert isinstance(parameter, click.Option)
        wanted = parameter.required or chance.random() < 0.05
        if not wanted or parameter.name in LEFT_OUT:
            continue
        flag = parameter.opts[-1]
        words += [flag] if parameter.is_flag else [flag, value(parameter, workshop, chance)]
    if name == "conll-scorer":
        given = [chance.choice(("all", "muc", "blanc", "x")), *(workshop.any(chance) for _ in range(2))]
    if name == "view":
        given += chance.choice((["out.html"], ["out.htm"], ["out"], []))
    if name == "task assemble":
        given = ["skeletons", "trees", "out"]
        words += ["--jobs", "1"]
    return [*words, *given]


def _late(_: int, __: FrameType | None) -> None:
    raise TimeoutError(f"more than {SECONDS} s of the processor")


def run(words: Sequence[str], number: int = 0) -> Run:
    """One command in this process, in the current directory."""
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    out, err = (
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace", write_through=True) for _ in range(2)
    )
    sys.argv = ["coreflens", *words]
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(_KEY.encode())), out, err
    code: object = 0
    started = time.perf_counter()
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            main()
    except SystemExit as stop:
        code = stop.code or 0
    except BaseException:
        code = traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before
    shown, said = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err))
    return Run(number, list(words), code, shown, said, time.perf_counter() - started)


def faults(ran: Run) -> Iterator[str]:
    allowed = SCORER_CODES if ran.arguments[:1] == ["conll-scorer"] else CODES
    if ran.code not in allowed:
        yield f"exit code {ran.code}"
    if "Traceback" in ran.err or "bug in coreflens" in ran.err:
        yield ran.err[-1500:]
    if ran.arguments[0] not in WRITERS and "\x1b" in ran.out + ran.err:
        yield "an escape character was sent"


def fuzz(seed: int, numbers: Iterator[int], log: Callable[[str], None]) -> tuple[Counter[str], int]:
    """How often commands ended with each code, and how many runs were faulty."""
    counts: Counter[str] = Counter()
    failures = 0
    home = os.getcwd()
    folder = Path(tempfile.mkdtemp(prefix="coreflens-fuzz-"))
    try:
        for number in numbers:
            chance = random.Random(f"{seed} {number}")
            shutil.rmtree(folder / "w", ignore_errors=True)
            (folder / "w").mkdir()
            workshop = Workshop(folder / "w", chance)
            os.chdir(workshop.folder)
            words = arguments(seed, number, workshop, chance)
            before = workshop.content()
            ran = run(words, number)
            found = list(faults(ran))
            after = workshop.content()
            if any(after.get(name) != content for name, content in before.items()):
                found.append("an input changed")
            if found:
                failures += 1
                log(f"--seed {seed} --first {number}: coreflens {' '.join(words)[:500]!r}\n" + "\n".join(found))
            counts[f"{words[0]} {ran.code if isinstance(ran.code, int) else 'failed'}"] += 1
            counts["slowest, ms"] = max(counts["slowest, ms"], int(1000 * ran.seconds))
    finally:
        os.chdir(home)
        shutil.rmtree(folder, ignore_errors=True)
    return counts, failures


def limited() -> None:
    """A limit of memory for the process."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
