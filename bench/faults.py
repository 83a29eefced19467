"""Every command under faults, for as long as one likes: `python bench/faults.py --rounds 5 --seed 2`.

tests/support/fault_runs.py says what is done and what has to hold. The command lines are in
tests/support/fault_examples.py. In each round, each line meets one fault of each kind.
A failure is printed with its line, kind, seed and round.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "docs")]


def main() -> int:
    from fault_examples import EXAMPLES, READERS, STORE, command_of, lacking
    from fault_runs import KINDS, Workshop, applies, damaged_input
    from registry import commands

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=[*KINDS, "damaged"], help="only this kind of fault")
    parser.add_argument("--line", default="", help="only lines that begin so")
    parser.add_argument("--short", action="store_true", help="one line of each command, and one fault of each line")
    parser.add_argument("--no-store", action="store_true", help="without commands that write databases")
    given = parser.parse_args()
    if missing := lacking(commands()):
        parser.error(f"no example in tests/support/fault_examples.py: {', '.join(missing)}")
    lines = [line for line in EXAMPLES if line.startswith(given.line)]
    if given.no_store:
        lines = [line for line in lines if command_of(line) not in STORE]
    if given.short:
        lines = list({command_of(line): line for line in reversed(lines)}.values())
    kinds = given.kind or [*KINDS, "damaged"]
    counts: Counter[str] = Counter()
    failures = 0
    home = Path(tempfile.mkdtemp(prefix="coreflens-faults-"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing stays mounted

    def report(what: str, kind: str, number: int, found: list[str]) -> None:
        nonlocal failures
        counts[kind] += 1
        failures += bool(found)
        for fault in found:
            print(f"--seed {given.seed}, round {number}, {kind}: {what}\n    {fault}", file=sys.stderr, flush=True)

    try:
        shop = Workshop(home)
        for number in range(given.rounds):
            for place, kind in enumerate(kinds):
                for order, line in enumerate(lines if kind in KINDS else ()):
                    if applies(kind, line) and not (given.short and (order + place) % len(KINDS)):
                        chance = random.Random(f"{given.seed} {number} {kind} {line}")
                        report(line, kind, number, KINDS[kind](shop, line, chance))
                for name, line in READERS.items() if kind == "damaged" else ():
                    chance = random.Random(f"{given.seed} {number} {name} {line}")
                    report(f"{name}: {line}", kind, number, damaged_input(shop, name, line, chance))
    finally:
        shutil.rmtree(home, ignore_errors=True)
        sys.stdout.write("".join(f"{kind}: {count}\n" for kind, count in sorted(counts.items())))
        sys.stdout.write(f"{counts.total()} runs, seed {given.seed}, {failures} failures\n")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
