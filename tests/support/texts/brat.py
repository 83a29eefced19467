"""A text with annotations in brat's stand-off format."""

from __future__ import annotations

TEXT = "Alice lost her keys.\nShe found them; Bob and Carol Bell helped.\n"


def ann(*lines: str) -> str:
    return "".join(line.replace(" | ", "\t") + "\n" for line in lines)


MENTIONS = (
    "T1 | PER 0 5 | Alice",
    "T2 | PER 11 14 | her",
    "T3 | OBJ 11 19 | her keys",
    "T4 | PER 21 24 | She",
    "T5 | OBJ 31 35 | them",
    "T6 | PER 37 40;51 55 | Bob Bell",
)
