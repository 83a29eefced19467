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

_PIECE = re.compile(r"[()\n]|[^\s()]+")
TRACE = "-NONE-"


class Leaf(NamedTuple):
    """A word, its tag, its bit of the tree, and its line."""

    word: str
    tag: str
    bit: str
    line: int


def read_trees(text: str, name: str = "", *, without: Collection[str] = (TRACE,)) -> Iterator[list[Leaf]]:
    """The sentences of a treebank file, without leaves and phrases of these labels; some may have no leaf left."""
    tree = _OpenTree(without)
    line = 1
    first_line = 1  # of the tree
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece == "\n":
            line += 1
        elif piece == "(":
            if not tree.labels and not tree.expects_label:
                first_line = line
            tree.open(name, line)
        elif piece == ")":
            if not tree.labels or tree.expects_label:
                raise InputError("this bracket closes nothing", file=name or None, line=line)
            tree.close(line)
            if not tree.labels:
                yield tree.sentence()
                tree = _OpenTree(without)
        elif tree.expects_label:
            tree.label(piece)
        elif tree.labels and not tree.word:
            tree.word = piece
        else:
            why = "has no tag" if tree.labels else "is not in any tree"
            raise InputError(f"'{piece[:40]}' {why}", file=name or None, line=line)
    if tree.labels or tree.expects_label:
        raise InputError("this tree is never closed", file=name or None, line=first_line)


class _OpenTree:
    """A tree that is being read, piece by piece.

    labels         of the open phrases, the innermost last
    pending        of the open phrases that have no word yet
    hidden         how many open phrases are left out
    word           of the leaf that is open
    expects_label  a bracket was opened, and its label comes next
    """

    def __init__(self, without: Collection[str]) -> None:
        self.without = without
        self.labels: list[str] = []
        self.pending: list[str] = []
        self.hidden = 0
        self.word = ""
        self.expects_label = False
        self._leaves: list[tuple[str, str, int]] = []  # word, tag, line
        self._bits: list[str] = []

    def open(self, name: str, line: int) -> None:
        if self.word:
            message = f"a bracket inside the word '{self.word[:40]}'"
            hint = "in trees, brackets of words are written as -LRB- and -RRB-"
            raise InputError(message, file=name or None, line=line, hint=hint)
        if self.expects_label:  # the root of some treebanks has no label
            self.label("")
        self.expects_label = True

    def label(self, label: str) -> None:
        self.labels.append(label)
        self.pending.append(label)
        self.hidden += label in self.without
        self.expects_label = False

    def close(self, line: int) -> None:
        label = self.labels.pop()
        self.hidden -= label in self.without
        if self.word:
            self.pending.pop()
            self._close_leaf(label, line)
        elif self.pending:  # a phrase of which nothing is left
            self.pending.pop()
        elif label and self._bits:
            self._bits[-1] += ")"

    def _close_leaf(self, tag: str, line: int) -> None:
        if not self.hidden and tag not in self.without:
            self._leaves.append((self.word, tag, line))
            self._bits.append("".join(f"({label}" for label in self.pending if label) + "*")
            self.pending = []
        self.word = ""

    def sentence(self) -> list[Leaf]:
        return [Leaf(word, tag, bit, line) for (word, tag, line), bit in zip(self._leaves, self._bits, strict=True)]


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
