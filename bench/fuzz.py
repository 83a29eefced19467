"""All commands on random input, for as long as one likes: `python bench/fuzz.py --minutes 10`.

tests/support/fuzz_commands.py says what is done. A run that fails is printed with its seed and number, and
`--seed S --first N --count 1` repeats it; it then becomes a fixed case in tests/cli/test_fuzz_commands.py.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "docs")]


def main() -> int:
    from fuzz_commands import fuzz, limited

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--count", type=int, help="so many runs, whatever the time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    given = parser.parse_args()
    end = time.monotonic() + 60 * given.minutes

    def numbers() -> Iterator[int]:
        for number in itertools.count(given.first):
            if number - given.first >= given.count if given.count is not None else time.monotonic() > end:
                return
            yield number

    limited()
    counts, failures = fuzz(given.seed, numbers(), lambda text: print(text, file=sys.stderr, flush=True))
    runs = sum(count for name, count in counts.items() if not name.startswith("slowest"))
    sys.stdout.write("".join(f"{name}: {count}\n" for name, count in sorted(counts.items())))
    sys.stdout.write(f"{runs} runs, seed {given.seed}, {failures} failures\n")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
