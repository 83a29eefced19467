r"""The columns and cells of WebAnno TSV: layers, stacked values, numbers in brackets, escapes."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STACKED = re.compile(r"\\.|\||[^\\|]+|\\", re.S)
_NUMBERED = re.compile(r"(.*)\[(\d{1,18})\]")
_ESCAPED = re.compile(r"\\(->|[\\\[\]|_;*tnrbf])")
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}


@dataclass
class Layer:
    """A line of the header: `kind` SP, CH or RL, and the first of its columns."""

    kind: str
    name: str
    features: list[str]
    first: int

    @property
    def columns(self) -> range:
        return range(self.first, self.first + max(len(self.features), 1))

    @property
    def short(self) -> str:
        return self.name.rsplit(".", 1)[-1]

    @property
    def base(self) -> str:
        return self.features[-1].removeprefix("BT_") if self.kind == "RL" and self.features else ""

    @property
    def corefers(self) -> bool:
        return self.kind == "CH" or (self.kind == "RL" and "coref" in self.name.lower())


@dataclass
class Row:
    """A line of the body."""

    ref: str
    line: int
    token: int
    cells: list[str]

    def column(self, cell: int) -> int:
        return sum(len(c) + 1 for c in self.cells[:cell]) + 1


def stack(cell: str) -> list[str]:
    """The annotations in a cell, still escaped."""
    if cell == "_":
        return []
    if "\\" not in cell:
        return cell.split("|")
    pieces = [""]
    for piece in _STACKED.findall(cell):
        if piece == "|":
            pieces.append("")
        else:
            pieces[-1] += piece
    return pieces


def numbered(value: str) -> tuple[str, int]:
    """A value and its number in brackets, 0 for none."""
    match = _NUMBERED.fullmatch(value) if value.endswith("]") else None
    return (match[1], int(match[2])) if match else (value, 0)


def cell_text(text: str) -> str:
    return _ESCAPED.sub(lambda m: _CONTROL.get(m[1], m[1]), text) if "\\" in text else text


def layer_value(name: str, cells: list[str], column: int) -> str:
    cell = cells[column]
    if name != "head":
        return cell_text(cell)
    if cell == cells[0]:  # a root depends on itself
        return "0"
    sentence, _, number = cell.partition("-")
    return number if number.isdecimal() and sentence == cells[0].split("-")[0] else cell
