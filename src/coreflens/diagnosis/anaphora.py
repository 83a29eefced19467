"""Errors in what is annotated in addition to the entities: bridging, split antecedents, non-referring expressions.

The coreference metrics do not count any of these, so each class is priced in its own metric: bridging in
`bridging-entity`, split antecedents in `split-bcub`, which also decides which sets of antecedents belong together, and
non-referring expressions in `nonreferring`. If the classes are corrected in turn, the changes sum to what the metric
lacks to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..matching.matched import Matched
from ..metrics import METRICS, Metric
from ..metrics.contingency import Contingency
from ..metrics.expressions import anchored
from .findings import short

CLASSES = {
    "missing bridging": "bridging-entity",
    "extra bridging": "bridging-entity",
    "wrong anchor": "bridging-entity",
    "other mention of the anchor": "bridging-entity",
    "missing split antecedent": "split-bcub",
    "extra split antecedent": "split-bcub",
    "other split antecedent": "split-bcub",
    "missing non-referring": "nonreferring",
    "extra non-referring": "nonreferring",
}


class Link(NamedTuple):
    """An anaphor of one side and what it refers to, as rows of that side's corpus. A non-referring one has no such
    rows."""

    anaphor: int
    to: tuple[int, ...]


class Pair(NamedTuple):
    """What key and response say about one anaphor, None if a side says nothing. The class is "" if there is no error.

    `counts`: what a repair adds to recall and precision of the metric, to each numerator and denominator.
    """

    what: str  # bridging, split, nonreferring
    kind: str
    block: int
    key: Link | None
    response: Link | None
    counts: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Anaphor:
    """An error: what the key says and what the response says, in words. `place` is file:line. It is in the key if the
    response lacks the anaphor."""

    kind: str
    document: str
    text: str
    key: tuple[str, ...]
    response: tuple[str, ...]
    place: str

    def __str__(self) -> str:
        ours, theirs = (", ".join(map(short, side)) for side in (self.key, self.response))
        if not self.key and not self.response:
            return short(self.text)
        wrong = f", not {theirs}" if ours and theirs else ""
        return f"{short(self.text)} → {ours or theirs}{wrong}"


@dataclass(frozen=True)
class AnaphorPrice:
    """A class: its number of errors, its metric, the change of F1 if it alone is corrected, the change if it is
    corrected after the classes above it, and the F1 after that."""

    kind: str
    errors: int
    metric: str
    alone: float
    next: float
    after: float


def pairs(matched: Matched) -> list[Pair]:
    """All anaphors of both sides, right and wrong: first those of the key, then the others of the response."""
    table = _table(matched)
    return [*_bridging(table), *_split(table), *_nonreferring(table)]


def _metric(name: str) -> Metric:
    found = METRICS[name]
    assert isinstance(found, Metric)
    return found


def _table(matched: Matched) -> Contingency:
    return Contingency.of(matched.halves(_metric("bcub"))[0], False, "", True)


def _bridging(t: Contingency) -> Iterator[Pair]:
    ours, theirs = t.other_anaphora.bridges
    (i, j), same, right = anchored(t)
    links = [
        [Link(a, (b,)) for a, b in zip(side.row.tolist(), side.anchor_row.tolist(), strict=True)]
        for side in (ours, theirs)
    ]
    partner = dict(zip(i.tolist(), zip(j.tolist(), same.tolist(), right.tolist(), strict=True), strict=True))
    for k, link in enumerate(links[0]):
        block = int(ours.block[k])
        if k not in partner:
            yield Pair("bridging", "missing bridging", block, link, None, (1, 0, 1, 1))
            continue
        r, very, entity = partner[k]
        kind = "" if very else "other mention of the anchor" if entity else "wrong anchor"
        yield Pair("bridging", kind, block, link, links[1][r], (0, 0, 0, 0) if entity else (1, 0, 1, 0))
    extra = np.ones(len(links[1]), dtype=bool)
    extra[j] = False
    for r in np.flatnonzero(extra).tolist():
        yield Pair("bridging", "extra bridging", int(theirs.block[r]), None, links[1][r], (0, 0, 0, -1))


def _split(t: Contingency) -> Iterator[Pair]:
    split = t.antecedents
    if split is None:
        return
    found = split.assigned(_metric("bcub").count)
    above, below, right, out_of = found.counts
    count, keys = len(split.key), len(split.sets[0].home)
    links = [[Link(h, f) for h, f in zip(side.home, side.firsts, strict=True)] for side in split.sets]
    partner = {int(split.key[p]): (int(split.response[p]), p) for p in found.pairs.tolist()}
    whole = [below[count : count + keys].astype(float), out_of[count + keys :].astype(float)]  # for each set alone
    for k, link in enumerate(links[0]):
        block, size = int(split.blocks[0][k]), float(whole[0][k])
        if k not in partner:
            yield Pair("split", "missing split antecedent", block, link, None, (size, 0, size, size))
            continue
        r, p = partner[k]
        kind = "" if split.equal[p] else "other split antecedent"
        change = (size - float(above[p]), 0, size - float(right[p]), size - float(whole[1][r]))
        yield Pair("split", kind, block, link, links[1][r], change)
    for r in sorted({*range(len(links[1]))} - {r for r, _ in partner.values()}):
        lost = -float(whole[1][r])
        yield Pair("split", "extra split antecedent", int(split.blocks[1][r]), None, links[1][r], (0, 0, 0, lost))


def _nonreferring(t: Contingency) -> Iterator[Pair]:
    ours, theirs = t.other_anaphora.nonreferring
    of = dict(zip(theirs.code.tolist(), theirs.row.tolist(), strict=True))
    for row, block, code in zip(ours.row.tolist(), ours.block.tolist(), ours.code.tolist(), strict=True):
        if code in of:
            yield Pair("nonreferring", "", block, Link(row, ()), Link(of[code], ()))
        else:
            yield Pair("nonreferring", "missing non-referring", block, Link(row, ()), None, (1, 0, 1, 1))
    for row, block, right in zip(theirs.row.tolist(), theirs.block.tolist(), theirs.right.tolist(), strict=True):
        if not right:
            yield Pair("nonreferring", "extra non-referring", block, None, Link(row, ()), (0, 0, 0, -1))


def errors(matched: Matched, found: Sequence[Pair]) -> list[Anaphor]:
    """The errors among them, in words."""

    def said(which: int, rows: Sequence[int]) -> tuple[str, ...]:
        corpus = (matched.key, matched.response)[which]
        return tuple(corpus.words(row) if corpus.has_text else str(corpus.mention(row).identity) for row in rows)

    records = []
    for pair in found:
        if pair.kind:
            sides = pair.key, pair.response
            which = 1 if pair.key is None else 0
            link = sides[which]
            assert link is not None
            corpus = (matched.key, matched.response)[1 if pair.response is not None else 0]
            row = (pair.response or link).anaphor
            mention = corpus.mention(row)
            ours, theirs = (said(n, side.to) if side else () for n, side in enumerate(sides))
            text = said(which, [link.anaphor])[0]
            records.append(Anaphor(pair.kind, mention.document.label, text, ours, theirs, mention.place))
    return records


def prices(matched: Matched, found: Sequence[Pair]) -> list[AnaphorPrice]:
    """Each class that has errors, in the order in which they are corrected."""
    now: dict[str, np.ndarray] = {}
    table = _table(matched)
    for name in dict.fromkeys(CLASSES.values()):
        now[name] = np.array([float(np.sum(column)) for column in _metric(name).count(table)])
    records = []
    done = {name: counts.copy() for name, counts in now.items()}
    for kind, name in CLASSES.items():
        ours = [pair.counts for pair in found if pair.kind == kind]
        if ours:
            change = np.sum(ours, axis=0)
            before = _f1(done[name])
            done[name] = done[name] + change
            after = _f1(done[name])
            alone = _f1(now[name] + change) - _f1(now[name])
            records.append(AnaphorPrice(kind, len(ours), name, alone, after - before, after))
    return records


def _f1(counts: np.ndarray) -> float:
    above_r, below_r, above_p, below_p = counts.tolist()
    r, p = (a / b if b else 0.0 for a, b in ((above_r, below_r), (above_p, below_p)))
    return 2 * r * p / (r + p) if r + p else 0.0
