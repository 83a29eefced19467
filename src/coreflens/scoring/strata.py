"""Scores by attributes of mentions or entities: for each value, both sides are selected as by `--only`.

Each part is scored separately, so the counts of the parts do not add up to those of the whole. An entity with mentions
of several values is cut, and its links between the parts are lost. A mention whose two sides have different values is
missed in one part and spurious in another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..conditions import ALL, NOTHING, Condition, names, only
from ..matching.matched import Matched, match
from ..matching.selection import valued
from ..options import CHOICES, Options
from .counts import Counts, count
from .finalize import finalize
from .parts import STRATA, strata_of
from .result import Result
from .scores import Scores

ADDED_UP = "parts added up"


def strata(matched: Matched, by: str, result: Result, *, of_key: bool = False) -> dict[str, Result]:
    """The result of each value of an attribute: first the values of the key by frequency, then those of the response
    only.

    `of_key` leaves out the values that only the response has, for tables of several responses.
    """
    if by in STRATA:
        return strata_of(result, by, of_key=of_key)
    known = CHOICES["without"]
    plain = replace(
        matched.options,
        only=ALL,
        without=",".join(n for n in names(matched.options.without) if n in known) or NOTHING,
    )
    sides = (matched.key,) if plain.on == "key" else (matched.key, matched.response)
    there = valued(by, sides, plain)
    found: dict[str, Result] = {}
    for label in dict.fromkeys(value for side in there[: 1 if of_key else 2] for value in side.counts()):
        part = replace(plain, only=str(Condition(by, (label,))))
        met = match(matched.key, matched.response, part, lenient=True)
        counts, issues = count(met, result.signature.metrics, exact=_exact(result))
        told = replace(result.options, only=_narrowed(result.options, by, label))
        found[label] = Result(counts, result.signature.metrics, told, result.signature.protocol, issues)
    return found


def added_up(parts: Mapping[str, Result], result: Result) -> Scores:
    """The scores of the counts of all the parts."""
    together = Counts.concatenate([part.counts for part in parts.values()])
    return Scores(finalize(together, result.signature.metrics, result.options), ADDED_UP)


def _exact(result: Result) -> bool:
    return result.counts.values.dtype == object


def _narrowed(options: Options, by: str, label: str) -> str:
    """The conditions of the options and this one."""
    before = [] if options.only == ALL else [options.only]
    return only([*before, str(Condition(by, (label,)))])
