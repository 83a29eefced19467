"""Connected components of the cells, found in SQL and divided into portions.

The best assignment of entities is the best one in each component. So components can be solved one after the other, and
memory holds only one portion. A giant component is a portion by itself.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..corpus.model import IntArray
from .relational import Engine
from .solving import CHOSEN, Similarity, chosen_cells

ROUNDS = 24  # enough for a chain of 2²⁴ entities; longer ones are kept together
APART = "apart"  # the table that `divided` makes


def divided(engine: Engine, cells: str, most: int, giant: int) -> tuple[list[int], dict[int, int]]:
    """Divide the cells of a table (block, i, j, n, a, b, w) into portions of whole components, in the table `APART`.

    Returns the portions, of about `most` cells each, and the portions that are one component of more than `giant`
    cells, with their sizes.
    """
    labels = _labelled(engine, cells)
    # An unfinished component has several labels that meet in some entity. All such components are kept together as one.
    engine.define(
        "unsettled",
        f"""SELECT DISTINCT l.block AS block, l.label AS label FROM {cells} c
        JOIN {labels} l ON c.block = l.block AND c.i = l.i
        JOIN (SELECT c.block AS block, c.j AS j FROM {cells} c JOIN {labels} l ON c.block = l.block AND c.i = l.i
            GROUP BY c.block, c.j HAVING MIN(l.label) <> MAX(l.label)) m ON c.block = m.block AND c.j = m.j""",
    )
    engine.define(
        "components",
        f"""SELECT l.block AS block, l.label AS label, COUNT(*) AS cells,
        MAX(CASE WHEN u.label IS NULL THEN 0 ELSE 1 END) AS together FROM {cells} c
        JOIN {labels} l ON c.block = l.block AND c.i = l.i
        LEFT JOIN unsettled u ON l.block = u.block AND l.label = u.label GROUP BY l.block, l.label""",
    )
    engine.define(
        "portions",
        f"""SELECT block, label, cells, CASE WHEN together = 1 THEN CAST(-1 AS BIGINT)
        WHEN cells > {giant} THEN CAST(-1 - ROW_NUMBER() OVER (ORDER BY block, label) AS BIGINT)
        ELSE CAST(FLOOR((SUM(cells) OVER (ORDER BY block, label ROWS UNBOUNDED PRECEDING) - cells) / {most}) AS BIGINT)
        END AS portion FROM components""",
    )
    engine.define(
        APART,
        f"""SELECT c.block AS block, c.i AS i, c.j AS j, c.n AS n, c.a AS a, c.b AS b, p.portion AS portion
        FROM {cells} c JOIN {labels} l ON c.block = l.block AND c.i = l.i
        JOIN portions p ON l.block = p.block AND l.label = p.label""",
    )
    portions = engine.fetch("SELECT portion, CAST(SUM(cells) AS BIGINT) AS cells FROM portions GROUP BY portion")
    sizes = dict(sorted(zip(portions["portion"].tolist(), portions["cells"].tolist(), strict=True)))
    large = {portion: cells for portion, cells in sizes.items() if portion < 0 and cells > giant}
    return [portion for portion in sizes if portion not in large], large


def solved_here(engine: Engine, portions: Iterable[int], similarity: Similarity, exact: bool) -> dict[str, IntArray]:
    """The cells of the best assignment of some portions of `APART`, which are fetched one after the other."""
    found = [
        chosen_cells(
            engine.fetch(f"SELECT block, i, j, n, a, b FROM {APART} WHERE portion = {portion}"), similarity, exact
        )
        for portion in portions
    ]
    return {name: np.concatenate([np.zeros(0, np.int64), *(part[name] for part in found)]) for name in CHOSEN}


def _labelled(engine: Engine, cells: str) -> str:
    """The name of a table block, i, label: all key entities of a component have its least label.

    Each round takes the least label among those that share a response entity, and then the label of that label.
    """
    engine.define("label_0", f"SELECT block, i, MIN(i) AS label FROM {cells} GROUP BY block, i")
    for step in range(ROUNDS):
        engine.define(
            f"seen_{step}",
            f"""SELECT c.block AS block, c.i AS i, MIN(m.label) AS label FROM {cells} c
            JOIN (SELECT c.block AS block, c.j AS j, MIN(l.label) AS label FROM {cells} c
                JOIN label_{step} l ON c.block = l.block AND c.i = l.i GROUP BY c.block, c.j) m
            ON c.block = m.block AND c.j = m.j GROUP BY c.block, c.i""",
        )
        engine.define(
            f"label_{step + 1}",
            f"""SELECT s.block AS block, s.i AS i, LEAST(s.label, t.label) AS label FROM seen_{step} s
            JOIN seen_{step} t ON s.block = t.block AND s.label = t.i""",
        )
        changed = engine.fetch(
            f"""SELECT COUNT(*) AS changed FROM label_{step} a JOIN label_{step + 1} b
            ON a.block = b.block AND a.i = b.i WHERE a.label <> b.label"""
        )
        if not int(np.asarray(changed["changed"])[0]):
            return f"label_{step + 1}"
    return f"label_{ROUNDS}"
