"""How many of a key's mentions a mention tagger finds, without regard to entities: Cai & Strube (2010, Table 7).

The paper prints two percentages without defining them. Here they are
    head coverage   key mentions whose head is the head of a mention of the output
    accuracy        mentions of the output whose head is the head of a key mention
The counts are also given, so that other definitions can be computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..corpus.heads import FROM, heads
from ..corpus.model import Corpus, IntArray
from ..errors import Issue
from ..formats import FormatName, Input, read
from ..integers import bincount
from ..matching.labels import By, labels_of, number_labels
from ..matching.matched import match
from ..options import Options
from ..presentation import writer_of

if TYPE_CHECKING:
    from ..paper.table import Table


@dataclass(frozen=True, eq=False)
class Tagged:
    """One output compared with a key: counts by pair of documents, and where the heads come from ("": unknown)."""

    counts: Mapping[str, IntArray]
    key_heads: str
    heads: str
    issues: Sequence[Issue]

    def figures(self, pairs: npt.NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """The counts of some pairs of documents, or of everything."""
        found = {
            name: int(counts.sum() if pairs is None else counts[:-1][pairs].sum())
            for name, counts in self.counts.items()
        }
        known = bool(self.heads and self.key_heads)
        about = {name: found[name] if known else None for name in (COVERED, RIGHT)}
        return {**found, **about, "heads of the key from": self.key_heads or None, "heads from": self.heads or None}


def tagged(key: Corpus, corpus: Corpus, options: Options) -> Tagged:
    """How well the mentions of a corpus cover those of a key, without regard to entities."""
    ours, theirs = heads(key), heads(corpus)
    known = bool((ours.token >= 0).all() and (theirs.token >= 0).all())
    # Heads are carried over with their mentions, so that tokens mean the same on both sides.
    with_key_heads, with_heads = (replace(c, head=h.token) for c, h in ((key, ours), (corpus, theirs)))
    matched = match(with_key_heads, with_heads, options, strict=True, lenient=True)
    pairing, (of_key, of_output) = matched.pairing, matched.alignment.sides
    pairs = len(pairing.documents)

    def by_pair(rows: IntArray) -> IntArray:
        """Counts by pair; documents without one are last."""
        return bincount(np.where(rows >= 0, rows, pairs), minlength=pairs + 1)

    here, there = _places(of_key.corpus, pairing.key_row), _places(of_output.corpus, pairing.response_row)
    met = matched.alignment
    common = (met.key >= 0) & (met.response >= 0)
    rows = pairing.response_row[matched.response.doc]
    without_pair = rows[rows < 0]
    counts = {
        "key mentions": by_pair(of_key.row),
        "mentions": by_pair(np.concatenate((of_output.row, without_pair))),
        "twins": by_pair(of_key.row[met.key_rows[common]]),
        COVERED: by_pair(_found(here, there)),
        RIGHT: by_pair(_found(there, here)),
    }
    named = [FROM[int(found.source.max(initial=0))] if known else "" for found in (ours, theirs)]
    return Tagged(counts, named[0], named[1], matched.issues)


COVERED, RIGHT = "key mentions whose head is found", "mentions with a head of the key"


def _places(corpus: Corpus | None, rows: IntArray) -> IntArray:
    """(Pair of documents, token) of each mention's head, if it is known."""
    if corpus is None or corpus.head is None:
        return np.zeros((0, 2), dtype=np.int64)
    found = np.stack([rows[corpus.doc], corpus.head], axis=1)
    return found[(found >= 0).all(axis=1)]


def _found(places: IntArray, others: IntArray) -> IntArray:
    """The pair of documents of each place that is among the others."""
    width = int(max(places[:, 1].max(initial=0), others[:, 1].max(initial=0))) + 1
    mine, theirs = (p[:, 0] * width + p[:, 1] for p in (places, others))
    found: IntArray = places[np.isin(mine, theirs), 0]
    return found


@dataclass(frozen=True)
class Taggers:
    """Several outputs against one key: tagger → group (`all` last) → counts."""

    figures: Mapping[str, Mapping[str, Mapping[str, Any]]]
    issues: Sequence[Issue]

    def table(self) -> Table:
        """Table 7 of Cai & Strube (2010): a row for each tagger and group."""
        found: Table = writer_of(self).table(self)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {"taggers": self.figures, "issues": [issue.to_dict() for issue in self.issues]}


def taggers(
    outputs: Mapping[str, Input],
    against: Input,
    *,
    by: By | None = None,
    format: FormatName | None = None,
    encoding: str | None = None,
    options: Options | None = None,
) -> Taggers:
    """Several mention taggers on one key, by groups of the key's documents if `by` names some."""
    key = read(against, encoding=encoding, role="key")
    group, labels = number_labels(labels_of(key.documents, by)) if by is not None else (None, [])
    figures, issues = {}, list(key.issues)
    for name, output in outputs.items():
        corpus = read(output, format=format, encoding=encoding, role="response")
        found = tagged(key, corpus, options or Options(extra="ignore"))
        issues += [issue for issue in found.issues if issue not in issues]
        groups = {} if group is None else {label: found.figures(group == g) for g, label in enumerate(labels)}
        figures[name] = {**groups, "all": found.figures()}
    return Taggers(figures, issues)
