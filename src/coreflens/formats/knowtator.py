"""CRAFT's coreference in Knowtator-2 XML, and its text in ../../articles/txt or beside it.

    <document id="11597317" text-file="11597317.txt">
      <annotation id="a"><class id="IDENTITY chain"/><span start="0" end="5">BRCA2</span></annotation>
      <annotation id="b"><class id="Noun Phrase"/><span start="0" end="5">BRCA2</span></annotation>
      <graph-space>
        <vertex id="n1" annotation="a"/><vertex id="n2" annotation="b"/>
        <triple subject="n1" property="Coreferring strings" object="n2"/>

A `Noun Phrase` is a mention, of several pieces if it has several spans; `end` is the character after the last. An
`IDENTITY chain` is an entity, labelled with the chain's id, with all mentions that are its `Coreferring strings`. A
noun phrase in no chain is a singleton, labelled with its own id (`--singletons drop` keeps only the chains, which CRAFT
evaluates). An `APPOS relation` in a chain is replaced by its `APPOS Head`. It becomes a relation (apposition) of each
of its `APPOS Attributes` to that head. Annotations of other classes are left out, and this is reported.

Without the text only the spans are read, which is enough to score, and a warning says so.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple
from xml.parsers import expat

from ..corpus.model import Corpus, Span, file_stem
from ..files import encoding
from ..files.limits import allowed, refuse
from .shared.builder import Builder
from .shared.source import Source

_CHAIN, _PHRASE, _APPOSITION = "IDENTITY chain", "Noun Phrase", "APPOS relation"
_MEMBER, _HEAD, _ATTRIBUTE = "Coreferring strings", "APPOS Head", "APPOS Attributes"


@dataclass
class _Annotation:
    id: str
    line: int
    annotator: str = ""
    kind: str = ""
    spans: list[Span] = field(default_factory=list)  # as in the file: the end is the character after the last
    quoted: list[str] = field(default_factory=list)


class _Triple(NamedTuple):
    subject: str
    property: str
    object: str
    line: int


@dataclass
class _Document:
    id: str
    file: str
    line: int
    annotations: dict[str, _Annotation] = field(default_factory=dict)
    vertices: dict[str, str] = field(default_factory=dict)
    triples: list[_Triple] = field(default_factory=list)


def looks_like(head: bytes) -> bool:
    return re.match(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<knowtator-project\b", head, re.DOTALL) is not None


def read(source: Source) -> Corpus:
    builder = Builder(source, "knowtator", unit="character")
    documents = _Parser(source).documents
    texts = [_text(source, document) for document in documents]
    missing = [d for d, text in zip(documents, texts, strict=True) if text is None]
    if missing and len(missing) < len(documents):
        what = f"the text {missing[0].file} is missing, but other documents have their texts"
        source.fail(what, code="missing-text")
    if missing:
        what = f"the text {missing[0].file} is neither in ../../articles/txt nor here: spans are read, words are not"
        source.report("left-out", what)
    others: Counter[str] = Counter()
    for document, text in zip(documents, texts, strict=True):
        builder.document(document.id, line=document.line)
        if text is not None:
            builder.raw(text)
        _add(source, builder, document, text)
        others.update(a.kind for a in document.annotations.values())
    for kind, number in others.items():
        if kind not in (_CHAIN, _PHRASE, _APPOSITION):
            source.report("left-out", f"annotations of class '{kind:.40}', {number}: left out")
    return builder.build()


class _Parser:
    """The documents of a file with their annotation, read with expat; entity declarations are refused."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.documents: list[_Document] = []
        self.open: _Annotation | None = None
        self.words: list[str] | None = None
        self.depth = 0
        parser = self.parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.EntityDeclHandler = self.refuse
        try:
            parser.Parse(source.data, True)
        except expat.ExpatError as error:
            what = f"the XML is not well-formed: {expat.ErrorString(error.code)}"
            source.fail(what, line=error.lineno, column=error.offset + 1, hint="is the file cut off?")

    def refuse(self, *_: object) -> None:
        self.source.fail("entity declarations are not read", line=self.parser.CurrentLineNumber)

    def text(self, data: str) -> None:
        if self.words is not None:
            self.words.append(data)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.depth += 1
        if self.depth > allowed().nesting:
            refuse("nesting", "elements are nested too deeply", file=self.source.name, line=line)
        if tag == "document":
            id = attributes.get("id") or file_stem(self.source.name)
            file = self.source.inside(attributes.get("text-file") or f"{id}.txt", line)
            self.documents.append(_Document(id, file, line))
        elif not self.documents:
            return
        elif tag == "annotation":
            self.annotation(attributes, line)
        elif tag == "class" and self.open:
            self.open.kind = attributes.get("id", "")
        elif tag == "span" and self.open:
            self.span(self.open, attributes, line)
        elif tag == "vertex":
            self.documents[-1].vertices[attributes.get("id", "")] = attributes.get("annotation", "")
        elif tag == "triple":
            subject, property, object = (attributes.get(name, "") for name in ("subject", "property", "object"))
            self.documents[-1].triples.append(_Triple(subject, property, object, line))

    def end(self, tag: str) -> None:
        self.depth -= 1
        if tag == "span" and self.open and self.words is not None:
            self.open.quoted.append("".join(self.words))
            self.words = None
        elif tag == "annotation":
            self.open = None

    def annotation(self, attributes: dict[str, str], line: int) -> None:
        known, id = self.documents[-1].annotations, attributes.get("id", "")
        self.open = _Annotation(id, line, attributes.get("annotator", ""))
        if not id:
            self.source.report("syntax", "this annotation has no id", line=line)
        elif id in known:
            what = f"there is already an annotation {id:.60} at line {known[id].line}"
            self.source.report("duplicate-id", what, line=line)
        else:
            known[id] = self.open

    def span(self, annotation: _Annotation, attributes: dict[str, str], line: int) -> None:
        start, end = attributes.get("start", ""), attributes.get("end", "")
        if not (start.isdecimal() and end.isdecimal() and len(start) < 16 and len(end) < 16):
            what = f"the span is from {start!r:.20} to {end!r:.20}, but both must be numbers"
            self.source.report("syntax", what, line=line)
        elif int(end) <= int(start):
            self.source.report("span-order", f"the span {start} {end} ends before it starts", line=line)
        else:
            annotation.spans.append((int(start), int(end)))
            self.words = []


