"""Scores plotted against the coreference rate: a metric that rises with it rewards the text, not the system.

Popescu-Belis & Robba (1998) saw MUC and core scores rise with the mentions per entity of a text, and others not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..corpus.model import Corpus
from ..matching.labels import By, labels_of, number_labels
from ..metrics import METRICS
from ..paper.plot import Plot, Series
from ..scoring.result import Result
from ..scoring.scores import is_number


def coreference_rates(key: Corpus, by: By) -> dict[str, float]:
    """Mentions per entity of the key in each group of its documents; groups without mentions are left out."""
    group, labels = number_labels(labels_of(key.documents, by))
    entity = np.unique(key.doc * (len(key.labels) + 1) + key.entity, return_index=True)[1]
    mentions = np.bincount(group[key.doc], minlength=len(labels))
    entities = np.bincount(group[key.doc[entity]], minlength=len(labels))
    return {label: m / e for label, m, e in zip(labels, mentions.tolist(), entities.tolist(), strict=True) if e}


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
