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
from typing import NamedTuple

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


class _Token(NamedTuple):
    word: str
    line: int
    layers: dict[str, str]


class _Dependency(NamedTuple):
    dependent: int
    governor: int
    relation: str


class _Sentence(NamedTuple):
    tokens: list[_Token]
    tree: str  # in brackets, "" if there is none
    dependencies: list[_Dependency]


class _Document:
    """The sentences of a document, and its mentions by sentence and token."""

    def __init__(self, builder: Builder, source: Source, name: str, line: int, labelled: bool) -> None:
        self.builder, self.source, self.labelled = builder, source, labelled
        self.sizes: list[tuple[int, int]] = []  # for each sentence its first token and its number of tokens
        self.others: set[str] = set()
        builder.document(name, line=line)

    def sentence(self, sentence: _Sentence) -> None:
        self.builder.sentence()
        tokens = sentence.tokens
        first = self.sizes[-1][0] + self.sizes[-1][1] if self.sizes else 0
        self.sizes.append((first, len(tokens)))
        bits = _bits(sentence.tree, len(tokens)) if sentence.tree else []
        heads = {d.dependent: (str(d.governor), d.relation) for d in sentence.dependencies}
        for number, token in enumerate(tokens, start=1):
            layers = dict(token.layers)
            if bits:
                layers["parse"] = bits[number - 1]
            if number in heads:
                layers["head"], layers["deprel"] = heads[number]
            self.builder.token(token.word, token.line, False, **layers)

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
        if not self.is_span(where, sentence, start, end, line):
            return
        if head is not None and not start <= head < end:
            message = f"{where}: head {head} is not in [{start}, {end})"
            self.source.report("bad-head", message, line=line or None)
            head = None
        before = self.sizes[sentence - 1][0] - 1  # tokens count from 1
        label = chain if self.labelled else (len(self.builder.documents), chain)
        handle = self.builder.mention(
            before + start,
            before + end - 1,
            label,
            line=line,
            head=-1 if head is None else before + head,
        )
        for name, value in attributes.items():
            self.builder.attribute(handle, name, value)

    def is_span(self, where: str, sentence: int, start: int, end: int, line: int) -> bool:
        """Whether a span is within its sentence; otherwise it is reported."""
        if not 1 <= sentence <= len(self.sizes):
            code, hint = "span-range", ""
            message = f"{where} is in sentence {sentence}, but there are {len(self.sizes)}"
        elif end <= start:
            code, hint = "span-order", "the end is the token after the last"
            message = f"{where}: the end {end} is not after the start {start}"
        elif start < 1 or end > self.sizes[sentence - 1][1] + 1:
            size = self.sizes[sentence - 1][1]
            code, hint = "span-range", "tokens count from 1"
            message = f"{where}: [{start}, {end}) is not within the {size} tokens of sentence {sentence}"
        else:
            return True
        self.source.report(code, message, line=line or None, hint=hint)
        return False


def _bits(tree: str, size: int) -> list[str]:
    """The bits of a tree, with `*` for each word and its tag; [] if the tree has another number of words."""
    bits = _BIT.findall("".join(_LEAF.sub("*", tree).split()))
    return bits if len(bits) == size else []


def _records(source: Source) -> Iterator[tuple[int, object]]:
    """The JSON values in the file, each with its line."""
    text = source.text
    check_nesting(text, source.name)
    place, line = 0, 1
    while next_character := _FILLED.search(text, place):
        start = next_character.start()
        line += text.count("\n", place, start)
        record, place = json_value_at(text, start, source.name, hint="is the file cut off?")
        yield line, record
        line += text.count("\n", start, place)


def _read_json(builder: Builder, source: Source, record: object, number: int, line: int) -> None:
    """Add the document of a record, the `number`-th of the file, counted from 0."""
    if not isinstance(record, dict) or not isinstance(record.get("sentences"), list):
        source.fail("an object with a list of sentences is expected", line=line)
    corefs = record.get("corefs")
    if not isinstance(corefs, dict):
        source.fail("'corefs' is missing", line=line, hint="run CoreNLP with coref among its annotators")
    name = str(record.get("docId") or "") or _numbered_stem(source, number)
    document = _Document(builder, source, name, line, True)
    for place, sentence in enumerate(record["sentences"], start=1):
        tokens = sentence.get("tokens") if isinstance(sentence, dict) else None
        if not isinstance(tokens, list) or not all(isinstance(t, dict) for t in tokens):
            source.fail(f"sentence {place} has no list of tokens", line=line)
        document.others |= sentence.keys() - _KEPT
        document.sentence(_json_sentence(sentence, tokens))
    for chain, mentions in corefs.items():
        for mention in mentions if isinstance(mentions, list) else [mentions]:
            _json_mention(document, chain, mention, line)
    document.others |= record.keys() - _KEPT
    document.end()


