"""The dependencies between words, from the syntax that a source has.

Dependencies are taken as they are. For constituent trees, the head rules make dependencies, and the shape of the tree
gives the relations that the resolvers use:

    nsubj   an NP before the VP of its clause        obj    an NP within a VP
    attr    the same, after a form of to be          appos  an NP after an NP and a comma within an NP
    conj    a further member of a coordination       acl    a clause within an NP
    poss    a possessive pronoun or NP 's            nmod   anything else that depends on a noun

If a source has neither, no word depends on another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from ..corpus.heads import constituent_heads, syntactic_heads
from ..corpus.model import Corpus, IntArray
from ..corpus.trees import Trees, trees

Source: TypeAlias = Literal["dependencies", "trees", ""]
_BEING = frozenset(
    ("be", "is", "are", "was", "were", "been", "being", "am", "'s", "'re", "'m", "become", "becomes", "became")
)
_CLAUSES = frozenset(("S", "SINV", "SQ", "SBARQ"))


@dataclass(frozen=True, eq=False)
class Syntax:
    """`parent` of each token of the corpus (−1: a root, or nothing is known), and its `relation`, without subtypes."""

    parent: list[int]
    relation: list[str]
    source: Source
    trees: Trees | None

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """Token → the tokens that depend on it, in their order."""
        found: dict[int, list[int]] = {}
        for token, parent in enumerate(self.parent):
            if parent >= 0:
                found.setdefault(parent, []).append(token)
        return found

    def below(self, token: int, *relations: str) -> list[int]:
        """The tokens that depend on this one by one of these relations."""
        return [child for child in self.children.get(token, ()) if self.relation[child] in relations]

    def steps(self, token: int) -> dict[int, int]:
        """This token and the tokens above it, and how far above each is."""
        found: dict[int, int] = {}
        while token >= 0 and token not in found:
            found[token] = len(found)
            token = self.parent[token]
        return found

    def meeting(self, steps: Mapping[int, int], token: int) -> int:
        """The distance from another token, whose `steps` are given, up to the first token that is also above this
        one."""
        for above in self.steps(token):
            if above in steps:
                return steps[above]
        return len(self.parent)


def syntax(corpus: Corpus) -> Syntax:
    """The syntax of a corpus: its dependencies, or else those that its trees imply."""
    text, parsed = corpus.text, trees(corpus)
    if any(text.layers.get("head", ())):
        relation = [name.partition(":")[0] for name in text.layers.get("deprel", [""] * len(text.words))]
        return Syntax(syntactic_heads(text).tolist(), relation, "dependencies", parsed)
    if parsed is not None:
        return _from_trees(corpus, parsed)
    n = len(text.words)
    return Syntax([-1] * n, [""] * n, "", None)


def _from_trees(corpus: Corpus, parsed: Trees) -> Syntax:
    text = corpus.text
    words = [word.lower() for word in text.words]
    tags = text.layers.get("pos") or [""] * len(words)
    head = constituent_heads(parsed, text)
    parent, relation = [-1] * len(words), [""] * len(words)
    children = _children(parsed, tags, head)
    for node in range(len(parsed)):
        around = parsed.labels[parsed.label[node]]
        inside = children[node]
        main = int(head[node])
        seen_verb = False
        for place, (label, token) in enumerate(inside):
            if token != main:
                parent[token] = main
                relation[token] = _relation(around, inside[:place], label, tags[token], words[main], seen_verb)
            seen_verb |= label == "VP" or tags[token].startswith(("VB", "MD"))
    return Syntax(parent, relation, "trees", parsed)


def _children(parsed: Trees, tags: Sequence[str], head: IntArray) -> list[list[tuple[str, int]]]:
    """For each constituent the label (a word's tag) and the head token of its children, in their order."""
    found: list[list[tuple[int, str, int]]] = [[] for _ in range(len(parsed))]
    for node, above in enumerate(parsed.parent.tolist()):
        if above >= 0:
            found[above].append((int(parsed.start[node]), parsed.labels[parsed.label[node]], int(head[node])))
    for token in np.flatnonzero(parsed.leaf >= 0).tolist():
        found[parsed.leaf[token]].append((token, tags[token], token))
    return [[(label, token) for _, label, token in sorted(inside)] for inside in found]


def _relation(around: str, before: Sequence[tuple[str, int]], label: str, tag: str, main: str, seen_verb: bool) -> str:
    """The relation of a child to the head of its constituent."""
    if label in _ANYWHERE:
        return _ANYWHERE[label]
    if around in ("NP", "NML"):
        return _relation_to_noun([name for name, _ in before], label, tag)
    if label == "NP":
        if around in _CLAUSES:
            return "obj" if seen_verb else "nsubj"
        if around == "VP":
            return "attr" if main in _BEING else "obj"
        if around == "PP":
            return "obl"
    return "cc" if label == "CC" else "dep"


_ANYWHERE = {"PRP$": "poss", "WP$": "poss", "POS": "case"}


def _relation_to_noun(before: Sequence[str], label: str, tag: str) -> str:
    """The relation of a child of a noun phrase, after these other children."""
    if label in ("NP", "NNP", "NNPS", "NN", "NNS", "NML") and "CC" in before:
        return "conj"
    if label == "NP" and before[-1:] == [","] and "NP" in before:
        return "appos"
    if label in ("SBAR", "S", "VP", "RRC"):
        return "acl"
    return {"DT": "det", "CC": "cc", "CD": "nummod"}.get(tag if label == tag else label, "nmod")
