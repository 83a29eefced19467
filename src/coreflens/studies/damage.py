"""Kinds of damage to a response, each in small units that can be done one after the other.

A kind of damage takes a case and a random generator. It returns the number of units and a function, which gives the
response with the first n units damaged. The order is drawn once, so n + 1 damages the same units as n and one more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.heads import mention_types
from ..corpus.model import Corpus, IntArray
from ..errors import InputError
from ..matching.matched import Matched
from ..resolvers.lexicon import lexicon

Prepared: TypeAlias = tuple[int, Callable[[int], Corpus]]
Used: TypeAlias = Collection[tuple[int, int, int]]


@dataclass(frozen=True, eq=False)
class Case:
    """A response ready to be damaged: repetitions gone, entities numbered densely and by block.

    `twin` says which mentions the key has, `used` holds (document, start, end) of every span of either side.
    """

    response: Corpus
    twin: npt.NDArray[np.bool_]
    block: IntArray
    used: frozenset[tuple[int, int, int]]

    @classmethod
    def of(cls, matched: Matched) -> Case:
        response, alignment = matched.response, matched.alignment
        key, side = alignment.sides
        rows = np.flatnonzero(alignment.response_rows >= 0)
        rows = rows[np.argsort(side.origin[alignment.response_rows[rows]])]  # in the order of the corpus
        place = alignment.response_rows[rows]
        document_of = dict(zip(side.row.tolist(), response.doc[side.origin].tolist(), strict=True))
        bare = replace(response, head=None, attributes={}, relations=(), line=None).take(side.origin[place])
        # Carried over by --align, spans are in other coordinates: the response keeps its own, and is carried again.
        moved = not np.array_equal(bare.start, side.start[place])
        start, end = (bare.start, bare.end) if moved else (side.start[place], side.end[place])
        used = {*zip(bare.doc.tolist(), start.tolist(), end.tolist(), strict=True)}
        for spans in () if moved else (key, side):
            for row, first, last in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
                if row in document_of:
                    used.add((document_of[row], first, last))
        ready = replace(
            bare,
            start=start,
            end=end,
            entity=alignment.response[rows],
            labels=range(len(alignment.response_block)),
            names=None if side.names is None else [side.names[p] for p in place.tolist()],
            source="",  # not the file any more: having nothing in common with the key is now a result, not a mistake
            texts=response.texts,
        )
        return cls(ready, alignment.key[rows] >= 0, alignment.response_block, frozenset(used))


def _in_order(corpus: Corpus) -> Corpus:
    """By document and in order of opening, the longer mention first."""
    return corpus.take(np.lexsort((-corpus.end, corpus.start, corpus.doc)))


def _removal(corpus: Corpus, candidates: IntArray, rng: np.random.Generator) -> Prepared:
    order = rng.permutation(candidates)

    def damaged(n: int) -> Corpus:
        stays = np.ones(len(corpus), dtype=bool)
        stays[order[:n]] = False
        return corpus.take(np.flatnonzero(stays))

    return len(order), damaged


def twinless(case: Case, rng: np.random.Generator) -> Prepared:
    """Mentions that the key lacks are removed; the others are kept. An entity may end up with one mention."""
    return _removal(case.response, np.flatnonzero(~case.twin), rng)


def drop(case: Case, rng: np.random.Generator) -> Prepared:
    """Mentions of any kind are removed."""
    return _removal(case.response, np.arange(len(case.response)), rng)


def add(case: Case, rng: np.random.Generator) -> Prepared:
    """Mentions that neither side has join entities, larger ones more often; at the end there are twice as many."""
    corpus, count = case.response, len(case.response)
    host = rng.integers(count, size=count) if count else np.zeros(0, dtype=np.int64)
    doc = corpus.doc[host]
    start = end = np.full(count, -1, dtype=np.int64)
    if corpus.names is None:
        free: dict[int, Iterator[tuple[int, int]]] = {}
        spans = [next(free.setdefault(d, _free_spans(corpus, d, case.used, rng))) for d in doc.tolist()]
        start, end = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    names = None if corpus.names is None else [*corpus.names, *(f"spurious {k}" for k in range(count))]
    more = replace(
        corpus,
        doc=np.concatenate((corpus.doc, doc)),
        start=np.concatenate((corpus.start, start)),
        end=np.concatenate((corpus.end, end)),
        entity=np.concatenate((corpus.entity, corpus.entity[host])),
        names=names,
    )
    return count, lambda n: _in_order(more.take(np.arange(count + n)))


def _free_spans(corpus: Corpus, doc: int, used: Used, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Spans of a document that are not used, the shortest first and otherwise in random order."""
    tokens = _tokens(corpus, doc)
    for length in range(tokens):
        for start in rng.permutation(tokens - length).tolist():
            if (doc, start, start + length) not in used:
                yield start, start + length
    beyond = tokens
    while True:  # a text in which everything is a mention
        yield beyond, beyond
        beyond += 1


