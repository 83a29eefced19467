"""Typed errors and what each costs: `diagnose`.

classes.py      the seven classes of Kummerfeld & Klein (2013)      links.py        wrong links by spanning trees
repairs.py      errors put right                                    prices.py       the scores then
gains.py        of each error alone, all at once                    moves.py        the mentions its repair moves
rematching.py   CEAFe's alignment after it                          account.py      who loses the points
fields.py       what to group by                                    differences.py  two responses
evidence.py     heads, types, words                                 placement.py    mentions in the text of one side
findings.py     errors and prices as records                        tables.py       tables of it
results.py      all of it, `Diagnosis`
"""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from ..errors import Issue
from ..formats import FormatName, Input, read
from ..metrics import select
from ..protocols import Policies, ProtocolName, resolve
from ..scoring.scorer import aligned
from ..scoring.settings import Metrics
from .evidence import Evidence
from .results import Diagnosis


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

    Inputs and settings are those of `score`. `against` is another response: then also what this one repaired and broke.
    Singletons that `singletons` drops are no errors and stay as they are.

        d = diagnose("key.conll", "response.conll"); print(d); d.errors(kind="missing mention", type="pronoun")
    """
    chosen, _ = select(metrics)
    _, settled = resolve(protocol, **options)
    noted: list[Issue] = []
    if settled.duplicates == "perl":  # which scores a mention twice: that can't be put right
        settled = replace(settled, duplicates="first")
        noted.append(
            Issue("duplicates", "of a repeated mention the first is diagnosed, not as --duplicates perl counts")
        )
    gold = read(key, format=key_format, encoding=encoding, role="key")

    def one(source: Input, other: Diagnosis | None) -> Diagnosis:
        corpus = read(source, format=response_format, encoding=encoding, role="response")
        pairing, alignment, issues = aligned(gold, corpus, settled)
        evidence = Evidence.of(gold, corpus, pairing, alignment, settled)
        found = [*noted, *issues, *evidence.issues]
        return Diagnosis(evidence, chosen, settled, found, other)

    return one(response, None if against is None else one(against, None))


__all__ = ["Diagnosis", "account", "classes", "diagnose", "evidence", "findings", "tables"]
