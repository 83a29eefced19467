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

from ..corpus.model import Corpus, file_stem
from ..corpus.spans import joined_pieces
from ..errors import InputError
from .shared.builder import Builder
from .shared.single import one_document
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
_OURS = re.compile(r"[wt]\d+|co\d+")


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
    name = ""
    words: dict[str, Element] = {}
    terms: dict[str, Element] = {}
    corefs: list[Element] = []
    left_out: Counter[str] = Counter()
    layer, failure = False, ""
    first = 0
    for element in elements(source, _CONTAINERS):
        if not element.depth:
            if element.tag != dialect.root:
                message = f"<{dialect.root}> is expected, not <{element.tag:.40}>"
                source.fail(message, line=element.line, column=element.column)
            first = element.line
        elif element.tag in ("public", "fileDesc") and element.parent in ("kafHeader", "nafHeader"):
            name = element.get("publicId") or name or file_stem(element.get("filename"))
        elif element.tag == "wf":
            _new(source, element, (dialect.word, "wid", "id"), words)
        elif element.tag == "term":
            _new(source, element, (dialect.term, "tid", "id"), terms)
        elif element.tag == "coref":
            corefs.append(element)
        elif element.tag == "coreferences":
            layer = True
        elif element.tag == "errors":
            failure = next((child.get("class") for child in element.children), "") or "a tool"
        elif element.tag not in _CONTAINERS and element.tag not in ("linguisticProcessors", "raw"):
            left_out[element.tag] += 1
    if not words:
        source.fail("there is no <wf> in this file", code="input")
    builder = Builder(source, format)
    builder.document(name or file_stem(source.name), line=first)
    places = _words(builder, source, words, terms)
    if not layer:
        why = f"; the file records an error of {failure:.60}" if failure else ""
        source.report("no-coreference", f"<coreferences> is missing: a document without mentions{why}", line=first)
    seen: set[str] = set()
    for coref in corefs:
        _coref(builder, source, coref, dialect, places, seen)
    if left_out:
        found = ", ".join(f"{tag} ({count})" if count > 1 else tag for tag, count in sorted(left_out.items()))
        source.report("left-out", f"not coreference, left out: {found[:200]}")
    return builder.build()


def _id(element: Element, names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := element.get(name))), "")


def _new(source: Source, element: Element, names: tuple[str, ...], known: dict[str, Element]) -> None:
    """Keep an element by its id."""
    id = _id(element, names)
    if id and id not in known:
        known[id] = element
        return
    code, what = ("duplicate-id", f"<{element.tag}> '{id:.60}' occurs twice") if id else ("syntax", "the id is missing")
    source.report(code, what, line=element.line, column=element.column)


def _words(
    builder: Builder, source: Source, words: dict[str, Element], terms: dict[str, Element]
) -> dict[str, list[int]]:
    """Add the words; returns the places of each term and of each word, by id. Terms come first if ids are equal."""
    layers: dict[str, dict[str, str]] = {}
    of: dict[str, list[str]] = {}
    for id, term in terms.items():
        named = [t for span in term.children if span.tag == "span" for t in span.children if t.tag == "target"]
        of[id] = []
        for target in named:
            if target.get("id") in words:
                of[id].append(target.get("id"))
                layers.setdefault(target.get("id"), {n: term.get(a) for a, n in _LAYERS.items() if term.get(a)})
            else:
                message = f"term '{id:.60}' names the word '{target.get('id'):.60}', which does not exist"
                source.report("dangling", message, line=target.line, column=target.column)
    places: dict[str, list[int]] = {}
    sentence = None
    for id, word in words.items():
        if word.get("sent") != sentence:
            sentence = word.get("sent")
            builder.sentence()
        more = {"para": word.get("para")} if word.get("para") else {}
        places[id] = [builder.token(word.text.strip(), word.line, False, **layers.get(id, {}), **more)]
    return places | {id: [places[word][0] for word in named] for id, named in of.items()}


