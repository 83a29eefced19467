"""Layers from other files: constituent trees in treebank files, and a number and gender table.

The trees of a document `GUM_bio_byron` are in a file of that name (`GUM_bio_byron.ptb`, `.mrg`, `.parse`, `.tree`).
They must have the words of the document, in the same order. The table is that of the closed track of CoNLL-2011
(Bergsma & Lin 2006): words, a tab, and how often they were male, female, neuter and plural.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..corpus.model import Corpus, Document, Text, file_stem
from ..corpus.spelling import common_spelling
from ..corpus.treebank import Leaf, read_trees
from ..errors import InputError, Issue, counted
from ..files.encoding import text as decoded
from ..files.encoding import unpacked
from ..files.finding import File, find

_SUFFIXES = (".ptb", ".mrg", ".parse", ".tree")


class _DocumentTrees(NamedTuple):
    """What the trees of a document add: bits and tags of its words, and the first words of its sentences."""

    bits: list[str]
    tags: list[str]
    sentences: list[int]


def attach_trees(corpus: Corpus, directory: str | Path) -> Corpus:
    """The corpus with the trees of a directory as its parse layer, and with their tags if it has none.

    A document whose trees are missing or do not fit has none, and an issue says why. If no document has trees, that is
    an error.
    """
    files = {Path(file.name).stem: file for file in find(str(directory))[0] if Path(file.name).suffix in _SUFFIXES}
    if not files:
        hint = f"files of trees are named after their document and end in {', '.join(_SUFFIXES)}"
        raise InputError("there are no trees here", file=str(directory), hint=hint)
    text = corpus.text
    bits, tags = [""] * len(text.words), list(text.layers.get("pos", [""] * len(text.words)))
    sentences: list[int] = []
    errors: list[InputError] = []
    for d, document in enumerate(corpus.documents):
        words = text.document(d)
        try:
            found = _document_trees(text, d, document, _file_of(document, files, directory))
        except InputError as error:
            errors.append(error)
            own = (text.sentences >= words.start) & (text.sentences < words.stop)
            sentences += text.sentences[own].tolist()
            continue
        bits[words] = found.bits
        tags[words] = [given or tag for given, tag in zip(tags[words], found.tags, strict=True)]
        sentences += found.sentences
    if len(errors) == len(corpus.documents):
        raise errors[0]
    issues = map(_left_out, errors)
    layers = {**text.layers, "parse": bits, "pos": tags}
    texts = replace(text, layers=layers, sentences=np.array(sentences, dtype=np.int64))
    return replace(corpus, texts=texts, issues=(*corpus.issues, *issues))


def _file_of(document: Document, files: Mapping[str, File], directory: str | Path) -> File:
    names = (document.label, document.name, Path(document.name).name, file_stem(document.file))
    for name in names:
        if name in files:
            return files[name]
    raise InputError(f"there are no trees for {document.quoted}", file=str(directory))


def _document_trees(text: Text, d: int, document: Document, file: File) -> _DocumentTrees:
    """The trees of a document, which have its words in their order."""
    words = text.document(d)
    size = words.stop - words.start
    found = _DocumentTrees([""] * size, [""] * size, [])
    place = words.start
    content = decoded(unpacked(file.load(), file.name, None), file.name)
    for tree in read_trees(content, file.name):
        if tree:
            found.sentences.append(place)
        for leaf in tree:
            place = _written(text, place, words.stop)
            _check(text, d, document, place, leaf, file.name)
            found.bits[place - words.start] = leaf.bit
            found.tags[place - words.start] = leaf.tag
            place += 1
    rest = _written(text, place, words.stop)
    if rest < words.stop:
        raise InputError(f"the trees of {document.quoted} end before its word '{text.words[rest]}'", file=file.name)
    if "head" in text.layers:
        _check_sentences(text, words, found.sentences, file.name)
    return found


def _check_sentences(text: Text, words: slice, sentences: Sequence[int], file: str) -> None:
    """Heads are counted within sentences. So trees that join or divide sentences do not fit."""
    own = text.sentences[(text.sentences >= words.start) & (text.sentences < words.stop)]
    differing = np.setxor1d(own, np.array(sentences, dtype=np.int64))
    if len(differing):
        word = text.words[int(differing[0])]
        raise InputError(f"the trees and the text have different sentences, first at the word '{word}'", file=file)


def _left_out(error: InputError) -> Issue:
    place = f"{error.file}:{error.line}" if error.line else error.file
    message = f"the trees of a document are left out: {error.message}"
    return Issue("trees", message, 1, (place,) if place else ())


def _written(text: Text, token: int, stop: int) -> int:
    """The next token that is not an empty node: empty nodes are in no tree."""
    while text.empty is not None and token < stop and text.empty[token]:
        token += 1
    return token


def _check(text: Text, d: int, document: Document, token: int, leaf: Leaf, file: str) -> None:
    if token >= text.first[d + 1]:
        raise InputError(f"'{leaf.word}' comes after the end of {document.quoted}", file=file, line=leaf.line)
    if common_spelling(leaf.word) != common_spelling(text.words[token]):
        message = f"the tree has '{leaf.word}' where {document.quoted} has '{text.words[token]}'"
        raise InputError(message, file=file, line=leaf.line)


def read_counts(path: str | Path, corpus: Corpus) -> dict[str, Sequence[int]]:
    """The lines of a number and gender table whose words occur in a corpus."""
    words = {word.lower() for word in corpus.text.words}
    counts: dict[str, Sequence[int]] = {}
    file = find(str(path))[0][0]
    lines = decoded(unpacked(file.load(), file.name, None), file.name).splitlines()
    for number, line in enumerate(lines, 1):
        phrase, _, numbers = line.partition("\t")
        if line.strip() and words.issuperset(phrase.lower().split()):
            cells = numbers.split()
            if len(cells) != 4 or not all(cell.isdecimal() for cell in cells):
                hint = "a line has words, a tab, and four numbers: male, female, neuter, plural"
                raise InputError("not a line of a number and gender table", file=file.name, line=number, hint=hint)
            counts[phrase.lower()] = [int(cell) for cell in cells]
    if not counts:
        raise InputError(f"none of the {counted(lines, 'line')} is about a word of the text", file=file.name)
    return counts


Counts = Mapping[str, Sequence[int]]
