"""Coreference links: CSV or TSV with a header, an anaphor and its antecedent a row; entities are the links' closure.

doc,anaphor,antecedent                          mentions by name (also mention1,mention2; id1,id2; source,target; ...)
doc,start1,end1,start2,end2                     by token offsets in the document, both ends inclusive
doc,start_char1,end_char1,start_char2,end_char2     by character offsets, the end exclusive

`doc` may be missing: then all rows are one document; `part` is the number of a document's part. A row without
antecedent is a mention that is linked to nothing yet: alone, it is a singleton. Other columns are left out and named.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from ..errors import InputError
from ..model import Corpus, IntArray
from .source import Source
from .table import Mask, columns, documents_of, identified, line_of, load, rows, spans

HOLDS = frozenset({"spans", "names", "documents", "document parts", "singletons", "crossing mentions"})

_SPELLINGS = {
    "doc": ("doc", "document", "doc_id", "document_id", "docid", "doc_key"),
    "part": ("part",),
    "anaphor": ("anaphor", "mention", "mention1", "mention_1", "id1", "id_1", "record1", "source", "left"),
    "antecedent": ("antecedent", "mention2", "mention_2", "id2", "id_2", "record2", "target", "right"),
    **{f"{side}{n}": (f"{side}{n}", f"{side}_{n}") for side in ("start", "end") for n in (1, 2)},
    **{f"{side}_char{n}": (f"{side}_char{n}", f"{side}_char_{n}") for side in ("start", "end") for n in (1, 2)},
}
_IDENTITIES = (
    ("start1", "end1", "start2", "end2"),
    ("start_char1", "end_char1", "start_char2", "end_char2"),
    ("anaphor", "antecedent"),
)
_MEMBERSHIP = ("entity", "entity_id", "cluster", "cluster_id", "chain", "chain_id", "coref_chain")  # a table's columns


def looks_like(head: bytes) -> bool:
    try:
        header = next(rows(head.lstrip().split(b"\n", 1)[0].decode(), ""), (1, []))[1]
    except (UnicodeDecodeError, InputError):
        return False
    return _identity(columns(header, _SPELLINGS)) is not None and not columns(header, {"entity": _MEMBERSHIP})


def _identity(found: dict[str, int]) -> tuple[str, ...] | None:
    return next((i for i in _IDENTITIES if set(i) <= set(found)), None)


def read(source: Source) -> Corpus:
    hint = "doc,anaphor,antecedent or doc,start1,end1,start2,end2 (doc may be missing)"
    header, lines, cells = load(source, lambda titles: _identity(columns(titles, _SPELLINGS)) is not None, hint)
    found = columns(header, _SPELLINGS)
    identity = _identity(found)
    assert identity is not None
    used = {found[c] for c in ("doc", "part", *identity) if c in found}
    if left := [title for c, title in enumerate(header) if c not in used and any(cells[c])]:
        source.report("left-out", f"links have no attributes: the columns {', '.join(left)[:200]}", line=1)
    sides = _sides(source, identity, [cells[found[c]] for c in identity], lines)
    documents, doc, good = documents_of(source, found, cells, lines, sides[0][2])
    linked, alone = good & sides[1][2], good & ~sides[1][2]
    if len(identity) == 2:
        of: list[list[Any]] = [list(zip(doc.tolist(), side[0], strict=True)) for side in sides]
    else:
        of = [list(zip(doc.tolist(), side[0].tolist(), side[1].tolist(), strict=True)) for side in sides]
    known: dict[Hashable, int] = {}
    where: list[int] = []

    def number(mention: Hashable, line: int) -> int:
        place = known.setdefault(mention, len(where))
        if place == len(where):
            where.append(line)
        return place

    pairs = np.array(
        [(number(of[1][r], line), number(of[0][r], line)) for r, line in _at(linked, lines)], dtype=np.int64
    ).reshape(-1, 2)
    for row, line in _at(alone, lines):
        number(of[0][row], line)
    if not known:
        source.fail("no link in this file", line=1)
    entity = components(len(known), pairs[:, 0], pairs[:, 1])
    mentions: list[Any] = list(known)
    docs = np.array([m[0] for m in mentions], dtype=np.int64)
    start = end = np.full(len(mentions), -1, dtype=np.int64)
    if len(identity) == 4:
        start, end = np.array([m[1:] for m in mentions], dtype=np.int64).reshape(-1, 2).T
    order = np.lexsort((-end, start, docs))
    _, entity = np.unique(entity[order], return_inverse=True)
    return Corpus(
        documents=documents,
        doc=docs[order],
        start=start[order],
        end=end[order],
        entity=entity,
        labels=range(int(entity.max()) + 1),
        names=[mentions[p][1] for p in order.tolist()] if len(identity) == 2 else None,
        line=np.array(where, dtype=np.int64)[order],
        source=source.name,
        format="links",
        issues=source.issues(),
        unit="character" if identity[0] == "start_char1" else "token",
    )


def _at(which: Mask, lines: IntArray) -> Iterator[tuple[int, int]]:
    where = np.flatnonzero(which)
    return zip(where.tolist(), lines[where].tolist(), strict=True)


def _sides(
    source: Source, identity: tuple[str, ...], cells: list[list[str]], lines: IntArray
) -> list[tuple[Any, Any, Mask]]:
    """Of anaphors and antecedents: names or starts and ends, and which rows have one."""
    sides: list[tuple[Any, Any, Mask]] = []
    width = len(identity) // 2
    unit = "character" if identity[0] == "start_char1" else "token"
    for n in (0, 1):
        mine = cells[n * width : (n + 1) * width]
        there = np.array([[bool(cell) for cell in column] for column in mine], dtype=bool)
        for row in np.flatnonzero(~there.all(0) if n == 0 else there.any(0) & ~there.all(0)).tolist():
            what = "a row without anaphor" if n == 0 else "half a span"
            source.report("syntax", what, line=int(lines[row]) or None, hint="a singleton has no antecedent")
        good: Mask = np.asarray(there.all(0))
        if width == 1:
            sides.append((mine[0], None, good))
        else:
            sides.append(spans(source, lines, mine[0], mine[1], good, unit))
    return sides


def components(size: int, one: IntArray, other: IntArray) -> IntArray:
    """The smallest member of the component of each of `size` nodes.

    Each round hangs every root that has a link to a smaller one there, and then everybody at the root; a handful of
    rounds do, and a chain of any length is no recursion.
    """
    parent = np.arange(size, dtype=np.int64)
    while True:
        a, b = parent[one], parent[other]
        apart = a != b
        if not apart.any():
            return parent
        one, other = one[apart], other[apart]
        low, high = np.minimum(a, b)[apart], np.maximum(a, b)[apart]
        np.minimum.at(parent, high, low)
        while True:
            jumped = parent[parent]
            if np.array_equal(jumped, parent):
                break
            parent = jumped


def write(corpus: Corpus) -> Iterator[str]:
    """Each mention with the one before it in its entity; the first of an entity of one stands alone."""
    header, prefix = identified(corpus)
    names = 1 if header[-1] == "mention" else 2
    before = header[:-names]
    titles = ["anaphor", "antecedent"] if names == 1 else [f"{title}{n}" for n in (1, 2) for title in header[-2:]]
    yield line_of([*before, *titles])
    last: dict[tuple[int, int], tuple[list[str], bool]] = {}  # the last mention of an entity, and whether it is linked
    current = -1
    seen: set[tuple[str, ...]] = set()
    for row, cells in enumerate(prefix):
        doc, entity = int(corpus.doc[row]), int(corpus.entity[row])
        if doc != current:
            yield from _unlinked(last, names)
            last, current, seen = {}, doc, set()
        if (mention := tuple(cells)) in seen:  # a second link would merge two entities
            continue
        seen.add(mention)
        if (doc, entity) in last:
            yield line_of([*cells, *last[doc, entity][0][len(before) :]])
        last[doc, entity] = cells, (doc, entity) in last
    yield from _unlinked(last, names)


def _unlinked(last: dict[tuple[int, int], tuple[list[str], bool]], width: int) -> Iterator[str]:
    return (line_of([*cells, *[""] * width]) for cells, linked in last.values() if not linked)
