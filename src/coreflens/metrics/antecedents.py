"""The scores of split antecedents alone, regardless of their entities (Paun et al. 2022)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..options import Options
from .bcubed import bcub
from .blanc import coreference, link_counts, non_coreference
from .ceaf import ceafe, ceafm
from .contingency import Array, Contingency
from .lea import lea
from .links import muc
from .registry import METRICS, Columns, Metric, Values, average, ratio, replaced

BLANC = (
    *("coref_common", "coref_key", "coref_response", "non_common", "non_key", "non_response"),
    *("all_coref", "all_non"),
)


def _alone(t: Contingency, count: Callable[[Contingency], Sequence[Array]]) -> tuple[Array, ...]:
    if t.antecedents is None:
        nothing = t.items(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        return nothing, nothing, nothing, nothing
    return t.antecedents.alone(count, t.blocks)


def _register(name: str, of: Callable[[Contingency], Sequence[Array]]) -> None:
    def count(t: Contingency) -> tuple[Array, ...]:
        return _alone(t, of)

    title = METRICS[name].title
    METRICS[f"split-{name}"] = Metric(
        f"split-{name}",
        f"split {title}",
        "paun2022",
        count,
        split=True,
        other_anaphora=True,
        doc=f"{title} of split antecedents alone, regardless of their entities.\n\n    "
        "R = Σ numerators of the pairs / Σ denominators of all sets of the key;  P: of the response\n\n"
        f"{title} is computed on the entities of a set of the key and of one of the response, and sets "
        "are paired one to one by the largest Σ F1. 0/0 if neither side has any.",
    )


for _name, _count in (("muc", muc), ("bcub", bcub), ("ceafm", ceafm), ("ceafe", ceafe), ("lea", lea)):
    _register(_name, _count)


def _blanc(t: Contingency) -> tuple[Array, ...]:
    coref, non = _alone(t, coreference), _alone(t, non_coreference)
    links = link_counts(t)
    of_coref, of_non = (coref[0], coref[1], coref[3]), (non[0], non[1], non[3])
    return (*of_coref, *of_non, links[1] + links[2], links[4] + links[5])


def _finalize(c: Columns, options: Options) -> Values:
    """The mean of both kinds of links. If the entities of neither side have links of one kind, only the other kind
    counts."""
    values: dict[str, Any] = {}
    for name, side in (("recall", "key"), ("precision", "response"), ("f1", "")):
        parts = []
        for kind in ("coref", "non"):
            below = c[f"{kind}_{side}"] if side else c[f"{kind}_key"] + c[f"{kind}_response"]
            part = ratio(c[f"{kind}_common"] * (1 if side else 2), below)
            parts.append(replaced(part != part, 0, part))
        x, y = parts
        mean = np.where(c["all_coref"] == 0, y, np.where(c["all_non"] == 0, x, (x + y) / 2))
        sets = c["coref_key"] + c["non_key"], c["coref_response"] + c["non_response"]
        none = {"key": sets[0] == 0, "response": sets[1] == 0, "": (sets[0] == 0) & (sets[1] == 0)}[side]
        values[name] = np.where(none, np.nan, mean)
    return values


METRICS["split-blanc"] = Metric(
    "split-blanc",
    "split BLANC",
    "paun2022",
    _blanc,
    columns=BLANC,
    finalize=_finalize,
    split=True,
    other_anaphora=True,
    identity=False,
    doc="BLANC of split antecedents alone: coreference and non-coreference links within their sets of entities.\n\n    "
    "R = (R_c + R_n)/2        P = (P_c + P_n)/2        F1 = (F_c + F_n)/2\n\nEach part as in `split-muc`. A part that "
    "the entities of neither side have is left out. A part that only the sets lack is 0, so sets of singletons reach "
    "at most 1/2, as in the scorer of Universal Anaphora.",
)
average(
    "split",
    title="split antecedents",
    cite="paun2022",
    of=("split-muc", "split-bcub", "split-ceafe"),
    aliases=("only split antecedents",),
    doc="Mean of the F1 of MUC, B³ and CEAFe of split antecedents alone.\n\n    split = (F1(split-muc) + "
    "F1(split-bcub) + F1(split-ceafe)) / 3\n\nThe scorer of Universal Anaphora prints it for `only_split_antecedent`. "
    "The set `split-antecedents` has all parts.",
)
