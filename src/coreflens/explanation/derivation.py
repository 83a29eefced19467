"""The explanation of a scoring, metric by metric."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from inspect import getdoc
from typing import Any

import numpy as np

from ..corpus.model import IntArray
from ..errors import UsageError, did_you_mean
from ..matching.alignment import Alignment
from ..matching.matched import Matched
from ..metrics import METRICS, Average, Metric
from ..metrics.contingency import Array
from ..metrics.repetitions import Overlap
from ..paper.table import counted_mark, counted_note
from ..scoring.counts import Counts, needed
from ..scoring.finalize import finalize, finalize_rows
from ..scoring.result import Result
from ..scoring.scores import Number, Score
from . import overview
from .naming import Names
from .ratios import generic
from .scene import DERIVATIONS, FOLDING, Scene, scalar
from .splits import antecedents
from .structure import Cell, Explanation, Sheet, Step
from .trace import Cuts, Half, Trace

_TOGETHER = 50  # rows whose scores are computed at once
NOTATION = "K: key entities, R: response entities, n_ij = |K_i ∩ R_j|, a_i = |K_i|, b_j = |R_j|"


@dataclass(frozen=True, eq=False)
class Case:
    """A scored key and response, and how their explanations are written."""

    result: Result
    counts: Counts
    matched: Matched
    names: Names
    exact: bool
    limit: int
    digits: int
    paper: bool

    @cached_property
    def tables(self) -> dict[tuple[Alignment, str, bool], Trace]:
        """The tables on which metrics were run. Many metrics share a table."""
        return {}

    @cached_property
    def cuts(self) -> dict[tuple[Alignment, str], Cuts]:
        """How entities are divided, by alignment and half."""
        return {}

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """What the derivations of all documents have in common: see `Scene.once`."""
        return {}

    @cached_property
    def run(self) -> dict[str, tuple[Half, Half]]:
        """Metric → its halves, of the whole corpus."""
        return {}

    @cached_property
    def rows(self) -> dict[int, dict[str, Score]]:
        """The scores of some rows of the counts."""
        return {}

    @cached_property
    def names_of_scores(self) -> list[str]:
        """The metrics of the result, and those behind its averages."""
        behind = [metric.name for metric in needed(self.result, self.result.options)]
        return [*dict.fromkeys([*self.result, *behind])]

    @cached_property
    def whole(self) -> dict[str, Score]:
        """The scores of the corpus."""
        return finalize(self.counts, self.names_of_scores, self.result.options)

    @cached_property
    def total(self) -> Array:
        """The counts of the corpus."""
        return self.counts.total

    def row(self, row: int) -> dict[str, Score]:
        """The scores of a row of the counts. Those of its neighbours are computed with it."""
        if row not in self.rows:
            near = np.arange(row, min(row + _TOGETHER, len(self.counts)))
            found = finalize_rows(self.counts.take(near), self.names_of_scores, self.result.options)
            self.rows.update(zip(near.tolist(), found, strict=True))
        return self.rows[row]

    @cached_property
    def sums(self) -> dict[str, tuple[list[str], list[list[Number]]]]:
        """Metric → the names of its counts, and their values in each row."""
        found = {}
        for metric in needed(self.result, self.result.options):
            columns = self.counts.of(metric.name, self.counts.values)
            found[metric.name] = list(columns), np.stack([*columns.values()], axis=1).tolist()
        return found

    def table(self, alignment: Alignment, overlap: Overlap, split: bool) -> Trace:
        """A table of an alignment that has not recorded any sum yet."""
        place = alignment, overlap, split
        if place not in self.tables:
            self.tables[place] = Trace.of(alignment, self.exact, overlap, split)
        return replace(self.tables[place], sums=[])

    def score(self, name: str, shown: IntArray) -> Score:
        """The score of some rows of the counts."""
        options = self.result.options
        if len(shown) == len(self.counts):
            return self.whole[name]
        if len(shown) == 1 and options.average == "micro":
            return self.row(int(shown[0]))[name]
        return finalize(self.counts.take(shown), [name], options)[name]

    def added(self, metric: Metric, shown: IntArray) -> dict[str, Number]:
        """The counts of some rows, added up."""
        if len(shown) == 1:
            names, rows = self.sums[metric.name]
            return dict(zip(names, rows[int(shown[0])], strict=True))
        total = self.total if len(shown) == len(self.counts) else self.counts.take(shown).total
        return {name: scalar(x[0]) for name, x in self.counts.of(metric.name, total).items()}

    def folds(self, metric: Metric) -> bool:
        """Whether a page has the entities and cells of a metric's sheets: no policy changes them, nothing is dropped or
        counted twice, and numbers are decimals."""
        if metric.name not in self.folding:
            same = all(half.alignment is self.matched.alignment for half in self.run[metric.name])
            plain = (
                not (self.exact or self.paper or self.matched.repeating) and self.result.options.singletons == "keep"
            )
            split = any(half.table.antecedents is not None for half in self.run[metric.name])
            self.folding[metric.name] = plain and same and not split and metric.count in FOLDING
        return self.folding[metric.name]

    @cached_property
    def folding(self) -> dict[str, bool]:
        """Metric → whether its sheets can be folded."""
        return {}

    def repeating(self, shown: IntArray) -> bool:
        """Whether mentions occur more than once on a side of some blocks, and count as in scorer.pl."""
        return self.matched.repeating and bool(np.isin(shown, self.matched.alignment.repeating_blocks).any())


def explained(case: Case, name: str, document: str | None = None) -> Explanation:
    """The explanation of a metric's score, of the corpus or of one document."""
    shown = np.arange(len(case.counts)) if document is None else np.array([document_row(case.counts, document)])
    return _explained(case, name, shown, document, whole=True)


