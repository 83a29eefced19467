"""Which entities and mentions lose most, and the change of every metric when each of them is corrected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..corpus.model import IntArray
from .account import ACCOUNTED, Account
from .classes import ON_RESPONSE, Errors
from .evidence import Evidence
from .findings import Loss
from .prices import Prices
from .repairs import Correction, correction, entity_repaired, mention_repaired

SUMMED = ACCOUNTED[1:]  # the metrics of which the losses are summed


class _Entity(NamedTuple):
    """An entity that loses points; the largest loss comes first in order."""

    gain: float
    side: str
    number: int
    shares: Mapping[str, float]


def entity_losses(
    evidence: Evidence, errors: Errors, prices: Prices, accounts: tuple[Account, Account], count: int
) -> list[Loss]:
    """Key entities that lose most in recall, and response entities in precision, summed over MUC, B³ and LEA."""
    m = evidence.alignment
    worst = [*_losing("key", accounts[0], len(m.key_block)), *_losing("response", accounts[1], len(m.response_block))]
    worst = sorted(worst, key=lambda entity: entity[:3])[:count]
    rows = [np.flatnonzero((m.key if e.side == "key" else m.response) == e.number) for e in worst]
    corrections = [_corrected_entity(evidence, errors, e, own) for e, own in zip(worst, rows, strict=True)]
    changes = prices.changes(corrections)
    anchors = [_anchor(evidence, own) for own in rows]
    return [
        Loss(
            side=entity.side,
            document=evidence.documents[int(evidence.row[anchor])].label,
            text=evidence.text(anchor),
            entity=evidence.label(entity.side, anchor),
            place=evidence.place(anchor, entity.side),
            mentions=len(own),
            recall=entity.shares if entity.side == "key" else {},
            precision=entity.shares if entity.side == "response" else {},
            change=change,
        )
        for entity, own, anchor, change in zip(worst, rows, anchors, changes, strict=True)
    ]


def _losing(side: str, account: Account, entities: int) -> list[_Entity]:
    """The entities of a side that lose anything."""
    lost = {name: account.by_entity(name, entities) for name in SUMMED}
    total = np.asarray(sum(lost.values()))
    return [
        _Entity(-float(total[number]), side, number, {name: float(share[number]) for name, share in lost.items()})
        for number in np.flatnonzero(total > 0).tolist()
    ]


def _corrected_entity(evidence: Evidence, errors: Errors, entity: _Entity, rows: IntArray) -> Correction:
    if entity.side == "key":
        return Correction(entity_repaired(evidence, errors, entity.number), evidence.only_block(rows))
    return correction(evidence, errors, np.isin(errors.kind, ON_RESPONSE) & (errors.entity == entity.number))


def _anchor(evidence: Evidence, rows: IntArray) -> int:
    """The first mention that is not a pronoun, or else the first."""
    solid = rows[~evidence.pronoun[rows]]
    return int(solid[0] if len(solid) else rows[0])


def mention_losses(
    evidence: Evidence, errors: Errors, prices: Prices, accounts: tuple[Account, Account], count: int
) -> list[Loss]:
    """The mentions that lose most, in recall and precision together."""
    lost = [{name: account.lost(name) for name in SUMMED} for account in accounts]
    total = np.asarray(sum(share for side in lost for share in side.values()))
    worst = np.argsort(-total, kind="stable")[:count]
    rows = worst[total[worst] > 0].tolist()
    changes = prices.changes(
        [Correction(mention_repaired(evidence, errors, row), evidence.only_block(np.array([row]))) for row in rows]
    )
    found = []
    for row, change in zip(rows, changes, strict=True):
        side = "key" if evidence.alignment.key[row] >= 0 else "response"
        recall, precision = ({name: float(share[row]) for name, share in of_side.items()} for of_side in lost)
        found.append(
            Loss(
                side=side,
                document=evidence.documents[int(evidence.row[row])].label,
                text=evidence.text(row),
                entity=evidence.label(side, row),
                place=evidence.place(row, side),
                mentions=1,
                recall=recall,
                precision=precision,
                change=change,
            )
        )
    return found
