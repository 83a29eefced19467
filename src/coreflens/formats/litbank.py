"""LitBank's TSV: mentions by sentence and token, and their entities; the tokens are in a file `.txt` beside it.

MENTION  T0  1  21  1  23  some wearing hoods  PER  NOM     sentence and token of the first and of the last word
COREF    T0  some_wearing_hoods-2                           the entity of a mention
APPOS    T1  T2                                             apposition of T1 to T2; COP predication

In the text, a line is a sentence and a blank separates tokens. Both are counted from 0. A mention without COREF is its
own entity, named after the mention, as in LitBank's CoNLL files. APPOS and COP are kept as relations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..corpus.model import Corpus, file_stem
from ..files.encoding import text
from .shared.builder import Builder
from .shared.source import Source

_LINKS = {"APPOS": "apposition", "COP": "predication"}
_WIDTH = {"MENTION": 9, "COREF": 3, "APPOS": 3, "COP": 3}


@dataclass
class _Mention:
    line: int
    start: int
    end: int
    type: str
    category: str


def looks_like(head: bytes) -> bool:
    return bool(re.match(rb"MENTION\tT\d+\t\d+\t\d+\t\d+\t\d+\t", head))


def read(source: Source) -> Corpus:
    builder = Builder(source, "litbank")
    builder.document(file_stem(source.name), line=1)
    sizes = _words(source, builder)
    mentions: dict[str, _Mention] = {}
    entity: dict[str, tuple[str, int]] = {}
    links: list[tuple[str, str, str, int]] = []
    for number, line in enumerate(source.text.split("\n"), start=1):
        if not line.strip():
            continue
        kind, *cells = line.rstrip("\r").split("\t")
        if len(cells) + 1 != _WIDTH.get(kind):
            source.report(
                "syntax", f"not a line of MENTION, COREF, APPOS or COP with its columns: '{line[:40]}'", line=number
            )
        elif kind == "MENTION":
            mention = _mention(source, sizes, builder.words, cells, number)
            if cells[0] in mentions:
                what = f"there is already a mention {cells[0]} at line {mentions[cells[0]].line}"
                source.report("duplicate-id", what, line=number)
            elif mention is not None:
                mentions[cells[0]] = mention
        elif kind == "COREF":
            if entity.setdefault(cells[0], (cells[1], number))[1] != number:
                source.report(
                    "duplicate-id", f"{cells[0]} already has an entity at line {entity[cells[0]][1]}", line=number
                )
        else:
            links.append((kind, cells[0], cells[1], number))
    for name, line_number in [(m, n) for m, (_, n) in entity.items()] + [
        (m, n) for _, a, b, n in links for m in (a, b)
    ]:
        if name not in mentions:
            source.report("dangling", f"there is no mention {name[:40]}", line=line_number)
    labels = {name: entity.get(name, (name, 0))[0] for name in mentions}
    handles: dict[str, int] = {}
    for name, m in mentions.items():
        handles[name] = builder.mention(
            m.start, m.end, labels[name], line=m.line, id=name, type=m.type, category=m.category
        )
    for kind, a, b, _ in links:
        if a in handles and b in handles:
            builder.relation(_LINKS[kind], labels[a], labels[b], mention=handles[a], anchor=handles[b])
    return builder.build()


def _words(source: Source, builder: Builder) -> list[int]:
    """Add the tokens to the builder; returns the first token of each sentence, and the end."""
    path = re.sub(r"\.[^./]*$", "", source.name.removesuffix(".gz").rpartition("/")[2]) + ".txt"
    data = source.sibling(path)
    if data is None:
        hint = "LitBank's TSV counts tokens of this file: put it into the folder of the annotation"
        source.fail(f"the text {path} is missing", hint=hint, code="missing-text")
    firsts = [0]
    for number, line in enumerate(text(data, path).split("\n"), start=1):
        builder.sentence()
        for word in line.split():
            builder.token(word, line=number)
        firsts.append(len(builder.words))
    return firsts


def _mention(source: Source, firsts: list[int], words: list[str], cells: list[str], number: int) -> _Mention | None:
    if not all(cell.isdecimal() and len(cell) < 10 for cell in cells[1:5]):
        source.report("syntax", "sentences and tokens must be numbers", line=number, column=3)
        return None
    places = []
    for s, t in ((int(cells[1]), int(cells[2])), (int(cells[3]), int(cells[4]))):
        if s + 1 >= len(firsts) or firsts[s] + t >= firsts[s + 1]:
            source.report("span-range", f"the text has no token {t} in sentence {s}", line=number)
            return None
        places.append(firsts[s] + t)
    start, end = places
    if end < start:
        source.report("span-order", f"mention {cells[0]} ends before it starts", line=number)
        return None
    found = " ".join(words[start : end + 1])
    if found.split() != cells[5].split():
        message = f"mention {cells[0]} is '{cells[5][:40]}', but the text has '{found[:40]}' there"
        source.report("text-mismatch", message, line=number, hint="does the .txt belong to this annotation?")
        return None
    return _Mention(number, start, end, cells[6], cells[7])
