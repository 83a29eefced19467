"""Zeros: mentions whose head is an empty node, a node without a written word.

The position of such a node says little, but the words that it depends on identify it. `--zeros dependent` matches zeros
by their enhanced dependencies (corefud-scorer 1.2, Novák et al. 2024). This is the first step of every match:

    w(k, s) = 10 · F1 of the pairs (parent, relation) + F1 of the parents,  within one sentence

A parent is a word of the document, so ids need not be the same on both sides. A node without dependencies has weight 0.
The zeros that are left go to the other steps, where their places count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..corpus.model import Corpus, IntArray
from .mentions import Side, has_heads
from .one_to_one import one_to_one
from .places import may_have_zeros
from .words import stretches

if TYPE_CHECKING:
    from .matchers import Matching
    from .optimal import Bools

_ROOT = -1


class Dependencies(NamedTuple):
    """For a zero: the first word of its sentence, its parents with their relations, and its parents."""

    sentence: int
    pairs: frozenset[tuple[tuple[int, int], str]]
    parents: frozenset[tuple[int, int]]


def zeros(side: Side) -> Bools:
    """Which mentions are zeros: their head is an empty node, or, if no head is given, their first word is one."""
    corpus = side.source
    none = np.zeros(len(side.row), dtype=bool)
    if corpus is None or not may_have_zeros(corpus) or not len(side.row):
        return none
    text = corpus.text
    return none if text.empty is None else text.empty[_tokens(corpus, side.origin)]


def _tokens(corpus: Corpus, rows: IntArray) -> IntArray:
    """The token of the text that makes a mention a zero."""
    token = corpus.start[rows]
    if has_heads(corpus):
        assert corpus.head is not None
        head = corpus.head[rows]
        token = np.where(head >= 0, head, token)
    return corpus.text.first[corpus.doc[rows]] + token


def by_dependencies(m: Matching) -> None:
    """Match the zeros of both sides by what they depend on."""
    if not (m.zeros[0].any() and m.zeros[1].any()):
        return
    pool = np.flatnonzero(m.zeros[0] & ~m.taken), np.flatnonzero(m.zeros[1])
    if not len(pool[0]) or not len(pool[1]):
        return
    ours, theirs = dependencies(m.key, pool[0]), dependencies(m.response, pool[1])
    first = np.array([d.sentence for d in ours]), np.array([d.sentence for d in theirs])
    width = 1 + int(max(first[0].max(), first[1].max()))
    code = m.key.row[pool[0]] * width + first[0], m.response.row[pool[1]] * width + first[1]
    order = np.argsort(code[1], kind="stable")
    low = np.searchsorted(code[1][order], code[0])
    high = np.searchsorted(code[1][order], code[0], side="right")
    rows: list[tuple[int, int, int, int]] = []
    floats: list[float] = []
    for which, place in stretches(low, high):
        for i, j in zip(which.tolist(), order[place].tolist(), strict=True):
            numerator, denominator = weight(ours[i], theirs[j])
            if numerator:
                rows.append((int(pool[0][i]), int(pool[1][j]), numerator, denominator))
                floats.append(in_floats(ours[i], theirs[j]))
    k, r, numerators, denominators = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    common = m.words.common(k, r)
    from .optimal import Candidates, Weight

    second = Weight(common, m.words.sizes[0][k] + m.words.sizes[1][r] - common)
    candidates = Candidates(k, r, Weight(numerators, denominators), second)
    one_to_one(m, candidates, "zero", np.array(floats), pool)


def weight(key: Dependencies, response: Dependencies) -> tuple[int, int]:
    """w(k, s) as a fraction: numerator, denominator."""
    pairs, parents = len(key.pairs & response.pairs), len(key.parents & response.parents)
    of_pairs = len(key.pairs) + len(response.pairs)
    of_parents = len(key.parents) + len(response.parents)
    if not key.pairs or not response.pairs:
        return 0, 1
    return 20 * pairs * of_parents + 2 * parents * of_pairs, of_pairs * of_parents


def in_floats(key: Dependencies, response: Dependencies) -> float:
    """The same as corefud-scorer computes it, to the last bit, because its ties depend on that."""
    total = 0.0
    for factor, ours, theirs in ((10, key.pairs, response.pairs), (1, key.parents, response.parents)):
        common = len(set(ours) & set(theirs))
        p, r = common / len(ours), common / len(theirs)
        total += factor * (2 * p * r / (p + r) if p > 0 and r > 0 else 0)
    return total


def dependencies(side: Side, rows: IntArray) -> list[Dependencies]:
    """What the zeros of these rows depend on."""
    corpus = side.source
    assert corpus is not None
    text = corpus.text
    tokens = _tokens(corpus, side.origin[rows])
    starts = text.sentences[np.searchsorted(text.sentences, tokens, side="right") - 1]
    assert text.empty is not None
    written = np.concatenate(([0], np.cumsum(~text.empty)))
    document = corpus.doc[side.origin[rows]]
    bases = written[starts] - written[text.first[document]]
    layer = text.layers.get("deps")
    if layer is None:
        return [Dependencies(base, frozenset(), frozenset()) for base in bases.tolist()]
    return [_parsed(layer[token], base) for token, base in zip(tokens.tolist(), bases.tolist(), strict=True)]


def _parsed(cell: str, base: int) -> Dependencies:
    """Parse `3:nsubj|5.1:conj`. `base` is the number of written words before the sentence in its document."""
    pairs = set()
    for edge in cell.split("|") if cell else ():
        name, _, relation = edge.partition(":")
        word, _, number = name.partition(".")
        if word.isdecimal() and (number.isdecimal() or not number):
            pairs.add(((base + int(word), _ROOT if name == "0" else int(number or 0)), relation))
    return Dependencies(base, frozenset(pairs), frozenset(parent for parent, _ in pairs))
