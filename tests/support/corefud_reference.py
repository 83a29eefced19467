"""A naive reference of the CorefUD scores, word by word, as their definition says.

It shares nothing with coreflens: mentions are sets of words, matches are found by trying all of them, and every number
is a Fraction. Made for documents of a handful of mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import reference
from corefud_damage import Doc

Word: TypeAlias = tuple[int, int, int]  # sentence, number of the word, number of the empty node after it (0: none)
Weight: TypeAlias = Callable[["Known", "Known"], tuple[Fraction, Fraction]]


@dataclass(frozen=True, order=True)
class Known:
    """A mention; ordered by first word, last word, number of words, words, head."""

    first: Word
    last: Word
    size: int
    words: tuple[Word, ...]
    head: Word
    zero: bool
    depends: tuple[tuple[Word, str], ...]


def entities(doc: Doc) -> list[list[Known]]:
    """The entities of a document."""
    ids: dict[int, Word] = {}
    for s, sentence in enumerate(doc.sentences):
        word = empty = 0
        for token in sentence:
            empty = empty + 1 if token.empty else 0
            word += not token.empty
            ids[id(token)] = s, word, empty
    found = []
    for entity in doc.entities:
        members = []
        for m in entity:
            words = tuple(sorted(ids[id(t)] for t in doc.words(m)))
            parent = ids.get(id(m.head.parent), (ids[id(m.head)][0], 0, -1))  # the root
            depends = ((parent, m.head.relation),) if m.head.empty else ()
            members.append(Known(words[0], words[-1], len(words), words, ids[id(m.head)], m.head.empty, depends))
        found.append(members)
    return found


def _f1(a: set[Any], b: set[Any]) -> Fraction:
    return Fraction(2 * len(a & b), len(a) + len(b)) if a and b else Fraction(0)


def _by_dependencies(k: Known, s: Known) -> Fraction:
    if k.head[0] != s.head[0]:
        return Fraction(0)
    parents = ({p for p, _ in m.depends} for m in (k, s))
    return 10 * _f1(set(k.depends), set(s.depends)) + _f1(*parents)


def _by_head(k: Known, s: Known) -> Fraction:
    return Fraction(len({*k.words} & {*s.words}), k.size) if k.head == s.head else Fraction(0)


def _by_part(k: Known, s: Known) -> Fraction:
    return Fraction(s.size, k.size) if k.head in s.words and {*s.words} <= {*k.words} else Fraction(0)


def _by_share(k: Known, s: Known) -> Fraction:
    share = _jaccard(k, s)
    return share if share >= Fraction(1, 2) else Fraction(0)


def _jaccard(k: Known, s: Known) -> Fraction:
    return Fraction(len({*k.words} & {*s.words}), len({*k.words} | {*s.words}))


def best(
    keys: Sequence[Known], responses: Sequence[Known], weight: Callable[[Known, Known], Fraction]
) -> dict[Known, Known]:
    """The match with the largest sum of weights, then of shares of words, then with the earliest responses."""
    keys, responses = sorted(keys), sorted(responses)
    edges = {k: [s for s in responses if weight(k, s) > 0] for k in keys}
    chosen: dict[Known, Known] = {}
    for component in _components(edges):
        order = sorted(component)

        def matches(place: int, taken: frozenset[Known], order: list[Known] = order) -> Iterator[dict[Known, Known]]:
            if place == len(order):
                yield {}
                return
            for s in [*edges[order[place]], None]:
                if s is None or s not in taken:
                    for rest in matches(place + 1, taken if s is None else taken | {s}):
                        yield rest if s is None else {order[place]: s, **rest}

        def merit(match: dict[Known, Known], order: list[Known] = order) -> tuple[Any, ...]:
            sums = (sum((f(k, s) for k, s in match.items()), Fraction(0)) for f in (weight, _jaccard))
            return (*sums, [-responses.index(match[k]) if k in match else -len(responses) for k in order])

        every: list[dict[Known, Known]] = list(matches(0, frozenset()))
        most = max(map(merit, every))
        chosen |= next(match for match in every if merit(match) == most)
    return chosen


def _components(edges: dict[Known, list[Known]]) -> list[set[Known]]:
    """Key mentions that compete for response mentions."""
    found: list[tuple[set[Known], set[Known]]] = []
    for k, others in edges.items():
        if not others:
            continue
        keys, responses = {k}, {*others}
        for other in [c for c in found if c[1] & responses]:
            keys, responses = keys | other[0], responses | other[1]
            found.remove(other)
        found.append((keys, responses))
    return [keys for keys, _ in found]


def matched(key: list[list[Known]], response: list[list[Known]], match: str, zeros: str) -> dict[Known, Known]:
    """Zeros by dependencies, then exact ones, then the rest."""
    ours, theirs = ([m for entity in side for m in entity] for side in (key, response))
    found: dict[Known, Known] = {}
    if zeros == "dependent":
        found = best([k for k in ours if k.zero], [s for s in theirs if s.zero], _by_dependencies)
    for k in ours:
        for s in theirs:
            same = k.words == s.words and (match != "head" or k.head == s.head)
            if same and k not in found and s not in found.values():
                found[k] = s
    if match != "exact":
        weight = {"head": _by_head, "partial": _by_part, "share": _by_share}[match]
        free = [s for s in theirs if s not in found.values()]
        found |= best([k for k in ours if k not in found], free, weight)
    return found


def scores(doc: Doc, other: Doc, match: str, singletons: str, zeros: str) -> dict[str, dict[str, reference.Number]]:
    """R, P and F1 of all metrics for two documents."""
    sides = [entities(d) for d in (doc, other)]
    if zeros == "drop":
        sides = [[[m for m in e if not m.zero] for e in side] for side in sides]
    least = 2 if singletons == "drop-before" else 1
    key, response = ([e for e in side if len(set(e)) >= least] for side in sides)
    pairs = matched(key, response, match, zeros)
    names: dict[Any, Any] = {("r", s): ("k", k) for k, s in pairs.items()}
    k = [frozenset(("k", m) for m in e) for e in key]
    r = [frozenset(names.get(("r", m), ("r", m)) for m in e) for e in response]
    rows = {name: reference.ADDITIVE[name](k, r) for name in ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea")}
    rows["mor"] = _mor(key, response)
    rows["zero"] = _zero(key, response, pairs)
    found: dict[str, dict[str, reference.Number]] = {}
    for name, row in rows.items():
        recall, precision = (a / b if b else Fraction(0) for a, b in (row[:2], row[2:]))
        f1 = 2 * recall * precision / (recall + precision) if recall + precision else Fraction(0)
        found[name] = {"recall": recall, "precision": precision, "f1": f1}
    found["blanc"] = reference.blanc([(k, r)], "ua")
    return found


def _mor(key: list[list[Known]], response: list[list[Known]]) -> reference.Ratios:
    ours, theirs = ([m for entity in side for m in entity] for side in (key, response))
    chosen = best(ours, theirs, lambda k, s: Fraction(len({*k.words} & {*s.words})))
    shared = sum(len({*k.words} & {*s.words}) for k, s in chosen.items())
    return reference.ratios(shared, sum(m.size for m in ours), shared, sum(m.size for m in theirs))


def _zero(key: list[list[Known]], response: list[list[Known]], pairs: dict[Known, Known]) -> reference.Ratios:
    home = {m: n for n, entity in enumerate(response) for m in entity}
    first = {min(entity) for entity in response}
    right = missed = wrong = 0
    counted: set[Known] = set()
    for entity in key:
        for m in sorted(entity)[1:]:
            if not m.zero:
                continue
            other = pairs.get(m)
            if other is not None:
                counted.add(other)
            before = {home[pairs[e]] for e in entity if e < m and e in pairs}
            if other is None or other in first:
                missed += 1
            elif home[other] in before:
                right += 1
            else:
                wrong += 1
    spurious = sum(m.zero and m not in first and m not in counted for entity in response for m in entity)
    return reference.ratios(right, right + missed + wrong, right, right + spurious + wrong)
