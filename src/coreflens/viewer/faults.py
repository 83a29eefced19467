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


class Faults:
    """The errors of one of several systems, by document. Their sentences are written when a document needs them."""

    def __init__(self, diagnoses: Sequence[Diagnosis], system: int) -> None:
        self._ours = diagnoses[system]
        self._others = {n: other.identities for n, other in enumerate(diagnoses) if n != system}
        self._identity = {number: key for key, number in self._ours.identities.items()} if self._others else {}
        self._gains = self._ours.gains
        lead, e = self._ours.found.lead, self._ours.evidence
        self._order = np.argsort(lead, kind="stable")
        self._bounds = np.searchsorted(e.row[lead[self._order]], np.arange(len(e.documents) + 1)).tolist()

    def count(self, d: int) -> int:
        """How many errors a document has."""
        number: int = self._bounds[d + 1] - self._bounds[d]
        return number

    def of(self, d: int) -> list[Fault]:
        """The errors of a document in the order of the text."""
        found, numbers = self._ours.found, self._order[self._bounds[d] : self._bounds[d + 1]]
        columns = (x[numbers].tolist() for x in (found.kind, found.lead, self._gains))
        return [
            Fault(kind, said(self._ours, number), price, lead, found.of(number).tolist(), self._shared(number))
            for number, kind, lead, price in zip(numbers.tolist(), *columns, strict=True)
        ]

    def _shared(self, number: int) -> list[int]:
        """The other systems that make an error."""
        return [n for n, theirs in self._others.items() if self._identity[number] in theirs]