def _coref(
    builder: Builder, source: Source, coref: Element, dialect: Dialect, places: dict[str, list[int]], seen: set[str]
) -> None:
    id = _id(coref, (dialect.coref, "coid", "id"))
    if not id or id in seen:
        code, what = ("duplicate-id", f"<coref> '{id:.60}' occurs twice") if id else ("syntax", "the id is missing")
        source.report(code, what, line=coref.line, column=coref.column)
    seen.add(id)
    label = _label(id)
    spans = [span for child in coref.children for span in (child.children if child.tag == "references" else [child])]
    references = coref.find("externalReferences")
    reference = references.find("externalRef") if references else None
    for span in spans:
        if span.tag != "span":
            continue
        found: dict[int, None] = {}
        head = -1
        for target in span.children:
            here = places.get(target.get("id"))
            if target.tag != "target":
                continue
            if here is None:
                message = f"coref '{id:.60}' names '{target.get('id'):.60}', which does not exist"
                source.report("dangling", message, line=target.line, column=target.column)
                continue
            found.update(dict.fromkeys(here))
            if target.get("head") == "yes" and len(here) == 1:
                head = here[0]
        if not found:
            source.report("syntax", f"a mention of '{id:.60}' has no words", line=span.line, column=span.column)
            continue
        parts = joined_pieces((place, place) for place in found)
        handle = builder.mention(parts[0][0], parts[-1][1], label, line=span.line, head=head, parts=parts)
        builder.attribute(handle, "type", coref.get("type"))
        builder.attribute(handle, "reference", reference.get("reference") if reference else "")


def _unescaped(found: re.Match[str]) -> str:
    number = int(found[1], 16)
    return chr(number) if number < 0x110000 else found[0]


def _identifier(label: str) -> str:
    """A label as an XML name; `_label` is the inverse."""
    if label.isascii() and label.isdecimal():
        return f"co{label}"
    name = _NOT_IN_NAMES.sub(_hidden, label)
    if label and name[0] == label[0] and (label == _EMPTY or _OURS.fullmatch(name) or not _NAME_START.match(name)):
        name = f"_x{ord(label[0]):04X}_{name[1:]}"
    return name or _EMPTY


def _label(id: str) -> str:
    if number := _NUMBERED.fullmatch(id):
        return number[1]
    return "" if id == _EMPTY else _ESCAPE.sub(_unescaped, id)


def _hidden(found: re.Match[str]) -> str:
    return f"_x{ord(found[0]):04X}_"


def write_as(corpus: Corpus, dialect: Dialect) -> Iterator[str]:
    """The file of one document, with one term per word; type and reference of an entity are those of its first
    mention."""
    if corpus.names is not None or not corpus.has_text:
        raise InputError(f"{dialect.root} needs words, but there are none", file=corpus.source or None)
    one_document(corpus, dialect.root.lower())
    text = corpus.text
    words, layers = text.words, text.layers
    name = attribute(corpus.documents[0].label)
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<{dialect.root} xml:lang="und" version="{dialect.version}">\n'
    public = f"<public publicId={name}/>"
    yield f"<{dialect.header}>\n  <fileDesc filename={name}/>\n  {public}\n</{dialect.header}>\n<text>\n"
    starts = set(text.sentences.tolist())
    sentence = offset = 0
    for token, word in enumerate(words):
        sentence += token in starts
        para = f" para={attribute(layers['para'][token])}" if layers.get("para") and layers["para"][token] else ""
        place = f'offset="{offset}" length="{len(word)}"'
        yield f'  <wf {dialect.word}="w{token + 1}" sent="{sentence}"{para} {place}>{escaped(word)}</wf>\n'
        offset += len(word) + 1
    yield "</text>\n<terms>\n"
    known = [(a, layers[n]) for a, n in _LAYERS.items() if n in layers]
    for token in range(len(words)):
        notes = "".join(f" {a}={attribute(values[token])}" for a, values in known if values[token])
        span = f'<span><target id="w{token + 1}"/></span>'
        yield f'  <term {dialect.term}="t{token + 1}"{notes}>{span}</term>\n'
    yield "</terms>\n<coreferences>\n"
    members: dict[int, list[int]] = {}
    for row, entity in enumerate(corpus.entity.tolist()):
        members.setdefault(entity, []).append(row)
    for entity, rows in members.items():
        yield from _entity(corpus, dialect, str(corpus.labels[entity]), rows)
    yield f"</coreferences>\n</{dialect.root}>\n"


def _entity(corpus: Corpus, dialect: Dialect, label: str, rows: list[int]) -> Iterator[str]:
    kind, reference = (
        next((x for row in rows if (x := corpus.attributes[name][row])), "") if name in corpus.attributes else ""
        for name in ("type", "reference")
    )
    kind = f" type={attribute(kind)}" if kind else ""
    yield f"  <coref {dialect.coref}={attribute(_identifier(label))}{kind}>\n"
    for row in rows:
        head = -1 if corpus.head is None else int(corpus.head[row])
        targets = "".join(
            f'<target id="t{token + 1}"{_HEAD if token == head else ""}/>'
            for a, b in corpus.pieces(row)
            for token in range(a, b + 1)
        )
        yield f"    <span>{targets}</span>\n"
    if reference:
        yield f"    <externalReferences><externalRef reference={attribute(reference)}/></externalReferences>\n"
    yield "  </coref>\n"


_HEAD = ' head="yes"'
