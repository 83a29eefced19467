"""How much a repair can raise the CoNLL average, without scoring it.

A repair changes a few response entities. MUC and B³ are sums over these and known at once. For CEAFe, prices u of the
key entities bound every alignment by Σ_i u_i + Σ_j max(0, max_i (φ_ij − u_i)), whatever u ≥ 0 (weak duality); with the
prices of the best alignment of the response as it is, the bound is tight for it and close for its neighbours. So of
thousands of repairs only the best few need to be scored exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from ..assignment import align
from ..contingency import Contingency
from ..metrics.registry import harmonic
from .classes import CONFLATED, DIVIDED, EXTRA_ENTITY, EXTRA_MENTION, MISSING_ENTITY, MISSING_MENTION, SPAN, Errors
from .evidence import Evidence

SWEEPS = 200  # a longer way between prices costs tightness, never correctness

# Of an entity: MUC's links kept and possible, B³'s numerators of R and P, mentions, CEAFe's bound, entities.
_NOTHING = (0.0,) * 7


class Bounds:
    """Upper bounds of the CoNLL average after single repairs."""

    def __init__(self, evidence: Evidence, errors: Errors, singletons: bool) -> None:
        m = evidence.alignment
        table = Contingency.of(m)
        self.errors, self.singletons = errors, singletons
        self.key, self.raw = m.key.tolist(), m.response.tolist()
        keys = np.bincount(m.key[m.key >= 0], minlength=len(m.key_block))
        self.a, self.u = keys.tolist(), np.zeros(len(keys))
        used = np.flatnonzero(keys)  # the table numbers entities that have mentions
        self.u[used] = _prices(table)
        self.prices = self.u.tolist()
        self.entities: dict[int, Counter[int]] = {}
        for ours, theirs in zip(self.key, self.raw, strict=True):
            if theirs >= 0:
                self.entities.setdefault(theirs, Counter())[ours] += 1
        self.worths = {j: self._worth(members) for j, members in self.entities.items()}
        self.total = np.array(list(self.worths.values()) or [_NOTHING]).sum(axis=0)
        self.fixed = (float((keys - 1).clip(0).sum()), float(keys.sum()), float(len(used)), float(self.u.sum()))
        self.wrong_of = dict(zip(errors.spans.right.tolist(), errors.spans.wrong.tolist(), strict=True))
        self.column = errors.column.tolist()
        self.stranded = {self.column[row]: row for row in errors.stranded.tolist()}
        self.present: dict[int, int] = {}
        for row, (ours, theirs) in enumerate(zip(self.key, self.column, strict=True)):
            if ours >= 0 and theirs >= 0:
                self.present.setdefault(ours, row)

    def _worth(self, members: Counter[int]) -> tuple[float, ...]:
        """`members`: key entity (−1: none) → mentions."""
        b = members.total()
        if not b or (b == 1 and not self.singletons):
            return _NOTHING
        kept = recall = precision = price = 0.0
        for i, n in members.items():
            if i >= 0 and n:
                kept += n - 1
                recall += n * n / self.a[i]
                precision += n * n / b
                price = max(price, 2 * n / (self.a[i] + b) - self.prices[i])
        return kept, b - 1, recall, precision, b, price, 1.0

    def all(self) -> Sequence[float]:
        """The bound of each error, in its order; of all at once."""
        changed = np.array([self._change(error) for error in range(len(self.errors))]).reshape(-1, 7) + self.total
        kept, links, recall, precision, mentions, price, entities = changed.T
        key_links, key_mentions, key_entities, prices = self.fixed
        similar = np.minimum(prices + price, np.minimum(key_entities, entities))
        f1s = (
            harmonic(_share(kept, key_links), _share(kept, links)),
            harmonic(_share(recall, key_mentions), _share(precision, mentions)),
            harmonic(_share(similar, key_entities), _share(similar, entities)),
        )
        bounds: list[float] = (np.stack(f1s).sum(axis=0) / 3).tolist()
        return bounds

    def _change(self, error: int) -> tuple[float, ...]:
        moved: dict[int, Counter[int]] = {}  # response entity → what it has afterwards; the new one is −1

        def members(j: int) -> Counter[int]:
            return moved.setdefault(j, Counter(self.entities.get(j, ())))

        for row, entity in self._moves(error):
            if self.raw[row] >= 0:
                members(self.raw[row])[self.key[row]] -= 1
            if entity is not None:
                members(entity)[self.key[row]] += 1
        if self.errors.kind[error] == DIVIDED:
            ours, theirs = self._divided(error)
            if ours != theirs:
                merged = members(ours) + members(theirs)
                moved[ours], moved[theirs] = merged, Counter()
        before = [self.worths.get(j, _NOTHING) for j in moved]
        after = [self._worth(found) for found in moved.values()]
        return tuple(sum(w[x] for w in after) - sum(w[x] for w in before) for x in range(7))

    def _divided(self, error: int) -> tuple[int, int]:
        """The response entities that a divided entity's repair merges; −1 where the anchor is missing."""
        anchor = int(self.errors.anchor[self.errors.entity[error]])
        return self.column[anchor], self.column[int(self.errors.rows[self.errors.first[error]])]

    def _moves(self, error: int) -> Iterator[tuple[int, int | None]]:
        """Mentions and where they go when this error alone is put right: `repaired` for one error."""
        kind, rows = int(self.errors.kind[error]), self.errors.of(error).tolist()
        entity = int(self.errors.entity[error])
        if kind == SPAN:
            wrong, right = rows
            yield wrong, None
            yield right, self.raw[wrong]
        elif kind == CONFLATED:
            for row in rows:
                yield self.wrong_of.get(row, row), -1
            if entity in self.stranded and self.entities[entity].total() - len(rows) == 1:
                yield self.stranded[entity], None
        elif kind in (EXTRA_MENTION, EXTRA_ENTITY):
            for row in rows:
                yield row, None
        elif kind == DIVIDED and self._divided(error)[0] < 0:
            yield int(self.errors.anchor[entity]), -1
        elif kind == MISSING_MENTION:
            yield rows[0], self.column[self.present[entity]]
        elif kind == MISSING_ENTITY:
            for row in rows:
                yield self.wrong_of.get(row, row), -1


def _share(part: np.ndarray, whole: float | np.ndarray) -> np.ndarray:
    share: np.ndarray = part / np.where(np.asarray(whole) > 0, whole, 1)
    return share


def _prices(t: Contingency) -> np.ndarray:
    """Prices of the key entities, from the best alignment: the least u with u_i ≥ φ_ij − v_j everywhere."""
    similar = 2 * t.n / (t.ai + t.bj)
    chosen = align(t.i, t.j, similar, len(t.a), len(t.b))
    mate, weight = np.full(len(t.b), -1, dtype=np.int64), np.zeros(len(t.b))
    mate[t.j[chosen]], weight[t.j[chosen]] = t.i[chosen], similar[chosen]
    u = np.zeros(len(t.a))
    for _ in range(SWEEPS):
        before = u.copy()
        np.maximum.at(u, t.i, np.where(mate[t.j] >= 0, before[mate[t.j]], 0.0) + similar - weight[t.j])
        if np.allclose(u, before, rtol=0, atol=1e-12):
            break
    return u
