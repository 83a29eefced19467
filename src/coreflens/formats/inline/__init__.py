r"""Brackets in running text, as language models write them: a mention, and its entity in parentheses or a similar
notation.

# doc news/17; part 2
[John](1) said that [[his](1) mother](2) saw [the \[old\] house](#cluster_3) .

A mention is `[words](entity)`. The entity is its label as it is written, any text without brackets and line breaks
(`1`, `#1`, `e1`, `cluster_1`). Mentions may be nested and extend over lines. Words are separated by blanks. A bracket
of a mention also ends a word: `[John](1)'s` is John and 's. A line is a sentence.

Other notations are read, one per file, but not written: `[John]1`, `[John]_1`, `[John|1]` and `<m id=1>John</m>`.
If mentions occur only within fences of three backticks, the text around the fences is a remark of the model, and is
left out. Clusters as JSON are also read, in a fence or between remarks: see `lists` for their shapes.

`[...]` without parentheses right after it is text. `\[`, `\]` and `\\` are also text. So a link of Markdown is written
`\[text\](address)`. `[words](#)` and `[words]()` are questions of the document template without an answer. They belong
to no entity and are left out. The fences themselves are also left out. A mark that is never closed, or never opened, is
an error. `--repair` leaves it out and reports it; if a parenthesis is never closed, it ends after its first word.

`# doc NAME` starts a document, and with `; part N` a part of a document. A file without such lines is one document,
named after the file. If a line of text would start with `#` or with three backticks, a backslash is put before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ...corpus.model import Corpus, Document, file_stem
from ...corpus.spans import crossings
from ...errors import InputError
from .. import crac_json, jsonlines
from ..shared.builder import Builder
from ..shared.repairs import repairing
from ..shared.source import Source
from ..table import labels_of
from .lists import begins, read_lists, record_in
from .notations import REPAIR, Mention, Piece, counts, inside_fences, mentions, notation_of

__all__ = ["HOLDS", "looks_like", "read", "write"]

HOLDS = frozenset(
    {"words", "sentences", "spans", "labels", "documents", "document parts", "documents without mentions"}
    | {"singletons", "repeated mentions", "cross-document entities"}
)

_DOCUMENT = re.compile(r"# doc (.*?)(?:; part (\d{1,9}))?")
_ESCAPED = re.compile(r"\\([\[\]\\#`])")
_LINK = re.compile(rb"(?<!\\)\]\(([^()\[\]\n]*)\)")
_WORD = re.compile(rb"[^/.:?&=%]{0,80}")
_HEADING = re.compile(rb"(?m)^#{1,6} (?!doc\b)")
_TAGGED = re.compile(rb"<\w+[ \t]+id[ \t]*=[^<>\n]{1,90}>[^<>\n]{1,200}</\w+>")
_OTHER_JSON = re.compile(r'\s*(?:\[\s*)?\{\s*"(?:doc_key|doc_id|tokens|sentences|type)"')  # these are other formats
_BLANK = re.compile(r"[ \t\r]+")
_UNESCAPED = re.compile(r"[\[\]\\]")


def looks_like(head: bytes) -> bool:
    """Whether there is a line `# doc`, or marks of mentions without addresses of links and without headings, which
    would be Markdown."""
    if head.startswith(b"# doc "):
        return True
    if _are_lists(text := head.decode(errors="replace")):
        return not _OTHER_JSON.match(text)
    if _is_other(head):
        return False
    if links := _LINK.findall(head):
        return all(_WORD.fullmatch(link) for link in links)
    numbers = counts(text)
    most = max(numbers.values())
    return most > 0 and (numbers["tag"] == most or 2 * most >= text.count("]"))


def _is_other(head: bytes) -> bool:
    """Whether this looks like XML or JSON, a table, or Markdown with headings."""
    start = head.lstrip()
    if start[:1] in b"<{" and not _TAGGED.match(start):
        return True
    return b"\t" in head.split(b"\n", 1)[0] or _HEADING.search(head) is not None


def _are_lists(text: str) -> bool:
    """Whether a text has clusters as JSON, and no marks."""
    return not any(counts(text).values()) and begins(text)


def read(source: Source) -> Corpus:
    source.repairs = repairing()
    builder = Builder(source, "inline")
    has_lists = _are_lists(source.text)
    if has_lists and (record := record_in(source)) is not None:
        return crac_json.read(record) if crac_json.looks_like(record.data) else jsonlines.read(record)
    kinds: set[str] = set()
    notation = "link" if has_lists else notation_of(source)
    lines = source.text.split("\n")

    def add(begin: int, stop: int) -> None:
        """Add the lines of one document."""
        if has_lists:
            read_lists(source, builder, "\n".join(lines[begin:stop]), begin, kinds)
        else:
            _document(source, builder, lines[begin:stop], begin, notation)

    headers = [(n, match) for n, line in enumerate(lines) if (match := _DOCUMENT.fullmatch(line.rstrip("\r")))]
    if not headers:
        if not has_lists:
            builder.document(file_stem(source.name), line=1)
        add(0, len(lines))
        return builder.build()
    if any(line.strip() for line in lines[: headers[0][0]]):
        hint = "start with a line `# doc NAME`"
        source.report("syntax", "there is text before the first document", line=1, hint=hint)
    stops = [n for n, _ in headers[1:]] + [len(lines)]
    for (n, match), stop in zip(headers, stops, strict=True):
        part = int(match[2]) if match[2] else None
        builder.document(match[1], part, n + 1)
        add(n + 1, stop)
    return builder.build()


def _document(source: Source, builder: Builder, lines: list[str], above: int, notation: str) -> None:
    """Add the words and mentions of a document to the builder; `above` is the number of lines before it."""
    kept = _lines_of_text(source, lines, above, notation)
    marked, left_over = mentions(source, kept, notation)
    brackets = _brackets(kept, marked, left_over if source.repairs else ())
    borders = _add_words(builder, kept, brackets)
    for number, mention in enumerate(marked):
        line, column = mention.opening[0] + 1, mention.opening[1] + 1
        first, stop = borders[number]
        if first == stop:
            hint = REPAIR.removeprefix("; ")
            source.report("syntax", "this mention has no words", line=line, column=column, hint=hint)
        elif mention.label in ("", "#"):
            source.report("left-out", "a mention that belongs to no entity", line=line, column=column)
        else:
            builder.mention(first, stop - 1, mention.label, line=line)


def _lines_of_text(source: Source, lines: list[str], above: int, notation: str) -> dict[int, str]:
    """The lines with words by their numbers, without fences and without remarks around the answer."""
    kept: dict[int, str] = {}
    answer = set(inside_fences(dict(enumerate(lines, start=above)), notation))
    for n, line in enumerate(lines, start=above):
        if line.startswith("```"):
            source.report("left-out", "a fence of Markdown, not text", line=n + 1)
        elif line.strip() and answer and n not in answer:
            source.report("left-out", "a remark before or after the answer, not part of it", line=n + 1)
        elif line.strip():
            kept[n] = line
    return kept


_Bracket: TypeAlias = tuple[int, int, int]  # column, column after it, number of its mention; -1 if it is removed


def _brackets(lines: Iterable[int], marked: Sequence[Mention], removed: Iterable[Piece]) -> dict[int, list[_Bracket]]:
    """The brackets of each line."""
    brackets: dict[int, list[_Bracket]] = {n: [] for n in lines}
    for number, mention in enumerate(marked):
        brackets[mention.opening[0]].append((mention.opening[1], mention.inside, number))
        brackets[mention.closing[0]].append((mention.closing[1], mention.behind, number))
    for n, column, behind in removed:
        brackets[n].append((column, behind, -1))
    return brackets


def _add_words(
    builder: Builder, lines: Mapping[int, str], brackets: Mapping[int, list[_Bracket]]
) -> dict[int, list[int]]:
    """Add the words of a document; returns how many words are before each of the two brackets of each mention."""
    borders: dict[int, list[int]] = {}
    size = 0
    for n, line in lines.items():
        builder.sentence()
        place = 0
        for column, behind, number in sorted(brackets[n]):
            size = _tokens(builder, line[place:column], n + 1, size)
            if number >= 0:
                borders.setdefault(number, []).append(size)
            place = behind
        size = _tokens(builder, line[place:], n + 1, size)
    return borders


def _tokens(builder: Builder, text: str, line: int, size: int) -> int:
    """Add the words between two brackets to the builder; returns how many words the document has so far."""
    for word in _BLANK.split(text):
        if word:
            size = builder.token(_ESCAPED.sub(r"\1", word), line=line) + 1
    return size


def write(corpus: Corpus) -> Iterator[str]:
    """One line per sentence. If two mentions cross, the second is left out."""
    if corpus.unit == "character":
        raise InputError("inline brackets count words, but these mentions count characters", file=corpus.source)
    if corpus.names is not None and (corpus.start < 0).any():
        raise InputError("inline brackets need spans, but these mentions have only names", file=corpus.source or None)
    labels = _labels(corpus)
    label_of_row = [labels[entity] for entity in corpus.entity.tolist()]
    ends = corpus.end.tolist()
    crossing = {row for _, row in crossings(corpus)}
    for d, document in enumerate(corpus.documents):
        yield _header(document, corpus.source) + "\n"
        rows = [row for row in range(*corpus.bounds[d : d + 2].tolist()) if row not in crossing]
        yield from _sentences(corpus, d, rows, ends, label_of_row)


def _labels(corpus: Corpus) -> list[str]:
    """The labels of the entities; one that can't be written is an error."""
    labels = labels_of(corpus)
    for label in labels:
        if label.strip() != label or label == "#" or set(label) & set("()[]\n"):
            message = f"the entity {label!r:.40} can't be written in parentheses"
            hint = "labels can't have brackets, and can't be only #"
            raise InputError(message, file=corpus.source or None, hint=hint)
    return labels


