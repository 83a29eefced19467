"""Algorithm 1 of Pradhan et al. 2011: documents into training, development and test, stratified over sources.

    treebank   nw/wsj keeps the split of the Penn Treebank: sections 02–21 training, 00, 01, 22, 24 development, 23 test
    large      a source with ten documents or more: number ending in 1–8 training, in 0 development, in 9 test
    small      a smaller source: number ending in 0 development, the highest number test, the rest training

The algorithm itself is not in the text of the paper that we have. The rules are those of the task of 2012, which used
the same split. They do not say what happens if the highest number of a small source ends in 0. Here it goes to
development, and the next highest is the test document. A small source without a number ending in 0 has no development
document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..errors import InputError
from ..files.encoding import content
from ..files.limits import whole
from ..formats import read
from ..matching.labels import SPLITS

PARTS = SPLITS
TREEBANK = "nw/wsj"
_SECTIONS = {
    "development": frozenset({0, 1, 22, 24}),
    "test": frozenset({23}),
    "train": frozenset(range(2, 22)),
}
_LARGE = 10


def split(documents: Iterable[str]) -> dict[str, list[str]]:
    """Document ids such as `bc/cctv/00/cctv_0003` → train, development and test, each in the order given."""
    ids = list(dict.fromkeys(documents))
    sources: dict[str, list[str]] = {}
    for document in ids:
        sources.setdefault(_source(document), []).append(document)
    chosen: dict[str, str] = {}
    for source, members in sources.items():
        if source == TREEBANK:
            chosen.update((document, _section(document)) for document in members)
        elif len(members) >= _LARGE:
            chosen.update((document, _by_last_digit(_number(document))) for document in members)
        else:
            chosen.update(_small(members))
    return {part: [document for document in ids if chosen[document] == part] for part in PARTS}


def document_ids(source: str | Path) -> list[str]:
    """The ids in a file with one per line, else the documents of a corpus."""
    lines: list[str] = []
    if Path(source).is_file():
        with suppress(InputError):  # not text: then it is a corpus, or its reader has the better message
            lines = content(source).split("\n")
    ids = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if ids and all(re.fullmatch(r"[\w.+@-]+(/[\w.+@-]+)*", line) for line in ids):
        return ids
    return [document.name for document in read(source).documents]


def _by_last_digit(number: int) -> str:
    return {0: "development", 9: "test"}.get(number % 10, "train")


def _small(members: list[str]) -> dict[str, str]:
    chosen = {d: "development" if _number(d) % 10 == 0 else "train" for d in members}
    rest = [d for d in members if chosen[d] == "train"]
    if rest:
        chosen[max(rest, key=lambda d: (_number(d), d))] = "test"
    return chosen


def _source(document: str) -> str:
    parts = document.split("/")
    if len(parts) < 3 or not all(parts):
        raise InputError(
            f"'{document[:80]}' is not a document id such as genre/source/.../name",
            hint="ids are like bc/cctv/00/cctv_0003; the split is by source, the first two parts",
        )
    return "/".join(parts[:2])


def _number(document: str) -> int:
    found = re.search(r"(\d+)\D*$", document.rpartition("/")[2])
    if found is None:
        raise InputError(f"document '{document[:80]}' has no number, which the split needs")
    return whole(found[1])


def _section(document: str) -> str:
    section = document.split("/")[2]
    number = int(section) if section.isdecimal() and len(section) < 10 else -1
    for part, sections in _SECTIONS.items():
        if number in sections:
            return part
    raise InputError(f"document '{document[:80]}' is in no section of the treebank from 00 to 24")
