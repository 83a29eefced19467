"""The entities of a CoNLL-U file, within a process: `python bench/entities.py coreflens|udapi FILE ROUNDS CLOCK`.

Prints JSON: the best time to read them, how many mentions there are, and a digest of the entities, which must be the
same for both. Run by the Python that has the reader asked for; it needs nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from time import perf_counter, process_time
from typing import Any, TypeAlias

Entities: TypeAlias = Iterator[tuple[str, list[int]]]  # label with its document, tokens of a mention


def coreflens(path: str) -> tuple[Callable[[], Any], Callable[[Any], Entities]]:
    from coreflens.formats import read

    def entities(corpus: Any) -> Entities:
        for row in range(len(corpus)):
            words = [token for a, b in corpus.pieces(row) for token in range(a, b + 1)]
            yield f"{corpus.doc[row]} {corpus.labels[corpus.entity[row]]}", words

    return lambda: read(path), entities


def udapi(path: str) -> tuple[Callable[[], Any], Callable[[Any], Entities]]:
    from udapi.core.document import Document  # type: ignore[import-not-found,unused-ignore]

    def load() -> Any:
        document = Document(path)
        assert document.coref_entities
        return document

    def entities(document: Any) -> Entities:
        place, number = {}, -1
        for bundle in document:
            for tree in bundle:
                if tree.newdoc:
                    number, tokens = number + 1, 0
                for node in tree.descendants_and_empty:
                    place[node] = number, tokens
                    tokens += 1
        for entity in document.coref_entities:
            for mention in entity.mentions:
                words = [place[word] for word in mention.words]
                label = entity.eid.rpartition(".")[2]  # `GRP` labels get a prefix for their document
                yield f"{words[0][0]} {label}", sorted(word for _, word in words)

    return load, entities


def main() -> None:
    name, path, rounds, clock = sys.argv[1:]
    load, entities = {"coreflens": coreflens, "udapi": udapi}[name](path)
    now = process_time if clock == "cpu" else perf_counter
    seconds, found = float("inf"), None
    for _ in range(int(rounds)):
        found = None  # no two at a time
        started = now()
        found = load()
        seconds = min(seconds, now() - started)
    clusters: dict[str, list[list[int]]] = {}
    for label, words in entities(found):
        clusters.setdefault(label, []).append(words)
    text = json.dumps({label: sorted(mentions) for label, mentions in clusters.items()}, sort_keys=True)
    mentions = sum(map(len, clusters.values()))
    print(json.dumps({"seconds": seconds, "mentions": mentions, "digest": sha256(text.encode()).hexdigest()}))


if __name__ == "__main__":
    main()
