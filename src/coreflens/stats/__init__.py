"""Confidence intervals and tests, by arithmetic on S.

A resampled corpus is a row of weights times S. The same is true of a corpus in which some documents were swapped
between two systems. So ten thousand such corpora are computed as one product of matrices.
"""

from __future__ import annotations

from .bootstrap import INTERVALS, Interval, IntervalKind, Intervals, bootstrap, jackknife, resampled
from .macro import MacroSample, macro_sample
from .multiple import Correction, benjamini_hochberg, holm, letters, partial_conjunction
from .paired import TESTS, PairedTest, Test, paired_tests
from .power import Needed, contributions, needed, needed_with_runs
from .runs import TWO_LEVEL, RunsSample, Spread, runs_sample, two_level_tests
from .sample import Sample, Unit, aligned, by_group, doubts, sample

__all__ = [
    "INTERVALS",
    "TESTS",
    "TWO_LEVEL",
    "Correction",
    "Interval",
    "IntervalKind",
    "Intervals",
    "MacroSample",
    "Needed",
    "PairedTest",
    "RunsSample",
    "Sample",
    "Spread",
    "Test",
    "Unit",
    "aligned",
    "benjamini_hochberg",
    "bootstrap",
    "by_group",
    "coefficients",
    "contributions",
    "distributions",
    "doubts",
    "holm",
    "jackknife",
    "letters",
    "macro_sample",
    "multiple",
    "needed",
    "needed_with_runs",
    "paired",
    "paired_tests",
    "partial_conjunction",
    "resampled",
    "runs_sample",
    "sample",
    "swapping",
    "two_level_tests",
    "weights",
]
