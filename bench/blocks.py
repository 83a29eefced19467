"""How often intervals from few, long documents hold the truth: units are blocks of text, or entities.

python bench/blocks.py [BOOKS]      a page of Markdown for docs/statistics.md

Books are drawn from a process with scenes of 400 words, in each of which three of twelve characters are active, beside
minor entities that live in one scene. A system misses, mislinks and invents mentions; how often it does so is drawn
anew for every scene. Three kinds of books:

    local    that is all: errors of two scenes have nothing to do with each other
    range    the system also loses track of a character now and then, and starts a new entity for it
    books    the system also finds some books harder than others

The truth is the score of all the books of a kind together.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import coreflens as cl
from coreflens.corpus.model import Corpus, Document, IntArray, Text
from coreflens.scoring.counts import Counts
from coreflens.scoring.parts import unit_counts
from coreflens.stats import paired_tests
from coreflens.stats.bootstrap import resampled
from coreflens.stats.sample import Sample

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
    """The counts of both systems by block of `BASE` words and by entity."""

    blocks: list[Array]
    entities: list[Array]


def counted(rng: np.random.Generator, words: int, kind: str) -> tuple[Book, tuple[str, ...], cl.Options]:
    key, responses = book(rng, words, kind)
    found = Book([], [])
    for response in responses:
        result = cl.score(key, response, metrics=METRICS)
        by_block = unit_counts(result, f"block:{BASE}")[0]
        found.blocks.append(by_block.values)
        found.entities.append(unit_counts(result, "entity")[0].values)
    return found, by_block.columns, result.options


def units(found: Sequence[Array], size: int | None) -> Array:
    """The units of some books: blocks put together to larger ones, the last of a book with what is left; or as is."""
    if size is None:
        return np.concatenate(found)
    step = size // BASE
    return np.concatenate([np.add.reduceat(x, np.arange(0, len(x), step)) for x in found])


def sampled(values: Array, columns: tuple[str, ...], options: cl.Options) -> Sample:
    labels = [str(n) for n in range(len(values))]
    return Sample(labels, Counts(labels, columns, values), METRICS, options, np.zeros(len(values), dtype=np.int64))


def main(books: int) -> None:
    print(
        f"{books} books of each kind, {RESAMPLES} resamples; percentages of 95% intervals that hold the truth, and of"
    )
    print("tests of two equal systems with p ≤ 0.05 (randomisation, CoNLL).\n")
    print("| books | number | words of each | unit | units | " + " | ".join(METRICS) + " | p ≤ 0.05 |")
    print("|---|--:|--:|---|--:|" + "--:|" * (len(METRICS) + 1))
    for kind, words, numbers in (
        ("local", 15_000, (1, 3)),
        ("local", 60_000, (1, 3)),
        ("range", 60_000, (1, 3)),
        ("books", 60_000, (1, 3)),
    ):
        rng = np.random.default_rng(27)
        pool = []
        for _ in range(books):
            found, columns, options = counted(rng, words, kind)
            pool.append(found)
        whole = sampled(np.stack([b.blocks[0].sum(axis=0) for b in pool]), columns, options)
        truth = dict(zip(whole.outputs, whole.scores(whole.total)[0].tolist(), strict=True))
        for number in numbers:
            for size in (*SIZES, None):
                row(kind, words, number, size, pool, truth, columns, options)


def row(kind, words, number, size, pool, truth, columns, options) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(number)
    held, alarms, amount = dict.fromkeys(METRICS, 0), 0, 0
    for run in range(len(pool)):
        here = [pool[n] for n in rng.choice(len(pool), number, replace=False)]
        systems = {}
        for s, name in enumerate("ab"):
            of = [b.entities[s] if size is None else b.blocks[s] for b in here]
            if size is not None:
                systems[name] = sampled(units(of, size), columns, options)
        one = (
            systems["a"] if size is not None else sampled(units([b.entities[0] for b in here], None), columns, options)
        )
        amount += len(one)
        intervals = resampled(one, RESAMPLES, run, "percentile", 0.95, [])
        for metric in METRICS:
            held[metric] += intervals[metric]["f1"].low <= truth[metric, "f1"] <= intervals[metric]["f1"].high
        if size is not None:
            tests = paired_tests(systems, [("a", "b")], test="randomisation", resamples=RESAMPLES, seed=run)
            alarms += tests["a", "b"]["conll"].p <= 0.05
    shares = " | ".join(f"{100 * held[m] / len(pool):.1f}" for m in METRICS)
    alarm = f"{100 * alarms / len(pool):.1f}" if size is not None else ""
    unit = "entity" if size is None else f"block:{size}"
    print(f"| {kind} | {number} | {words} | {unit} | {amount / len(pool):.0f} | {shares} | {alarm} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
