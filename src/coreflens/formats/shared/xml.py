"""XML, piece by piece and with places: the common part of all readers of XML formats, and how to write text in XML.

A file is read in chunks by the standard library's expat. Entity declarations are refused, so that a small file can't
grow. No other file is ever opened. Nesting and the size of one piece are limited.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NoReturn
from xml.parsers import expat

from ...errors import InputError
from ...files.limits import allowed, refuse
from .source import Source

_CHUNK = 1 << 20
_NODES = 1 << 20  # elements within one piece
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")

_REFERENCE = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z_][\w.-]{0,40};")


@dataclass(slots=True)
class Element:
    """A whole element, or a container when it opens, which has no text and children yet.

    `text` is the text of the element itself, `at` is the length of its parent's text before it, and `depth` is the
    number of elements around it.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    parent: str = ""
    text: str = ""
    children: list[Element] = field(default_factory=list)
    at: int = 0
    depth: int = 0

    def get(self, attribute: str) -> str:
        return self.attributes.get(attribute, "")

    def find(self, tag: str) -> Element | None:
        return next((child for child in self.children if child.tag == tag), None)

    def value(self, tag: str) -> str:
        """The text of the first child with this name, "" if there is none."""
        child = self.find(tag)
        return "" if child is None else child.text.strip()

    @property
    def content(self) -> str:
        """The text of the element and of all elements in it, in the order of the file."""
        if not self.children:
            return self.text
        places = [0, *(child.at for child in self.children), len(self.text)]
        own = [self.text[a:b] for a, b in pairwise(places)]
        return own[0] + "".join(c.content + after for c, after in zip(self.children, own[1:], strict=True))


def elements(source: Source, containers: Collection[str]) -> Iterator[Element]:
    """The pieces of a file in their order: containers when they open, and the other elements when they are complete."""
    reader = _Reader(source, containers)
    data = source.data
    for start in range(0, max(len(data), 1), _CHUNK):
        reader.feed(data[start : start + _CHUNK], start + _CHUNK >= len(data))
        yield from reader.ready
        reader.ready.clear()


_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_IN_ATTRIBUTES = {**_MARKS, '"': "&quot;", "\n": "&#10;", "\t": "&#9;"}
_MARK, _ATTRIBUTE = re.compile("[&<>\r]"), re.compile('[&<>\r"\n\t]')


def escaped(text: str) -> str:
    """Text as it is written in XML; an InputError if it has characters that XML can't hold."""
    if bad := _FORBIDDEN.search(text):
        raise InputError(f"the character {bad[0]!a} can't be written in XML", hint="JSON and CSV can hold it")
    return _MARK.sub(lambda match: _MARKS[match[0]], text)


def attribute(text: str) -> str:
    """The value of an attribute with its quotes."""
    escaped(text)
    return '"' + _ATTRIBUTE.sub(lambda match: _IN_ATTRIBUTES[match[0]], text) + '"'


def root(head: bytes) -> bytes:
    """The name of a file's outermost element by its first bytes, b"" if it is not XML."""
    match = _ROOT.match(head)
    return match[1] if match else b""


# Declaration, comments and doctype, then the first tag; a byte order mark is already removed.
_ROOT = re.compile(
    rb"\s*(?:<\?[^>]*\?>\s*|<!--(?:[^-]|-(?!->))*-->\s*|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>\s*)*<([A-Za-z_][^\s/>]*)"
)


class _Reader:
    def __init__(self, source: Source, containers: Collection[str]) -> None:
        self.source, self.containers = source, containers
        self.ready: list[Element] = []
        self._open: list[Element] = []  # from the root down
        self._text: list[list[str]] = []  # of open elements that are not containers
        self._sizes: list[int] = []  # of these texts so far
        self._whole = 0  # how many of the open elements are containers
        self._nodes = 0
        parser = self._parser = expat.ParserCreate(_encoding(source.data))
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._declared
        parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, chunk: bytes, last: bool) -> None:
        try:
            self._parser.Parse(chunk, last)
        except InputError:
            raise
        except (LookupError, ValueError):  # an encoding that Python or expat does not know
            self.source.fail("the encoding that the file declares is unknown", line=1, hint="--encoding names it")
        except expat.ExpatError as error:
            if error.code == _INVALID and _encoding(self.source.data) == "utf-8":
                _ = self.source.text  # this fails with the place of the first byte that is not UTF-8, if there is one
            cut = error.code in _CUT
            self.source.fail(
                f"not well-formed XML: {expat.errors.messages[error.code]}",
                line=error.lineno,
                column=error.offset + 1,
                hint="is the file cut off?" if cut else "",
                code="truncated" if cut else "syntax",
            )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        parser, depth = self._parser, len(self._open)
        if depth >= allowed().nesting:
            line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
            refuse("nesting", "elements are nested too deeply", file=self.source.name, line=line, column=column)
        element = Element(tag, attributes, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        if depth:
            element.parent, element.depth = self._open[-1].tag, depth
        self._open.append(element)
        if depth == self._whole and tag in self.containers:
            self._whole += 1
            self.ready.append(element)
            return
        self._nodes += 1
        if self._nodes > _NODES:
            self._fail(f"there are more than {_NODES:,} elements within one element")
        if depth > self._whole:
            element.at = self._sizes[-1]
            self._open[-2].children.append(element)
        self._text.append([])
        self._sizes.append(0)

    def _characters(self, text: str) -> None:
        if self._text:
            self._text[-1].append(text)
            self._sizes[-1] += len(text)

    def _end(self, tag: str) -> None:
        element = self._open.pop()
        if not self._text:
            self._whole -= 1
            return
        element.text = "".join(self._text.pop())
        self._sizes.pop()
        if not self._text:
            self._nodes = 0
            self.ready.append(element)

    def _declared(self, name: str, *_: object) -> None:
        self._fail(f"entity '{name[:40]}' is declared: refused", hint="replace the entities by their text")

    def _doctype(self, name: str, system: str | None, *_: object) -> None:
        """Refuse entities that only the DTD declares. The DTD is not read, so expat would drop them silently."""
        data = self.source.data
        if system is not None and (reference := _REFERENCE.search(data)):
            start = data.rfind(b"\n", 0, reference.start()) + 1
            self.source.fail(
                f"entity '{reference[0].decode()}' is not declared in this file, and its DTD is not read",
                line=data.count(b"\n", 0, start) + 1,
                column=len(data[start : reference.start()].decode(errors="replace")) + 1,
                hint="replace it by its text",
            )

    def _fail(self, message: str, hint: str = "") -> NoReturn:
        parser = self._parser
        self.source.fail(message, line=parser.CurrentLineNumber, column=parser.CurrentColumnNumber + 1, hint=hint)


_INVALID = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]
_CUT = {
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
}


def _encoding(data: bytes) -> str | None:
    """UTF-8 if the data is UTF-8, for any declaration, because a file may have been recoded; otherwise None, and the
    declaration counts."""
    declared = _DECLARED.match(data[:400])
    if declared is None or declared[1].lower() in (b"utf-8", b"utf8", b"us-ascii"):
        return "utf-8"
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    return "utf-8"
