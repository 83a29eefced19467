"""Inputs of the benchmark, made up from a seed: `python bench/generate.py [DIRECTORY] [NAME...]`.

    dev        CoNLL pair of the size of OntoNotes' development set: 340 documents, 160,000 tokens, 12 MB a side
    large      the same eight times over, in 2,720 different documents
    book       one document of 30,000 mentions
    parsed     CoNLL pair with trees, 160,000 tokens; forest: 100 MB of it per side
    corefud    another pair like dev as CoNLL-U with CorefUD's coreference, 9 MB per side; library: 100 MB per side
    novel      the book as CoNLL-U with CorefUD's coreference
    arrays     label arrays: 1,000,000 mentions in 300,000 entities
    blocks     label arrays: 60,000 × 60,000 entities in one block, 40 % of the mentions in a wrong one
    alike      label arrays: 60,000 × 60,000 entities of four mentions each that have nothing to do with one another,
               which leaves CEAF all the ties there can be
    document   one document of 500 mentions, as clusters in JSON

The response is always the key perturbed: mentions dropped and added, entities split and merged. A directory carries a
stamp of this file's contents and is written again only when that changes.
"""

from __future__ import annotations

import json
import shutil
import sys
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Span: TypeAlias = tuple[int, int]
Partition: TypeAlias = list[list[Span]]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Labels: TypeAlias = npt.NDArray[np.int64]

SEED = 2012
TOKENS_A_MENTION = 8.4


class Document(NamedTuple):
    """Lengths of the sentences, and both partitions; a span counts tokens from the start of the document."""

    name: str
    sentences: list[int]
    key: Partition
    response: Partition


def documents(rng: Random, count: int, tokens: int) -> Iterator[Document]:
    """Documents of very different lengths, with entities of two mentions and more, as in OntoNotes."""
    share = [rng.lognormvariate(0, 0.8) for _ in range(count)]
    for number, part in enumerate(share):
        length = max(40, round(tokens * part / sum(share)))
        name = f"{rng.choice(GENRES)}/{word(rng, 2)}_{number:04d}"
        yield document(rng, name, length, length / TOKENS_A_MENTION, lambda: 1 + min(60, int(rng.paretovariate(1.12))))


def document(rng: Random, name: str, tokens: int, mentions: float, size: Callable[[], int]) -> Document:
    sentences: list[int] = []
    while (left := tokens - sum(sentences)) > 0:
        sentences.append(min(left, 1 + int(rng.gammavariate(3, 6))))
    pool = spans(rng, sentences, round(1.15 * mentions))
    known = round(len(pool) / 1.15)
    key = partition(pool[:known], size)
    return Document(name, sentences, key, perturbed(rng, key, pool[known:]))


def spans(rng: Random, sentences: Sequence[int], wanted: int) -> list[Span]:
    """Distinct spans within sentences, in random order; nested, but never crossing."""
    first = list(accumulate(sentences, initial=0))
    taken: list[list[Span]] = [[] for _ in sentences]
    found: list[Span] = []
    for _ in range(50 * wanted):
        start = rng.randrange(first[-1])
        sentence = bisect(first, start) - 1
        length = 1 if rng.random() < 0.5 else 1 + int(rng.expovariate(0.35))
        end = min(start + length, first[sentence + 1]) - 1
        if all(end < a or b < start or a <= start <= end <= b or start <= a <= b <= end for a, b in taken[sentence]):
            if (start, end) in taken[sentence]:
                continue
            taken[sentence].append((start, end))
            found.append((start, end))
            if len(found) == wanted:
                break
    return found


def partition(mentions: Sequence[Span], size: Callable[[], int]) -> Partition:
    entities: Partition = []
    place = 0
    while place < len(mentions):
        entities.append(list(mentions[place : place + (n := size())]))
        place += n
    return entities


def perturbed(rng: Random, key: Partition, spurious: Sequence[Span]) -> Partition:
    entities: Partition = []
    for entity in key:
        found = [mention for mention in entity if rng.random() > 0.12]
        if len(found) > 1 and rng.random() < 0.15:
            cut = rng.randrange(1, len(found))
            entities += [found[:cut], found[cut:]]
        elif found and entities and rng.random() < 0.1:
            rng.choice(entities).extend(found)
        elif found:
            entities.append(found)
    for mention in spurious:
        if entities and rng.random() < 0.7:
            rng.choice(entities).append(mention)
        else:
            entities.append([mention])
    rng.shuffle(entities)
    return entities


