"""Corpora drawn at random, as counts: systems of known quality for tests of intervals and tests."""

from __future__ import annotations

import numpy as np

import coreflens as cl
from coreflens.corpus.model import Document
from coreflens.options import Options
from coreflens.scoring.counts import Counts
from coreflens.scoring.result import Result

COLUMNS = tuple(
    f"{metric}.{count}"
    for metric in ("muc", "bcub", "ceafe")
    for count in ("recall_num", "recall_den", "precision_num", "precision_den")
)


def rows(rng: np.random.Generator, documents: int, quality: float = 0.7, size: np.ndarray | None = None) -> np.ndarray:
    """Counts of documents of uneven length and difficulty; of the denominators, `quality` is found on average."""
    size = rng.integers(5, 80, documents) if size is None else size
    ease = rng.beta(8 * quality, 8 * (1 - quality), documents)  # documents differ in how hard they are
    found = [rng.binomial(size, ease) for _ in COLUMNS[::2]]
    table = np.stack([x for numerator in found for x in (numerator, size)], axis=1)
    return table.astype(float)


def result(values: np.ndarray, metrics: tuple[str, ...] = ("muc", "bcub", "ceafe", "conll")) -> Result:
    documents = [Document(f"nw/{n}") for n in range(len(values))]
    counts = Counts([d.label for d in documents], COLUMNS, values, documents)
    return Result(counts, metrics, Options())


def clusters(rng: np.random.Generator, documents: int, noise: float, apart: int = 0) -> tuple[cl.Corpus, cl.Corpus]:
    """A key, and a response in which a share of the mentions is put into another entity, or left out.

    The first `apart` documents have only singletons on both sides, so that there MUC is 0/0.
    """
    key, response = {}, {}
    for d in range(documents):
        n = int(rng.integers(4, 40))
        right = rng.integers(0, max(n // 3, 1), n)
        wrong = np.where(rng.random(n) < noise, rng.integers(0, max(n // 3, 1), n), right)
        found = rng.random(n) > noise / 4
        if d < apart:
            right = wrong = np.arange(n)
        key[f"nw/{d}"] = _entities(right, np.ones(n, bool))
        response[f"nw/{d}"] = _entities(wrong, found)
    return cl.read(key, role="key"), cl.read(response, role="response")


def _entities(labels: np.ndarray, kept: np.ndarray) -> list[set[int]]:
    return [set(np.flatnonzero((labels == x) & kept).tolist()) for x in np.unique(labels[kept])]
