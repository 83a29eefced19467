"""TEI with referring strings in the text, as GerDraCor-Coref publishes its plays (Pagel and Reiter 2020).

    <TEI xmlns="http://www.tei-c.org/ns/1.0"> <teiHeader> ... <person xml:id="isabella"> ... </teiHeader>
      <text> ... <sp who="#isabella"><speaker>ISABELLA.</speaker>
        <l>In <rs ref="#isabella"><rs ref="#die-Mutter">der Mutter</rs> Schoß</rs></l></sp> ...

An `rs` with `ref` (or a name, persName, placeName, orgName, geogName) is a mention of the entity that it points to. If
it points to several, it is a mention of each. Entities need not be listed in the header. `type` and the speaker (`who`
of the `sp` around it) are attributes. Spans count the characters of <text>, and a run of blanks counts as one. Verses,
paragraphs, headings, speeches and stage directions each begin on a new line. The header is not part of the text. The
document is named after the xml:id of TEI, otherwise after the file.

Many files of the corpus are not XML: all are wrapped in `<#root>`, and if a mention extends over the end of a verse,
the tags cross. So tags are read as brackets. Each is closed by the next tag that closes its name, and crossing tags are
reported. A mention that has only blanks is left out. A file without any mention is a document without mentions, with a
warning.

Definition: the TEI Guidelines P5, chapter 14.2.1 (`rs`). The tests have no real file of it; the reader was tried on the
files of the repository quadrama/gerdracor-coref.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..corpus.model import Corpus, file_stem
from ..files.limits import allowed, refuse
from .shared.builder import Builder
from .shared.lines import Lines
from .shared.sgml import MARK, attributes, character
from .shared.source import Source
from .shared.xml import root

_WRAPPER = re.compile(rb"\s*<#root>")
_REFERRING = {"rs", "name", "persName", "placeName", "orgName", "geogName"}
_INLINE = _REFERRING | {"emph", "hi", "foreign", "title", "q", "quote", "seg", "w", "pc", "c", "num", "date", "ref"}
_INLINE |= {"abbr", "expan", "orig", "reg", "sic", "corr", "choice", "soCalled", "mentioned", "term", "pb"}


def looks_like(head: bytes) -> bool:
    return root(_WRAPPER.sub(b"", head, count=1)) == b"TEI"


def read(source: Source) -> Corpus:
    reader = _Reader(source)
    reader.read()
    return reader.builder.build()


@dataclass(eq=False)
class _Open:
    """An element that is open; a mention, if `references` are given."""

    tag: str
    line: int
    column: int
    speaker: str
    references: tuple[str, ...] = ()
    type: str = ""
    start: int = -1


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source, self.text = source, _without_comments(source.text)
        self.builder = Builder(source, "tei", "character")
        self.pieces: list[str] = []
        self.size = 0
        self.open: list[_Open] = []
        self.waiting: list[_Open] = []  # mentions that have no word yet
        self.before = ""  # the blank or line break before the next word
        self.inside = 0  # how many <text> are open
        self.mentions = 0
        self.lines = Lines(self.text)
        self.place = self.lines.place

    def read(self) -> None:
        if _WRAPPER.match(self.source.data):
            self.source.report("malformed", "the file is wrapped in <#root>, which is not XML: left out", line=1)
        at = 0
        for mark in MARK.finditer(self.text):
            if self.inside:
                self.add(self.text[at : mark.start()])
            at = mark.end()
            self.mark(mark)
        self.finish()
        self.builder.raw("".join(self.pieces))
        if not self.mentions:
            self.source.report("no-coreference", "there is no <rs> with ref: a document without mentions", line=1)

    def mark(self, mark: re.Match[str]) -> None:
        """Read a tag, a reference to a character, or a declaration."""
        closing, tag, rest, called = mark.groups()
        has_document = bool(self.builder.documents)
        if tag == "TEI" and not closing and not has_document:
            name = (attributes(rest) or {}).get("xml:id", "")
            self.builder.document(name or file_stem(self.source.name), line=self.place(mark.start())[0])
        elif called:
            if self.inside:
                self.add(character(called) or mark[0])
        elif not tag:
            self.declaration(mark)
        elif not has_document:
            line, column = self.place(mark.start())
            self.source.fail(f"<TEI> is expected, not <{tag:.40}>", line=line, column=column)
        elif closing:
            self.close(tag, mark.start())
        else:
            self.start(tag, rest, mark.start())

    def finish(self) -> None:
        """Report what the file lacks."""
        for element in self.open:
            if element.references:
                message = f"<{element.tag}> of '{element.references[0]:.60}' is never closed"
                self.source.report("unclosed", message, line=element.line, column=element.column)
        if not self.builder.documents:
            self.source.fail("there is no <TEI> in this file", line=1)
        if self.inside or (self.open and self.open[0].tag == "text"):
            self.source.report("truncated", "<text> is not closed", line=self.lines.line, hint="is the file cut off?")
        if not self.size:
            self.source.fail("there is no <text> with words in this file", code="input")

    def declaration(self, mark: re.Match[str]) -> None:
        if mark[0].startswith("<!") and re.match(r"<!(?:ENTITY|DOCTYPE[^>]*\[)", mark[0]):
            line, column = self.place(mark.start())
            hint = "replace the entities by their text"
            self.source.fail("entities are declared: refused", line=line, column=column, hint=hint)

    def add(self, text: str) -> None:
        """Add text, with one blank for each run of blanks."""
        if text[:1].isspace():
            self.before = self.before or " "
        words = " ".join(text.split())
        if not words:
            return
        if self.size and self.before:
            self.pieces.append(self.before)
            self.size += 1
        for mention in self.waiting:
            mention.start = self.size
        self.waiting.clear()
        self.pieces.append(words)
        self.size += len(words)
        self.before = " " if text[-1:].isspace() else ""

    def start(self, tag: str, rest: str, at: int) -> None:
        empty = rest.rstrip().endswith("/")
        if self.inside and tag not in _INLINE:
            self.before = "\n"
        if tag == "text" and not empty:
            self.inside += 1
        if not self.inside or (empty and tag not in _REFERRING):
            return
        line, column = self.place(at)
        if len(self.open) >= allowed().nesting:
            refuse("nesting", "elements are nested too deeply", file=self.source.name, line=line, column=column)
        element = _Open(tag, line, column, self.open[-1].speaker if self.open else "")
        if tag == "sp":
            element.speaker = self.attributes(element, rest).get("who", "").removeprefix("#")
        elif tag in _REFERRING:
            values = self.attributes(element, rest)
            element.references = tuple(values.get("ref", "").split())
            element.type = values.get("type", "")
        if element.references:
            self.waiting.append(element)
        if not empty:
            self.open.append(element)
        elif element.references:
            self.mention(element)

    def attributes(self, element: _Open, rest: str) -> dict[str, str]:
        """The attributes of an element; those that can't be read are reported."""
        values = attributes(rest)
        if values is None:
            message = f"<{element.tag}{rest:.60}> can't be read"
            self.source.report("syntax", message, line=element.line, column=element.column)
        return values or {}

    def close(self, tag: str, at: int) -> None:
        if not self.inside:
            return
        index = next((i for i in range(len(self.open) - 1, -1, -1) if self.open[i].tag == tag), None)
        line, column = self.place(at)
        if index is None:
            code = "unopened" if tag in _REFERRING else "malformed"
            self.source.report(code, f"</{tag:.40}> closes nothing", line=line, column=column)
            return
        if index < len(self.open) - 1:
            crossed = self.open[-1]
            message = f"</{tag:.40}> closes an element opened before the <{crossed.tag:.40}> of line {crossed.line}"
            self.source.report("malformed", message, line=line, column=column)
        element = self.open.pop(index)
        if tag == "text":
            self.inside -= 1
        if tag not in _INLINE:
            self.before = "\n"
        if element.references:
            self.mention(element)

    def mention(self, element: _Open) -> None:
        if element.start < 0:
            self.waiting = [mention for mention in self.waiting if mention is not element]
            message = f"<{element.tag}> of '{element.references[0]:.60}' has no words: left out"
            self.source.report("left-out", message, line=element.line, column=element.column)
            return
        for reference in element.references:
            label = reference.removeprefix("#")
            handle = self.builder.mention(element.start, self.size - 1, label, line=element.line)
            self.builder.attribute(handle, "type", element.type)
            self.builder.attribute(handle, "speaker", element.speaker)
            self.mentions += 1


def _without_comments(text: str) -> str:
    """The text with blanks for its comments; lines and columns stay."""
    pieces, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces += [text[at:start], re.sub(r"[^\n]", " ", text[start : end + 3])]
        at = end + 3
    return "".join([*pieces, text[at:]])
