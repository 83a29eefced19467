"""The derivations of metrics that divide a sum over entities by another sum: MUC, pairs, mentions, B³, LEA and any
other metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..metrics import bcubed, detection, lea, links
from ..metrics.contingency import Array
from .naming import largest
from .scene import (
    Details,
    Scene,
    derives,
    entity_sheet,
    f1_step,
    half_step,
    ratios,
    shares,
    total,
    written,
)
from .splits import split_shares
from .structure import Cell, Folded, Sheet, Step, figure
from .trace import Half, Part


@derives(links.muc, folds=True)
def muc(scene: Scene) -> list[Step]:
    """p(K) and p′(R), and the links they keep (Vilain et al. 1995)."""

    def cells(half: Half, entities: Sequence[int]) -> list[list[Cell]]:
        parts = half.parts_of(entities)
        sets = scene.names.part_sets(half, entities, parts, scene.in_full)
        return [[of_one, half.sizes[e], len(own)] for e, of_one, own in zip(entities, sets, parts, strict=True)]

    def step(half: Half) -> Step:
        parts = "p(K)" if half.letter == "K" else "p′(R)"
        details = Details([parts, "|X|", f"|{parts}|"], cells, ("parts", "size", "parts count"))
        return half_step(scene, half, f"|X| − |{parts}|", "|X| − 1", details)

    return [step(scene.recall), step(scene.precision), f1_step(scene)]


@derives(links.pairs, folds=True)
def pairs(scene: Scene) -> list[Step]:
    """Pairs of mentions inside an entity that the other side also has together."""

    def cells(half: Half, entities: Sequence[int]) -> list[list[Cell]]:
        return [[sets] for sets in scene.names.part_sets(half, entities, half.parts_of(entities), scene.in_full)]

    return ratios(scene, "pairs kept", "pairs", Details(["as the other side cuts it"], cells, ("parts",)))


@derives(detection.mentions, folds=True)
def mentions(scene: Scene) -> list[Step]:
    """The mentions of each entity that the other side lacks."""

    def cells(half: Half, entities: Sequence[int]) -> list[list[Cell]]:
        lacking = [[part.rows for part in parts if part.other < 0] for parts in half.parts_of(entities)]
        return [[scene.names.mentions(half.alignment, np.concatenate(rows)) if rows else ""] for rows in lacking]

    missing = {"recall": "missing in R", "precision": "not in K"}
    halves = [
        half_step(
            scene,
            half,
            "found" if half.letter == "K" else "right",
            "|X|",
            Details([missing[half.which]], cells, ("lacking",)),
        )
        for half in (scene.recall, scene.precision)
    ]
    return [*halves, f1_step(scene)]


@derives(bcubed.bcub, folds=True)
def bcub(scene: Scene) -> list[Step]:
    """|K ∩ R|²/|K| of each cell, and the credit of each mention if there are few mentions."""
    split = {half.which: split_shares(scene, half) for half in (scene.recall, scene.precision)}

    def cells(half: Half, entities: Sequence[int]) -> list[list[Cell]]:
        parts = half.parts_of(entities)
        found = [largest([part for part in own if part.other >= 0], scene.in_full) for own in parts]
        overlaps = half.overlaps_of(entities, [shown for shown, _ in found])
        rows: list[list[Cell]] = []
        for e, own, (shown, more), overlap in zip(entities, parts, found, overlaps, strict=True):
            added = dict(split[half.which].get(e, {}))  # what a split antecedent adds to the overlap
            terms = _squares(figure(half.sizes[e]), own, zip(shown, overlap, strict=True), added)
            rows.append([" + ".join([*terms, *(["…"] if more else [])])])
        return rows

    return [*ratios(scene, "credit", "|X|", Details(["Σ |K ∩ R|²/|X|"], cells, ("squares",))), *_credits(scene)]


def _squares(size: str, parts: Iterable[Part], shown: Iterable[tuple[Part, int]], added: dict[int, Any]) -> list[str]:
    """The squared overlap of an entity with each part that is shown, and with what only split antecedents share."""
    terms = []
    for part, overlap in shown:
        if part.other in added:
            terms.append(f"({len(part.rows)} + {figure(added.pop(part.other))})²/{size}")
        else:
            terms.append(f"{_square(len(part.rows), overlap)}/{size}")
    met = {part.other for part in parts}
    return terms + [f"({figure(share)})²/{size}" for other, share in added.items() if other not in met]


def _square(mentions: int, overlap: int) -> str:
    """`2²`, or if repetitions count as in scorer.pl, the mentions whose home is this entity times the overlap:
    `1·2`."""
    return f"{mentions}²" if overlap == mentions else f"{mentions}·{overlap}"


def _credits(scene: Scene) -> list[Step]:
    """|K ∩ R|/|K| and |K ∩ R|/|R| of each mention: its share of its cell's |K ∩ R|²/|K| and |K ∩ R|²/|R|."""
    if len(scene.shown) > 1 or scene.table.antecedents is not None:  # a set of antecedents is not a mention
        return []
    rows: dict[tuple[int, int], list[Cell]] = {}
    sides = [(half, scene.entities(half)) for half in (scene.recall, scene.precision)]
    if any(total(half.size[entities]) > 2 * scene.limit for half, entities in sides):
        return []
    title, header = "Credit of each mention", ("mention", "K", "R", "|K ∩ R|/|K|", "|K ∩ R|/|R|")
    if scene.folded:
        return [Step(title, (), _folded_credits(scene, header))]
    for place, (half, entities) in enumerate(sides):
        numbers = entities.tolist()
        names = scene.names.entities(half, numbers, in_full=True)
        parts = half.parts_of(numbers)
        overlaps = half.overlaps_of(numbers, parts)
        for e, own_name, own_parts, own_overlaps in zip(numbers, names, parts, overlaps, strict=True):
            size: Any = half.sizes[e]
            for part, overlap in zip(own_parts, own_overlaps, strict=True):
                credit = overlap / size if part.other >= 0 else 0
                pair = [own_name, scene.names.other(half, part.other) if part.other >= 0 else ""]
                for row in part.rows.tolist():
                    mention = int(half.alignment.key_rows[row]), int(half.alignment.response_rows[row])
                    name = scene.names.mention(half.alignment, row)
                    cells = rows.setdefault(mention, [name, *pair[:: 1 if place == 0 else -1], "", ""])
                    cells[3 + place] = credit
    bottom = ("total", "", "", scene.counts["recall_num"], scene.counts["precision_num"])
    found = tuple(map(tuple, rows.values()))
    return [Step(title, (), Sheet(header, found, bottom, {3: "recall_num", 4: "precision_num"}))]


