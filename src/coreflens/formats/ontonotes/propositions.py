"""Predicates, senses and speakers of OntoNotes: .prop, .sense and .speaker files, one fact per line.

    .prop     DOCUMENT TREE TOKEN ANNOTATOR LEMMA-POS FRAMESET ----- POINTER-LABEL ...
    .sense    DOCUMENT TREE TOKEN LEMMA-POS ... SENSE
    .speaker  START STOP NAME GENDER COMPETENCE, one line per tree

Trees and tokens are counted from 0, traces included. A pointer `5:1` is the constituent one level above token 5; level
0 is the word itself. `5:1*0:2` is a chain of traces and the constituents that they replace. `5:1;7:0` and `5:1,7:0` are
pieces of one argument. The label `rel` marks the predicate, and `LINK-...` links pronouns to their antecedents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...corpus.treebank import TRACE, Leaf
from ...errors import InputError

_POINTERS = re.compile(r"(\d+:\d+(?:[*;,]\d+:\d+)*)-(\S+)")


class Predicate(NamedTuple):
    """A line of a .prop file: labels with their pointers, chains (`*`) of pieces (`;` or `,`)."""

    tree: int
    token: int
    lemma: str
    frameset: str
    arguments: tuple[tuple[str, tuple[tuple[tuple[int, int], ...], ...]], ...]
    line: int


class Sense(NamedTuple):
    """A line of a .sense file."""

    tree: int
    token: int
    lemma: str
    sense: str
    line: int


def read_propositions(content: str, file: str) -> list[Predicate]:
    """The predicates of a .prop file."""
    found = []
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        before, dashes, after = line.partition("-----")
        cells = before.split()
        if not dashes or len(cells) != 6 or not (cells[1].isdecimal() and cells[2].isdecimal()):
            raise InputError(
                "a line of a .prop file must be DOCUMENT TREE TOKEN ANNOTATOR LEMMA FRAMESET -----",
                file=file,
                line=number,
            )
        arguments = []
        for cell in after.split():
            match = _POINTERS.fullmatch(cell)
            if match is None:
                what = f"'{cell[:40]}' is not an argument, such as 5:1-ARG0"
                raise InputError(what, file=file, line=number, column=line.find(cell) + 1)
            chain = tuple(
                tuple((int(a), int(b)) for a, b in (p.split(":") for p in re.split("[;,]", pieces)))
                for pieces in match[1].split("*")
            )
            arguments.append((match[2], chain))
        lemma = re.sub(r"-[a-z]+$", "", cells[4])
        frameset = "" if cells[5] == "-" else cells[5].rpartition(".")[2]
        found.append(Predicate(int(cells[1]), int(cells[2]), lemma, frameset, tuple(arguments), number))
    return found


def read_senses(content: str, file: str) -> list[Sense]:
    """The senses of a .sense file; the last cell counts. If there are several cells, it is that of the adjudicator."""
    found = []
    for number, line in enumerate(content.splitlines(), start=1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) < 5 or not (cells[1].isdecimal() and cells[2].isdecimal()):
            what = "a line of a .sense file must be DOCUMENT TREE TOKEN LEMMA SENSE"
            raise InputError(what, file=file, line=number)
        lemma = re.sub(r"-[a-z]+$", "", cells[3])
        found.append(Sense(int(cells[1]), int(cells[2]), lemma, cells[-1], number))
    return found


def read_speakers(content: str, file: str) -> list[str]:
    """The speaker of each tree; "" if a line names none."""
    found = []
    for number, line in enumerate(content.rstrip("\n").split("\n"), start=1):
        cells = line.split()
        if cells and len(cells) < 3:
            what = "a line of a .speaker file must be START STOP NAME GENDER COMPETENCE"
            raise InputError(what, file=file, line=number)
        found.append("" if not cells or cells[2] in ("-", "?") else cells[2])
    return found


@dataclass
class Tree:
    """A tree with its traces: which leaves are words, and which leaves the constituents above each leaf cover."""

    leaves: Sequence[Leaf]
    words: list[int] = field(default_factory=list)  # leaf → word, −1 for a trace
    above: list[list[list[int]]] = field(
        default_factory=list
    )  # leaf → constituents from the innermost: first, last leaf

    def __post_init__(self) -> None:
        stack: list[list[int]] = []
        count = 0
        for place, leaf in enumerate(self.leaves):
            overt = leaf.tag != TRACE
            self.words.append(count if overt else -1)
            count += overt
            stack += [[place, -1] for _ in range(leaf.bit.count("("))]
            self.above.append(stack[::-1])
            for _ in range(min(leaf.bit.count(")"), len(stack))):
                stack.pop()[1] = place

    def span(self, token: int, height: int) -> tuple[int, int] | None:
        """The first and last word of a pointer's node; None if there is no such node, or it has only traces."""
        if token >= len(self.leaves) or height > len(self.above[token]):
            return None
        first, last = (token, token) if not height else self.above[token][height - 1]
        overt = [self.words[leaf] for leaf in range(first, last + 1) if self.words[leaf] >= 0]
        return (overt[0], overt[-1]) if overt else None


def argument_cells(tree: Tree, predicates: Sequence[Predicate], size: int, file: str) -> tuple[list[str], int]:
    """The cells of the `arguments` layer of a sentence, one column per predicate; and how many items it can't hold.

    In a chain of traces the first constituent with words counts. Pieces of an argument without a gap between them are
    joined, and further pieces are C-ARG1 and so on.
    """
    columns = []
    lost = 0
    for predicate in predicates:
        spans: list[tuple[int, int, str]] = []
        for label, chain in predicate.arguments:
            for token, height in (pointer for pieces in chain for pointer in pieces):
                if token >= len(tree.leaves) or height > len(tree.above[token]):
                    what = f"there is no constituent {token}:{height} in tree {predicate.tree}"
                    raise InputError(what, file=file, line=predicate.line)
            if label.startswith("LINK-"):
                lost += 1
                continue
            found = [[s for s in (tree.span(*p) for p in pieces) if s is not None] for pieces in chain]
            pieces_ = next((some for some in found if some), [])
            lost += not pieces_
            name = "V" if label == "rel" else label
            spans += [(a, b, name if not n else f"C-{name}") for n, (a, b) in enumerate(_joined(pieces_))]
        opening, closing = [""] * size, [""] * size
        taken: list[tuple[int, int]] = []
        for a, b, name in sorted(spans, key=lambda s: (s[0], -s[1])):
            if any(c < a <= d < b for c, d in taken):  # brackets may be nested, but may not cross
                lost += 1
                continue
            taken.append((a, b))
            opening[a] += f"({name}"
            closing[b] += ")"
        columns.append([f"{first}*{last}" for first, last in zip(opening, closing, strict=True)])
    return [" ".join(column[place] for column in columns) for place in range(size)], lost


def _joined(pieces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces in the order given; pieces without a gap between them are joined."""
    found: list[tuple[int, int]] = []
    for first, last in pieces:
        if found and found[-1][1] + 1 == first:
            found[-1] = found[-1][0], last
        else:
            found.append((first, last))
    return found
