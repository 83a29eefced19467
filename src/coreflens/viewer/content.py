"""The data of the page: one JSON for the corpus and one for each document. docs/viewing.md describes both.

The library computes all numbers here. The page only looks them up and draws them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..corpus.model import IntArray, Span
from ..diagnosis import Diagnosis
from ..diagnosis.classes import CLASSES
from ..errors import InputError, Issue, counted
from ..explanation.derivation import NOTATION, Case
from ..matching.alignment import Alignment
from ..matching.matchers import BY
from ..metrics import METRICS, Average
from ..scoring.result import Result
from ..scoring.scores import Scores, or_none
from .derivations import derivations
from .entities import CREDIT, Earned, Sides, numbers, rounded
from .faults import Fault, faults
from .links import links
from .page import pack
from .passages import Passage, genre, passage

SCHEMA, VERSION = "coreflens-view", 1
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
    def by_document(self) -> list[Scores]:
        """Scores of every document. There are none if entities extend over several documents."""
        return list(self.result.by_document().values()) if self.result.options.scope == "document" else []

    @cached_property
    def sides(self) -> Sides:
        return Sides.of(self.diagnosis.evidence)

    @cached_property
    def earned(self) -> dict[str, Earned]:
        return {side: self.sides.earned(side) for side in ("key", "response")}

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

    def pieces(self, d: int, side: int) -> dict[int, tuple[Span, ...]]:
        """The places of the mentions of a document, in the key (0) or in the response (1)."""
        placement, apart = self.diagnosis.evidence.placement, self._apart
        return {row: placement.pieces(row, side if row in apart else None) for row in self.rows[d].tolist()}

    @cached_property
    def places(self) -> list[int]:
        """The number of each document pair in the corpus whose text is shown, −1 if it lacks it."""
        e = self.diagnosis.evidence
        rows = e.pairing.key_row if e.source is e.key else e.pairing.response_row
        found = np.full(len(e.documents), -1)
        met = np.flatnonzero(rows >= 0)[::-1]  # the first of several is written last
        found[rows[met]] = met
        return found.tolist()

    @cached_property
    def _apart(self) -> set[int]:
        """The mentions that were matched with a different mention."""
        return set(self.diagnosis.evidence.whole.elsewhere.tolist())


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
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "coreflens": self.version,
            "title": self.title,
            "key": self.key,
            "metrics": [{"name": name, "title": METRICS[name].title, "best": _best(name)} for name in first.result],
            "notation": NOTATION,
            "classes": list(CLASSES),
            "systems": [
                self._system(s) | {"differences": _differences([t.result for t in self.systems], n)}
                for n, s in enumerate(self.systems)
            ],
            "documents": [
                {
                    "label": document.label,
                    "genre": self._genre(d),
                    "mentions": len(first.rows[d]),
                    "errors": [len(found[d]) for found in self.faults],
                    "conll": [_main(scores, "conll") for scores in self._scores(d)],
                    "differences": [
                        [found.get("conll") for found in _differences(self._scores(d), n)]
                        for n in range(len(self.systems))
                    ],
                }
                for d, document in enumerate(self.documents)
            ],
        }

    def _scores(self, d: int) -> list[Scores]:
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
            "scores": _scores(result),
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
        pieces = [s.pieces(d, 1) for s in self.systems]
        ours = self.systems[0].pieces(d, 0)
        e = self.systems[0].diagnosis.evidence
        text = None
        if e.names is None:
            spans = (span for found in (ours, *pieces) for several in found.values() for span in several)
            text = passage(e.source, _place(self.systems[0], d), spans)
        first = self.systems[0]
        key_rows = [row for row in first.rows[d].tolist() if e.alignment.key[row] >= 0]
        return {
            "label": self.documents[d].label,
            "text": None if text is None else text.to_dict(),
            "key": _side(first, "key", key_rows, ours, text),
            "systems": [
                self._answer(n, d, pieces[n], text)
                | {"scores": _scores(s.by_document[d]) if s.by_document else {}}
                | {"differences": _differences(self._scores(d), n)}
                for n, s in enumerate(self.systems)
            ],
        }

    def _answer(self, n: int, d: int, pieces: dict[int, tuple[Span, ...]], text: Passage | None) -> dict[str, Any]:
        """The annotation of a document by a system, and how it overlaps with the key's."""
        system, m = self.systems[n], self.systems[n].diagnosis.evidence.alignment
        rows = system.rows[d]
        key_rows, response_rows = rows[m.key[rows] >= 0], rows[m.response[rows] >= 0]
        at_key, at_response = ({row: p for p, row in enumerate(x.tolist())} for x in (key_rows, response_rows))
        order = {row: p for p, row in enumerate(rows.tolist())}
        keys, responses = np.unique(m.key[key_rows]), np.unique(m.response[response_rows])
        cells = system.sides.cells
        here = cells.between(keys, responses)
        credit = [side[name][here] for name in CREDIT for side in (cells.recall, cells.precision)]
        columns = zip(
            np.searchsorted(keys, cells.i[here]).tolist(),
            np.searchsorted(responses, cells.j[here]).tolist(),
            cells.n[here].tolist(),
            cells.marks[here].tolist(),
            *map(rounded, credit),
            rounded(cells.ceafe[here]),
            strict=True,
        )

        def mention(row: int) -> str:
            """`k5` or `r7`. It is the mention of the key if the key has it."""
            return f"k{at_key[row]}" if row in at_key else f"r{at_response[row]}"

        side = _side(system, "response", response_rows.tolist(), pieces, text)
        return side | {
            "twins": [at_response.get(row, -1) for row in key_rows.tolist()],
            "by": _met(m, key_rows),
            "left_out": _dropped(system, key_rows, response_rows),
            "key_muc": _muc(system, "key", key_rows),
            "key_scores": system.earned["key"].to_dict(keys),
            "cells": [list(column) for column in columns],
            "errors": [
                {
                    "kind": fault.kind,
                    "said": fault.said,
                    "price": or_none(fault.price),
                    "lead": mention(fault.lead),
                    # for an entity that extends over documents, only those of this document
                    "mentions": [mention(row) for row in fault.rows if row in at_key or row in at_response],
                    "shared": list(fault.shared),
                }
                for fault in sorted(self.faults[n][d], key=lambda fault: order[fault.lead])
            ],
            "links": links(system.diagnosis, d, (key_rows.tolist(), response_rows.tolist()), text),
            "derivations": derivations(system.named, d) if system.by_itself else {},
        }