def _numbered_stem(source: Source, number: int) -> str:
    """The name of the file, with a number for all documents but the first."""
    return file_stem(source.name) + (f"_{number}" if number else "")


def _json_sentence(sentence: dict[str, object], tokens: list[dict[str, object]]) -> _Sentence:
    words = []
    for token in tokens:
        layers = {layer: _text(token[name]) for name, layer in _LAYERS.items() if token.get(name)}
        words.append(_Token(_text(token.get("word")), 0, layers))
    return _Sentence(words, _text(sentence.get("parse")), _json_dependencies(sentence.get("basicDependencies")))


def _json_dependencies(given: object) -> list[_Dependency]:
    """The dependencies that have both numbers."""
    dependencies = []
    for dependency in given if isinstance(given, list) else ():
        if isinstance(dependency, dict):
            dependent, governor = _number(dependency.get("dependent")), _number(dependency.get("governor"))
            if dependent is not None and governor is not None:
                dependencies.append(_Dependency(dependent, governor, _text(dependency.get("dep"))))
    return dependencies


def _json_mention(document: _Document, chain: str, mention: object, line: int) -> None:
    if not isinstance(mention, dict):
        message = f"chain {chain:.40} has something that is not a mention: {mention!r:.40}"
        document.source.report("syntax", message, line=line)
        return
    numbers = [_number(mention.get(key)) for key in ("sentNum", "startIndex", "endIndex", "headIndex")]
    attributes = {key: _text(mention.get(key)) for key in _ATTRIBUTES}
    attributes["representative"] = "true" if mention.get("isRepresentativeMention") is True else ""
    document.mention(chain, numbers, line, attributes)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _number(value: object) -> int | None:
    return value if type(value) is int and -(2**62) < value < 2**62 else None


class _XmlReader:
    """Goes from element to element."""

    def __init__(self, builder: Builder, source: Source) -> None:
        self.builder, self.source = builder, source
        self.document: _Document | None = None
        self.opened = 0  # documents so far
        self.name, self.line = "", 0  # of the document, which starts with its first sentence
        self.chain = 0  # the number of the chain, from 1
        self.coreference = False  # whether the last document has any

    def element(self, element: Element) -> None:
        if element.tag == "document":
            self.opened += 1
            self.document, self.name, self.line = None, "", element.line
        elif element.tag == "docId":
            self.name = element.text.strip()
        elif element.tag in ("sentences", "sentence") and self.document is None:
            self.start()
        if self.document is not None:
            self.inside(self.document, element)

    def inside(self, document: _Document, element: Element) -> None:
        """An element of a document that has started."""
        if element.tag == "sentence":
            document.others |= {c.tag for c in element.children if (c.get("type") or c.tag) not in _KEPT_XML}
            document.sentence(_xml_sentence(element))
        elif element.tag == "coreference":
            self.coreference = True
            if element.parent == "coreference":
                self.chain += 1
        elif element.tag == "mention" and element.parent == "coreference":
            numbers = [_count(element.value(tag)) for tag in ("sentence", "start", "end", "head")]
            representative = "true" if element.get("representative") == "true" else ""
            document.mention(str(self.chain), numbers, element.line, {"representative": representative})

    def start(self) -> None:
        name = self.name or _numbered_stem(self.source, max(self.opened - 1, 0))
        self.document = _Document(self.builder, self.source, name, self.line, False)
        self.chain, self.coreference = 0, False


def _read_xml(builder: Builder, source: Source) -> None:
    reader = _XmlReader(builder, source)
    for element in elements(source, {"root", "document", "sentences", "coreference"}):
        reader.element(element)
    if reader.document is not None:
        reader.document.end()
    if not reader.coreference:
        source.fail("<coreference> is missing", hint="run CoreNLP with coref among its annotators")


def _xml_sentence(element: Element) -> _Sentence:
    tokens = element.find("tokens")
    words = []
    for token in tokens.children if tokens else ():
        if token.tag == "token":
            layers = {layer: value for tag, layer in _XML_LAYERS.items() if (value := token.value(tag))}
            words.append(_Token(token.value("word"), token.line, layers))
    return _Sentence(words, element.value("parse"), _xml_dependencies(element))


def _xml_dependencies(sentence: Element) -> list[_Dependency]:
    dependencies = []
    for graph in sentence.children:
        if "basic-dependencies" not in (graph.tag, graph.get("type")):
            continue
        for dependency in graph.children:
            dependent, governor = _index(dependency, "dependent"), _index(dependency, "governor")
            if dependent is not None and governor is not None:
                dependencies.append(_Dependency(dependent, governor, dependency.get("type")))
    return dependencies


def _index(dependency: Element, tag: str) -> int | None:
    end = dependency.find(tag)
    return _count(end.get("idx")) if end else None


def _count(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 18 else None
