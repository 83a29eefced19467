"""A table of cells, and numbers as its cells show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ..metrics import METRICS
from ..scoring.scores import Number, Score, is_number, percent

NOT_AVAILABLE = "n/a"
COUNTED = "°"  # after a number that stands for 0/0, or for a mean with such a number


@dataclass(frozen=True, slots=True)
class Table:
    """Header and rows of text; `left` columns are words, the others numbers. The last `strong` rows stand apart,
    in bold where a format has it; the last `below` rows stand apart, as what is computed from those above.

    `spans` are headings over several columns each, all columns covered in order; cells (row, column) of `bold` are the
    best of theirs, `marks` stand behind a cell, such as a dagger, and `headings` before the row of that number. The
    `caption` says in sentences what the table shows; `name` is the title in LaTeX if there is none in a terminal;
    `width` is where LaTeX puts it, in a column or across a page.
    """

    header: list[str]
    rows: list[list[str]]
    left: frozenset[int] = frozenset({0})
    strong: int = 0
    title: str = ""
    spans: tuple[tuple[str, int], ...] = ()
    bold: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    headings: Mapping[int, str] = field(default_factory=dict)
    below: int = 0
    caption: str = ""
    width: str = ""
    name: str = ""

    @property
    def long_header(self) -> list[str]:
        """The header with its spans in each cell, for formats that have one line of header."""
        over = [label for label, width in self.spans for _ in range(width)] or [""] * len(self.header)
        return [f"{span} {name}".strip() for span, name in zip(over, self.header, strict=True)]


def points(number: Number | None, digits: int) -> str:
    """A share in points, halves rounded up; n/a if it is not defined, empty if the metric does not have it."""
    if number is None:
        return ""
    return percent(number, digits) if is_number(number) else NOT_AVAILABLE


def signed(number: Number | None, digits: int, plus: bool = True) -> str:
    """A difference in points, with a true minus sign, and a plus sign if asked for; n/a if it is not defined."""
    if not is_number(number):
        return NOT_AVAILABLE
    text = percent(number, digits)
    text = text if text.startswith("-") else f"+{text}"
    if not text.strip("+-0."):  # no sign if the difference is rounded to 0
        return text[1:]
    return text.replace("-", "−") if plus else text.lstrip("+").replace("-", "−")


def score_points(score: Score, name: str, digits: int, counted: bool = False) -> str:
    """One of a score's numbers (`main`: F1 or the value) in points; n/a also for 0/0, unless shown as `counted`.

    A metric whose paper says what 0/0 counts as shows that number.
    """
    number = getattr(score, name)
    counted = counted or has_own_rule(score.metric)
    return points(number if counted or number is None or score.defined(name) else np.nan, digits)


def counted_mark(score: Score) -> str:
    """The mark of an average in which some F1 is 0/0 and counts as a number."""
    return COUNTED if score.counted else ""


def counted_note(scores: Iterable[Score], undefined: str) -> str:
    """What this mark means. Empty if no score has it."""
    parts = dict.fromkeys(part for score in scores for part in score.counted)
    if not parts:
        return ""
    titles = " and ".join(METRICS[part].title for part in parts)
    verb = "is" if len(parts) == 1 else "are"
    return f"{COUNTED} {titles} {verb} 0/0, counted in the mean as --undefined {undefined} says"


def has_own_rule(metric: str) -> bool:
    """Whether the metric's own paper says what 0/0 counts as."""
    return getattr(METRICS[metric], "zero_over_zero", None) is not None


def exact_points(score: Score, name: str, digits: int) -> str:
    """The same, followed by its fraction if it was computed with fractions: `66.67 = 2/3`."""
    number = getattr(score, name)
    shown = score_points(score, name, digits)
    return f"{shown} = {number}" if isinstance(number, Fraction) and shown != NOT_AVAILABLE else shown
