"""Scores by attributes of mentions or entities: for each value, both sides are selected as by `--only`.

Each part is scored separately, so the counts of the parts do not add up to those of the whole. An entity with mentions
of several values is cut, and its links between the parts are lost. A mention whose two sides have different values is
missed in one part and spurious in another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..conditions import ALL, Condition, conditions, only
from ..corpus.model import Corpus
from ..matching.matched import Matched, match
from ..matching.selection import selected_values
from ..options import Options
from .counting import count
from .counts import Counts
from .finalize import finalize
from .parts import STRATA, strata_of
from .scores import Scores

if TYPE_CHECKING:
    from .result import Result

ADDED_UP = "parts added up"


def strata(matched: Matched, by: str, result: Result, *, of_key: bool = False) -> dict[str, Result]:
    """The result of each value of an attribute: first the values of the key by frequency, then those of the response
    only.

    `of_key` leaves out the values that only the response has, for tables of several responses.
    """
    if by in STRATA:
        return strata_of(result, by, of_key=of_key)
    sides = _before_selection(matched)
    read = sides[:1] if of_key or matched.options.on == "key" else sides
    values = selected_values(by, read, matched.options)
    new_result = type(result)  # `Result.parts` is the door to this module, which therefore does not import it
    found: dict[str, Result] = {}
    for label in dict.fromkeys(value for some in values for value in some):
        part = replace(matched.options, only=_narrowed(matched.options, by, label))
        met = match(*sides, part, lenient=True)
        counts, issues = count(met, result.signature.metrics, exact=_exact(result))
        found[label] = new_result(counts, result.signature.metrics, part, result.signature.protocol, issues)
    return found


def _before_selection(matched: Matched) -> tuple[Corpus, Corpus]:
    """Key and response before any condition, because conditions look at whole entities."""
    return matched.unselected or (matched.key, matched.response)


def added_up(parts: Mapping[str, Result], result: Result) -> Scores:
    """The scores of the counts of all the parts."""
    nothing = result.counts.take(np.zeros(0, dtype=np.int64))
    together = Counts.concatenate([nothing, *(part.counts for part in parts.values())])
    return Scores(finalize(together, result.signature.metrics, result.options), ADDED_UP)


def _exact(result: Result) -> bool:
    return result.counts.values.dtype == object


def _narrowed(options: Options, by: str, label: str) -> str:
    """The conditions of the options and this one. It takes the place of a condition on the same attribute."""
    before = [] if options.only == ALL else conditions(options.only)
    others = [condition for condition in before if condition.attribute != by]
    return only([str(condition) for condition in (*others, Condition(by, (label,)))])
