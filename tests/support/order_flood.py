"""python tests/support/order_flood.py SEED COUNT [--paths]: random cases, and where coreflens differs from the order.

Without --paths, `score()` is compared with the reference, with --paths every other path with `score()`. Each difference
is made as small as possible, and those of one class are shown once. Set PYTHONPATH to try another checkout.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TypeAlias

from order_corpora import Case, all_pairs, as_arguments, possible, random_case
from order_paths import (
    ALONE,
    GROUPS,
    PATHS,
    SLOW,
    Difference,
    against_reference,
    compare_once,
    groups_against_reference,
    on_paths,
)
from order_reference import Document

Check: TypeAlias = Callable[[Case, Path], Difference | None]


@dataclass
class Class:
    """Differences of one kind under the same options."""

    case: Case
    difference: Difference
    times: int = 1


# ---- shrinking


def smaller(case: Case) -> Iterator[Case]:
    """The case with one thing less: an option, a document, a mention, an attribute, a sentence border, a part."""
    for option in case.options:
        yield replace(case, options={name: value for name, value in case.options.items() if name != option})
    for number in range(len(case.key)):
        name = case.key[number].identity
        yield replace(
            case,
            key=tuple(d for d in case.key if d.identity != name),
            response=tuple(d for d in case.response if d.identity != name),
        )
    for side in ("key", "response"):
        documents: tuple[Document, ...] = getattr(case, side)
        for number, document in enumerate(documents):
            before, after = documents[:number], documents[number + 1 :]
            yield _with_side(case, side, (*before, *after))
            for less in _smaller_documents(document):
                yield _with_side(case, side, (*before, less, *after))
    if any(len(d.sentences) > 1 for d in (*case.key, *case.response)):
        yield _with(case, lambda d: replace(d, sentences=(sum(d.sentences),)))
    if any(d.part is not None for d in (*case.key, *case.response)):
        yield _with(case, lambda d: replace(d, part=None))


def _smaller_documents(document: Document) -> Iterator[Document]:
    for place, mention in enumerate(document.mentions):
        yield replace(document, mentions=(*document.mentions[:place], *document.mentions[place + 1 :]))
        for attribute, value in mention.attributes:
            if value:
                less = replace(mention, attributes=tuple(a for a in mention.attributes if a[0] != attribute))
                yield replace(document, mentions=(*document.mentions[:place], less, *document.mentions[place + 1 :]))


def _with_side(case: Case, side: str, documents: tuple[Document, ...]) -> Case:
    return replace(case, key=documents) if side == "key" else replace(case, response=documents)


def _with(case: Case, change: Callable[[Document], Document]) -> Case:
    return replace(case, key=tuple(map(change, case.key)), response=tuple(map(change, case.response)))


def shrunk(case: Case, found: Difference, check: Check, folder: Path) -> tuple[Case, Difference]:
    """The smallest case with the same kind of difference that single steps lead to."""
    while True:
        for less in smaller(case):
            if possible(less, less.route):
                difference = check(less, folder)
                if difference and difference.kind == found.kind:
                    case, found = less, difference
                    break
        else:
            return case, found


# ---- the flood


def cases(seed: int, count: int) -> Iterator[Case]:
    """Random cases. Every other one has a pair of options, until there are no more pairs, so that all of them occur."""
    random = Random(seed)
    pairs = list(all_pairs())
    random.shuffle(pairs)
    for number in range(count):
        yield random_case(random, pairs.pop() if number % 2 and pairs else None)


def check_of(kind: str) -> Check:
    """The check that finds differences of a kind: the reference, its groups, or a path."""
    path = kind.partition(":")[0]
    if path in PATHS or path == "score()":
        names = (path,) if path in PATHS else ()
        return lambda case, folder: next((d for d in on_paths(case, folder, names) if d.kind == kind), None)
    if kind.startswith("--by "):
        group = path.removeprefix("--by ")
        return lambda case, folder: groups_against_reference(case, folder, (group,))
    return against_reference


def flood(seed: int, count: int, folder: Path, paths: bool = False) -> list[Class]:
    """The classes of differences, the most frequent ones first. A class is told as soon as it is found.

    A class is a kind of difference and the options that the smallest case needs for it. Differences of a kind that was
    made small often enough are counted with the first class of their kind.
    """
    classes: dict[tuple[str, ...], Class] = {}
    for number, case in enumerate(cases(seed, count)):
        if paths:
            asked = [name for name in PATHS if number % RARE == 0 or name not in SLOW]
            differences = on_paths(case, folder, asked)
        else:
            differences = compare_once(case, folder, by=(GROUPS[number % len(GROUPS)],))
        for found in differences:
            known = [one for label, one in classes.items() if label[0] == found.kind]
            shown = ALONE in found.kind or not known[0].case.options if known else False
            if shown or sum(one.times for one in known) >= OFTEN:
                known[0].times += 1
                continue
            small, difference = shrunk(case, found, check_of(found.kind), folder)
            label = (difference.kind, *(f"{n}={v}" for n, v in sorted(small.options.items())))
            if label in classes:
                classes[label].times += 1
            else:
                classes[label] = Class(small, difference)
                say(f"case {number}, {difference.kind}\n{small}\n{difference.detail}\n")
    return sorted(classes.values(), key=lambda one: -one.times)


RARE = 20  # one case in so many goes through what is slow
OFTEN = 6  # so many differences of a kind are made small


def main() -> None:
    arguments = [text for text in sys.argv[1:] if not text.startswith("--")]
    seed, count = int(arguments[0]), int(arguments[1])
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        classes = flood(seed, count, Path(folder), paths="--paths" in sys.argv)
    for one in classes:
        say(f"{one.times} × {one.difference.kind}: {' '.join(as_arguments(one.case.options))}")
    times = sum(one.times for one in classes)
    took = time.perf_counter() - start
    say(f"{count} cases from seed {seed}: {times} differences in {len(classes)} classes; {took:.0f} s")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
