"""The derivations of overlap and d-error: the sorted lists of entity sizes, position by position."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..metrics import distributions
from ..metrics.contingency import Array
from .scene import Scene, derives, scalar, total
from .structure import Cell, Sheet, Step, figure
from .trace import Grouped


@derives(distributions.overlap)
def overlap(scene: Scene) -> list[Step]:
    """min(k_p, r_p) at each position p."""
    k, r, position = _lists(scene)
    columns = {"p": position, "k_p": k, "r_p": r, "min": np.minimum(k, r)}
    c = scene.counts
    lines = _result(scene, f"{figure(c['common'])}/{figure(c['mentions'])}", c["mentions"] == 0)
    return [Step("Entity sizes, largest first", (), _sheet(scene, columns, {"min": "common"}), lines)]


@derives(distributions.derror)
def derror(scene: Scene) -> list[Step]:
    """Surpluses of either side by position, and their mean positions A and B."""
    k, r, position = _lists(scene)
    more, less = np.maximum(r - k, 0), np.maximum(k - r, 0)
    columns = {"p": position, "k_p": k, "r_p": r, "(r−k)⁺": more, "p·(r−k)⁺": position * more}
    columns |= {"(k−r)⁺": less, "p·(k−r)⁺": position * less}
    adds = {"(r−k)⁺": "surplus", "p·(r−k)⁺": "response_position", "(k−r)⁺": "surplus", "p·(k−r)⁺": "key_position"}
    c = scene.counts
    positions, surplus = c["positions"], c["surplus"]
    sheet = _sheet(scene, columns, adds)
    title = "Entity sizes, largest first"
    if not surplus:
        none = positions == 0
        equal = f"Equal lists: d-error = {scene.value(scene.score.main)}"
        return [Step(title, (), sheet, _result(scene, "0/0", True) if none else (equal,))]
    a, b = c["response_position"] / surplus, c["key_position"] / surplus
    kind = f", a {scene.score.label} error" if scene.score.label else ""
    first = {"precision": "the response's surplus comes first", "recall": "the key's surplus comes first"}
    why = f": {first[scene.score.label]}" if scene.score.label else ""
    lines = (
        f"A = {figure(c['response_position'])}/{figure(surplus)} = {figure(a)}, "
        f"B = {figure(c['key_position'])}/{figure(surplus)} = {figure(b)}, N = {figure(positions)}",
        _equation(scene, f"|{figure(b)} − {figure(a)}|/({figure(positions)} + 1)") + kind + why,
    )
    return [Step(title, (), sheet, lines)]


def _lists(scene: Scene) -> tuple[Array, Array, Array]:
    table = scene.table
    k, r, block, position, _ = scene.once((scene.metric.name, "ranked"), lambda: distributions.ranked(table))
    blocks = scene.once((scene.metric.name, "blocks"), lambda: Grouped.by(block, table.blocks))
    here = np.concatenate([blocks.of(block) for block in scene.shown.tolist()])
    return k[here], r[here], position[here]


def _sheet(scene: Scene, columns: dict[str, Array], adds: dict[str, str]) -> Sheet:
    """One row per position. A long list shows the first positions and sums up the rest."""
    length, shown = len(columns["p"]), scene.limit * (2 if scene.in_full else 1)
    rows: list[tuple[Cell, ...]] = [tuple(scalar(x[p]) for x in columns.values()) for p in range(min(length, shown))]
    if length > shown:
        sums = (total(x[shown:]) for name, x in columns.items() if name != "p")
        rows.append((f"and {length - shown} more", *sums))
    bottom = [scene.counts[adds[name]] if name in adds else total(x) for name, x in columns.items()]
    places = {place: adds[name] for place, name in enumerate(columns) if name in adds}
    return Sheet(tuple(columns), tuple(rows), ("total", *bottom[1:]), places)


def _result(scene: Scene, sides: str, zero_over_zero: bool) -> tuple[str, ...]:
    if zero_over_zero:
        undefined = f"--undefined {scene.options.undefined}"
        return (f"{scene.metric.title} = 0/0, {undefined}: {scene.value(scene.score.main, True)}",)
    return (_equation(scene, sides),)


def _equation(scene: Scene, sides: str) -> str:
    value = scene.score.main
    return scene.equation(scene.metric.title, sides, value=value if isinstance(value, Fraction) else float(value))