# ---- CoNLL

GENRES = ("bc", "bn", "mz", "nw", "tc", "wb")
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "el", "or")]
TAGS = ["NN", "IN", "NNP", "DT", "JJ", "NNS", "PRP", "VBD", "RB", "VB", "CC", "VBZ", "TO", "VBN", ",", "."]
BITS = ["*", "*", "*", "*)", "(NP*", "(NP*)", "(VP*", "*))", "(S(NP*", "(PP*", "*)))"]
SPEAKERS = ("-", "-", "Speaker#1", "Speaker#2")
ENTITY_TYPES = ["*", "*", "*", "*", "*", "*", "*", "(ORG)", "(PERSON*", "*)", "(DATE)"]


def word(rng: Random, syllables: int) -> str:
    return "".join(rng.choice(SYLLABLES) for _ in range(syllables))


def lexicon(rng: Random, size: int = 5000) -> npt.NDArray[np.bytes_]:
    return np.array([word(rng, 1 + min(2, int(rng.expovariate(0.9)))) for _ in range(size)], dtype="S")


def conll(
    generator: np.random.Generator, words: npt.NDArray[np.bytes_], document: Document, part: int = 0
) -> tuple[bytes, bytes]:
    """Both sides, twelve columns, each padded with blanks to the width it needs in this document."""
    n = sum(document.sentences)
    ends = np.cumsum(document.sentences)
    number = np.arange(n) - np.repeat(ends - document.sentences, document.sentences)
    word = words[(len(words) * generator.random(n) ** 3).astype(np.int64)]

    def some(of: Sequence[str], share: float = 1.0) -> npt.NDArray[Any]:
        values = np.array(of)[generator.integers(len(of), size=n)]
        return values if share == 1 else np.where(generator.random(n) < share, values, "-")

    lemma = np.where(generator.random(n) < 0.2, word, b"-")
    speaker = np.full(n, SPEAKERS[int(generator.integers(len(SPEAKERS)))])
    same = [np.full(n, document.name), np.full(n, part), number, word, some(TAGS), some(BITS), lemma]
    same += [some(["01", "02"], 0.15), some(["1", "2", "3"], 0.1), speaker, some(ENTITY_TYPES)]
    table = np.concatenate([padded(column) for column in same], axis=1)
    sides = []
    for entities in (document.key, document.response):
        cells = padded(np.array(coreference(entities, n), dtype="S"))
        lines = np.concatenate((table, cells[:, :-1], np.full((n, 1), ord("\n"), np.uint8)), axis=1)
        text = np.insert(lines.reshape(-1), ends * lines.shape[1], ord("\n")).tobytes()
        sides.append(b"#begin document (%b); part %03d\n%b#end document\n" % (document.name.encode(), part, text))
    return sides[0], sides[1]


def padded(column: npt.NDArray[Any]) -> Bytes:
    """Right-justified with a blank behind, as a matrix of bytes."""
    text = column.astype("S")
    width = int(np.char.str_len(text).max()) + 1
    return np.char.ljust(np.char.rjust(text, width - 1), width).view(np.uint8).reshape(len(text), width)


def coreference(entities: Partition, tokens: int) -> list[str]:
    """The last column: at each token what opens, longest first, one-token mentions, what closes, innermost first."""
    pieces: dict[int, list[tuple[int, int, str]]] = {}
    for number, entity in enumerate(entities):
        for start, end in entity:
            if start == end:
                pieces.setdefault(start, []).append((1, 0, f"({number})"))
            else:
                pieces.setdefault(start, []).append((0, -end, f"({number}"))
                pieces.setdefault(end, []).append((2, -start, f"{number})"))
    cells = ["-"] * tokens
    for token, here in pieces.items():
        cells[token] = "|".join(piece for _, _, piece in sorted(here))
    return cells


def write_conll(folder: Path, documents: Iterator[Document], seed: int) -> None:
    generator, words = np.random.default_rng(seed), lexicon(Random(seed))
    with open(folder / "key.conll", "wb") as key, open(folder / "response.conll", "wb") as response:
        for document in documents:
            sides = conll(generator, words, document)
            key.write(sides[0])
            response.write(sides[1])
            write_scorch(folder, document)
            write_neleval(folder, document)


def write_neleval(folder: Path, document: Document) -> None:
    """The same for neleval: a line per mention, with entities that no two documents share."""
    for side, entities in (("key", document.key), ("response", document.response)):
        with open(folder / f"{side}.tab", "a", encoding="utf-8") as file:
            for number, entity in enumerate(entities):
                file.writelines(f"{document.name}\t{a}\t{b + 1}\t{document.name}-{number}\t1\t-\n" for a, b in entity)


