"""Typed errors and what each costs: `diagnose`.

classes.py      the seven classes of Kummerfeld & Klein (2013)      links.py        wrong links by spanning trees
repairs.py      the response with errors corrected                  prices.py       the scores after repairs
gains.py        the price of every single error                     moves.py        the entities that a repair changes
rematching.py   the alignment of CEAFe after repairs                paths.py        the search for it, if one is needed
account.py      which mentions lose the points                      fields.py       what to group by
differences.py  two responses                                       evidence.py     heads, types, words
placement.py    mentions in the text of one side                    findings.py     errors and prices as records
results.py      the result, `Diagnosis`                             anaphora.py     bridging, split antecedents
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
from .evidence import Evidence
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
    """The diagnosis of a matched response; `against` is the diagnosis of another one."""
    matched.whole("a diagnosis")
    evidence = Evidence.of(matched)
    issues = [*matched.issues, *evidence.issues]
    if matched.alignment.splits is not None:
        message = "prices in CoNLL do not include split antecedents, which have their own classes; the score may differ"
        issues.append(Issue("split-antecedents", message))
    if matched.options.singletons == "drop-before" and matched.options.match != "exact":
        message = "a singleton that a repair leaves behind is dropped as well; the other mentions are not matched again"
        issues.append(Issue("prices", message))
    return Diagnosis(evidence, metrics, issues, against)


__all__ = ["Diagnosis", "account", "anaphora", "classes", "diagnose", "diagnosed", "evidence", "findings"]