def _folded_credits(scene: Scene, header: tuple[str, ...]) -> Folded:
    """The same sheet for a page: the credit of each cell."""
    table, cells = scene.table, scene.cells(scene.recall)
    credits = scene.once(
        (scene.metric.name, "credit"), lambda: [written(table.n / size) for size in (table.ai, table.bj)]
    )
    credit = [share[cells].tolist() for share in credits]
    sums = ["total", *(figure(scene.counts[name]) for name in ("recall_num", "precision_num"))]
    columns = ("mention", "K", "R", "recall", "precision")
    return Folded(header, of="mentions", columns=columns, figures=credit, sums=[sums])


@derives(lea.lea, folds=True)
def link_aware(scene: Scene) -> list[Step]:
    """Importance |K| times resolution, the links found over all links (Moosavi & Strube 2016)."""
    split = {half.which: split_shares(scene, half) for half in (scene.recall, scene.precision)}

    def links_of(half: Half, e: int, parts: Sequence[Part], resolved: Array | None) -> tuple[Cell, Cell]:
        """The links of an entity that are found, and all its links."""
        size = int(half.sizes[e])
        if size == 1:  # its only link is the one to itself, which is found if the credit is the whole importance
            return (0 if resolved is None else int(resolved[e])), 1
        added = split[half.which].get(e, {})
        kept = sum(len(part.rows) * (len(part.rows) - 1) // 2 for part in parts if part.other >= 0)
        more = sum(len(part.rows) * added[part.other] for part in parts if part.other in added)
        return kept + more, size * (size - 1) // 2

    def cells(half: Half, entities: Sequence[int]) -> list[list[Cell]]:
        parts = half.parts_of(entities)
        sets = scene.names.part_sets(half, entities, parts, scene.in_full)
        resolved = half.share(f"{half.which}_num")
        return [
            [of_one, *links_of(half, e, own, resolved)] for e, of_one, own in zip(entities, sets, parts, strict=True)
        ]

    def found(half: Half) -> Array:
        resolved = half.share(f"{half.which}_num")
        alone = 0 if resolved is None else resolved
        return np.where(half.size == 1, alone, half.summed(half.table.n * (half.table.n - 1) // 2))

    def every(half: Half) -> Array:
        return np.where(half.size == 1, 1, half.size * (half.size - 1) // 2)

    headers = ["as the other side cuts it", "links found", "links"]
    return ratios(scene, "importance × found/links", "importance |X|", Details(headers, cells, ("parts", found, every)))


def generic(scene: Scene) -> list[Step]:
    """An explanation that fits any metric: its counts, by entity if the trace has them, and its values."""
    if scene.metric.columns == ("recall_num", "recall_den", "precision_num", "precision_den"):
        return ratios(scene, "numerator", "denominator")
    steps = []
    for half in (scene.recall, scene.precision):
        adds = shares(half, {name.replace("_", " "): name for name in scene.metric.columns})
        if adds:
            loss = half.size
            title = f"{half.side.capitalize()} entities"
            steps.append(Step(title, (), entity_sheet(scene, half, adds, loss)))
    counts = ", ".join(f"{name.replace('_', ' ')} {figure(x)}" for name, x in scene.counts.items())
    values = [f"{name} = {scene.value(x, name in scene.score.undefined)}" for name, x in scene.score.numbers().items()]
    return [*steps, Step("Result", (counts, *values))]
