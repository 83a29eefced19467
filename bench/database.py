"""The database at the size of OntoNotes: 3,500 documents, 1.6 million tokens, all layers, generated.

python bench/database.py [DOCUMENTS]     builds it in bench/out and prints seconds, memory and the time of each recipe
python bench/database.py pair            builds a database of the pair `dev` of generate.py, and prints ms per document
"""

from __future__ import annotations

import random
import resource
import shutil
import sys
import time
from pathlib import Path

OUT = Path(__file__).parent / "out" / "database"
DOCUMENTS, SENTENCES, WORDS = 3500, 23, 20  # about 460 tokens per document
_NAMES = ["Ann", "Bell", "Acme", "Paris", "Lee", "Clark", "Rome", "Delta"]
_NOUNS = ["report", "house", "plan", "city", "board", "share", "price", "friend"]
_VERBS = ["see", "say", "help", "build", "sell", "raise", "cut", "find"]


def sentence(rng: random.Random, name: str, part: int, speaker: str) -> list[str]:
    """A sentence of noun phrases and verbs with a tree, names, a sense, predicates with arguments, and mentions."""
    rows: list[list[str]] = []

    def row(
        word: str, tag: str, bit: str, coref: str, names: str = "*", predicate: tuple[str, ...] = ("-", "-", "-")
    ) -> None:
        rows.append([name, str(part), str(len(rows)), word, tag, bit, *predicate, speaker, names, coref])

    verbs: list[int] = []
    spans: list[tuple[int, int]] = []
    while len(rows) < WORDS - 1:
        first = not rows
        opening = "(TOP(S" if first else ""
        entity = rng.randrange(12)
        kind = rng.randrange(3)
        start = len(rows)
        if kind == 0:
            row(rng.choice(_NAMES), "NNP", f"{opening}(NP*", f"({entity}", "(PERSON*")
            row(rng.choice(_NAMES), "NNP", "*)", f"{entity})", "*)")
        elif kind == 1:
            row("the", "DT", f"{opening}(NP*", f"({entity}")
            noun = rng.choice(_NOUNS)
            row(noun, "NN", "*)", f"{entity})", "*", (noun, "-", str(rng.randrange(1, 4))))
        else:
            row(rng.choice(["he", "she", "it", "I"]), "PRP", f"{opening}(NP*)", f"({entity})")
        spans.append((start, len(rows) - 1))
        verb = rng.choice(_VERBS)
        verbs.append(len(rows))
        row(f"{verb}s", "VBZ", "(VP*)", "-", "*", (verb, "01", "1"))
    row(".", ".", "*))", "-")
    for n, verb_at in enumerate(verbs):
        for place, cells in enumerate(rows):
            a, b = spans[n]
            bit = "(V*)" if place == verb_at else "*"
            if a <= place <= b:
                bit = "(ARG0*)" if a == b else "(ARG0*" if place == a else "*)"
            cells.insert(-1, bit)
    return ["   ".join(cells) for cells in rows]


def generate(folder: Path, documents: int) -> int:
    """Files of one document each; how many tokens they have."""
    tokens = 0
    genres = ("bc", "bn", "mz", "nw", "tc", "wb")
    for n in range(documents):
        rng = random.Random(n)
        name = f"{genres[n % len(genres)]}/gen/{n // 100:02}/gen_{n:04}"
        lines = [f"#begin document ({name}); part 000"]
        for _ in range(SENTENCES):
            found = sentence(rng, name, 0, rng.choice(("ann", "bob")))
            tokens += len(found)
            lines += [*found, ""]
        path = folder / f"{name}.v4_gold_conll"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*lines, "#end document", ""]), "utf-8")
    return tokens


def pair() -> None:
    """A key and a response of 340 documents each, matched, scored and diagnosed; the libraries are loaded before."""
    import pyarrow  # noqa: F401 - its import is not measured

    from coreflens.store import build
    from generate import generate as inputs

    inputs(OUT.parent, ["dev"])
    folder = OUT.parent / "dev"
    path = OUT.parent / "pair.duckdb"
    for number in range(4):  # the first loads the libraries
        path.unlink(missing_ok=True)
        begin, processor = time.perf_counter(), time.process_time()
        built = build(str(path), {"key": str(folder / "key.conll")}, {"response": str(folder / "response.conll")})
        documents = built.documents["key"]
        took = 1000 * (time.perf_counter() - begin) / documents
        used = 1000 * (time.process_time() - processor) / documents
        if number:
            print(f"{documents} document pairs: {took:.1f} ms each, {used:.1f} ms of processor time")


def main() -> None:
    if sys.argv[1:] == ["pair"]:
        pair()
        return
    from coreflens.processes import cores
    from coreflens.store import ask, build, check
    from coreflens.store.queries import recipes

    documents = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    shutil.rmtree(OUT, ignore_errors=True)
    tokens = generate(OUT / "in", documents)
    path = str(OUT / "a.duckdb")
    start = time.perf_counter()
    build(path, {"key": str(OUT / "in")}, jobs=cores())
    took = time.perf_counter() - start
    memory = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    size = Path(path).stat().st_size / 1e6
    print(f"{documents} documents, {tokens:,} tokens: {took:.1f} s, at most {memory:.0f} MB, {size:.0f} MB on disk")
    for name, recipe in recipes().items():
        if "response" not in recipe.parameters and name != "scores":
            start = time.perf_counter()
            rows = len(ask(path, name))
            print(f"  {name:28} {time.perf_counter() - start:6.2f} s  {rows} rows")
    start = time.perf_counter()
    print(f"  check: {len(check(path))} findings, {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