def _header(document: Document, file: str) -> str:
    header = f"# doc {document.name}" + ("" if document.part is None else f"; part {document.part}")
    match = _DOCUMENT.fullmatch(header)
    is_read_back = match is not None and (match[1], match[2] and int(match[2])) == document[:2]
    if not is_read_back or header.endswith("\r"):
        raise InputError(f"a document can't have the name {document.name!r:.40}", file=file or None)
    return header


def _sentences(
    corpus: Corpus, d: int, rows: Iterable[int], ends: Sequence[int], label_of_row: Sequence[str]
) -> Iterator[str]:
    """The lines of a document, with the mentions of these rows."""
    opening: dict[int, list[int]] = {}
    for row in rows:
        opening.setdefault(int(corpus.start[row]), []).append(row)
    open_rows: list[int] = []
    place = 0
    for sentence in corpus.text.sentences_of(d):
        pieces: list[str] = []
        for word in sentence:
            opened_here = sorted(opening.get(place, ()), key=lambda row: -ends[row])
            open_rows += opened_here
            piece = "[" * len(opened_here) + _escaped(word, not pieces, corpus)
            while open_rows and ends[open_rows[-1]] == place:
                piece += f"]({label_of_row[open_rows.pop()]})"
            pieces.append(piece)
            place += 1
        yield " ".join(pieces) + "\n"


def _escaped(word: str, first: bool, corpus: Corpus) -> str:
    if not word or _BLANK.search(word) or "\n" in word:
        hint = "inline brackets separate words by blanks"
        raise InputError(f"the word {word!r:.40} is empty or has a blank in it", file=corpus.source or None, hint=hint)
    escaped = _UNESCAPED.sub(r"\\\g<0>", word)
    return "\\" + escaped if first and word.startswith(("#", "```")) else escaped
