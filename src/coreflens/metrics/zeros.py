"""A metric of zeros (mentions without words). Each zero is an anaphor that may have an antecedent."""

from __future__ import annotations

import numpy as np

from ..corpus.model import IntArray
from .contingency import Array, Contingency
from .registry import metric


@metric("zero", title="zeros", cite="zabokrtsky2022", aliases=("zeros", "anaphor-decomposable"), symmetric=False)
def zero(t: Contingency) -> tuple[Array, ...]:
    """Zeros of the key that the response resolves: the anaphor-decomposable score.

        R = TP / (TP + FN + WL)        P = TP / (TP + FP + WL)

    A zero of the key counts if it is not the first mention of its entity. FN: it has no counterpart, or one that is
    the first mention of its response entity. TP: the response entity has the counterpart of an earlier mention of the
    same key entity. WL, a wrong link: it does not. FP: a zero of the response that is not the first of its entity, and
    not the counterpart of a zero that counts. 0/0 if there is no such zero (Tuggener 2014 for anaphors in general).
    """
    m = t.mentions
    (key_zero, response_zero), (key_order, response_order) = m.zeros, m.order
    first_key = first(m.key, key_order, len(t.a))
    first_response = first(m.response, response_order, len(t.b))
    counts = (m.key >= 0) & key_zero & ~first_key
    linked = counts & (m.response >= 0) & ~first_response
    width = max(len(t.b), 1)
    cell = np.where((m.key >= 0) & (m.response >= 0), m.key * width + m.response, -1)
    right = linked & ~_first_of(cell, key_order)
    spurious = (m.response >= 0) & response_zero & ~first_response & ~counts
    return (
        t.keys(m.by_key(right)),
        t.keys(m.by_key(counts)),
        t.responses(m.by_response(right)),
        t.responses(m.by_response(linked | spurious)),
    )


def first(entity: IntArray, order: IntArray, entities: int) -> Array:
    """Which mentions are the first of their entity."""
    earliest = np.full(entities, np.iinfo(np.int64).max)
    has = entity >= 0
    np.minimum.at(earliest, entity[has], order[has])
    return has & (earliest[entity] == order) if entities else has


def _first_of(cell: IntArray, order: IntArray) -> Array:
    """Which mentions are the first of their cell. −1 means no cell."""
    _, dense = np.unique(cell, return_inverse=True)
    return first(np.where(cell >= 0, dense, -1), order, int(dense.max(initial=-1)) + 1)
