"""From bracketed trees, as in `.parse` files, to parse bits and back.

    (TOP (S (NP-SBJ (DT The) (NN cat)) (VP (VBZ sits)) (. .)))

A tree may extend over many lines, and its root may have no label. Reading can leave out what column formats leave out:
traces (leaves tagged -NONE-), whole phrases such as EDITED, and constituents of which nothing is left.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ..errors import InputError

_PIECE = re.compile(r"[()]|[^\s()]+")
TRACE = "-NONE-"


class Leaf(NamedTuple):
    """A word, its tag, its bit of the tree, and its line."""

    word: str
    tag: str
    bit: str
    line: int


def read_trees(text: str, name: str = "", *, without: Collection[str] = (TRACE,)) -> Iterator[list[Leaf]]:
    """The sentences of a treebank file, without leaves and phrases of these labels; some may have no leaf left."""
    kept: list[list[str]] = []  # word, tag, bit
    lines: list[int] = []
    stack: list[str] = []
    pending: list[str] = []  # open phrases that have no word yet
    hidden = 0  # open phrases that are left out
    word = ""
    expect_label = False
    line, counted = 1, 0
    opened = 1
    for piece in _PIECE.finditer(text):
        what = piece[0]
        line += text.count("\n", counted, piece.start())
        counted = piece.start()
        if what == "(":
            if expect_label:
                stack.append("")  # the root of some treebanks
                pending.append("")
            if not stack and not expect_label:
                opened = line
            expect_label = True
        elif what == ")":
            if not stack or expect_label:
                raise InputError("this bracket closes nothing", file=name or None, line=line)
            label = stack.pop()
            hidden -= label in without
            if word:  # a leaf
                pending.pop()
                if not hidden and label not in without:
                    kept.append([word, label, "".join(f"({p}" for p in pending if p) + "*"])
                    lines.append(line)
                    pending = []
                word = ""
            elif pending:  # a phrase of which nothing is left
                pending.pop()
            elif label and kept:
                kept[-1][2] += ")"
            if not stack:
                yield [Leaf(w, t, b, n) for (w, t, b), n in zip(kept, lines, strict=True)]
                kept, lines, pending = [], [], []
        elif expect_label:
            stack.append(what)
            pending.append(what)
            hidden += what in without
            expect_label = False
        elif stack and not word:
            word = what
        else:
            shown = f"'{what[:40]}' is not in any tree" if not stack else f"'{what[:40]}' has no tag"
            raise InputError(shown, file=name or None, line=line)
    if stack or expect_label:
        raise InputError("this tree is never closed", file=name or None, line=opened)


def tree(words: Sequence[str], tags: Sequence[str], bits: Sequence[str], *, indent: bool = True) -> str:
    """The tree of a sentence: its bits with `(tag word)` for `*`, one line per phrase."""
    flat = " ".join(
        bit.replace("(", " (").replace("*", f" ({tag} {word})", 1).strip()
        for word, tag, bit in zip(words, tags, bits, strict=True)
    )
    return _indented(flat) if indent else re.sub(r" +", " ", flat).replace(" )", ")")


def _indented(flat: str) -> str:
    """One line for each phrase that has only words, with deeper phrases further to the right."""
    depth = 0
    out: list[str] = []
    pieces = re.findall(r"\([^\s()]+ [^\s()]+\)|\([^\s()]*|\)", flat)
    for place, piece in enumerate(pieces):
        if piece == ")":
            depth -= 1
            out.append(")")
            continue
        phrase = not piece.endswith(")")
        if place and phrase:
            out.append("\n" + "  " * depth)
        elif place:
            out.append(" ")
        out.append(piece)
        depth += phrase
    return "".join(out)