def write_scorch(folder: Path, document: Document) -> None:
    """The same for scorch: a JSON file per document and side."""
    for side, entities in (("key", document.key), ("response", document.response)):
        path = folder / "scorch" / side
        path.mkdir(parents=True, exist_ok=True)
        clusters = {str(number): [f"{a}-{b}" for a, b in entity] for number, entity in enumerate(entities)}
        name = document.name.replace("/", "_")
        (path / f"{name}.json").write_text(json.dumps({"type": "clusters", "clusters": clusters}))


def write_corefud(folder: Path, documents: Iterator[Document], seed: int) -> None:
    """Both sides as CoNLL-U; each word depends on the one before it, and heads are last words."""
    rng = Random(seed)
    words = lexicon(rng).astype(str).tolist()
    with (
        open(folder / "key.conllu", "w", encoding="utf-8") as key,
        open(folder / "response.conllu", "w", encoding="utf-8") as response,
    ):
        for document in documents:
            tokens = sum(document.sentences)
            sides = [(key, corefud(document.key, tokens)), (response, corefud(document.response, tokens))]
            name = document.name.replace("/", "_")  # what follows a slash is a zone to udapi
            begin, token = f"# newdoc id = {name}\n# global.Entity = GRP-etype-head-other\n", 0
            for number, length in enumerate(document.sentences):
                sentence = [words[int(len(words) * rng.random() ** 3)] for _ in range(length)]
                begin += f"# sent_id = {name}-{number}\n# text = {' '.join(sentence)}\n"
                lines = []
                for i, form in enumerate(sentence):
                    feats, head = ("Number=Sing|Person=3" if i % 3 else "_"), f"{i}\t{'dep' if i else 'root'}\t"
                    lines.append(f"{i + 1}\t{form}\t{form}\tNOUN\t{rng.choice(TAGS)}\t{feats}\t{head}_\t")
                for out, cells in sides:
                    out.write(begin)
                    out.writelines(f"{line}{cells[token + i]}\n" for i, line in enumerate(lines))
                    out.write("\n")
                begin, token = "", token + length


def corefud(entities: Partition, tokens: int) -> list[str]:
    """MISC: what closes, innermost first, what opens, longest first, one-token mentions."""
    pieces: dict[int, list[tuple[int, int, str]]] = {}
    for number, entity in enumerate(entities):
        for start, end in entity:
            opened = f"(e{number}-{ENTITY_TYPES[number % len(ENTITY_TYPES)].strip('()*-') or 'x'}-{end - start + 1}-"
            if start == end:
                pieces.setdefault(start, []).append((2, 0, f"{opened})"))
            else:
                pieces.setdefault(start, []).append((1, -end, opened))
                pieces.setdefault(end, []).append((0, -start, f"e{number})"))
    cells = ["_"] * tokens
    for token, here in pieces.items():
        cells[token] = "Entity=" + "".join(piece for _, _, piece in sorted(here))
    return cells


# ---- arrays


def labels(generator: np.random.Generator, mentions: int, entities: int) -> Labels:
    """Mentions in random order, every entity at least once and a few very often."""
    favour = generator.pareto(1.5, entities)
    drawn = np.searchsorted(np.cumsum(favour / favour.sum()), generator.random(mentions - entities))
    return generator.permutation(np.concatenate((np.arange(entities), np.minimum(drawn, entities - 1))))


def confused(generator: np.random.Generator, key: Labels, entities: int, moved: float) -> Labels:
    """Of the entities 10 % split in two and 10 % are merged with another; then a share of the mentions is moved."""
    kind = generator.random(entities)
    number = np.arange(entities)
    merged = kind > 0.9
    number[merged] = generator.integers(entities, size=int(merged.sum()))
    split = (kind < 0.1)[key] & (generator.random(len(key)) < 0.5)
    response = np.where(split, entities + key, number[key])
    away = np.flatnonzero(generator.random(len(key)) < moved)
    response[away] = generator.integers(entities, size=len(away))
    _, dense = np.unique(response, return_inverse=True)
    return dense.astype(np.int64)


# ---- the inputs


def make_dev(folder: Path) -> None:
    write_conll(folder, documents(Random(SEED), 340, 160_000), SEED)


