"""A sample as a list of draws, each with a weight and what it adds to every sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..corpus.model import IntArray
from ..integers import bincount
from .ratios import Numbers, Ratio


@dataclass(frozen=True, eq=False)
class Draws:
    """The draws of a sample, for one response.

    weight      1/(expected number of hits) of each draw; only ratios of weights matter, unless they are `scaled`
    scaled      whether the weights add up to the population
    stratum     the number of each draw's stratum
    population  units of each stratum, nan where that is not known
    finite      whether variances may be corrected for the finite population
    ratios      what each draw adds, by metric and part
    why         by metric and part, why it can't be had
    records     what each draw adds to the records of the response, for checks
    """

    weight: Numbers
    scaled: bool
    stratum: IntArray
    population: Numbers
    finite: bool
    ratios: Mapping[tuple[str, str], Ratio]
    why: Mapping[tuple[str, str], str]
    records: Numbers

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def counts(self) -> IntArray:
        """Draws of each stratum."""
        return bincount(self.stratum, minlength=len(self.population))

    @cached_property
    def fractions(self) -> Numbers:
        """f_h = n_h/N_h, or 0 without a correction for the finite population."""
        if not self.finite:
            return np.zeros(len(self.counts))
        return np.where(np.isnan(self.population), 0, self.counts / self.population)

    @cached_property
    def open(self) -> IntArray:
        """The strata that were not taken whole. Only these have a variance."""
        return np.flatnonzero(self.fractions < 1)

    @property
    def census(self) -> bool:
        """Whether every stratum was taken whole."""
        return not len(self.open)

    @property
    def lonely(self) -> bool:
        """Whether a stratum that was not taken whole has one draw, so that there is no variance."""
        return bool((self.counts[self.open] < 2).any())

    @property
    def freedom(self) -> int:
        """Degrees of freedom: Σ (n_h − 1) over the strata that were not taken whole."""
        return int((self.counts[self.open] - 1).sum())

    def centred(self, values: Numbers) -> Numbers:
        """w·z minus its mean in the stratum."""
        weighted = self.weight * values
        means = bincount(self.stratum, weighted, minlength=len(self.counts)) / np.maximum(self.counts, 1)
        return weighted - means[self.stratum]

    @cached_property
    def _factors(self) -> Numbers:
        """(1 − f_h) n_h/(n_h − 1) of each draw's stratum; 0 in strata that were taken whole."""
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = (1 - self.fractions) * self.counts / (self.counts - 1)
        return np.where(self.fractions < 1, factors, 0.0)[self.stratum]

    def covariance(self, one: Numbers, other: Numbers) -> float:
        """V(z, u) = Σ_h (1−f_h) · n_h/(n_h−1) · Σ (w z − mean)(w u − mean); nan if a stratum has one draw."""
        if self.census:
            return 0.0
        if self.lonely:
            return float("nan")
        return float((self._factors * self.centred(one) * self.centred(other)).sum())

    def total(self, values: Numbers) -> float:
        """Σ w y."""
        return float((self.weight * values).sum())

    def effective(self, denominator: Numbers) -> float:
        """(Σ w D)²/Σ (w D)²: how many draws of equal size would weigh as much."""
        weighted = self.weight * denominator
        squares = float((weighted**2).sum())
        return float(weighted.sum()) ** 2 / squares if squares else 0.0

    def largest_share(self, denominator: Numbers) -> float:
        """The largest share that one draw has of a denominator."""
        weighted = self.weight * denominator
        whole = float(weighted.sum())
        return float(weighted.max()) / whole if whole else 0.0
