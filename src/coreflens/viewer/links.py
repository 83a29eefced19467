"""Bridging, split antecedents and non-referring expressions of a document, for the page to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..corpus.model import Corpus, IntArray
from ..diagnosis import Diagnosis
from ..diagnosis.anaphora import Link, Pair, errors
from ..diagnosis.evidence import Evidence
from .passages import Passage


def by_document(diagnosis: Diagnosis) -> dict[int, list[Pair]]:
    """The anaphors of each document pair that has any."""
    found: dict[int, list[Pair]] = {}
    for pair in diagnosis.beside:
        found.setdefault(_document(diagnosis.evidence, pair), []).append(pair)
    return found


def links(
    diagnosis: Diagnosis, found: Sequence[Pair], rows: tuple[IntArray, IntArray], text: Passage | None
) -> list[dict[str, Any]]:
    """What both sides say about each anaphor of a document: its class of error ("" if it is right), the error in words,
    and the ends on each side.

    `rows` are the mentions of the key and of the response as the page numbers them. An end is a mention such as `k5` or
    `r7`, words such as `w12-14` if they are not a scored mention, or empty if the page does not have these words.
    """
    if not found:
        return []
    e = diagnosis.evidence
    said = [str(error) for error in errors(e.matched, found)][::-1]
    sides = [
        {e.origin_of(side, row): f"{side[0]}{p}" for p, row in enumerate(some.tolist())}
        for side, some in zip(("key", "response"), rows, strict=True)
    ]
    return [
        {
            "what": pair.what,
            "kind": pair.kind,
            "said": said.pop() if pair.kind else "",
            "key": _ends(e, e.key, sides[0], pair.key, text),
            "response": _ends(e, e.response, sides[1], pair.response, text),
        }
        for pair in found
    ]


def _document(e: Evidence, pair: Pair) -> int:
    """The document pair of an anaphor."""
    if pair.key is not None:
        return int(e.pairing.key_row[e.key.doc[pair.key.anaphor]])
    assert pair.response is not None
    return int(e.pairing.response_row[e.response.doc[pair.response.anaphor]])


def _ends(e: Evidence, corpus: Corpus, ids: Mapping[int, str], link: Link | None, text: Passage | None) -> Any:
    if link is None:
        return None
    return [end for end in (_end(e, corpus, ids, row, text) for row in (link.anaphor, *link.to)) if end]


def _end(e: Evidence, corpus: Corpus, ids: Mapping[int, str], row: int, text: Passage | None) -> str:
    if row in ids:
        return ids[row]
    if text is None or corpus is not e.source:
        return ""
    first, last = text.span((int(corpus.start[row]), int(corpus.end[row])))
    return f"w{first}-{last}" if first <= last else ""