def outlined(case: Case, name: str, row: int | None = None, *, folded: bool = False) -> Explanation:
    """The same for a row of the counts, without a title and the steps that all metrics have in common.

    `folded`: the rows of sheets that a page can write are left out.
    """
    shown = np.arange(len(case.counts)) if row is None else np.array([row])
    return _explained(case, name, shown, titled=False, folded=folded)


def document_row(counts: Counts, document: str) -> int:
    """The row of a document, by its label or, if only one document has it, by its name."""
    labels = list(counts.labels)
    if document in labels:
        return labels.index(document)
    named = [row for row, d in enumerate(counts.documents) if d.name == document] if len(labels) > 1 else []
    if len(named) == 1 and len(counts.documents) == len(labels):
        return named[0]
    meant = did_you_mean(document, labels)
    raise UsageError(f"no document '{document}'{meant} (there are {len(labels)}, such as '{labels[0]}')")


def _explained(
    case: Case,
    name: str,
    shown: IntArray,
    document: str | None = None,
    *,
    whole: bool = False,
    titled: bool = True,
    folded: bool = False,
) -> Explanation:
    """`whole`: False for a part of an average, because the steps that all metrics share were already shown."""
    metric, options = METRICS[name], case.result.options
    score = case.score(name, shown)
    signature = str(case.result.signature) if whole else ""
    issues = list(case.result.issues) if whole else []
    if isinstance(metric, Average):
        weights = {part: weight for part, weight in metric.weights(options).items() if weight}
        parts = [_explained(case, part, shown, document, titled=titled, folded=folded) for part in weights]
        scene = scene_of(case, _first(parts), shown)
        common = [Step("", (NOTATION,)), overview.entities(scene, case.matched.alignment)] if whole else []
        common += overview.matches(scene, case.matched.alignment) if whole else []
        steps = [*common, _average(scene, weights, parts, score)]
        title = _title(scene, score, document) if titled else ""
        return Explanation(name, title, score, {}, steps, signature, parts, issues)
    scene = scene_of(case, metric, shown, score, folded)
    steps = [Step("", (*formula(metric), *([NOTATION] if whole else [])))]
    if whole:
        steps.append(overview.entities(scene, case.matched.alignment))
        steps += overview.matches(scene, case.matched.alignment)
    steps += overview.partitions(scene, case.matched.scored(metric))
    steps += antecedents(scene)
    if len(shown) > 1:
        steps.append(overview.documents(scene, case.counts.take(shown)))
    if not overview.averaged(scene):
        steps += DERIVATIONS.get(metric.count, generic)(scene)
    title = _title(scene, score, document) if titled else ""
    return Explanation(name, title, score, scene.counts, steps, signature, (), issues)