def make_large(folder: Path) -> None:
    write_conll(folder, documents(Random(SEED + 1), 8 * 340, 8 * 160_000), SEED + 1)


def make_book(folder: Path) -> None:
    """As in annotated novels: many entities of one mention, a few of thousands."""
    rng = Random(SEED + 2)
    book = document(rng, "book", 210_000, 30_000, lambda: min(4000, int(rng.paretovariate(0.95))))
    write_conll(folder, iter([book]), SEED + 2)


def make_stream(folder: Path) -> None:
    """100 MB: the documents of a smaller file over and over, each time under other names."""
    write_conll(folder, documents(Random(SEED + 8), 40, 20_000), SEED + 8)
    (folder / "response.conll").unlink()
    once = (folder / "key.conll").read_bytes()
    with (folder / "key.conll").open("wb") as file:
        for i in range(-(-100_000_000 // len(once))):
            file.write(once.replace(b"#begin document (", b"#begin document (%d/" % i))


def make_parsed(folder: Path, wanted: int = 160_000) -> None:
    """160,000 tokens with trees: the corpus of examples/conll2011 over and over, and one of its systems."""
    example = Path(__file__).parents[1] / "examples" / "conll2011"
    key = b"".join(file.read_bytes() for file in sorted((example / "gold").rglob("*_conll")))
    response = (example / "systems" / "alpha.conll").read_bytes()
    tokens = sum(not line.startswith(b"#") for line in response.splitlines() if line.strip())
    for name, once in (("key.conll", key), ("response.conll", response)):
        with (folder / name).open("wb") as file:
            for i in range(-(-wanted // tokens)):
                file.write(once.replace(b"#begin document (", b"#begin document (%d/" % i))


def make_forest(folder: Path) -> None:
    make_parsed(folder, 900_000)


def make_corefud(folder: Path) -> None:
    write_corefud(folder, documents(Random(SEED + 7), 340, 160_000), SEED + 7)


def make_library(folder: Path) -> None:
    write_corefud(folder, documents(Random(SEED + 10), 11 * 340, 11 * 160_000), SEED + 10)


def make_novel(folder: Path) -> None:
    rng = Random(SEED + 9)
    novel = document(rng, "novel", 210_000, 30_000, lambda: min(4000, int(rng.paretovariate(0.95))))
    write_corefud(folder, iter([novel]), SEED + 9)


def make_arrays(folder: Path) -> None:
    generator = np.random.default_rng(SEED + 3)
    key = labels(generator, 1_000_000, 300_000)
    np.save(folder / "key.npy", key)
    np.save(folder / "response.npy", confused(generator, key, 300_000, moved=0.05))


def make_blocks(folder: Path) -> None:
    generator = np.random.default_rng(SEED + 4)
    key = labels(generator, 240_000, 61_000)
    np.save(folder / "key.npy", key)
    np.save(folder / "response.npy", confused(generator, key, 61_000, moved=0.4))


def make_alike(folder: Path) -> None:
    generator = np.random.default_rng(SEED + 6)
    for side in ("key", "response"):
        np.save(folder / f"{side}.npy", generator.permutation(np.repeat(np.arange(60_000), 4)))


def make_document(folder: Path) -> None:
    rng = Random(SEED + 5)
    made = document(rng, "document", 4200, 500, lambda: 1 + min(60, int(rng.paretovariate(1.12))))
    (folder / "pair.json").write_text(json.dumps([made.key, made.response]))


INPUTS: dict[str, Callable[[Path], None]] = {
    "dev": make_dev,
    "large": make_large,
    "book": make_book,
    "stream": make_stream,
    "parsed": make_parsed,
    "forest": make_forest,
    "corefud": make_corefud,
    "library": make_library,
    "novel": make_novel,
    "arrays": make_arrays,
    "blocks": make_blocks,
    "alike": make_alike,
    "document": make_document,
}


def generate(out: Path, names: Sequence[str] = tuple(INPUTS)) -> None:
    """Write the inputs that are not there yet."""
    version = sha256(Path(__file__).read_bytes()).hexdigest()
    for name in names:
        stamp = out / name / "stamp"
        if stamp.is_file() and stamp.read_text() == version:
            continue
        shutil.rmtree(stamp.parent, ignore_errors=True)
        stamp.parent.mkdir(parents=True)
        INPUTS[name](stamp.parent)
        stamp.write_text(version)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    generate(Path(arguments[0]) if arguments else Path(__file__).parent / "out", arguments[1:] or tuple(INPUTS))
