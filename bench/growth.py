"""How costs grow with the input, on shapes that invite squares: `python bench/growth.py [--largest N] [NAME...]`.

    crossing   validate, mentions that all cross each other
    document   validate, convert and score, one long CoNLL document (sizes in MB)
    entities   conll-scorer all, so many entities in one document
    tied       diagnose, entities of equal sizes that all hang together
    repeated   score --protocol conll-2012, key mentions that are all in two entities: BLANC's links
    digits     score, a counts file with a number of so many digits in its exponent: refused

Each is run at sizes that double. Printed are processor time and peak memory of the process, and how often the last
size has those of the one before: about 2 is linear, 4 is a square. It is for people to read, and never a test.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src"


class Case(NamedTuple):
    """What is written for a size, and the commands that get it."""

    sizes: tuple[int, ...]
    write: Callable[[Path, int], None]
    commands: tuple[str, ...]


def conll(path: Path, cells: Iterator[str]) -> None:
    """One document with these cells of coreference, sentences of twenty words."""
    with path.open("w", encoding="utf-8") as out:
        out.write("#begin document (long); part 000\n")
        for n, cell in enumerate(cells):
            out.write(f"long\t0\t{n % 20}\tword{n % 977}\t{cell}\n" + "\n" * (n % 20 == 19))
        out.write("\n#end document\n")


def crossing(folder: Path, size: int) -> None:
    """Mention n goes from word n to word n + size."""
    conll(folder / "key", (f"({n}" if n < size else f"{n - size})" for n in range(2 * size)))


def document(folder: Path, size: int) -> None:
    """A mention in every sixth word, entities of ten."""
    words = size * 45_000  # about a megabyte
    conll(folder / "key", (f"({n // 60})" if n % 6 == 0 else "-" for n in range(words)))
    conll(folder / "response", (f"({n // 48})" if n % 6 == 0 else "-" for n in range(words)))


def entities(folder: Path, size: int) -> None:
    """Entities of two mentions; those of the response are one mention further."""
    conll(folder / "key", (f"({n // 2})" for n in range(2 * size)))
    conll(folder / "response", (f"({(n + n // 40 % 2) // 2})" for n in range(2 * size)))


def tied(folder: Path, size: int) -> None:
    """Every response entity has a half of one key entity and a half of the next."""
    conll(folder / "key", (f"({n // 4})" for n in range(4 * size)))
    conll(folder / "response", (f"({(n + 2) // 4 % size})" for n in range(4 * size)))


def repeated(folder: Path, size: int) -> None:
    """Each mention of the key is in two of its entities."""
    conll(folder / "key", (f"({n // 10})|({size + n % (size // 10)})" for n in range(size)))
    conll(folder / "response", (f"({n // 8})" for n in range(size)))


def digits(folder: Path, size: int) -> None:
    """A counts file that is damaged, and a pair to hold against it."""
    entities(folder, 10)
    words = [sys.executable, "-m", "coreflens", "score", "key", "response", "-m", "muc", "--save-counts", "counts"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    subprocess.run(words, cwd=folder, env=environment, check=True, capture_output=True)
    counts = (folder / "counts").read_text("utf-8")
    (folder / "counts").write_text(re.sub(r"(?<=\n\[)\d+", f"1e{'9' * size}", counts, count=1), "utf-8")


CASES = {
    "crossing": Case((1_000, 2_000, 4_000), crossing, ("validate key",)),
    "document": Case(
        (9, 18, 36), document, ("validate key", "convert key - --to jsonlines", "score key response --format json")
    ),
    "entities": Case((25_000, 50_000, 100_000), entities, ("conll-scorer all key response none",)),
    "tied": Case((1_000, 2_000, 4_000), tied, ("diagnose key response --format json",)),
    "repeated": Case((5_000, 10_000, 20_000), repeated, ("score key response --protocol conll-2012 -m conll,blanc",)),
    "digits": Case((2, 4, 8), digits, ("score key response -m muc --against counts",)),
}


def measured(folder: Path, command: str) -> tuple[float, int, int]:
    """Processor time in seconds, peak memory in MB, exit code."""
    words = [sys.executable, "-m", "coreflens", *command.split()]
    process = subprocess.Popen(
        words,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return used.ru_utime + used.ru_stime, used.ru_maxrss // unit, process.returncode


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CASES)}; all by default")
    parser.add_argument("--largest", type=int, help="add sizes up to this one, each twice the one before")
    given = parser.parse_args()
    if unknown := set(given.names) - set(CASES):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(f"{'case':<10} {'size':>8}  {'seconds':>8} {'times':>6}  {'MB':>6} {'times':>6}  exit  command")
    for name in given.names or CASES:
        case = CASES[name]
        sizes = list(case.sizes)
        while given.largest and 2 * sizes[-1] <= given.largest:
            sizes.append(2 * sizes[-1])
        for command in case.commands:
            before: tuple[float, int] | None = None
            for size in sizes:
                with tempfile.TemporaryDirectory() as folder:
                    case.write(Path(folder), size)
                    seconds, peak, code = measured(Path(folder), command)
                ratios = ["", ""] if before is None else [f"{seconds / before[0]:.2f}", f"{peak / before[1]:.2f}"]
                numbers = f"{seconds:>8.2f} {ratios[0]:>6}  {peak:>6} {ratios[1]:>6}  {code:>4}"
                print(f"{name:<10} {size:>8}  {numbers}  {command}", flush=True)
                before = seconds, peak


if __name__ == "__main__":
    main()
