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
    found = read_marked(source.text, source.name)
    layers = _layers(source)
    total = sum(map(len, found.parts.values()))
    for count, what in ((len(layers.trees), "trees"), (len(layers.names) or total, "lines of names")):
        if count != total:
            source.fail(f"the layers differ: {total} sentences of coreference, {count} {what}", code="syntax")
    if layers.speakers and len(layers.speakers) != total:
        source.fail(f"the layers differ: {total} sentences, {len(layers.speakers)} lines of speakers", code="syntax")
    builder = Builder(source, "ontonotes")
    left_out: Counter[str] = Counter()
    number = 0
    for part, lines in found.parts.items():
        builder.document(found.name.partition("@")[0], part, line=lines[0].line)
        offset = 0
        for line in lines:
            offset += _sentence(builder, source, layers, number, line, offset, left_out)
            number += 1
    for tree in {*layers.predicates, *layers.senses}:
        if tree >= total:
            source.fail(f"a predicate or a sense belongs to tree {tree}, but there are {total} trees", code="syntax")
    if left_out:
        what = ", ".join(f"{kind} ({count})" for kind, count in sorted(left_out.items()))
        source.report("left-out", f"the columns can't hold: {what}")
    return builder.build()


def _layers(source: Source) -> _Layers:
    stem = basename(source.name).removesuffix(".gz").removesuffix(".coref")

    def content(suffix: str) -> tuple[str, str]:
        name = f"{stem}.{suffix}"
        data = source.sibling(name)
        return "" if data is None else encoding.text(data, name), name

    trees, name = content("parse")
    if not trees.strip():
        source.fail(f"{name} is missing", hint="words, tags and sentences come from the trees", code="input")
    parsed = [leaves for leaves in read_trees(trees, name, without=()) if leaves]
    names = read_marked(*content("name")).parts
    predicates: dict[int, list[Predicate]] = {}
    for predicate in read_propositions(*content("prop")):
        predicates.setdefault(predicate.tree, []).append(predicate)
    senses: dict[int, list[Sense]] = {}
    for sense in read_senses(*content("sense")):
        senses.setdefault(sense.tree, []).append(sense)
    speakers, name = content("speaker")
    lines = [sentence for some in names.values() for sentence in some]
    return _Layers(parsed, lines, predicates, senses, read_speakers(speakers, name) if speakers.strip() else ())


def _sentence(
    builder: Builder,
    source: Source,
    layers: _Layers,
    number: int,
    line: Sentence,
    offset: int,
    left_out: Counter[str],
) -> int:
    """Add a sentence with all its layers; returns its number of words."""
    tree = Tree(layers.trees[number])
    overt = [leaf for leaf, word in zip(tree.leaves, tree.words, strict=True) if word >= 0]
    size = len(overt)
    columns: dict[str, list[str]] = {"pos": [leaf.tag for leaf in overt], "parse": _bits(tree)}
    if layers.names:
        columns["names"] = _names(source, tree, layers.names[number], left_out)
    stem = source.name.removesuffix(".coref")
    lemma = [""] * size
    if layers.senses:
        columns["sense"] = [""] * size
        for sense in layers.senses.get(number, ()):
            place = _word(source, tree, sense.token, f"{stem}.sense", sense.line)
            columns["sense"][place], lemma[place] = sense.sense, sense.lemma
    if layers.predicates:
        columns["frameset"] = [""] * size
        here = sorted(layers.predicates.get(number, ()), key=lambda p: p.token)
        for predicate in here:
            place = _word(source, tree, predicate.token, f"{stem}.prop", predicate.line)
            left_out["second predicate of a word"] += bool(columns["frameset"][place])
            columns["frameset"][place], lemma[place] = predicate.frameset, predicate.lemma
        columns["arguments"], lost = argument_cells(tree, here, size, f"{stem}.prop")
        left_out["arguments of traces, overlaps and links"] += lost
    if layers.senses or layers.predicates:
        columns["lemma"] = lemma
    if layers.speakers:
        columns["speaker"] = [layers.speakers[number]] * size
    builder.sentence()
    for place, leaf in enumerate(overt):
        values = {name: cells[place] for name, cells in columns.items()}
        builder.token(leaf.word, line.line, False, **values)
    place_of = _places(tree, line, source.name)
    for first, last, values in line.spans:
        inside = [place_of[p] for p in range(first, last + 1) if place_of[p] >= 0]
        if values.get("TYPE", "IDENT") != "IDENT":
            left_out["appositions"] += 1
        elif not inside:
            left_out["mentions of traces only"] += 1
        else:
            handle = builder.mention(offset + inside[0], offset + inside[-1], values.get("ID", ""), line=line.line)
            for name in values.keys() - {"ID", "TYPE"}:
                builder.attribute(handle, name.lower(), values[name])
    left_out += Counter()
    for kind in [kind for kind, count in left_out.items() if not count]:
        del left_out[kind]
    return size


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
    at = next(
        (n for n, (a, b) in enumerate(zip(given, expected, strict=False)) if a != b), min(len(given), len(expected))
    )
    ours, theirs = (words[at] if at < len(words) else "nothing" for words in (expected, given))
    raise InputError(f"word {at + 1} is '{theirs}' here, but '{ours}' in the tree", file=file, line=line.line)


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


def _word(source: Source, tree: Tree, token: int, file: str, line: int) -> int:
    """The word of a token, which counts traces as well."""
    if token >= len(tree.words) or tree.words[token] < 0:
        what = f"token {token} is not a word of its tree, which has {len(tree.words)} tokens"
        raise InputError(what, file=file, line=line)
    return tree.words[token]
