"""The layers of OntoNotes from .conll files, and back.

    .parse   bracketed trees, a blank line between them
    .name    <DOC DOCNO="bc/x/00/x_0000">, one sentence per line, <ENAMEX TYPE="ORG">names</ENAMEX> inline
    .coref   the same with <TEXT PARTNO="000"> and <COREF ID="3" TYPE="IDENT">mentions</COREF>
    .prop, .sense, .speaker   predicates with arguments, senses, speakers (see standoff.py)

A document is one file of each layer, its parts one after the other. Words and tags come from the trees, parts from the
.coref file. Chains of TYPE="APPOS" are appositions: they are kept separate and never scored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from ..corpus.brackets import propositions
from ..corpus.model import Corpus, Text
from ..corpus.treebank import read_trees, tree
from ..corpus.trees import trees
from ..errors import InputError
from ..formats import read
from ..formats.ontonotes.marked import Sentence, read_marked
from ..formats.shared.builder import Builder
from ..formats.shared.source import Source
from .standoff import sentences, standoff

LAYERS = ("parse", "name", "coref")
_NAME = re.compile(r"(\()?([^()*]*)\*?(\))?")


class Layer(NamedTuple):
    """A file of one layer: its path below the corpus, without suffix, its suffix and its content."""

    document: str
    suffix: str
    content: str


def layers(corpus: Corpus, lost: Counter[str] | None = None) -> Iterator[Layer]:
    """The layers that a corpus has; all except .coref only if it has their columns. Malformed trees are an error.

    `lost` counts data that no file can hold.
    """
    lost = Counter() if lost is None else lost
    text = corpus.text
    trees(corpus)
    known = {found.token: found for found in propositions(text)}
    parts: dict[str, list[int]] = {}
    for d, document in enumerate(corpus.documents):
        parts.setdefault(document.name, []).append(d)
    for name, units in parts.items():
        if any(text.layers.get("parse", ())):
            yield Layer(name, ".parse", "".join(f"{one}\n\n" for d in units for one in _trees(text, d)))
        if any(text.layers.get("names", ())):
            lines = (line for d in units for line in _names(text, d))
            yield Layer(name, ".name", _document(name, lines))
        lines = (line for d in units for line in _part(corpus, d))
        yield Layer(name, ".coref", _document(name, lines))
        for suffix, text_ in standoff(corpus, units, known, lost):
            yield Layer(name, suffix, text_)


def _document(name: str, lines: Iterable[str]) -> str:
    return "\n".join((f'<DOC DOCNO="{escape(name)}">', *lines, "</DOC>", ""))


def _trees(text: Text, d: int) -> Iterator[str]:
    tags = text.layers.get("pos") or ["XX"] * len(text.words)
    for cut in sentences(text, d):
        yield tree(text.words[cut], tags[cut], text.layers["parse"][cut])


def _names(text: Text, d: int) -> Iterator[str]:
    """One sentence per line, with the names of the bracketed column as elements."""
    for cut in sentences(text, d):
        words = []
        for word, bit in zip(text.words[cut], text.layers["names"][cut], strict=True):
            opens, label, closes = _NAME.fullmatch(bit).groups() if _NAME.fullmatch(bit) else ("", "", "")  # type: ignore[union-attr]
            before = f'<ENAMEX TYPE="{escape(label)}">' if opens else ""
            words.append(f"{before}{escape(word, quote=False)}{'</ENAMEX>' if closes else ''}")
        yield " ".join(words)


def _part(corpus: Corpus, d: int) -> Iterator[str]:
    """The part's sentences with their mentions as elements, the longer ones outside."""
    text, document = corpus.text, corpus.documents[d]
    a, b = corpus.bounds[d : d + 2].tolist()
    opening: dict[int, list[int]] = {}
    closing: dict[int, int] = {}
    stack: list[int] = []
    for row in sorted(range(a, b), key=lambda r: (corpus.start[r], -corpus.end[r])):
        start, end = int(corpus.start[row]), int(corpus.end[row])
        while stack and stack[-1] < start:
            stack.pop()
        if (stack and stack[-1] < end) or row in corpus.parts:
            mention = corpus.mention(row)
            what = "is discontinuous" if row in corpus.parts else "crosses another one"
            raise InputError(
                f"mention {mention.identity} {what}, which elements can't express",
                file=document.file or None,
                line=mention.line or None,
            )
        stack.append(end)
        opening.setdefault(start, []).append(row)
        closing[end] = closing.get(end, 0) + 1
    yield f'<TEXT PARTNO="{document.part or 0:03}">'
    offset = int(text.first[d])
    for cut in sentences(text, d):
        words = []
        for place in range(cut.start, cut.stop):
            tags = "".join(
                f'<COREF ID="{escape(str(corpus.labels[corpus.entity[row]]))}" TYPE="IDENT">'
                for row in opening.get(place - offset, ())
            )
            word = escape(text.words[place], quote=False)
            words.append(f"{tags}{word}{'</COREF>' * closing.get(place - offset, 0)}")
        yield " ".join(words)
    yield "</TEXT>"


