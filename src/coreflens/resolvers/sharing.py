"""Documents resolved by several processes at once.

One process reads the whole text, because the layers it has, such as tags, are those of the whole text. A system then
resolves each document alone. So the result is the same for any number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np

from ..corpus.model import Corpus
from ..processes import cores, each
from .analysis import Analysis

_MANY = 10_000  # with more mentions, classifying the pairs takes longer than starting processes
_TURNS = 8  # blocks of documents per process: enough that no process waits long for another


class Decide(Protocol):
    """A system: it returns a label for each row. Only the labels of the documents that were resolved have a meaning."""

    def __call__(self, analysis: Analysis, *, over: Callable[[Iterable[int]], Iterable[int]]) -> list[Hashable]: ...


@dataclass(frozen=True, eq=False)
class _Block:
    """The task of a worker: compute the labels of the rows of some documents."""

    decide: Decide
    analysis: Analysis

    def __call__(self, documents: range) -> list[Hashable]:
        bounds = self.analysis.corpus.bounds
        return self.decide(self.analysis, over=lambda _: documents)[bounds[documents.start] : bounds[documents.stop]]


def decided(
    decide: Decide, analysis: Analysis, over: Callable[[Iterable[int]], Iterable[int]], jobs: int
) -> Sequence[Hashable]:
    """A label for each row, computed by this number of processes."""
    corpus = analysis.corpus
    blocks = _blocks(np.diff(corpus.bounds), jobs * _TURNS)
    if jobs == 1 or len(blocks) < 2:
        return decide(analysis, over=over)
    # A text that is read lazily can't be sent to another process, so read it now.
    work = _Block(decide, replace(analysis, corpus=replace(corpus, texts=corpus.text)))
    labels: list[Hashable] = []
    ready = 0
    with closing(each(work, blocks, jobs)) as answers:
        for d in over(range(len(corpus.documents))):
            if d >= ready:
                labels += next(answers)
                ready = next(block.stop for block in blocks if block.stop > d)
    return labels


def automatic_jobs(corpus: Corpus) -> int:
    """How many processes a slow system should use: one per core, but only one for short texts."""
    return cores() if len(corpus) >= _MANY else 1


def _blocks(rows: np.ndarray, most: int) -> list[range]:
    """The documents, in order, in at most this many blocks with about the same number of pairs of mentions each."""
    pairs = np.cumsum(rows.astype(float) ** 2 + 1)
    if not len(pairs):
        return []
    cuts = np.searchsorted(pairs, np.linspace(0, pairs[-1], most + 1)[1:-1], side="left") + 1
    return [range(a, b) for a, b in pairwise(np.unique([0, *cuts.tolist(), len(rows)]).tolist())]
