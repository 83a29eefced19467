"""Scores when only a sample of the truth is labelled: what to draw, what it tells, and how sure that is."""

from __future__ import annotations

from .estimation import estimate
from .results import Difference, Estimate, Estimates, SystemEstimates

__all__ = [
    "Difference",
    "Estimate",
    "Estimates",
    "SystemEstimates",
    "designs",
    "estimate",
    "estimation",
    "intervals",
    "ratios",
    "results",
]