def _tokens(corpus: Corpus, doc: int) -> int:
    tokens = corpus.documents[doc].tokens
    rows = slice(*corpus.bounds[doc : doc + 2])
    return int(corpus.end[rows].max(initial=-1)) + 1 if tokens is None else tokens


def split(case: Case, rng: np.random.Generator) -> Prepared:
    """Links between neighbouring mentions of an entity are cut; at the end there are only singletons."""
    corpus = case.response
    by_entity = np.argsort(corpus.entity, kind="stable")
    first = np.diff(corpus.entity[by_entity], prepend=-1) != 0
    order = rng.permutation(np.flatnonzero(~first))

    def damaged(n: int) -> Corpus:
        begins = first.copy()
        begins[order[:n]] = True
        entity = np.empty(len(corpus), dtype=np.int64)
        entity[by_entity] = np.cumsum(begins) - 1
        return replace(corpus, entity=entity, labels=range(int(begins.sum())))

    return len(order), damaged


def merge(case: Case, rng: np.random.Generator) -> Prepared:
    """Entities are joined; at the end there is one entity per document (or per block of the scope)."""
    corpus = case.response
    chain = np.lexsort((rng.random(len(case.block)), case.block))
    first = np.diff(case.block[chain], prepend=-1) != 0
    order = rng.permutation(np.flatnonzero(~first))

    def damaged(n: int) -> Corpus:
        begins = np.ones(len(chain), dtype=bool)
        begins[order[:n]] = False
        entity = np.empty(len(chain), dtype=np.int64)
        entity[chain] = np.cumsum(begins) - 1
        return replace(corpus, entity=entity[corpus.entity], labels=range(int(begins.sum())))

    return len(order), damaged


def move(case: Case, rng: np.random.Generator) -> Prepared:
    """Mentions are put into another entity of the same document (or scope), any with equal chance."""
    corpus = case.response
    lowest = np.searchsorted(case.block, case.block[corpus.entity])  # entities are numbered by block
    others = np.searchsorted(case.block, case.block[corpus.entity], side="right") - lowest - 1
    order = rng.permutation(np.flatnonzero(others > 0))
    further = rng.integers(1, np.maximum(others, 1) + 1)
    target = lowest + (corpus.entity - lowest + further) % (others + 1)

    def damaged(n: int) -> Corpus:
        entity = corpus.entity.copy()
        entity[order[:n]] = target[order[:n]]
        return replace(corpus, entity=entity)

    return len(order), damaged


