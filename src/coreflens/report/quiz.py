"""The accuracy of answers, on paper."""

from __future__ import annotations

from ..paper.table import Table, points
from ..paper.writers import WRITERS
from ..studies.quiz import Quiz


def text(quiz: Quiz) -> str:
    """One row per group of questions, for a terminal."""
    return WRITERS["table"](table(quiz), "")


def table(quiz: Quiz, digits: int = 2) -> Table:
    """One row per group of questions."""
    interval = f"{100 * quiz.confidence:g}% interval"
    rows = [
        [
            row.group,
            row.value,
            str(row.questions),
            points(row.accuracy, digits),
            "n/a" if row.low is None else f"{points(row.low, digits)}–{points(row.high, digits)}",
            points(row.chance, digits),
        ]
        for row in quiz.rows
    ]
    header = ["by", "value", "questions", "accuracy", interval, "chance"]
    return Table(header, rows, left=frozenset({0, 1}), name="Accuracy of answers")
