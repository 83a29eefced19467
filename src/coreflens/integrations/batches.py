"""A batch of documents in a training loop, and whether its sides look exchanged.

A loop gives predictions before targets, and the functions of coreflens take the key first. So the two are easily
exchanged, and P and R with them. What can be seen of it: the targets of an epoch are those of the epoch before, and
predictions change; and a model that has learnt nothing may predict nothing, but targets are not all empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import Issue, UsageError, warn_of
from ..formats import Input
from ..formats.shapes import batch_of
from ..scoring.result import Result

EXCHANGED = "sides-exchanged"


class Batch(NamedTuple):
    """Predicted documents and their targets."""

    preds: list[Input]
    target: list[Input]

    @classmethod
    def of(cls, preds: Any, target: Any, response: Any, key: Any) -> Batch:
        """A batch by either names of its sides."""
        for one, other, names in ((preds, response, "preds or response"), (target, key, "target or key")):
            if (one is None) is (other is None):
                given = "both are given" if one is not None else "neither is given"
                raise UsageError(f"give one of {names}: {given}")
        predicted = batch_of(response if preds is None else preds, "predicted documents")
        gold = batch_of(key if target is None else target, "targets")
        if len(predicted) != len(gold):
            raise UsageError(f"{len(predicted)} predicted documents, but {len(gold)} targets")
        return cls(predicted, gold)

    def pairs(self) -> Iterator[tuple[Input, Input]]:
        """Each predicted document with its target."""
        return zip(self.preds, self.target, strict=True)


class Order:
    """What was seen of the sides, a document of each batch, to tell predictions from targets."""

    def __init__(self) -> None:
        self._before: tuple[set[int], set[int]] = (set(), set())
        self._now: tuple[set[int], set[int]] = (set(), set())
        self._batches = self._empty_targets = self._predictions = 0

    def see(self, batch: Batch) -> None:
        """Look at the first document of a batch."""
        if not batch.preds:
            return
        for seen, documents in zip(self._now, batch, strict=True):
            seen.add(hash(repr(documents[0])))
        self._batches += 1
        self._empty_targets += _is_empty(batch.target[0])
        self._predictions += not _is_empty(batch.preds[0])

    def start_again(self) -> None:
        """A new epoch begins."""
        self._before, self._now = self._now, (set(), set())
        self._batches = self._empty_targets = self._predictions = 0

    def issues(self) -> list[Issue]:
        """The note on sides that look exchanged; none if there is no sign of it."""
        if why := self._evidence():
            return [Issue(EXCHANGED, f"predictions and targets look exchanged: {why}; update takes predictions first")]
        return []

    def noted(self, result: Result) -> Result:
        """The result with this note."""
        found = self.issues()
        result.issues = [*found, *result.issues]
        warn_of(found)
        return result

    def _evidence(self) -> str:
        preds, targets = self._now
        before_preds, before_targets = self._before
        if len(preds) > 1 and preds <= before_preds and not targets & before_targets:
            return "the predictions are those of the epoch before, and the targets are others"
        if self._predictions and self._empty_targets == self._batches > 1:
            return "no target has a mention, and the predictions have"
        return ""


def _is_empty(document: Any) -> bool:
    return isinstance(document, (list, tuple, set, dict)) and not any(document)
