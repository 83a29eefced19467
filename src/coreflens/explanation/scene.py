"""The data from which a derivation is written, and the steps that most metrics share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ..corpus.model import IntArray
from ..matching.alignment import Alignment
from ..metrics import Metric
from ..metrics.contingency import Array
from ..options import CHOICES, Options
from ..scoring.scores import Number, Score, fixed, rounded
from .naming import Names
from .structure import Cell, Folded, Sheet, Step, figure, figures
from .trace import Grouped, Half, Trace

T = TypeVar("T")

# The function that counts a metric, which its variants share → the function that writes the steps.
Derivation: TypeAlias = "Callable[[Scene], list[Step]]"
DERIVATIONS: dict[Any, Derivation] = {}
FOLDING: set[Any] = set()  # functions that count metrics whose steps can be folded


class Share(NamedTuple):
    """What the entities of a half's side add to a column of the counts."""

    column: str
    values: Array


def shares(half: Half, counts: Mapping[str, str]) -> dict[str, Share]:
    """Header → what entities add to its count, for the counts (by header) of which this is known."""
    found = {header: (count, half.share(count)) for header, count in counts.items()}
    return {header: Share(count, values) for header, (count, values) in found.items() if values is not None}


class Details(NamedTuple):
    """Columns about entities: their headers; for each of some entities, its cells; and what a page calls them.

    A function instead of a name gives the numbers of all entities.
    """

    headers: Sequence[str] = ()
    describe: Callable[[Half, Sequence[int]], Sequence[Sequence[Cell]]] = lambda half, entities: [()] * len(entities)
    columns: Sequence[str | Callable[[Half], Array]] = ()


NO_DETAILS = Details()


@dataclass(frozen=True, eq=False)
class Scene:
    """A metric's two halves, the blocks (documents) to be explained, their counts and score."""

    metric: Metric
    options: Options
    names: Names
    recall: Half
    precision: Half
    labels: Sequence[str]
    shown: IntArray
    counts: Mapping[str, Number]
    score: Score
    limit: int
    digits: int
    paper: bool
    repeating: bool = False  # whether repetitions count as in scorer.pl
    only: tuple[str, int] | None = None  # a half, and the one entity of its side that is explained
    memo: dict[Hashable, Any] = field(default_factory=dict, repr=False)  # shared by the scenes of all documents
    folded: bool = False  # for a page, which writes the rows of sheets

    @property
    def table(self) -> Trace:
        return self.recall.table

    def once(self, what: Hashable, found: Callable[[], T]) -> T:
        """What is the same in every document: computed for the first one that asks."""
        if what not in self.memo:
            self.memo[what] = found()
        known: T = self.memo[what]
        return known

    def entities(self, half: Half) -> IntArray:
        """The entities of the blocks that are explained."""
        if self.only is not None and self.only[0] == half.which:
            return np.array([self.only[1]])
        if len(self.shown) == len(self.labels):
            return np.arange(len(half.block))
        return self._of(half.of_block)

    def cells(self, half: Half) -> IntArray:
        """The cells of the blocks that are explained."""
        return self._of(half.table.of_block)

    def rows(self, alignment: Alignment) -> IntArray:
        """The mentions of the blocks that are explained."""
        blocks = self.once(("blocks", alignment), lambda: Grouped.by(alignment.block, alignment.blocks))
        return self._of(blocks.of)

    def _of(self, block: Callable[[int], IntArray]) -> IntArray:
        if len(self.shown) == 1:
            return block(int(self.shown[0]))
        return np.concatenate([*map(block, self.shown.tolist())])

    @cached_property
    def in_full(self) -> bool:
        """Whether all entities of both sides can be shown."""
        if self.only is not None or len(self.shown) != 1:
            return False
        block, most = int(self.shown[0]), 2 * self.limit
        return self.recall.entities_of(block) <= most and self.precision.entities_of(block) <= most

    def value(self, x: Number, undefined: bool = False) -> str:
        """A score in points, or as a share with the decimals of a paper."""
        if x != x:
            return "n/a"
        shown = fixed(rounded(x, self.digits), self.digits) if self.paper else f"{fixed(x, self.digits, shift=2)} %"
        return f"{shown} (n/a)" if undefined else shown

    def equation(self, name: str, *sides: str, value: Number, undefined: bool = False) -> str:
        """`R = 4/6 = 2/3 = 66.67 %`. The fraction is left out if it repeats the one before it, or is too long."""
        if type(value) is float:
            return " = ".join([name, *sides, self.value(value, undefined)])
        exact = figure(value, longest=9999)
        fraction = [] if exact in (sides[-1].replace(" ", ""), figure(float(value))) else [exact]
        return " = ".join([name, *sides, *fraction, self.value(value, undefined)])


