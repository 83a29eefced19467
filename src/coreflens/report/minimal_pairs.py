"""Minimal pairs, on paper: accuracy, differences, consistency."""

from __future__ import annotations

from ..paper.table import Table, points, signed
from ..studies.minimal_pairs import MinimalPairs, Share


def tables(found: MinimalPairs, digits: int = 2) -> list[Table]:
    """Accuracy by cell and value, the differences, and the consistency of the templates."""
    blank = [""] * len(found.factors)
    rows = [[*share.values, *_shown(share, digits)] for share in found.cells]
    if len(found.factors) > 1:
        rows += [
            [*blank[:place], share.values[0], *blank[place + 1 :], *_shown(share, digits)]
            for place, factor in enumerate(found.factors)
            for share in found.levels[factor]
        ]
    rows.append(["all", *blank[1:], *_shown(found.overall, digits)])
    headings = {0: "Cells", len(found.cells): "Values"} if len(found.factors) > 1 else {}
    words = frozenset(range(len(found.factors)))
    level = f"{100 * found.confidence:g} %"
    accuracy = Table(
        [*found.factors, "right", "documents", "accuracy", level],
        rows,
        words,
        strong=1,
        headings=headings,
        name=f"Accuracy by {' and '.join(found.factors)}",
    )
    differences = Table(
        ["factor", "difference", "templates", "points", level],
        [
            [
                d.factor,
                f"{d.second} − {d.first}",
                f"{d.templates:,}",
                signed(d.difference, digits),
                _between(signed(d.low, digits), signed(d.high, digits)),
            ]
            for d in found.differences
        ],
        frozenset({0, 1}),
        name="Differences within templates",
    )
    consistency = Table(
        ["", "all right", "templates", "share", level],
        [["consistency", *_shown(found.consistency, digits)]],
        name="Templates that are right in all their variants",
    )
    return [accuracy, *([differences] if found.differences else []), consistency]


def _shown(share: Share, digits: int) -> list[str]:
    bounds = _between(points(share.low, digits), points(share.high, digits))
    return [f"{share.right:,}", f"{share.items:,}", points(share.accuracy, digits), bounds]


def _between(low: str, high: str) -> str:
    return "n/a" if "n/a" in (low, high) else f"{low} to {high}"
