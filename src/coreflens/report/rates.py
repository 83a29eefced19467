"""Scores by the coreference rate, as a plot."""

from __future__ import annotations

from collections.abc import Sequence

from ..corpus.model import Corpus
from ..matching.labels import By
from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..scoring.result import Result
from ..scoring.scores import is_number
from ..studies.rates import coreference_rates


def rate_plot(result: Result, key: Corpus, by: By = "document", metrics: Sequence[str] | None = None) -> Plot:
    """A point for each group and metric: the coreference rate of the key, and the score."""
    rates, scores = coreference_rates(key, by), result.group_by(by)
    series = []
    for metric in metrics or [m for m in result if "f1" in METRICS[m].values]:
        found = [
            (rates[g], 100 * float(s[metric].main), g)
            for g, s in scores.items()
            if g in rates and is_number(s[metric].main)
        ]
        x, y, names = zip(*sorted(found), strict=True) if found else ((), (), ())
        series.append(Series(METRICS[metric].title, x, y, labels=names))
    what = by if isinstance(by, str) and "/" not in by and "." not in by else "group"
    title = f"Scores and the coreference rate of each {what}"
    return Plot("scatter", title, "mentions per entity of the key", "F1", series)
