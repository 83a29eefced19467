"""Commands that read words, explain or draw, against `score`: `python bench/commands.py [--cpu] [PAIR...]`.

    dev, large         CoNLL of made-up words, 12 and 100 MB per side
    parsed, forest     CoNLL with trees, 18 MB of key and 6 of response, 100 and 34
    corefud, library   CoNLL-U with CorefUD's coreference, 9 and 100 MB per side
    systems            30 systems on the key of dev
    memory             peak memory of `score`: 1 GB per side, one document of 500 MB per side (takes 3 GB of disk)

Whole processes, the best of several rounds in turns with `score`, with their ratio to it and their peak memory.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator
from itertools import count
from pathlib import Path

from processes import Command, best, run, snapshot
from table import Row

HERE = Path(__file__).parent
# command → arguments (K, R and O stand for the files), and what it is to cost at most, as many times as `score`
TARGETS: dict[str, tuple[str, str]] = {
    "validate, one file": ("validate K --severity error", "≤2.5"),
    "describe, one file": ("describe K", "≤3"),
    "convert to jsonlines": ("convert K O.jsonl --lossy", "≤4"),
    "convert to CoNLL": ("convert K O.conll --lossy", "≤4"),
    "pair": ("pair K R", "≤3.5"),
    "explain -m muc": ("explain K R -m muc", "≤4"),
    "explain -m bcub": ("explain K R -m bcub", "≤4"),
    "explain -m ceafe": ("explain K R -m ceafe", "≤4"),
    "explain -m blanc": ("explain K R -m blanc", "≤4"),
    "explain -m lea": ("explain K R -m lea", "≤4"),
    "diagnose": ("diagnose K R", "≤5"),
    "view": ("view K R O.html", "≤10"),
}
CAP = 120.0  # seconds after which a command is stopped
LARGE_PAIRS = ("large", "forest", "library")  # where a page may cost twice as much
PAIRS = {
    "dev": "dev pair (CoNLL, 12 MB per side)",
    "parsed": "parsed pair (CoNLL with trees, 18 and 6 MB)",
    "corefud": "CorefUD pair (9 MB per side)",
    "large": "large pair (CoNLL, 100 MB per side)",
    "forest": "large parsed pair (CoNLL with trees, 100 and 34 MB)",
    "library": "large CorefUD pair (100 MB per side)",
}


def files(folder: Path) -> tuple[Path, Path]:
    suffix = ".conllu" if (folder / "key.conllu").exists() else ".conll"
    return folder / f"key{suffix}", folder / f"response{suffix}"


def command(folder: Path, words: str) -> Command:
    key, response = files(folder)
    known = {"K": str(key), "R": str(response)}
    rest = [known.get(word) or word.replace("O.", f"{folder}/out.") for word in words.split()]
    return [sys.executable, "-m", "coreflens", *rest]


def against_score(folder: Path, rounds: int, only: Collection[str] = ()) -> Iterator[Row]:
    """Each command in turns with `score`."""
    what, factor = PAIRS[folder.name], 1.5 if folder.name in ("corefud", "library") else 1.0
    score = command(folder, "score K R")
    for name, (words, target) in TARGETS.items():
        if only and name.split(",")[0].split()[0] not in only and name not in only:
            continue
        if name.startswith("describe") and folder.name in ("dev", "large"):
            continue  # their bits make no trees
        limit = factor * float(target[1:]) * (2 if name == "view" and folder.name in LARGE_PAIRS else 1)
        found = best(rounds, {"score": score, "other": command(folder, words)}, CAP)
        ours, base = found["other"], found["score"]
        ratio, cpu = ours.seconds / base.seconds, ours.cpu / base.cpu
        note = f"processor time {cpu:.2f} ×, {ours.cpu:.2f} s, {ours.megabytes:.0f} MB"
        note += "" if ours.finished else f"; stopped after {CAP:.0f} s, so at least"
        yield Row(f"{what}: {name}, against score", ratio, "×", f"≤{limit:g}", note)
    for file in folder.glob("out.*"):
        file.unlink()


def systems(out: Path, rounds: int) -> Iterator[Row]:
    """30 systems on one key: the response of the pair, each with other mentions taken away."""
    folder, source = out / "systems", out / "dev" / "response.conll"
    folder.mkdir(exist_ok=True)
    data = source.read_bytes()
    names = [folder / f"system{n:02}.conll" for n in range(30)]
    for n, name in enumerate(names):
        if not name.exists():
            cell = f" ({n + 3})\n"
            name.write_bytes(data.replace(cell.encode(), "-\n".rjust(len(cell)).encode()))
    key = str(out / "dev" / "key.conll")
    many = [sys.executable, "-m", "coreflens", "compare", key, *map(str, names)]
    found = best(rounds, {"score": command(out / "dev", "score K R"), "compare": many})
    note = f"processor time {found['compare'].cpu / found['score'].cpu:.2f} ×, {found['compare'].megabytes:.0f} MB"
    ratio = found["compare"].seconds / found["score"].seconds
    yield Row("dev pair: compare, 30 systems, against score", ratio, "×", "≤6", note)


def memory(out: Path) -> Iterator[Row]:
    """The peak memory of `score` on large files, each the copies of a smaller one; the files are removed afterwards."""
    folder = out / "memory"
    megabytes: dict[str, float] = {}
    for name, pair, size, target in (
        ("1 GB per side, many documents", "dev", 1 << 30, "≤1500"),
        ("one document of 250 MB per side", "book", 250_000_000, ""),
        ("one document of 500 MB per side", "book", 500_000_000, "≤2000"),
    ):
        folder.mkdir(exist_ok=True)
        for side in ("key", "response"):
            repeat(out / pair / f"{side}.conll", folder / f"{side}.conll", size, one=pair == "book")
        found = run(command(folder, "score K R"))
        shutil.rmtree(folder)
        megabytes[name] = found.megabytes
        yield Row(f"{name}: score, peak memory", found.megabytes, "MB", target, f"processor time {found.cpu:.2f} s")
    *_, half, whole = megabytes.values()
    yield Row("one document of 500 MB per side: memory, against 250 MB", whole / half, "×", "≤2.1")


def repeat(source: Path, target: Path, size: int, one: bool) -> None:
    """Write copies of a file until there are `size` bytes: as more documents, or all as one with other entities."""
    data = source.read_bytes()
    begin, end = (data.partition(b"\n")[0] + b"\n", b"#end document\n") if one else (b"", b"")
    middle = data.removeprefix(begin).removesuffix(end)
    with target.open("wb") as file:
        file.write(begin)
        for copy in count():
            if one:
                file.write(re.sub(rb"\(\d+|\d+(?=\))", rb"\g<0>c%d" % copy, middle))
            else:
                file.write(middle.replace(b"#begin document (", b"#begin document (%d/" % copy))
            if file.tell() >= size:
                break
        file.write(end)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", default=["dev", "parsed", "corefud"], help="of those above")
    parser.add_argument("--cpu", action="store_true", help="processor time instead of wall time")
    parser.add_argument("--rounds", type=int, default=2, help="rounds to take the best of, after a warm-up (2)")
    parser.add_argument("--only", default="", help="commands, with commas between them")
    given = parser.parse_args()
    out = HERE / "out"
    behind = {"systems": ["dev"], "memory": ["dev", "book"]}
    needed = [name for pair in given.pairs for name in behind.get(pair, [pair])]
    subprocess.run([sys.executable, str(HERE / "generate.py"), str(out), *needed], check=True)
    print(f"coreflens {snapshot()}")
    only = {*filter(None, given.only.split(","))}
    for pair in given.pairs:
        if pair == "memory":
            made = memory(out)
        else:
            made = systems(out, given.rounds) if pair == "systems" else against_score(out / pair, given.rounds, only)
        for row in made:
            print(row, flush=True)


if __name__ == "__main__":
    main()