def derives(count: Any, folds: bool = False) -> Callable[[Derivation], Derivation]:
    """Register the decorated function as the derivation of all metrics that are counted by the given function.

    `folds`: for a page, it leaves out the rows of sheets that the page can write.
    """

    def register(derivation: Derivation) -> Derivation:
        DERIVATIONS[count] = derivation
        if folds:
            FOLDING.add(count)
        return derivation

    return register


def ranked(scene: Scene, half: Half, loss: Array) -> tuple[IntArray, IntArray]:
    """Which entities to show, and the rest. If they are few, all are shown in order; else those that lose most, the
    largest first."""
    entities = scene.entities(half)
    if scene.in_full or len(entities) <= scene.limit:
        return entities, entities[:0]
    order = entities[np.lexsort((-half.size[entities].astype(np.int64), -loss[entities].astype(np.float64)))]
    return order[: scene.limit], order[scene.limit :]


def entity_sheet(
    scene: Scene, half: Half, adds: Mapping[str, Share], loss: Array, details: Details = NO_DETAILS
) -> Sheet:
    """One row per entity of a half's side: its name, details, and what it adds to some counts, by header."""
    if scene.folded:
        found = scene.once(outline(scene, half), lambda: Outline.of(scene, half, adds, loss, details))
        return folded_entities(scene, half, found)
    columns = {header: share.values for header, share in adds.items()}
    shown, rest = ranked(scene, half, loss)
    several = len(scene.shown) > 1
    headers, describe, _ = details
    lead = [*(["document"] if several else []), half.letter, *headers]
    names = scene.names.entities(half, shown.tolist(), scene.in_full)
    described = describe(half, shown.tolist())
    added = zip(*(share[shown].tolist() for share in columns.values()), strict=True) if columns else repeat(())
    rows: list[tuple[Cell, ...]] = [
        (name, *details_of_it, *adding)
        for name, details_of_it, adding in zip(names, described, added, strict=bool(columns))
    ]
    if several:
        rows = [(scene.labels[b], *row) for b, row in zip(half.block[shown].tolist(), rows, strict=True)]
    blank = [""] * (len(lead) - 1)
    if len(rest):
        rows.append((f"and {len(rest)} more", *blank, *(total(share[rest]) for share in columns.values())))
    if scene.repeating and scene.metric.repeated and scene.only is None:  # links that belong to no single entity
        entities = scene.entities(half)
        more = [scene.counts[adds[header].column] - total(share[entities]) for header, share in columns.items()]
        rows.append(("repetitions", *blank, *more))
    return Sheet(
        (*lead, *columns),
        tuple(rows),
        ("total", *blank, *(scene.counts[adds[header].column] for header in columns)),
        {place: adds[header].column for place, header in enumerate(columns, start=len(lead))},
    )


class Outline(NamedTuple):
    """What the folded sheets of a half have in common in all documents. All figures are written at once."""

    header: tuple[str, ...]
    columns: tuple[str, ...]
    figures: list[Any]  # for each column without a name, the texts of all entities
    adds: dict[str, Array]
    loss: Array

    @classmethod
    def of(cls, scene: Scene, half: Half, adds: Mapping[str, Share], loss: Array, details: Details) -> Outline:
        columns, figures = ["name" if scene.in_full else "described"], []
        for detail in (*details.columns, *(share.values for share in adds.values())):
            if isinstance(detail, str):
                columns.append(detail)
                continue
            values = detail(half) if callable(detail) else detail
            columns.append("size" if np.array_equal(values, half.size) else "")
            if not columns[-1]:
                figures.append(written(values))
        return cls((half.letter, *details.headers, *adds), tuple(columns), figures, dict(adds.values()), loss)


def outline(scene: Scene, half: Half) -> tuple[Hashable, ...]:
    """By what the outline of a half is known."""
    return scene.metric.name, half.which, scene.in_full, "outline"


def folded_entities(scene: Scene, half: Half, plan: Outline) -> Folded:
    """The sheet of a document for a page."""
    shown, rest = ranked(scene, half, plan.loss)
    sums = [["total", *(figure(scene.counts[count]) for count in plan.adds)]]
    places = None
    if len(rest):
        sums = [[f"and {len(rest)} more", *(figure(total(share[rest])) for share in plan.adds.values())], *sums]
        places = np.searchsorted(scene.entities(half), shown).tolist()
    figures = [texts[shown].tolist() for texts in plan.figures]
    return Folded(plan.header, of=half.side, columns=plan.columns, figures=figures, shown=places, sums=sums)


