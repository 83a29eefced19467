"""Draws the plots of docs/studies.md from generated texts: python docs/studies_plots.py"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TypeAlias

import numpy as np

import coreflens as cl
from coreflens.studies.damage import DAMAGES, Case, DamageName

PLOTS = Path(__file__).parent / "studies"
Documents: TypeAlias = dict[str, list[list[tuple[int, int]]]]


def generated(documents: int = 20, seed: int = 7) -> tuple[Documents, Documents]:
    """A key, and a response with missing, misplaced and spurious mentions; half of the latter are singletons."""
    random = Random(seed)
    key: Documents = {}
    response: Documents = {}
    for d in range(documents):
        entities: list[list[int]] = []
        for mention in range(60):
            # as many mentions choose an entity as there are in it, so a few are long and most are short
            before = random.randrange(mention + 12)
            found = next((e for e in entities if before in e), None)
            if found is None:
                entities.append([mention])
            else:
                found.append(mention)
        guessed: list[list[int]] = [[] for _ in entities]
        for number, entity in enumerate(entities):
            for mention in entity:
                if random.random() < 0.85:
                    guessed[number if random.random() < 0.8 else random.randrange(len(guessed))].append(mention)
        for spurious in range(60, 100):
            if random.random() < 0.5:
                guessed.append([spurious])
            else:
                guessed[random.randrange(len(entities))].append(spurious)
        for side, clusters in ((key, entities), (response, guessed)):
            side[f"text{d}"] = [[(3 * m, 3 * m) for m in cluster] for cluster in clusters if cluster]
    return key, response


def main() -> None:
    PLOTS.mkdir(exist_ok=True)
    key, response = generated()
    figures = cl.sweep(key, response, seed=1).plots()
    figures["B³ variants"].save(PLOTS / "twinless-b3.svg")
    figures["CEAF variants"].save(PLOTS / "twinless-ceaf.svg")
    systems: dict[str, cl.Corpus] = {}
    for damage in ("drop", "add", "split", "merge", "move", "shift"):
        swept = cl.sweep(key, key, damage=damage, metrics="muc,bcub,ceafm,ceafe,blanc,lea", seed=1)
        swept.plots()[""].save(PLOTS / f"{damage}.svg")
        for n in (10, 20):
            systems[f"{damage} {n} %"] = damaged(key, damage, n)
    against = cl.correlate(key, systems, against="blanc", metrics="muc,bcub,ceafm,ceafe,lea")
    against.plot().save(PLOTS / "correlation.svg")


def damaged(key: Documents, damage: DamageName, percent: int) -> cl.Corpus:
    """The key with so much damage."""

    corpus = cl.read(key)
    units, step = DAMAGES[damage].prepare(Case.of(cl.Scorer(key).match(corpus)), np.random.default_rng(1))
    return step(round(percent / 100 * units))


if __name__ == "__main__":
    main()
