"""scorer.pl v8.01, the reference scorer of CoNLL-2011/2012, line for line.

Only this package imitates it: its reading (reading.py, identification.py), its arithmetic (scoring.py, munkres.py), its
output (printing.py), and what it remembers from metric to metric (session.py), including the faults. Notes about the
faults and the right numbers go to stderr (notes.py). Everything else in coreflens follows the papers.

    run(["all", "key.conll", "response.conll", "none"], sys.stdout, sys.stderr)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import realpath
from typing import TextIO

from .notes import notes
from .printing import USAGE
from .reading import Stop
from .scoring import METRICS
from .session import Session

__all__ = ["run"]


def run(arguments: Sequence[str], out: TextIO, err: TextIO) -> int:
    """Do as `scorer.pl ARGUMENTS` does and return its exit code; notes go to `err` unless `--quiet` is among them."""
    quiet = "--quiet" in arguments
    arguments = [argument for argument in arguments if argument != "--quiet"]
    out.write(f"version: 8.01 {realpath(__file__)}\n")
    if len(arguments) < 3:
        out.write(USAGE)
        return 0
    metric, key, response = arguments[:3]
    document = arguments[3] if len(arguments) > 3 else None
    if not re.match(f"(?i)({'|'.join(METRICS)}|all)", metric):
        out.write("Invalid metric\n")
        return 0
    session = Session(key, response, document, out, list(METRICS) if metric == "all" else [metric.lower()])
    code = 0
    try:
        for name in session.metrics:
            if metric == "all":
                out.write(f"\nMETRIC {name}:\n")
            session.score(name)
    except Stop as stop:
        session.stop, code = stop, stop.code
        out.flush()
        err.write(stop.message + "\n")
    if not quiet:
        out.flush()
        err.writelines(f"coreflens: note: {note}\n" for note in notes(session))
    return code
