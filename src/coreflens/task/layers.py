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
from ..corpus.treebank import Leaf, read_trees, tree
from ..corpus.trees import trees
from ..errors import InputError
from ..formats import read
from ..formats.ontonotes.marked import Marked, Sentence, read_marked
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
    known = {proposition.token: proposition for proposition in propositions(text)}
    has_trees, has_names = (any(text.layers.get(layer, ())) for layer in ("parse", "names"))
    units_by_name: dict[str, list[int]] = {}
    for d, document in enumerate(corpus.documents):
        units_by_name.setdefault(document.name, []).append(d)
    for name, units in units_by_name.items():
        if has_trees:
            yield Layer(name, ".parse", "".join(f"{bracketed}\n\n" for d in units for bracketed in _trees(text, d)))
        if has_names:
            yield Layer(name, ".name", _document(name, (line for d in units for line in _names(text, d))))
        yield Layer(name, ".coref", _document(name, (line for d in units for line in _part(corpus, d))))
        for suffix, content in standoff(corpus, units, known, lost):
            yield Layer(name, suffix, content)


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
            match = _NAME.fullmatch(bit)
            opens, label, closes = match.groups() if match else ("", "", "")
            before = f'<ENAMEX TYPE="{escape(label)}">' if opens else ""
            after = "</ENAMEX>" if closes else ""
            words.append(f"{before}{escape(word, quote=False)}{after}")
        yield " ".join(words)


def _part(corpus: Corpus, d: int) -> Iterator[str]:
    """The part's sentences with their mentions as elements, the longer ones outside."""
    text, document = corpus.text, corpus.documents[d]
    rows = _nested(corpus, d)
    opening: dict[int, str] = {}
    closing: Counter[int] = Counter()
    for row in rows:
        start, end = int(corpus.start[row]), int(corpus.end[row])
        label = escape(str(corpus.labels[corpus.entity[row]]))
        opening[start] = opening.get(start, "") + f'<COREF ID="{label}" TYPE="IDENT">'
        closing[end] += 1
    yield f'<TEXT PARTNO="{document.part or 0:03}">'
    offset = int(text.first[d])
    for cut in sentences(text, d):
        words = []
        for token in range(cut.start, cut.stop):
            place = token - offset
            word = escape(text.words[token], quote=False)
            words.append(f"{opening.get(place, '')}{word}{'</COREF>' * closing[place]}")
        yield " ".join(words)
    yield "</TEXT>"


def _nested(corpus: Corpus, d: int) -> list[int]:
    """The rows of a part in the order of opening, the longer first; two that cross are an error."""
    rows = sorted(range(*corpus.bounds[d : d + 2].tolist()), key=lambda row: (corpus.start[row], -corpus.end[row]))
    open_ends: list[int] = []
    for row in rows:
        start, end = int(corpus.start[row]), int(corpus.end[row])
        while open_ends and open_ends[-1] < start:
            open_ends.pop()
        crosses = bool(open_ends) and open_ends[-1] < end
        if crosses or row in corpus.parts:
            mention, document = corpus.mention(row), corpus.documents[d]
            problem = "is discontinuous" if row in corpus.parts else "crosses another one"
            message = f"mention {mention.identity} {problem}, which elements can't express"
            raise InputError(message, file=document.file or None, line=mention.line or None)
        open_ends.append(end)
    return rows


def join(name: str, parse: str, names: str | None, coref: str, files: Sequence[str] = ("", "", "")) -> Corpus:
    """A document from the contents of its layers; `files` are their names, for messages."""
    marked = read_marked(coref, files[2])
    name_lines = _all_lines(read_marked(names, files[1])) if names is not None else []
    trees_ = [leaves for leaves in read_trees(parse, files[0]) if leaves]
    _check_sizes(len(trees_), len(_all_lines(marked)), len(name_lines), files[2])
    builder = Builder(Source(coref.encode(), files[2]), "conll")
    number = other_spans = 0
    for part, lines in marked.parts.items():
        builder.document(marked.name or name, part, line=lines[0].line)
        offset = 0
        for line in lines:
            leaves = trees_[number]
            _same_words(leaves, line, files[2])
            names_line = name_lines[number] if name_lines else None
            if names_line:
                _same_words(leaves, names_line, files[1])
            _add_words(builder, leaves, line.line, names_line)
            other_spans += _add_mentions(builder, line, offset)
            offset += len(leaves)
            number += 1
    if other_spans:
        builder.source.report("left-out", f"{other_spans} spans of other relations than identity: see `appositions`")
    return builder.build()


def _all_lines(marked: Marked) -> list[Sentence]:
    return [line for lines in marked.parts.values() for line in lines]


def _check_sizes(trees: int, lines: int, name_lines: int, file: str) -> None:
    """An error if the layers have different numbers of sentences."""
    if trees == lines and name_lines in (0, lines):
        return
    sizes = f"{trees} trees, {lines} sentences of coreference"
    if name_lines:
        sizes += f", {name_lines} of names"
    raise InputError(f"the layers differ: {sizes}", file=file or None)


def _add_words(builder: Builder, leaves: Sequence[Leaf], line: int, names_line: Sentence | None) -> None:
    builder.sentence()
    bits = _name_bits(names_line, len(leaves)) if names_line else []
    for place, leaf in enumerate(leaves):
        columns = {"names": bits[place]} if names_line else {}
        builder.token(leaf.word, line, False, pos=leaf.tag, parse=leaf.bit, **columns)


def _add_mentions(builder: Builder, line: Sentence, offset: int) -> int:
    """Add the mentions of a sentence; returns how many spans are of other relations."""
    others = 0
    for first, last, values in line.spans:
        if values.get("TYPE", "IDENT") == "IDENT":
            builder.mention(offset + first, offset + last, values.get("ID", ""), line=line.line)
        else:
            others += 1
    return others


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
    for part, lines in read_marked(coref, file).parts.items():
        for sentence in lines:
            for first, last, values in sentence.spans:
                if values.get("TYPE") == "APPOS":
                    words = sentence.words[first : last + 1]
                    yield part, values.get("ID", ""), values.get("SUBTYPE", ""), words


def _same_words(leaves: Sequence[Leaf], line: Sentence, file: str) -> None:
    """An error if a line does not have the words of its tree."""
    words = [leaf.word for leaf in leaves]
    if words == line.words:
        return
    differing = (i for i, (a, b) in enumerate(zip(words, line.words, strict=False)) if a != b)
    place = next(differing, min(len(words), len(line.words)))
    in_tree, here = (w[place] if place < len(w) else "nothing" for w in (words, line.words))
    message = f"word {place + 1} is '{here}' here and '{in_tree}' in the tree"
    raise InputError(message, file=file or None, line=line.line)


def _name_bits(line: Sentence, size: int) -> list[str]:
    bits = ["*"] * size
    for first, last, values in line.spans:
        label = values.get("TYPE", "")
        bits[first] = f"({label})" if first == last else f"({label}*"
        if first != last:
            bits[last] = "*)"
    return bits
