"""The data of the page: one JSON for the corpus and one for each document. docs/viewing.md describes both.

The library computes all scores here. The page looks them up, draws them, and unfolds derivations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus.model import IntArray
from ..diagnosis import Diagnosis
from ..diagnosis.anaphora import Pair
from ..diagnosis.classes import CLASSES
from ..errors import InputError, Issue, counted
from ..explanation.derivation import NOTATION, Case
from ..matching.matchers import BY
from ..metrics import METRICS
from ..scoring.result import Result
from ..scoring.scores import or_none
from .columns import Columns, ObjectArray
from .derivations import Forms, Unfolding, derivations
from .entities import Earned, Overlaps, Sides, numbers
from .faults import Fault, faults
from .figures import Scored, best, differences, main_of, scores_of
from .links import by_document, links
from .page import pack
from .passages import Passage, genre, passage

SCHEMA, VERSION = "coreflens-view", 2
_EXAMPLES = 8  # sizes of documents from which the forms of derivations are collected
_SAME = BY.index("exact")


@dataclass(frozen=True, eq=False)
class System:
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
    def by_document(self) -> list[Scored]:
        """Scores of every document. There are none if entities extend over several documents."""
        rows = self.named.rows if self.result.options.scope == "document" else []
        return [{name: row[name] for name in self.result} for row in rows]

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


class Content:
    """The systems against one key, document by document."""

    def __init__(self, systems: Sequence[System], key: str, title: str = "") -> None:
        """`key`: the name of the key's file."""
        from .. import __version__

        self.systems, self.key, self.title, self.version = systems, key, title, __version__
        evidence = systems[0].diagnosis.evidence
        self.documents = evidence.documents
        if any([d.label for d in s.diagnosis.evidence.documents] != self.labels for s in systems):
            raise InputError(
                "the responses have different documents that the key lacks",
                hint="--extra ignore leaves out documents that the key lacks",
            )
        self.faults = [self._faults(n) for n in range(len(systems))]

    @property
    def labels(self) -> list[str]:
        return [d.label for d in self.documents]

    def _faults(self, system: int) -> list[list[Fault]]:
        """The errors of a system by document."""
        row = self.systems[system].diagnosis.evidence.row
        found: list[list[Fault]] = [[] for _ in self.documents]
        for fault in faults([s.diagnosis for s in self.systems], system):
            found[int(row[fault.lead])].append(fault)
        return found

    def index(self) -> dict[str, Any]:
        """The corpus: systems with their scores, and what the list of documents shows about each."""
        first = self.systems[0]
        for system in self.systems:
            system.prepare()
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "coreflens": self.version,
            "title": self.title,
            "key": self.key,
            "metrics": [{"name": name, "title": METRICS[name].title, "best": best(name)} for name in first.result],
            "notation": NOTATION,
            "classes": list(CLASSES),
            "forms": self.forms.complete(),
            "systems": [
                self._system(s) | {"differences": differences([t.result for t in self.systems], n)}
                for n, s in enumerate(self.systems)
            ],
            "documents": [
                {
                    "label": document.label,
                    "genre": self._genre(d),
                    "mentions": len(first.rows[d]),
                    "errors": [len(found[d]) for found in self.faults],
                    "conll": [main_of(scores, "conll") for scores in self._scores(d)],
                    "differences": [
                        [found.get("conll") for found in differences(self._scores(d), n)]
                        for n in range(len(self.systems))
                    ],
                }
                for d, document in enumerate(self.documents)
            ],
        }

    @cached_property
    def forms(self) -> Forms:
        """The forms of the derivations of documents of all sizes."""
        forms = Forms()
        sizes = np.array([len(rows) for rows in self.systems[0].rows])
        examples = np.argsort(sizes, kind="stable")[np.linspace(0, len(sizes) - 1, _EXAMPLES).astype(np.int64)]
        for system in self.systems:
            if system.unfolding.possible:
                for d in dict.fromkeys(examples.tolist()):
                    derivations(system.named, d, forms)
        forms.complete()
        return forms

    def _forms(self, system: System) -> Forms | None:
        return self.forms if system.unfolding.possible else None

    def _scores(self, d: int) -> list[Scored]:
        """The same for a document, by system."""
        return [s.by_document[d] for s in self.systems if s.by_document]

    def _genre(self, d: int) -> str:
        place = _place(self.systems[0], d)
        return "" if place < 0 else genre(self.systems[0].diagnosis.evidence.source, place)

    def _system(self, system: System) -> dict[str, Any]:
        result = system.result
        return {
            "name": system.name,
            "signature": str(result.signature),
            "known": "; matched: ".join(filter(None, (system.diagnosis.known, system.diagnosis.met_by))),
            "scores": scores_of(result),
            "intervals": system.intervals,
            "issues": [*map(str, system.issues), *_left_out(system)],
            "classes": [
                {"errors": c.errors, "alone": or_none(c.alone["conll"]), "next": or_none(c.next["conll"])}
                for c in system.diagnosis.classes
            ],
            "derivations": derivations(system.named),
        }

    def chunks(self) -> Iterator[dict[str, Any]]:
        """The documents, one JSON each."""
        return map(self._document, range(len(self.documents)))

    def packed(self, documents: Iterable[int]) -> list[str]:
        """Some of the documents as the page has them."""
        return [pack(self._document(d)) for d in documents]

    def _document(self, d: int) -> dict[str, Any]:
        first = self.systems[0]
        e, ours = first.diagnosis.evidence, first.columns["key"]
        text = None
        if e.names is None:
            sides = (ours, *(s.columns["response"] for s in self.systems))
            spans = (span for side in sides for several in side.spans(d) for span in several)
            text = passage(e.source, _place(first, d), spans)
        return {
            "label": self.documents[d].label,
            "text": None if text is None else text.to_dict(),
            "key": ours.to_dict(d, text, first.numbers["key"], first.sides.sizes[0]),
            "systems": [
                self._answer(n, d, text)
                | {"scores": scores_of(s.by_document[d]) if s.by_document else {}}
                | {"differences": differences(self._scores(d), n)}
                for n, s in enumerate(self.systems)
            ],
        }

    def _answer(self, n: int, d: int, text: Passage | None) -> dict[str, Any]:
        """The annotation of a document by a system, and how it overlaps with the key's."""
        system, ids = self.systems[n], self.systems[n].ids
        key, response = system.columns["key"], system.columns["response"]
        key_here, here = key.mentions(d), response.mentions(d)
        key_rows = key.rows[key_here]
        return response.to_dict(d, text, system.numbers["response"], system.sides.sizes[1]) | {
            "muc": system.muc["response"][here].tolist(),
            "entity_scores": system.earned["response"].to_dict(response.of_document(d)),
            "twins": response.at[key_rows].tolist(),
            "by": system.met(key_here),
            "left_out": system.dropped(key_here, here),
            "key_muc": system.muc["key"][key_here].tolist(),
            "key_scores": system.earned["key"].to_dict(key.of_document(d)),
            "cells": system.overlaps.to_list(d),
            "errors": [
                {
                    "kind": fault.kind,
                    "said": fault.said,
                    "price": or_none(fault.price),
                    "lead": ids[fault.lead][1],
                    # for an entity that extends over documents, only those of this document
                    "mentions": [ids[row][1] for row in fault.rows if ids[row][0] == d],
                    "shared": list(fault.shared),
                }
                for fault in self._sorted(n, d)
            ],
            "links": links(system.diagnosis, system.beside.get(d, ()), (key_rows, response.rows[here]), text),
            **system.unfolding.to_dict(d),
            "derivations": derivations(system.named, d, self._forms(system)) if system.by_itself else {},
        }

    def _sorted(self, n: int, d: int) -> list[Fault]:
        """The errors of a document in the order of its mentions."""
        found = self.faults[n][d]
        if self.systems[n].diagnosis.evidence.names is None:
            return found  # the order of the text, in which they were found
        order = {row: p for p, row in enumerate(self.systems[n].rows[d].tolist())}
        return sorted(found, key=lambda fault: order[fault.lead])


def _place(system: System, d: int) -> int:
    """The number of a document pair in the corpus whose text is shown, −1 if it lacks it."""
    return system.places[d]


def _left_out(system: System) -> list[str]:
    """Singletons that the options drop are not scored, so they are not shown. A note says so."""
    e, found = system.diagnosis.evidence, []
    for side in ("key", "response"):
        whole, scored = (getattr(alignment, side) for alignment in (e.whole, e.alignment))
        if lost := int((whole >= 0).sum() - (scored >= 0).sum()):
            what, policy = counted(range(lost), "singleton"), system.result.options.singletons
            found.append(f"{what} of the {side}: not scored, and not shown (--singletons {policy})")
    return found