def shift(case: Case, rng: np.random.Generator) -> Prepared:
    """Spans grow until neither side has them as a mention: boundaries are wrong, entities are right."""
    corpus = case.response
    order = rng.permutation(len(corpus))
    start, end = corpus.start.copy(), corpus.end.copy()
    used = set(case.used)
    for row in range(len(corpus) if corpus.names is None else 0):
        doc, s, e = int(corpus.doc[row]), int(start[row]), int(end[row])
        tokens = _tokens(corpus, doc)
        while (doc, s, e) in used:
            if s == 0 and e == tokens - 1:  # nowhere to grow
                s, e = next(_free_spans(corpus, doc, used, rng))
            else:
                s, e = (s, e + 1) if e + 1 < tokens else (s - 1, e)
        used.add((doc, s, e))
        start[row], end[row] = s, e

    def damaged(n: int) -> Corpus:
        moved = np.zeros(len(corpus), dtype=bool)
        moved[order[:n]] = True
        if corpus.names is not None:
            new = zip(corpus.names, moved.tolist(), strict=True)
            return replace(corpus, names=[f"shifted {name}" if m else name for name, m in new])
        at, to = np.where(moved, start, corpus.start), np.where(moved, end, corpus.end)
        parts = {row: pieces for row, pieces in corpus.parts.items() if not moved[row]}
        return _in_order(replace(corpus, start=at, end=to, parts=parts))

    return len(order), damaged


def _pronouns(case: Case) -> IntArray:
    """The rows of pronouns, by their tags; in a text without tags by a list of English pronouns."""
    corpus = case.response
    types = mention_types(corpus)
    if any(types):
        return np.flatnonzero(np.array([kind == "pronoun" for kind in types], dtype=bool))
    if not corpus.has_text or corpus.unit != "token" or corpus.names is not None:
        raise InputError("there are no words to recognise pronouns by", hint="give files with words, such as CoNLL")
    listed = frozenset().union(*lexicon("english").sections_of("pronouns").values())
    words, first = corpus.text.words, corpus.text.first[corpus.doc]
    lone = np.flatnonzero(corpus.start == corpus.end)
    return lone[[words[token].lower() in listed for token in (corpus.start + first)[lone].tolist()]]


def pronouns_alone(case: Case, rng: np.random.Generator) -> Prepared:
    """Pronouns become singletons; at the end none is resolved (Popescu-Belis & Robba 1998, Table 2, line 3)."""
    corpus, order = case.response, rng.permutation(_pronouns(case))

    def damaged(n: int) -> Corpus:
        entity = corpus.entity.copy()
        entity[order[:n]] = len(case.block) + np.arange(n)
        return replace(corpus, entity=entity, labels=range(len(case.block) + n))

    return len(order), damaged


def pronouns_together(case: Case, rng: np.random.Generator) -> Prepared:
    """Pronouns are put into one entity of a document (or scope): that paper's line 4."""
    corpus, order = case.response, rng.permutation(_pronouns(case))
    of_block = len(case.block) + case.block[corpus.entity]

    def damaged(n: int) -> Corpus:
        entity = corpus.entity.copy()
        entity[order[:n]] = of_block[order[:n]]
        return replace(corpus, entity=entity, labels=range(int(of_block.max(initial=0)) + 1))

    return len(order), damaged


@dataclass(frozen=True, slots=True)
class Damage:
    """A kind of damage: the title and axis of its plot, what the response must have, and the function."""

    title: str
    axis: str
    needs: str
    prepare: Callable[[Case, np.random.Generator], Prepared]


DamageName: TypeAlias = Literal[
    "twinless", "drop", "add", "split", "merge", "move", "shift", "pronouns-alone", "pronouns-together"
]
DAMAGES: dict[DamageName, Damage] = {
    "twinless": Damage(
        "Twinless response mentions removed", "twinless mentions removed (%)", "mention that the key lacks", twinless
    ),
    "drop": Damage("Response mentions removed", "mentions removed (%)", "mention", drop),
    "add": Damage("Spurious mentions added", "mentions added, of those the response has (%)", "mention", add),
    "split": Damage("Links cut", "links cut (%)", "entity of two mentions", split),
    "merge": Damage("Entities merged", "entities joined to another (%)", "document with two entities", merge),
    "move": Damage("Mentions moved to another entity", "mentions moved (%)", "document with two entities", move),
    "shift": Damage("Boundaries shifted", "mentions with a wrong boundary (%)", "mention", shift),
    "pronouns-alone": Damage("Pronouns left alone", "pronouns left alone (%)", "pronoun", pronouns_alone),
    "pronouns-together": Damage(
        "Pronouns in one entity", "pronouns put into one entity (%)", "pronoun", pronouns_together
    ),
}
