"""KNP with relation tags, as the Kyoto University Web Document Leads Corpus has it (Hangyo et al. 2012).

    # S-ID:w201106-0000060050-1 JUMAN:6.1 KNP:3.1                              a sentence, the first of its document
    * 1D                                                                        a phrase (bunsetsu)
    + 1D <rel type="ガ" target="人" sid="w201106-0000060050-1" id="0"/>         a basic phrase, with its relations
    太郎 たろう 太郎 名詞 6 人名 5 * 0 * 0                                        a morpheme: form, reading, lemma, ...
    は は は 助詞 9 副助詞 2 * 0 * 0
    EOS

Basic phrases that a relation of the type `=` connects are mentions, with all their morphemes. Entities are the closure
of these relations. `id` counts the basic phrases of the sentence `sid` from 0. A target that is not in the text (it has
no sid, such as 著者 and 読者) is a separate entity. Of several alternatives (mode OR or ？) the first one is read.
Entities have no labels. Relations of other types (cases, ノ, near identity ≒) and other tags are left out and counted.
A document is all sentences whose S-ID is the same up to the last hyphen. Layers: reading, lemma, pos (the class and its
subclass).

Definition: the annotation guidelines and the README of the corpus (github.com/ku-nlp/KWDLC), and the manual of KNP. No
real file was tried.
"""

from __future__ import annotations

import re
from collections import Counter

from ..corpus.model import Corpus, Span
from .shared.builder import Builder, unlabelled
from .shared.closure import closure
from .shared.sgml import attributes
from .shared.source import Source

_SENTENCE = re.compile(r"#\s+S-ID:(\S+)")
_HEAD = re.compile(rb"#\s+S-ID:\S")
_PHRASE = re.compile(r"\+(?:\s+(-?\d{1,9}[A-Z])(.*))?")
_TAG = re.compile(r"<(\w+)((?:\s[^<>]*)?)/?>")
_FIRST = ("", "AND")


def looks_like(head: bytes) -> bool:
    return bool(_HEAD.match(head.lstrip())) and re.search(rb"(?m)^\+", head) is not None


def read(source: Source) -> Corpus:
    reader = _Reader(source)
    for number, line in enumerate(source.text.split("\n"), start=1):
        reader.line(line.rstrip("\r"), number)
    reader.end()
    return unlabelled(reader.builder.build())


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.builder = Builder(source, "knp")
        self.name = ""
        self.sentence = ""
        self.left_out: Counter[str] = Counter()
        self._begin()

    def _begin(self) -> None:
        self.phrases: dict[tuple[str, int], list[int]] = {}  # sentence and number → its tokens
        self.lines: dict[tuple[str, int], int] = {}
        self.relations: list[tuple[tuple[str, int], dict[str, str], int, int]] = []
        self.known: set[str] = set()
        self.number = -1

    def line(self, line: str, number: int) -> None:
        if not line or line == "EOS" or line.startswith(("* ", "@ ")) or line == "*":
            return
        if parts := _SENTENCE.match(line):
            self.start(parts[1], number)
        elif line.startswith("# "):
            return
        elif not self.sentence:
            self.source.fail("this line is before the first `# S-ID:`", line=number, hint="is the beginning missing?")
        elif parts := _PHRASE.fullmatch(line):
            self.number += 1
            here = (self.sentence, self.number)
            self.phrases[here], self.lines[here] = [], number
            self.tags(here, parts[2] or "", number, len(line) - len(parts[2] or ""))
        elif self.number < 0:
            self.source.report("syntax", "this morpheme is not in any basic phrase", line=number)
        else:
            cells = line.split(" ")
            if len(cells) < 11:
                self.source.report("syntax", f"this morpheme has {len(cells)} fields, not 11", line=number)
                return
            layers = {"reading": cells[1], "lemma": cells[2], "pos": f"{cells[3]}:{cells[5]}".removesuffix(":*")}
            place = self.builder.token(cells[0], number, False, **layers)
            self.phrases[self.sentence, self.number].append(place)

    def start(self, id: str, number: int) -> None:
        name = id.rpartition("-")[0] or id
        if name != self.name:
            self.end()
            self._begin()
            self.name = name
            self.builder.document(name, line=number)
        if id in self.known:
            self.source.report("duplicate-id", f"there is already a sentence '{id:.60}'", line=number)
        self.known.add(id)
        self.sentence, self.number = id, -1
        self.builder.sentence()

    def tags(self, here: tuple[str, int], text: str, line: int, column: int) -> None:
        for tag in _TAG.finditer(text):
            given = attributes(tag[2].rstrip("/")) if tag[1] == "rel" else None
            if given is None:
                self.left_out[f"<{tag[1]:.20}>"] += 1
            elif given.get("type") != "=":
                self.left_out[f"<rel> of the type {given.get('type', ''):.20}"] += 1
            else:
                self.relations.append((here, given, line, column + tag.start() + 1))

    def end(self) -> None:
        """Add the mentions of the document that ends here."""
        nodes: dict[tuple[str, int], None] = {}
        links: list[tuple[tuple[str, int], tuple[str, int]]] = []
        settled: set[tuple[str, int]] = set()
        for here, given, line, column in self.relations:
            if here in settled and given.get("mode", "") not in _FIRST:
                self.left_out["alternatives"] += 1
                continue
            settled.add(here)
            place = given.get("id", "0")
            there = (f"\0{given.get('target', '')}", -1)  # somebody or something that is not in the text
            if given.get("sid"):
                there = (given["sid"], int(place) if place.isdecimal() and len(place) < 9 else -1)
            if given.get("sid") and there not in self.phrases:
                message = f"a relation refers to basic phrase {there[1]} of '{there[0]:.60}', which does not exist"
                self.source.report("dangling", message, line=line, column=column)
                continue
            nodes[here] = nodes[there] = None
            links.append((here, there))
        for node, entity in closure(nodes, links).items():
            if node not in self.phrases:
                continue
            if not (tokens := self.phrases[node]):
                self.source.report("syntax", "this basic phrase has no morphemes", line=self.lines[node])
                continue
            span: Span = (tokens[0], tokens[-1])
            self.builder.mention(*span, (self.name, entity), line=self.lines[node])
        for kind, count in self.left_out.items():
            self.source.report("left-out", f"{kind}: {count} left out")
        self.left_out.clear()
