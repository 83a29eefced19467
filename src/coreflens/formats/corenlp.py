"""Stanford CoreNLP output, JSON and XML, with `coref` or `dcoref` among the annotators.

    {"docId": "a", "sentences": [{"index": 0, "tokens": [{"index": 1, "word": "He", "pos": "PRP", ...}, ...]}, ...],
     "corefs": {"12": [{"id": 3, "type": "PRONOMINAL", "sentNum": 1, "startIndex": 1, "endIndex": 2, "headIndex": 1,
                        "isRepresentativeMention": false, ...}, ...]}}

    <root><document><docId>a</docId>
      <sentences><sentence id="1"><tokens><token id="1"><word>He</word><POS>PRP</POS> ...</token></tokens> ...
      <coreference><coreference><mention representative="true"><sentence>1</sentence><start>1</start><end>2</end>
        <head>1</head></mention> ...

Sentences and tokens count from 1, and the end of a mention is the token after its last. In JSON, chains are labelled by
their key. In XML they have no labels. A document is named after its docId, otherwise after the file. Several JSON
documents may follow each other in one file. Layers: pos, lemma, ner, speaker; parse, head and deprel if there are trees
(basic dependencies). Attributes: id, type, number, gender, animacy, and `representative`. Other annotation of sentences
and documents (quotes, triples, other dependencies) is left out, and so are the offsets of tokens in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..corpus.model import Corpus, file_stem
from ..files.notation import check_nesting, json_value_at
from .shared.builder import Builder, unlabelled
from .shared.source import Source
from .shared.xml import Element, elements, root

_JSON = re.compile(rb'"sentences"\s*:\s*\[\s*\{\s*"(?:id|index|line|parse|tokens|\w+[dD]ependencies)"')
_LAYERS = {"pos": "pos", "lemma": "lemma", "ner": "ner", "speaker": "speaker"}
_XML_LAYERS = {"POS": "pos", "lemma": "lemma", "NER": "ner", "Speaker": "speaker"}
_ATTRIBUTES = ("id", "type", "number", "gender", "animacy")
_KEPT = {"docId", "sentences", "corefs", "id", "index", "line", "parse", "tokens", "basicDependencies"}
_KEPT_XML = {"tokens", "parse", "basic-dependencies"}
_FILLED = re.compile(r"\S")
_LEAF = re.compile(r"\([^\s()]+\s+[^\s()]+\)")
_BIT = re.compile(r"[^*]*\*\)*")


def looks_like(head: bytes) -> bool:
    if head.lstrip()[:1] == b"{":
        return _JSON.search(head) is not None
    return root(head) == b"root" and b"<document>" in head and b"<sentences>" in head


def read(source: Source) -> Corpus:
    builder = Builder(source, "corenlp")
    if source.data.lstrip()[:1] == b"<":
        _read_xml(builder, source)
        return unlabelled(builder.build())
    for number, (line, record) in enumerate(_records(source)):
        _read_json(builder, source, record, number, line)
    return builder.build()


class _Document:
    """The sentences of a document, and its mentions by sentence and token."""

    def __init__(self, builder: Builder, source: Source, name: str, line: int, labelled: bool) -> None:
        self.builder, self.source, self.labelled = builder, source, labelled
        self.sizes: list[tuple[int, int]] = []  # for each sentence its first token and its number of tokens
        self.others: set[str] = set()
        builder.document(name, line=line)

    def sentence(
        self,
        tokens: Sequence[tuple[str, int, dict[str, str]]],
        tree: str,
        dependencies: Sequence[tuple[int, int, str]],
    ) -> None:
        """Add a sentence: words with their lines and layers, a tree in brackets, (dependent, governor, relation)."""
        self.builder.sentence()
        first = self.sizes[-1][0] + self.sizes[-1][1] if self.sizes else 0
        self.sizes.append((first, len(tokens)))
        bits = _bits(tree, len(tokens)) if tree else []
        heads = {dependent: (str(governor), relation) for dependent, governor, relation in dependencies}
        for number, (word, line, layers) in enumerate(tokens, start=1):
            if bits:
                layers["parse"] = bits[number - 1]
            if number in heads:
                layers["head"], layers["deprel"] = heads[number]
            self.builder.token(word, line, False, **layers)

    def end(self) -> None:
        if self.others:
            self.source.report("left-out", f"not coreference, left out: {', '.join(sorted(self.others))[:200]}")

    def mention(self, chain: str, numbers: Sequence[int | None], line: int, attributes: dict[str, str]) -> None:
        """`numbers` are sentence, start, end and head, as in the file."""
        sentence, start, end, head = numbers
        where = f"a mention of chain {chain}"
        if sentence is None or start is None or end is None:
            self.source.report("syntax", f"{where} has no sentence, start or end", line=line or None)
            return
        if not 1 <= sentence <= len(self.sizes):
            message = f"{where} is in sentence {sentence}, but there are {len(self.sizes)}"
            self.source.report("span-range", message, line=line or None)
            return
        first, size = self.sizes[sentence - 1]
        if end <= start:
            message = f"{where}: the end {end} is not after the start {start}"
            self.source.report("span-order", message, line=line or None, hint="the end is the token after the last")
            return
        if start < 1 or end > size + 1:
            message = f"{where}: [{start}, {end}) is not within the {size} tokens of sentence {sentence}"
            self.source.report("span-range", message, line=line or None, hint="tokens count from 1")
            return
        if head is not None and not start <= head < end:
            message = f"{where}: head {head} is not in [{start}, {end})"
            self.source.report("bad-head", message, line=line or None)
            head = None
        place = first - 1
        label = chain if self.labelled else (len(self.builder.documents), chain)
        handle = self.builder.mention(
            place + start, place + end - 1, label, line=line, head=-1 if head is None else place + head
        )
        for name, value in attributes.items():
            self.builder.attribute(handle, name, value)


def _bits(tree: str, size: int) -> list[str]:
    """The bits of a tree, with `*` for each word and its tag; [] if the tree has another number of words."""
    bits = _BIT.findall("".join(_LEAF.sub("*", tree).split()))
    return bits if len(bits) == size else []


def _records(source: Source) -> Iterator[tuple[int, Any]]:
    """The JSON values in the file, each with its line."""
    text = source.text
    check_nesting(text, source.name)
    place, line = 0, 1
    while found := _FILLED.search(text, place):
        start = found.start()
        line += text.count("\n", place, start)
        record, place = json_value_at(text, start, source.name, hint="is the file cut off?")
        yield line, record
        line += text.count("\n", start, place)


def _read_json(builder: Builder, source: Source, record: Any, number: int, line: int) -> None:
    if not isinstance(record, dict) or not isinstance(record.get("sentences"), list):
        source.fail("an object with a list of sentences is expected", line=line)
    corefs = record.get("corefs")
    if not isinstance(corefs, dict):
        source.fail("'corefs' is missing", line=line, hint="run CoreNLP with coref among its annotators")
    name = str(record.get("docId") or "") or file_stem(source.name) + (f"_{number}" if number else "")
    document = _Document(builder, source, name, line, True)
    for place, sentence in enumerate(record["sentences"], start=1):
        tokens = sentence.get("tokens") if isinstance(sentence, dict) else None
        if not isinstance(tokens, list) or not all(isinstance(t, dict) for t in tokens):
            source.fail(f"sentence {place} has no list of tokens", line=line)
        words = [
            (_text(t.get("word")), 0, {layer: _text(t[name]) for name, layer in _LAYERS.items() if t.get(name)})
            for t in tokens
        ]
        document.others |= sentence.keys() - _KEPT
        found = sentence.get("basicDependencies")
        dependencies = [d for d in found if isinstance(d, dict)] if isinstance(found, list) else []
        edges = [(_number(d.get("dependent")), _number(d.get("governor")), _text(d.get("dep"))) for d in dependencies]
        whole = [(a, b, relation) for a, b, relation in edges if a is not None and b is not None]
        document.sentence(words, _text(sentence.get("parse")), whole)
    for chain, mentions in corefs.items():
        for mention in mentions if isinstance(mentions, list) else [mentions]:
            if not isinstance(mention, dict):
                source.report(
                    "syntax", f"chain {chain:.40} has something that is not a mention: {mention!r:.40}", line=line
                )
                continue
            numbers = [_number(mention.get(key)) for key in ("sentNum", "startIndex", "endIndex", "headIndex")]
            attributes = {key: _text(mention.get(key)) for key in _ATTRIBUTES}
            attributes["representative"] = "true" if mention.get("isRepresentativeMention") is True else ""
            document.mention(chain, numbers, line, attributes)
    document.others |= record.keys() - _KEPT
    document.end()


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _number(value: Any) -> int | None:
    return value if type(value) is int and -(2**62) < value < 2**62 else None


def _read_xml(builder: Builder, source: Source) -> None:
    document: _Document | None = None
    opened, name, line, chain, there = 0, "", 0, 0, False
    for element in elements(source, {"root", "document", "sentences", "coreference"}):
        if element.tag == "document":
            opened, line, document, name = opened + 1, element.line, None, ""
        elif element.tag == "docId":
            name = element.text.strip()
        elif element.tag in ("sentences", "sentence") and document is None:
            stem = file_stem(source.name) + (f"_{opened - 1}" if opened > 1 else "")
            document, chain, there = _Document(builder, source, name or stem, line, False), 0, False
        if document is None:
            continue
        if element.tag == "sentence":
            document.others |= {c.tag for c in element.children if (c.get("type") or c.tag) not in _KEPT_XML}
            document.sentence(*_sentence(element))
        elif element.tag == "coreference":
            there = True
            chain += element.parent == "coreference"
        elif element.tag == "mention" and element.parent == "coreference":
            numbers = [_count(element.value(tag)) for tag in ("sentence", "start", "end", "head")]
            representative = "true" if element.get("representative") == "true" else ""
            document.mention(str(chain), numbers, element.line, {"representative": representative})
    if document is not None:
        document.end()
    if not there:
        source.fail("<coreference> is missing", hint="run CoreNLP with coref among its annotators")


def _sentence(element: Element) -> tuple[list[tuple[str, int, dict[str, str]]], str, list[tuple[int, int, str]]]:
    tokens = element.find("tokens")
    words = [
        (
            token.value("word"),
            token.line,
            {layer: value for tag, layer in _XML_LAYERS.items() if (value := token.value(tag))},
        )
        for token in (tokens.children if tokens else ())
        if token.tag == "token"
    ]
    edges = []
    for graph in element.children:
        if graph.tag == "basic-dependencies" or graph.get("type") == "basic-dependencies":
            for dep in graph.children:
                ends = [end.get("idx") if (end := dep.find(tag)) else "" for tag in ("dependent", "governor")]
                dependent, governor = map(_count, ends)
                if dependent is not None and governor is not None:
                    edges.append((dependent, governor, dep.get("type")))
    return words, element.value("parse"), edges


def _count(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 18 else None
