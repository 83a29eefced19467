"""Coreference links: CSV or TSV with a header and one row per anaphor and antecedent. Entities are the links' closure.

doc,anaphor,antecedent                          mentions by name (also mention1,mention2; id1,id2; source,target; ...)
doc,start1,end1,start2,end2                     by token offsets in the document, both ends inclusive
doc,start_char1,end_char1,start_char2,end_char2     by character offsets, the end exclusive

`doc` may be missing: then all rows are one document. `part` is the number of a document's part. A row without
antecedent is a mention. If no other row links it, it is a singleton. Other columns are left out and named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus.columns import blank
from ..corpus.model import Corpus, IntArray
from .shared.cells import Mask, columns, documents_of, header_of, load, spans
from .shared.source import Source
from .table import identified, line_of

UNITS = ("token", "character")  # the writer can count both
HOLDS = frozenset({"spans", "names", "documents", "document parts", "singletons", "crossing mentions"})

_SPELLINGS = {
    "doc": ("doc", "document", "doc_id", "document_id", "docid", "doc_key"),
    "part": ("part",),
    "anaphor": (
        "anaphor",
        "mention",
        "mention1",
        "mention_1",
        "id1",
        "id_1",
        "record1",
        "source",
        "left",
        "unique_id_l",
    ),
    "antecedent": ("antecedent", "mention2", "mention_2", "id2", "id_2", "record2", "target", "right", "unique_id_r"),
    **{f"{side}{n}": (f"{side}{n}", f"{side}_{n}") for side in ("start", "end") for n in (1, 2)},
    **{f"{side}_char{n}": (f"{side}_char{n}", f"{side}_char_{n}") for side in ("start", "end") for n in (1, 2)},
}
_IDENTITIES = (
    ("start1", "end1", "start2", "end2"),
    ("start_char1", "end_char1", "start_char2", "end_char2"),
    ("anaphor", "antecedent"),
)
_LABELLED = "clerical_match_score"  # of splink: pairs that a person has judged
_MEMBERSHIP = ("entity", "entity_id", "cluster", "cluster_id", "chain", "chain_id", "coref_chain")  # a table's columns


def looks_like(head: bytes) -> bool:
    header = header_of(head)
    return bool(_needed(header)) and not columns(header, {"entity": _MEMBERSHIP})


def _identity(places: dict[str, int]) -> tuple[str, ...] | None:
    return next((i for i in _IDENTITIES if set(i) <= set(places)), None)


def _needed(header: Sequence[str]) -> set[int]:
    """The columns that links must have; empty if this is not a header of links."""
    places = columns(header, _SPELLINGS)
    identity = _identity(places)
    return {places[c] for c in ("doc", "part", *identity) if c in places} if identity else set()


def read(source: Source) -> Corpus:
    hint = "doc,anaphor,antecedent or doc,start1,end1,start2,end2 (doc may be missing)"
    header, lines, cells = load(source, _needed, hint)
    if _LABELLED in {title.strip().lower() for title in header}:
        remedy = "label whole entities of a sample instead (`coreflens sample`), or give the matches alone as id1,id2"
        message = f"these are labelled pairs ({_LABELLED}), which do not complete entities: other pairs are unknown"
        source.fail(message, line=1, hint=remedy)
    places = columns(header, _SPELLINGS)
    identity = _identity(places)
    assert identity is not None
    used = _needed(header)
    if left := [title for c, title in enumerate(header) if c not in used and any(cells[c])]:
        source.report("left-out", f"links have no attributes: the columns {', '.join(left)[:200]}", line=1)
    sides, spelt = _sides(source, identity, [cells[places[c]] for c in identity], lines)
    documents, doc, good = documents_of(source, places, cells, lines, sides[0][2])
    linked = np.flatnonzero(good & sides[1][2])
    ends = [  # of the anaphors, and of the antecedents that exist
        np.stack([doc, start, end], axis=1)[np.flatnonzero(good) if side == 0 else linked]
        for side, (start, end, _) in enumerate(sides)
    ]
    if not good.any():
        source.fail("there is no link in this file", line=1)
    all_ends = np.concatenate(ends)
    number, first = _distinct(all_ends)
    mentions = all_ends[first]
    line = np.full(len(mentions), 2**62, dtype=np.int64)
    np.minimum.at(line, number, np.concatenate([lines[good], lines[linked]]))
    anaphor = np.full(len(lines), -1, dtype=np.int64)
    anaphor[good] = number[: int(good.sum())]
    root = components(len(mentions), anaphor[linked], number[len(ends[0]) :])
    order = np.lexsort((-mentions[:, 2], mentions[:, 1], mentions[:, 0]))
    _, entity = np.unique(root[order], return_inverse=True)
    docs, start, end = mentions[order].T
    names = [spelt[p] for p in start.tolist()] if spelt else None
    if spelt:
        start = end = np.full(len(mentions), -1, dtype=np.int64)
    return Corpus(
        documents=documents,
        doc=docs,
        start=start,
        end=end,
        entity=entity,
        labels=range(int(entity.max()) + 1),
        names=names,
        line=line[order],
        source=source.name,
        format="links",
        issues=source.issues(),
        unit="character" if identity[0] == "start_char1" else "token",
    )


class ScoredLinks(NamedTuple):
    """Linked records by name, each link with its score; documents, if the table has them."""

    one: Sequence[str]
    other: Sequence[str]
    score: npt.NDArray[np.float64]
    documents: Sequence[str]


def load_links(source: Source, column: str) -> ScoredLinks:
    """The links of a table with a column of scores, such as the output of record matching."""

    def scored_columns(header: Sequence[str]) -> set[int]:
        places = columns(header, _SPELLINGS)
        if column not in header:
            source.fail(f"there is no column '{column[:60]}' (columns: {', '.join(header)[:200]})", line=1)
        ends = {"anaphor", "antecedent"} <= set(places)
        return {header.index(column), *(places[c] for c in ("doc", "anaphor", "antecedent") if ends and c in places)}

    if source.data.startswith(b"PAR1"):
        from .parquet import load_cells

        header, lines, cells = load_cells(source, lambda header: scored_columns(header) - {list(header).index(column)})
    else:
        header, lines, cells = load(
            source, scored_columns, "two columns of records, such as id1,id2, and one of scores"
        )
    places = columns(header, _SPELLINGS)
    if not {"anaphor", "antecedent"} <= set(places):
        hint = "call them id1 and id2"
        source.fail(f"there are no two columns of records (columns: {', '.join(header)[:200]})", line=1, hint=hint)
    one, other = cells[places["anaphor"]], cells[places["antecedent"]]
    for names in (one, other):
        if (empty := blank(names)).any():
            source.fail("this link lacks one of its records", line=int(lines[int(empty.argmax())]) or None)
    texts = cells[header.index(column)]
    try:
        score = np.array(list(texts), dtype=np.float64)
    except ValueError:
        row = next(p for p, text in enumerate(texts) if not _is_number(text))
        source.fail(f"'{texts[row][:40]}' is not a score", line=int(lines[row]) or None)
    if not np.isfinite(score).all():
        row = int(np.flatnonzero(~np.isfinite(score))[0])
        source.fail(f"'{texts[row][:40]}' is not a score", line=int(lines[row]) or None)
    return ScoredLinks(one, other, score, cells[places["doc"]] if "doc" in places else [])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _sides(
    source: Source, identity: tuple[str, ...], cells: list[Sequence[str]], lines: IntArray
) -> tuple[list[tuple[IntArray, IntArray, Mask]], list[str]]:
    """Starts and ends of anaphors and antecedents, which rows have them, and the names of mentions. If mentions have
    names, starts and ends are numbers of names."""
    if len(identity) == 2:
        anaphor, antecedent = cells
        good = _filled(source, [anaphor], lines, is_anaphor=True)
        linked = _filled(source, [antecedent], lines, is_anaphor=False)
        number_of: dict[str, int] = {}
        # numbered in the order of the rows, the antecedent before the anaphor
        names = chain.from_iterable(zip(antecedent, anaphor, strict=True))
        numbers = np.array([number_of.setdefault(name, len(number_of)) for name in names], np.int64).reshape(-1, 2)
        antecedents, anaphors = numbers.T
        return [(anaphors, anaphors, good), (antecedents, antecedents, linked)], list(number_of)
    unit = "character" if identity[0] == "start_char1" else "token"
    sides = []
    for columns_, is_anaphor in ((cells[:2], True), (cells[2:], False)):
        filled = _filled(source, columns_, lines, is_anaphor)
        sides.append(spans(source, lines, columns_[0], columns_[1], filled, unit))
    return sides, []


def _filled(source: Source, side: Sequence[Sequence[str]], lines: IntArray, is_anaphor: bool) -> Mask:
    """Which rows have all cells of a side. Rows without an anaphor, or with one end of an antecedent, are reported."""
    has_cell = np.array([[bool(cell.strip()) for cell in column] for column in side], dtype=bool)
    good: Mask = np.asarray(has_cell.all(0))
    wrong = ~good if is_anaphor else ~good & has_cell.any(0)
    problem = "this row has no anaphor" if is_anaphor else "this row has only one end of a span"
    for row in np.flatnonzero(wrong).tolist():
        source.report("syntax", problem, line=int(lines[row]) or None, hint="a singleton has no antecedent")
    return good


def _distinct(rows: IntArray) -> tuple[IntArray, IntArray]:
    """The number of each row among the distinct rows, and the place of each distinct row; computed by column."""
    number = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        values, place = np.unique(column, return_inverse=True)
        _, first, number = np.unique(number * len(values) + place, return_index=True, return_inverse=True)
    return number, first


def components(size: int, one: IntArray, other: IntArray) -> IntArray:
    """The smallest member of the component of each of `size` nodes.

    Each round attaches every root that has a link to a smaller root there, and then all nodes to their roots. Few
    rounds are enough, and there is no recursion, even for a long chain.
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
    """Each mention with the one before it in its entity; a singleton is a row without an antecedent."""
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
