"""Layers from other files: constituent trees in treebank files, and a number and gender table.

The trees of a document `GUM_bio_byron` are in a file of that name (`GUM_bio_byron.ptb`, `.mrg`, `.parse`, `.tree`).
They must have the words of the document, in the same order. The table is that of the closed track of CoNLL-2011
(Bergsma & Lin 2006): words, a tab, and how often they were male, female, neuter and plural.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..corpus.model import Corpus, Document, Text, file_stem
from ..corpus.treebank import Leaf, read_trees
from ..errors import InputError, counted
from ..files.encoding import text as decoded
from ..files.encoding import unpacked
from ..files.finding import find

_SUFFIXES = (".ptb", ".mrg", ".parse", ".tree")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def attach_trees(corpus: Corpus, directory: str | Path) -> Corpus:
    """The corpus with the trees of a directory as its parse layer, and with their tags if it has none."""
    files = {Path(file.name).stem: file for file in find(str(directory))[0] if Path(file.name).suffix in _SUFFIXES}
    if not files:
        hint = f"files of trees are named after their document and end in {', '.join(_SUFFIXES)}"
        raise InputError("there are no trees here", file=str(directory), hint=hint)
    text = corpus.text
    bits, tags = [""] * len(text.words), list(text.layers.get("pos", [""] * len(text.words)))
    sentences: list[int] = []
    for d, document in enumerate(corpus.documents):
        names = (document.label, document.name, Path(document.name).name, file_stem(document.file))
        file = next((files[name] for name in names if name in files), None)
        if file is None:
            raise InputError(f"there are no trees for {document.quoted}", file=str(directory))
        content = decoded(unpacked(file.load(), file.name, None), file.name)
        place = int(text.first[d])
        for tree in read_trees(content, file.name):
            if tree:
                sentences.append(place)
            for leaf in tree:
                place = _written(text, place, int(text.first[d + 1]))
                _check(text, d, document, place, leaf, file.name)
                bits[place] = leaf.bit
                tags[place] = tags[place] or leaf.tag
                place += 1
        rest = _written(text, place, int(text.first[d + 1]))
        if rest < text.first[d + 1]:
            raise InputError(f"the trees of {document.quoted} end before its word '{text.words[rest]}'", file=file.name)
    layers = {**text.layers, "parse": bits, "pos": tags}
    starts = np.array(sentences, dtype=np.int64)
    if "head" in text.layers and not np.array_equal(starts, text.sentences):
        missing = np.setdiff1d(starts, text.sentences)
        extra = np.setdiff1d(text.sentences, starts)
        at = int(np.concatenate((missing, extra))[0])
        raise InputError(
            f"the trees and the text have different sentences, first at the word '{text.words[at]}'",
            file=str(directory),
        )
    return replace(corpus, texts=replace(text, layers=layers, sentences=starts))


def _written(text: Text, token: int, stop: int) -> int:
    """The next token that is not an empty node: empty nodes are in no tree."""
    while text.empty is not None and token < stop and text.empty[token]:
        token += 1
    return token


def _check(text: Text, d: int, document: Document, token: int, leaf: Leaf, file: str) -> None:
    if token >= text.first[d + 1]:
        raise InputError(f"'{leaf.word}' comes after the end of {document.quoted}", file=file, line=leaf.line)
    if _plain(leaf.word) != _plain(text.words[token]):
        message = f"the tree has '{leaf.word}' where {document.quoted} has '{text.words[token]}'"
        raise InputError(message, file=file, line=leaf.line)


def _plain(word: str) -> str:
    return _BRACKETS.get(word, word).replace("\\/", "/")


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
