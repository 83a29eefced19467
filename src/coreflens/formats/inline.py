r"""Brackets in running text, as language models write them: a mention, and its entity in parentheses.

# doc news/17; part 2
[John](1) said that [[his](1) mother](2) saw [the \[old\] house](#cluster_3) .

A mention is `[words](entity)`; the entity is any text without brackets and line breaks, its label, as it stands
(`1`, `#1`, `e1`, `cluster_1`). Mentions may be nested and go over lines. Words are separated by blanks, and a bracket
of a mention ends a word, too: `[John](1)'s` is John and 's. A line is a sentence.

`[...]` without parentheses right behind it is text. So are `\[`, `\]` and `\\`: a link of Markdown is written
`\[text\](address)`. `[words](#)` and `[words]()`, the questions of the document template that got no answer, belong
to no entity and are left out, as are the fences of three backticks of a model that quotes its answer.

`# doc NAME` starts a document, with `; part N` a part of one. A file without such lines is one document, called like
the file. A line whose words start with `#` or with three backticks begins with a backslash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..corpus.model import Corpus, file_stem
from ..corpus.spans import crossings
from ..errors import InputError
from .shared.builder import Builder
from .shared.source import Source
from .table import labels_of

HOLDS = frozenset(
    {"words", "sentences", "spans", "labels", "documents", "document parts", "documents without mentions"}
    | {"singletons", "repeated mentions", "cross-document entities"}
)

_BRACKET = re.compile(r"\\[\[\]\\]|\[|\](?:\(([^()\[\]\n]*)(\)?))?")
_DOCUMENT = re.compile(r"# doc (.*?)(?:; part (\d{1,9}))?")
_ESCAPED = re.compile(r"\\([\[\]\\#`])")
_LINK = re.compile(rb"(?<!\\)\]\(([^()\[\]\n]*)\)")
_WORD = re.compile(rb"[^/.:?&=%]{0,80}")
_HEADING = re.compile(rb"(?m)^#{1,6} (?!doc\b)")
_BLANK = re.compile(r"[ \t\r]+")
_HINT = r"a bracket that is no mention's is written \[ or \]"
_UNESCAPED = re.compile(r"[\[\]\\]")


def looks_like(head: bytes) -> bool:
    """The line of a document; or a bracket with a word behind it, none with the address of a link, and no headings:
    not Markdown."""
    if head.startswith(b"# doc "):
        return True
    if head.lstrip()[:1] in b"<{" or b"\t" in head.split(b"\n", 1)[0] or _HEADING.search(head):
        return False
    links = _LINK.findall(head)
    return bool(links) and all(_WORD.fullmatch(link) for link in links)


class _Mention(NamedTuple):
    """Line and column of the opening bracket, of the closing one, and the column behind its parentheses; from 0."""

    opening: tuple[int, int]
    closing: tuple[int, int]
    behind: int
    label: str


def read(source: Source) -> Corpus:
    builder = Builder(source, "inline")
    lines = source.text.split("\n")
    begins = [(n, match) for n, line in enumerate(lines) if (match := _DOCUMENT.fullmatch(line.rstrip("\r")))]
    if not begins:
        builder.document(file_stem(source.name), line=1)
        _document(source, builder, lines, 0)
        return builder.build()
    if any(line.strip() for line in lines[: begins[0][0]]):
        source.report("syntax", "text before the first document", line=1, hint="start with a line `# doc NAME`")
    stops = [n for n, _ in begins[1:]] + [len(lines)]
    for (begin, match), stop in zip(begins, stops, strict=True):
        builder.document(match[1], int(match[2]) if match[2] else None, begin + 1)
        _document(source, builder, lines[begin + 1 : stop], begin + 1)
    return builder.build()


def _document(source: Source, builder: Builder, lines: list[str], above: int) -> None:
    """The words and mentions of a document into the builder; `above` lines stand before it."""
    kept: dict[int, str] = {}
    for n, line in enumerate(lines, start=above):
        if line.startswith("```"):
            source.report("left-out", "a fence of Markdown, no words", line=n + 1)
        elif line.strip():
            kept[n] = line
    mentions = _mentions(source, kept)
    brackets: dict[int, list[tuple[int, int, int]]] = {n: [] for n in kept}  # line → column, column behind, mention
    for number, mention in enumerate(mentions):
        brackets[mention.opening[0]].append((mention.opening[1], mention.opening[1] + 1, number))
        brackets[mention.closing[0]].append((mention.closing[1], mention.behind, number))
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    size = 0
    for n, line in kept.items():
        builder.sentence()
        place = 0
        for column, behind, number in sorted(brackets[n]):
            size = _tokens(builder, line[place:column], n + 1, size)
            (last if number in first else first)[number] = size
            place = behind
        size = _tokens(builder, line[place:], n + 1, size)
    for number, (opening, _, _, label) in enumerate(mentions):
        row, column = opening[0] + 1, opening[1] + 1
        if last[number] == first[number]:
            source.report("syntax", "a mention without words", line=row, column=column)
        elif label in ("", "#"):
            source.report("left-out", "a mention that belongs to no entity", line=row, column=column)
        else:
            builder.mention(first[number], last[number] - 1, label, line=row)


def _tokens(builder: Builder, text: str, line: int, size: int) -> int:
    """The words between two brackets into the builder; how many the document has by then."""
    for word in _BLANK.split(text):
        if word:
            size = builder.token(_ESCAPED.sub(r"\1", word), line=line) + 1
    return size


def _mentions(source: Source, lines: dict[int, str]) -> list[_Mention]:
    """The brackets that have an entity, in order of opening."""
    open_: list[tuple[int, int]] = []
    found: list[_Mention] = []
    for n, line in lines.items():
        for match in _BRACKET.finditer(line):
            if match[0] == "[":
                open_.append((n, match.start()))
            elif match[0][0] == "]" and open_:
                opening = open_.pop()
                if match[2] == "":
                    message = f"the parenthesis of '{match[1][:40]}' is never closed"
                    source.report("unclosed", message, line=n + 1, column=match.start() + 2, hint=_HINT)
                elif match[1] is not None:
                    found.append(_Mention(opening, (n, match.start()), match.end(), match[1].strip()))
            elif match[2]:
                message = f"the mention of '{match[1][:40]}' is closed and was never opened"
                source.report("unopened", message, line=n + 1, column=match.start() + 1, hint=_HINT)
    for n, column in open_:
        source.report("unclosed", "a bracket that is never closed", line=n + 1, column=column + 1, hint=_HINT)
    return sorted(found)


def write(corpus: Corpus) -> Iterator[str]:
    """A line a sentence. Of two mentions that cross, the second is left out."""
    if corpus.unit == "character":
        raise InputError("inline brackets stand between words, and these mentions count characters", file=corpus.source)
    if corpus.names is not None and (corpus.start < 0).any():
        raise InputError("inline brackets need spans, and these mentions have names only", file=corpus.source or None)
    text, labels = corpus.text, labels_of(corpus)
    for label in labels:
        if label.strip() != label or label == "#" or set(label) & set("()[]\n"):
            hint = "labels without brackets, and not # alone"
            raise InputError(
                f"the entity {label!r:.40} can't stand in parentheses", file=corpus.source or None, hint=hint
            )
    ends, entity = corpus.end.tolist(), corpus.entity.tolist()
    crossing = {row for _, row in crossings(corpus)}
    for d, document in enumerate(corpus.documents):
        header = f"# doc {document.name}" + ("" if document.part is None else f"; part {document.part}")
        match = _DOCUMENT.fullmatch(header)
        if match is None or (match[1], match[2] and int(match[2])) != document[:2] or header.endswith("\r"):
            raise InputError(f"a document can't be called {document.name!r:.40}", file=corpus.source or None)
        yield header + "\n"
        opening: dict[int, list[int]] = {}
        for row in range(*corpus.bounds[d : d + 2].tolist()):
            if row not in crossing:
                opening.setdefault(int(corpus.start[row]), []).append(row)
        open_: list[int] = []
        place = 0
        for sentence in text.sentences_of(d):
            pieces: list[str] = []
            for word in sentence:
                open_ += (rows := sorted(opening.get(place, ()), key=lambda row: -ends[row]))
                piece = "[" * len(rows) + _escaped(word, not pieces, corpus)
                while open_ and ends[open_[-1]] == place:
                    piece += f"]({labels[entity[open_.pop()]]})"
                pieces.append(piece)
                place += 1
            yield " ".join(pieces) + "\n"


def _escaped(word: str, first: bool, corpus: Corpus) -> str:
    if not word or _BLANK.search(word) or "\n" in word:
        hint = "inline brackets separate words by blanks"
        raise InputError(f"the word {word!r:.40} is empty or has a blank in it", file=corpus.source or None, hint=hint)
    escaped = _UNESCAPED.sub(r"\\\g<0>", word)
    return "\\" + escaped if first and word.startswith(("#", "```")) else escaped
