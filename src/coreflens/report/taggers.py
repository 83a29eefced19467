"""Mention taggers on paper: what each finds of a key's mentions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..corpora.taggers import COVERED, RIGHT, Taggers
from ..paper.table import Table
from ..scoring.scores import percent


def table(compared: Taggers) -> Table:
    """Table 7 of Cai & Strube (2010): a row for each tagger and group."""
    grouped = any(len(groups) > 1 for groups in compared.figures.values())
    rows = []
    for name, groups in compared.figures.items():
        for label, f in groups.items():
            keys, ours = f["key mentions"], f["mentions"]
            shares = share(f[COVERED], keys), share(f[RIGHT], ours)
            rows.append([name, label, whole(keys), whole(ours), whole(f["twins"]), *shares])
    header = ["tagger", "group", "key mentions", "mentions", "twins", "head coverage %", "accuracy %"]
    if not grouped:
        header.pop(1)
        rows = [[row[0], *row[2:]] for row in rows]
    return Table(header, rows, frozenset({0, 1} if grouped else {0}))


def one_tagger(tagger: Mapping[str, Any]) -> Table:
    """What one tagger finds, with shares of its own mentions and of the key's."""
    keys, ours = tagger["key mentions"], tagger["mentions"]
    covered, right = tagger[COVERED], tagger[RIGHT]
    rows = [
        ["key mentions", whole(keys), ""],
        ["mentions", whole(ours), ""],
        ["twins (of the mentions)", whole(tagger["twins"]), share(tagger["twins"], ours)],
        ["twins (of the key's)", whole(tagger["twins"]), share(tagger["twins"], keys)],
    ]
    if covered is None:
        return Table(["heads: unknown", "count", "%"], rows)
    rows += [
        ["head coverage", whole(covered), share(covered, keys)],
        ["accuracy", whole(right), share(right, ours)],
    ]
    return Table([f"heads: {tagger['heads of the key from']} / {tagger['heads from']}", "count", "%"], rows)


def share(number: int | None, of: int) -> str:
    """A part in percent; empty if it is not known."""
    return "" if number is None or not of else percent(Fraction(number, of), 1)


def whole(number: int | None) -> str:
    """A count for people; empty if it is not known."""
    return "" if number is None else f"{number:,}"
