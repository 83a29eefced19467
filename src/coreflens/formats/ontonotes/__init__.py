"""OntoNotes as it is distributed: the .coref file is read, and one more file per layer beside it.

    .coref     mentions and chains (see marked.py); TYPE="IDENT" is identity, TYPE="APPOS" apposition
    .parse     bracketed trees, with traces; words, tags and sentences come from here, so this file is required
    .name      named entities
    .prop      predicates and arguments; .sense: word senses; .speaker: who speaks (see propositions.py)

Traces are not words here, as in the CoNLL tasks. Mentions begin and end at words, and mentions that have only traces
are left out and counted in a note. Appositions are also left out and counted. A document's name is its DOCNO up to the
first `@`; each TEXT is a part. A second value of a layer for a word, and links between arguments, are left out and
counted.

Definition: OntoNotes Release 5.0 (Weischedel et al. 2012, LDC2013T19), chapter 6 of its documentation. The examples in
the tests were written for them; no licensed file was tried.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from posixpath import basename
from typing import NamedTuple

from ...corpus.model import Corpus
from ...corpus.treebank import Leaf, read_trees
from ...errors import InputError
from ...files import encoding
from ..shared.builder import Builder
from ..shared.source import Source
from .marked import Sentence, read_marked
from .propositions import Predicate, Sense, Tree, argument_cells, read_propositions, read_senses, read_speakers

__all__ = ["lexicon", "looks_like", "marked", "propositions", "read"]

_OURS = re.compile(rb'\A\s*<DOC DOCNO="[^"]*">\s*<TEXT PARTNO="')
_ESCAPED = {"-AMP-": "&", "-LAB-": "<", "-RAB-": ">"}


def looks_like(head: bytes) -> bool:
    return bool(_OURS.match(head))


class _Layers(NamedTuple):
    """The other layers of a document, by tree."""

    trees: Sequence[list[Leaf]]
    names: Sequence[Sentence]
    predicates: dict[int, list[Predicate]]
    senses: dict[int, list[Sense]]
    speakers: Sequence[str]


def read(source: Source) -> Corpus:
    marked = read_marked(source.text, source.name)
    layers = _layers(source)
    total = sum(map(len, marked.parts.values()))
    _check_sizes(source, layers, total)
    builder = Builder(source, "ontonotes")
    left_out: Counter[str] = Counter()
    number = 0
    for part, lines in marked.parts.items():
        builder.document(marked.name.partition("@")[0], part, line=lines[0].line)
        offset = 0
        for line in lines:
            sentence = _Sentence(source, layers, number, left_out)
            sentence.add_words(builder, line.line)
            sentence.add_mentions(builder, line, offset)
            offset += sentence.size
            number += 1
    for tree in {*layers.predicates, *layers.senses}:
        if tree >= total:
            source.fail(f"a predicate or a sense belongs to tree {tree}, but there are {total} trees", code="syntax")
    counts = ", ".join(f"{kind} ({count})" for kind, count in sorted(left_out.items()) if count)
    if counts:
        source.report("left-out", f"the columns can't hold: {counts}")
    return builder.build()


def _check_sizes(source: Source, layers: _Layers, total: int) -> None:
    """An error if a layer has more or fewer sentences than there are in the .coref file."""
    for count, lines in ((len(layers.trees), "trees"), (len(layers.names) or total, "lines of names")):
        if count != total:
            source.fail(f"the layers differ: {total} sentences of coreference, {count} {lines}", code="syntax")
    if layers.speakers and len(layers.speakers) != total:
        source.fail(f"the layers differ: {total} sentences, {len(layers.speakers)} lines of speakers", code="syntax")


def _layers(source: Source) -> _Layers:
    stem = basename(source.name).removesuffix(".gz").removesuffix(".coref")

    def content(suffix: str) -> tuple[str, str]:
        name = f"{stem}.{suffix}"
        data = source.sibling(name)
        return "" if data is None else encoding.text(data, name), name

    parse, name = content("parse")
    if not parse.strip():
        source.fail(f"{name} is missing", hint="words, tags and sentences come from the trees", code="input")
    trees = [leaves for leaves in read_trees(parse, name, without=()) if leaves]
    marked_names = read_marked(*content("name"))
    names = [sentence for sentences in marked_names.parts.values() for sentence in sentences]
    predicates: dict[int, list[Predicate]] = {}
    for predicate in read_propositions(*content("prop")):
        predicates.setdefault(predicate.tree, []).append(predicate)
    senses: dict[int, list[Sense]] = {}
    for sense in read_senses(*content("sense")):
        senses.setdefault(sense.tree, []).append(sense)
    speakers, name = content("speaker")
    return _Layers(trees, names, predicates, senses, read_speakers(speakers, name) if speakers.strip() else ())


class _Sentence:
    """A sentence with all its layers."""

    def __init__(self, source: Source, layers: _Layers, number: int, left_out: Counter[str]) -> None:
        self.source, self.layers, self.number, self.left_out = source, layers, number, left_out
        self.stem = source.name.removesuffix(".coref")
        self.tree = tree = Tree(layers.trees[number])
        self.overt = [leaf for leaf, word in zip(tree.leaves, tree.words, strict=True) if word >= 0]
        self.size = len(self.overt)

    def add_words(self, builder: Builder, line: int) -> None:
        """Add the words, with the cells of all layers."""
        columns = self._columns()
        builder.sentence()
        for place, leaf in enumerate(self.overt):
            values = {name: cells[place] for name, cells in columns.items()}
            builder.token(leaf.word, line, False, **values)

    def _columns(self) -> dict[str, list[str]]:
        """The cells of each layer."""
        layers = self.layers
        columns: dict[str, list[str]] = {"pos": [leaf.tag for leaf in self.overt], "parse": _bits(self.tree)}
        if layers.names:
            columns["names"] = _names(self.source, self.tree, layers.names[self.number], self.left_out)
        lemma = [""] * self.size
        if layers.senses:
            columns["sense"] = self._senses(lemma)
        if layers.predicates:
            columns |= self._propositions(lemma)
        if layers.senses or layers.predicates:
            columns["lemma"] = lemma
        if layers.speakers:
            columns["speaker"] = [layers.speakers[self.number]] * self.size
        return columns

    def _senses(self, lemma: list[str]) -> list[str]:
        """The senses; their lemmas go into `lemma`."""
        cells = [""] * self.size
        for sense in self.layers.senses.get(self.number, ()):
            place = _word(self.tree, sense.token, f"{self.stem}.sense", sense.line)
            cells[place], lemma[place] = sense.sense, sense.lemma
        return cells

    def _propositions(self, lemma: list[str]) -> dict[str, list[str]]:
        """The framesets and arguments; the lemmas of predicates go into `lemma`."""
        file = f"{self.stem}.prop"
        framesets = [""] * self.size
        predicates = sorted(self.layers.predicates.get(self.number, ()), key=lambda p: p.token)
        for predicate in predicates:
            place = _word(self.tree, predicate.token, file, predicate.line)
            if framesets[place]:
                self.left_out["second predicate of a word"] += 1
            framesets[place], lemma[place] = predicate.frameset, predicate.lemma
        arguments, lost = argument_cells(self.tree, predicates, self.size, file)
        self.left_out["arguments of traces, overlaps and links"] += lost
        return {"frameset": framesets, "arguments": arguments}

    def add_mentions(self, builder: Builder, line: Sentence, offset: int) -> None:
        """Add the mentions of the marked line; `offset` is the number of words before it."""
        place_of = _places(self.tree, line, self.source.name)
        for first, last, values in line.spans:
            inside = [place_of[p] for p in range(first, last + 1) if place_of[p] >= 0]
            if values.get("TYPE", "IDENT") != "IDENT":
                self.left_out["appositions"] += 1
            elif not inside:
                self.left_out["mentions of traces only"] += 1
            else:
                handle = builder.mention(offset + inside[0], offset + inside[-1], values.get("ID", ""), line=line.line)
                for name in values.keys() - {"ID", "TYPE"}:
                    builder.attribute(handle, name.lower(), values[name])


def _bits(tree: Tree) -> list[str]:
    """The bits of a tree without its traces, and without the constituents that have nothing else."""
    bits: list[str] = []
    pending: list[str] = []  # open constituents that have no word yet
    for leaf, word in zip(tree.leaves, tree.words, strict=True):
        pending += re.findall(r"\([^()*]+", leaf.bit)
        if word >= 0:
            bits.append("".join(pending) + "*")
            pending = []
        for _ in range(leaf.bit.count(")")):
            if pending:
                pending.pop()
            else:
                bits[-1] += ")"
    return bits


def _places(tree: Tree, line: Sentence, file: str) -> list[int]:
    """For each word of a marked line its word in the tree, −1 for a trace; an InputError if the words differ."""
    given = [_ESCAPED.get(word, word) for word in line.words]
    whole = [_ESCAPED.get(leaf.word, leaf.word) for leaf in tree.leaves]
    overt = [word for word, place in zip(whole, tree.words, strict=True) if place >= 0]
    if given == whole:
        return tree.words
    if given == overt:
        return list(range(len(overt)))
    expected = whole if len(given) == len(whole) else overt
    differing = (n for n, (a, b) in enumerate(zip(given, expected, strict=False)) if a != b)
    at = next(differing, min(len(given), len(expected)))
    here, in_tree = (words[at] if at < len(words) else "nothing" for words in (given, expected))
    raise InputError(f"word {at + 1} is '{here}' here, but '{in_tree}' in the tree", file=file, line=line.line)


def _names(source: Source, tree: Tree, line: Sentence, left_out: Counter[str]) -> list[str]:
    places = _places(tree, line, f"{source.name.removesuffix('.coref')}.name")
    cells = ["*"] * sum(place >= 0 for place in tree.words)
    for first, last, values in line.spans:
        inside = [places[p] for p in range(first, last + 1) if places[p] >= 0]
        if not inside or any(cells[p] != "*" for p in (inside[0], inside[-1])):
            left_out["names within names"] += 1
            continue
        label = values.get("TYPE", "")
        cells[inside[0]] = f"({label})" if inside[0] == inside[-1] else f"({label}*"
        if inside[0] != inside[-1]:
            cells[inside[-1]] = "*)"
    return cells


def _word(tree: Tree, token: int, file: str, line: int) -> int:
    """The word of a token, which counts traces as well."""
    if token >= len(tree.words) or tree.words[token] < 0:
        message = f"token {token} is not a word of its tree, which has {len(tree.words)} tokens"
        raise InputError(message, file=file, line=line)
    return tree.words[token]
