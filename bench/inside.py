"""What has to be measured inside one process: `python bench/inside.py NAME FOLDER ROUNDS CLOCK` prints JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import coreflens as cl


def best(rounds: int, *actions: Callable[[], object], again: int = 1) -> list[float]:
    """The best time of each action, taken in turns so that a busy moment hits them alike.

    Each turn runs it `again` times in a row: what takes microseconds is to find its own data in the caches.
    """
    clock = process_time if sys.argv[4] == "cpu" else perf_counter
    times = [float("inf")] * len(actions)
    for _ in range(rounds):
        for place, action in enumerate(actions):
            for _ in range(again):
                started = clock()
                action()
                times[place] = min(times[place], clock() - started)
    return times


def arrays(folder: Path, rounds: int) -> dict[str, float]:
    """`score` of two label arrays, and one `np.unique` over the packed pairs; also `np.sort`, which is faster."""
    key, response = np.load(folder / "key.npy"), np.load(folder / "response.npy")
    packed = key * (response.max() + 1) + response
    ours, unique, sort = best(
        rounds, lambda: cl.score(key, response), lambda: np.unique(packed), lambda: np.sort(packed)
    )
    return {"score": ours, "baseline": unique, "sort": sort}


def document(folder: Path, rounds: int) -> dict[str, float]:
    """`score` of two lists of sets, also with a look at a score, and the building of the dicts mention → entity."""
    sides = json.loads((folder / "pair.json").read_text())
    key, response = ([{tuple(span) for span in entity} for entity in side] for side in sides)

    def dicts() -> list[dict[Any, int]]:
        return [{m: n for n, entity in enumerate(side) for m in entity} for side in (key, response)]

    ours, seen, building = best(
        rounds, lambda: cl.score(key, response), lambda: cl.score(key, response).conll, dicts, again=50
    )
    return {"score": ours, "seen": seen, "baseline": building}


def accumulator(folder: Path, rounds: int) -> dict[str, float]:
    """`update` of documents of about 30 mentions, and the result at the end, per document."""
    sides = json.loads((folder / "pair.json").read_text())
    key, response = ([[tuple(span) for span in entity] for entity in side[:8]] for side in sides)

    def loop() -> None:
        gathered = cl.Accumulator()
        for _ in range(100):
            gathered.update(key, response)
        gathered.compute()

    (once,) = best(rounds, loop)
    return {"update": once / 100}


def resamples(folder: Path, rounds: int) -> dict[str, float]:
    """10,000 resamples of the parsed dev pair for all default metrics, and scoring it once."""
    key, response = (cl.read(str(folder / f"{side}.conll")) for side in ("key", "response"))
    result = cl.score(key, response)
    once, percentile, bca = best(
        rounds,
        lambda: cl.score(key, response),
        lambda: result.bootstrap(10_000),
        lambda: result.bootstrap(10_000, interval="bca"),
    )
    return {"score": once, "percentile": percentile, "bca": bca, "documents": len(result.counts)}


def relaxed(folder: Path, rounds: int) -> dict[str, float]:
    """A pair with trees from its files, by exact and by head-word matching."""
    files = str(folder / "key.conll"), str(folder / "response.conll")
    exact, head_word = best(rounds, lambda: cl.score(*files), lambda: cl.score(*files, match="head-word"))
    return {"exact": exact, "head-word": head_word}


def matches(folder: Path, rounds: int) -> dict[str, float]:
    """A CorefUD pair from its files, by every match that it has heads for."""
    files = str(folder / "key.conllu"), str(folder / "response.conllu")
    names = ("exact", "head", "partial", "share")
    calls = [lambda name=name: cl.score(*files, protocol="corefud", match=name) for name in names]
    return dict(zip(names, best(rounds, *calls), strict=True))


def pairs(folder: Path, rounds: int) -> dict[str, float]:
    """30 systems on the dev pair's documents, all 435 pairs, 10,000 permutations: the counts are shuffled ones."""
    key, response = (cl.read(str(folder / f"{side}.conll")) for side in ("key", "response"))
    result = cl.score(key, response)
    rng = np.random.default_rng(0)
    numerators = [n for n, name in enumerate(result.counts.columns) if name.endswith("_num")]
    systems = {}
    for n in range(30):
        values = result.counts.values.copy()
        values[:, numerators] *= rng.uniform(0.9 - n / 1000, 1, (len(values), 1))
        counts = replace(result.counts, values=values)
        systems[f"system {n}"] = cl.Result(counts, result.signature.metrics, result.options)
    (once,) = best(rounds, lambda: cl.compare(None, systems))
    return {"compare": once}


def like_scorch(folder: Path, rounds: int) -> dict[str, list[float]]:
    """What scorch's command prints: response mentions the key lacks join it as singletons, and the scores of the
    documents are averaged, weighted by their mentions. From coreflens' scores of the documents so changed."""
    sides: list[dict[str, list[list[str]]]] = [
        {path.stem: list(json.loads(path.read_text())["clusters"].values()) for path in sorted(side.iterdir())}
        for side in (folder / "scorch" / "key", folder / "scorch" / "response")
    ]
    key, response = sides
    for name, entities in key.items():
        entities += [[mention] for mention in sorted(_mentions(response[name]) - _mentions(entities))]
    weights = [np.array([len(_mentions(side[name])) for name in key]) for side in sides]
    scores = cl.score(key, response).by_document()
    found: dict[str, list[float]] = {}
    for scorch, metric in {"MUC": "muc", "B³": "bcub", "CEAF_m": "ceafm", "CEAF_e": "ceafe", "BLANC": "blanc"}.items():
        of = [scores[name][metric] for name in key]
        rows = [s.recall for s in of], [s.precision for s in of], [s.f1 for s in of]
        found[scorch] = [
            float(np.average(np.array(row, dtype=float), weights=w))
            for row, w in zip(rows, (*weights, weights[0] + weights[1]), strict=True)
        ]
    return found


def _mentions(entities: Iterable[Iterable[str]]) -> set[str]:
    return {mention for entity in entities for mention in entity}


if __name__ == "__main__":
    modes: dict[str, Callable[[Path, int], object]] = {
        "arrays": arrays,
        "blocks": arrays,
        "alike": arrays,
        "document": document,
        "accumulator": accumulator,
        "resamples": resamples,
        "pairs": pairs,
        "relaxed": relaxed,
        "matches": matches,
        "like-scorch": like_scorch,
    }
    print(json.dumps(modes[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))))
