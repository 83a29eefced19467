"""How sure: intervals and tests by arithmetic on S.

A resampled corpus is a row of weights times S, and so is a corpus of which some documents were swapped between two
systems; ten thousand of them are one product of matrices.
"""

from __future__ import annotations

from .bootstrap import INTERVALS, Interval, IntervalKind, Intervals, bootstrap, jackknife, resampled
from .macro import MacroSample, macro_sample
from .multiple import Correction, benjamini_hochberg, holm, letters
from .paired import TESTS, PairedTest, Test, paired_tests
from .sample import Sample, Unit, aligned, doubts, sample

__all__ = [
    "INTERVALS",
    "TESTS",
    "Correction",
    "Interval",
    "IntervalKind",
    "Intervals",
    "MacroSample",
    "PairedTest",
    "Sample",
    "Test",
    "Unit",
    "aligned",
    "benjamini_hochberg",
    "bootstrap",
    "coefficients",
    "doubts",
    "holm",
    "jackknife",
    "letters",
    "macro_sample",
    "multiple",
    "paired",
    "paired_tests",
    "resampled",
    "sample",
]
