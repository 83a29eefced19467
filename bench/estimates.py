"""How often the intervals of `coreflens estimate` hold the truth: samples, labelled from the truth, are estimated.

python bench/estimates.py                      200 samples for each design and set, 200 draws each
python bench/estimates.py --samples 2000       as many as the tables of docs/estimates.md would need for a second digit
python bench/estimates.py --sets musicbrainz   one set

The sets are public data of ../shared/data: MusicBrainz 20k with a response made from titles, and RLdata10000 with the
clusters of dblink. Two more are made here, with other tails of sizes. Each row is a design; coverage is of the 95 %
interval, the mean over 15 scores and the least of them.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coreflens.corpus.columns import numbered
from coreflens.estimates.clustering import Clustering
from coreflens.estimates.designs import Design, Sampled
from coreflens.estimates.estimation import estimated
from coreflens.estimates.labels import Labels
from coreflens.estimates.ratios import ESTIMATED
from coreflens.estimates.results import PARTS
from coreflens.formats.python import from_python

DATA = Path(__file__).parents[2] / "shared" / "data"
DESIGNS = {
    "by record, precision from cluster": Design("record", from_clusters=True),
    "by record": Design("record"),
    "by cluster, by size, completed": Design("cluster", completed=True),
    "by entity, equal chances": Design("entity"),
}


class Set(NamedTuple):
    """Records with their true entities and their clusters."""

    truth: dict[str, str]
    response: dict[str, str]


def musicbrainz(data: Path) -> Set:
    """Songs; the response groups titles after the last ` - ` by their first six letters and digits."""
    truth, response = {}, {}
    with gzip.open(data / "er_other" / "musicbrainz_20k.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            record = row["TID"]
            title = re.sub("[^a-z0-9]", "", row["title"].rpartition(" - ")[2].lower())[:6]
            truth[record], response[record] = row["CID"], title or f"record {record}"
    return Set(truth, response)


def rldata(data: Path) -> Set:
    """RLdata10000, with the most probable clusters of dblink."""
    folder = data / "er_rldata_dblink"
    identities = (folder / "identity.RLdata10000.tsv").read_text("utf-8").split()
    truth = {str(k): name for k, name in enumerate(identities[-10000:], start=1)}
    path = folder / "RLdata10000_2partitions_PCG-I" / "shared-most-probable-clusters.csv"
    response = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        for record in line.split(","):
            response[record.strip()] = str(number)
    return Set({record: truth[record] for record in response if record in truth}, response)


def made(exponent: float, most: int, seed: int) -> Set:
    """Entities with sizes x^−exponent up to `most`; a few records are moved, and a few entities joined."""
    chance = np.random.default_rng(seed)
    sizes = np.arange(1, most + 1, dtype=np.float64)
    shares = sizes**-exponent
    truth, response = {}, {}
    record = 0
    for entity, size in enumerate(chance.choice(sizes, 3000, p=shares / shares.sum()).astype(int).tolist()):
        joined = entity - 1 if entity and chance.random() < 0.1 else entity
        for _ in range(size):
            truth[str(record)] = str(entity)
            response[str(record)] = f"x{record}" if chance.random() < 0.1 else str(joined)
            record += 1
    return Set(truth, response)


SETS: dict[str, Callable[[Path], Set]] = {
    "musicbrainz": musicbrainz,
    "rldata": rldata,
    "light tail": lambda data: made(3, 12, 1),
    "heavy tail": lambda data: made(1.8, 300, 2),
}


class Population:
    """A set, labelled in full; samples are drawn from it."""

    def __init__(self, given: Set) -> None:
        names = [record for record in given.response if record in given.truth]
        self.response = Clustering.of(from_python({record: given.response[record] for record in names}))
        self.entities = [given.truth[str(name)] for name in self.response.names]
        self.entity = numbered(self.entities)[0]

    def labels(self, rows: np.ndarray, others: dict[str, list[str]]) -> Labels:
        """The labels of some records."""
        names = [str(self.response.names[row]) for row in rows.tolist()]
        entities = [self.entities[row] for row in rows.tolist()]
        return Labels("", np.zeros(len(rows), dtype=np.int64), None, names, entities, others)

    def sample(self, design: Design, n: int, chance: np.random.Generator) -> Labels:
        """A sample of a design, with the labels that it needs."""
        cluster = self.response.cluster
        if design.by == "record":
            drawn = chance.choice(len(cluster), n, replace=False)
            hits = np.bincount(drawn, minlength=len(cluster))
            wanted = np.isin(self.entity, self.entity[drawn])
            if design.from_clusters:
                wanted |= np.isin(cluster, cluster[drawn])
            rows = np.flatnonzero(wanted)
            return self.labels(rows, {"hits": [str(h) for h in hits[rows].tolist()]})
        if design.by == "entity":
            units = chance.choice(int(self.entity.max()) + 1, n, replace=False)
            return self.labels(np.flatnonzero(np.isin(self.entity, units)), {})
        sizes = self.response.sizes
        hits = np.bincount(chance.choice(len(sizes), n, p=sizes / sizes.sum()), minlength=len(sizes))
        inside = hits[cluster] > 0
        rows = np.flatnonzero(np.isin(self.entity, self.entity[inside]))
        columns = {
            "hits": [str(h) for h in hits[cluster[rows]].tolist()],
            "probability": [repr(p) for p in (n * sizes[cluster[rows]] / sizes.sum()).tolist()],
        }
        return self.labels(rows, columns)

    def truth(self) -> dict[tuple[str, str], float]:
        """The scores of the census."""
        rows = np.arange(len(self.entities))
        labels = self.labels(rows, {"hits": ["1"] * len(rows)})
        found = estimated(Sampled.of(labels, self.response, Design("record")).draws(), self.response, ESTIMATED)
        return {(m, p): float(found.scores[m][p].value or 0) for m in ESTIMATED for p in PARTS}


class Row(NamedTuple):
    """What the samples of a design showed in a set."""

    covered: np.ndarray
    bias: np.ndarray
    labelled: float


def simulated(population: Population, design: Design, samples: int, n: int) -> Row:
    """Coverage and bias of each score, in standard deviations, and records labelled."""
    truth = population.truth()
    covered, values, labelled = [], [], 0
    for seed in range(samples):
        labels = population.sample(design, n, np.random.default_rng([7, seed]))
        labelled += len(labels)
        draws = Sampled.of(labels, population.response, design).draws()
        found = estimated(draws, population.response, ESTIMATED).scores
        row, numbers = [], []
        for (metric, part), wanted in truth.items():
            estimate = found[metric][part]  # type: ignore[index]
            has = estimate.low is not None and estimate.high is not None and estimate.value is not None
            row.append(has and estimate.low - 1e-12 <= wanted <= estimate.high + 1e-12)  # type: ignore[operator]
            numbers.append(estimate.value if estimate.value is not None else np.nan)
        covered.append(row)
        values.append(numbers)
    table = np.array(values, dtype=np.float64)
    spread = np.maximum(np.nanstd(table, axis=0), 1e-9)
    bias = (np.nanmean(table, axis=0) - np.array(list(truth.values()))) / spread
    return Row(np.mean(covered, axis=0), bias, labelled / samples)


def main(arguments: Sequence[str]) -> int:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("-n", type=int, default=200)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--data", type=Path, default=DATA)
    asked = parser.parse_args(arguments)
    names = [f"{metric} {part}" for metric in ESTIMATED for part in PARTS]
    sys.stdout.write(
        f"| n = {asked.n}, {asked.samples} samples | design | mean coverage | least | below 90 % | bias | records |\n"
    )
    sys.stdout.write("|---|---|--:|---|--:|--:|--:|\n")
    for name in asked.sets.split(","):
        population = Population(SETS[name](asked.data))
        for title, design in DESIGNS.items():
            row = simulated(population, design, asked.samples, asked.n)
            least = int(row.covered.argmin())
            cells = [
                name,
                title,
                f"{100 * row.covered.mean():.1f}",
                f"{100 * row.covered[least]:.0f} ({names[least]})",
                f"{int((row.covered < 0.9).sum())} of {len(names)}",
                f"{np.abs(row.bias).max():.2f} sd",
                f"{row.labelled:,.0f}",
            ]
            sys.stdout.write(f"| {' | '.join(cells)} |\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
