"""Split antecedents in the table: what the set of antecedents of a key entity shares with that of a response entity.

A metric is run on the two small sets of entities, S of the key and S′ of the response. This gives r, p and f. The sets
S and S′ are assigned one to one, with the largest Σ f in a block. Sets with f = 0 are not paired. S is a member of its
entity, and each metric says beside its formula how it counts S. Equal sets score 1 with every metric.

Ties go to the assignment that earns most in the metric, in recall and precision together, then in recall. What a pair
earns in MUC, B³, LEA, BLANC and `pairs` does not depend on the other pairs. So assignments that are still equal have
the same score. CEAF assigns entities after this. There the pairs whose entities share most mentions win, and of equal
assignments the earliest, so CEAF can depend on this choice. The same goes on with the scores of the sets alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..corpus.model import IntArray
from ..matching.splits import Plurals, Splits
from .weights import Places, Weights, earned

if TYPE_CHECKING:
    from ..matching.optimal import Bools
    from .contingency import Array, Contingency


class Assigned(NamedTuple):
    """The pairs that a metric assigns to each other, and what each shares."""

    pairs: IntArray
    weights: Weights
    counts: tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Split:
    """The split antecedents of a table: pairs that share a mention, with the cell each lies in, and the small tables.

    `small` has one block per pair, then one per set of the key alone and one per set of the response alone.
    """

    small: Contingency
    key: IntArray
    response: IntArray
    equal: Bools
    cell: IntArray
    cells: int
    blocks: tuple[IntArray, IntArray]
    entities: tuple[IntArray, IntArray]
    exact: bool
    sets: tuple[Plurals, Plurals]
    places: Places

    def assigned(self, count: Callable[[Contingency], Sequence[Array]]) -> Assigned:
        """The pairs that belong together by a metric, given by the function that counts it."""
        pairs = len(self.key)
        counts = tuple(count(self.small)[:4])
        above, below, right, out_of = (column[:pairs] for column in counts)
        one = Fraction(1)
        recall, precision = (
            np.array([one if same else _ratio(a, b) for a, b, same in zip(x, y, self.equal, strict=True)], dtype=object)
            for x, y in ((above, below), (right, out_of))
        )
        f1 = np.array([2 * r * p / (r + p) if r + p else Fraction(0) for r, p in zip(recall, precision, strict=True)])
        some = np.flatnonzero(f1 != 0) if pairs else np.zeros(0, dtype=np.int64)
        from ..matching.optimal import Candidates, Weight, best

        weight = Weight(*(np.array([getattr(f1[s], part) for s in some.tolist()], dtype=object) for part in _PARTS))
        places = Places(*(values[some] for values in self.places))
        in_recall, in_precision = earned(count, places, Weights(recall[some], precision[some], f1[some]))
        credit = in_recall + in_precision, in_recall, above[some] + right[some], above[some]
        second = Weight(_in_one_number(credit), np.ones(len(some), dtype=np.int64))
        chosen = some[best(Candidates(self.key[some], self.response[some], weight, second))]
        return Assigned(chosen, Weights(recall[chosen], precision[chosen], f1[chosen]), counts)

    def weights(self, count: Callable[[Contingency], Sequence[Array]]) -> Weights:
        """The same for each cell of the table."""
        found = self.assigned(count)
        columns = []
        for values in found.weights:
            column = np.full(self.cells, Fraction(0), dtype=object) if self.exact else np.zeros(self.cells)
            column[self.cell[found.pairs]] = values if self.exact else values.astype(np.float64)
            columns.append(column)
        return Weights(*columns)

    def alone(self, count: Callable[[Contingency], Sequence[Array]], blocks: int) -> tuple[Array, ...]:
        """The score of the sets alone: Σ numerators of the pairs, Σ denominators of all sets, by block."""
        found = self.assigned(count)
        pairs, keys = len(self.key), len(self.blocks[0])
        of_pair = self.blocks[0][self.key[found.pairs]]
        columns = []
        for column, (rows, block) in zip(
            found.counts,
            (
                (found.pairs, of_pair),
                (np.arange(pairs, pairs + keys), self.blocks[0]),
                (found.pairs, of_pair),
                (np.arange(pairs + keys, len(column_of(found.counts))), self.blocks[1]),
            ),
            strict=True,
        ):
            total = np.full(blocks, Fraction(0), dtype=object)
            np.add.at(total, block, column[rows])
            columns.append(total if self.exact else total.astype(np.float64))
        return tuple(columns)


_PARTS = ("numerator", "denominator")


def _in_one_number(columns: Sequence[Array]) -> Array:
    """A whole number for each row. Sums of them compare as the sums of the first column, then of the second one …"""
    numbers = [0] * len(columns[0])
    for column in columns:
        fractions = [Fraction(value) for value in column.tolist()]
        common = lcm(*(value.denominator for value in fractions))
        whole = [int(value * common) for value in fractions]
        room = sum(whole) + 1
        numbers = [number * room + value for number, value in zip(numbers, whole, strict=True)]
    found = np.empty(len(numbers), dtype=object)
    found[:] = numbers
    return found


def column_of(counts: tuple[Array, ...]) -> Array:
    return counts[0]


def _ratio(above: Fraction, below: Fraction) -> Fraction:
    return above / below if below else Fraction(0)


class Small(NamedTuple):
    """The small tables as columns."""

    i: IntArray
    j: IntArray
    n: Array
    overlap: Array
    a: Array
    b: Array
    key_block: IntArray
    response_block: IntArray
    blocks: int
    key: IntArray
    response: IntArray
    equal: Bools


def small_tables(splits: Splits) -> Small:
    """Every pair of sets that share a mention, then each set by itself."""
    pairs = _sharing_pairs(splits)
    blocks: list[tuple[int, int]] = [*pairs]
    blocks += [(k, -1) for k in range(len(splits.key.atoms))]
    blocks += [(-1, r) for r in range(len(splits.response.atoms))]
    partners_of: dict[int, list[int]] = {}  # atoms of the response that have mentions in common with one of the key
    for atom, other in sorted(splits.common):
        partners_of.setdefault(atom, []).append(other)
    cells: list[tuple[int, int, int]] = []
    a: list[int] = []
    b: list[int] = []
    key_block: list[int] = []
    response_block: list[int] = []
    equal: list[bool] = []
    for block, (k, r) in enumerate(blocks):
        ours = splits.key.atoms[k] if k >= 0 else ()
        theirs = splits.response.atoms[r] if r >= 0 else ()
        column_of = {atom: column for column, atom in enumerate(theirs, start=len(b))}
        same = 0
        for row, atom in enumerate(ours, start=len(a)):
            for other in partners_of.get(atom, ()):
                if other in column_of:
                    n = splits.common[atom, other]
                    cells.append((row, column_of[other], n))
                    same += n == splits.key.sizes[atom] == splits.response.sizes[other]
        equal.append(same == len(ours) == len(theirs))
        a += [splits.key.sizes[atom] for atom in ours]
        b += [splits.response.sizes[atom] for atom in theirs]
        key_block += [block] * len(ours)
        response_block += [block] * len(theirs)
    first, second, shared = np.array(cells, dtype=np.int64).reshape(-1, 3).T
    key, response = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Small(
        first,
        second,
        _fractions(shared.tolist()),
        _fractions(shared.tolist()),
        _fractions(a),
        _fractions(b),
        np.array(key_block, dtype=np.int64),
        np.array(response_block, dtype=np.int64),
        len(blocks),
        key,
        response,
        np.array(equal[: len(pairs)], dtype=bool),
    )


def _sharing_pairs(splits: Splits) -> list[tuple[int, int]]:
    """The pairs of sets, of the key and of the response, that share a mention."""
    key_sets, response_sets = _sets_by_atom(splits.key), _sets_by_atom(splits.response)
    pairs: set[tuple[int, int]] = set()
    for atom, other in splits.common:
        pairs.update(product(key_sets.get(atom, ()), response_sets.get(other, ())))
    return sorted(pairs)


def _sets_by_atom(side: Plurals) -> dict[int, list[int]]:
    """Atom → the sets that have it."""
    sets: dict[int, list[int]] = {}
    for number, atoms in enumerate(side.atoms):
        for atom in atoms:
            sets.setdefault(atom, []).append(number)
    return sets


def _fractions(values: Sequence[int]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = [Fraction(x) for x in values]
    return found


def within(splits: Splits, number: tuple[IntArray, IntArray]) -> Splits:
    """The sets whose entities are in a table, with their numbers in that table (−1: not in the table)."""
    sides = []
    for side, numbers in zip((splits.key, splits.response), number, strict=True):
        entity = np.where(side.entity < len(numbers), numbers[np.minimum(side.entity, max(len(numbers) - 1, 0))], -1)
        here = np.flatnonzero(entity >= 0)
        sides.append(side.take(here, side.block[here], entity[here]))
    return Splits(sides[0], sides[1], splits.common)
