"""Categories of disagreements, on paper."""

from __future__ import annotations

from fractions import Fraction

from ..paper.plot import Plot, Series
from ..paper.table import Table
from ..scoring.scores import percent
from ..studies.categories import KINDS, Categories


def table(found: Categories, digits: int = 1) -> Table:
    """One row per category: mentions, links, all, and its share of all disagreements."""
    whole = {kind: sum(kinds[kind] for kinds in found.counts.values()) for kind in KINDS}
    rows = [
        [name, *(str(kinds[kind]) for kind in KINDS), str(n := sum(kinds.values())), _share(found, n, digits)]
        for name, kinds in [*found.counts.items(), ("all", whole)]
    ]
    return Table(["category", "mentions", "links", "all", "share"], rows, strong=1)


def _share(found: Categories, number: int, digits: int) -> str:
    return f"{percent(Fraction(number, found.total), digits)} %"


def plot(found: Categories) -> Plot:
    """A bar for each category: its share of all disagreements, in percent."""
    shares = [100 * sum(kinds.values()) / found.total for kinds in found.counts.values()]
    bars = Series("share", [0] * len(shares), shares, labels=list(found.counts))
    title = f"Disagreements by category ({found.total})"
    return Plot("bar", title, "share of the disagreements, %", "", [bars], height=110 + 34 * len(shares))
