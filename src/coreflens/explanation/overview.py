"""The steps before a derivation: the documents, the entities, and the partitions that a twinless policy makes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..corpus.model import IntArray
from ..integers import bincount
from ..matching.alignment import Alignment
from ..matching.matchers import BY
from ..matching.twinless import about
from ..metrics.contingency import Array
from ..metrics.registry import RECALL_PRECISION, Columns
from ..scoring.counts import Counts
from ..scoring.finalize import finalize_rows, finalize_values
from ..scoring.scores import Number, Score
from .scene import Scene, scalar, total
from .structure import Cell, Sheet, Step, figure
from .trace import Half, Trace


def documents(scene: Scene, counts: Counts) -> Step:
    """One row per document: what it adds to the counts, and its own score. Those that lose most come first."""
    metric, macro = scene.metric, averaged(scene)
    columns = counts.of(metric.name, counts.values)
    order = np.argsort(-_loss(scene, counts, columns), kind="stable")
    shown, rest = order[: scene.limit].tolist(), order[scene.limit :].tolist()
    scored = counts if macro else counts.take(order[: scene.limit])
    scores = [row[metric.name] for row in finalize_rows(scored, [metric.name], scene.options)]
    if macro:
        return _means(scene, counts.labels, scores, shown, rest)
    named = [name for name in metric.columns if not name.startswith("mentions_")]
    rows: list[tuple[Cell, ...]] = [
        (counts.labels[d], *(scalar(columns[name][d]) for name in named), *_values(scene, score))
        for d, score in zip(shown, scores, strict=True)
    ]
    if rest:
        sums = (total(columns[name][rest]) for name in named)
        rows.append((f"and {len(rest)} more", *sums, *[""] * len(metric.values)))
    bottom = ("total", *(scene.counts[name] for name in named), *_values(scene, scene.score))
    header = ("document", *(_short(name) for name in named), *(SHORT[name] for name in metric.values))
    adds = dict(enumerate(named, start=1))
    return Step("Documents", (), Sheet(header, tuple(rows), bottom, adds))


SHORT = {"recall": "R", "precision": "P", "f1": "F1", "value": "value"}


def _values(scene: Scene, score: Score) -> list[Cell]:
    return [scene.value(x) if name not in score.undefined else "n/a" for name, x in score.numbers().items()]


def _means(
    scene: Scene, labels: Sequence[str], scores: Sequence[Score], shown: Sequence[int], rest: Sequence[int]
) -> Step:
    """The documents of a score that is a mean over documents: their values, and the sums of these."""

    def value(d: int, name: str) -> Number | None:
        return None if name in scores[d].undefined else getattr(scores[d], name)

    def added(places: Sequence[int], name: str) -> Number:
        return sum((x for d in places if (x := value(d, name)) is not None), start=0)

    names = scene.metric.values
    rows: list[tuple[Cell, ...]] = [
        (labels[d], *("n/a" if (x := value(d, name)) is None else x for name in names)) for d in shown
    ]
    if rest:
        rows.append((f"and {len(rest)} more", *(added(rest, name) for name in names)))
    totals = [added([*shown, *rest], name) for name in names]
    lines = []
    for name, above in zip(names, totals, strict=True):
        defined = sum(name not in score.undefined for score in scores)
        title = SHORT[name] if name != "value" else scene.metric.title
        found = scene.value(getattr(scene.score, name))
        lines.append(
            f"{title} = {figure(above)} / {defined} = {found}" if defined else f"{title} = n/a in every document"
        )
    header = ("document", *(SHORT[name] for name in names))
    means = dict(enumerate(names, start=1))
    sheet = Sheet(header, tuple(rows), ("total", *totals), {}, means)
    return Step("Documents", ("The score is the mean over the documents where it is defined.",), sheet, tuple(lines))


def averaged(scene: Scene) -> bool:
    """Whether the score is a mean over several documents."""
    return (scene.options.average == "macro" or scene.metric.aggregation == "macro") and len(scene.shown) > 1


def _loss(scene: Scene, counts: Counts, c: Columns) -> Array:
    """What each document loses: credit, links, or the distance of its value from the best value."""
    metric = scene.metric
    if metric.columns == RECALL_PRECISION:
        lost = c["recall_den"] - c["recall_num"] + c["precision_den"] - c["precision_num"]
    elif "coref_key" in metric.columns:
        lost = sum(c[f"{x}_key"] + c[f"{x}_response"] - 2 * c[f"{x}_common"] for x in ("coref", "non"))
    else:
        values, _ = finalize_values(counts, counts.values, [metric.name], scene.options)[metric.name]
        lost = np.abs(float(metric.identity) - values[metric.values[-1]].astype(np.float64))
    return np.nan_to_num(np.asarray(lost, dtype=np.float64))


def _short(name: str) -> str:
    if name in RECALL_PRECISION:
        return f"{name[0].upper()} {name.rpartition('_')[2]}"
    return name.replace("_", " ")


def halves(alignment: Alignment) -> tuple[Half, Half]:
    """The two sides of an alignment, without a metric."""
    table = Trace.of(alignment)
    return Half("recall", table, alignment, {}), Half("precision", table, alignment, {})


def entities(scene: Scene, alignment: Alignment) -> Step:
    """K1 = {a, b, c} and so on, or how many there are."""
    sides = halves(alignment)
    lists = [scene.entities(half) for half in sides]
    lonely = [_twinless(scene, alignment, half) for half in sides]
    if not scene.in_full:
        lines = [
            f"{half.side.capitalize()}: {len(entities)} entities, {figure(total(half.size[entities]))} mentions, "
            f"{len(rows)} of them twinless"
            for half, entities, rows in zip(sides, lists, lonely, strict=True)
        ]
        return Step("Entities", tuple(lines))
    rows: list[tuple[Cell, ...]] = []
    for half, found in zip(sides, lists, strict=True):
        numbers = found.tolist()
        members = [half.members(e) for e in numbers]
        names = scene.names.entities(half, numbers, in_full=True)
        sets = [scene.names.set(alignment, mentions) for mentions in members]
        labels = [scene.names.label(half, mentions) for mentions in members]
        rows += zip(names, labels, sets, half.size[found].tolist(), strict=True)
    labelled = any(row[1] for row in rows)
    header = ("", *(["id"] if labelled else []), "mentions", "size")
    found_rows = tuple(row if labelled else (row[0], *row[2:]) for row in rows)
    after = [
        f"Twinless in the {half.side}: {scene.names.mentions(alignment, rows)}"
        for half, rows in zip(sides, lonely, strict=True)
        if len(rows)
    ]
    return Step("Entities", (), Sheet(header, found_rows), tuple(after))


def matches(scene: Scene, alignment: Alignment) -> list[Step]:
    """Which matched mentions are not the same, and how they were matched; empty if all are the same."""
    inside = np.isin(alignment.block, scene.shown)
    by = alignment.by[inside]
    rows = alignment.elsewhere
    rows = rows[inside[rows]]
    if not len(rows):
        return []
    order = rows[np.argsort(alignment.rank[rows], kind="stable")]
    several = len(scene.shown) > 1
    shown = order if scene.in_full else order[: scene.limit]
    cells: list[tuple[Cell, ...]] = [
        (
            *([scene.labels[alignment.block[row]]] if several else []),
            scene.names.mention(alignment, row),
            scene.names.counterpart(alignment, row),
            BY[alignment.by[row]],
        )
        for row in shown.tolist()
    ]
    if len(order) > len(shown):
        cells.append((f"and {len(order) - len(shown)} more", *[""] * (2 + several)))
    header = (*(["document"] if several else []), "key mention", "response mention", "met by")
    return [Step("Matches", (met(by),), Sheet(header, tuple(cells)))]


def met(by: IntArray) -> str:
    """`Of 95 matched mentions: 80 exact, 12 head, 3 zero.`"""
    counts = bincount(by, minlength=len(BY))
    shown = ", ".join(f"{n} {name}" for name, n in zip(BY, counts.tolist(), strict=True) if name and n)
    return f"Of {int(counts[1:].sum())} matched mentions: {shown}."


def _twinless(scene: Scene, alignment: Alignment, half: Half) -> Array:
    rows = scene.rows(alignment)
    own, other = (alignment.key[rows], alignment.response[rows])[:: 1 if half.side == "key" else -1]
    return np.sort(rows[(own >= 0) & (other < 0)])


def partitions(scene: Scene, before: Alignment) -> list[Step]:
    """What the twinless policy scores: key_p, response_p, key_r and response_r of Cai & Strube, or only their sizes."""
    if scene.metric.twinless == "keep":
        return []
    sides = scene.once(("sides", before), lambda: halves(before))
    was = [total(half.size[scene.entities(half)]) for half in sides]
    if not any(len(_twinless(scene, before, half)) for half in sides):
        return []
    split = scene.precision.alignment is not scene.recall.alignment
    pairs = [(scene.precision, "_p"), (scene.recall, "_r")] if split else [(scene.recall, "")]
    lines = []
    for half, suffix in pairs:
        for side in ("recall", "precision"):
            view = half if side == half.which else half.opposite
            found = scene.entities(view)
            name = f"{view.side}{suffix}"
            if not scene.in_full:
                size, old = total(view.size[found]), was[0 if side == "recall" else 1]
                lines.append(f"{name}: {figure(size)} mentions ({figure(old)} before the policy)")
            else:
                members = [view.members(e) for e in found.tolist()]
                sets = [scene.names.set(half.alignment, mentions) for mentions in members]
                lines.append(f"{name} = {' '.join(sets) or '∅'}")
    return [Step("Partitions that are scored", (about(scene.metric.twinless), *lines))]
