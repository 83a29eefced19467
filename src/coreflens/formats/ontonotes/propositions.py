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
from typing import NamedTuple, TypeAlias

from ...corpus.treebank import TRACE, Leaf
from ...errors import InputError

_POINTERS = re.compile(r"(\d+:\d+(?:[*;,]\d+:\d+)*)-(\S+)")


Chain: TypeAlias = tuple[tuple[tuple[int, int], ...], ...]  # of pieces, each the token and the height of a pointer
Argument: TypeAlias = tuple[int, int, str]  # first and last word, label


class Predicate(NamedTuple):
    """A line of a .prop file: labels with their pointers, chains (`*`) of pieces (`;` or `,`)."""

    tree: int
    token: int
    lemma: str
    frameset: str
    arguments: tuple[tuple[str, Chain], ...]
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
    predicates = []
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        before, dashes, after = line.partition("-----")
        cells = before.split()
        if not dashes or len(cells) != 6 or not (cells[1].isdecimal() and cells[2].isdecimal()):
            message = "a line of a .prop file must be DOCUMENT TREE TOKEN ANNOTATOR LEMMA FRAMESET -----"
            raise InputError(message, file=file, line=number)
        arguments = []
        for cell in after.split():
            match = _POINTERS.fullmatch(cell)
            if match is None:
                message = f"'{cell[:40]}' is not an argument, such as 5:1-ARG0"
                raise InputError(message, file=file, line=number, column=line.find(cell) + 1)
            arguments.append((match[2], _chain(match[1])))
        lemma = re.sub(r"-[a-z]+$", "", cells[4])
        frameset = "" if cells[5] == "-" else cells[5].rpartition(".")[2]
        predicates.append(Predicate(int(cells[1]), int(cells[2]), lemma, frameset, tuple(arguments), number))
    return predicates


def _chain(written: str) -> Chain:
    """The pointers of an argument: `5:1*0:2,3:0` is a chain of one constituent and of two pieces."""
    chain = []
    for pieces in written.split("*"):
        pointers = (pointer.split(":") for pointer in re.split("[;,]", pieces))
        chain.append(tuple((int(token), int(height)) for token, height in pointers))
    return tuple(chain)


def read_senses(content: str, file: str) -> list[Sense]:
    """The senses of a .sense file; the last cell counts. If there are several cells, it is that of the adjudicator."""
    senses = []
    for number, line in enumerate(content.splitlines(), start=1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) < 5 or not (cells[1].isdecimal() and cells[2].isdecimal()):
            message = "a line of a .sense file must be DOCUMENT TREE TOKEN LEMMA SENSE"
            raise InputError(message, file=file, line=number)
        lemma = re.sub(r"-[a-z]+$", "", cells[3])
        senses.append(Sense(int(cells[1]), int(cells[2]), lemma, cells[-1], number))
    return senses


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
    # leaf → constituents from the innermost: first, last leaf
    above: list[list[list[int]]] = field(default_factory=list)

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
        spans: list[Argument] = []
        for label, chain in predicate.arguments:
            _check_pointers(tree, predicate, chain, file)
            pieces = [] if label.startswith("LINK-") else _pieces(tree, chain)
            if not pieces:
                lost += 1
            name = "V" if label == "rel" else label
            for n, (first, last) in enumerate(pieces):
                spans.append((first, last, f"C-{name}" if n else name))
        column, crossing = _column(spans, size)
        columns.append(column)
        lost += crossing
    return [" ".join(column[place] for column in columns) for place in range(size)], lost


def _check_pointers(tree: Tree, predicate: Predicate, chain: Chain, file: str) -> None:
    for pieces in chain:
        for token, height in pieces:
            if token >= len(tree.leaves) or height > len(tree.above[token]):
                message = f"there is no constituent {token}:{height} in tree {predicate.tree}"
                raise InputError(message, file=file, line=predicate.line)


def _pieces(tree: Tree, chain: Chain) -> list[tuple[int, int]]:
    """The words of the first constituent of a chain that has words; pieces without a gap between them are joined."""
    for pointers in chain:
        spans = [tree.span(token, height) for token, height in pointers]
        with_words = [span for span in spans if span is not None]
        if with_words:
            return _joined(with_words)
    return []


def _column(spans: Sequence[Argument], size: int) -> tuple[list[str], int]:
    """The column of a predicate, and how many arguments are left out: brackets may be nested, but may not cross."""
    opening, closing = [""] * size, [""] * size
    written: list[Argument] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        first, last, name = span
        if any(other_first < first <= other_last < last for other_first, other_last, _ in written):
            continue
        written.append(span)
        opening[first] += f"({name}"
        closing[last] += ")"
    cells = [f"{opens}*{closes}" for opens, closes in zip(opening, closing, strict=True)]
    return cells, len(spans) - len(written)


def _joined(pieces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces in the order given; pieces without a gap between them are joined."""
    joined: list[tuple[int, int]] = []
    for first, last in pieces:
        if joined and joined[-1][1] + 1 == first:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    return joined
