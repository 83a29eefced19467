"""How good layers are, on paper: Tables 5 to 10 of Pradhan et al. 2011."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..paper.table import Table
from ..scoring.scores import percent
from ..task.quality import Agreed


def quality_table(agreed: dict[str, dict[str, Agreed]], layers: Sequence[str]) -> Table:
    """One row per layer, and per group if there are several: R, P, F1 and the counts."""
    grouped = len(agreed) > 1
    rows = [
        [
            *([label] if grouped else []),
            name,
            *(percent(Fraction(a.common, size), 2) if size else "n/a" for size in (a.gold, a.predicted)),
            percent(a.f1, 2) if a.f1 == a.f1 else "n/a",
            *map(str, a),
        ]
        for label, found in agreed.items()
        for name, a in found.items()
        if name.split(":")[0] in layers
    ]
    header = ["layer", "R", "P", "F1", "common", "gold", "predicted"]
    name = "Agreement of predicted with gold layers"
    return Table(["group", *header] if grouped else header, rows, frozenset({0, 1} if grouped else {0}), name=name)


def polysemy_table(found: dict[str, dict[int, int]]) -> Table:
    """One row per number of senses: how many lemmas have this many senses, and this many framesets."""
    numbers = sorted({n for counts in found.values() for n in counts})
    rows = [[str(n), *(str(counts.get(n, 0)) for counts in found.values())] for n in numbers]
    return Table(["different ones", *(f"lemmas ({what})" for what in found)], rows, name="Polysemy of lemmas")
