"""NAF, the NLP Annotation Format of NewsReader: layers over word forms and terms (Fokkens et al. 2014).

    <NAF xml:lang="en" version="v3">
      <nafHeader><fileDesc filename="a.txt"/><public publicId="a"/></nafHeader>
      <text><wf id="w1" sent="1" para="1" offset="0" length="2">He</wf> ...</text>
      <terms><term id="t1" type="close" lemma="he" pos="R" morphofeat="PRP"><span><target id="w1"/></span></term> ...
      <coreferences>
        <coref id="co1" type="entity"><span><target id="t1" head="yes"/></span> <span>...</span></coref>
      </coreferences> ...
    </NAF>

Its predecessor KAF is the format `kaf`. A `coref` is an entity, and each `span` a mention: the words of the terms that
it names. If words are left out, it has several pieces. A span may also name words. A term marked as head is the head,
if it is one word. Labels are the ids. `co12` is the label 12, because ids must begin with a letter. Other characters
that an id can't have are written with their number, as `_x0020_`. `type` and the first external reference of a coref
are attributes of all its mentions (`type`, `reference`).

Layers of words: pos, lemma, morphofeat and termtype of their term, and para. The document is named after its publicId,
otherwise after the original file (without its suffix), otherwise after this file. A file without coreferences is a
document without mentions. This is reported, with the error of the tool if the file records one. Other layers are left
out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ..corpus.model import Corpus, Text, file_stem
from ..corpus.spans import joined_pieces
from ..errors import InputError
from .shared.builder import Builder
from .shared.one_document import one_document
from .shared.source import Source
from .shared.xml import Element, attribute, elements, escaped, root

__all__ = ["HOLDS", "KAF", "NAF", "Dialect", "looks_like", "read", "read_as", "write", "write_as"]

HOLDS = frozenset(
    {"words", "sentences", "spans", "labels", "documents without mentions", "singletons", "crossing mentions"}
    | {"repeated mentions", "discontinuous mentions", "heads", "attribute type", "attribute reference"}
    | {f"layer {name}" for name in ("pos", "lemma", "morphofeat", "termtype", "para")}
)

_LAYERS = {"lemma": "lemma", "pos": "pos", "morphofeat": "morphofeat", "type": "termtype"}
_CONTAINERS = {"KAF", "NAF", "kafHeader", "nafHeader", "text", "terms", "coreferences"}
_NUMBERED = re.compile(r"co(\d+)")
_ESCAPE = re.compile(r"_x([0-9A-F]{4,6})_")
_NAME_START = re.compile(r"[^\W\d]")
_NOT_IN_NAMES = re.compile(r"[^\w.-]|_(?=x[0-9A-F]{4,6}_)")
_EMPTY = "_"  # the id of an entity without a label
_HEAD = ' head="yes"'
_WRITTEN_ID = re.compile(r"[wt]\d+|co\d+")


@dataclass(frozen=True)
class Dialect:
    """The names that NAF and KAF have for the same things."""

    root: str
    header: str
    word: str
    term: str
    coref: str
    version: str


NAF = Dialect("NAF", "nafHeader", "id", "id", "id", "v3")
KAF = Dialect("KAF", "kafHeader", "wid", "tid", "coid", "v1.opener")


def looks_like(head: bytes) -> bool:
    return root(head) == b"NAF"


def read(source: Source) -> Corpus:
    return read_as(source, "naf", NAF)


def write(corpus: Corpus) -> Iterator[str]:
    return write_as(corpus, NAF)


def read_as(source: Source, format: str, dialect: Dialect) -> Corpus:
    """A file in one of the two dialects; the attributes of the other are understood."""
    layers = _Layers(source, dialect)
    for element in elements(source, _CONTAINERS):
        layers.add(element)
    if not layers.words:
        source.fail("there is no <wf> in this file", code="input")
    builder = Builder(source, format)
    builder.document(layers.name or file_stem(source.name), line=layers.line)
    places = _words(builder, source, layers.words, layers.terms)
    layers.report_no_coreference()
    labels: set[str] = set()
    for coref in layers.corefs:
        _coref(builder, source, coref, dialect, places, labels)
    layers.report_left_out()
    return builder.build()


class _Layers:
    """The elements of the layers that are read, and what is to be said about the others."""

    def __init__(self, source: Source, dialect: Dialect) -> None:
        self.source, self.dialect = source, dialect
        self.line = 0  # of the root
        self.name = ""  # of the document, if the header names it
        self.words: dict[str, Element] = {}
        self.terms: dict[str, Element] = {}
        self.corefs: list[Element] = []
        self.coreferences = False  # whether there is this layer
        self.failure = ""  # the tool that failed, if the file records an error
        self.left_out: Counter[str] = Counter()

    def add(self, element: Element) -> None:
        if not element.depth:
            self.add_root(element)
        elif element.tag in ("public", "fileDesc") and element.parent in ("kafHeader", "nafHeader"):
            self.name = element.get("publicId") or self.name or file_stem(element.get("filename"))
        elif element.tag == "wf":
            _keep(self.source, element, (self.dialect.word, "wid", "id"), self.words)
        elif element.tag == "term":
            _keep(self.source, element, (self.dialect.term, "tid", "id"), self.terms)
        elif element.tag == "coref":
            self.corefs.append(element)
        elif element.tag == "coreferences":
            self.coreferences = True
        elif element.tag == "errors":
            self.failure = next((child.get("class") for child in element.children), "") or "a tool"
        elif element.tag not in _CONTAINERS and element.tag not in ("linguisticProcessors", "raw"):
            self.left_out[element.tag] += 1

    def add_root(self, element: Element) -> None:
        if element.tag != self.dialect.root:
            message = f"<{self.dialect.root}> is expected, not <{element.tag:.40}>"
            self.source.fail(message, line=element.line, column=element.column)
        self.line = element.line

    def report_no_coreference(self) -> None:
        if not self.coreferences:
            why = f"; the file records an error of {self.failure:.60}" if self.failure else ""
            message = f"<coreferences> is missing: a document without mentions{why}"
            self.source.report("no-coreference", message, line=self.line)

    def report_left_out(self) -> None:
        if self.left_out:
            counts = sorted(self.left_out.items())
            tags = ", ".join(f"{tag} ({count})" if count > 1 else tag for tag, count in counts)
            self.source.report("left-out", f"not coreference, left out: {tags[:200]}")


def _id(element: Element, names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := element.get(name))), "")


def _keep(source: Source, element: Element, names: tuple[str, ...], known: dict[str, Element]) -> None:
    """Keep an element by its id."""
    id = _id(element, names)
    if id and id not in known:
        known[id] = element
    else:
        _report_id(source, element, id)


def _report_id(source: Source, element: Element, id: str) -> None:
    code, what = ("duplicate-id", f"<{element.tag}> '{id:.60}' occurs twice") if id else ("syntax", "the id is missing")
    source.report(code, what, line=element.line, column=element.column)


def _words(
    builder: Builder, source: Source, words: dict[str, Element], terms: dict[str, Element]
) -> dict[str, list[int]]:
    """Add the words; returns the places of each term and of each word, by id. Terms come first if ids are equal."""
    words_of_term = {id: _words_of_term(source, id, term, words) for id, term in terms.items()}
    layers: dict[str, dict[str, str]] = {}  # of words that are in a term
    for id, term in terms.items():
        for word_id in words_of_term[id]:
            layers.setdefault(word_id, {layer: term.get(name) for name, layer in _LAYERS.items() if term.get(name)})
    places: dict[str, list[int]] = {}
    sentence = None
    for id, word in words.items():
        if word.get("sent") != sentence:
            sentence = word.get("sent")
            builder.sentence()
        own_layers = dict(layers.get(id, {}))
        if word.get("para"):
            own_layers["para"] = word.get("para")
        places[id] = [builder.token(word.text.strip(), word.line, False, **own_layers)]
    return places | {id: [places[word_id][0] for word_id in word_ids] for id, word_ids in words_of_term.items()}


def _words_of_term(source: Source, id: str, term: Element, words: dict[str, Element]) -> list[str]:
    """The ids of the words of a term; others are reported."""
    word_ids = []
    for span in term.children:
        for target in span.children if span.tag == "span" else ():
            if target.tag != "target":
                continue
            word_id = target.get("id")
            if word_id in words:
                word_ids.append(word_id)
            else:
                message = f"term '{id:.60}' names the word '{word_id:.60}', which does not exist"
                source.report("dangling", message, line=target.line, column=target.column)
    return word_ids


def _coref(
    builder: Builder, source: Source, coref: Element, dialect: Dialect, places: dict[str, list[int]], known: set[str]
) -> None:
    """Add the mentions of an entity."""
    id = _id(coref, (dialect.coref, "coid", "id"))
    if not id or id in known:
        _report_id(source, coref, id)
    known.add(id)
    references = coref.find("externalReferences")
    reference = references.find("externalRef") if references else None
    reference_text = reference.get("reference") if reference else ""
    for span in _spans(coref):
        words, head = _words_of_mention(source, id, span, places)
        if not words:
            source.report("syntax", f"a mention of '{id:.60}' has no words", line=span.line, column=span.column)
            continue
        parts = joined_pieces((place, place) for place in words)
        handle = builder.mention(parts[0][0], parts[-1][1], _label(id), line=span.line, head=head, parts=parts)
        builder.attribute(handle, "type", coref.get("type"))
        builder.attribute(handle, "reference", reference_text)


def _spans(coref: Element) -> Iterator[Element]:
    """The spans of a coref; in older files they are inside <references>."""
    for child in coref.children:
        inside = child.children if child.tag == "references" else [child]
        yield from (element for element in inside if element.tag == "span")


def _words_of_mention(source: Source, id: str, span: Element, places: dict[str, list[int]]) -> tuple[list[int], int]:
    """The places of the words that a span names, and its head, −1 if there is none."""
    words: dict[int, None] = {}
    head = -1
    for target in span.children:
        if target.tag != "target":
            continue
        here = places.get(target.get("id"))
        if here is None:
            message = f"coref '{id:.60}' names '{target.get('id'):.60}', which does not exist"
            source.report("dangling", message, line=target.line, column=target.column)
            continue
        words.update(dict.fromkeys(here))
        if target.get("head") == "yes" and len(here) == 1:
            head = here[0]
    return list(words), head


def _unescaped(match: re.Match[str]) -> str:
    number = int(match[1], 16)
    return chr(number) if number < 0x110000 else match[0]


def _identifier(label: str) -> str:
    """A label as an XML name; `_label` is the inverse."""
    if label.isascii() and label.isdecimal():
        return f"co{label}"
    name = _NOT_IN_NAMES.sub(_hidden, label)
    if (
        label
        and name[0] == label[0]
        and (label == _EMPTY or _WRITTEN_ID.fullmatch(name) or not _NAME_START.match(name))
    ):
        name = f"_x{ord(label[0]):04X}_{name[1:]}"
    return name or _EMPTY


def _label(id: str) -> str:
    if number := _NUMBERED.fullmatch(id):
        return number[1]
    return "" if id == _EMPTY else _ESCAPE.sub(_unescaped, id)


def _hidden(match: re.Match[str]) -> str:
    return f"_x{ord(match[0]):04X}_"


def write_as(corpus: Corpus, dialect: Dialect) -> Iterator[str]:
    """The file of one document, with one term per word; type and reference of an entity are those of its first
    mention."""
    if corpus.names is not None or not corpus.has_text:
        raise InputError(f"{dialect.root} needs words, but there are none", file=corpus.source or None)
    one_document(corpus, dialect.root.lower())
    name = attribute(corpus.documents[0].label)
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<{dialect.root} xml:lang="und" version="{dialect.version}">\n'
    yield f"<{dialect.header}>\n  <fileDesc filename={name}/>\n  <public publicId={name}/>\n</{dialect.header}>\n"
    yield "<text>\n"
    yield from _written_words(corpus.text, dialect)
    yield "</text>\n<terms>\n"
    yield from _written_terms(corpus.text, dialect)
    yield "</terms>\n<coreferences>\n"
    rows_of: dict[int, list[int]] = {}
    for row, entity in enumerate(corpus.entity.tolist()):
        rows_of.setdefault(entity, []).append(row)
    for entity, rows in rows_of.items():
        yield from _written_entity(corpus, dialect, str(corpus.labels[entity]), rows)
    yield f"</coreferences>\n</{dialect.root}>\n"


def _written_words(text: Text, dialect: Dialect) -> Iterator[str]:
    starts = set(text.sentences.tolist())
    paragraphs = text.layers.get("para") or [""] * len(text.words)
    sentence = offset = 0
    for token, (word, paragraph) in enumerate(zip(text.words, paragraphs, strict=True)):
        sentence += token in starts
        para = f" para={attribute(paragraph)}" if paragraph else ""
        place = f'offset="{offset}" length="{len(word)}"'
        yield f'  <wf {dialect.word}="w{token + 1}" sent="{sentence}"{para} {place}>{escaped(word)}</wf>\n'
        offset += len(word) + 1


def _written_terms(text: Text, dialect: Dialect) -> Iterator[str]:
    columns = [(name, text.layers[layer]) for name, layer in _LAYERS.items() if layer in text.layers]
    for token in range(len(text.words)):
        notes = "".join(f" {name}={attribute(values[token])}" for name, values in columns if values[token])
        span = f'<span><target id="w{token + 1}"/></span>'
        yield f'  <term {dialect.term}="t{token + 1}"{notes}>{span}</term>\n'


def _written_entity(corpus: Corpus, dialect: Dialect, label: str, rows: list[int]) -> Iterator[str]:
    kind, reference = _first_value(corpus, "type", rows), _first_value(corpus, "reference", rows)
    type_attribute = f" type={attribute(kind)}" if kind else ""
    yield f"  <coref {dialect.coref}={attribute(_identifier(label))}{type_attribute}>\n"
    for row in rows:
        head = -1 if corpus.head is None else int(corpus.head[row])
        tokens = [token for first, last in corpus.pieces(row) for token in range(first, last + 1)]
        targets = [f'<target id="t{token + 1}"{_HEAD if token == head else ""}/>' for token in tokens]
        yield f"    <span>{''.join(targets)}</span>\n"
    if reference:
        yield f"    <externalReferences><externalRef reference={attribute(reference)}/></externalReferences>\n"
    yield "  </coref>\n"


def _first_value(corpus: Corpus, name: str, rows: list[int]) -> str:
    """The first value that an attribute has in some rows, "" if there is none."""
    values = corpus.attributes.get(name)
    return next((values[row] for row in rows if values[row]), "") if values else ""