def join(name: str, parse: str, names: str | None, coref: str, files: Sequence[str] = ("", "", "")) -> Corpus:
    """A document from the contents of its layers; `files` are their names, for messages."""
    marked = read_marked(coref, files[2])
    named = read_marked(names, files[1]).parts if names is not None else {}
    name_lines = [s for sentences in named.values() for s in sentences]
    trees_ = [leaves for leaves in read_trees(parse, files[0]) if leaves]
    builder = Builder(Source(coref.encode(), files[2]), "conll")
    count = apart = 0
    total = sum(map(len, marked.parts.values()))
    if total != len(trees_) or (name_lines and len(name_lines) != total):
        found = f"{len(trees_)} trees, {total} sentences of coreference" + f", {len(name_lines)} of names" * bool(
            name_lines
        )
        raise InputError(f"the layers differ: {found}", file=files[2] or None)
    for part, lines in marked.parts.items():
        builder.document(marked.name or name, part, line=lines[0].line)
        offset = 0
        for line in lines:
            leaves = trees_[count]
            given = name_lines[count] if name_lines else None
            _same_words([leaf.word for leaf in leaves], line, files[2])
            bits = _name_bits(given, len(leaves)) if given else [""] * len(leaves)
            if given:
                _same_words([leaf.word for leaf in leaves], given, files[1])
            builder.sentence()
            for leaf, bit in zip(leaves, bits, strict=True):
                columns = {"names": bit} if given else {}
                builder.token(leaf.word, line.line, False, pos=leaf.tag, parse=leaf.bit, **columns)
            for first, last, values in line.spans:
                if values.get("TYPE", "IDENT") == "IDENT":
                    builder.mention(offset + first, offset + last, values.get("ID", ""), line=line.line)
                else:
                    apart += 1
            offset += len(leaves)
            count += 1
    if apart:
        builder.source.report("left-out", f"{apart} spans of other relations than identity: see `appositions`")
    return builder.build()


def read_layers(directory: Path) -> Iterator[Corpus]:
    """Every document below a directory that has a .coref and a .parse file, with any other layers it has."""
    files = sorted(directory.rglob("*.coref"))
    if not files:
        missing = "no .coref file below this directory" if directory.is_dir() else "no such directory"
        raise InputError(missing, file=str(directory), hint="`coreflens task layers` writes such files")
    for coref in files:
        if not coref.with_suffix(".parse").is_file():
            raise InputError(
                "there is no .parse file beside this", file=str(coref), hint="the words come from the trees"
            )
        yield read(str(coref), format="ontonotes")


def appositions(coref: str, file: str = "") -> Iterator[tuple[int | None, str, str, list[str]]]:
    """The appositive chains of a .coref file: part, id, subtype (HEAD or ATTRIB) and words of each member."""
    for part, marked in read_marked(coref, file).parts.items():
        for sentence in marked:
            for first, last, values in sentence.spans:
                if values.get("TYPE") == "APPOS":
                    words = sentence.words[first : last + 1]
                    yield part, values.get("ID", ""), values.get("SUBTYPE", ""), words


def _same_words(words: list[str], line: Sentence, file: str) -> None:
    if words != line.words:
        place = next(
            (i for i, (a, b) in enumerate(zip(words, line.words, strict=False)) if a != b),
            min(len(words), len(line.words)),
        )
        ours, theirs = (w[place] if place < len(w) else "nothing" for w in (words, line.words))
        what = f"word {place + 1} is '{theirs}' here and '{ours}' in the tree"
        raise InputError(what, file=file or None, line=line.line)


def _name_bits(line: Sentence, size: int) -> list[str]:
    bits = ["*"] * size
    for first, last, values in line.spans:
        label = values.get("TYPE", "")
        bits[first] = f"({label})" if first == last else f"({label}*"
        if first != last:
            bits[last] = "*)"
    return bits
