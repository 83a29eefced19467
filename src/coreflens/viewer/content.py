"""The data of the page: one JSON for the corpus, and one for each chunk of documents. docs/viewing.md describes both.

The library computes all scores here. The page looks them up, draws them, and unfolds derivations.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..diagnosis.classes import CLASSES
from ..errors import InputError
from ..explanation.derivation import NOTATION
from ..metrics import METRICS
from ..scoring.scores import or_none
from .derivations import Forms, derivations
from .faults import Fault, Faults
from .figures import Figures, best, difference, differences, main_of, partly_undefined, parts
from .links import links
from .page import pack
from .passages import Passage, genre, lengths, passage
from .systems import ViewedSystem, left_out

SCHEMA, VERSION = "coreflens-view", 3
_EXAMPLES = 8  # sizes of documents from which the forms of derivations are collected
_CHUNK = 4000  # words of documents that are packed together
_MENTION = 10  # a mention takes as much place as so many words
_KEPT = 500  # derivations that are kept, because another document may have the same


class Content:
    """The systems against one key, document by document."""

    def __init__(self, systems: Sequence[ViewedSystem], key: str, title: str = "") -> None:
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
        self.faults = [Faults([s.diagnosis for s in systems], n) for n in range(len(systems))]
        self._known: dict[Hashable, dict[str, Any]] = {}

    @property
    def labels(self) -> list[str]:
        return [d.label for d in self.documents]

    def prepare(self) -> None:
        """Find what all documents share: scores and prices first, then columns. Copies of the process share it too."""
        for system in self.systems:
            system.prepare()

    def index(self) -> dict[str, Any]:
        """The corpus: systems with their scores, and what the list of documents shows about each."""
        first = self.systems[0]
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "coreflens": self.version,
            "title": self.title,
            "key": self.key,
            "metrics": [
                {"name": name, "title": METRICS[name].title, "best": best(name), "parts": parts(name)}
                for name in first.result
            ],
            "notation": NOTATION,
            "classes": list(CLASSES),
            "forms": self.forms.complete(),
            "chunks": [documents.start for documents in self.chunks],
            "systems": [
                self._system(s) | {"differences": differences([t.figures for t in self.systems], n)}
                for n, s in enumerate(self.systems)
            ],
            "documents": [
                {
                    "label": document.label,
                    "genre": self._genre(d),
                    "mentions": len(first.rows[d]),
                    "errors": [found.count(d) for found in self.faults],
                    "conll": [main_of(scores, "conll") for scores in self._scores(d)],
                    "partly": [partly_undefined(scores, "conll") for scores in self._scores(d)],
                    "differences": self._changes(d),
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

    def _forms(self, system: ViewedSystem) -> Forms | None:
        return self.forms if system.unfolding.possible else None

    def _scores(self, d: int) -> list[Figures]:
        """The scores of a document, by system."""
        return [s.by_document[d] for s in self.systems if s.by_document]

    def _changes(self, d: int) -> list[list[float | None]]:
        """By system: the differences in CoNLL to each system before it."""
        scores = self._scores(d)
        return [[difference(scores[n], before, "conll") for before in scores[:n]] for n in range(len(self.systems))]

    def _genre(self, d: int) -> str:
        place = self.systems[0].places[d]
        return "" if place < 0 else genre(self.systems[0].diagnosis.evidence.source, place)

    def _system(self, system: ViewedSystem) -> dict[str, Any]:
        result = system.result
        return {
            "name": system.name,
            "signature": str(result.signature),
            "known": "; matched: ".join(filter(None, (system.diagnosis.known, system.diagnosis.met_by))),
            "scores": system.figures,
            "intervals": system.intervals,
            "issues": [*map(str, system.issues), *left_out(system)],
            "classes": [
                {"errors": c.errors, "alone": or_none(c.alone["conll"]), "next": or_none(c.next["conll"])}
                for c in system.diagnosis.classes
            ],
            "derivations": derivations(system.named),
        }

    @cached_property
    def chunks(self) -> list[range]:
        """Documents that are packed together: one that is large, or several that are small."""
        first, cuts, size = self.systems[0], [0], 0
        words = lengths(first.diagnosis.evidence.source)
        for d, (rows, place) in enumerate(zip(first.rows, first.places, strict=True)):
            own = (words[place] if place >= 0 else 0) + _MENTION * len(rows) * len(self.systems)
            if d and size + own > _CHUNK:
                cuts.append(d)
                size = 0
            size += own
        return [range(a, b) for a, b in pairwise([*cuts, len(self.documents)])]

    def chunk(self, documents: range) -> dict[str, Any]:
        """Some documents, and their derivations. Documents have the number of theirs, because many have the same."""
        plain = [self._document(d) for d in documents]
        found: dict[Hashable, tuple[int, dict[str, Any]]] = {}
        for d, document in zip(documents, plain, strict=True):
            for n, answer in enumerate(document["systems"]):
                shape = n, self.systems[n].shape(d)
                if shape not in found:
                    found[shape] = len(found), self._derivations(n, d, shape)
                answer["derivations"] = found[shape][0]
        return {"documents": plain, "derivations": [derived for _, derived in found.values()]}

    def packed(self, documents: range) -> str:
        """Some documents as the page has them."""
        return pack(self.chunk(documents))

    def _derivations(self, n: int, d: int, shape: Hashable) -> dict[str, Any]:
        """The derivations of a system's scores in a document, or in another one of the same shape."""
        system = self.systems[n]
        if not system.by_itself:
            return {}
        if shape not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[shape] = derivations(system.named, d, self._forms(system))
        return self._known[shape]

    def _document(self, d: int) -> dict[str, Any]:
        first = self.systems[0]
        e, ours = first.diagnosis.evidence, first.columns["key"]
        text = None
        if e.names is None:
            sides = (ours, *(s.columns["response"] for s in self.systems))
            spans = (span for side in sides for several in side.spans(d) for span in several)
            text = passage(e.source, first.places[d], spans)
        return {
            "label": self.documents[d].label,
            "text": None if text is None else text.to_dict(),
            "key": ours.to_dict(d, text, first.numbers["key"], first.sides.sizes[0]),
            "systems": [
                self._answer(n, d, text)
                | {"scores": s.by_document[d] if s.by_document else {}}
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
        }

    def _sorted(self, n: int, d: int) -> list[Fault]:
        """The errors of a document in the order of its mentions."""
        found = self.faults[n].of(d)
        if self.systems[n].diagnosis.evidence.names is None:
            return found  # the order of the text, in which they were found
        order = {row: p for p, row in enumerate(self.systems[n].rows[d].tolist())}
        return sorted(found, key=lambda fault: order[fault.lead])
