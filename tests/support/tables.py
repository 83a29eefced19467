"""Tables of mentions for tests of the engines: random ones, and real corpora written as tables."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import coreflens as cl

Row = tuple[str, str, str]


HEADER = ("doc", "mention", "entity")


def random_table(rng: random.Random, documents: int, mentions: int, entities: int, repeated: float) -> list[Row]:
    """Rows (doc, mention, entity); each mention is there with a chance of 0.8, and some are repeated."""
    rows: list[Row] = []
    for d in range(documents):
        for m in range(mentions):
            times = (rng.random() < 0.8) + (rng.random() < repeated)
            rows += [(f"d{d}", f"m{m}", f"e{rng.randrange(entities)}") for _ in range(times)]
    return rows or [("d0", "m0", "e0")]


def write_csv(path: Path, rows: Iterable[Sequence[object]], header: Sequence[str] = HEADER) -> str:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return str(path)


def written(
    folder: Path, key: Iterable[Sequence[object]], response: Iterable[Sequence[object]], header: Sequence[str] = HEADER
) -> tuple[str, str]:
    """Two tables as files."""
    return write_csv(folder / "key.csv", key, header), write_csv(folder / "response.csv", response, header)


def as_table(source: Path, path: Path) -> str:
    """A corpus as a table of mentions that are named by their spans, with its repetitions."""
    corpus = cl.read(source)
    return write_csv(path, ((m.document.label, f"{m.start}-{m.end}", str(m.entity)) for m in corpus))
