"""Split antecedents: an entity such as "they" that stands for several others (Paun et al. 2022).

Such an entity has one more member, the set of its antecedents. An antecedent that has antecedents itself is replaced by
these. So the set contains only entities without antecedents, which are called its atoms. Entities with the same set are
one entity. Atoms are used as they were read: mentions that are left out of the scores (non-referring ones, singletons)
count in atoms, and they match by their exact spans.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..corpus.model import Corpus, IntArray, Relation
from ..errors import InputError, Issue, counted
from ..integers import bincount
from .matchers import Matching
from .mentions import Side, number_entities
from .words import Words

if TYPE_CHECKING:
    from .optimal import Bools


class Sets(NamedTuple):
    """The split antecedents of one side before anything is matched, in the order of the text: for each, a row of the
    side for the entity that has it, and rows for its atoms."""

    home: list[int]
    atoms: list[list[int]]


class Plurals(NamedTuple):
    """The split antecedents of one side: block, the number of the entity in the alignment, and the atoms of each.

    `home` and `firsts` are the first mentions of the entity and of its atoms, rows of the corpus of the side.
    """

    block: IntArray
    entity: IntArray
    atoms: Sequence[tuple[int, ...]]
    sizes: dict[int, int]  # mentions of each atom
    home: Sequence[int]
    firsts: Sequence[tuple[int, ...]]

    def take(self, rows: IntArray, block: IntArray, entity: IntArray) -> Plurals:
        """Some of the split antecedents, with these blocks and numbers."""
        of = rows.tolist()
        atoms, home, firsts = [self.atoms[p] for p in of], [self.home[p] for p in of], [self.firsts[p] for p in of]
        return Plurals(block, entity, atoms, self.sizes, home, firsts)


class Splits(NamedTuple):
    """The split antecedents of both sides, and how many mentions an atom of the key shares with one of the response."""

    key: Plurals
    response: Plurals
    common: dict[tuple[int, int], int]


def opened(side: Side, block: IntArray, name: str) -> tuple[Side, Sets | None, list[Issue]]:
    """The side in which entities with the same split antecedent are one, its sets, and the messages about them."""
    corpus = side.source
    links = [r for r in corpus.relations if r.kind == "split-antecedent" and r.target >= 0] if corpus else []
    if corpus is None or not links or not len(side.row):
        return side, None, []
    elements, rows, lost = _elements(side, corpus, links, block)
    issues = []
    if lost:
        message = f"{counted(lost, 'split antecedent')} of the {name} without a mention of both entities: left out"
        issues.append(Issue(f"split-{name}", message, len(lost), tuple(dict.fromkeys(filter(None, lost)))[:5]))
    atoms = _opened(elements, rows, side, corpus, links)
    by_atoms: dict[frozenset[int], list[int]] = defaultdict(list)
    for node in sorted(elements, key=lambda node: rows[node]):
        by_atoms[frozenset(atoms[node])].append(node)
    sets = Sets(
        [rows[nodes[0]] for nodes in by_atoms.values()],
        [sorted(rows[node] for node in atoms_of) for atoms_of in by_atoms],
    )
    repeated = [(nodes[0], node) for nodes in by_atoms.values() for node in nodes[1:]]
    if repeated:
        message = f"{len(repeated)} of the {name}'s entities with the same split antecedent as another one"
        places = (_place(corpus, side, rows[node]) for _, node in repeated)
        code = f"split-merged-{name}"
        issues.append(Issue(code, f"{message}: taken as one", len(repeated), tuple(filter(None, places))[:5]))
        side = replace(side, entity=_merged(side, block, repeated, rows))
    return side, sets, issues


def _merged(side: Side, block: IntArray, repeated: Sequence[tuple[int, int]], rows: Mapping[int, int]) -> IntArray:
    """The entities of a side, where the second entity of each pair has become the first."""
    node = _node(side, block)
    entity = side.entity.copy()
    for first, again in repeated:
        entity[node == again] = side.entity[rows[first]]
    return entity


def _node(side: Side, block: IntArray) -> IntArray:
    return number_entities(block[side.row], side.entity)[0]


def _place(corpus: Corpus, side: Side, row: int) -> str:
    return corpus.mention(int(side.origin[row])).place


def _elements(
    side: Side, corpus: Corpus, links: Sequence[Relation], block: IntArray
) -> tuple[dict[int, list[int]], dict[int, int], list[str]]:
    """Entity → its antecedents, the first row of each entity, and the places of those that are incomplete."""
    node = _node(side, block)
    nodes, first = np.unique(node, return_index=True)
    rows = dict(zip(nodes.tolist(), first.tolist(), strict=True))
    width = max(len(corpus.labels), 1)
    label = corpus.entity[side.origin]
    here: dict[int, int] = {}
    anywhere: dict[int, int] = {}
    codes = corpus.doc[side.origin] * width + label
    for code, e, n in zip(codes[::-1].tolist(), label[::-1].tolist(), node[::-1].tolist(), strict=True):
        here[code] = anywhere[e] = n
    elements: dict[int, list[int]] = {}
    lost: list[str] = []
    for r in links:
        known = r.mention if r.mention >= 0 else r.anchor
        doc = int(corpus.doc[known]) if known >= 0 else -1
        plural, atom = (here.get(doc * width + e) if doc >= 0 else anywhere.get(e) for e in (r.source, r.target))
        if plural is None or atom is None:
            lost.append(corpus.mention(known).place if known >= 0 else "")
            continue
        elements.setdefault(plural, []).append(atom)
    return elements, rows, lost


def _opened(
    elements: dict[int, list[int]], rows: dict[int, int], side: Side, corpus: Corpus, links: Sequence[Relation]
) -> dict[int, set[int]]:
    """Entity → its atoms. A circle is an error with its place."""
    atoms: dict[int, set[int]] = {}
    for root in elements:
        path, stack = [root], [iter(elements[root])]
        open_ = {root}
        while stack:
            child = next(stack[-1], None)
            if child is None:
                done = path.pop()
                stack.pop()
                open_.discard(done)
                atoms[done] = set().union(*(atoms.get(c, {c}) for c in elements[done]))
            elif child in open_:
                _circle(child, rows, side, corpus, links)
            elif child in elements and child not in atoms:
                path.append(child)
                stack.append(iter(elements[child]))
                open_.add(child)
    return atoms


def _circle(node: int, rows: dict[int, int], side: Side, corpus: Corpus, links: Sequence[Relation]) -> None:
    row = int(side.origin[rows[node]])
    label = int(corpus.entity[row])
    known = [r.anchor if r.anchor >= 0 else r.mention for r in links if label in (r.source, r.target)]
    known = [k for k in known if k >= 0 and corpus.doc[k] == corpus.doc[row]]
    mention = corpus.mention(known[0] if known else row)
    raise InputError(
        f"entity '{corpus.labels[label]}' of document {mention.document.quoted} is a split antecedent of itself",
        file=mention.document.file or None,
        line=mention.line or None,
        hint="remove the circle, or ignore split antecedents with --split-antecedents drop",
    )


def settled(
    words: Words,
    sets: tuple[Sets | None, Sets | None],
    block: IntArray,
    repeats: tuple[IntArray, IntArray],
    matching: Matching,
    entities: tuple[IntArray, IntArray],
) -> Splits:
    """The sets after mentions are matched.

    `repeats` are the repetitions of each side that do not count, as rows of its corpus. `entities` are the entities of
    the mentions of `matching` in the alignment.
    """
    kept = matching.key, matching.response
    found = []
    for which, side in enumerate((words.key, words.response)):
        here = np.searchsorted(side.origin, kept[which].origin)
        active = ~np.isin(side.origin, repeats[which])  # what was left out of the scores is still part of its atom
        found.append((side, here, active))
    twin = _twins(words, (found[0][1], found[1][1]), (found[0][2], found[1][2]), matching)
    plurals, atom_of = [], []
    for which, (side, here, active) in enumerate(found):
        node = _node(side, block)
        entity = np.full(int(node.max(initial=-1)) + 1, -1, dtype=np.int64)
        entity[node[here]] = entities[which]
        given = sets[which] or Sets([], [])
        home = np.array(given.home, dtype=np.int64)
        alive = np.flatnonzero(entity[node[home]] >= 0) if len(home) else home
        atoms = [tuple(int(node[row]) for row in given.atoms[p]) for p in alive.tolist()]
        wanted = sorted({atom for some in atoms for atom in some})
        sizes = bincount(_once(node, words.codes[which], active), minlength=len(entity))
        known = dict(zip(wanted, (int(sizes[atom]) for atom in wanted), strict=True))
        firsts = [tuple(side.origin[given.atoms[p]].tolist()) for p in alive.tolist()]
        of = home[alive]
        plurals.append(Plurals(block[side.row[of]], entity[node[of]], atoms, known, side.origin[of].tolist(), firsts))
        atom_of.append(np.where(np.isin(node, wanted), node, -1))
    common: dict[tuple[int, int], int] = defaultdict(int)
    rows = np.flatnonzero(twin >= 0)
    ours, theirs = atom_of[0][twin[rows]], atom_of[1][rows]
    both = (ours >= 0) & (theirs >= 0)
    for pair in zip(ours[both].tolist(), theirs[both].tolist(), strict=True):
        common[pair] += 1
    return Splits(plurals[0], plurals[1], dict(common))


def _once(node: IntArray, code: IntArray, active: Bools) -> IntArray:
    """The entity of each mention, repetitions within one entity once."""
    pairs = np.unique(np.stack((node[active], code[active]), axis=1), axis=0)
    return pairs[:, 0]


def _twins(words: Words, here: tuple[IntArray, IntArray], active: tuple[Bools, Bools], matching: Matching) -> IntArray:
    """For each response mention its key mention, or −1: the matched ones, and of the others those with the same words,
    one to one."""
    twin = np.full(len(words.response.row), -1, dtype=np.int64)
    met = np.flatnonzero(matching.found >= 0)
    twin[here[1][met]] = here[0][matching.found[met]]
    free = active[0].copy()
    free[twin[twin >= 0]] = False
    ours, theirs = np.flatnonzero(free), np.flatnonzero(active[1] & (twin < 0))
    out = [~np.isin(np.arange(len(a)), h) for a, h in zip(active, here, strict=True)]
    _, i, j = np.intersect1d(words.codes[0][ours], words.codes[1][theirs], return_indices=True)
    ours, theirs = ours[i], theirs[j]
    some = out[0][ours] | out[1][theirs]  # two mentions that were matched with others stay separate
    twin[theirs[some]] = ours[some]
    return twin
