"""`plan`: how many draws an interval of a wanted width needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from os import PathLike
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from ..errors import Issue, UsageError, choose
from ..formats import Input
from ..formats.inputs import Frame
from ..integers import bincount
from ..presentation import Presented
from ..scoring.settings import Metrics
from .clustering import Clustering, read_clustering
from .designs import UNITS, By, Design, Sampled
from .estimation import estimate, estimated, metrics_of
from .labels import Labels
from .ratios import ESTIMATED, Part
from .results import PARTS, Estimates

FEW_ERRORS = 10  # draws with another score than 1
DESIGNS: dict[str, Design] = {
    "record+cluster": Design("record", from_clusters=True),
    "record": Design("record"),
    "cluster": Design("cluster", completed=True),
    "entity": Design("entity"),
}


@dataclass(frozen=True, slots=True)
class Needed:
    """Draws that are needed for a half-width, and how many more than there are."""

    needed: int
    more: int

    def to_dict(self) -> dict[str, int]:
        """Both, for JSON."""
        return {"needed": self.needed, "more": self.more}


@dataclass(frozen=True, eq=False)
class DesignPlan:
    """What one design needs: for each metric and part; records to label for each draw, and those there are."""

    design: Design
    drawn: int
    scores: Mapping[str, Mapping[Part, Needed | None]]
    records_per_draw: float
    records: int

    @property
    def to_label(self) -> int:
        """Records to label for all scores, at most those of the response."""
        return min(round(self.most * self.records_per_draw), self.records)

    @property
    def most(self) -> int:
        """Draws that are enough for every score."""
        return max((n.needed for parts in self.scores.values() for n in parts.values() if n is not None), default=0)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        plan = {
            metric: {part: None if needed is None else needed.to_dict() for part, needed in parts.items()}
            for metric, parts in self.scores.items()
        }
        return {"drawn": self.drawn, "plan": plan, "records_per_draw": self.records_per_draw, "to_label": self.to_label}


@dataclass(frozen=True, eq=False)
class Plan(Presented):
    """How many draws are needed, by design; from a labelled sample there is one design.

    half_width   half of the interval that is wanted, as a fraction of 1
    difference   whether the interval is that of the difference of two systems
    """

    half_width: float
    confidence: float
    designs: Mapping[str, DesignPlan]
    difference: tuple[str, str] | None
    issues: tuple[Issue, ...]

    @property
    def first(self) -> DesignPlan:
        """The design of the sample, or the recommended one."""
        return next(iter(self.designs.values()))

    def __getitem__(self, metric: str) -> Mapping[Part, Needed | None]:
        return self.first.scores[metric]

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        about: dict[str, Any] = {"half_width": 100 * self.half_width, "confidence": self.confidence}
        if self.difference is not None:
            about["difference"] = list(self.difference)
        first = self.first.to_dict()
        designs = {name: plan.to_dict() for name, plan in self.designs.items()}
        notes = [issue.to_dict() for issue in self.issues]
        return about | {"plan": first["plan"], "designs": designs, "notes": notes}


def plan(
    labelled: str | PathLike[str] | Input | Frame,
    *responses: Input | Frame,
    assume: Input | Frame | None = None,
    half_width: float = 2.0,
    metrics: Metrics = ESTIMATED,
    by: By | None = None,
    precision_from: Literal["cluster"] | None = None,
    completed: bool = False,
    weights: str | PathLike[str] | Mapping[str, float] | None = None,
    population: int | None = None,
    confidence: float = 0.95,
    key_columns: Mapping[str, str] | str | None = None,
    response_columns: Mapping[str, str] | str | None = None,
    response_format: str | None = None,
    encoding: str | None = None,
) -> Plan:
    """How many draws an interval of ± `half_width` points needs.

    With a labelled sample and its response, S² comes from the sample. With two responses, the interval is that of their
    difference. With one response and `assume`, another response stands for the truth, before anything is labelled: then
    all designs are compared, or the one that `by` names. The other arguments are those of `estimate`.

        plan("labelled.csv", "response.csv", half_width=2)["bcub"]["f1"].more
        plan("response.csv", assume="other.csv")
    """
    if not 0 < half_width < 100:
        raise UsageError(f"a half-width is a number of points between 0 and 100, not {half_width}")
    h = half_width / 100
    if assume is not None:
        if responses:
            raise UsageError("--assume takes the place of labels: give one response")
        settings = {"encoding": encoding, "response_format": response_format}
        response, truth = (read_clustering(side, _columns(response_columns), settings) for side in (labelled, assume))
        wanted = _wanted_designs(by, precision_from)
        designs = {
            name: _assumed(response, truth, design, metrics_of(metrics), h, confidence)
            for name, design in wanted.items()
        }
        return Plan(h, confidence, designs, None, _doubts(None))
    if not 1 <= len(responses) <= 2:
        raise UsageError("a plan needs labels and one response, or two to compare; or one response and --assume OTHER")
    found = estimate(
        labelled,  # type: ignore[arg-type]
        *responses,
        metrics=metrics,
        by=by,
        precision_from=precision_from,
        completed=completed,
        weights=weights,
        population=population,
        confidence=confidence,
        key_columns=key_columns,
        response_columns=response_columns,
        response_format=response_format,
        encoding=encoding,
    )
    return _from_sample(found, h, confidence)


def _from_sample(found: Estimates, h: float, confidence: float) -> Plan:
    """S² = n·se²/(1 − f) from the standard errors of a sample."""
    n = found.draws
    population = found.population if found.finite else None
    fraction = 0.0 if population is None else n / population
    scores: dict[str, dict[Part, Needed | None]] = {}
    errors = _errors(found)
    for metric in found.metrics:
        scores[metric] = {}
        for part in PARTS:
            se = errors.get((metric, part))
            needed = None
            if se is not None and fraction < 1:
                needed = _needed(n * se**2 / (1 - fraction), h, confidence, population)
            scores[metric][part] = None if needed is None else Needed(needed, max(needed - n, 0))
    of_design = DesignPlan(found.design, n, scores, found.labelled / n, found.first.records)
    names = list(found.systems)
    pair = (names[0], names[1]) if len(names) > 1 else None
    return Plan(h, confidence, {found.design.name: of_design}, pair, (*found.issues, *_doubts(found)))


def _errors(found: Estimates) -> dict[tuple[str, Part], float]:
    """The standard errors of the scores, or of the differences of two systems."""
    if found.differences:
        return {(d.metric, d.part): d.se for d in found.differences if d.se is not None}
    return {
        (metric, part): estimate.se
        for metric, parts in found.first.scores.items()
        for part, estimate in parts.items()
        if estimate.se is not None
    }


def _needed(variance: float, h: float, confidence: float, population: float | None) -> int:
    """n₀ = (z/h)²·S², and ⌈n₀/(1 + n₀/N)⌉ where the population is finite; at least two draws."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    draws = (z / h) ** 2 * variance
    if population is not None:
        draws = draws / (1 + draws / population)
    return max(ceil(draws - 1e-9), 2)


