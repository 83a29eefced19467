"""Estimates as data: a value with its standard error and interval for each score, and how it was estimated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING, Any

from ..errors import Issue
from ..presentation import InNotebooks, writer_of
from .designs import UNITS, Design
from .linearised import Linear
from .ratios import Part

if TYPE_CHECKING:
    from ..paper.panels import Panels

PARTS: tuple[Part, ...] = ("recall", "precision", "f1")


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated score, as a fraction of 1. Numbers that can't be had are None, and `why` says why.

    bias        of the second order; value − bias is Tin's estimator
    effective   effective draws of the denominator
    """

    value: float | None = None
    se: float | None = None
    bias: float | None = None
    low: float | None = None
    high: float | None = None
    effective: float | None = None
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        names = ("value", "se", "bias", "low", "high", "effective")
        numbers: dict[str, Any] = {name: getattr(self, name) for name in names}
        return numbers | ({"why": self.why} if self.why else {})


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """The paired difference of two systems, with a normal interval: one minus other, on the same draws."""

    one: str
    other: str
    metric: str
    part: Part
    difference: float
    se: float | None
    low: float | None
    high: float | None

    @property
    def shown(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        names = ("one", "other", "metric", "part", "difference", "se", "low", "high")
        return {name: getattr(self, name) for name in names} | {"shown": self.shown}


@dataclass(frozen=True, eq=False)
class SystemEstimates:
    """The estimates of one response.

    pairs_share   the share of the response's pairs that the sample stands for
    entities      estimated number of true entities, None if the weights are only ratios
    mean_size     their estimated mean size, None if the design has no recall
    linear        the linearised values, for differences
    """

    scores: Mapping[str, Mapping[Part, Estimate]]
    records: int
    clusters: int
    pairs_share: float | None
    entities: float | None
    mean_size: float | None
    linear: Mapping[tuple[str, Part], Linear] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Estimates(InNotebooks):
    """Estimated scores of one system or several: `found["bcub"]["f1"].value`; `found.systems` has all of them.

    design       what was drawn and labelled
    draws        how many draws there are
    strata       how many strata
    population   units of the frame, None if that is not known
    finite       whether standard errors are corrected for the finite population
    labelled     how many records are labelled
    differences  paired differences, if there are several systems
    issues       notes
    """

    systems: Mapping[str, SystemEstimates]
    design: Design
    draws: int
    strata: int
    population: int | None
    finite: bool
    labelled: int
    confidence: float
    interval: str
    corrected: bool
    differences: Sequence[SystemDifference]
    issues: tuple[Issue, ...]
    signature: str

    @property
    def metrics(self) -> list[str]:
        """The metrics that were estimated."""
        return list(self.first.scores)

    @property
    def first(self) -> SystemEstimates:
        """The estimates of the first system."""
        return next(iter(self.systems.values()))

    def __getitem__(self, metric: str) -> Mapping[Part, Estimate]:
        """The scores of the first system in a metric, by part."""
        return self.first.scores[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def _about(self) -> dict[str, Any]:
        """Design, draws and population, for JSON."""
        first = self.first
        shares = {name: system.pairs_share for name, system in self.systems.items()}
        return {
            "by": self.design.by,
            "precision_from": "cluster" if self.design.from_clusters or self.design.by == "cluster" else "entity",
            "completed": self.design.completed,
            "unit": UNITS[self.design.by],
            "draws": self.draws,
            "strata": self.strata,
            "population": self.population,
            "records_labelled": self.labelled,
            "pairs_share": next(iter(shares.values())) if len(shares) == 1 else shares,
            "entities": first.entities,
            "mean_size": first.mean_size,
            "confidence": self.confidence,
            "interval": self.interval,
            "corrected": self.corrected,
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON. With several systems, `systems` has the estimates of each."""
        estimates = {
            name: {
                metric: {part: estimate.to_dict() for part, estimate in parts.items()}
                for metric, parts in system.scores.items()
            }
            for name, system in self.systems.items()
        }
        found: dict[str, Any]
        if len(estimates) == 1:
            found = {"estimates": next(iter(estimates.values()))}
        else:
            differences = [difference.to_dict() for difference in self.differences]
            found = {"systems": estimates, "differences": differences}
        notes = [issue.to_dict() for issue in self.issues]
        return found | {"design": self._about(), "notes": notes, "signature": self.signature}

    def plot(self) -> Panels:
        """Dots with intervals: one panel for each part, one row for each metric (and system)."""
        drawn: Panels = writer_of(self).plot(self)
        return drawn


def pairs_of(names: Sequence[str]) -> list[tuple[str, str]]:
    """Each two systems, in the order given."""
    return list(combinations(names, 2))


def or_nothing(number: float) -> float | None:
    """A number, None if it is not one."""
    return number if isfinite(number) else None
