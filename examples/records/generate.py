"""Makes the tables of this example from a seed: python generate.py [FOLDER] writes them; pyarrow is needed.

Four thousand persons with made-up names leave ten thousand records behind: some with a slip of the pen, an initial in
place of the given name, no year of birth, or another town after a move. Two ways to find out who is who are tried: a
rule (same surname, same initial, same year), and links between similar records, which are followed wherever they lead.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from pathlib import Path

PERSONS, RECORDS, THRESHOLD = 4_000, 10_000, 0.8
_BEGIN = [
    "Al",
    "Bel",
    "Cor",
    "Dan",
    "El",
    "Fen",
    "Gar",
    "Hal",
    "Il",
    "Jor",
    "Kel",
    "Lan",
    "Mar",
    "Nor",
    "Ol",
    "Pen",
    "Ros",
    "Sel",
    "Tor",
    "Ul",
    "Vin",
    "Wil",
    "Yor",
    "Zan",
]
_MIDDLE = ["", "a", "e", "i", "o", "an", "er", "in", "or", "en"]
_END = ["a", "as", "el", "en", "er", "i", "ia", "io", "o", "os", "ric", "win"]
_SURNAME = ["berg", "by", "dale", "ford", "ham", "ley", "man", "mere", "son", "ton", "wick", "worth"]
_TOWNS = ["Ashby", "Brill", "Corve", "Dunmere", "Elsing", "Farlow", "Garth", "Holm", "Inver", "Kelso", "Lorne", "Milby"]

Record = dict[str, str]


def persons(rng: random.Random) -> list[Record]:
    """Who there is; frequent names are shared."""
    given = [b + m + e for b in _BEGIN for m in _MIDDLE[:4] for e in _END[:8]]
    family = [b + m + e for b in _BEGIN for m in _MIDDLE for e in _SURNAME]
    rng.shuffle(given)
    rng.shuffle(family)

    def pick(names: list[str]) -> str:
        return names[int(len(names) * rng.random() ** 3)]

    return [
        {
            "given": pick(given),
            "surname": pick(family),
            "born": str(rng.randint(1930, 2005)),
            "town": rng.choice(_TOWNS),
        }
        for _ in range(PERSONS)
    ]


def slip(rng: random.Random, word: str) -> str:
    """A letter lost, doubled or changed for its neighbour."""
    at = rng.randrange(1, len(word))
    return rng.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
        ]
    )


def record(rng: random.Random, person: Record) -> Record:
    found = dict(person)
    if rng.random() < 0.08:
        found["given"] = found["given"][0] + "."
    elif rng.random() < 0.06:
        found["given"] = slip(rng, found["given"])
    if rng.random() < 0.07:
        found["surname"] = slip(rng, found["surname"])
    if rng.random() < 0.05:
        found["born"] = ""
    if rng.random() < 0.15:
        found["town"] = rng.choice(_TOWNS)
    return found


def grams(word: str) -> set[str]:
    padded = f"^{word.lower()}$"
    return {padded[n : n + 2] for n in range(len(padded) - 1)}


def alike(one: str, other: str) -> float:
    a, b = grams(one), grams(other)
    return 2 * len(a & b) / (len(a) + len(b))


def similarity(one: Record, other: Record) -> float:
    """From 0 to 1: names, year and town, in this order of weight."""
    initials = one["given"][0] == other["given"][0]
    short = one["given"].endswith(".") or other["given"].endswith(".")
    given = 0.7 * initials if short else alike(one["given"], other["given"])
    years = (one["born"], other["born"])
    year = 0.5 if "" in years else float(years[0] == years[1])
    return (
        0.3 * given + 0.3 * alike(one["surname"], other["surname"]) + 0.3 * year + 0.1 * (one["town"] == other["town"])
    )


def links(records: list[Record]) -> list[tuple[int, int, float]]:
    """Pairs that share the first letters of the surname and the initial, or year and initial and town; with a score."""
    blocks: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, r in enumerate(records):
        blocks[r["surname"][:3], r["given"][0], r["born"][:3]].append(n)
        blocks[r["born"], r["given"][0], r["town"], r["surname"][0]].append(n)
    pairs = {(a, b) for block in blocks.values() for i, a in enumerate(block) for b in block[i + 1 :]}
    scored = ((a, b, round(similarity(records[a], records[b]), 2)) for a, b in sorted(pairs))
    return [link for link in scored if link[2] >= 0.6]


def clusters(n: int, linked: list[tuple[int, int, float]]) -> list[int]:
    root = list(range(n))

    def find(x: int) -> int:
        while root[x] != x:
            root[x] = root[root[x]]
            x = root[x]
        return x

    for a, b, score in linked:
        if score >= THRESHOLD:
            root[find(b)] = find(a)
    return [find(x) for x in range(n)]


def main(folder: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    rng = random.Random(20)
    people = persons(rng)
    owner = [*range(PERSONS), *(rng.randrange(PERSONS) for _ in range(RECORDS - PERSONS))]
    rng.shuffle(owner)
    records = [record(rng, people[person]) for person in owner]
    numbers = list(range(1, RECORDS + 1))
    rules: dict[tuple[str, ...], int] = {}
    ruled = [rules.setdefault((r["surname"], r["given"][0], r["born"]), len(rules) + 1) for r in records]
    linked = links(records)

    def write(name: str, columns: dict[str, list[int] | list[str]]) -> None:
        parquet.write_table(pa.table(columns), folder / name, compression="zstd")

    truth: dict[str, list[int] | list[str]] = {"record_id": numbers, "entity_id": [person + 1 for person in owner]}
    truth["name"] = [f"{r['given']} {r['surname']}" for r in records]
    write("truth.parquet", truth | {what: [r[what] for r in records] for what in ("born", "town")})
    write("rules.parquet", {"record_id": numbers, "cluster_id": ruled})
    write("linked.parquet", {"record_id": numbers, "cluster_id": [c + 1 for c in clusters(RECORDS, linked)]})
    lines = [f"{a + 1},{b + 1},{score}" for a, b, score in linked]
    (folder / "links.csv").write_text("\n".join(["id1,id2,similarity", *lines, ""]), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
