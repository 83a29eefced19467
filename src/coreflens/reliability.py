"""Krippendorff's alpha for coreference annotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from .alignment import Alignment, align
from .contingency import Array, Contingency
from .matching import Side, identify
from .model import Corpus, IntArray
from .pairing import Pairing, pair
from .protocols import Options
from .twinless import extend


@dataclass(frozen=True, eq=False)
class Reliability:
    """Krippendorff's alpha with Passonneau's distance between sets, from the contingency tables.

        α = 1 − D_o / D_e      D_o: mean distance of two annotators' values of one mention
                               D_e: of any two values of the document

    A mention's value is the set of mentions of its entity, itself included; one that an annotator lacks is a singleton
    there. Distances: the same set 0, a subset 1/3, overlapping 2/3, disjoint 1 (Passonneau 2004; Krippendorff 2004).
    A set A is the value of |A| mentions, so the sums over mentions are sums over cells with n_ij, |A| and |B|:

        Σ of distances of one mention      Σ_ij n_ij δ_ij
        Σ over any two mentions            U² − Σ_ij a_i b_j (1 − δ_ij)       U mentions of the document

    Disagreement is expected within documents only, because nobody links across them: over several documents D_o and
    D_e are summed before they are divided. Distances are counted in thirds, so that every sum is a whole number.
    """

    people: int
    tables: Mapping[tuple[int, int], Contingency]
    pair_units: Mapping[tuple[int, int], Array]
    units: Array

    @classmethod
    def of(
        cls, corpora: Sequence[Corpus], people: int, alignments: Mapping[tuple[int, int], Alignment], options: Options
    ) -> Reliability:
        pairing, _ = pair(corpora[0], corpora[0], options)
        several = [_counted(corpus, pairing, options) for corpus in corpora]
        tables = {p: Contingency.of(extend(alignment)[0]) for p, alignment in alignments.items()}
        pairs = {(a, b): _units([several[a], several[b]], pairing, options) for a, b in alignments}
        return cls(people, tables, pairs, _units(several[:people], pairing, options))

    def alpha(self, who: Sequence[int], units: Array, blocks: IntArray) -> float:
        """Alpha of some annotators over some blocks; nan where no disagreement is possible."""
        m, u = len(who), units[blocks]
        observed, expected = np.zeros(len(blocks)), np.zeros(len(blocks))
        own: dict[int, Array] = {}
        for a, b in combinations(who, 2):
            t = self.tables[a, b]
            distance = np.where(t.n == t.ai, 0, 1) + np.where(t.n == t.bj, 0, 1)
            elsewhere = u - t.keys(t.a)[blocks]  # mentions that neither has are singletons of both
            observed += 2 * t.cells(t.n * distance)[blocks]
            expected += 2 * (3 * u * u - t.cells(t.ai * t.bj * (3 - distance))[blocks] - 3 * elsewhere)
            own[a] = t.keys(t.a * t.a)[blocks] + elsewhere
            own[b] = t.responses(t.b * t.b)[blocks] + elsewhere
        expected += sum(3 * (u * u - squares) for squares in own.values())
        possible = float((expected / np.maximum(m * u - 1, 1)).sum())
        return 1 - float(observed.sum()) / (m - 1) / possible if possible else float("nan")


def _counted(corpus: Corpus, pairing: Pairing, options: Options) -> Corpus:
    """The corpus with the mentions that count as units: all, or those that are not singletons."""
    if options.singletons == "keep" or not len(corpus):
        return corpus
    codes = pairing.block[corpus.doc] * len(corpus.labels) + corpus.entity
    _, number, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    return corpus.take(np.flatnonzero(sizes[number] > 1))


def _units(corpora: Sequence[Corpus], pairing: Pairing, options: Options) -> Array:
    """How many different mentions some annotators have, by block."""
    union = corpora[0]
    for corpus in corpora[1:]:
        alignment, _ = align(union, corpus, pairing, options)
        lonely = alignment.sides[1].origin[alignment.response_rows[alignment.key < 0]]
        union = _joined(union, corpus.take(np.sort(lonely)))
    side = Side.of(union, pairing.key_row)
    different = np.unique(identify(side, side)[0], return_index=True)[1]
    return np.bincount(pairing.block[side.row[different]], minlength=pairing.blocks).astype(np.float64)


def _joined(one: Corpus, more: Corpus) -> Corpus:
    """Two corpora of the same documents as one, for its mentions; entities mean nothing in it."""
    order = np.argsort(np.concatenate((one.doc, more.doc)), kind="stable")
    columns = {c: np.concatenate((getattr(one, c), getattr(more, c)))[order] for c in ("doc", "start", "end", "entity")}
    names = None
    if one.names is not None and more.names is not None:
        both = [*one.names, *more.names]
        names = [both[p] for p in order.tolist()]
    return replace(one, **columns, names=names, line=None)  # type: ignore[arg-type]
