"""Two responses to one key: what the new one repaired, what it broke, and in which documents it matters.

Errors of two responses are the same if they have the same class and the same first mention. So a piece that has one
more mention is not a new error.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..scoring.finalize import finalize_rows
from .classes import CLASSES

if TYPE_CHECKING:
    from .findings import Error
    from .results import Diagnosis


@dataclass(frozen=True)
class ClassDifference:
    """A class: the errors of the old and of the new response, how many are gone, and how many are new."""

    kind: str
    old: int
    new: int
    repaired: int
    broken: int

    @property
    def net(self) -> int:
        """How many fewer errors there are than before."""
        return self.repaired - self.broken


@dataclass(frozen=True)
class DocumentDifference:
    """A document: its CoNLL average with the old and the new response, and errors repaired and broken."""

    document: str
    old: float
    new: float
    repaired: int
    broken: int


@dataclass(frozen=True)
class Difference:
    scores: dict[str, tuple[float, float]]  # metric → old, new
    classes: list[ClassDifference]
    documents: list[DocumentDifference]  # those that differ most first
    repaired: list[Error]
    broken: list[Error]

    def to_dict(self) -> dict[str, Any]:
        plain = asdict(self)
        for row, difference in zip(plain["classes"], self.classes, strict=True):
            row["net"] = difference.net
        return plain


def difference(old: Diagnosis, new: Diagnosis) -> Difference:
    """From one response to another."""
    ours, theirs = new.identities, old.identities
    repaired = [number for identity, number in theirs.items() if identity not in ours]
    broken = [number for identity, number in ours.items() if identity not in theirs]
    classes = []
    gone, made = (Counter(d.found.kind[numbers].tolist()) for d, numbers in ((old, repaired), (new, broken)))
    for number, kind in enumerate(CLASSES):
        before, after = (int((d.found.kind == number).sum()) for d in (old, new))
        classes.append(ClassDifference(kind, before, after, gone[number], made[number]))
    scores = {name: (float(old.scores[name].main), float(new.scores[name].main)) for name in new.metrics}
    return Difference(
        scores,
        classes,
        _documents(old, new, repaired, broken),
        [old.error(number) for number in repaired],
        [new.error(number) for number in broken],
    )


def _documents(old: Diagnosis, new: Diagnosis, repaired: list[int], broken: list[int]) -> list[DocumentDifference]:
    if new.options.scope != "document":
        return []
    averages = []
    for d in (old, new):
        rows = finalize_rows(d.prices.start, ["conll"], d.options)
        averages.append({x: float(r["conll"].main) for x, r in zip(d.evidence.pairing.labels, rows, strict=True)})
    gone, made = (
        Counter(d.evidence.documents[row].label for row in d.evidence.row[d.found.lead[numbers]].tolist())
        for d, numbers in ((old, repaired), (new, broken))
    )
    found = [
        DocumentDifference(label, averages[0].get(label, 0.0), after, gone[label], made[label])
        for label, after in averages[1].items()
    ]
    return sorted(found, key=lambda d: (-abs(d.new - d.old), d.document))
