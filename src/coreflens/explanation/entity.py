"""One entity's part in a score: its mentions, and the row that it has in the derivation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..corpus.model import IntArray
from ..errors import UsageError
from ..integers import bincount
from ..matching.matchers import BY
from ..metrics import METRICS, Average, Metric
from ..metrics.registry import RECALL_PRECISION
from ..scoring.scores import Score
from .derivation import NOTATION, Case, document_row, formula, scene_of
from .overview import SHORT, halves
from .ratios import generic
from .scene import DERIVATIONS, scalar
from .structure import Cell, Explanation, Sheet, Step
from .trace import Half


def entity_explained(case: Case, name: str, entity: str, document: str | None) -> Explanation:
    """What an entity, such as K3 or R1, earns in a metric that sums over entities: recall for a key entity, precision
    for a response entity."""
    entity = entity.upper()
    side, number, row = _found(case, entity, document)
    shown = np.array([row])
    where = f"{entity} in {case.counts.labels[row]}" if case.counts.labels[row] else entity
    metric, signature = METRICS[name], str(case.result.signature)
    if not isinstance(metric, Average):
        part = _explained(case, name, side, number, shown, where)
        steps = [Step("", (*formula(metric), NOTATION)), _mentions(case, side, number), *part.steps]
        return replace(part, steps=steps, signature=signature, issues=case.result.issues)
    names = [part for part, weight in metric.weights(case.result.options).items() if weight]
    parts = [_explained(case, part, side, number, shown, where) for part in names]
    steps = [Step("", (NOTATION,)), _mentions(case, side, number)]
    return Explanation(name, f"{metric.title} of {where}", Score(name), {}, steps, signature, parts, case.result.issues)


def _found(case: Case, entity: str, document: str | None) -> tuple[str, int, int]:
    """The side of an entity, its number in the alignment, and the row of counts that it belongs to."""
    given = re.fullmatch(r"([KR])([1-9][0-9]*)", entity)
    if given is None:
        raise UsageError(f"'{entity}' is not an entity: entities are named K1, K2, ... and R1, R2, ...")
    side = "key" if given[1] == "K" else "response"
    counts = case.counts
    blocks = case.matched.alignment.key_block if side == "key" else case.matched.alignment.response_block
    sizes = bincount(blocks, minlength=len(counts))
    rows = [document_row(counts, document)] if document is not None else list(range(len(counts)))
    having = [row for row in rows if sizes[row] >= int(given[2])]
    if len(having) != 1:
        most = f"the {side} has {sizes[rows].max(initial=0)}" + (" at most" if len(rows) > 1 else "")
        several = f"{len(having)} documents have a {entity}: choose one with document (--document)"
        raise UsageError(several if having else f"no entity '{entity}': {most}")
    return side, int(np.searchsorted(blocks, having[0])) + int(given[2]) - 1, having[0]


def _explained(case: Case, name: str, side: str, number: int, shown: IntArray, where: str) -> Explanation:
    metric = METRICS[name]
    assert isinstance(metric, Metric)
    scene = scene_of(case, metric, shown)
    half = scene.recall if side == "key" else scene.precision
    shares = (
        [half.share(f"{half.which}_{part}") for part in ("num", "den")] if metric.columns == RECALL_PRECISION else []
    )
    if not shares or any(share is None for share in shares):
        raise UsageError(
            f"{metric.title} is not a sum over the entities of the {side}, so single entities have no part in it"
        )
    e = int(np.searchsorted(half.numbers, number))
    if e == len(half.numbers) or half.numbers[e] != number:
        raise UsageError(f"{metric.title} does not score {where}: the options leave it out")
    above, below = (scalar(share[e]) for share in shares if share is not None)
    values: dict[str, Any] = {half.which: above / below if below else 0 * below}
    undefined = frozenset() if below else frozenset({half.which})
    counts = {f"{half.which}_num": above, f"{half.which}_den": below}
    alone = replace(
        scene,
        only=(half.which, e),
        counts={**scene.counts, **counts},
        score=Score(name, **{**scene.score.numbers(), **values}, undefined=undefined),
    )
    step = _own(DERIVATIONS.get(metric.count, generic)(alone), half) or _own(generic(alone), half)
    assert step is not None
    title = f"{metric.title} of {where}: {SHORT[half.which]} {scene.value(values[half.which], bool(undefined))}"
    return Explanation(name, title, Score(name, **values, undefined=undefined, counts=counts), counts, [step], "")


def _own(steps: Sequence[Step], half: Half) -> Step | None:
    """The step about a half, without a row for the total, because there is only one entity."""
    step = next((step for step in steps if step.title == half.which.capitalize()), None)
    if step is None or step.sheet is None:
        return None
    return replace(step, sheet=replace(step.sheet, total=None))


def _mentions(case: Case, side: str, number: int) -> Step:
    """Its mentions, and the entities that have them on the other side."""
    half = halves(case.matched.alignment)[0 if side == "key" else 1]
    e = int(np.searchsorted(half.numbers, number))
    members = half.members(e)
    alignment = case.matched.alignment
    other = (alignment.response if side == "key" else alignment.key)[members]
    shown = members[: 2 * case.limit]
    apart = np.isin(shown, alignment.elsewhere)
    rows: list[tuple[Cell, ...]] = []
    for row, theirs, differs in zip(shown.tolist(), other.tolist(), apart.tolist(), strict=False):
        own, met = case.names.mention(alignment, row), ""
        if differs:
            ours, theirs_too = own, case.names.counterpart(alignment, row)
            own, met = (ours, theirs_too) if side == "key" else (theirs_too, ours)
            met = f"{met} (by {BY[alignment.by[row]]})"
        name = case.names.other(half, theirs) if theirs >= 0 else "twinless"
        rows.append((own, name, *([met] if apart.any() else [])))
    if len(members) > len(rows):
        rows.append((f"and {len(members) - len(rows)} more", *[""] * (len(rows[0]) - 1)))
    header = (f"{side} mention", half.opposite.letter, *(["matched as"] if apart.any() else []))
    return Step("Mentions", (), Sheet(header, tuple(rows)))
