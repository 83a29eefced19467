"""A response on the page: its scores and diagnosis, and what its documents show, as columns of the whole corpus."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..diagnosis import Diagnosis
from ..diagnosis.anaphora import Pair
from ..errors import Issue, counted
from ..explanation.derivation import Case
from ..matching.matchers import BY
from ..scoring.result import Result
from .columns import Columns, ObjectArray
from .derivations import Unfolding
from .entities import Earned, Overlaps, Sides, numbers
from .figures import Figures, figures_of, figures_of_rows
from .links import by_document

_SAME = BY.index("exact")


@dataclass(frozen=True, eq=False)
class ViewedSystem:
    """A response: its name, its scores with their derivations, and its diagnosis."""

    name: str
    case: Case
    diagnosis: Diagnosis
    intervals: dict[str, tuple[float, float]]

    @property
    def result(self) -> Result:
        return self.case.result

    @cached_property
    def named(self) -> Case:
        """The case with the page's numbers of entities in its derivations."""
        return replace(self.case, names=self.case.names.with_numbers(self.numbers))

    @cached_property
    def issues(self) -> list[Issue]:
        """The messages of the scores and of the diagnosis, each once."""
        return list({str(issue): issue for issue in (*self.result.issues, *self.diagnosis.issues)}.values())

    @property
    def by_itself(self) -> bool:
        """Whether a document has derivations of its own: entities do not extend over several, and it is not the only
        one."""
        return self.result.options.scope == "document" and len(self.case.counts) > 1

    @cached_property
    def figures(self) -> Figures:
        """The scores of the corpus."""
        return figures_of(self.result)

    @cached_property
    def by_document(self) -> list[Figures]:
        """The scores of every document. There are none if entities extend over several documents."""
        if self.result.options.scope != "document":
            return []
        return figures_of_rows(self.case.counts, [*self.result], self.result.options)

    @cached_property
    def sides(self) -> Sides:
        return Sides.of(self.diagnosis.evidence)

    @cached_property
    def numbers(self) -> dict[str, IntArray]:
        """The number in the name of each entity, such as K1 or R1. Aligned entities have the same number."""
        return numbers(self.diagnosis.evidence, self.sides.cells)

    @cached_property
    def rows(self) -> list[IntArray]:
        """The scored mentions of each document pair, in the order of the text, or of the input if they are names."""
        e = self.diagnosis.evidence
        scored = np.flatnonzero((e.alignment.key >= 0) | (e.alignment.response >= 0))
        stops = np.searchsorted(e.row[scored], np.arange(1, len(e.documents)))
        documents = np.split(scored, stops)
        if e.names is None:
            return documents
        far = len(e.key) + len(e.response)
        key, response = e.origin("key"), e.origin("response")
        order = np.where(key >= 0, key, far + response)
        return [rows[np.argsort(order[rows], kind="stable")] for rows in documents]

    @cached_property
    def columns(self) -> dict[str, Columns]:
        """The mentions and entities of each side."""
        e = self.diagnosis.evidence
        return {side: Columns.of(e, side, self.rows) for side in ("key", "response")}

    @cached_property
    def earned(self) -> dict[str, Earned]:
        """What the entities earn, in the order of the columns."""
        return {side: self.sides.earned(side, self.columns[side].entities) for side in ("key", "response")}

    @cached_property
    def muc(self) -> dict[str, ObjectArray]:
        """For each mention in the order of the columns: 1 if both sides have its link, 0 if one lacks it, None if it is
        the first of its entity."""
        found = {}
        for side, account in (("key", self.sides.key), ("response", self.sides.response)):
            rows = self.columns[side].rows
            link = np.where(account.possible["muc"][rows] != 0, account.gained["muc"][rows], 2).astype(np.int64)
            found[side] = np.array([0, 1, None], dtype=object)[link]
        return found

    @cached_property
    def ids(self) -> list[tuple[int, str]]:
        """The document and the name of each mention on the page, such as `k5`, or `r7` if the key lacks it. −1 for a
        mention that is not scored."""
        e, key, response = (
            self.diagnosis.evidence,
            self.columns["key"].at.tolist(),
            self.columns["response"].at.tolist(),
        )
        return [
            (d, f"k{k}") if k >= 0 else (d, f"r{r}") if r >= 0 else (-1, "")
            for d, k, r in zip(e.row.tolist(), key, response, strict=True)
        ]

    @cached_property
    def _met(self) -> IntArray:
        m, rows = self.diagnosis.evidence.alignment, self.columns["key"].rows
        by = np.where(m.response[rows] >= 0, m.by[rows], 0)
        return np.where(by > _SAME, by, 0)

    def met(self, mentions: slice) -> dict[int, str]:
        """For key mentions whose twins may differ from them, the rule by which they matched."""
        by = self._met[mentions]
        return {p: BY[by[p]] for p in np.flatnonzero(by).tolist()} if by.any() else {}

    @cached_property
    def _dropped(self) -> list[tuple[str, npt.NDArray[np.bool_]]]:
        e = self.diagnosis.evidence
        key, response = (self.columns[side].rows for side in ("key", "response"))
        return [
            ("k", (e.whole.response[key] >= 0) & (e.alignment.response[key] < 0)),
            ("r", (e.whole.key[response] >= 0) & (e.alignment.key[response] < 0)),
        ]

    def dropped(self, *mentions: slice) -> list[str]:
        """Mentions whose twins are singletons that the options drop: `k5`, `r7`."""
        sides = zip(self._dropped, mentions, strict=True)
        return [f"{letter}{p}" for (letter, lost), here in sides for p in np.flatnonzero(lost[here]).tolist()]

    def shape(self, d: int) -> Hashable:
        """What the derivations of a document depend on: the document itself, or if they are folded, its counts, and the
        sizes and overlaps of its entities."""
        if not (self.by_itself and self.unfolding.complete):
            return d if self.by_itself else None
        sides = zip(self.columns.values(), self.sides.sizes, strict=True)
        sizes = [size[side.entities[side.of_document(d)]].tobytes() for side, size in sides]
        return self.case.counts.values[d].tobytes(), *sizes, self.overlaps.shape(d)

    @cached_property
    def unfolding(self) -> Unfolding:
        key, response = self.columns["key"], self.columns["response"]
        return Unfolding(self.named, self.diagnosis.evidence, key, response, self.by_itself)

    @cached_property
    def overlaps(self) -> Overlaps:
        """The cells, document after document."""
        return Overlaps.of(self.sides.cells, self.columns["key"], self.columns["response"])

    def prepare(self) -> None:
        """Find what all documents share, before copies of the process make some of them."""
        for columns in self.columns.values():
            columns.prepare()
        for name in ("by_document", "earned", "muc", "overlaps", "ids", "beside", "places", "_met", "_dropped"):
            getattr(self, name)

    @cached_property
    def beside(self) -> dict[int, list[Pair]]:
        """Bridging, split antecedents and non-referring expressions, by document."""
        return by_document(self.diagnosis)

    @cached_property
    def places(self) -> list[int]:
        """The number of each document pair in the corpus whose text is shown, −1 if it lacks it."""
        e = self.diagnosis.evidence
        rows = e.pairing.key_row if e.source is e.key else e.pairing.response_row
        found = np.full(len(e.documents), -1)
        met = np.flatnonzero(rows >= 0)[::-1]  # the first of several is written last
        found[rows[met]] = met
        return found.tolist()


def left_out(system: ViewedSystem) -> list[str]:
    """Singletons that the options drop are not scored, so they are not shown. A note says so."""
    e, found = system.diagnosis.evidence, []
    for side in ("key", "response"):
        whole, scored = (getattr(alignment, side) for alignment in (e.whole, e.alignment))
        if lost := int((whole >= 0).sum() - (scored >= 0).sum()):
            what, policy = counted(range(lost), "singleton"), system.result.options.singletons
            found.append(f"{what} of the {side}: not scored, and not shown (--singletons {policy})")
    return found
