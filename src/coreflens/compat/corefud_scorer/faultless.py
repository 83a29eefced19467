"""The documents in which corefud-scorer makes no mistake: its numbers there are those of `--ties scipy`.

Its faults occur only in certain cases: a mention is matched with one in another place while a third one is there, a
mention of several entities, an empty node `x.10`, a zero without dependencies, a mention without a head, mentions that
its order does not distinguish, or other sentences than in the key. Documents without such cases are matched and counted
in the usual, quick way. Only the others are imitated mention by mention.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...corpus.heads import EVIDENCE
from ...corpus.model import Corpus, IntArray
from ...matching.matched import Matched
from ...matching.matchers import BY, Matching
from ...matching.zeros import dependencies
from ...scoring.counting import count
from ...scoring.counts import Counts
from .mentions import misread
from .scoring import Sums


def faulty(matched: Matched) -> IntArray:
    """The documents of the key in which a fault of the tool may change a number.

    The mentions are to be matched with `ties="scipy"`, and with `multi="each"`, which leaves no mention out.
    """
    everything = np.arange(len(matched.key.documents))
    if not (_has_heads(matched.key) and _has_heads(matched.response)):
        return everything
    if any(issue.code == "sentences" for issue in matched.issues):  # it counts words within their sentences
        return everything
    m = matched.alignment.matching
    their_documents = matched.pairing.response_row[misread(matched.response.text)]
    suspects = [
        misread(matched.key.text),
        their_documents[their_documents >= 0],
        *_several(m),
        *_alike(m),
        *_undefined(m),
    ]
    elsewhere = np.flatnonzero(m.by > BY.index("exact"))
    k, r = m.found[elsewhere], elsewhere
    moved = m.codes[0][k] != m.codes[1][r]
    k, r = k[moved], r[moved]
    met = np.isin(m.codes[0][k], m.codes[1]) | np.isin(m.codes[1][r], m.codes[0])
    suspects.append(m.key.row[k[met]])
    return np.unique(np.concatenate(suspects))


def _has_heads(corpus: Corpus) -> bool:
    """Whether every mention has a head of its own; the tool takes the first word of one that has none."""
    if corpus.head is None or EVIDENCE in corpus.attributes:
        return not len(corpus)
    return bool((corpus.head >= 0).all())


def _several(m: Matching) -> list[IntArray]:
    """The documents with a mention of several entities, of either side."""
    found = []
    for side, codes in zip((m.key, m.response), m.codes, strict=True):
        order = np.argsort(codes, kind="stable")
        again = order[1:][codes[order][1:] == codes[order][:-1]]
        found.append(side.row[again])
    return found


def _alike(m: Matching) -> list[IntArray]:
    """The documents with two mentions of one side that the tool's order does not distinguish.

    They have the same start, end and number of words, and neither has an exact match.
    """
    alike_rows = []
    met = np.zeros(len(m.key.row), dtype=bool)
    met[m.found[m.by == BY.index("exact")]] = True
    for which, (side, same) in enumerate(((m.key, met), (m.response, m.by == BY.index("exact")))):
        rows = np.flatnonzero(~same)
        columns = m.words.sizes[which][rows], side.end[rows], side.start[rows], side.row[rows]
        order = np.lexsort(columns)
        equal = np.ones(max(len(rows) - 1, 0), dtype=bool)
        for column in columns:
            equal &= column[order][1:] == column[order][:-1]
        alike_rows.append(side.row[rows[order[1:][equal]]])
    return alike_rows


def _undefined(m: Matching) -> list[IntArray]:
    """The documents with a zero that depends on nothing, which makes the tool fail."""
    found = []
    for side, zero in zip((m.key, m.response), m.zeros, strict=True):
        rows = np.flatnonzero(zero)
        if m.options.zeros == "dependent" and len(rows):
            alone = [not d.pairs for d in dependencies(side, rows)]
            found.append(side.row[rows[np.array(alone, dtype=bool)]])
    return found


def sums(matched: Matched, without: IntArray, metrics: Sequence[str]) -> dict[str, list[Sums]]:
    """The sums of each metric over all documents but these."""
    counts, _ = count(matched, metrics)
    rows = np.ones(len(counts), dtype=bool)
    rows[without] = False
    total = counts.values[rows].sum(axis=0, keepdims=True)
    return {name: _parts(counts, name, total) for name in metrics}


def _parts(counts: Counts, name: str, total: np.ndarray) -> list[Sums]:
    c = {column: float(value[0]) for column, value in counts.of(name, total).items()}
    if name == "blanc":
        return [
            (c[f"{part}_common"], c[f"{part}_response"], c[f"{part}_common"], c[f"{part}_key"])
            for part in ("coref", "non")
        ]
    return [(c["precision_num"], c["precision_den"], c["recall_num"], c["recall_den"])]
