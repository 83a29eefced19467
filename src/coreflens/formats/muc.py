r"""MUC SGML: coreference as elements in the text.

    <DOC><DOCNO>wsj-1</DOCNO><TXT><COREF ID="0" MIN="Alice">Alice Bell</COREF> lost
    <COREF ID="2" REF="1"><COREF ID="1" REF="0" TYPE="IDENT">her</COREF> keys</COREF>.</TXT></DOC>

A `DOC` is a document, named by its `DOCNO` or `DOCID`. A file without a `DOC` is one document. Spans count the
characters of a document without its tags and its name. Entities are the closure of `REF` if `TYPE` is IDENT or missing,
and a mention without any link is a singleton. Links of other types are left out, and this is reported. `GROUP` names a
mention's entity. An entity without a name gets the ID of its first mention. `MIN`, `STATUS`, `ENTITY` (as attribute
`type`) and any other attribute are kept. IDs are kept unless they just count the mentions from 0. Element names may be
in upper or lower case, and values may have quotes or not. `&amp;`, `&lt;`, `&gt;`, `&quot;`, `&apos;` and `&#10;` are
read as characters. Other entities and a single `&` are plain text. The tags of all other elements are removed, and
their text stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from ..corpus.characters import written
from ..corpus.model import Corpus, file_stem
from ..corpus.spans import crossings
from ..errors import InputError
from .shared.builder import Builder
from .shared.closure import closure
from .shared.sgml import MARK, attributes, character, escaped
from .shared.source import Source

UNITS = ("character",)  # the writer counts these
HOLDS = frozenset(
    {"words", "sentences", "text", "spans", "labels", "documents", "documents without mentions", "singletons"}
    | {"repeated mentions", "cross-document entities", "attribute *"}
)
_ELEMENT = re.compile(rb"<coref\s[^<>]*\bid\s*=", re.IGNORECASE)
_DOC = re.compile(rb"\s*<doc>\s*<(?:docno|docid)>", re.IGNORECASE)
_OTHERS = re.compile(rb"\s*(?:<\?xml|<!doctype\s+(?!doc\b)|<(?:KAF|NAF|FoLiA|\w+:))", re.IGNORECASE)
_NAMES = ("docno", "docid")
_STRUCTURE = frozenset(  # elements of MUC-6 and MUC-7 that are not annotation
    {"txt", "text", "body", "hl", "p", "s", "co", "in", "so", "dd", "dateline"}
    | {"storyid", "slug", "date", "nwords", "preamble", "trailer"}
)
_OWN = ("id", "ref", "type", "group", "min", "status", "entity")
_NAME = re.compile(r"[A-Za-z_][\w.:-]*")


class _Mention(NamedTuple):
    place: int  # of its tag in the file
    start: int
    end: int
    id: str
    attributes: dict[str, str]
    line: int


def looks_like(head: bytes) -> bool:
    return not _OTHERS.match(head) and bool(_ELEMENT.search(head) or _DOC.match(head))


def read(source: Source) -> Corpus:
    reader = _Reader(source)
    reader.read()
    return reader.builder.build()


class _Reader:
    """One pass over the marks; the text between them is collected for its document."""

    def __init__(self, source: Source) -> None:
        self.source, self.text = source, source.text
        self.builder = Builder(source, "muc", unit="character")
        self.whole = re.search(r"(?i)<doc(\s[^<>]*)?>", self.text) is None  # the file is one document
        self.pieces: list[str] = []
        self.size = 0
        self.mentions: list[_Mention] = []
        self.open: list[tuple[int, int, dict[str, str], int, int]] = []  # place, start, attributes, line, column
        self.title: list[str] | None = None
        self.name, self.line, self.inside = "", 1, self.whole
        self.others: dict[str, int] = {}
        self.links: dict[str, list[int]] = {}
        self.stray = 0
        self._counted, self._at, self._start = 1, 0, 0

    def place(self, at: int) -> tuple[int, int]:
        """Line and column of a place; must be called with ascending places."""
        if newlines := self.text.count("\n", self._at, at):
            self._counted += newlines
            self._start = self.text.rindex("\n", self._at, at) + 1
        self._at = at
        return self._counted, at - self._start + 1

    def add(self, text: str) -> None:
        if self.title is not None:
            self.title.append(text)
        elif self.inside:
            self.pieces.append(text)
            self.size += len(text)
        else:
            self.stray += len(text.strip())

    def read(self) -> None:
        at = 0
        for mark in MARK.finditer(self.text):
            self.add(self.text[at : mark.start()])
            at = mark.end()
            if mark[4]:
                self.add(character(mark[4]) or mark[0])
            elif mark[2]:
                self.tag(mark)
        self.add(self.text[at:])
        if self.whole:
            self.finish()
        elif self.inside:
            line = self.line
            self.source.report("truncated", "the file ends within a <DOC>", line=line, hint="is it cut off?")
            self.finish()
        self.unclosed()
        for kind, lines in self.links.items():
            self.source.report("left-out", f"links of type {kind}, {len(lines)}: left out", line=lines[0])
        for name, number in self.others.items():
            self.source.report("left-out", f"tags <{name:.40}>, {number}: left out, but their text is kept")
        if self.stray:
            self.source.report("left-out", f"text that is not in any <DOC>, {self.stray} characters: left out")

    def tag(self, mark: re.Match[str]) -> None:
        name, closes = mark[2].lower(), bool(mark[1])
        if name == "coref":
            self.coref(mark, closes)
        elif name == "doc":
            self.document(mark, closes)
        elif name in _NAMES:
            if self.title is not None:
                self.name = " ".join("".join(self.title).split()) or self.name
            self.title = None if closes else []
        elif name not in _STRUCTURE and not closes:
            self.others[mark[2]] = self.others.get(mark[2], 0) + 1

    def document(self, mark: re.Match[str], closes: bool) -> None:
        line, column = self.place(mark.start())
        if closes and self.inside:
            self.finish()
        elif closes:
            self.source.report("syntax", "</DOC> without <DOC>", line=line, column=column)
        elif self.inside:
            self.source.report("syntax", f"<DOC> within that of line {self.line}", line=line, column=column)
        else:
            self.name, self.line, self.inside = "", line, True

    def coref(self, mark: re.Match[str], closes: bool) -> None:
        line, column = self.place(mark.start())
        if not closes:
            attributes = self.attributes(mark[3], line, column)
            if "id" not in attributes:
                self.source.report("syntax", "this <COREF> has no ID", line=line, column=column)
            self.open.append((mark.start(), self.size, attributes, line, column))
        elif not self.open:
            self.source.report("unopened", "</COREF> without <COREF>", line=line, column=column)
        else:
            place, start, attributes, line, column = self.open.pop()
            if not self.inside or self.size == start:
                message = "this <COREF> has no text" if self.inside else "this <COREF> is not in any <DOC>"
                self.source.report("syntax", message, line=line, column=column)
            elif "id" in attributes:
                self.mentions.append(_Mention(place, start, self.size - 1, attributes.pop("id"), attributes, line))

    def attributes(self, text: str, line: int, column: int) -> dict[str, str]:
        found = attributes(text)
        if found is None:
            what = f"these attributes can't be read: {text.strip():.60}"
            self.source.report("syntax", what, line=line, column=column)
        return {name.lower() if name.lower() in _OWN else name: value for name, value in (found or {}).items()}

    def finish(self) -> None:
        """Add the document with its mentions and entities."""
        name = self.name or file_stem(self.source.name) + (f"_{len(self.builder.documents)}" if not self.whole else "")
        builder = self.builder
        builder.document(name, line=self.line)
        builder.raw("".join(self.pieces))
        if self.title is not None:
            self.title = None
            self.source.report("unclosed", "the name of the document is never closed", line=self.line)
        self.unclosed()
        known: dict[str, _Mention] = {}
        mentions = sorted(self.mentions)
        for mention in mentions:
            if (other := known.setdefault(mention.id, mention)) is not mention:
                message = f"there is already an ID {mention.id:.40} at line {other.line}"
                self.source.report("duplicate-id", message, line=mention.line)
        first, groups = self.entities(mentions, known)
        numbered = [m.id for m in mentions] == list(map(str, range(len(mentions))))
        for mention in mentions:
            label = groups.get(first[mention.id], first[mention.id])
            handle = builder.mention(mention.start, mention.end, label, line=mention.line)
            builder.attribute(handle, "id", "" if numbered else mention.id)
            for attribute, value in mention.attributes.items():
                if attribute not in ("ref", "type", "group"):
                    builder.attribute(handle, "type" if attribute == "entity" else attribute, value)
        self.pieces, self.size, self.mentions = [], 0, []
        self.inside = False

    def unclosed(self) -> None:
        for *_, line, column in self.open:
            self.source.report("unclosed", "this <COREF> is never closed", line=line, column=column)
        self.open = []

    def entities(
        self, mentions: Sequence[_Mention], known: dict[str, _Mention]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """For each mention the first mention of its entity; and the labels of the entities that have one."""
        links: list[tuple[str, str]] = []
        groups: dict[str, str] = {}
        for mention in mentions:
            ref, type = mention.attributes.get("ref"), mention.attributes.get("type", "IDENT")
            if ref is not None and type.upper() != "IDENT":
                self.links.setdefault(type[:40], []).append(mention.line)
            elif ref is not None and ref not in known:
                self.source.report("dangling", f"REF {ref:.40}: there is no such ID", line=mention.line)
            elif ref is not None:
                links.append((mention.id, ref))
        first = closure((m.id for m in mentions), links)
        for mention in mentions:
            if group := mention.attributes.get("group"):
                groups.setdefault(first[mention.id], group)
        return first, groups


def write(corpus: Corpus) -> Iterator[str]:
    """A DOC for each document; if two mentions cross, the second is left out."""
    crossing = {row for _, row in crossings(corpus)}
    corpus = written(corpus)
    text = corpus.text
    for name in corpus.attributes:
        if _NAME.fullmatch(name) is None or (name.lower() in _OWN and name not in ("id", "min", "status", "type")):
            raise InputError(f"SGML can't hold an attribute named {name!r:.40}", hint="leave it out or rename it")
    for d, document in enumerate(corpus.documents):
        if document.label != " ".join(document.label.split()) or not document.label:
            raise InputError(f"SGML can't hold the document name {document.quoted}: it is empty or has blanks")
        yield f"<DOC><DOCNO>{escaped(document.label)}</DOCNO><TXT>"
        rows = [row for row in range(*corpus.bounds[d : d + 2]) if row not in crossing]
        rows.sort(key=lambda row: (corpus.start[row], -corpus.end[row]))
        yield from _marked(corpus, rows, (text.raw or [])[d])
        yield "</TXT></DOC>\n"


def _marked(corpus: Corpus, rows: Sequence[int], raw: str) -> Iterator[str]:
    """The text of one document with its mentions; rows are in the order in which they open."""
    ids = _ids(corpus, rows)
    open_: list[int] = []
    last: dict[int, str] = {}
    at = 0

    def upto(place: int) -> Iterator[str]:
        nonlocal at
        while open_ and open_[-1] < place:
            end = open_.pop()
            yield escaped(raw[at : end + 1]) + "</COREF>"
            at = end + 1
        yield escaped(raw[at:place])
        at = place

    for row, id in zip(rows, ids, strict=True):
        yield from upto(int(corpus.start[row]))
        e = int(corpus.entity[row])
        fields = {"ID": id}
        if e in last:
            fields |= {"REF": last[e], "TYPE": "IDENT"}
        elif (label := str(corpus.labels[e])) != id:
            fields["GROUP"] = label
            if not label:
                raise InputError("SGML can't hold an entity whose label is empty")
        last[e] = id
        for name, values in corpus.attributes.items():
            if values[row] and name != "id":
                fields["ENTITY" if name == "type" else name.upper() if name in _OWN else name] = values[row]
        yield "<COREF " + " ".join(f'{name}="{escaped(value)}"' for name, value in fields.items()) + ">"
        open_.append(int(corpus.end[row]))
    yield from upto(len(raw))


def _ids(corpus: Corpus, rows: Sequence[int]) -> list[str]:
    """The ids of the mentions of a document; mentions without an id get numbers."""
    given = corpus.attributes.get("id") or [""] * len(corpus)
    known = Counter(given[row] for row in rows if given[row])
    if twice := next((id for id, times in known.items() if times > 1), None):
        raise InputError(f"two mentions of a document have the id {twice!r:.40}", hint="leave the attribute `id` out")
    fresh = (id for id in map(str, count()) if id not in known)
    return [given[row] or next(fresh) for row in rows]
