"""The errors of a diagnosis for people: each in a sentence, with its price, and with the systems that share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..diagnosis import Diagnosis
from ..diagnosis.classes import CLASSES, SPAN
from ..diagnosis.findings import short

_SAID = {
    "span error": "The borders of {text} are wrong: the response has {wrong}.",
    "conflated entities": "The response puts {text} into one entity with {of}; the key does not.",
    "extra mention": "The response adds {text} to {of}; the key has no such mention.",
    "extra entity": "The response has an entity that the key lacks: {text}.",
    "divided entity": "The response separates {text} from {of}; in the key they are one entity.",
    "missing antecedent": "The response lacks {of}, the antecedent of {text}.",
    "missing mention": "The response lacks {text}, a mention of {of}.",
    "missing entity": "The response lacks an entity of the key: {text}.",
}


@dataclass(frozen=True)
class Fault:
    """An error: `rows` are mentions of the evidence, `lead` the one to show first."""

    kind: int
    said: str
    price: float  # change of the CoNLL average when it alone is corrected, 0–1
    lead: int
    rows: Sequence[int]
    shared: Sequence[int]  # other systems that make the same error


def said(diagnosis: Diagnosis, number: int) -> str:
    """The error in a sentence."""
    found, text = diagnosis.found, diagnosis.evidence.text
    kind, rows = int(found.kind[number]), found.of(number)
    more = f" and {len(rows) - 1} more" if len(rows) > 1 and kind != SPAN else ""
    sentence = _SAID[CLASSES[kind]]
    words = {"text": short(text(int(found.lead[number])), 60) + more}
    if "{of}" in sentence:
        words["of"] = short(text(diagnosis.anchor(number)), 60)
    if "{wrong}" in sentence:
        words["wrong"] = short(text(int(rows[0])), 60)
    return sentence.format(**words)


def faults(diagnoses: Sequence[Diagnosis], system: int) -> list[Fault]:
    """The errors of one of several systems, in the order of the text."""
    ours = diagnoses[system]
    others = [(n, d.identities) for n, d in enumerate(diagnoses) if n != system]
    identity = {number: key for key, number in ours.identities.items()}
    gains, found = ours.gains.tolist(), []
    for number in np.argsort(ours.found.lead, kind="stable").tolist():
        kind = int(ours.found.kind[number])
        found.append(
            Fault(
                kind,
                said(ours, number),
                gains[number],
                int(ours.found.lead[number]),
                ours.found.of(number).tolist(),
                [n for n, theirs in others if identity.get(number) in theirs],
            )
        )
    return found
