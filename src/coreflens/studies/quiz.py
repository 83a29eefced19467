"""Scores of answers to multiple-choice questions: accuracy by kind of question, with intervals by document.

Questions of one document depend on each other. So the intervals come from a percentile bootstrap over documents, not
over questions. An answer that is missing, or that names no option, counts as wrong and is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import PLACES, InputError, Issue, UsageError, counted
from ..files.encoding import text as decoded
from ..files.encoding import unpacked
from ..files.finding import find
from ..files.notation import json_value
from ..files.opening import run
from ..integers import bincount
from ..keywords import known_keywords
from ..presentation import Presented, writer_of
from .questions import NONE

if TYPE_CHECKING:
    from ..paper.table import Table

_BINS = ((0, "0"), (1, "1"), (2, "2"), (5, "3–5"), (10**9, "6+"))
_LETTER = re.compile(
    r"(?:answer|option)?\s*(?:is)?\s*[:=]?\s*[\(\[*\"'“]*([A-Za-z])[\)\]*\"'”.:,]*(?:\s.*)?", re.I | re.S
)
_FEW = 10  # documents
_BLOCK = 1 << 22  # weights drawn at once


@dataclass(frozen=True)
class Accuracy:
    """Right answers of some questions; `chance` is the accuracy of guessing, `low` and `high` are the interval's ends.

    The ends are None if all questions are from one document.
    """

    group: str
    value: str
    questions: int
    right: int
    chance: float
    low: float | None
    high: float | None

    @property
    def accuracy(self) -> float:
        """Right answers per question."""
        return self.right / self.questions

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "group": self.group,
            "value": self.value,
            "questions": self.questions,
            "right": self.right,
            "accuracy": self.accuracy,
            "chance": self.chance,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True)
class Quiz(Presented):
    """The accuracy over all questions, the first of `rows`, and by type, nesting, distance and kind of right option."""

    rows: list[Accuracy]
    documents: int
    answered: int
    confidence: float
    issues: tuple[Issue, ...] = ()

    @property
    def accuracy(self) -> float:
        """Right answers per question, over all questions."""
        return self.rows[0].accuracy

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "documents": self.documents,
            "answered": self.answered,
            "confidence": self.confidence,
            "accuracy": [row.to_dict() for row in self.rows],
            "issues": [issue.to_dict() for issue in self.issues],
        }

    def table(self, digits: int = 2) -> Table:
        """One row per group of questions."""
        found: Table = writer_of(self).table(self, digits)
        return found

    def __repr__(self) -> str:
        return str(self)


@known_keywords
@run()
def score_quiz(
    questions: str | Path,
    answers: str | Path,
    *,
    bootstrap: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
    encoding: str | None = None,
) -> Quiz:
    """The accuracy of answers to the questions of `make_quiz`; an answer is a line `{"id": ..., "answer": "B"}`.

    An answer is the letter of an option, alone or followed by its words (`B`, `(b)`, `Answer: B) the aunt`), or the
    words of an option. `bootstrap` is the number of resamples for the intervals, drawn by document.
    """
    if bootstrap < 1 or not 0 < confidence < 1:
        raise UsageError("an interval needs 1 resample or more, and a confidence between 0 and 1")
    asked = dict(_questions(str(questions), encoding))
    given, strangers = _answers(str(answers), asked, encoding)
    right = np.array([given.get(name) == q["answer"] for name, q in asked.items()], dtype=np.float64)
    numbers: dict[str, int] = {}
    document = np.array([numbers.setdefault(q["doc"], len(numbers)) for q in asked.values()], dtype=np.int64)
    weights = _weights(len(numbers), bootstrap, seed)
    rows = []
    for group, values in _groups(list(asked.values())).items():
        for value, chosen in values.items():
            low, high = _interval(right, document, chosen, weights, confidence)
            some = [q for q, take in zip(asked.values(), chosen.tolist(), strict=True) if take]
            chance = float(np.mean([1 / len(q["options"]) for q in some]))
            rows.append(Accuracy(group, value, len(some), int(right[chosen].sum()), chance, low, high))
    answered = sum(bool(letter) for letter in given.values())
    issues = _issues(asked, given, strangers)
    if len(numbers) < _FEW:
        message = f"intervals from {counted(numbers, 'document')}: too few to trust them"
        issues = (*issues, Issue("few-documents", message))
    return Quiz(rows, len(numbers), answered, confidence, issues)


def _records(path: str, encoding: str | None) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for file in find(path).files:
        lines = decoded(unpacked(file.load(), file.name, encoding, file.budget), file.name).split("\n")
        for number, line in enumerate(lines, start=1):
            if line.strip():
                record = json_value(line, file.name, first=number, hint="one JSON object per line")
                if not isinstance(record, dict) or not isinstance(record.get("id"), str):
                    hint = 'as in {"id": "doc#7", "answer": "B"}'
                    raise InputError("a JSON object with an id is expected", file=file.name, line=number, hint=hint)
                yield file.name, number, record


def _questions(path: str, encoding: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    seen: set[str] = set()
    for file, line, record in _records(path, encoding):
        options = record.get("options")
        sound = isinstance(options, dict) and record.get("answer") in options
        sound = sound and all(isinstance(record.get(name), str) for name in ("doc", "type", "nesting"))
        if not sound or type(record.get("distance")) is not int:
            hint = "`coreflens quiz make` writes them"
            raise InputError("not a question with options and an answer", file=file, line=line, hint=hint)
        if record["id"] in seen:
            raise InputError(f"the question '{record['id'][:80]}' is here twice", file=file, line=line)
        seen.add(record["id"])
        yield record["id"], record
    if not seen:
        raise InputError("no questions here", file=path)


def _answers(path: str, asked: Mapping[str, dict[str, Any]], encoding: str | None) -> tuple[dict[str, str], list[str]]:
    """Question → letter, "" if the answer names no option; and answers without a question."""
    answers: dict[str, str] = {}
    strangers = []
    for file, line, record in _records(path, encoding):
        name, answer = record["id"], record.get("answer")
        if name not in asked:
            strangers.append(f"{file}:{line}")
        elif name in answers:
            raise InputError(f"the question '{name[:80]}' is answered twice", file=file, line=line)
        elif answer is not None:
            answers[name] = letter_of(str(answer), asked[name]["options"])
    if not answers and strangers:
        raise InputError("none of these answers belongs to a question", file=path)
    return answers, strangers


def letter_of(answer: str, options: Mapping[str, str]) -> str:
    """The letter of the option that an answer names; "" if it names none, or might name two."""
    plain = " ".join(answer.split()).casefold()
    whole = [letter for letter, words in options.items() if words.casefold() == plain]
    if whole:
        return whole[0]
    match = _LETTER.fullmatch(answer.strip())
    if match and match[1].upper() in options:
        letter, behind = match[1].upper(), answer.strip()[match.end(1) :]
        # "A man" begins with a letter, but does not name an option by it
        if not behind[:1].isspace() or behind.strip().casefold() == options[letter].casefold():
            return letter
    return ""


def _groups(asked: list[dict[str, Any]]) -> dict[str, dict[str, npt.NDArray[np.bool_]]]:
    """Group → value → which questions."""
    columns = {
        "all": [""] * len(asked),
        "type": [q["type"] for q in asked],
        "nesting": [q["nesting"] for q in asked],
        "distance": [next(label for high, label in _BINS if q["distance"] <= high) for q in asked],
    }
    if any(NONE in q["options"].values() for q in asked):
        columns["right option"] = ["none" if q["options"][q["answer"]] == NONE else "a mention" for q in asked]
    order = {label: n for n, (_, label) in enumerate(_BINS)}
    groups: dict[str, dict[str, npt.NDArray[np.bool_]]] = {}
    for group, values in columns.items():
        distinct = sorted(set(values), key=lambda value: (order.get(value, 0), value))
        groups[group] = {value: np.array([other == value for other in values], dtype=bool) for value in distinct}
    return groups


def _weights(documents: int, resamples: int, seed: int) -> npt.NDArray[np.float64] | None:
    """How often each document is drawn in each resample; None if there is only one."""
    if documents < 2:
        return None
    generator = np.random.default_rng(seed)
    step = max(_BLOCK // documents, 1)
    even = np.full(documents, 1 / documents)
    blocks = [generator.multinomial(documents, even, min(step, resamples - a)) for a in range(0, resamples, step)]
    return np.concatenate(blocks).astype(np.float64)


def _interval(
    right: npt.NDArray[np.float64],
    document: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.bool_],
    weights: npt.NDArray[np.float64] | None,
    confidence: float,
) -> tuple[float | None, float | None]:
    """The percentile interval of the accuracy; resamples without such a question are left out."""
    if weights is None or len(np.unique(document[chosen])) < 2:
        return None, None
    size = weights.shape[1]
    sums = weights @ bincount(document[chosen], weights=right[chosen], minlength=size)
    numbers = weights @ bincount(document[chosen], minlength=size).astype(np.float64)
    drawn = sums[numbers > 0] / numbers[numbers > 0]
    low, high = np.quantile(drawn, ((1 - confidence) / 2, (1 + confidence) / 2))
    return float(low), float(high)


def _issues(asked: Mapping[str, dict[str, Any]], given: Mapping[str, str], strangers: list[str]) -> tuple[Issue, ...]:
    missing = [name for name in asked if name not in given]
    unclear = [name for name, letter in given.items() if not letter]
    issues = []
    if missing:
        message = f"{counted(missing, 'question')} without an answer: counted as wrong"
        issues.append(Issue("unanswered", message, len(missing), tuple(missing[:PLACES])))
    if unclear:
        message = f"{counted(unclear, 'answer')} naming no option: counted as wrong"
        issues.append(Issue("unclear-answers", message, len(unclear), tuple(unclear[:PLACES])))
    if strangers:
        message = f"{counted(strangers, 'answer')} to questions that were not asked: left out"
        issues.append(Issue("extra-answers", message, len(strangers), tuple(strangers[:PLACES])))
    return tuple(issues)
