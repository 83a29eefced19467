"""ACE: entities and their mentions in an .apf.xml file, the text in the .sgm file beside it.

    <source_file URI="x.sgm"><document DOCID="x">
      <entity ID="x-E1" TYPE="PER" SUBTYPE="Individual" CLASS="SPC">
        <entity_mention ID="x-E1-1" TYPE="NOM">
          <extent><charseq START="12" END="27">the new director</charseq></extent>
          <head><charseq START="20" END="27">director</charseq></head>

Offsets count the characters of the .sgm file without its tags, line ends included; END is the last character. The
releases before 2004 have `<charseq><start>12</start><end>27</end></charseq>`. An `&amp;` of the text counts as five
characters or as one. The quoted words decide which, and a text that fits neither way is an error. Type, subtype and
class of an entity, and the type of a mention (NAM, NOM, PRO), are attributes. The last word of the head is the
mention's head word, and the whole head is its minimum (`min`). Relations, events, values and times are left out, and
this is reported.

Source: the annotation guidelines and the DTD of the ACE programme (apf.v5.1.1.dtd), Linguistic Data Consortium.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from ..corpus.model import Corpus, Span
from ..files import encoding
from .shared.builder import Builder
from .shared.sgml import unescaped
from .shared.source import Source
from .shared.xml import Element, elements, root

_TAG = re.compile(r"<[^<>]*>")
_BEFORE_2004 = ("start", "end")


class _Quoted(NamedTuple):
    span: Span
    words: str
    line: int


@dataclass(frozen=True, slots=True)
class _Mention:
    element: Element
    entity: Element
    extent: _Quoted
    head: _Quoted | None


def looks_like(head: bytes) -> bool:
    return root(head) == b"source_file" and re.search(rb"<document\b[^>]*\bDOCID\s*=", head) is not None


def read(source: Source) -> Corpus:
    builder = Builder(source, "ace", unit="character")
    others: Counter[str] = Counter()
    mentions: list[_Mention] = []
    file = ""
    known: dict[str, int] = {}
    for element in elements(source, ("source_file", "document")):
        if element.tag == "source_file":
            file = source.inside(element.get("URI"), element.line)
        elif element.tag == "document":
            if builder.documents:
                source.fail("the file has a second document", line=element.line)
            builder.document(element.get("DOCID"), line=element.line)
        elif element.tag == "entity":
            mentions += _mentions(source, element, known)
        elif element.depth:
            others[element.tag] += 1
    text = _text(source, file, mentions)
    if text is not None:
        builder.raw(text)
    for tag, number in others.items():
        source.report("left-out", f"<{tag[:40]}>, {number}: not entities, left out")
    for mention in mentions:
        _add(builder, mention, text)
    return builder.build()


def _mentions(source: Source, entity: Element, known: dict[str, int]) -> list[_Mention]:
    if not entity.get("ID"):
        source.report("syntax", "this entity has no ID", line=entity.line)
        return []
    mentions = []
    for element in (child for child in entity.children if child.tag == "entity_mention"):
        id = element.get("ID")
        if id and known.setdefault(id, element.line) != element.line:
            message = f"there is already a mention {id[:60]} at line {known[id]}"
            source.report("duplicate-id", message, line=element.line)
            continue
        extent, head = (_quoted(source, element, tag) for tag in ("extent", "head"))
        if extent is None:
            source.report("syntax", f"mention {id[:60]} has no extent", line=element.line)
            continue
        if head is not None and not extent.span[0] <= head.span[0] <= head.span[1] <= extent.span[1]:
            message = f"the head {head.span[0]}–{head.span[1]} of mention {id[:60]} is not in its extent"
            source.report("bad-head", message, line=head.line)
            head = None
        mentions.append(_Mention(element, entity, extent, head))
    return mentions


def _quoted(source: Source, mention: Element, tag: str) -> _Quoted | None:
    """The span of an extent or a head, and the words it quotes. Before 2004 the numbers were elements."""
    around = mention.find(tag)
    sequence = None if around is None else around.find("charseq")
    if sequence is None:
        return None
    given = [sequence.get(name) for name in ("START", "END")]
    if not any(given):
        given = [sequence.value(name) for name in _BEFORE_2004]
    if not all(number.isdecimal() and len(number) < 16 for number in given):
        message = f"the {tag} is from {given[0]!r:.20} to {given[1]!r:.20}, but both must be numbers"
        source.report("syntax", message, line=sequence.line)
        return None
    start, end = map(int, given)
    if end < start:
        source.report("span-order", f"the {tag} {start} {end} ends before it starts", line=sequence.line)
        return None
    words = "" if sequence.children else sequence.text
    return _Quoted((start, end), words, sequence.line)


def _text(source: Source, file: str, mentions: list[_Mention]) -> str | None:
    """The text without its tags. Names of characters such as `&amp;` are read in the way that fits the quoted words."""
    name = file or re.sub(r"(?:\.apf)?\.xml$", "", source.name.replace("\\", "/").rsplit("/", 1)[-1]) + ".sgm"
    data = source.sibling(name)
    if data is None:
        source.report("left-out", f"the text {name} is not beside the file: spans are read, words are not")
        return None
    plain = _TAG.sub("", encoding.text(data, name).replace("\r\n", "\n"))
    quoted = [q for m in mentions for q in (m.extent, m.head) if q is not None and q.words.strip()]
    ways = [plain] if "&" not in plain else [plain, unescaped(plain)]
    wrong = [[q for q in quoted if not _fits(text, q)] for text in ways]
    best = min(range(len(ways)), key=lambda way: len(wrong[way]))
    for q in wrong[best]:
        (start, end), text = q.span, ways[best]
        message = f"the span {start} {end} quotes {q.words!r:.60}, but the text has {text[start : end + 1]!r:.60} there"
        source.report("text-mismatch", message, line=q.line)
    return ways[best]


def _fits(text: str, quoted: _Quoted) -> bool:
    """Whether the text has the quoted words at their place, for any spelling of blanks and `&`."""
    start, end = quoted.span
    return unescaped(text[start : end + 1]).split() == unescaped(quoted.words).split()


def _add(builder: Builder, mention: _Mention, text: str | None) -> None:
    (start, end), head, entity = mention.extent.span, mention.head, mention.entity
    handle = builder.mention(
        start, end, entity.get("ID"), line=mention.element.line, head=-1 if head is None else head.span[1]
    )
    words = "" if head is None else " ".join(unescaped(head.words or _cut(text, head.span)).split())
    for name, value in (
        ("id", mention.element.get("ID")),
        ("type", entity.get("TYPE") or entity.value("entity_type")),
        ("subtype", entity.get("SUBTYPE")),
        ("class", entity.get("CLASS")),
        ("mention_type", mention.element.get("TYPE")),
        ("role", mention.element.get("ROLE")),
        ("min", words),
    ):
        builder.attribute(handle, name, value)


def _cut(text: str | None, span: Span) -> str:
    return "" if text is None else text[span[0] : span[1] + 1]
