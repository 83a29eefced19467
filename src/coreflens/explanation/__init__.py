"""How a score is derived, with the actual numbers: `explain`.

The metric's own code runs on tables that record what was summed (`trace`). A derivation, with one file per family,
turns these terms into steps of text and sheets of numbers (`structure`), and `writing` renders them. A metric that has
no derivation is explained from its counts.
"""

from __future__ import annotations

from importlib import import_module
from typing import Unpack

from ..errors import UsageError
from ..formats import Input
from ..keywords import known_keywords, refuse_idle_keywords
from ..matching.matched import Matched
from ..metrics import METRICS, spelled
from ..scoring.scorer import Scorer
from ..scoring.settings import ViewSettings
from .derivation import Case, explained
from .entity import entity_explained
from .naming import Names
from .structure import Explanation, Sheet, Step

__all__ = ["Explanation", "Sheet", "Step", "case_of", "derivation", "explain", "is_small", "structure"]

for _family in ("ratios", "ceaf", "cores", "blanc", "partitions", "distributions"):  # these register themselves
    import_module(f".{_family}", __name__)

_EXACT = 1000  # up to this number of mentions, everything is computed in fractions


@known_keywords
def explain(
    key: Input,
    response: Input,
    metric: str = "conll",
    *,
    document: str | None = None,
    entity: str | None = None,
    limit: int = 12,
    digits: int | None = None,
    paper_rounding: bool = False,
    exact: bool | None = None,
    **settings: Unpack[ViewSettings],
) -> Explanation:
    """The derivation of a metric's score, with the numbers of this key and this response.

    document         explain this document's score instead of the corpus's
    entity           explain what this entity, K3 or R1, earns; name its `document` if there are several
    limit            the maximum number of rows of a table; a longer table shows the rows that lose most and sums up the
                     rest
    digits           decimals of the scores
    paper_rounding   scores as shares with three decimals, and F from the rounded P and R, as in Cai & Strube 2010
    exact            compute with fractions; by default only if there are few mentions

    All other settings are those of `score`.

        print(explain([{"a", "b", "c"}], [{"a", "b"}, {"c"}], "muc"))
    """
    if limit < 1:
        raise UsageError("limit: at least one row has to be shown")
    name = spelled(metric, METRICS)
    if name != "mela":
        refuse_idle_keywords(settings, ["weights"], "they are those of the metric `mela`")
    if document is not None:
        refuse_idle_keywords(settings, ["average"], "one document has no average")
    scorer = Scorer(key, metrics=[name], exact=bool(exact), **settings)
    matched = scorer.match(response)
    if exact is None:
        scorer.exact = is_small(matched)
    digits = (3 if paper_rounding else 2) if digits is None else digits
    case = case_of(scorer, matched, limit, digits, paper_rounding)
    return explained(case, name, document) if entity is None else entity_explained(case, name, entity, document)


def is_small(matched: Matched) -> bool:
    """Whether the mentions are few enough to compute with fractions."""
    return len(matched.key) + len(matched.response) <= _EXACT


def case_of(scorer: Scorer, matched: Matched, limit: int = 12, digits: int = 2, paper_rounding: bool = False) -> Case:
    """A response scored, to be explained in any of the scorer's metrics."""
    matched.whole("an explanation")
    result = scorer.result(matched)
    names = Names(matched.alignment, matched.key, matched.response, matched.options.scope != "document")
    return Case(result, result.counts, matched, names, scorer.exact, limit, digits, paper_rounding)
