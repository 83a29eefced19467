"""Typed errors and what each costs: `diagnose`.

What is known     evidence.py           the mentions of both sides: place, text, head, type and entities
                  mention_places.py     where they are in the text of one side
                  fields.py             what to group by
Errors            classes.py            the seven classes of Kummerfeld & Klein (2013)
                  links.py              wrong links by spanning trees
                  anaphora.py           bridging, split antecedents
Prices            repairs.py            the response with errors corrected
                  recount.py            the counts of many corrected responses at once
                  prices.py             the scores after repairs
                  class_prices.py       what classes and the best repairs cost
                  gains.py              what every single error costs
                  changed_entities.py   the entities that its repair removes and makes
                  ceafe_rematching.py   the alignment of CEAFe after it
                  augmenting_paths.py   the search for this alignment, if one is needed
Losses            account.py            what each mention earns, and could earn
                  losses.py             the entities and mentions that lose most
The result        results.py            `Diagnosis`
                  findings.py           errors and prices as records
                  descriptions.py       errors in words
                  differences.py        two responses
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from ..errors import Issue
from ..formats import FormatName, Input
from ..keywords import known_keywords
from ..matching.matched import Matched
from ..options import Policies
from ..protocols import ProtocolName
from ..scoring.scorer import Scorer
from ..scoring.settings import Metrics
from .classes import classify
from .evidence import Evidence
from .prices import Prices
from .results import Diagnosis


@known_keywords
def diagnose(
    key: Input,
    response: Input,
    *,
    against: Input | None = None,
    metrics: Metrics | None = None,
    protocol: ProtocolName | None = None,
    encoding: str | None = None,
    key_format: FormatName | None = None,
    response_format: FormatName | None = None,
    **options: Unpack[Policies],
) -> Diagnosis:
    """What is wrong with a response, of which class, and what it costs in every metric.

    Inputs and settings are those of `score`. `against` is another response: the diagnosis then also has the errors that
    this one repaired and broke. Singletons that `singletons` drops are not errors and stay as they are. Repetitions
    that `duplicates="perl"` keeps in the key are not errors either, because no response can find them. An issue reports
    them.

        d = diagnose("key.conll", "response.conll"); print(d); d.errors(kind="missing mention", type="pronoun")
    """
    scorer = Scorer(
        key,
        metrics=metrics,
        protocol=protocol,
        encoding=encoding,
        key_format=key_format,
        response_format=response_format,
        **options,
    )
    other = None if against is None else diagnosed(scorer.match(against), scorer.metrics)
    return diagnosed(scorer.match(response), scorer.metrics, other)


def diagnosed(matched: Matched, metrics: Sequence[str], against: Diagnosis | None = None) -> Diagnosis:
    """The diagnosis of a matched response: what is known about its mentions, its errors, and what they cost.

    `against` is the diagnosis of another response.
    """
    matched.whole("a diagnosis")
    evidence = Evidence.of(matched)
    errors = classify(evidence)
    prices = Prices(evidence, [*dict.fromkeys([*metrics, "conll"])])
    return Diagnosis(evidence, errors, prices, _issues(matched, evidence), against)


def _issues(matched: Matched, evidence: Evidence) -> list[Issue]:
    """The messages about the input and about what the diagnosis leaves out."""
    issues = [*matched.issues, *evidence.issues]
    if matched.alignment.splits is not None:
        message = "prices in CoNLL do not include split antecedents, which have their own classes; the score may differ"
        issues.append(Issue("split-antecedents", message))
    if matched.options.singletons == "drop-before" and matched.options.match != "exact":
        message = "a singleton that a repair leaves behind is dropped as well; the other mentions are not matched again"
        issues.append(Issue("prices", message))
    return issues


__all__ = [
    "Diagnosis",
    "account",
    "anaphora",
    "classes",
    "diagnose",
    "diagnosed",
    "differences",
    "evidence",
    "findings",
]
