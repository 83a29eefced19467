"""What an explanation is made of: steps of text and sheets of numbers, for all output formats."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from ..errors import Issue
from ..exporting import Exported
from ..presentation import InNotebooks, writer_of
from ..scoring.scores import Number, Score, whole_or_none

Cell: TypeAlias = str | int | Number

_LONGEST = 999  # a fraction with larger numbers is shown as a decimal, which is easier to read


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of words and numbers.

    adds    column → the count of the explanation to which the rows add up, and which the total row shows
    means   column → the value of the score, which is the total divided by the number of rows that are not n/a
    """

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    total: tuple[Cell, ...] | None = None
    adds: Mapping[int, str] = field(default_factory=dict)
    means: Mapping[int, str] = field(default_factory=dict)

    @property
    def words(self) -> frozenset[int]:
        """The columns without numbers."""
        columns = enumerate(zip(*self.rows, strict=True))
        return frozenset(p for p, column in columns if p not in self.adds and any(map(_is_word, column)))

    def to_dict(self) -> dict[str, Any]:
        """Header, rows and total, for JSON."""
        plain = {"header": list(self.header), "rows": [list(map(_plain, row)) for row in self.rows]}
        return plain | ({} if self.total is None else {"total": list(map(_plain, self.total))})


@dataclass(frozen=True, slots=True)
class Folded(Sheet):
    """A sheet whose rows are not written, because the page has the entities, cells or mentions that they are about.

    of        what has a row: `key` or `response` (its entities), `cells` or `mentions`
    columns   what each column says about it; "" for the next of `figures`, which are already text
    shown     the entities that have a row, by their numbers in the document; None for all
    sums      the last cells of the rows that follow: the rest that is not shown, and the total
    """

    of: str = ""
    columns: tuple[str, ...] = ()
    figures: Sequence[Sequence[str]] = ()
    shown: Sequence[int] | None = None
    sums: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A part of a derivation: its title, sentences, a sheet, and equations after the sheet."""

    title: str
    before: tuple[str, ...] = ()
    sheet: Sheet | None = None
    after: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Title, text and table, for JSON."""
        table = {} if self.sheet is None else {"table": self.sheet.to_dict()}
        return {"title": self.title, "text": [*self.before, *self.after], **table}


@dataclass(frozen=True)
class Explanation(InNotebooks, Exported):
    """How a metric's score is derived, step by step. `str()` is the text, and `render` writes the other formats.

    `counts` are the sums from which the score is computed. The sheets add up to them. `parts` explains the metrics
    behind an average.
    """

    metric: str
    title: str
    score: Score
    counts: Mapping[str, Number]
    steps: Sequence[Step]
    signature: str
    parts: Sequence[Explanation] = ()
    issues: Sequence[Issue] = ()

    def __repr__(self) -> str:
        return str(self)

    def render(self, format: str = "table") -> str:
        """The explanation as `table` (plain text), `markdown`, `latex`, `html` or `json`."""
        text: str = writer_of(self).render(self, format)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON. Fractions are texts such as "4/9"."""
        plain: dict[str, Any] = {
            "metric": self.metric,
            "title": self.title,
            "signature": self.signature,
            "score": self.score.to_dict(),
            "counts": {name: _plain(x) for name, x in self.counts.items()},
            "steps": [step.to_dict() for step in self.steps],
        }
        if self.parts:
            plain["parts"] = [part.to_dict() for part in self.parts]
        return plain | ({"issues": [issue.to_dict() for issue in self.issues]} if self.issues else {})

    def records(self) -> list[dict[str, Any]]:
        """One row per row of each step's sheet and column: metric, step, row, column, value; of all parts too."""
        rows: list[dict[str, Any]] = []
        for step in self.steps:
            for number, cells in enumerate(step.sheet.rows if step.sheet else (), start=1):
                assert step.sheet is not None
                for column, cell in zip(step.sheet.header, cells, strict=False):
                    where = {"metric": self.metric, "step": step.title, "row": number, "column": column}
                    rows.append(where | {"value": None if cell is None else str(cell)})
        return rows + [row for part in self.parts for row in part.records()]

    def to_json(self) -> str:
        """Everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)


def figure(x: Cell, decimals: int = 3, longest: int = _LONGEST) -> str:
    """A number as people write it: whole, a fraction such as 4/9, or a decimal."""
    if type(x) is float:
        return _decimal(x, decimals)
    if isinstance(x, str):
        return x
    if isinstance(x, Fraction) and max(abs(x.numerator), x.denominator) <= longest:
        return str(x)
    return _decimal(float(x), decimals)


@lru_cache(maxsize=10_000)
def _decimal(value: float, decimals: int) -> str:
    if value != value:
        return "n/a"
    return f"{value:.0f}" if value == int(value) else f"{value:.{decimals}f}"


def figures(numbers: Sequence[Cell], decimals: int = 3) -> list[str]:
    """Numbers that are shown together: fractions if all of them are short, else decimals."""
    kinds = {*map(type, numbers)}
    if kinds <= {str, int}:
        return [x if type(x) is str else str(x) for x in numbers]
    if kinds <= {str, int, float}:  # the usual case, without fractions
        return [x if type(x) is str else _decimal(float(x), decimals) for x in numbers]
    shown = [figure(x, decimals) for x in numbers]
    if any("." in text for text, x in zip(shown, numbers, strict=True) if not isinstance(x, str)):
        shown = [figure(x, decimals, longest=0) for x in numbers]
    return shown


def _is_word(x: Cell) -> bool:
    return isinstance(x, str) and x not in ("", "n/a") and not x.endswith(("%", "% (n/a)"))


def _plain(x: Cell) -> str | float | int | None:
    if isinstance(x, (str, int)):
        return x
    if isinstance(x, Fraction):
        return x.numerator if x.denominator == 1 else str(x)
    return whole_or_none(x)
