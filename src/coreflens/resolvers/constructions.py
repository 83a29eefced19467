"""Constructions in which grammar decides whether two phrases of a sentence are the same thing.

apposition      the mayor, Anna Berg          predicate      Anna is the mayor
role            mayor Anna Berg               relative       the mayor who ...
arguments       Anna saw her: subject and object of one verb differ, unless the object is reflexive
"""

from __future__ import annotations

from collections.abc import Sequence

from .analysis import Analysis, Phrase

_SUBJECTS = ("nsubj", "csubj")
_ARGUMENTS = frozenset(("nsubj", "obj", "iobj", "attr", "obl"))


def constructions(analysis: Analysis, phrases: Sequence[Phrase]) -> dict[tuple[int, int], str]:
    """Pairs of rows that are the same thing because of a construction, with the earlier phrase first → its name."""
    by_head: dict[int, list[Phrase]] = {}
    for phrase in phrases:
        by_head.setdefault(phrase.head, []).append(phrase)
    tree, construction_of = analysis.syntax, dict[tuple[int, int], str]()

    def note(a: int, b: int, what: str) -> None:
        for x in by_head.get(a, ()):
            for y in by_head.get(b, ()):
                if x.row != y.row and not (x.coordinated or y.coordinated):
                    first, second = sorted((x, y), key=lambda p: p.row)
                    construction_of.setdefault((first.row, second.row), what)

    relatives = analysis.lexicon.section("pronouns", "relative")
    for head in by_head:
        parent, relation = tree.parent[head], tree.relation[head]
        if relation == "appos":
            note(parent, head, "apposition")
        if relation == "attr":
            for subject in tree.below(parent, *_SUBJECTS):
                note(subject, head, "predicate")
        if tree.below(head, "cop"):
            for subject in tree.below(head, *_SUBJECTS):
                note(subject, head, "predicate")
        if analysis.words[head] in relatives and analysis.tags[head].startswith(("W", "PRON")):
            above = _antecedent_of_relative(analysis, head)
            if above >= 0:
                note(above, head, "relative")
        if _role(analysis, head, parent):
            note(head, parent, "role")
    return construction_of


def _role(analysis: Analysis, head: int, parent: int) -> bool:
    """Whether a noun for a person is directly before a name that it belongs to."""
    before = analysis.syntax.relation[head] in ("flat", "nmod", "compound") and head < parent
    named = before and analysis.tags[parent].startswith(("NNP", "PROPN"))
    return named and analysis.words[head] in analysis.lexicon.section("persons", "person")


def _antecedent_of_relative(analysis: Analysis, head: int) -> int:
    """The noun that a relative clause modifies: the first above the pronoun, across its clause."""
    token, tree = head, analysis.syntax
    for _ in range(6):
        if token < 0:
            return -1
        if tree.relation[token] == "acl":
            return tree.parent[token]
        token = tree.parent[token]
    return -1


def arguments(analysis: Analysis, a: Phrase, b: Phrase) -> bool:
    """Whether two phrases must differ: both are arguments of one verb, or one is a conjunct of the other."""
    tree = analysis.syntax
    if a.head == b.head:
        return False
    x, y = tree.relation[a.head], tree.relation[b.head]
    same = tree.parent[a.head] == tree.parent[b.head] >= 0
    if same and x in _ARGUMENTS and y in _ARGUMENTS:
        return True
    if x == "conj" and tree.parent[a.head] == b.head and not b.coordinated:
        return True
    if y == "conj" and tree.parent[b.head] == a.head and not a.coordinated:
        return True
    return same and x == y == "conj"
