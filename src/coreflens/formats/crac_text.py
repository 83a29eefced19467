"""The plain text that the CRAC tasks give to language models: one document per line, tags after the words.

Los|[e1 jugadores de el Espanyol|[e2],e1] aseguraron hoy que ##|[e1] prefieren enfrentar se

Words are separated by blanks. The tags of a word follow `|`: `[e1` opens a mention of entity e1, `e1]` closes the one
that was opened last, `[e1]` is a mention of one word. Words that were never written (zeros, empty nodes) begin with
`##` and may have no form. There are no sentences and no names. Documents are numbered, and are paired with those of the
key in their order (`--pair file`). An empty line is a document without words, unless it is the last one.

Entities are written as e1, e2, ... in the order of their first mentions, from e1 in each document. A blank within a
word becomes `_`, as in the tool of the tasks. For a discontinuous mention, the piece with its head is written, or the
first piece if there is no head.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..corpus.model import Corpus, file_stem
from ..errors import InputError
from .shared.builder import Builder
from .shared.repairs import repairing
from .shared.source import Source

__all__ = ["APPENDS", "HOLDS", "looks_like", "numbered", "pieces_with_heads", "read", "word_of", "write"]

HOLDS = frozenset(
    {"words", "spans", "documents", "documents without mentions", "singletons", "crossing mentions"}
    | {"repeated mentions", "zeros"}
)
APPENDS = True

_LABEL = r"[^\[\],|\s]{1,200}"
_TAG = re.compile(rf"(\[?)({_LABEL})(\]?)")
_TAGGED = re.compile(rf"(.*)\|((?:\[?{_LABEL}\]?)(?:,\[?{_LABEL}\]?)*)")
_HEAD = re.compile(rb"(?:^|[ \n])[^\s|]+\|(?:[^\s|\[\],]+\],)*\[[^\s|\[\],]+[\], \r\n]")
_BYTE_ORDER_MARK = "\ufeff"
_HINT = "tags are [e1, e1] or [e1], separated by commas; --repair leaves out the others, and reports them"


def looks_like(head: bytes) -> bool:
    """Whether there is a word with a tag that opens a mention."""
    return b"\t" not in head.split(b"\n", 1)[0] and bool(_HEAD.search(head))


def read(source: Source) -> Corpus:
    source.repairs = repairing()
    builder = Builder(source, "crac-text")
    lines = source.text.rstrip("\r\n").split("\n")
    for n, line in enumerate(lines, start=1):
        builder.document(file_stem(source.name) if len(lines) == 1 else f"{file_stem(source.name)} {n}", line=n)
        open_: dict[str, list[tuple[int, int]]] = {}
        column = 1
        for given in line.rstrip("\r").split(" "):
            if given:
                _word(source, builder, given, n, column, open_)
            column += len(given) + 1
        for label, places in open_.items():
            for _, where in places:
                message = f"a mention of '{label[:40]}' is never closed"
                source.report("unclosed", message, line=n, column=where, hint=_HINT)
    return builder.build()


def _word(
    source: Source, builder: Builder, given: str, line: int, column: int, open_: dict[str, list[tuple[int, int]]]
) -> None:
    """Add a word with its tags to the builder. `open_`: label → token and column of the mentions that are open."""
    tagged = _TAGGED.fullmatch(given)
    word, tags = (tagged[1], tagged[2].split(",")) if tagged and _is_tagged(tagged[2]) else (given, [])
    empty = word.startswith("##")
    form = word.removeprefix("##") or "_" if empty else word
    if not form:
        source.report("syntax", "these tags have no word", line=line, column=column, hint=_HINT)
        return
    token = builder.token(form, line=line, empty=empty)
    for tag in tags:
        match = _TAG.fullmatch(tag)
        assert match is not None
        opens, label, closes = match.groups()
        if opens and closes:
            builder.mention(token, token, label, line=line)
        elif opens:
            open_.setdefault(label, []).append((token, column))
        elif closes and open_.get(label):
            builder.mention(open_[label].pop()[0], token, label, line=line)
        elif closes:
            message = f"a mention of '{label[:40]}' is closed but was never opened"
            source.report("unopened", message, line=line, column=column, hint=_HINT)
        else:
            message = f"the tag '{label[:40]}' neither opens nor closes a mention"
            source.report("syntax", message, line=line, column=column, hint=_HINT)


def _is_tagged(tags: str) -> bool:
    """Whether the text after `|` has a bracket; without one, `a|b` is a word."""
    return "[" in tags or "]" in tags


def word_of(word: str, empty: bool) -> str:
    """A word as the tasks write it: without blanks, and `##` before one that was never written."""
    form = re.sub(r"\s", "_", word)
    return f"##{form if form != '_' else ''}" if empty else form


def numbered(corpus: Corpus, document: int) -> dict[int, int]:
    """The number of each entity of a document, from 1, in the order of their first mentions."""
    rows = range(*corpus.bounds[document : document + 2].tolist())
    return {entity: n for n, entity in enumerate(dict.fromkeys(int(corpus.entity[row]) for row in rows), start=1)}


def pieces_with_heads(corpus: Corpus, row: int) -> tuple[int, int]:
    """The span of a mention; for a discontinuous one the piece with the head, or the first piece."""
    pieces = corpus.pieces(row)
    head = -1 if corpus.head is None else int(corpus.head[row])
    return next(((start, end) for start, end in pieces if start <= head <= end), pieces[0])


def write(corpus: Corpus) -> Iterator[str]:
    """One line per document."""
    if corpus.names is not None and (corpus.start < 0).any():
        raise InputError("tags need spans, but these mentions have only names", file=corpus.source or None)
    for d in range(len(corpus.documents)):
        tags = _tags(corpus, d)
        words = []
        for place, word in enumerate(_words(corpus, d)):
            words.append(f"{word}|{','.join(sorted(tags[place]))}" if place in tags else word)
        yield " ".join(words) + "\n"


def _tags(corpus: Corpus, d: int) -> dict[int, list[str]]:
    """The tags of each token of a document."""
    number = numbered(corpus, d)
    tags: dict[int, list[str]] = {}
    spans_by_entity: dict[int, list[tuple[int, int]]] = {}
    for row in range(*corpus.bounds[d : d + 2].tolist()):
        start, end = pieces_with_heads(corpus, row)
        entity = number[int(corpus.entity[row])]
        spans_by_entity.setdefault(entity, []).append((start, end))
        if start == end:
            tags.setdefault(start, []).append(f"[e{entity}]")
        else:
            tags.setdefault(start, []).append(f"[e{entity}")
            tags.setdefault(end, []).append(f"e{entity}]")
    _refuse_crossing(corpus, d, spans_by_entity)
    return tags


def _words(corpus: Corpus, d: int) -> Iterator[str]:
    """The words of a document as they are written; one that would be read as something else is an error."""
    text = corpus.text
    here = text.document(d)
    for place, token in enumerate(range(here.start, here.stop)):
        empty = text.empty is not None and bool(text.empty[token])
        word = word_of(text.words[token], empty)
        is_first = d == 0 and place == 0
        if not word or _is_misread(word, empty) or (is_first and word.startswith(_BYTE_ORDER_MARK)):
            raise InputError(f"the word {word!r:.40} would be read as something else", file=corpus.source or None)
        yield word


def _is_misread(word: str, empty: bool) -> bool:
    """Whether a word looks like a word with tags, or like an empty node without being one."""
    tagged = _TAGGED.fullmatch(word)
    if tagged and _is_tagged(tagged[2]):
        return True
    return not empty and word.startswith("##")


def _refuse_crossing(corpus: Corpus, d: int, spans_by_entity: dict[int, list[tuple[int, int]]]) -> None:
    """Refuse two mentions of one entity that cross, because they would be read as nested."""
    for spans in spans_by_entity.values():
        open_: list[tuple[int, int]] = []
        for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
            open_ = [other for other in open_ if other[1] >= start]
            if any(other[0] < start and other[1] < end for other in open_):
                document = corpus.documents[d]
                message = f"two mentions of one entity cross in document {document.quoted}, which tags can't show"
                hint = "--to crac-json can"
                raise InputError(message, file=document.file or None, line=document.line or None, hint=hint)
            open_.append((start, end))
