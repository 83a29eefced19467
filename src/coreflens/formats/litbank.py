"""LitBank's TSV: mentions by sentence and token, and their entities; the tokens are in a file `.txt` beside it.

MENTION  T0  1  21  1  23  some wearing hoods  PER  NOM     sentence and token of the first and of the last word
COREF    T0  some_wearing_hoods-2                           the entity of a mention
APPOS    T1  T2                                             apposition of T1 to T2; COP predication

In the text, a line is a sentence and a blank separates tokens. Both are counted from 0. A mention without COREF is its
own entity, named after the mention, as in LitBank's CoNLL files. APPOS and COP are kept as relations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

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
    firsts = _words(source, builder)
    annotation = _Annotation()
    for number, line in enumerate(source.text.split("\n"), start=1):
        if line.strip():
            _read_line(source, annotation, firsts, builder.words, line, number)
    _report_unknown(source, annotation)
    entity_of = {name: annotation.entity.get(name, (name, 0))[0] for name in annotation.mentions}
    handles: dict[str, int] = {}
    for name, m in annotation.mentions.items():
        handles[name] = builder.mention(
            m.start, m.end, entity_of[name], line=m.line, id=name, type=m.type, category=m.category
        )
    for kind, a, b, _ in annotation.links:
        if a in handles and b in handles:
            builder.relation(_LINKS[kind], entity_of[a], entity_of[b], mention=handles[a], anchor=handles[b])
    return builder.build()


@dataclass
class _Annotation:
    """The lines of a file, sorted by kind."""

    mentions: dict[str, _Mention] = field(default_factory=dict)
    entity: dict[str, tuple[str, int]] = field(default_factory=dict)  # mention → entity, line
    links: list[tuple[str, str, str, int]] = field(default_factory=list)  # kind, two mentions, line


def _read_line(
    source: Source, annotation: _Annotation, firsts: list[int], words: list[str], line: str, number: int
) -> None:
    kind, *cells = line.rstrip("\r").split("\t")
    if len(cells) + 1 != _WIDTH.get(kind):
        message = f"not a line of MENTION, COREF, APPOS or COP with its columns: '{line[:40]}'"
        source.report("syntax", message, line=number)
        return
    name = cells[0]
    if kind == "MENTION":
        mention = _mention(source, firsts, words, cells, number)
        if name in annotation.mentions:
            message = f"there is already a mention {name} at line {annotation.mentions[name].line}"
            source.report("duplicate-id", message, line=number)
        elif mention is not None:
            annotation.mentions[name] = mention
    elif kind == "COREF":
        _, first_line = annotation.entity.setdefault(name, (cells[1], number))
        if first_line != number:
            source.report("duplicate-id", f"{name} already has an entity at line {first_line}", line=number)
    else:
        annotation.links.append((kind, name, cells[1], number))


def _report_unknown(source: Source, annotation: _Annotation) -> None:
    """Report names of mentions that do not exist."""
    named = [(name, line) for name, (_, line) in annotation.entity.items()]
    for _, a, b, line in annotation.links:
        named += [(a, line), (b, line)]
    for name, line in named:
        if name not in annotation.mentions:
            source.report("dangling", f"there is no mention {name[:40]}", line=line)


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
    first_sentence, first_token, last_sentence, last_token = map(int, cells[1:5])
    places = []
    for s, t in ((first_sentence, first_token), (last_sentence, last_token)):
        if s + 1 >= len(firsts) or firsts[s] + t >= firsts[s + 1]:
            source.report("span-range", f"the text has no token {t} in sentence {s}", line=number)
            return None
        places.append(firsts[s] + t)
    start, end = places
    if end < start:
        source.report("span-order", f"mention {cells[0]} ends before it starts", line=number)
        return None
    words_there = " ".join(words[start : end + 1])
    if words_there.split() != cells[5].split():
        message = f"mention {cells[0]} is '{cells[5][:40]}', but the text has '{words_there[:40]}' there"
        source.report("text-mismatch", message, line=number, hint="does the .txt belong to this annotation?")
        return None
    return _Mention(number, start, end, cells[6], cells[7])
