"""An optimal assignment; if there are several, the one that scorer.pl prints.

Sums of rounded numbers depend on which numbers are summed. So two optimal assignments may differ in the last digit and,
after the original's truncation, by 0.01. Therefore this is the method of Munkres (1957) with the original's choices:
rows are reduced and columns are not, zeros are starred from the left and primed from the top and the right, and numbers
are added and subtracted in place, with the same rounding.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


def cheapest(costs: Matrix) -> list[int]:
    """The column of each row in a square matrix of costs."""
    cost = costs - costs.min(axis=1, keepdims=True)
    size = len(cost)
    star_of_row, star_of_column = np.full(size, -1), np.full(size, -1)
    for row in range(size):
        free = np.flatnonzero((cost[row] == 0) & (star_of_column < 0))
        if len(free):
            star_of_row[row], star_of_column[free[0]] = free[0], row
    for _ in range(int((star_of_row < 0).sum())):
        _augment(cost, star_of_row, star_of_column)
    columns: list[int] = star_of_row.tolist()
    return columns


def _augment(cost: Matrix, star_of_row: npt.NDArray[np.int64], star_of_column: npt.NDArray[np.int64]) -> None:
    """Add one star: prime open zeros until one has no star in its row, then swap stars and primes along its path."""
    row_open, column_open = np.ones(len(cost), dtype=bool), star_of_column < 0
    prime_of_row: dict[int, int] = {}
    zero = cost == 0
    zeros = zero[:, column_open].sum(axis=1)  # of each row, in open columns
    while True:
        row = int(np.argmax(row_open & (zeros > 0)))
        if not (row_open[row] and zeros[row]):
            least = cost[np.ix_(row_open, column_open)].min()
            cost[~row_open] += least
            cost[:, column_open] -= least
            zero = cost == 0
            zeros = zero[:, column_open].sum(axis=1)
            continue
        column = int(np.flatnonzero(zero[row] & column_open)[-1])
        prime_of_row[row] = column
        starred = int(star_of_row[row])
        if starred < 0:
            break
        row_open[row], column_open[starred] = False, True
        zeros += zero[:, starred]
    while True:
        other = int(star_of_column[column])
        star_of_row[row], star_of_column[column] = column, row
        if other < 0:
            return
        row, column = other, prime_of_row[other]
