"""Layers of a text as rows: names, propositions and their arguments, from the brackets of column formats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..errors import InputError, Issue
from .model import Corpus, Text
from .trees import Trees, trees

_OPENING = re.compile(r"\(([^()*|\s]+)")


class Labelled(NamedTuple):
    """A span with its label."""

    start: int
    end: int
    label: str


class Proposition(NamedTuple):
    """A predicate, and its arguments; tokens are counted over the text."""

    token: int
    arguments: list[Labelled]


def bracketed(cells: Sequence[str], first: int = 0) -> list[Labelled]:
    """The spans of a column of brackets such as `(ORG*`, `*`, `*)`, in order of opening; `first` is the first token."""
    found: list[Labelled] = []
    open_: list[tuple[int, int, str]] = []
    for token, cell in enumerate(cells, start=first):
        if not cell or cell == "*":  # most of them
            continue
        for label in _OPENING.findall(cell):
            open_.append((len(found), token, label))
            found.append(Labelled(token, -1, label))
        for _ in range(min(cell.count(")"), len(open_))):
            place, start, label = open_.pop()
            found[place] = Labelled(start, token, label)
    return [span for span in found if span.end >= 0]


def _sentences(text: Text) -> Iterator[tuple[int, int]]:
    """First token of each sentence, and the one after its last."""
    borders = np.union1d(text.sentences, text.first)
    return pairwise([*borders[borders < len(text.words)].tolist(), len(text.words)])


def names(text: Text) -> list[Labelled]:
    """The named entities of a text; none extends over the end of its sentence."""
    cells = text.layers.get("names", ())
    if not any(cells):
        return []
    return [span for a, b in _sentences(text) if any(cells[a:b]) for span in bracketed(cells[a:b], a)]


def propositions(text: Text) -> list[Proposition]:
    """The predicates of a text in their order, each with its column of arguments.

    The columns of a sentence belong to its predicates in their order. If there are more or fewer columns than
    framesets, the predicate of a column is the span labelled V.
    """
    framesets, cells = text.layers.get("frameset", ()), text.layers.get("arguments", ())
    found: list[Proposition] = []
    for a, b in _sentences(text):
        predicates = [t for t in range(a, b) if framesets[t]] if framesets else []
        columns = _argument_columns(cells[a:b], a) if cells else []
        if len(columns) != len(predicates) and any(columns):
            found += _by_verbs(predicates, columns)
        else:
            for place, predicate in enumerate(predicates):
                found.append(Proposition(predicate, columns[place] if place < len(columns) else []))
    return found


def _argument_columns(cells: Sequence[str], start: int) -> list[list[Labelled]]:
    """The spans of each column of a sentence, whose cells have one part per column. It starts at a token."""
    rows = [cell.split(" ") if cell else [] for cell in cells]
    width = max(map(len, rows), default=0)
    return [bracketed([row[k] if k < len(row) else "" for row in rows], start) for k in range(width)]


def _by_verbs(predicates: Sequence[int], columns: Sequence[list[Labelled]]) -> list[Proposition]:
    """The predicates of columns by the spans labelled V, and then predicates without a column."""
    verbs = [next((span.start for span in column if span.label == "V"), -1) for column in columns]
    with_columns = [Proposition(t, column) for t, column in zip(verbs, columns, strict=True) if column and t >= 0]
    return with_columns + [Proposition(t, []) for t in predicates if t not in verbs]


def sound_trees(corpus: Corpus) -> tuple[Trees | None, Corpus, tuple[Issue, ...]]:
    """The trees of a corpus; malformed trees of a document are left out, and a note says so.

    The returned corpus lacks the parse bits of these documents.
    """
    if not corpus.has_text:
        return None, corpus, ()
    try:
        return trees(corpus), corpus, ()
    except InputError:
        pass
    text, issues = corpus.text, []
    bits = list(text.layers["parse"])
    for d, document in enumerate(corpus.documents):
        try:
            trees(corpus.only(d))
        except InputError as error:
            cut = text.document(d)
            bits[cut] = [""] * (cut.stop - cut.start)
            message = f"the trees of document {document.quoted} are left out: {error.message}"
            place = f"{error.file}:{error.line}" if error.file and error.line else document.place
            issues.append(Issue("trees", message, 1, (place,) if place else ()))
    without = replace(corpus, texts=replace(text, layers={**text.layers, "parse": bits}))
    return trees(without), without, tuple(issues)
