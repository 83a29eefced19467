"""How much of the key a response answers, and its scores on that part. Language models leave out, cut off and reword
text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..corpus.model import IntArray
from ..matching.matched import Matched
from .counting import count
from .finalize import finalize
from .scores import Scores

if TYPE_CHECKING:
    from ..matching.reproduction import Kept
    from .result import Result


@dataclass(frozen=True, eq=False)
class Coverage:
    """The share of the key that a response answers, and the scores on that share.

    documents, documents_answered   documents of the key; those that the response has are answered
    words, words_reached            words of the key; those up to the last reproduced word of a document are reached
    words_reproduced                words of the key that the response has in their order; None: it has no text
    covered                         scores without the mentions of text that the other side lacks
    """

    documents: int
    documents_answered: int
    words: int
    words_reached: int
    words_reproduced: int | None
    covered: Scores

    @property
    def reach(self) -> float:
        """The share of the key's words that were answered."""
        return self.words_reached / self.words if self.words else float("nan")

    @property
    def fidelity(self) -> float | None:
        """The share of the key's text that was reproduced."""
        return None if self.words_reproduced is None or not self.words else self.words_reproduced / self.words

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "documents": {"answered": self.documents_answered, "of": self.documents},
            "words": {"answered": self.words_reached, "of": self.words},
            "text": None if self.words_reproduced is None else {"reproduced": self.words_reproduced, "of": self.words},
            "covered": self.covered.to_dict(),
        }

    @classmethod
    def parse(cls, plain: Mapping[str, Any]) -> Coverage:
        """Read the output of `to_dict`."""
        documents, words, text = plain["documents"], plain["words"], plain["text"]
        reproduced = None if text is None else text["reproduced"]
        covered = Scores.parse(plain["covered"], "covered")
        return cls(documents["of"], documents["answered"], words["of"], words["answered"], reproduced, covered)


def coverage(matched: Matched, kept: Kept, result: Result) -> Coverage:
    """The coverage of a response that does not answer all of the key, or comes from a language model."""
    metrics, whole = list(result), replace(matched, kept=None)
    scores: Scores = result
    if any(lost.any() for lost in kept.lost):
        counts, _ = count(covered(whole, kept.lost), metrics)
        scores = Scores(finalize(counts, metrics, matched.options), "covered")
    words, reached, reproduced = kept.words.sum(axis=0).tolist()
    return Coverage(
        len(kept.answered),
        int(kept.answered.sum()),
        words,
        reached,
        reproduced if kept.compared else None,
        Scores(scores, "covered"),
    )


def covered(matched: Matched, lost: tuple[Any, Any]) -> Matched:
    """The same without the lost mentions."""
    alignment = matched.alignment
    sides = []
    for entity, origin, gone in zip((alignment.key, alignment.response), alignment.origins, lost, strict=True):
        out: IntArray = np.where((origin >= 0) & gone[np.maximum(origin, 0)], -1, entity) if len(gone) else entity
        sides.append(out)
    return replace(matched, alignment=replace(alignment, key=sides[0], response=sides[1]).without_empty_rows())
