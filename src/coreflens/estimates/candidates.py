"""Records that may belong to the entity of a drawn record, each with its reason, so that a person finds them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..corpus.model import IntArray
from ..errors import UsageError
from ..files.finding import find
from ..formats.links import load_links
from ..formats.reading import opened
from .clustering import Clustering
from .frames import Frame

MOST = 10  # candidates by shared words for each drawn record
_WORD = re.compile(r"\w+")


class Candidate(NamedTuple):
    """A record that may belong to the entity of a drawn record, and why."""

    record: int
    reason: str


def from_clusters(response: Clustering, drawn: IntArray) -> dict[int, list[Candidate]]:
    """The other records of the clusters of drawn records."""
    members: dict[int, list[int]] = {}
    wanted = np.isin(response.cluster, np.unique(response.cluster[drawn]))
    for record in np.flatnonzero(wanted).tolist():
        members.setdefault(int(response.cluster[record]), []).append(record)
    return {
        record: [Candidate(other, "same cluster") for other in members[int(response.cluster[record])]]
        for record in drawn.tolist()
    }


def from_links(response: Clustering, drawn: IntArray, path: str, column: str) -> dict[int, list[Candidate]]:
    """Records that a scored link leads to, the best first."""
    table = load_links(opened(find(path).files[0]), column)
    one, other = (response.places(list(names), None) for names in (table.one, table.other))
    is_drawn = np.zeros(len(response), dtype=bool)
    is_drawn[drawn] = True
    found: dict[int, list[tuple[float, int]]] = {}
    for a, b, score in zip(one.tolist(), other.tolist(), table.score.tolist(), strict=True):
        if a < 0 or b < 0:
            continue
        for start, end in ((a, b), (b, a)):
            if is_drawn[start]:
                found.setdefault(start, []).append((score, end))
    return {
        record: [Candidate(end, f"link {score:g}") for score, end in sorted(links, key=lambda x: (-x[0], x[1]))]
        for record, links in found.items()
    }


def from_fields(frame: Frame, drawn: IntArray, fields: Sequence[str]) -> dict[int, list[Candidate]]:
    """Records that share words in some columns, those with the rarest words in common first."""
    if not fields:
        raise UsageError("--fields needs the names of columns")
    columns = [frame.column(field) for field in fields]
    of_drawn = {record: {*_words(columns, record)} for record in drawn.tolist()}
    wanted = set().union(*of_drawn.values())
    holders: dict[str, list[int]] = {}
    for record in range(len(frame.response)):
        for word in {*_words(columns, record)} & wanted:
            holders.setdefault(word, []).append(record)
    found = {}
    for record, words in of_drawn.items():
        weights: Counter[int] = Counter()
        for word in words:
            for other in holders[word]:
                weights[other] += 1 / len(holders[word])  # type: ignore[assignment]
        del weights[record]
        best = sorted(weights, key=lambda other: (-weights[other], str(frame.response.names[other])))[:MOST]
        found[record] = [Candidate(other, _shared(words, {*_words(columns, other)})) for other in best]
    return found


def _words(columns: Sequence[Sequence[str]], record: int) -> Iterator[str]:
    for column in columns:
        yield from _WORD.findall(column[record].lower())


def _shared(words: set[str], others: set[str]) -> str:
    return f"shares {', '.join(sorted(words & others)[:5])}"
