"""Programs that experiments run: a made-up system whose best setting is known, and programs that misbehave."""

from __future__ import annotations

import sys
from pathlib import Path

from command import conll

# In each document the made-up system takes one more mention out of a chain for each half step away from w = 3.
DOCUMENTS = 8
CELLS = ("(0)", "-", "(0)", "(1)", "(1)", "(0)", "(0)", "(1)", "(0)", "(0)", "(0)")
KEY = "".join(conll(*CELLS, name=f"nw/d{d}") for d in range(DOCUMENTS))
MADE_UP = """
import sys, time
w, v, source, target = float(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
key = open({key!r}).read()
if v == "fails": sys.exit("no such luck")
if v == "hangs": time.sleep(600)
if v == "silent": sys.exit(0)
if v == "nonsense": key = "\\x00 this is not a response"
if v == "truncated": key = key[: len(key) // 2]
if v == "slow": time.sleep(0.3)
wrong = round(2 * abs(w - 3))
parts = key.split("#end document")
for d in range(len(parts)):
    for n in range(wrong):
        parts[d] = parts[d].replace("(0)", f"({{20 + n}})", 1)
open(target, "w").write("#end document".join(parts))
"""


def made_up(folder: Path) -> tuple[Path, str]:
    """The key as a file, and the command line of the system."""
    key, program = folder / "key.conll", folder / "made_up.py"
    key.write_text(KEY)
    program.write_text(MADE_UP.format(key=str(key)))
    return key, f"'{sys.executable}' '{program}' {{w}} {{v}} {{input}} {{output}}"
