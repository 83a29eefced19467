"""How often intervals from few, long documents hold the truth: units are blocks of text, or entities.

python bench/blocks.py [BOOKS]      a page of Markdown for docs/statistics.md

Books are drawn from a process with scenes of 400 words, in each of which three of twelve characters are active, beside
minor entities that live in one scene. A system misses, mislinks and invents mentions; how often it does so is drawn
again for every scene. Three kinds of books:

    local    that is all: errors of two scenes have nothing to do with each other
    range    the system also loses track of a character now and then, and starts a new entity for it
    books    the system also finds some books harder than others

The truth is the score of all the books of a kind together.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import coreflens as cl
from coreflens.corpus.model import Corpus, Document, IntArray, Text
from coreflens.scoring.counts import Counts
from coreflens.scoring.parts import unit_counts
from coreflens.stats import paired_tests
from coreflens.stats.bootstrap import resampled
from coreflens.stats.sample import Sample, united

METRICS = ("muc", "bcub", "ceafe", "lea", "blanc", "conll")
BASE, SIZES = 500, (500, 1500, 3000)
SCENE, GAP, CAST = 400, 8, 12
RESAMPLES = 500
Array = npt.NDArray[np.float64]


def corpus(words: int, start: IntArray, entity: IntArray) -> Corpus:
    order = np.argsort(start, kind="stable")
    text = Text(["w"] * words, np.array([0, words]), np.arange(0, words, 10))
    labels, numbers = np.unique(entity, return_inverse=True)
    return Corpus(
        [Document("book", None, words)],
        np.zeros(len(start), dtype=np.int64),
        start[order],
        start[order],
        numbers.reshape(-1)[order],
        labels.tolist(),
        texts=text,
    )


def book(rng: np.random.Generator, words: int, kind: str) -> tuple[Corpus, list[Corpus]]:
    """A key, and the responses of two systems of the same quality."""
    start = np.arange(0, words - GAP, GAP) + rng.integers(0, GAP - 1, (words - 1) // GAP)
    scene, scenes = start // SCENE, words // SCENE + 1
    fame = 1 / np.arange(1, CAST + 1)
    active = np.array([rng.choice(CAST, 3, replace=False, p=fame / fame.sum()) for _ in range(scenes)])
    which = rng.choice(3, len(start), p=(0.5, 0.3, 0.2))
    minor = CAST + scene * 8 + rng.integers(0, 8, len(start))
    entity = np.where(rng.random(len(start)) < 0.6, active[scene, which], minor)
    hard = rng.beta(2, 8, scenes) * (rng.uniform(0.4, 1.6) if kind == "books" else 1)
    responses = []
    for _ in range(2):
        error = np.clip(hard * rng.uniform(0.7, 1.3, scenes), 0, 0.9)[scene]
        wrong = rng.random(len(start)) < error
        how = rng.random(len(start))
        found = entity.copy()
        if kind == "range":  # a new entity for a character, about once in 30,000 words
            for character in range(CAST):
                breaks = np.sort(rng.integers(0, words, rng.poisson(words / 30_000)))
                mine = entity == character
                found[mine] = 10_000_000 + 1000 * character + np.searchsorted(breaks, start[mine])
        other = active[scene, rng.integers(0, 3, len(start))]
        found = np.where(wrong & (how < 0.5), other, found)
        found = np.where(wrong & (how > 0.8), 20_000_000 + np.arange(len(start)), found)
        kept = ~(wrong & (how >= 0.5) & (how <= 0.8))
        invented = np.flatnonzero(rng.random(len(start)) < 0.3 * error)
        places = np.concatenate((start[kept], start[invented] // GAP * GAP + GAP - 1))
        entities = np.concatenate((found[kept], other[invented]))
        responses.append(corpus(words, places, entities))
    return corpus(words, start, entity), responses


@dataclass
class Book:
    """The counts of both systems by block of `BASE` words and by entity, and what the entities are called."""

    blocks: list[Array]
    entities: list[tuple[list[str], Array]]


def counted(rng: np.random.Generator, words: int, kind: str) -> tuple[Book, tuple[str, ...], cl.Options]:
    key, responses = book(rng, words, kind)
    found = Book([], [])
    for response in responses:
        result = cl.score(key, response, metrics=METRICS)
        by_block, by_entity = (unit_counts(result, unit)[0] for unit in (f"block:{BASE}", "entity"))
        found.blocks.append(by_block.values)
        found.entities.append((list(by_entity.labels), by_entity.values))
    return found, by_block.columns, result.options


def systems(books: Sequence[Book], size: int | None, about: tuple[tuple[str, ...], cl.Options]) -> dict[str, Sample]:
    """The units of both systems in some books: blocks put together to larger ones, or entities."""
    found = {}
    for s, name in enumerate("ab"):
        if size is None:
            of = [book.entities[s] for book in books]
            labels = [f"{n} {label}" for n, (names, _) in enumerate(of) for label in names]
            found[name] = sampled(np.concatenate([values for _, values in of]), labels, *about)
        else:
            blocks = [
                np.add.reduceat(b, np.arange(0, len(b), size // BASE)) for b in (book.blocks[s] for book in books)
            ]
            values = np.concatenate(blocks)
            found[name] = sampled(values, [str(n) for n in range(len(values))], *about)
    return united(found)


def sampled(values: Array, labels: list[str], columns: tuple[str, ...], options: cl.Options) -> Sample:
    stratum = np.zeros(len(values), dtype=np.int64)
    return Sample(labels, Counts(labels, columns, values), METRICS, options, stratum, divided=True)


def row(pool: Sequence[Book], number: int, size: int | None, truth: dict[str, float], about: Any) -> str:
    """Shares of the intervals that hold the truth, and of the tests that call two equal systems different."""
    rng = np.random.default_rng(number)
    held, alarms, amount = dict.fromkeys(METRICS, 0), 0, 0
    for run in range(len(pool)):
        both = systems([pool[n] for n in rng.choice(len(pool), number, replace=False)], size, about)
        amount += len(both["a"])
        intervals = resampled(both["a"], RESAMPLES, run, "percentile", 0.95, [])
        for metric in METRICS:
            held[metric] += intervals[metric]["f1"].low <= truth[metric] <= intervals[metric]["f1"].high
        tests = paired_tests(both, [("a", "b")], test="randomisation", resamples=RESAMPLES, seed=run)
        alarms += tests["a", "b"]["conll"].p <= 0.05
    shares = [f"{100 * x / len(pool):.1f}" for x in (*held.values(), alarms)]
    return f"{'entity' if size is None else f'block:{size}'} | {amount / len(pool):.0f} | {' | '.join(shares)}"


def main(books: int) -> None:
    print(
        f"{books} books of each kind, {RESAMPLES} resamples. Percentages of 95% intervals that hold the truth, and of"
    )
    print("randomisation tests of two equal systems that give p ≤ 0.05 for CoNLL.\n")
    print("| kind | books | words of each | unit | units | " + " | ".join(METRICS) + " | p ≤ 0.05 |")
    print("|---|--:|--:|---|--:|" + "--:|" * (len(METRICS) + 1))
    for kind, words, numbers in (
        ("local", 15_000, (1, 3)),
        ("local", 60_000, (1, 3)),
        ("range", 60_000, (1, 3)),
        ("books", 60_000, (1,)),
    ):
        rng = np.random.default_rng(27)
        pool = []
        for _ in range(books):
            found, columns, options = counted(rng, words, kind)
            pool.append(found)
        totals = np.stack([book.blocks[0].sum(axis=0) for book in pool])
        about = columns, options
        whole = sampled(totals, [str(n) for n in range(books)], *about)
        scores = dict(zip(whole.outputs, whole.scores(whole.total)[0].tolist(), strict=True))
        truth = {metric: scores[metric, "f1"] for metric in METRICS}
        for number in numbers:
            for size in (*SIZES, None):
                print(f"| {kind} | {number} | {words} | {row(pool, number, size, truth, about)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
