"""Link errors by spanning trees (Martschat & Strube 2014, "Recall Error Analysis for Coreference Resolution").

Each mention of an entity, except the first, is linked to an antecedent. The antecedent is the closest mention before it
that the other side has in the same entity, and then the link is not an error. If there is none, it is the most
accessible mention: for a pronoun, the closest mention before it; for others, the closest name, else the closest
nominal, else the closest mention.

An entity that the other side divides into p parts has p − 1 errors, so the errors are the links that MUC counts as
lost. Precision errors are found in the same way in the response's entities, because formats do not store the
antecedents that a system chose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from .evidence import Evidence


class Links(NamedTuple):
    """Wrong links as rows: lost ones (recall) or spurious ones (precision)."""

    anaphor: IntArray
    antecedent: IntArray


def link_errors(evidence: Evidence, side: str) -> Links:
    """`key`: links of the key that the response lacks; `response`: links of the response that are wrong."""
    m = evidence.alignment
    entity, other = (m.key, m.response) if side == "key" else (m.response, m.key)
    rows = np.flatnonzero(entity >= 0)
    rows = rows[np.argsort(entity[rows], kind="stable")]
    opens = np.append(True, entity[rows][1:] != entity[rows][:-1])[: len(rows)]
    wrong = np.flatnonzero(~opens & ~_with_antecedent(entity[rows], other[rows]))
    begin = np.maximum.accumulate(np.where(opens, np.arange(len(rows)), 0)) if len(rows) else rows
    types = np.array([evidence.types[row] for row in rows.tolist()], dtype=object)
    closest = wrong - 1
    chosen = closest
    for kind in ("nominal", "name"):
        place = np.maximum.accumulate(np.where(types == kind, np.arange(len(rows)), -1)) if len(rows) else rows
        found = place[closest]
        chosen = np.where((types[wrong] != "pronoun") & (found >= begin[wrong]), found, chosen)
    order = np.argsort(rows[wrong], kind="stable")
    return Links(rows[wrong][order], rows[chosen][order])


def _with_antecedent(entity: IntArray, other: IntArray) -> npt.NDArray[np.bool_]:
    """Which mentions have an earlier mention that both sides put into the same entity."""
    cell = entity * (int(other.max(initial=0)) + 1) + other
    first = np.zeros(len(cell), dtype=bool)
    first[np.unique(cell, return_index=True)[1]] = True
    found: npt.NDArray[np.bool_] = ~first & (other >= 0)
    return found
