r"""SACR: mentions in braces in the text.

    #title: The Peasant and the Eagle

    #textid: aesop

    {Peasant:function="s subject",head="1" A Peasant} found {Eagle an Eagle captured in {M3:head=1 a trap}}.

    mention  = "{" entity (":" property ("," property)*)? blank text "}"         mentions nest and do not cross
    property = name "=" (word | quotes without quotes in them)

Lines with `#` and rows of `*****` come before a paragraph, and paragraphs end with an empty line. `#textid:` names the
document, which is otherwise named after the file. `#speaker:` names the speaker of the text after it, and is kept as an
attribute of the mentions. Other such lines are not read. Properties are attributes. Spans count the characters of the
text without braces and `#` lines, with an empty line between paragraphs.

A `}` always closes a mention: the format can't hold a `}` that is text. But a `{` is text if no entity follows it.
"""

from __future__ import annotations

import re

from ..corpus.model import Corpus, file_stem
from .shared.builder import Builder
from .shared.lines import Lines
from .shared.source import Source

_BLOCK = re.compile(r"\n+|#([^\n]*)|\*{5,}")
_PARAGRAPH = re.compile(r"\n\n+")
_MARK = re.compile(r"\{(\w[^\s{}:=\"]*)([: ])|\}")
_PROPERTY = re.compile(r"(\w+)=(?:\"([^\"]*)\"|([^\s\",={}]*))([, ])")
_LOOKS = re.compile(rb"\{[^{}:\s\"=\[\],]+:\w+=(?:\"[^\"]*\"|\w+)[, ]|\A\s*#(?:title|text_?id|textmetadata):")
_NAMED = re.compile(r"(text_?id|speaker)\s*:(.*)")


def looks_like(head: bytes) -> bool:
    return head.lstrip()[:1] not in (b"<", b"[") and not head.lstrip().startswith(b'{"') and bool(_LOOKS.search(head))


def read(source: Source) -> Corpus:
    reader = _Reader(source)
    reader.read()
    return reader.builder.build()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source, self.text = source, source.text.replace("\r\n", "\n")
        self.builder = Builder(source, "sacr", unit="character")
        self.name, self.speaker = "", ""
        self.pieces: list[str] = []
        self.size = 0
        self.mentions: list[tuple[int, int, int, str, dict[str, str], int]] = []  # place of its brace, start, end, ...
        self.place = Lines(self.text).place

    def read(self) -> None:
        at = 0
        while at < len(self.text):
            if block := _BLOCK.match(self.text, at):
                at = block.end()
                self.comment(block[1] or "")
            else:
                end = _PARAGRAPH.search(self.text, at)
                stop = end.start() if end else len(self.text)
                self.paragraph(at, stop)
                at = end.end() if end else stop
        self.builder.document(self.name or file_stem(self.source.name), line=1)
        self.builder.raw("".join(self.pieces))
        for _, start, stop, entity, attributes, line in sorted(self.mentions, key=lambda mention: mention[0]):
            handle = self.builder.mention(start, stop, entity, line=line)
            for name, value in attributes.items():
                self.builder.attribute(handle, name, value)

    def comment(self, text: str) -> None:
        if named := _NAMED.fullmatch(text.strip()):
            if named[1] == "speaker":
                self.speaker = named[2].strip()
            else:
                self.name = named[2].strip()

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.size += len(text)

    def paragraph(self, at: int, stop: int) -> None:
        """Read the text from one place to another, with its mentions; none extends over the end of a paragraph."""
        text = self.text
        if not text[at:stop].strip():
            return
        if self.pieces:
            self.add("\n\n")
        open_: list[tuple[int, int, str, dict[str, str], int, int]] = []
        while mark := _MARK.search(text, at, stop):
            self.add(text[at : mark.start()])
            line, column = self.place(mark.start())
            at = mark.end()
            if mark[1]:
                attributes: dict[str, str] = {"speaker": self.speaker}
                if mark[2] == ":":
                    at = self.properties(at, stop, attributes, line, column)
                open_.append((mark.start(), self.size, mark[1], attributes, line, column))
            elif not open_:
                hint = "a brace that is text can't be written in SACR"
                self.source.report("unopened", "`}` closes no mention", line=line, column=column, hint=hint)
            else:
                place, start, entity, attributes, line, column = open_.pop()
                if self.size == start:
                    message = f"a mention of {entity:.40} has no text"
                    self.source.report("syntax", message, line=line, column=column)
                else:
                    self.mentions.append((place, start, self.size - 1, entity, attributes, line))
        self.add(text[at:stop])
        for _, _, entity, _, line, column in open_:
            message = f"the mention of {entity:.40} is not closed in its paragraph"
            self.source.report("unclosed", message, line=line, column=column)

    def properties(self, at: int, stop: int, attributes: dict[str, str], line: int, column: int) -> int:
        """Read the properties between the entity and the text of a mention; returns where the text starts."""
        while match := _PROPERTY.match(self.text, at, stop):
            attributes[match[1]] = match[2] if match[2] is not None else match[3]
            at = match.end()
            if match[4] == " ":
                return at
        what = f"not a property: {self.text[at : min(at + 40, stop)]!r}"
        self.source.report("syntax", what, line=line, column=column, hint='{Entity:name="value",name="value" text}')
        return at
