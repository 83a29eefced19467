"""Scores plotted against the coreference rate: a metric that rises with it rewards the text, not the system.

Popescu-Belis & Robba (1998) saw MUC and core scores rise with the mentions per entity of a text, and others not.
"""

from __future__ import annotations

import numpy as np

from ..corpus.model import Corpus
from ..integers import bincount
from ..matching.labels import By, labels_of, number_labels


def coreference_rates(key: Corpus, by: By) -> dict[str, float]:
    """Mentions per entity of the key in each group of its documents; groups without mentions are left out."""
    group, labels = number_labels(labels_of(key.documents, by))
    entity = np.unique(key.doc * (len(key.labels) + 1) + key.entity, return_index=True)[1]
    mentions = bincount(group[key.doc], minlength=len(labels))
    entities = bincount(group[key.doc[entity]], minlength=len(labels))
    return {label: m / e for label, m, e in zip(labels, mentions.tolist(), entities.tolist(), strict=True) if e}