def _side(
    system: System, side: str, rows: Sequence[int], pieces: dict[int, tuple[Span, ...]], text: Passage | None
) -> dict[str, Any]:
    """Mentions as columns, and the entities they belong to, numbered within the document."""
    e = system.diagnosis.evidence
    m = e.alignment
    column = (m.key if side == "key" else m.response)[np.asarray(rows, dtype=np.int64)]
    numbers = np.unique(column)
    corpus = e.key if side == "key" else e.response
    spans = [pieces[row] for row in rows]
    if text is not None:
        spans = [tuple(map(text.span, several)) for several in spans]
    first = {int(x): row for row, x in reversed(list(zip(rows, column.tolist(), strict=True)))}
    plain: dict[str, Any] = {
        "start": [min(a for a, _ in several) for several in spans],
        "end": [max(b for _, b in several) for several in spans],
        "pieces": {p: list(map(list, several)) for p, several in enumerate(spans) if len(several) > 1},
        "entity": np.searchsorted(numbers, column).tolist(),
        "names": None if text is not None else [e.text(row) for row in rows],
        "types": [e.types[row] for row in rows],
        "lines": [0 if corpus.line is None else int(corpus.line[e.origin_of(side, row)]) for row in rows],
        "entities": [
            {"name": f"{side[0].upper()}{number}", "label": e.label(side, first[x]) if corpus.source else ""}
            for x, number in zip(numbers.tolist(), system.numbers[side][numbers].tolist(), strict=True)
        ],
        "sizes": system.sides.sizes[0 if side == "key" else 1][numbers].tolist(),
    }
    if side == "response":
        plain["muc"] = _muc(system, "response", np.asarray(rows, dtype=np.int64))
        plain["entity_scores"] = system.earned["response"].to_dict(numbers)
    return plain


def _muc(system: System, side: str, rows: IntArray) -> list[int | None]:
    """1 for a mention whose link both sides have, 0 if one side lacks the link, None for the first mention of an
    entity."""
    account = system.sides.key if side == "key" else system.sides.response
    gained, possible = account.gained["muc"][rows].tolist(), account.possible["muc"][rows].tolist()
    return [int(g) if p else None for g, p in zip(gained, possible, strict=True)]


def _place(system: System, d: int) -> int:
    """The number of a document pair in the corpus whose text is shown, −1 if it lacks it."""
    return system.places[d]


def _met(m: Alignment, key_rows: IntArray) -> dict[int, str]:
    """For key mentions whose twins may differ from them, the rule by which they matched."""
    by = np.where(m.response[key_rows] >= 0, m.by[key_rows], 0)
    return {p: BY[by[p]] for p in np.flatnonzero(by > _SAME).tolist()}


def _dropped(system: System, key_rows: IntArray, response_rows: IntArray) -> list[str]:
    """Mentions whose twins are singletons that the options drop: `k5`, `r7`."""
    e = system.diagnosis.evidence
    key = np.flatnonzero((e.whole.response[key_rows] >= 0) & (e.alignment.response[key_rows] < 0))
    response = np.flatnonzero((e.whole.key[response_rows] >= 0) & (e.alignment.key[response_rows] < 0))
    return [*(f"k{p}" for p in key.tolist()), *(f"r{p}" for p in response.tolist())]


def _left_out(system: System) -> list[str]:
    """Singletons that the options drop are not scored, so they are not shown. A note says so."""
    e, found = system.diagnosis.evidence, []
    for side in ("key", "response"):
        whole, scored = (getattr(alignment, side) for alignment in (e.whole, e.alignment))
        if lost := int((whole >= 0).sum() - (scored >= 0).sum()):
            what, policy = counted(range(lost), "singleton"), system.result.options.singletons
            found.append(f"{what} of the {side}: not scored, and not shown (--singletons {policy})")
    return found


def _scores(scores: Scores) -> dict[str, list[float | str | None]]:
    """Metric → recall, precision, F1 or value: None for what it lacks, "n/a" for what is not defined."""
    return {
        name: [
            None if x is None else float(x) if score.defined(part) else "n/a"
            for part, x in (("recall", score.recall), ("precision", score.precision), ("main", score.main))
        ]
        for name, score in scores.items()
    }


def _best(name: str) -> float:
    """The score of a response that is the same as the key. For distances it is 0."""
    metric = METRICS[name]
    return 1 if isinstance(metric, Average) else float(metric.identity)


def _main(scores: Scores, name: str) -> float | None:
    """F1 or the value; None if it is missing or not defined."""
    return or_none(scores[name].main) if name in scores and scores[name].defined() else None


def _differences(scores: Sequence[Scores], n: int) -> list[dict[str, float | None]]:
    """The differences between a system and each system before it: metric → difference of F1 (or of the value)."""

    def more(name: str, theirs: Scores) -> float | None:
        ours, other = _main(scores[n], name), _main(theirs, name)
        return None if ours is None or other is None else ours - other

    return [{name: more(name, theirs) for name in scores[n]} for theirs in scores[:n]]