def _first(parts: list[Explanation]) -> Metric:
    metric = METRICS[parts[0].metric]
    assert isinstance(metric, Metric)
    return metric


def scene_of(case: Case, metric: Metric, shown: IntArray, score: Score | None = None, folded: bool = False) -> Scene:
    """The metric, run on tables that record sums: one table for the recall half, one for the precision half."""
    if metric.name not in case.run:
        case.run[metric.name] = _halves(case, metric)
    recall, precision = case.run[metric.name]
    return Scene(
        metric=metric,
        options=case.result.options,
        names=case.names,
        recall=recall,
        precision=precision,
        labels=case.counts.labels,
        shown=shown,
        counts=case.added(metric, shown),
        score=case.score(metric.name, shown) if score is None else score,
        limit=case.limit,
        digits=case.digits,
        paper=case.paper,
        repeating=case.repeating(shown),
        memo=case.memo,
        folded=folded and case.folds(metric),
    )


def _halves(case: Case, metric: Metric) -> tuple[Half, Half]:
    for_recall, for_precision = case.matched.halves(metric)
    overlap: Overlap = metric.overlap if case.matched.repeating else ""
    tables = [case.table(for_recall, overlap, metric.split)]
    tables.append(tables[0] if for_precision is for_recall else case.table(for_precision, overlap, metric.split))
    found = [metric.count(tables[0])]
    found.append(found[0] if tables[1] is tables[0] else metric.count(tables[1]))
    recall, precision = (
        Half(which, table, alignment, dict(zip(metric.columns, columns, strict=True)), case.cuts)
        for which, table, alignment, columns in zip(
            ("recall", "precision"), tables, (for_recall, for_precision), found, strict=True
        )
    )
    return recall, precision


def _title(scene: Scene, score: Score, document: str | None) -> str:
    values = [
        " ".join([*([] if name == "value" else [overview.SHORT[name]]), scene.value(x, name in score.undefined)])
        for name, x in score.numbers().items()
    ]
    where, label = f" of {document}" if document else "", f" ({score.label})" if score.label else ""
    return f"{METRICS[score.metric].title}{where}: {', '.join(values)}{counted_mark(score)}{label}"


@cache
def formula(metric: Metric) -> list[str]:
    """What the metric's own documentation says: its first sentence, and the formulas, which are indented."""
    lines = (getdoc(metric.count) or "").splitlines()
    formulas = [line for line in lines[1:] if line.startswith("    ")]
    return [*lines[:1], *(formulas or (f"    {line}" for line in lines[1:] if " = " in line))]


def _average(scene: Scene, weights: dict[str, float], parts: list[Explanation], score: Score) -> Step:
    rows: list[tuple[Cell, ...]] = [
        (
            METRICS[part.metric].title,
            *(scene.value(x, name in part.score.undefined) for name, x in part.score.numbers().items()),
            weights[part.metric],
        )
        for part in parts
    ]
    sheet = Sheet(("", "R", "P", "F1", "weight"), tuple(rows))
    terms = " + ".join(
        (f"{weight:g} · " if weight != 1 else "") + scene.value(part.score.main)
        for weight, part in zip(weights.values(), parts, strict=True)
    )
    mean = f"({terms}) / {sum(weights.values()):g}"
    line = f"{METRICS[score.metric].title} = {mean} = {scene.value(score.main)}{counted_mark(score)}"
    note = counted_note([score], scene.options.undefined)
    return Step("Average", (), sheet, (line, note) if note else (line,))
