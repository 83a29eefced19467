"""Documents resolved by several processes at once.

A text is read as a whole by one process: what it has, such as tags, is asked of the whole. What a system then decides,
it decides for each document alone. So the answer is the same, however many processes there are.
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
from .reading import Reading

_MANY = 10_000  # mentions whose pairs take longer to classify than it takes to start processes
_TURNS = 8  # blocks of documents per process: enough that none waits long for another


class Decide(Protocol):
    """A system: a label for each row of the documents gone over, and anything for the others."""

    def __call__(self, reading: Reading, *, over: Callable[[Iterable[int]], Iterable[int]]) -> list[Hashable]: ...


@dataclass(frozen=True, eq=False)
class _Block:
    """What a worker does: the labels of the rows of some documents."""

    decide: Decide
    reading: Reading

    def __call__(self, documents: range) -> list[Hashable]:
        bounds = self.reading.corpus.bounds
        return self.decide(self.reading, over=lambda _: documents)[bounds[documents.start] : bounds[documents.stop]]


def decided(
    decide: Decide, reading: Reading, over: Callable[[Iterable[int]], Iterable[int]], jobs: int
) -> Sequence[Hashable]:
    """A label for each row, by so many processes."""
    corpus = reading.corpus
    blocks = _blocks(np.diff(corpus.bounds), jobs * _TURNS)
    if jobs == 1 or len(blocks) < 2:
        return decide(reading, over=over)
    # A text that is read when it is asked for can't go to another process, and one that has been read can.
    work = _Block(decide, replace(reading, corpus=replace(corpus, texts=corpus.text)))
    labels: list[Hashable] = []
    ready = 0
    with closing(each(work, blocks, jobs)) as found:
        for d in over(range(len(corpus.documents))):
            if d >= ready:
                labels += next(found)
                ready = next(block.stop for block in blocks if block.stop > d)
    return labels


def chosen(corpus: Corpus) -> int:
    """How many processes are worth their start for a costly system: as many as there are cores, one for short texts."""
    return cores() if len(corpus) >= _MANY else 1


def _blocks(rows: np.ndarray, most: int) -> list[range]:
    """The documents, in order, in so many blocks at most that have about as many pairs of mentions each."""
    pairs = np.cumsum(rows.astype(float) ** 2 + 1)
    if not len(pairs):
        return []
    cuts = np.searchsorted(pairs, np.linspace(0, pairs[-1], most + 1)[1:-1], side="left") + 1
    return [range(a, b) for a, b in pairwise(np.unique([0, *cuts.tolist(), len(rows)]).tolist())]
