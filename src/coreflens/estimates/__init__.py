"""Scores when only a sample of the truth is labelled: what to draw, and what can be concluded."""

from __future__ import annotations

from .estimation import estimate
from .planning import Plan, plan
from .results import Estimate, Estimates, SystemDifference, SystemEstimates
from .sampling import SampleTable, sample

__all__ = [
    "Estimate",
    "Estimates",
    "Plan",
    "SampleTable",
    "SystemDifference",
    "SystemEstimates",
    "allocation",
    "designs",
    "estimate",
    "estimation",
    "intervals",
    "plan",
    "planning",
    "ratios",
    "results",
    "sample",
    "sampling",
]
