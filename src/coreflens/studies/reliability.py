"""Krippendorff's alpha for coreference annotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..corpus.model import IntArray
from ..integers import bincount
from ..matching.alignment import Alignment
from ..metrics.contingency import Array, Contingency


@dataclass(frozen=True, eq=False)
class Reliability:
    """Krippendorff's alpha with Passonneau's distance between sets, from the contingency tables.

        α = 1 − D_o / D_e      D_o: mean distance of two annotators' values of one mention
                               D_e: of any two values of the document

    A mention's value is the set of mentions of its entity, itself included. A mention that an annotator lacks is a
    singleton of this annotator. Distances: the same set 0, a subset 1/3, overlapping sets 2/3, disjoint sets 1
    (Passonneau 2004; Krippendorff 2004).
    A set A is the value of |A| mentions, so the sums over mentions are sums over cells with n_ij, |A| and |B|:

        Σ of distances of one mention      Σ_ij n_ij δ_ij
        Σ over any two mentions            U² − Σ_ij a_i b_j (1 − δ_ij)       U mentions of the document

    Disagreement is expected within documents only, because nobody links across them: over several documents D_o and
    D_e are summed before they are divided. Distances are counted in thirds, so that every sum is a whole number.
    """

    tables: Mapping[tuple[int, int], Contingency]
    units: Array

    @classmethod
    def of(cls, people: Sequence[int], alignments: Mapping[tuple[int, int], Alignment]) -> Reliability:
        """The alpha of some annotators, from the alignments of each two of them."""
        values, blocks, unit_block = _together(people, alignments)
        some = alignments[people[0], people[1]]
        tables: dict[tuple[int, int], Contingency] = {}
        for a, b in combinations(people, 2):
            of_two = replace(some, key=values[a], response=values[b], key_block=blocks[a], response_block=blocks[b])
            tables[a, b] = Contingency.of(of_two)
        return cls(tables, bincount(unit_block, minlength=some.blocks).astype(np.float64))

    def alpha(self, blocks: IntArray) -> float:
        """Alpha over some blocks; nan if no disagreement is possible."""
        u = self.units[blocks]
        observed, expected = np.zeros(len(blocks)), np.zeros(len(blocks))
        own: dict[int, Array] = {}
        for (a, b), t in self.tables.items():
            distance = np.where(t.n == t.ai, 0, 1) + np.where(t.n == t.bj, 0, 1)
            observed += 2 * t.cells(t.n * distance)[blocks]
            expected += 2 * (3 * u * u - t.cells(t.ai * t.bj * (3 - distance))[blocks])
            own[a] = t.keys(t.a * t.a)[blocks]
            own[b] = t.responses(t.b * t.b)[blocks]
        m = len(own)
        expected += sum(3 * (u * u - squares) for squares in own.values())
        possible = float((expected / np.maximum(m * u - 1, 1)).sum())
        return 1 - float(observed.sum()) / (m - 1) / possible if possible else float("nan")


def _together(
    people: Sequence[int], alignments: Mapping[tuple[int, int], Alignment]
) -> tuple[dict[int, IntArray], dict[int, IntArray], IntArray]:
    """By annotator, the entity of every unit and the block of every entity; and the block of every unit.

    A unit is a mention of one or several annotators. It is found by the alignments alone, so their coordinates do not
    matter. A mention belongs to the unit of its twin, trying the first annotators first, unless this annotator already
    has a mention in that unit (with exact matching this can't happen).
    """
    units: dict[int, IntArray] = {}  # of each mention of an annotator's corpus, −1 for those that don't count
    entities: dict[int, IntArray] = {}
    blocks: dict[int, IntArray] = {}
    unit_block = np.zeros(0, dtype=np.int64)
    for person in people:
        rows, entities[person], blocks[person] = _mentions(person, people, alignments)
        mine = np.full(rows.max(initial=-1) + 1, -1, dtype=np.int64)
        for other, other_units in units.items():
            alignment = alignments[other, person]
            twins = (alignment.key >= 0) & (alignment.response >= 0)
            unit = other_units[alignment.sides[0].origin[alignment.key_rows[twins]]]
            row = alignment.sides[1].origin[alignment.response_rows[twins]]
            free = (mine[row] < 0) & ~np.isin(unit, mine)
            mine[row[free]] = unit[free]
        new = mine[rows] < 0
        mine[rows[new]] = len(unit_block) + np.arange(np.count_nonzero(new))
        unit_block = np.concatenate((unit_block, blocks[person][entities[person][new]]))
        units[person] = mine
        entities[person] = entities[person][np.argsort(mine[rows])]
    values = {}
    for person, entity in entities.items():
        has = np.zeros(len(unit_block), dtype=bool)
        has[units[person][units[person] >= 0]] = True
        values[person] = np.empty(len(unit_block), dtype=np.int64)
        values[person][has] = entity
        values[person][~has] = len(blocks[person]) + np.arange(np.count_nonzero(~has))  # a singleton there
        blocks[person] = np.concatenate((blocks[person], unit_block[~has]))
    return values, blocks, unit_block


def _mentions(
    person: int, people: Sequence[int], alignments: Mapping[tuple[int, int], Alignment]
) -> tuple[IntArray, IntArray, IntArray]:
    """An annotator's mentions that count, as rows of the corpus; their entities; the entities' blocks."""
    if person == people[0]:
        alignment, side = alignments[person, people[1]], 0
        entity, rows, block = alignment.key, alignment.key_rows, alignment.key_block
    else:
        alignment, side = alignments[people[0], person], 1
        entity, rows, block = alignment.response, alignment.response_rows, alignment.response_block
    counts = entity >= 0
    return alignment.sides[side].origin[rows[counts]], entity[counts], block