def _text(source: Source, document: _Document) -> str | None:
    for path in (f"../../articles/txt/{document.file}", document.file):
        if (data := source.sibling(path)) is not None:
            return encoding.text(data, path)
    return None


def _add(source: Source, builder: Builder, document: _Document, text: str | None) -> None:
    """Add the mentions, entities and appositions of a document."""
    known = document.annotations
    links: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))  # property → subject → objects
    left_out: Counter[str] = Counter()
    for triple in document.triples:
        ends = [document.vertices.get(node, "") for node in (triple.subject, triple.object)]
        missing = next((n for n, a in zip((triple.subject, triple.object), ends, strict=True) if a not in known), None)
        if missing is not None:
            source.report("dangling", f"a link refers to {missing!r:.60}, which is not an annotation", line=triple.line)
        elif triple.property not in (_MEMBER, _HEAD, _ATTRIBUTE):
            left_out[triple.property] += 1
        else:
            links[triple.property][ends[0]].append(ends[1])
    for name, number in left_out.items():
        source.report("left-out", f"links '{name:.40}', {number}: left out")
    heads = {apposition: objects[0] for apposition, objects in links[_HEAD].items()}
    chains: dict[str, list[str]] = defaultdict(list)  # mention → chains
    for chain, members in links[_MEMBER].items():
        for member in members:
            head = heads.get(member, member)
            chains[head if known[head].spans == known[member].spans else member].append(chain)
    handles: dict[str, list[int]] = {}
    for annotation in known.values():
        if annotation.kind == _PHRASE or (annotation.id in chains and annotation.kind != _CHAIN):
            entities = chains.get(annotation.id, [annotation.id])
            handles[annotation.id] = _mention(source, builder, annotation, entities, text)
    for apposition, attributes in links[_ATTRIBUTE].items():
        head = heads.get(apposition, apposition)
        for attribute in attributes:
            if handles.get(attribute) and handles.get(head):
                ends = [chains.get(id, [id])[0] for id in (attribute, head)]
                builder.relation("apposition", *ends, mention=handles[attribute][0], anchor=handles[head][0])


def _mention(
    source: Source, builder: Builder, annotation: _Annotation, entities: list[str], text: str | None
) -> list[int]:
    """The handles of a mention, one for each of its entities; [] if its place is impossible."""
    spans = sorted(annotation.spans)
    if not spans:
        source.report("syntax", f"annotation {annotation.id:.60} has no span", line=annotation.line)
        return []
    if any(b > c for (_, b), (c, _) in pairwise(spans)):
        source.report("syntax", f"the spans of annotation {annotation.id:.60} overlap", line=annotation.line)
        return []
    if text is not None and spans[-1][1] <= len(text):
        for (a, b), quoted in zip(annotation.spans, annotation.quoted, strict=False):
            if quoted.split() != text[a:b].split() and quoted.strip():
                what = f"the span {a} {b} quotes {quoted!r:.60}, but the text has {text[a:b]!r:.60} there"
                source.report("text-mismatch", what, line=annotation.line)
    parts = [(a, b - 1) for a, b in spans]
    return [
        builder.mention(parts[0][0], parts[-1][1], entity, line=annotation.line, parts=parts, id=annotation.id)
        for entity in entities
    ]
