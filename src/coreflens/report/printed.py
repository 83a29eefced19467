"""A published table, as it was printed."""

from __future__ import annotations

from ..comparison.library import Printed
from ..paper.table import Table


def printed_table(printed: Printed) -> Table:
    """Header and cells, for people."""
    words = {n for n, column in enumerate(zip(*printed.cells, strict=True)) if not all(map(_number, column))}
    rows = [[cell or "–" for cell in row] for row in printed.cells]
    return Table(list(printed.header), rows, frozenset(words), title=printed.title)


def _number(cell: str) -> bool:
    return not cell.strip("0123456789.")
