"""Metrics of single pronouns: all of them, or those of one kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..corpus.pronouns import KINDS
from .contingency import Array, Contingency
from .registry import METRICS, Metric, metric
from .zeros import first

_ABSENT = "no pronouns to count; tags identify them, so give a file with parts of speech"
_NAMES = {"relative": "relative and interrogative", "other": "other"}


@metric("pronouns", title="pronouns", cite="tuggener2014", aliases=("arcs",), symmetric=False, absent=_ABSENT)
def pronouns(t: Contingency) -> tuple[Array, ...]:
    """Pronouns whose antecedent in the response is a mention of the right entity.

        R = TP / (TP + WL + FN)        P = TP / (TP + WL + FP)        accuracy of the resolved ones: TP / (TP + WL)

    A pronoun counts if it is not the first mention of its key entity. Its antecedent in the response is the closest
    earlier mention of its response entity that is not a pronoun. If all earlier ones are pronouns, it is the closest of
    them. TP: this antecedent is in the pronoun's key entity. WL, a wrong link: it is not. FN: the response has no
    earlier mention for it. FP: a pronoun of the response, not the first of its entity, that is none of these.

    A pronoun is one word with the tag of a pronoun. 0/0 without tags. `pronouns-personal` and similar metrics count the
    pronouns of one kind. The counts are those of ARCS (Tuggener 2014) with nominal antecedents.
    """
    return _resolved(t, t.mentions.pronouns >= 0)


def _resolved(t: Contingency, asked: npt.NDArray[np.bool_]) -> tuple[Array, ...]:
    from ..corpus.heads import TYPES

    m = t.mentions
    key_order, response_order = m.order
    counts = asked & (m.key >= 0) & ~first(m.key, key_order, len(t.a))
    antecedent = _antecedents(m.response, response_order, m.types == TYPES.index("pronoun"))
    linked = antecedent >= 0
    right = counts & linked & (m.key[antecedent] == m.key)
    answers = linked & asked  # right links, wrong links, and links of pronouns without an antecedent in the key
    return (
        t.keys(m.by_key(right)),
        t.keys(m.by_key(counts)),
        t.responses(m.by_response(right)),
        t.responses(m.by_response(answers)),
    )


def _antecedents(entity: IntArray, order: IntArray, pronoun: npt.NDArray[np.bool_]) -> IntArray:
    """For each mention, the closest earlier one of its entity that is not a pronoun, or else the closest of all. −1:
    none."""
    found = np.full(len(entity), -1, dtype=np.int64)
    rows = np.flatnonzero(entity >= 0)
    rows = rows[np.lexsort((order[rows], entity[rows]))]
    if not len(rows):
        return found
    place = np.arange(len(rows))
    begin = np.maximum.accumulate(np.where(np.diff(entity[rows], prepend=-1) != 0, place, 0))
    solid = np.maximum.accumulate(np.where(pronoun[rows], -1, place))
    before = np.append(-1, solid[:-1])  # the last mention before each that is not a pronoun, of any entity
    chosen = np.where(before >= begin, before, np.where(place > begin, place - 1, -1))
    found[rows] = np.where(chosen >= 0, rows[chosen], -1)
    return found


def _of_kind(number: int) -> Callable[[Contingency], tuple[Array, ...]]:
    def count(t: Contingency) -> tuple[Array, ...]:
        return _resolved(t, t.mentions.pronouns == number)

    return count


for _number, _kind in enumerate(KINDS):
    METRICS[f"pronouns-{_kind}"] = Metric(
        f"pronouns-{_kind}",
        f"{_kind} pronouns",
        "tuggener2014",
        _of_kind(_number),
        symmetric=False,
        doc=f"`pronouns` of one kind: {_NAMES.get(_kind, _kind)} ones.\n\n"
        "    R = TP / (TP + WL + FN)        P = TP / (TP + WL + FP)\n\n"
        "The kind is that of the features of the word (PronType, Poss, Reflex of Universal Dependencies), or of its "
        "tag where it has no such features. The counts of all kinds add up to those of `pronouns`.",
    )
