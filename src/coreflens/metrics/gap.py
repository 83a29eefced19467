"""GAP: which of two names an ambiguous pronoun stands for (Webster et al. 2018)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..options import Options
from .contingency import Array, Contingency
from .registry import Columns, Values, metric, ratio

MASCULINE, FEMININE = ("he", "him", "his"), ("she", "her", "hers")
_NAMES = ("A", "B")
_ABSENT = "the key has no questions of this kind; it must be a table of GAP (format `gap`)"


class Questions(NamedTuple):
    """Is the pronoun this name? One row per pronoun and name: its block, both answers, and the pronoun's gender."""

    block: IntArray
    key: npt.NDArray[np.bool_]
    response: npt.NDArray[np.bool_]
    feminine: npt.NDArray[np.bool_]
    masculine: npt.NDArray[np.bool_]

    def of(self, chosen: npt.NDArray[np.bool_]) -> Questions:
        block, *answers = self
        return Questions(block[chosen], *(answer[chosen] for answer in answers))


def questions(t: Contingency) -> Questions:
    """The questions that a key of the format `gap` asks, and what the entities of both sides answer."""
    m = t.mentions
    alignment, corpus = m.alignment, m.alignment.sides[0].source
    roles = corpus.attributes.get("role") if corpus is not None else None
    none = np.zeros(0, dtype=bool)
    if corpus is None or roles is None or corpus.format != "gap":
        return Questions(np.zeros(0, dtype=np.int64), none, none, none, none)
    origin = alignment.origins[0]
    row = np.full(len(corpus), -1, dtype=np.int64)  # the row of the alignment for each key mention
    here = np.flatnonzero((origin >= 0) & (m.key >= 0))
    row[origin[here]] = here
    at = {role: np.full(len(corpus.documents), -1, dtype=np.int64) for role in ("pronoun", *_NAMES)}
    for mention, (role, document) in enumerate(zip(roles, corpus.doc.tolist(), strict=True)):
        if role in at:
            at[role][document] = row[mention]
    words = np.array([corpus.words(int(r)).lower() for r in origin[at["pronoun"]]], dtype=object)
    found = []
    for name in _NAMES:
        p, n = at["pronoun"], at[name]
        some = np.flatnonzero((p >= 0) & (n >= 0))
        p, n = p[some], n[some]
        together = (m.response[p] >= 0) & (m.response[p] == m.response[n])
        gender = (np.isin(words[some], words_of) for words_of in (FEMININE, MASCULINE))
        found.append(Questions(alignment.block[p], m.key[p] == m.key[n], together, *gender))
    return Questions(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _counts(t: Contingency, q: Questions) -> tuple[Array, Array, Array]:
    """The numbers of right answers, of true answers in the key, and of true answers in the response."""
    return t.items(q.block, q.key & q.response), t.items(q.block, q.key), t.items(q.block, q.response)


@metric("gap", title="GAP", cite="webster2018", mention_detection=True, absent=_ABSENT)
def gap(t: Contingency) -> tuple[Array, ...]:
    """Pairs of a pronoun and a name that are the same person, for keys in the format of GAP.

        R = right / true in the key        P = right / true in the response

    Each line of GAP asks twice whether the pronoun is a name, A and B. An answer is true if both are mentions of one
    entity, so a response may be any system's entities. 0/0 if the key is not in the format `gap`. `gap-feminine` and
    `gap-masculine` count the lines by the gender of the pronoun, and `gap-bias` is the ratio of their F1.
    """
    right, key, response = _counts(t, questions(t))
    return right, key, right, response


@metric("gap-feminine", title="GAP (feminine)", cite="webster2018", mention_detection=True, absent=_ABSENT)
def gap_feminine(t: Contingency) -> tuple[Array, ...]:
    """`gap` of the lines whose pronoun is she, her or hers.

    R = right / true in the key        P = right / true in the response
    """
    q = questions(t)
    right, key, response = _counts(t, q.of(q.feminine))
    return right, key, right, response


@metric("gap-masculine", title="GAP (masculine)", cite="webster2018", mention_detection=True, absent=_ABSENT)
def gap_masculine(t: Contingency) -> tuple[Array, ...]:
    """`gap` of the lines whose pronoun is he, him or his.

    R = right / true in the key        P = right / true in the response
    """
    q = questions(t)
    right, key, response = _counts(t, q.of(q.masculine))
    return right, key, right, response


def _bias(c: Columns, options: Options) -> Values:
    feminine, masculine = (
        ratio(2 * c[f"{gender}_right"], c[f"{gender}_key"] + c[f"{gender}_response"])
        for gender in ("feminine", "masculine")
    )
    value = ratio(feminine, np.where(masculine != masculine, 0, masculine))
    return {"value": np.where(feminine == 0, np.nan, value)}


@metric(
    "gap-bias",
    title="GAP bias",
    cite="webster2018",
    columns=tuple(f"{gender}_{what}" for gender in ("feminine", "masculine") for what in ("right", "key", "response")),
    finalize=_bias,
    values=("value",),
    mention_detection=True,
    absent=_ABSENT,
)
def gap_bias(t: Contingency) -> tuple[Array, ...]:
    """The F1 of feminine pronouns over the F1 of masculine ones: 1 (100 points) if the response favours neither.

        bias = F1(gap-feminine) / F1(gap-masculine)

    Below 1, masculine pronouns are resolved better, above 1, feminine ones. The ratio has no upper bound. It is
    undefined if either F1 is 0 or 0/0.
    """
    q = questions(t)
    return *_counts(t, q.of(q.feminine)), *_counts(t, q.of(q.masculine))
