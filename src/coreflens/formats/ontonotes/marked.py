"""Marked-up layers of OntoNotes, .name and .coref: one sentence per line, with elements around words.

    <DOC DOCNO="bc/x/00/x_0000@0000@x@bc@en@on">
    <TEXT PARTNO="000">
    <COREF ID="3" TYPE="IDENT">Ann Bell</COREF> left .
    </TEXT>
    </DOC>

The text of real .coref files has the traces of the trees, and the text of .name files has not. `&`, `<` and `>` are
written as -AMP-, -LAB- and -RAB-.
"""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

from ...errors import InputError

_MARKUP = re.compile(r"<(/?)([A-Z]+)((?:\s+[A-Z_]+=\"[^\"]*\")*)\s*>|([^\s<>]+)")
_ATTRIBUTE = re.compile(r"([A-Z_]+)=\"([^\"]*)\"")


class Sentence(NamedTuple):
    """A line of words, with its spans."""

    words: list[str]
    spans: list[tuple[int, int, dict[str, str]]]  # first and last word, attributes
    line: int


class Marked(NamedTuple):
    """A marked-up file: the document's name, and sentences by part. Without TEXT elements the only part is None."""

    name: str
    parts: dict[int | None, list[Sentence]]


def read_marked(content: str, file: str) -> Marked:
    """A .name or .coref file."""
    name, part = "", None
    parts: dict[int | None, list[Sentence]] = {}
    for number, line in enumerate(content.split("\n"), start=1):
        sentence = Sentence([], [], number)
        open_: list[tuple[str, int, dict[str, str]]] = []  # element, first word, attributes
        for piece in _MARKUP.finditer(line):
            close, element, attributes, word = piece.groups()
            if word is not None:
                sentence.words.append(unescape(word))
            elif element == "DOC":
                name = name if close else dict(_ATTRIBUTE.findall(attributes)).get("DOCNO", "")
            elif element == "TEXT":
                part = part if close else _part(attributes)
            elif not close:
                values = {k: unescape(v) for k, v in _ATTRIBUTE.findall(attributes)}
                open_.append((element, len(sentence.words), values))
            elif not open_ or open_[-1][0] != element:
                raise InputError(f"</{element}> closes nothing", file=file, line=number, column=piece.start() + 1)
            else:
                _, first, values = open_.pop()
                sentence.spans.append((first, len(sentence.words) - 1, values))
        if open_:
            raise InputError(f"<{open_[-1][0]}> is not closed in its line", file=file, line=number)
        if sentence.words:
            parts.setdefault(part, []).append(sentence)
    return Marked(unescape(name), parts)


def _part(attributes: str) -> int:
    number = dict(_ATTRIBUTE.findall(attributes)).get("PARTNO", "0")
    return int(number) if number.isdecimal() else 0
