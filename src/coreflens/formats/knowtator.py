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
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeAlias
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
        message = f"the text {missing[0].file} is missing, but other documents have their texts"
        source.fail(message, code="missing-text")
    if missing:
        message = f"the text {missing[0].file} is neither in ../../articles/txt nor here: spans are read, words are not"
        source.report("left-out", message)
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
            message = f"the XML is not well-formed: {expat.ErrorString(error.code)}"
            source.fail(message, line=error.lineno, column=error.offset + 1, hint="is the file cut off?")

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
    annotations = document.annotations
    links = _links(source, document)
    heads = {apposition: objects[0] for apposition, objects in links[_HEAD].items()}
    chains_of = _chains(annotations, links[_MEMBER], heads)
    handles: dict[str, list[int]] = {}
    for annotation in annotations.values():
        if annotation.kind == _PHRASE or (annotation.id in chains_of and annotation.kind != _CHAIN):
            entities = chains_of.get(annotation.id, [annotation.id])
            handles[annotation.id] = _mention(source, builder, annotation, entities, text)
    for apposition, attributes in links[_ATTRIBUTE].items():
        head = heads.get(apposition, apposition)
        for attribute in attributes:
            if handles.get(attribute) and handles.get(head):
                ends = [chains_of.get(id, [id])[0] for id in (attribute, head)]
                builder.relation("apposition", *ends, mention=handles[attribute][0], anchor=handles[head][0])


_Links: TypeAlias = dict[str, list[str]]  # subject → objects


def _links(source: Source, document: _Document) -> dict[str, _Links]:
    """The links of each property that is read; the others are reported."""
    links: dict[str, _Links] = {property: {} for property in (_MEMBER, _HEAD, _ATTRIBUTE)}
    left_out: Counter[str] = Counter()
    for triple in document.triples:
        subject, object = (document.vertices.get(node, "") for node in (triple.subject, triple.object))
        ends = ((triple.subject, subject), (triple.object, object))
        missing = [node for node, annotation in ends if annotation not in document.annotations]
        if missing:
            message = f"a link refers to {missing[0]!r:.60}, which is not an annotation"
            source.report("dangling", message, line=triple.line)
        elif triple.property not in links:
            left_out[triple.property] += 1
        else:
            links[triple.property].setdefault(subject, []).append(object)
    for property, number in left_out.items():
        source.report("left-out", f"links '{property:.40}', {number}: left out")
    return links


def _chains(annotations: dict[str, _Annotation], members: _Links, heads: dict[str, str]) -> _Links:
    """The chains of each mention. The head of an apposition that has the same spans is a mention in its place."""
    chains_of: _Links = {}
    for chain, ids in members.items():
        for id in ids:
            head = heads.get(id, id)
            mention = head if annotations[head].spans == annotations[id].spans else id
            chains_of.setdefault(mention, []).append(chain)
    return chains_of


def _mention(
    source: Source, builder: Builder, annotation: _Annotation, entities: list[str], text: str | None
) -> list[int]:
    """The handles of a mention, one for each of its entities; [] if its place is impossible."""
    spans = sorted(annotation.spans)
    if not spans:
        source.report("syntax", f"annotation {annotation.id:.60} has no span", line=annotation.line)
        return []
    if any(end > start for (_, end), (start, _) in pairwise(spans)):
        source.report("syntax", f"the spans of annotation {annotation.id:.60} overlap", line=annotation.line)
        return []
    if text is not None and spans[-1][1] <= len(text):
        _compare(source, annotation, text)
    parts = [(start, end - 1) for start, end in spans]
    return [
        builder.mention(parts[0][0], parts[-1][1], entity, line=annotation.line, parts=parts, id=annotation.id)
        for entity in entities
    ]


def _compare(source: Source, annotation: _Annotation, text: str) -> None:
    """Report spans that quote other words than the text has."""
    for (start, end), quoted in zip(annotation.spans, annotation.quoted, strict=False):
        there = text[start:end]
        if quoted.strip() and quoted.split() != there.split():
            message = f"the span {start} {end} quotes {quoted!r:.60}, but the text has {there!r:.60} there"
            source.report("text-mismatch", message, line=annotation.line)