def _assumed(
    response: Clustering, truth: Clustering, design: Design, metrics: Sequence[str], h: float, confidence: float
) -> DesignPlan:
    """What a design needs if another response is the truth: S² over all draws of the frame."""
    labels = _labels_of(truth, response)
    sampled = Sampled.of(labels, response, design)
    draws = sampled.draws()
    found = estimated(draws, response, metrics)
    size = len(draws)
    scores: dict[str, dict[Part, Needed | None]] = {}
    for metric in metrics:
        scores[metric] = {}
        for part in PARTS:
            linear = found.linear.get((metric, part))
            needed = None
            if linear is not None and size > 1:
                spread = size * size * float(np.var(linear.z, ddof=1))
                needed = _needed(spread, h, confidence, size)
            scores[metric][part] = None if needed is None else Needed(needed, needed)
    return DesignPlan(design, 0, scores, _rows_per_draw(sampled), len(response))


def _labels_of(truth: Clustering, response: Clustering) -> Labels:
    """Another response as if it had been labelled in full."""
    names = [str(name) for name in truth.names]
    place = response.places(names, truth.docs)
    inside = np.flatnonzero(place >= 0).tolist()
    if not inside:
        raise UsageError("the two responses have no record in common")
    return Labels(
        "",
        np.zeros(len(inside), dtype=np.int64),
        None if truth.docs is None else [truth.docs[row] for row in inside],
        [names[row] for row in inside],
        [f"e{int(truth.cluster[row])}" for row in inside],
        {"hits": ["1"] * len(inside)},
    )


def _rows_per_draw(sampled: Sampled) -> float:
    """Records to label for a draw, on average: its entity, its cluster, or both."""
    cells, design = sampled.cells, sampled.design
    entity = sampled.labels.entity[0]
    cluster = sampled.cluster
    b = sampled.response.sizes
    if design.by == "entity":
        return float(cells.a.mean())
    width = len(b)
    shared = dict(zip((cells.entity * width + cells.cluster).tolist(), cells.n.tolist(), strict=True))
    if design.by == "cluster":
        # all entities that a cluster meets, in full, and the cluster itself
        met = bincount(cells.cluster, cells.a[cells.entity], minlength=width)
        return float(met[b > 0].sum() / (b > 0).sum())
    size = cells.a[entity]
    if design.from_clusters:
        both = np.array([shared.get(code, 0) for code in (entity * width + cluster).tolist()])
        size = size + b[cluster] - both
    return float(size.mean())


def _wanted_designs(by: str | None, precision_from: str | None) -> dict[str, Design]:
    """All designs, or the one that was named."""
    if precision_from is not None:
        choose(precision_from, ("cluster",), "source of precision")
        if by not in (None, "record"):
            raise UsageError(f"--precision-from is for --by record, and the sample is by {by}")
        by = "record+cluster"
    if by is None:
        return DESIGNS
    return {by: DESIGNS[choose(by, DESIGNS, "design")]}


def _doubts(found: Estimates | None) -> tuple[Issue, ...]:
    """The note that S² is rough."""
    if found is None:
        message = "the plan is as good as the assumption: the other response stands for the truth"
        return (Issue("assumed-truth", message),)
    low = [
        estimate.effective
        for parts in found.first.scores.values()
        for estimate in parts.values()
        if estimate.value is not None and estimate.effective is not None
        if (1 - estimate.value) * estimate.effective < FEW_ERRORS
    ]
    if not low:
        return ()
    unit = UNITS[found.design.by]
    return (Issue("few-errors", f"there are few errors among the {unit} drawn, so some of these numbers are rough"),)


def _columns(given: Mapping[str, str] | str | None) -> dict[str, str]:
    from ..engines.sources import parse_columns

    return parse_columns(given)
