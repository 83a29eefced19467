"""Connected components of the cells, found in SQL and fetched in portions.

The best assignment of entities is the best one in each component. So components can be solved one after the other, and
memory only holds one portion. A component that is larger than a portion is a portion by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..metrics.contingency import Array
from .relational import Engine

ROUNDS = 24  # enough for a chain of 2²⁴ entities; longer ones are kept together


def portions(engine: Engine, cells: str, most: int) -> Iterator[tuple[dict[str, Array], int]]:
    """The cells of a table (block, i, j, n, a, b, w) in portions of whole components, of about `most` cells each.

    Each portion comes with the size of its largest component.
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
        ELSE CAST(FLOOR((SUM(cells) OVER (ORDER BY block, label ROWS UNBOUNDED PRECEDING) - cells) / {most}) AS BIGINT)
        END AS portion FROM components""",
    )
    engine.define(
        "apart",
        f"""SELECT c.block AS block, c.i AS i, c.j AS j, c.n AS n, c.a AS a, c.b AS b, p.portion AS portion
        FROM {cells} c JOIN {labels} l ON c.block = l.block AND c.i = l.i
        JOIN portions p ON l.block = p.block AND l.label = p.label""",
    )
    found = engine.fetch(
        """SELECT portion, CASE WHEN portion < 0 THEN CAST(SUM(cells) AS BIGINT) ELSE MAX(cells) END AS largest
        FROM portions GROUP BY portion ORDER BY portion"""
    )
    for portion, largest in zip(found["portion"].tolist(), found["largest"].tolist(), strict=True):
        yield engine.fetch(f"SELECT block, i, j, n, a, b FROM apart WHERE portion = {int(portion)}"), int(largest)


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