def written(values: Array) -> Any:
    """Numbers as text in an array. Each distinct number is written once."""
    found, places = np.unique(values, return_inverse=True)
    return np.array([*map(figure, found.tolist()), ""], dtype=object)[places.reshape(-1)]


def scalar(x: Any) -> Number:
    """A number of an array as a Python number or a Fraction."""
    number: Number = x.item() if isinstance(x, np.generic) else x
    return number


def total(values: Array) -> Number:
    found = values.sum() if len(values) else 0
    return found if isinstance(found, Fraction) else float(found)


def half_step(scene: Scene, half: Half, num: str, den: str, details: Details = NO_DETAILS) -> Step:
    """Recall or precision as Σ num / Σ den over the entities of its side. X in the headers stands for K or R."""
    above, below = (half.share(f"{half.which}_{part}") for part in ("num", "den"))
    sheet: Sheet | None = None
    if scene.folded and (known := scene.memo.get(outline(scene, half))) is not None:
        sheet = folded_entities(scene, half, known)
    elif above is not None and below is not None:
        adds = {
            num.replace("X", half.letter): Share(f"{half.which}_num", above),
            den.replace("X", half.letter): Share(f"{half.which}_den", below),
        }
        headers = [header.replace("X", half.letter) for header in details.headers]
        loss = scene.once((scene.metric.name, half.which, "loss"), lambda: below - above)
        sheet = entity_sheet(scene, half, adds, loss, details._replace(headers=headers))
    return Step(half.which.capitalize(), (), sheet, tuple(quotient(scene, half.which)))


def quotient(scene: Scene, which: str) -> list[str]:
    """`R = 2 / 5 = 40.00 %`, or the rule that applies to 0/0."""
    above, below = (scene.counts[f"{which}_{part}"] for part in ("num", "den"))
    value, letter = getattr(scene.score, which), which[0].upper()
    if below == 0:
        return [f"{letter} = 0/0, {zero_rule(scene, which)}"]
    return [scene.equation(letter, f"{_bracketed(above)}/{figure(below)}", value=value)]


def _bracketed(x: Number) -> str:
    return f"({figure(x)})" if "/" in figure(x) else figure(x)


def zero_rule(scene: Scene, which: str) -> str:
    """What 0/0 counts as here, and where this rule comes from."""
    if scene.metric.zero_over_zero and scene.options.undefined != "nan":
        stands_for = scene.metric.zero_over_zero[("recall", "precision").index(which)]
        return f"which counts as {stands_for} in the paper of this metric"
    return f"--undefined {scene.options.undefined}: {CHOICES['undefined'][scene.options.undefined]}"


def f1_step(scene: Scene) -> Step:
    """F1 = 2PR / (P + R), from exact P and R, or from rounded ones as in a paper."""
    score = scene.score
    assert score.recall is not None
    assert score.precision is not None
    assert score.f1 is not None
    r, p = score.recall, score.precision
    if r != r or p != p:
        return Step("F1", ("F1 = n/a, because R or P is n/a",))
    if scene.options.mean == "arithmetic":
        numbers = figures((p, r), decimals=4)
        return Step("F1", (scene.equation("F1", f"({numbers[0]} + {numbers[1]}) / 2", value=score.f1),))
    if scene.paper:
        return Step("F1", (paper_f1(scene, "F1", r, p),))
    if r + p == 0:
        return Step("F1", (f"F1 = {scene.value(score.f1, 'f1' in score.undefined)}, because P + R = 0",))
    numbers = figures((p, r), decimals=4)
    sides = f"2 · {numbers[0]} · {numbers[1]} / ({numbers[0]} + {numbers[1]})"
    return Step("F1", (scene.equation("F1", sides, value=score.f1),))


def paper_f1(scene: Scene, name: str, recall: Number, precision: Number) -> str:
    """F from P and R that are rounded first, as Cai & Strube 2010 computed it."""
    r, p = rounded(recall, scene.digits), rounded(precision, scene.digits)
    f1 = 2 * p * r / (p + r) if p + r else Fraction(0)
    shown = [f"{float(x):.{scene.digits}f}" for x in (p, r)]
    sides = f"2 · {shown[0]} · {shown[1]} / ({shown[0]} + {shown[1]})"
    return f"{name} = {sides} = {scene.value(f1)} of the rounded P and R"


def ratios(scene: Scene, num: str, den: str, details: Details = NO_DETAILS) -> list[Step]:
    """The whole derivation of a metric that is Σ num / Σ den on both sides."""
    halves = [half_step(scene, half, num, den, details) for half in (scene.recall, scene.precision)]
    return [*halves, f1_step(scene)]
