"""How scores are derived, as in `explain`: steps with their lines and tables. Every number is already text.

The derivations of a document are folded if they can be. The page then writes the rows about entities, cells and
mentions, which it knows. Titles and headers are forms that all documents share, and they are in the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..diagnosis.evidence import Evidence
from ..explanation.derivation import Case, outlined
from ..explanation.structure import Folded, Step
from ..metrics import METRICS, Average
from ..report.explanation import as_table
from ..scoring.scores import is_number
from .columns import Columns

_FORM = ("title", "header", "of", "columns", "total", "before")  # `columns`: for rows that are written, those of words


def derivations(case: Case, row: int | None = None, forms: Forms | None = None) -> dict[str, Any]:
    """Metric → its derivation, for all metrics that are shown and apply. The parts of an average are also listed.

    `row`: of the counts, for the derivation of one document. `forms`: those of the page, if it is folded.
    """
    found: dict[str, Any] = {}
    shown = [name for name, score in case.result.items() if is_number(score.main)]
    for name in sorted(shown, key=lambda name: not isinstance(METRICS[name], Average)):
        if name not in found:
            explanation = outlined(case, name, row, folded=forms is not None)
            for each in (explanation, *explanation.parts):
                steps = _in_full(each.steps) if forms is None else [forms.step(step) for step in each.steps]
                found[each.metric] = {"steps": steps, "parts": [part.metric for part in each.parts]}
    return found


def _in_full(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Steps with their titles, sentences and tables."""
    sheets = [step.sheet if step.sheet is not None and step.sheet.rows else None for step in steps]
    tables = [None if sheet is None else as_table(sheet) for sheet in sheets]
    found = []
    for step, sheet, table in zip(steps, sheets, tables, strict=True):
        plain: dict[str, Any] = {"title": step.title, "before": step.before, "after": step.after}
        if sheet is not None and table is not None:
            plain |= {"header": table.header, "rows": table.rows, "words": sorted(table.left)}
            plain["total"] = sheet.total is not None
        found.append(plain)
    return found


class Forms:
    """What is the same in the steps of many documents: titles, headers, and what the columns say.

    They are collected from some documents. A form that these do not have is written where it is needed.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], int] = {}
        self._complete = False

    def complete(self) -> list[dict[str, Any]]:
        """All forms. From here on there are no new ones."""
        self._complete = True
        return [*map(_form, self._known)]

    def step(self, step: Step) -> dict[str, Any]:
        """A step: its form, and what it has for itself."""
        sheet, plain = step.sheet, dict[str, Any]()
        if not step.title and sheet is None:
            return {"form": self.number("", (), "", (), False, step.before)}
        if isinstance(sheet, Folded):
            plain["form"] = self.number(step.title, sheet.header, sheet.of, sheet.columns)
            plain["figures"], plain["sums"] = sheet.figures, sheet.sums
            if sheet.shown is not None:
                plain["shown"] = sheet.shown
        elif sheet is not None and sheet.rows:
            shown = as_table(sheet)
            total = sheet.total is not None
            plain["form"] = self.number(step.title, sheet.header, "", tuple(sorted(shown.left)), total)
            plain["rows"] = shown.rows
        else:
            plain["form"] = self.number(step.title)
        if step.before:
            plain["before"] = step.before
        if step.after:
            plain["after"] = step.after
        return plain

    def number(self, *form: Any) -> int | dict[str, Any]:
        known = self._known.get(form)
        if known is not None:
            return known
        if self._complete:
            return _form(form)
        return self._known.setdefault(form, len(self._known))


def _form(form: tuple[Any, ...]) -> dict[str, Any]:
    return {name: value for name, value in zip(_FORM, form, strict=False) if value not in ((), "", False)}


@dataclass(frozen=True, eq=False)
class Unfolding:
    """What the page needs to write the rows of a system's derivations, apart from the annotation that it shows."""

    case: Case
    evidence: Evidence
    key: Columns
    response: Columns
    wanted: bool  # whether documents have derivations

    @cached_property
    def possible(self) -> bool:
        """Whether the page has the words by which `explain` calls the mentions of the key, in the same places."""
        e = self.evidence
        plain = e.names is None and e.source is e.key and e.key.has_text and e.key.unit == "token"
        return self.wanted and plain and not e.mention_places.moved and not self.case.exact

    @property
    def complete(self) -> bool:
        """Whether all sheets are folded, so that derivations have no names. It is known after the first of them."""
        return self.possible and all(self.case.folding.values())

    @cached_property
    def _places(self) -> tuple[IntArray, IntArray]:
        """The row of each mention of the key and of the response in the alignment that is explained."""
        found, m = [], self.evidence.alignment
        for side, ours, theirs in (
            (self.key, m.key_rows, self.case.matched.alignment.key_rows),
            (self.response, m.response_rows, self.case.matched.alignment.response_rows),
        ):
            place = np.full(int(theirs.max(initial=-1)) + 2, -1)
            place[theirs] = np.arange(len(theirs))  # what is written to the last place, for −1, is never read
            found.append(place[ours[side.rows]])
        return found[0], found[1]

    @cached_property
    def _only(self) -> npt.NDArray[np.bool_]:
        """Which mentions of the response the key lacks."""
        return self.key.at[self.response.rows] < 0

    def to_dict(self, d: int) -> dict[str, Any]:
        """`called`: the response mentions that the key lacks, in words. `order`: of the mentions of both sides in the
        derivations; null if those of the key come first, and both are in the order of the page."""
        if not self.possible:
            return {"called": [], "order": None}
        ours, theirs = self._places
        here = self.response.mentions(d)
        theirs = theirs[here][self._only[here]]
        order = np.concatenate([ours[self.key.mentions(d)], theirs])
        names, alignment = self.case.names, self.case.matched.alignment
        return {
            "called": [names.mention(alignment, row) for row in theirs.tolist()],
            "order": None if (order[1:] > order[:-1]).all() else np.argsort(np.argsort(order)).tolist(),
        }
